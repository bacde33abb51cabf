package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/booking"
	"holdfast/internal/counter"
	"holdfast/internal/domain"
)

// tillModel is a till as a careful person would keep it in a notebook.
type tillModel struct {
	t      rapid.TB
	ctx    context.Context
	d      *db.DB
	sales  *booking.Service
	desk   *counter.Service
	ev     dbtest.Event
	who    booking.Seller
	shift  int64
	next   int   // for keys
	cash   int64 // that must be in the till
	booked map[int64]bool
}

func (m *tillModel) key() string { m.next++; return fmt.Sprintf("%d/%d", m.ev.ID, m.next) }

func (m *tillModel) offer() *booking.Offer {
	o, err := m.sales.Offer(m.ctx, m.ev.ID, nil)
	m.must(err)
	return o
}

func (m *tillModel) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *tillModel) count(sql string, args ...any) (n int64) {
	m.t.Helper()
	m.must(m.d.Pool().QueryRow(m.ctx, sql, args...).Scan(&n))
	return n
}

func (m *tillModel) sell(t *rapid.T) {
	seat := rapid.SampledFrom(m.ev.Seats).Draw(t, "seat")
	fare := int64(1000)
	if seat[0] == 'C' {
		fare = 1500
	}
	tenders := map[string][]booking.Tender{
		"cash":  {{Kind: "cash", Amount: fare, Tendered: 5000}},
		"card":  {{Kind: "terminal", Amount: fare}},
		"split": {{Kind: "cash", Amount: 300}, {Kind: "terminal", Amount: fare - 300}},
		"comp":  {{Kind: "comp", Words: "press"}},
	}[rapid.SampledFrom([]string{"cash", "card", "split", "comp"}).Draw(t, "tender")]
	id, err := m.sales.Sell(m.ctx, m.offer(), m.who, booking.CounterSale{Key: m.key(), Seats: map[string]string{seat: "adult"}, Tenders: tenders})
	var lost *domain.SeatConflict
	if errors.As(err, &lost) {
		return
	}
	m.must(err)
	m.booked[id] = true
	for _, x := range tenders {
		if x.Kind == "cash" {
			m.cash += x.Amount
		}
	}
}

// cancel voids or refunds a sale, whole or for less than it cost.
func (m *tillModel) cancel(t *rapid.T) {
	id := m.anyBooking(t)
	if id == 0 {
		return
	}
	c := booking.Cancel{BookingID: id, Reason: rapid.SampledFrom([]string{"void", "staff"}).Draw(t, "kind"), Words: "why", Seller: &m.who, By: m.who.By.Actor}
	left := m.count(`SELECT coalesce(sum(p.received - (SELECT coalesce(sum(amount), 0) FROM refunds r WHERE r.payment_id = p.id)), 0)
		FROM payments p JOIN bookings b ON b.hold_id = p.hold_id WHERE b.id = $1`, id)
	if left > 0 && rapid.Bool().Draw(t, "part") {
		part := rapid.Int64Range(0, left).Draw(t, "back")
		c.Refund = &part
	}
	before := m.cashBack()
	m.must(m.sales.CancelTickets(m.ctx, c))
	m.cash -= m.cashBack() - before
	delete(m.booked, id)
}

