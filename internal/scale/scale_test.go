package scale

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/internal/apptest"
)

func mapKeys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

// Customers buy through two processes; every booking that one of them was told of is
// there afterwards, no seat is sold twice, and money and tickets agree with Stripe.
func TestScale_EveryPromiseIsKept(t *testing.T) {
	t.Parallel()
	p := thePlan(t)
	s := newShop(t, p)
	cut := s.sell(p)
	rest := s.calm(p.settle)
	bad := s.judge()
	t.Logf("two processes, %d customers, %s\n%s", p.customers, p.last, s.tally.report(cut))
	for _, b := range append(bad, rest...) {
		t.Error(b)
	}
	if len(s.tally.promise) == 0 {
		t.Error("nobody bought anything: that proves nothing")
	}
	if before, after := s.tally.around(cut, 3*time.Second); p.cut != "" && (before == 0 || after == 0) {
		t.Errorf("holds in the 3 s before the cut: %d, from then on: %d; one of each at least, or it proves nothing (are all SCALE_EVENTS sold out?)", before, after)
	}
	s.judgeCanFail()
}

// sell lets everybody buy and cuts the primary off half-way; it returns when that was.
func (s *shop) sell(p plan) (cut time.Time) {
	ctx, cancel := context.WithTimeout(s.t.Context(), p.last)
	defer cancel()
	var all sync.WaitGroup
	for n := range p.customers {
		all.Go(func() { s.crowd(ctx, n) })
	}
	if p.cut != "" {
		pause(ctx, p.last/2)
		cut = time.Now()
		if out, err := exec.CommandContext(ctx, "/bin/sh", "-c", p.cut).CombinedOutput(); err != nil {
			s.t.Errorf("the cut: %v\n%s", err, out)
		}
	}
	all.Wait()
	return cut
}

// calm ends all holds, as time would, and waits until nothing is left to do.
func (s *shop) calm(longest time.Duration) (rest []string) {
	for end := time.Now().Add(longest); time.Now().Before(end); pause(s.t.Context(), 300*time.Millisecond) {
		for _, sql := range []string{
			`UPDATE holds SET expires_at = now() - interval '1 hour' WHERE state = 'active'`,
			`UPDATE payments SET created_at = now() - interval '1 hour' WHERE state IN ('creating', 'open')`,
			`UPDATE event_seats SET held_until = now() - interval '1 minute' WHERE state = 'held'`,
			`UPDATE river_job SET scheduled_at = now(), state = 'available' WHERE state IN ('retryable', 'scheduled')`,
			`INSERT INTO river_job (kind, args, max_attempts, queue) SELECT 'sweep', '{}', 1, 'default' WHERE NOT EXISTS (SELECT 1 FROM river_job WHERE kind = 'sweep' AND state IN ('available', 'running', 'scheduled'))`,
		} {
			if _, err := s.db.Pool().Exec(s.t.Context(), sql); err != nil {
				s.t.Logf("%v\n%s", err, sql)
			}
		}
		if rest = unfinished(s); len(rest) == 0 {
			return nil
		}
	}
	return rest
}

// unfinished leaves out what an ended hold leaves behind until somebody wants its seats.
func unfinished(s *shop) []string {
	return slices.DeleteFunc(apptest.Unfinished(s.t, s.db), func(x string) bool {
		return strings.HasPrefix(x, "held seat") || strings.HasPrefix(x, "hold:")
	})
}

// judge finds what must never be.
func (s *shop) judge() []string {
	bad := s.tally.wrongs
	for _, b := range s.tally.promise {
		got := apptest.Ask(s.t, s.db, `SELECT b.state::text, coalesce((SELECT string_agg(t.seat_no, ',' ORDER BY t.seat_no COLLATE "C") FROM tickets t WHERE t.booking_id = b.id AND t.state = 'valid'), '')
			FROM bookings b WHERE b.reference = $1`, strings.ReplaceAll(b.reference, "-", ""))
		if want := []string{"confirmed", strings.Join(b.seats, ",")}; len(got) != 1 || !slices.Equal(got[0], want) {
			bad = append(bad, fmt.Sprintf("lost: booking %s of %v was told to its customer and is %v", b.reference, b.seats, got))
		}
	}
	for _, x := range apptest.NoSeatTwice(s.t, s.db) {
		bad = append(bad, "twice: "+x)
	}
	for _, x := range apptest.EverybodyServed(s.t, s.db, s.sim) {
		bad = append(bad, "served: "+x)
	}
	for _, x := range apptest.LedgersAgree(s.t, s.db, s.sim) {
		bad = append(bad, "ledgers: "+x)
	}
	for _, x := range apptest.Audit(s.t, s.bin, s.env) {
		bad = append(bad, "audit: "+x)
	}
	return bad
}

// judgeCanFail loses a booking on purpose.
func (s *shop) judgeCanFail() {
	s.tally.promise = append(s.tally.promise, booking{reference: "ZZZ-ZZZ", seats: []string{"A1"}})
	if !slices.ContainsFunc(s.judge(), func(x string) bool { return strings.HasPrefix(x, "lost: ") }) {
		s.t.Error("a lost booking was not found")
	}
}
