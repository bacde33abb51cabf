package schedule

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
	"holdfast/internal/seatplan"
)

var manager = domain.By{Actor: "staff:1"}

// claim is what a customer's choice does in its transaction.
func claim(ctx context.Context, d *db.DB, event int64, seat, hold string) error {
	return d.InTx(ctx, func(t *db.Tx) error {
		if _, err := t.ShareEvent(ctx, event); err != nil {
			return err
		}
		return t.ClaimSeats(ctx, db.Claim{EventID: event, HoldID: hold, Seats: []string{seat}, Ride: domain.Ride{To: 1}}, time.Now().Add(10*time.Minute))
	})
}

// withoutSeat begins a draft that lacks the first seat of the event's plan.
func withoutSeat(t *testing.T, d *db.DB, s *Service, ev dbtest.Event) (layout int64) {
	t.Helper()
	if err := d.Pool().QueryRow(t.Context(), `SELECT layout_id FROM layout_versions WHERE id = $1`, ev.Layout.VersionID).Scan(&layout); err != nil {
		t.Fatal(err)
	}
	if err := s.StartDraft(t.Context(), manager, layout, 1); err != nil {
		t.Fatal(err)
	}
	edit := PlanEdit{"drop", func(l *domain.Layout) error { return seatplan.Make(l, []seatplan.At{{}}, domain.CellGap) }}
	if err := s.EditDraft(t.Context(), manager, layout, 1, edit); err != nil {
		t.Fatal(err)
	}
	return layout
}

// state is whether the seat still is the event's, and whether somebody holds it.
func state(t *testing.T, d *db.DB, ev dbtest.Event, seat string) (there, held bool) {
	t.Helper()
	err := d.Pool().QueryRow(t.Context(), `SELECT count(*) > 0, count(*) FILTER (WHERE state = 'held') > 0 FROM event_seats WHERE event_id = $1 AND seat_no = $2`, ev.ID, seat).Scan(&there, &held)
	if err != nil {
		t.Fatal(err)
	}
	return there, held
}

func holdNo(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// A plan that loses a seat and a customer who claims it, at the same moment: either the
// event keeps its plan and the customer the seat, or the seat is gone and nobody has it.
func TestPublishAgainstClaim(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	s := New(d)
	won := map[string]int{}
	for round := range 40 {
		ev := dbtest.Screening(t, d, 1, 3)
		layout := withoutSeat(t, d, s, ev)
		var claimed, published error
		var done Published
		var both sync.WaitGroup
		start := make(chan struct{})
		both.Go(func() { <-start; claimed = claim(t.Context(), d, ev.ID, "A1", holdNo(round)) })
		both.Go(func() { <-start; done, published = s.PublishPlan(t.Context(), manager, layout, 2, Which{All: true}) })
		close(start)
		both.Wait()
		there, held := state(t, d, ev, "A1")
		switch {
		case published != nil:
			t.Fatalf("round %d: publishing: %v", round, published)
		case claimed == nil && done.Kept == 1 && there && held:
			won["customer"]++
		case errors.Is(claimed, domain.ErrConflict) && done.Moved == 1 && !there:
			won["manager"]++
		default:
			t.Fatalf("round %d: claim %v, %+v, seat there %v, held %v", round, claimed, done, there, held)
		}
	}
	t.Logf("won by %v", won)
}

// The claim that began before is waited for, made certain by its open transaction.
func TestPublishWaitsForClaim(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	s := New(d)
	ev := dbtest.Screening(t, d, 1, 3)
	layout := withoutSeat(t, d, s, ev)
	published := make(chan Published, 1)
	err := d.InTx(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.ShareEvent(t.Context(), ev.ID); err != nil {
			return err
		}
		if err := tx.ClaimSeats(t.Context(), db.Claim{EventID: ev.ID, HoldID: holdNo(1), Seats: []string{"A1"}, Ride: domain.Ride{To: 1}}, time.Now().Add(time.Minute)); err != nil {
			return err
		}
		go func() {
			done, err := s.PublishPlan(context.WithoutCancel(t.Context()), manager, layout, 2, Which{All: true})
			if err != nil {
				t.Errorf("publishing: %v", err)
			}
			published <- done
		}()
		return waitsForLock(t, d)
	})
	if err != nil {
		t.Fatal(err)
	}
	if done := <-published; done.Kept != 1 || done.Moved != 0 {
		t.Errorf("%+v, want the event kept", done)
	}
	if there, held := state(t, d, ev, "A1"); !there || !held {
		t.Errorf("the held seat: there %v, held %v", there, held)
	}
}

// waitsForLock returns when somebody waits for a row of the scratch database.
func waitsForLock(t *testing.T, d *db.DB) error {
	deadline := time.Now().Add(2 * time.Second)
	for {
		var n int
		err := d.Pool().QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
		if err != nil || n > 0 {
			return err
		}
		if time.Now().After(deadline) {
			return errors.New("nobody waits: publishing does not lock the event")
		}
		time.Sleep(5 * time.Millisecond) // polling another session, not waiting for time
	}
}

// The control: whoever looks first and changes later, without the lock, takes the seat
// from under the customer who claims in between.
func TestPublishWithoutLockLosesSeats(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 1, 3)
	used, err := d.SeatsInUse(t.Context(), []int64{ev.ID}, []string{"A1"})
	if err != nil || len(used) > 0 {
		t.Fatalf("%v, %v", used, err)
	}
	if err := claim(t.Context(), d, ev.ID, "A1", holdNo(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Pool().Exec(t.Context(), `DELETE FROM event_seats WHERE event_id = $1 AND seat_no = 'A1'`, ev.ID); err != nil {
		t.Fatal(err)
	}
	if there, _ := state(t, d, ev, "A1"); there {
		t.Error("the control must lose the seat")
	}
	// The real statement would have refused even so.
	ev = dbtest.Screening(t, d, 1, 3)
	if err := claim(t.Context(), d, ev.ID, "A1", holdNo(2)); err != nil {
		t.Fatal(err)
	}
	err = d.InTx(t.Context(), func(tx *db.Tx) error { return tx.DropSeats(t.Context(), []int64{ev.ID}, []string{"A1"}, 1) })
	if there, _ := state(t, d, ev, "A1"); !errors.Is(err, domain.ErrBusy) || !there {
		t.Errorf("dropping a held seat: %v", err)
	}
}