func (m *tillModel) exchange(t *rapid.T) {
	id := m.anyBooking(t)
	if id == 0 {
		return
	}
	ticket := m.count(`SELECT id FROM tickets WHERE booking_id = $1 AND state = 'valid'`, id)
	worth := m.count(`SELECT least((SELECT price FROM tickets WHERE id = $2), coalesce(sum(p.received - (SELECT coalesce(sum(amount), 0) FROM refunds r WHERE r.payment_id = p.id)), 0))
		FROM payments p JOIN bookings b ON b.hold_id = p.hold_id WHERE b.id = $1`, id, ticket)
	seat := rapid.SampledFrom(m.ev.Seats).Draw(t, "to")
	fare := int64(1000)
	if seat[0] == 'C' {
		fare = 1500
	}
	var old string
	var paid int64
	m.must(m.d.Pool().QueryRow(m.ctx, `SELECT seat_no, price FROM tickets WHERE id = $1`, ticket).Scan(&old, &paid))
	if (old[0] == 'C') == (seat[0] == 'C') { // the same zone and type: it stays at what was paid
		fare = paid
	}
	x := booking.Exchange{Key: m.key(), BookingID: id, Tickets: []int64{ticket}, Seats: map[string]string{seat: "adult"}, Words: "swap"}
	if more := fare - worth; more > 0 {
		x.Tenders = []booking.Tender{{Kind: "cash", Amount: more}}
	}
	before := m.cashBack()
	next, err := m.sales.Exchange(m.ctx, m.offer(), m.who, x)
	var lost *domain.SeatConflict
	if errors.As(err, &lost) {
		return
	}
	m.must(err)
	if len(x.Tenders) > 0 {
		m.cash += x.Tenders[0].Amount
	}
	m.cash -= m.cashBack() - before
	delete(m.booked, id)
	m.booked[next] = true
}

// cashBack is what customers got in cash so far, by the refunds' own rows.
func (m *tillModel) cashBack() int64 {
	return m.count(`SELECT coalesce(sum(amount), 0) FROM refunds WHERE tender = 'cash' AND event_id = $1`, m.ev.ID)
}

func (m *tillModel) anyBooking(t *rapid.T) int64 {
	for id := range m.booked {
		if rapid.Bool().Draw(t, "this one") {
			return id
		}
	}
	return 0
}

func (m *tillModel) move(t *rapid.T) {
	x := counter.Move{Kind: rapid.SampledFrom([]string{"drop", "pay_in", "pay_out"}).Draw(t, "move"), Amount: rapid.Int64Range(1, 4000).Draw(t, "amount"), Reason: "why"}
	key := m.key()
	err := m.desk.MoveCash(m.ctx, counter.Person{StaffID: m.who.StaffID, By: m.who.By}, x, key)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		if x.Kind == "pay_in" || x.Amount <= m.cash {
			m.t.Fatalf("%s of %d refused with %d in the till: %v", x.Kind, x.Amount, m.cash, err)
		}
		return
	}
	m.must(err)
	m.must(m.desk.MoveCash(m.ctx, counter.Person{StaffID: m.who.StaffID, By: m.who.By}, x, key)) // sent twice
	if x.Kind == "pay_in" {
		m.cash += x.Amount
	} else {
		m.cash -= x.Amount
	}
}

// Whatever is sold, voided, refunded, exchanged, dropped or paid in, in any order: the
// report expects what the notebook says, the Z numbers have no gap, a closed report
// never changes, and every invariant holds.
func TestShiftAddsUp(t *testing.T) {
	t.Parallel()
	fewRounds()
	d, outer := dbtest.New(t), t
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		m := &tillModel{t: t, ctx: context.Background(), d: d, booked: map[int64]bool{}}
		m.sales, m.desk = booking.New(d, booking.Config{Log: slog.New(slog.DiscardHandler)}), counter.New(d)
		m.ev = dbtest.Screening(outer, d, 3, 3)
		m.must(d.Pool().QueryRow(m.ctx, `INSERT INTO staff (email, name, role, password_hash) VALUES ($1, 'Cashier', 'cashier', '') RETURNING id`,
			fmt.Sprintf("c%d@house.example", round)).Scan(&m.who.StaffID))
		m.who.By.Actor = fmt.Sprintf("staff:%d", m.who.StaffID)
		person := counter.Person{StaffID: m.who.StaffID, By: m.who.By}
		float := domain.Counts{1000: rapid.IntRange(0, 5).Draw(t, "tens"), 50: 7}
		var err error
		m.shift, err = m.desk.Open(m.ctx, person, "", "EUR", float)
		m.must(err)
		m.cash = float.Sum()
		t.Repeat(map[string]func(*rapid.T){
			"sell": m.sell, "cancel": m.cancel, "exchange": m.exchange, "move": m.move,
			"": func(t *rapid.T) {
				r, err := m.desk.Report(m.ctx, m.shift)
				m.must(err)
				if r.Expected != m.cash {
					t.Fatalf("the report expects %d, the notebook says %d", r.Expected, m.cash)
				}
			},
		})
		counted := domain.Counts{1: int(max(m.cash, 0)) + rapid.IntRange(0, 20).Draw(t, "too much")}
		last := m.count(`SELECT coalesce(max(z_number), 0) FROM shifts`)
		z, err := m.desk.Close(m.ctx, person, m.shift, counted)
		m.must(err)
		if z != last+1 || m.count(`SELECT count(*) FROM shifts WHERE closed_at IS NOT NULL`) != z {
			t.Fatalf("Z %d after %d", z, last)
		}
		frozen, err := m.desk.Report(m.ctx, m.shift)
		m.must(err)
		if frozen.Difference() != counted.Sum()-m.cash || frozen.Z != z || !frozen.Closed {
			t.Fatalf("the Z report says %+v", frozen)
		}
		if _, err := m.desk.Close(m.ctx, person, m.shift, counted); !errors.Is(err, domain.ErrConflict) {
			t.Fatalf("closed twice: %v", err)
		}
		for id := range m.booked {
			m.must(m.sales.CancelTickets(m.ctx, booking.Cancel{BookingID: id, Reason: "staff", By: "system"}))
		}
		again, err := m.desk.Report(m.ctx, m.shift)
		m.must(err)
		if !reflect.DeepEqual(frozen, again) {
			t.Fatal("a closed report changed")
		}
		found, _, err := d.Audit(m.ctx)
		m.must(err)
		if len(found) > 0 {
			t.Fatalf("audit: %v", found)
		}
	})
}

