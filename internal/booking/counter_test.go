package booking_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

// till is a counter with so many sellers, each with an open shift.
type till struct {
	*booking.Service
	t       *testing.T
	d       *db.DB
	ev      dbtest.Event
	sellers []booking.Seller
}

func newTill(t *testing.T, sellers int) *till {
	t.Helper()
	d := dbtest.New(t)
	x := &till{Service: booking.New(d, booking.Config{Log: slog.New(slog.DiscardHandler)}), t: t, d: d, ev: dbtest.Screening(t, d, 3, 6)}
	for i := range sellers {
		var id int64
		err := d.Pool().QueryRow(t.Context(), `WITH s AS (INSERT INTO staff (email, name, role, password_hash) VALUES ($1, 'Cashier', 'cashier', '') RETURNING id)
			INSERT INTO shifts (staff_id, currency, business_day, float_amount) SELECT id, 'EUR', now()::date, 5000 FROM s RETURNING staff_id`,
			fmt.Sprintf("c%d@house.example", i)).Scan(&id)
		if err != nil {
			t.Fatal(err)
		}
		x.sellers = append(x.sellers, booking.Seller{StaffID: id, By: domain.By{Actor: fmt.Sprintf("staff:%d", id)}})
	}
	return x
}

func (x *till) offer() *booking.Offer {
	x.t.Helper()
	o, err := x.Offer(x.t.Context(), x.ev.ID, nil)
	if err != nil {
		x.t.Fatal(err)
	}
	return o
}

// clean runs the invariants.
func (x *till) clean() {
	x.t.Helper()
	found, _, err := x.d.Audit(context.Background())
	if err != nil || len(found) > 0 {
		x.t.Fatalf("audit: %v, %v", found, err)
	}
}

func (x *till) count(sql string, args ...any) (n int64) {
	x.t.Helper()
	if err := x.d.Pool().QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		x.t.Fatal(err)
	}
	return n
}

func cash(amount, given int64) []booking.Tender {
	return []booking.Tender{{Kind: "cash", Amount: amount, Tendered: given}}
}

// A double Enter, Back and a second tab send the same form: one sale, one answer.
func TestCounterSameFormSellsOnce(t *testing.T) {
	t.Parallel()
	x := newTill(t, 1)
	sale := booking.CounterSale{Key: "k1", Seats: map[string]string{"A1": "adult", "A2": "child"}, Tenders: cash(1600, 2000)}
	ids := make([]int64, 8)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Add(1)
		go func() {
			defer wg.Done()
			id, err := x.Sell(t.Context(), x.offer(), x.sellers[0], sale)
			if err != nil {
				t.Error(err)
			}
			ids[i] = id
		}()
	}
	wg.Wait()
	for _, id := range ids {
		if id == 0 || id != ids[0] {
			t.Fatalf("answers %v, want one booking", ids)
		}
	}
	if n := x.count(`SELECT count(*) FROM tickets`); n != 2 {
		t.Fatalf("%d tickets", n)
	}
	if n := x.count(`SELECT sum(amount) FROM ledger_entries WHERE kind = 'payment' AND shift_id IS NOT NULL AND business_day IS NOT NULL`); n != 1600 {
		t.Fatalf("the shift's money is %d", n)
	}
	if _, err := x.Sell(t.Context(), x.offer(), x.sellers[0], booking.CounterSale{Key: "k2", Seats: sale.Seats, Tenders: sale.Tenders}); err == nil {
		t.Fatal("another form sold the same seats again")
	}
	x.clean()
}

