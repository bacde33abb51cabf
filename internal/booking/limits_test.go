package booking_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

// rush says of one event that people queue for it.
type rush struct {
	event int64
	err   error
}

func (r rush) High(_ context.Context, event int64) (bool, error) { return event == r.event, r.err }

// limited is a service on a database of its own with two events; people queue for the
// first.
func limited(t *testing.T, fails error) (d *db.DB, s *booking.Service, queued, calm *booking.Offer) {
	t.Helper()
	d = dbtest.Open(t, dbtest.URL(t), 24)
	one, two := dbtest.Screening(t, d, 6, 10), dbtest.Screening(t, d, 6, 10)
	s = booking.New(d, booking.Config{Demand: rush{one.ID, fails}, Log: slog.New(slog.DiscardHandler)})
	offer := func(id int64) *booking.Offer {
		o, err := s.Offer(t.Context(), id, nil)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	return d, s, offer(one.ID), offer(two.ID)
}

func refusedAs(err error) string {
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		return rule.Code
	}
	return fmt.Sprint(err)
}

// While people queue for an event the house's own limits count there, with every setting
// off; on other events nothing does.
func TestLimitsWhileQueued(t *testing.T) {
	t.Parallel()
	_, s, queued, calm := limited(t, nil)
	seats := queued.Layout.Cells
	home := booking.Address{Key: "home"}
	choose := func(o *booking.Offer, who string, from booking.Address, no ...string) string {
		t.Helper()
		_, err := s.Choose(t.Context(), o, booking.Visitor{Holder: domain.Holder("web:" + who), Address: from}, no)
		return refusedAs(err)
	}
	for i := range domain.RushHoldsPerAddress {
		if got := choose(queued, fmt.Sprint(i), home, seats[i].SeatNo); got != "<nil>" {
			t.Fatalf("hold %d: %s", i, got)
		}
	}
	for _, c := range []struct {
		name, want string
		o          *booking.Offer
		who        string
		from       booking.Address
		seats      []string
	}{
		{"one more from there", "held_by_address", queued, "new", home, []string{"C1"}},
		{"another event", "<nil>", calm, "new", home, []string{"C1"}},
		{"another connection", "<nil>", queued, "far", booking.Address{Key: "far"}, []string{"C2"}},
		{"perhaps a proxy's", "<nil>", queued, "behind", booking.Address{Key: "home", Shared: true}, []string{"C3"}},
		{"nobody knows where from", "<nil>", queued, "nowhere", booking.Address{}, []string{"C4"}},
		{"one booking's worth of seats", "<nil>", queued, "five", booking.Address{Key: "five"}, []string{"D1", "D2", "D3", "D4", "D5"}},
		{"and no more elsewhere, where it is calm", "<nil>", calm, "five", booking.Address{Key: "five"}, []string{"D1", "D2", "D3", "D4", "D5"}},
		{"nor the other way round", "held_by_visitor", queued, "five", booking.Address{Key: "five"}, []string{"D1", "D2", "D3", "D4", "D5", "D6"}},
		{"a seat is let go", "<nil>", queued, "far", booking.Address{Key: "far"}, []string{"C5"}},
		{"and is not theirs again", "paused", queued, "far", booking.Address{Key: "far"}, []string{"C2"}},
		{"but anybody else's", "<nil>", queued, "nowhere", booking.Address{}, []string{"C2", "C4"}},
		{"where it is calm it is", "<nil>", calm, "new", home, []string{"C6"}},
		{"at once", "<nil>", calm, "new", home, []string{"C1"}},
	} {
		if got := choose(c.o, c.who, c.from, c.seats...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	staff := booking.Visitor{Holder: "staff:1", Knowing: true, Address: home}
	if _, err := s.Choose(t.Context(), queued, staff, []string{"E1"}); err != nil {
		t.Errorf("staff who know: %v", err)
	}
}

// When nobody can say whether people queue, nobody gets past them.
func TestLimitsWhenDemandIsUnknown(t *testing.T) {
	t.Parallel()
	d, s, queued, _ := limited(t, domain.ErrUnavailable)
	_, err := s.Choose(t.Context(), queued, booking.Visitor{Holder: "web:a", New: true}, []string{"A1"})
	if !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("answered %v", err)
	}
	var n int
	if err := d.Pool().QueryRow(t.Context(), `SELECT count(*) FROM event_seats WHERE state <> 'available'`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d seats are held, %v", n, err)
	}
}

// Many at once from one address: the number stands. The control counts first and holds
// after, as it must not be done: all of them see room.
func TestLimitsRace(t *testing.T) {
	t.Parallel()
	const n = 2 * domain.RushHoldsPerAddress
	burst := func(d *db.DB, hold func(i int) bool) (held int) {
		var ready, done sync.WaitGroup
		ready.Add(n)
		var mu sync.Mutex
		for i := range n {
			done.Go(func() {
				ready.Done()
				ready.Wait()
				if hold(i) {
					mu.Lock()
					held++
					mu.Unlock()
				}
			})
		}
		done.Wait()
		return held
	}
	visitor := func(i int) booking.Visitor {
		return booking.Visitor{Holder: domain.Holder(fmt.Sprintf("web:%d", i)), New: i%2 == 0, Address: booking.Address{Key: "home"}}
	}

	d, s, queued, _ := limited(t, nil)
	got := burst(d, func(i int) bool {
		_, err := s.Choose(t.Context(), queued, visitor(i), []string{queued.Layout.Cells[i].SeatNo})
		if err != nil && refusedAs(err) != "held_by_address" {
			t.Errorf("visitor %d: %v", i, err)
		}
		return err == nil
	})
	if got != domain.RushHoldsPerAddress {
		t.Errorf("%d of %d got a hold from one address, want %d", got, n, domain.RushHoldsPerAddress)
	}

	d, s, _, calm := limited(t, nil)
	var looked sync.WaitGroup
	looked.Add(n)
	got = burst(d, func(i int) bool {
		held, err := d.HeldByAddress(t.Context(), "home", nil)
		looked.Done()
		looked.Wait()
		if err != nil || len(held) >= domain.RushHoldsPerAddress {
			return false
		}
		id, err := s.Choose(t.Context(), calm, visitor(i), []string{calm.Layout.Cells[i].SeatNo})
		if err != nil {
			return false
		}
		return d.InTx(t.Context(), func(tx *db.Tx) error { return tx.SetHoldAddress(t.Context(), id, "home") }) == nil
	})
	if got <= domain.RushHoldsPerAddress {
		t.Errorf("the control held to the limit (%d): this test proves nothing", got)
	}
}

// A full address is refused without its lock: a flood of it keeps nobody's connection.
func TestLimitsFullAddressWaitsForNothing(t *testing.T) {
	t.Parallel()
	d, s, queued, _ := limited(t, nil)
	visitor := func(i int, isNew bool) booking.Visitor {
		return booking.Visitor{Holder: domain.Holder(fmt.Sprintf("web:%d", i)), New: isNew, Address: booking.Address{Key: "home"}}
	}
	for i := range domain.RushHoldsPerAddress {
		if _, err := s.Choose(t.Context(), queued, visitor(i, true), []string{queued.Layout.Cells[i].SeatNo}); err != nil {
			t.Fatal(err)
		}
	}
	err := d.InTx(t.Context(), func(tx *db.Tx) error {
		if err := tx.LockAddress(t.Context(), "home"); err != nil {
			return err
		}
		for i, isNew := range []bool{true, false} {
			if _, err := s.Choose(t.Context(), queued, visitor(100+i, isNew), []string{"E5"}); refusedAs(err) != "held_by_address" {
				t.Errorf("a visitor who is new (%v): %v", isNew, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
