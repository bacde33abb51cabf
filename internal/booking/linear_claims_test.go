package booking_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
)

// The seat statements are linearizable: whatever many callers do at once, there is an
// order of one after the other, within the times at which each was under way, that
// gives everybody the answer they got.

// registers are two seats on two legs each: four rows of event_seats.
type registers [4]register

type register struct {
	hold   int8 // 0 nobody's, else who holds it
	over   bool // its time is over: others may take it
	booked int8 // the booking that has it; ids of bookings are those of their holds here
}

type act struct {
	do   string // claim, extend, release, confirm, expire, cancel
	hold int8
	rows [4]bool
}

// claimable is the one sentence that everything hangs on.
func (r register) claimable(by int8) bool {
	return r.booked == 0 && (r.hold == 0 || r.hold == by || r.over)
}

// step is one act in the sequential world: what it answers, and what it leaves.
func (s registers) step(a act) (ok bool, after registers) {
	after = s
	ok = true
	for i, in := range a.rows {
		r := &after[i]
		mine := r.hold == a.hold && r.booked == 0
		switch {
		case !in:
		case a.do == "claim":
			ok = ok && r.claimable(a.hold)
			*r = register{hold: a.hold}
		case a.do == "confirm":
			ok = ok && r.claimable(a.hold)
			*r = register{booked: a.hold}
		case a.do == "cancel":
			ok = ok && r.booked == a.hold
			*r = register{}
		case a.do == "extend":
			ok = ok && mine && !r.over
		case a.do == "release" && mine:
			*r = register{}
		case a.do == "expire" && mine:
			r.over = true
		}
	}
	if !ok {
		return false, s
	}
	return true, after
}

func seatModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return registers{} },
		Step: func(state, input, output any) (bool, any) {
			ok, after := state.(registers).step(input.(act))
			return ok == output.(bool), after
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v → %v", input, output) },
		DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
	}
}

// caller does acts on the real rows of two seats of an event.
type caller struct {
	d     *db.DB
	event int64
	seats []string
}

func (c caller) claim(a act) db.Claim {
	out := db.Claim{EventID: c.event, HoldID: fmt.Sprintf("00000000-0000-4000-8000-%012d", a.hold), Ride: domain.Ride{From: 0, To: 2}}
	for i, seat := range c.seats {
		if a.rows[2*i] || a.rows[2*i+1] {
			out.Seats = append(out.Seats, seat)
		}
	}
	// The same legs on every seat, as a ride has.
	if !a.rows[0] && !a.rows[2] {
		out.Ride.From = 1
	}
	if !a.rows[1] && !a.rows[3] {
		out.Ride.To = 1
	}
	return out
}

func (c caller) do(ctx context.Context, a act) (bool, error) {
	claim, later := c.claim(a), time.Now().Add(time.Hour)
	err := c.d.InTx(ctx, func(t *db.Tx) error {
		// As in the product, where the hold's row is locked first: acts of one hold follow
		// one another. A release beside a claim of its own hold could free half of it.
		if err := t.LockHolder(ctx, domain.Holder(claim.HoldID)); err != nil {
			return err
		}
		switch a.do {
		case "claim":
			return t.ClaimSeats(ctx, claim, later)
		case "extend":
			return t.ExtendSeats(ctx, claim, later)
		case "release":
			return t.ReleaseSeats(ctx, claim)
		case "confirm":
			return t.ConfirmSeats(ctx, claim, int64(a.hold))
		case "cancel":
			return t.FreeBooked(ctx, claim, int64(a.hold))
		}
		return t.SetHeldUntil(ctx, claim, later.Add(-2*time.Hour))
	})
	if errors.Is(err, domain.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

// draw makes up an act: some of the seats, on a ride's legs.
func draw(rng *rand.Rand) act {
	a := act{do: []string{"claim", "claim", "claim", "claim", "release", "expire", "expire", "extend", "confirm", "cancel", "cancel"}[rng.IntN(11)], hold: int8(1 + rng.IntN(3))}
	seats, legs := 1+rng.IntN(3), 1+rng.IntN(3)
	for i := range a.rows {
		a.rows[i] = seats&(1+i/2) != 0 && legs&(1+i%2) != 0
	}
	return a
}

// history lets so many callers act at once, so many times each, and writes down when
// each was under way and what it was told.
func history(t *testing.T, callers, times int, seed uint64, do func(context.Context, act) (bool, error)) []porcupine.Operation {
	t.Helper()
	var all []porcupine.Operation
	var mu sync.Mutex
	var wg sync.WaitGroup
	start, began := make(chan struct{}), time.Now()
	for i := range callers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			<-start
			for range times {
				a := draw(rng)
				from := time.Since(began)
				ok, err := do(t.Context(), a)
				to := time.Since(began)
				if err != nil {
					t.Errorf("%+v: %v", a, err)
					return
				}
				mu.Lock()
				all = append(all, porcupine.Operation{ClientId: i, Input: a, Call: int64(from), Output: ok, Return: int64(to)})
				mu.Unlock()
			}
		})
	}
	close(start)
	wg.Wait()
	return all
}