// Two cashiers and a web customer want the last seats at once: one has them, the
// others hear which are gone.
func TestCounterAndWebOnTheLastSeats(t *testing.T) {
	t.Parallel()
	for round := range 20 {
		x := newTill(t, 2)
		won := make([]error, 3)
		start := make(chan struct{})
		var wg sync.WaitGroup
		for i := range won {
			wg.Add(1)
			go func() {
				defer wg.Done()
				o := x.offer()
				<-start
				if i == 2 {
					_, won[i] = x.Choose(t.Context(), o, booking.Visitor{Holder: "web:x"}, []string{"B3", "B4"})
					return
				}
				_, won[i] = x.Sell(t.Context(), o, x.sellers[i], booking.CounterSale{
					Key: fmt.Sprint("k", i), Seats: map[string]string{"B3": "", "B4": ""}, Tenders: cash(2000, 0)})
			}()
		}
		close(start)
		wg.Wait()
		winners := 0
		for _, err := range won {
			var lost *domain.SeatConflict
			switch {
			case err == nil:
				winners++
			case !errors.As(err, &lost) || len(lost.Lost) != 2:
				t.Fatalf("round %d: %v", round, err)
			}
		}
		if winners != 1 {
			t.Fatalf("round %d: %d winners of the same seats", round, winners)
		}
		x.clean()
	}
}