// A cashier's open till keeps the day from being closed, two closes give two numbers
// without a gap, and a closed shift does not change by SQL either.
func TestX5_DayClosesWithItsShifts(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	desk := counter.New(d)
	ids := make([]counter.Person, 2)
	for i := range ids {
		if err := d.Pool().QueryRow(t.Context(), `INSERT INTO staff (email, name, role, password_hash) VALUES ($1, $2, 'cashier', '') RETURNING id`,
			fmt.Sprintf("c%d@house.example", i), fmt.Sprintf("Cashier %d", i)).Scan(&ids[i].StaffID); err != nil {
			t.Fatal(err)
		}
	}
	shifts := make([]int64, 2)
	for i := range shifts {
		var err error
		if shifts[i], err = desk.Open(t.Context(), ids[i], "Till", "EUR", domain.Counts{100: 50}); err != nil {
			t.Fatal(err)
		}
	}
	var rule *domain.RuleError
	if _, err := desk.Open(t.Context(), ids[0], "", "EUR", nil); !errors.As(err, &rule) {
		t.Fatalf("a second till of one person: %v", err)
	}
	today, err := desk.Today(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := desk.CloseDay(t.Context(), ids[0], today); !errors.As(err, &rule) || rule.Code != "shift_open" {
		t.Fatalf("the day closed over open tills: %v", err)
	}
	done := make(chan int64, 2)
	for i := range shifts {
		go func() {
			z, err := desk.Close(context.WithoutCancel(t.Context()), ids[i], shifts[i], domain.Counts{100: 50})
			if err != nil {
				t.Error(err)
			}
			done <- z
		}()
	}
	if a, b := <-done, <-done; a+b != 3 {
		t.Fatalf("Z numbers %d and %d", a, b)
	}
	if err := desk.CloseDay(t.Context(), ids[0], today); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Open(t.Context(), ids[0], "", "EUR", nil); !errors.As(err, &rule) {
		t.Fatalf("a shift was opened on a closed day: %v", err)
	}
	if err := desk.CloseDay(t.Context(), ids[0], today.Add(48*time.Hour)); !errors.As(err, &rule) {
		t.Fatalf("a day to come was closed: %v", err)
	}
	for _, sql := range []string{`UPDATE shifts SET counted = 1`, `DELETE FROM shifts`, `UPDATE business_days SET report = '{}'`} {
		if _, err := d.Pool().Exec(t.Context(), sql); err == nil {
			t.Errorf("%s went through", sql)
		}
	}
}