func judge(t *testing.T, all []porcupine.Operation) porcupine.CheckResult {
	t.Helper()
	result, info := porcupine.CheckOperationsVerbose(seatModel(), all, 10*time.Second)
	if result == porcupine.Illegal && t.Failed() {
		path := filepath.Join(t.ArtifactDir(), "history.html")
		if err := porcupine.VisualizePath(seatModel(), info, path); err == nil {
			t.Logf("see %s (go test -artifacts keeps it)", path)
		}
	}
	return result
}

func TestLinear_SeatStatements(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.URL(t), 12)
	ev := dbtest.Trip(t, d, 30, 2)
	seed := uint64(time.Now().UnixNano())
	told := map[string]int{}
	for round := range 60 {
		c := caller{d, ev.ID, ev.Seats[2*round : 2*round+2]}
		all := history(t, 8, 6, seed+uint64(round), c.do)
		if got := judge(t, all); got != porcupine.Ok {
			t.Fatalf("round %d of seed %d: the history of %d acts is %s", round, seed, len(all), got)
		}
		for _, o := range all {
			told[fmt.Sprint(o.Input.(act).do, " ", o.Output)]++
		}
	}
	for _, must := range []string{"claim true", "claim false", "extend true", "extend false", "confirm true", "confirm false", "cancel true", "cancel false", "release true", "expire true"} {
		if told[must] == 0 {
			t.Errorf("%q never happened: %v", must, told)
		}
	}
	t.Log(told)
}

// The control: reading first and writing later. The barrier makes certain that both
// have read before one writes, and the checker must say no.
func TestLinear_ControlIsRejected(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Trip(t, d, 1, 2)
	c := caller{d, ev.ID, ev.Seats[:2]}
	var read, done sync.WaitGroup
	read.Add(2)
	all := make([]porcupine.Operation, 2)
	began := time.Now()
	for i := range 2 {
		done.Go(func() {
			a := act{do: "claim", hold: int8(1 + i), rows: [4]bool{true, true, true, true}}
			from := time.Since(began)
			ok, err := lookThenTake(t.Context(), c, a, &read)
			if err != nil {
				t.Error(err)
			}
			all[i] = porcupine.Operation{ClientId: i, Input: a, Call: int64(from), Output: ok, Return: int64(time.Since(began))}
		})
	}
	done.Wait()
	if got := judge(t, all); got != porcupine.Illegal {
		t.Fatalf("the checker says %s of two claims of one seat: it proves nothing (%+v)", got, all)
	}
}

func lookThenTake(ctx context.Context, c caller, a act, read *sync.WaitGroup) (bool, error) {
	claim := c.claim(a)
	var free int
	err := c.d.Pool().QueryRow(ctx, `SELECT count(*) FROM event_seats WHERE event_id = $1 AND seat_no = ANY($2)
		AND (state = 'available' OR held_until < now())`, claim.EventID, claim.Seats).Scan(&free)
	read.Done()
	read.Wait()
	if err != nil || free != claim.Rows() {
		return false, err
	}
	_, err = c.d.Pool().Exec(ctx, `UPDATE event_seats SET state = 'held', hold_id = $3, held_until = now() + interval '1 hour'
		WHERE event_id = $1 AND seat_no = ANY($2)`, claim.EventID, claim.Seats, claim.HoldID)
	return err == nil, err
}