func TestCounterTenders(t *testing.T) {
	t.Parallel()
	x := newTill(t, 1)
	sell := func(key string, c booking.CounterSale) (int64, error) {
		c.Key = key
		return x.Sell(t.Context(), x.offer(), x.sellers[0], c)
	}
	a1 := map[string]string{"A1": "adult"}
	for name, parts := range map[string][]booking.Tender{
		"nothing":       nil,
		"too little":    cash(900, 0),
		"too much":      cash(1100, 0),
		"short cash":    cash(1000, 900),
		"comp unnamed":  {{Kind: "comp"}},
		"comp and cash": {{Kind: "comp", Words: "press"}, {Kind: "cash", Amount: 1000}},
		"unknown":       {{Kind: "stripe", Amount: 1000}},
		"an empty part": {{Kind: "cash", Amount: 1000}, {Kind: "terminal"}},
	} {
		var rule *domain.RuleError
		if _, err := sell(name, booking.CounterSale{Seats: a1, Tenders: parts}); !errors.As(err, &rule) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := x.count(`SELECT count(*) FROM bookings`) + x.count(`SELECT count(*) FROM event_seats WHERE state <> 'available'`); n != 0 {
		t.Fatal("a refused sale left something behind")
	}
	if _, err := sell("split", booking.CounterSale{Seats: a1, Tenders: []booking.Tender{{Kind: "cash", Amount: 400}, {Kind: "terminal", Amount: 600}}}); err != nil {
		t.Fatal(err)
	}
	free, err := sell("comp", booking.CounterSale{Seats: map[string]string{"A2": "adult"}, Tenders: []booking.Tender{{Kind: "comp", Words: "press"}}})
	if err != nil {
		t.Fatal(err)
	}
	if n := x.count(`SELECT total FROM bookings WHERE id = $1`, free); n != 0 {
		t.Fatalf("a free ticket cost %d", n)
	}
	if _, err := x.d.Pool().Exec(t.Context(), `UPDATE shifts SET closed_at = now(), closed_by = staff_id, counted = 5400, expected = 5400, z_number = 1, report = '{}'`); err != nil {
		t.Fatal(err)
	}
	if _, err := sell("closed", booking.CounterSale{Seats: map[string]string{"A3": ""}, Tenders: cash(1000, 0)}); !errors.Is(err, domain.ErrNoShift) {
		t.Fatalf("sold without a till: %v", err)
	}
	x.clean()
}

func TestCounterHolds(t *testing.T) {
	t.Parallel()
	x := newTill(t, 2)
	until := time.Now().Add(time.Hour)
	jacket := booking.CounterSale{Key: "h1", Seats: map[string]string{"C1": "", "C2": ""}}
	id, err := x.Keep(t.Context(), x.offer(), x.sellers[0], jacket, "red jacket", until)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := x.Keep(t.Context(), x.offer(), x.sellers[0], jacket, "red jacket", until); err != nil || again != id {
		t.Fatalf("the same form: %s, %v", again, err)
	}
	if list, err := x.CounterHolds(t.Context()); err != nil || len(list) != 1 || list[0].Label != "red jacket" {
		t.Fatalf("%+v, %v", list, err)
	}
	// Another cashier sells one of them and a further seat; the dropped one is free at once.
	if _, err := x.d.Pool().Exec(t.Context(), `UPDATE fares SET price = price * 2`); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Sell(t.Context(), x.offer(), x.sellers[1], booking.CounterSale{Key: "s1", HoldID: id,
		Seats: map[string]string{"C1": "", "C3": ""}, Tenders: cash(3000, 0)}); err != nil {
		t.Fatal(err)
	}
	if n := x.count(`SELECT count(*) FROM event_seats WHERE seat_no = 'C2' AND state = 'available'`); n != 1 {
		t.Fatal("a dropped seat stays taken")
	}
	if _, err := x.Sell(t.Context(), x.offer(), x.sellers[0], booking.CounterSale{Key: "s2", HoldID: id, Seats: map[string]string{"C1": ""}, Tenders: cash(1500, 0)}); !errors.Is(err, domain.ErrHoldEnded) {
		t.Fatalf("sold twice: %v", err)
	}
	late, err := x.Keep(t.Context(), x.offer(), x.sellers[0], booking.CounterSale{Key: "h2", Seats: map[string]string{"C5": ""}}, "phone", until)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.LetGo(t.Context(), late, x.sellers[0].By); err != nil {
		t.Fatal(err)
	}
	if err := x.LetGo(t.Context(), late, x.sellers[0].By); !errors.Is(err, domain.ErrHoldEnded) {
		t.Fatalf("let go twice: %v", err)
	}
	x.clean()
}

func TestCounterSellsABlockedSeatKnowingly(t *testing.T) {
	t.Parallel()
	x := newTill(t, 1)
	if _, err := x.d.Pool().Exec(t.Context(), `WITH b AS (INSERT INTO seat_blocks (event_id, reason, ends_at, actor) VALUES ($1, 'wet', now() + interval '1 hour', 'staff:1') RETURNING id, ends_at)
		UPDATE event_seats SET state = 'blocked', block_id = b.id, held_until = b.ends_at FROM b WHERE seat_no = 'A6'`, x.ev.ID); err != nil {
		t.Fatal(err)
	}
	c := booking.CounterSale{Key: "b1", Seats: map[string]string{"A6": ""}, Tenders: cash(1000, 0)}
	var lost *domain.SeatConflict
	if _, err := x.Sell(t.Context(), x.offer(), x.sellers[0], c); !errors.As(err, &lost) {
		t.Fatalf("a blocked seat was sold unknowingly: %v", err)
	}
	c.Blocked = true
	if _, err := x.Sell(t.Context(), x.offer(), x.sellers[0], c); err != nil {
		t.Fatal(err)
	}
	x.clean()
}

// What a split tender paid goes back as it came, the newest part first, out of the
// seller's own till.
func TestCounterSplitTenderGoesBack(t *testing.T) {
	t.Parallel()
	x := newTill(t, 1)
	who := x.sellers[0]
	id, err := x.Sell(t.Context(), x.offer(), who, booking.CounterSale{Key: "s", Seats: map[string]string{"A1": "adult", "A2": "adult"},
		Tenders: []booking.Tender{{Kind: "terminal", Amount: 1500}, {Kind: "cash", Amount: 500}}})
	if err != nil {
		t.Fatal(err)
	}
	first := x.count(`SELECT min(id) FROM tickets`)
	fee := int64(900)
	if err := x.CancelTickets(t.Context(), booking.Cancel{BookingID: id, Tickets: []int64{first}, Refund: &fee, Reason: "staff", Words: "ill", Seller: &who, By: who.By.Actor}); err != nil {
		t.Fatal(err)
	}
	if c, k := x.count(`SELECT sum(amount) FROM ledger_entries WHERE kind = 'refund' AND tender = 'cash' AND shift_id IS NOT NULL`),
		x.count(`SELECT sum(amount) FROM ledger_entries WHERE kind = 'refund' AND tender = 'terminal'`); c != -500 || k != -400 {
		t.Fatalf("cash %d, terminal %d went back", c, k)
	}
	if n := x.count(`SELECT count(*) FROM staff_tasks`); n != 0 {
		t.Fatal("money that was handed over is still asked for")
	}
	more := int64(1200)
	if err := x.CancelTickets(t.Context(), booking.Cancel{BookingID: id, Refund: &more, Reason: "staff", Seller: &who, By: "x"}); !errors.Is(err, domain.ErrConflict) {
		t.Fatalf("more went back than came: %v", err)
	}
	x.clean()
}
