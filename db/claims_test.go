package db_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
)

func holdID(n int64) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// hold is what a claimer does: the seat rows and the hold's own, in one transaction.
func hold(ctx context.Context, d *db.DB, c db.Claim, ends time.Time) error {
	return d.InTx(ctx, func(t *db.Tx) error {
		if err := t.ClaimSeats(ctx, c, ends); err != nil {
			return err
		}
		lines := make([]domain.HoldSeat, len(c.Seats))
		for i, s := range c.Seats {
			lines[i] = domain.HoldSeat{SeatNo: s, Zone: 1, Type: "adult"}
		}
		return t.InsertHold(ctx, db.NewHold{ID: c.HoldID, EventID: c.EventID, Ride: c.Ride, Channel: "web", Holder: domain.Holder("web:" + c.HoldID), ExpiresAt: ends, Currency: "EUR", Fares: domain.Fares{}}, lines)
	})
}

// first is what a claimer does who holds nothing yet: all in one statement. A hold that is
// to be over is made as one and ended.
func first(ctx context.Context, d *db.DB, c db.Claim, ends time.Time) error {
	h, list := opening(ctx, d, c)
	if err := d.OpenHold(ctx, h, list.Lines); err != nil {
		return err
	}
	return ended(ctx, d, c, ends)
}

// opening is the claim as OpenHold and OpenHolds want it.
func opening(ctx context.Context, d *db.DB, c db.Claim) (db.FirstHold, db.Opening) {
	h := db.FirstHold{
		NewHold: db.NewHold{ID: c.HoldID, EventID: c.EventID, Ride: c.Ride, Channel: "web", Holder: domain.Holder("web:" + c.HoldID), Currency: "EUR", Fares: domain.Fares{}},
		Window:  time.Hour,
	}
	e, err := d.Event(ctx, c.EventID)
	if err == nil {
		h.Plan = e.LayoutVersionID
	}
	o := db.Opening{ID: c.HoldID, Holder: h.Holder}
	for _, s := range c.Seats {
		o.Lines = append(o.Lines, domain.HoldSeat{SeatNo: s, Zone: 1, Type: "adult"})
	}
	return h, o
}

func ended(ctx context.Context, d *db.DB, c db.Claim, ends time.Time) error {
	if ends.After(time.Now()) {
		return nil
	}
	_, err := d.Pool().Exec(ctx, `WITH h AS (UPDATE holds SET expires_at = $2 WHERE id = $1),
		l AS (SELECT seat_no, leg FROM event_seats WHERE event_id = $3 AND hold_id = $1 ORDER BY seat_no, leg FOR NO KEY UPDATE)
		UPDATE event_seats s SET held_until = $2 FROM l WHERE s.event_id = $3 AND s.seat_no = l.seat_no AND s.leg = l.leg`, c.HoldID, ends, c.EventID)
	return err
}

// many is first beside three others of the same group, who want other seats of the same
// ride: OpenHolds decides about all, and who lost tries alone.
func many(ctx context.Context, d *db.DB, c db.Claim, ends time.Time) error {
	h, list := opening(ctx, d, c)
	group := []db.Opening{list}
	rng := rand.New(rand.NewPCG(uint64(len(c.HoldID)), uint64(c.Seats[0][0])<<8|uint64(c.Ride.From)))
	others, err := d.SeatRows(ctx, c.EventID)
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, s := range c.Seats {
		wanted[s] = true
	}
	for range 3 {
		no := others[rng.IntN(len(others))].SeatNo
		if wanted[no] {
			continue
		}
		wanted[no] = true
		_, o := opening(ctx, d, db.Claim{EventID: c.EventID, HoldID: holdID(500_000 + made.Add(1)), Seats: []string{no}, Ride: c.Ride})
		group = append(group, o)
	}
	won, err := d.OpenHolds(ctx, h, group)
	for _, id := range won {
		if id != c.HoldID { // the company leaves again
			other := db.Claim{EventID: c.EventID, HoldID: id, Ride: c.Ride}
			err = errors.Join(err, ended(ctx, d, other, time.Now().Add(-time.Second)))
		}
	}
	switch {
	case err != nil:
		return err
	case slices.Contains(won, c.HoldID):
		return ended(ctx, d, c, ends)
	}
	return first(ctx, d, c, ends)
}

var made atomic.Int64

