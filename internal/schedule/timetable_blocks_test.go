package schedule_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/schedule"
)

const someHold = "00000000-0000-4000-8000-0000000000aa"

func (h *house) claim(event int64, seats ...string) error {
	return h.ClaimSeats(h.t.Context(), db.Claim{EventID: event, HoldID: someHold, Seats: seats, Ride: domain.Ride{To: 1}}, time.Now().Add(time.Hour))
}

func (h *house) free(event int64) int {
	h.t.Helper()
	s, err := h.Stocks(h.t.Context(), []int64{event}, []domain.Ride{{To: 1}})
	if err != nil {
		h.t.Fatal(err)
	}
	return s[0].Free
}

// TestBlockedSeats: a blocked seat is nobody's until its end, which the database's time
// keeps and no job; what somebody has cannot be blocked and is named.
func TestBlockedSeats(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "UTC")
	id := h.make(h.wish("2030-06-03", 20*60), true)[0]
	h.sell(id, "A1")
	if err := h.claim(id, "A2"); err != nil {
		t.Fatal(err)
	}
	block := func(seats ...string) error {
		tomorrow := time.Now().AddDate(0, 0, 1)
		return h.s.Block(t.Context(), manager, schedule.Blocking{EventID: id, Seats: seats, Reason: " House seats ", Date: &tomorrow})
	}
	var conflict *domain.SeatConflict
	if err := block("A1", "A2", "A3"); !errors.As(err, &conflict) || len(conflict.Lost) != 2 || conflict.Lost[0] != "A1" {
		t.Errorf("sold and held: %v", err)
	}
	refused(t, block("A3", "Z9"), "seats", "Z9")
	refused(t, block(), "seats")
	refused(t, h.s.Block(t.Context(), manager, schedule.Blocking{EventID: id, Seats: []string{"A3"}, Reason: " "}), "reason")
	past := day("2020-01-01")
	refused(t, h.s.Block(t.Context(), manager, schedule.Blocking{EventID: id, Seats: []string{"A3"}, Reason: "x", Date: &past}), "until", "past")
	if n := number(h, `SELECT count(*) FROM seat_blocks`); n != 0 {
		t.Errorf("%d blocks are left of refusals", n)
	}
	if err := block("A3", "B1"); err != nil {
		t.Fatal(err)
	}
	if err := block("B1"); !errors.As(err, &conflict) {
		t.Errorf("blocked twice: %v", err)
	}
	if err := h.claim(id, "A3", "B2"); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("a customer takes a blocked seat: %v", err)
	}
	taken, err := h.TakenSeats(t.Context(), id, domain.Ride{To: 1})
	if err != nil || len(taken) != 4 || h.free(id) != 2 {
		t.Errorf("taken %v, %d free, %v", taken, h.free(id), err)
	}
	x, err := h.s.BlockScene(t.Context(), id)
	if err != nil || len(x.Blocks) != 1 || x.Blocks[0].Reason != "House seats" || x.Looks["A3"] != "blocked" || x.Looks["A1"] != "booked" || x.Looks["A2"] != "held" || x.Looks["B3"] != "available" {
		t.Fatalf("%+v, %v", x, err)
	}
	h.exec(`UPDATE event_seats SET held_until = now() - interval '1 second' WHERE state = 'blocked' AND seat_no = 'A3'`) // its end has come
	if h.free(id) != 3 {
		t.Errorf("%d free after the end", h.free(id))
	}
	if taken, err := h.TakenSeats(t.Context(), id, domain.Ride{To: 1}); err != nil || len(taken) != 3 {
		t.Errorf("taken %v, %v", taken, err)
	}
	if err := h.claim(id, "A3"); err != nil {
		t.Errorf("after the end: %v", err)
	}
	if n := number(h, `SELECT count(*) FROM event_seats WHERE seat_no = 'A3' AND state = 'held' AND block_id IS NULL`); n != 1 {
		t.Error("the claim left the block on the seat")
	}
	if err := h.s.Lift(t.Context(), manager, id, x.Blocks[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := h.s.Lift(t.Context(), manager, id, x.Blocks[0].ID); err != nil {
		t.Errorf("lifted twice: %v", err)
	}
	if n := number(h, `SELECT count(*) FROM event_seats WHERE state = 'blocked'`); n != 0 || h.free(id) != 3 {
		t.Errorf("%d blocked, %d free after it was lifted", n, h.free(id))
	}
	if n := number(h, `SELECT count(*) FROM audit_log WHERE action IN ('seats_blocked', 'seats_unblocked') AND subject = $1`, fmt.Sprint("event:", id)); n != 2 {
		t.Errorf("%d lines in the log", n)
	}
	forever := schedule.Blocking{EventID: id, Seats: []string{"B3"}, Reason: "broken"}
	if err := h.s.Block(t.Context(), manager, forever); err != nil {
		t.Fatal(err)
	}
	if err := h.claim(id, "B3"); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("blocked without an end: %v", err)
	}
}

// TestBlockRace: staff block a seat in the moment a customer takes it, 40 rounds: one of
// them has it. In the control they want different seats, and both do.
func TestBlockRace(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "UTC")
	id := h.make(h.wish("2030-06-03", 20*60), true)[0]
	round := func(staff, customer string) (won int) {
		h.exec(`UPDATE event_seats SET state = 'available', hold_id = NULL, held_until = NULL, block_id = NULL WHERE event_id = $1`, id)
		var both sync.WaitGroup
		var blocked, held error
		gate := make(chan struct{})
		both.Go(func() {
			<-gate
			blocked = h.s.Block(t.Context(), manager, schedule.Blocking{EventID: id, Seats: []string{staff}, Reason: "x"})
		})
		both.Go(func() { <-gate; held = h.claim(id, customer) })
		close(gate)
		both.Wait()
		var conflict *domain.SeatConflict
		if blocked != nil && !errors.As(blocked, &conflict) || held != nil && !errors.Is(held, domain.ErrConflict) {
			t.Errorf("%v, %v", blocked, held)
		}
		for _, err := range []error{blocked, held} {
			if err == nil {
				won++
			}
		}
		return won
	}
	for range 40 {
		if won := round("A1", "A1"); won != 1 {
			t.Fatalf("%d have the seat", won)
		}
	}
	if won := round("A1", "B1"); won != 2 {
		t.Errorf("control: %d", won)
	}
}