// looker is a look-alike that reads first and writes later. The barrier makes
// certain that every claimer has read before anyone writes: it must oversell.
func looker(ctx context.Context, d *db.DB, c db.Claim, ends time.Time, barrier *sync.WaitGroup) error {
	var free int
	err := d.Pool().QueryRow(ctx, `SELECT count(*) FROM event_seats WHERE event_id = $1 AND seat_no = ANY($2)
		AND (state = 'available' OR held_until < now())`, c.EventID, c.Seats).Scan(&free)
	barrier.Done()
	barrier.Wait()
	if err != nil || free != len(c.Seats) {
		return errors.Join(err, domain.ErrConflict)
	}
	_, err = d.Pool().Exec(ctx, `UPDATE event_seats SET state = 'held', hold_id = $3, held_until = $4 WHERE event_id = $1 AND seat_no = ANY($2)`,
		c.EventID, c.Seats, c.HoldID, ends)
	return err
}

// H8: two users hold one seat within 100 ms, 200 rounds: one winner.
func TestH8_OneSeatTwoUsers(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 10, 20)
	ends := time.Now().Add(10 * time.Minute)
	for round, seat := range ev.Seats[:200] {
		var won atomic.Int32
		both(func(i int) {
			c := db.Claim{EventID: ev.ID, HoldID: holdID(int64(2*round + i)), Seats: []string{seat}, Ride: domain.Ride{To: 1}}
			switch err := hold(t.Context(), d, c, ends); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, domain.ErrConflict):
				t.Errorf("round %d: %v", round, err)
			}
		})
		if won.Load() != 1 {
			t.Fatalf("round %d: %d winners", round, won.Load())
		}
	}
}

// The control of H8: reading first and writing later sells the seat twice.
func TestH8_ControlOversells(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 1, 1)
	var barrier sync.WaitGroup
	barrier.Add(2)
	var won atomic.Int32
	both(func(i int) {
		c := db.Claim{EventID: ev.ID, HoldID: holdID(int64(i)), Seats: ev.Seats, Ride: domain.Ride{To: 1}}
		if looker(t.Context(), d, c, time.Now().Add(time.Minute), &barrier) == nil {
			won.Add(1)
		}
	})
	if won.Load() != 2 {
		t.Fatalf("the control sold to %d, must oversell: the race above proves nothing", won.Load())
	}
}

// H8 again: the database makes the second ticket impossible even if the code is wrong.
func TestH8_UniqueConstraintIsTheLastWord(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 1, 1)
	h := &domain.Hold{EventID: ev.ID, Ride: domain.Ride{To: 1}, Seats: []domain.HoldSeat{{SeatNo: "A1", Type: "adult"}}}
	sell := func(n int64) error {
		return d.InTx(t.Context(), func(tx *db.Tx) error {
			err := tx.InsertHold(t.Context(), db.NewHold{ID: holdID(n), EventID: ev.ID, Ride: h.Ride, Channel: "web", Holder: "web:x", ExpiresAt: time.Now(), Currency: "EUR", Fares: domain.Fares{}}, nil)
			if err != nil {
				return err
			}
			id, err := tx.NextBookingID(t.Context())
			if err != nil {
				return err
			}
			if _, err := tx.InsertBooking(t.Context(), db.NewBooking{ID: id, HoldID: holdID(n), EventID: ev.ID, Reference: domain.NewReference(), Currency: "EUR", Channel: "web"}); err != nil {
				return err
			}
			return tx.InsertTickets(t.Context(), id, h, []int64{0})
		})
	}
	if err := sell(1); err != nil {
		t.Fatal(err)
	}
	if err := sell(2); !errors.Is(err, domain.ErrConflict) {
		t.Fatalf("second ticket for A1: %v, want a conflict", err)
	}
}

// TestClaimRace: 64 workers with overlapping sets and leg ranges, holds that run out
// and are taken over, releases and extensions. No seat has two holders, no hold is
// partial, nothing deadlocks (InTx would retry one silently, so it is counted in the
// server's own statistics).
func TestClaimRace(t *testing.T) {
	t.Parallel()
	t.Run("in a transaction", func(t *testing.T) { t.Parallel(); race(t, hold) })
	t.Run("in one statement", func(t *testing.T) { t.Parallel(); race(t, hold, first) })
	t.Run("several in one statement", func(t *testing.T) { t.Parallel(); race(t, hold, first, many, many) })
}

// race lets the ways to claim fight one another.
func race(t *testing.T, ways ...func(context.Context, *db.DB, db.Claim, time.Time) error) {
	d := dbtest.Open(t, dbtest.URL(t), 32)
	ev := dbtest.Trip(t, d, 6, 4)
	var next, won, lost atomic.Int64
	var all sync.WaitGroup
	for w := range 64 {
		all.Add(1)
		go func() {
			defer all.Done()
			rng := rand.New(rand.NewPCG(uint64(w), 7))
			for range 40 {
				from := rng.IntN(4)
				c := db.Claim{EventID: ev.ID, HoldID: holdID(next.Add(1)), Seats: pick(rng, ev.Seats, 1+rng.IntN(4)), Ride: domain.Ride{From: from, To: from + 1 + rng.IntN(4-from)}}
				ends := time.Now().Add(time.Hour)
				if rng.IntN(3) == 0 {
					ends = time.Now().Add(-time.Second) // over at once: others take it over
				}
				err := ways[w%len(ways)](t.Context(), d, c, ends)
				switch {
				case errors.Is(err, domain.ErrConflict):
					lost.Add(1)
				case err != nil:
					t.Errorf("claim: %v", err)
					return
				default:
					won.Add(1)
					if rng.IntN(2) == 0 {
						if err := d.InTx(t.Context(), func(tx *db.Tx) error {
							if err := tx.ReleaseSeats(t.Context(), c); err != nil {
								return err
							}
							return tx.SetHoldState(t.Context(), c.HoldID, "released")
						}); err != nil {
							t.Errorf("release: %v", err)
						}
					}
				}
			}
		}()
	}
	all.Wait()
	if won.Load() == 0 || lost.Load() == 0 {
		t.Fatalf("no fight: %d won, %d lost", won.Load(), lost.Load())
	}
	var partial, deadlocks int
	// A live hold has all of its rows, or none if it was released: never some.
	err := d.Pool().QueryRow(t.Context(), `
		SELECT count(*) FROM holds h
		 WHERE h.state = 'active' AND h.expires_at > now()
		   AND (SELECT count(*) FROM event_seats e WHERE e.event_id = h.event_id AND e.hold_id = h.id)
		    <> (h.to_stop - h.from_stop) * (SELECT count(*) FROM hold_seats s WHERE s.hold_id = h.id)`).Scan(&partial)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Pool().QueryRow(t.Context(), `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&deadlocks); err != nil {
		t.Fatal(err)
	}
	twice := 0
	// Nobody's hold stands in the book whose seats somebody else has.
	if err := d.Pool().QueryRow(t.Context(), `
		SELECT count(*) FROM (SELECT s.seat_no, l.leg FROM holds h JOIN hold_seats s ON s.hold_id = h.id, generate_series(h.from_stop + 1, h.to_stop) AS l(leg)
		         WHERE h.state = 'active' AND h.expires_at > now() GROUP BY 1, 2 HAVING count(*) > 1) x`).Scan(&twice); err != nil {
		t.Fatal(err)
	}
	if twice > 0 {
		t.Errorf("%d seats are in two running holds", twice)
	}
	if partial > 0 || deadlocks > 0 {
		t.Fatalf("%d partial holds, %d deadlocks after %d claims won and %d lost", partial, deadlocks, won.Load(), lost.Load())
	}
	t.Logf("%d won, %d lost", won.Load(), lost.Load())
}

// X1: legs A-B-C-D, seat sold A→B and C→D: B→C sells, A→C is refused; B→C and A→D at
// once: one wins.
func TestX1_LegInventory(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Trip(t, d, 1, 3)
	ends := time.Now().Add(time.Hour)
	claim := func(n int64, from, to int) error {
		return hold(t.Context(), d, db.Claim{EventID: ev.ID, HoldID: holdID(n), Seats: []string{"1A"}, Ride: domain.Ride{From: from, To: to}}, ends)
	}
	for _, step := range []struct {
		n        int64
		from, to int
		want     error
	}{{1, 0, 1, nil}, {2, 2, 3, nil}, {3, 0, 2, domain.ErrConflict}, {4, 0, 3, domain.ErrConflict}, {5, 1, 2, nil}, {6, 1, 2, domain.ErrConflict}} {
		if err := claim(step.n, step.from, step.to); !errors.Is(err, step.want) {
			t.Errorf("stops %d to %d: %v, want %v", step.from, step.to, err, step.want)
		}
	}
	var won atomic.Int32
	both(func(i int) {
		c := db.Claim{EventID: ev.ID, HoldID: holdID(int64(10 + i)), Seats: []string{"1B"}, Ride: domain.Ride{From: 1 - i, To: 2 + i}}
		if hold(t.Context(), d, c, ends) == nil {
			won.Add(1)
		}
	})
	if won.Load() != 1 {
		t.Errorf("B→C and A→D at once: %d winners", won.Load())
	}
}

func both(f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range 2 {
		wg.Add(1)
		go func() { defer wg.Done(); <-start; f(i) }()
	}
	close(start)
	wg.Wait()
}

func pick(rng *rand.Rand, from []string, n int) []string {
	out := make([]string, 0, n)
	for _, i := range rng.Perm(len(from))[:n] {
		out = append(out, from[i])
	}
	return out
}
