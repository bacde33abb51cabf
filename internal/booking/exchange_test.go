package booking_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

// An exchange takes the difference or gives it back, also to seats that the old ones
// overlap; the same form is the same exchange; the old seats are free at once.
func TestCounterExchange(t *testing.T) {
	t.Parallel()
	x := newTill(t, 1)
	who := x.sellers[0]
	sold, err := x.Sell(t.Context(), x.offer(), who, booking.CounterSale{Key: "s", Seats: map[string]string{"A1": "adult", "A2": "adult"}, Tenders: cash(2000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	tickets := func(booking int64) (ids []int64) {
		rows, err := x.d.Pool().Query(t.Context(), `SELECT id FROM tickets WHERE booking_id = $1 AND state = 'valid' ORDER BY id`, booking)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		return ids
	}
	dearer := booking.Exchange{Key: "e1", BookingID: sold, Tickets: tickets(sold), Seats: map[string]string{"A2": "adult", "C1": "adult"}, Words: "better seat"}
	var rule *domain.RuleError
	if _, err := x.Exchange(t.Context(), x.offer(), who, dearer); !errors.As(err, &rule) {
		t.Fatalf("the difference was not asked for: %v", err)
	}
	dearer.Tenders = cash(500, 1000)
	next, err := x.Exchange(t.Context(), x.offer(), who, dearer)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := x.Exchange(t.Context(), x.offer(), who, dearer); err != nil || again != next {
		t.Fatalf("the same form: %d, %v", again, err)
	}
	if n := x.count(`SELECT count(*) FROM event_seats WHERE seat_no = 'A1' AND state = 'available'`); n != 1 {
		t.Fatal("an old seat is not free")
	}
	x.clean()

	last, err := x.Exchange(t.Context(), x.offer(), who, booking.Exchange{Key: "e2", BookingID: next, Tickets: tickets(next)[1:], Seats: map[string]string{"B1": "child"}, Words: "cheaper"})
	if err != nil {
		t.Fatal(err)
	}
	if n := x.count(`SELECT sum(amount) FROM ledger_entries WHERE tender = 'cash' AND kind IN ('payment', 'refund')`); n != 1000+600 {
		t.Fatalf("the till has %d of the customer, wants 1600", n)
	}
	if n := x.count(`SELECT sum(amount) FROM ledger_entries WHERE tender = 'exchange'`); n != 0 {
		t.Fatalf("exchanges add up to %d", n)
	}
	x.clean()

	// What was exchanged and is cancelled at last goes back in cash from the till.
	if err := x.CancelTickets(t.Context(), booking.Cancel{BookingID: last, Reason: "staff", By: "x", Seller: &who}); err != nil {
		t.Fatal(err)
	}
	if n := x.count(`SELECT sum(amount) FROM ledger_entries WHERE tender = 'cash' AND kind IN ('payment', 'refund')`); n != 1000 {
		t.Fatalf("the till has %d of the customer, wants 1000", n)
	}
	x.clean()

	if _, err := x.d.Pool().Exec(t.Context(), `UPDATE shifts SET closed_at = now(), closed_by = staff_id, counted = 6000, expected = 6000, z_number = 1, report = '{}'`); err != nil {
		t.Fatal(err)
	}
	lost := booking.Exchange{Key: "e3", BookingID: next, Tickets: tickets(next), Seats: map[string]string{"A2": "adult"}, Words: "same price"}
	if _, err := x.Exchange(t.Context(), x.offer(), who, lost); err != nil {
		t.Fatalf("an exchange without money needs a till: %v", err)
	}
	x.clean()
}

// Two customers swap seats at once, in opposite directions: no deadlock, both or one.
func TestCounterExchangesCross(t *testing.T) {
	t.Parallel()
	x := newTill(t, 2)
	ids := make([]int64, 2)
	for i, seat := range []string{"A1", "A2"} {
		var err error
		if ids[i], err = x.Sell(t.Context(), x.offer(), x.sellers[i], booking.CounterSale{Key: seat, Seats: map[string]string{seat: "adult"}, Tenders: cash(1000, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 10 {
		var wg sync.WaitGroup
		for i := range ids {
			wg.Add(1)
			go func() {
				defer wg.Done()
				ticket := x.count(`SELECT id FROM tickets WHERE booking_id = $1 AND state = 'valid'`, ids[i])
				to := []string{"B1", "B2"}[(i+round)%2]
				if round%2 == 1 {
					to = []string{"A1", "A2"}[(i+round)%2]
				}
				id, err := x.Exchange(t.Context(), x.offer(), x.sellers[i], booking.Exchange{Key: fmt.Sprint(round, i), BookingID: ids[i],
					Tickets: []int64{ticket}, Seats: map[string]string{to: "adult"}, Words: "swap"})
				if err != nil {
					t.Error(err)
					return
				}
				ids[i] = id
			}()
		}
		wg.Wait()
	}
	x.clean()
}

// What a card paid and was exchanged goes back to that card when the new booking is
// cancelled, and the sums with Stripe stay equal.
func TestNet_ExchangedMoneyReachesTheCard(t *testing.T) {
	s := oneShop(t)
	hold, session := s.paid("web:ada", "A1", "A2")
	_, err := s.Settle(s.ctx, session)
	s.must(err)
	staff := one[int64](s, `INSERT INTO staff (email, name, role, password_hash) VALUES ('m@house.example', 'Manager', 'manager', '') RETURNING id`)
	who := booking.Seller{StaffID: staff, By: domain.By{Actor: "staff:1"}}
	booked := one[int64](s, `SELECT id FROM bookings WHERE hold_id = $1`, hold)
	first := one[int64](s, `SELECT min(id) FROM tickets WHERE booking_id = $1`, booked)
	o, err := s.Offer(s.ctx, s.ev.ID, nil)
	s.must(err)
	next, err := s.Exchange(s.ctx, o, who, booking.Exchange{Key: "e", BookingID: booked, Tickets: []int64{first}, Seats: map[string]string{"A3": "child"}, Words: "a child comes"})
	s.must(err)
	refunds := func() {
		for _, id := range []int64{1, 2, 3} {
			if one[bool](s, `SELECT EXISTS (SELECT 1 FROM refunds WHERE id = $1 AND state = 'requested')`, id) {
				_, err := s.WorkRefund(s.ctx, id)
				s.must(err)
			}
		}
	}
	refunds()
	intent := s.sim.Ledger()[0].PaymentIntent
	if taken, back := s.sim.Paid(intent); taken != 2000 || back != 400 {
		t.Fatalf("after the exchange Stripe took %d and gave back %d", taken, back)
	}
	s.must(s.CancelTickets(s.ctx, booking.Cancel{BookingID: next, Reason: "staff", By: "staff:1"}))
	refunds()
	if taken, back := s.sim.Paid(intent); taken != 2000 || back != 1000 {
		t.Fatalf("after the cancellation Stripe took %d and gave back %d", taken, back)
	}
	// The list from Stripe finds our rows, not refunds made by hand.
	for _, r := range s.sim.Refunds() {
		s.must(s.WorkRefundNews(s.ctx, r.ID, ""))
	}
	if n := one[int](s, `SELECT count(*) FROM refunds WHERE reason = 'dashboard'`); n != 0 {
		t.Fatalf("%d of our refunds were taken for refunds by hand", n)
	}
	found, _, err := s.CompareStripe(s.ctx)
	s.must(err)
	if len(found) > 0 {
		t.Fatalf("with Stripe: %v", found)
	}
	s.clean()
}

// A woman who travels alone asked that the seat beside her be kept: it goes along with her
// to another seat, and the old one is nobody's concern any more.
func TestCounterExchange_KeepsTheSeatBesideAWoman(t *testing.T) {
	t.Parallel()
	x := newTill(t, 1)
	who := x.sellers[0]
	for i, asked := range []bool{true, false} {
		from, to := []string{"A1", "B1"}[i], []string{"A2", "B2"}[i]
		sold, err := x.Sell(t.Context(), x.offer(), who, booking.CounterSale{Key: "s" + from, Seats: map[string]string{from: "adult"}, Women: map[string]bool{from: asked}, Tenders: cash(1000, 0)})
		if err != nil {
			t.Fatal(err)
		}
		ticket := int64(x.count(`SELECT id FROM tickets WHERE booking_id = $1`, sold))
		next, err := x.Exchange(t.Context(), x.offer(), who, booking.Exchange{Key: "e" + from, BookingID: sold, Tickets: []int64{ticket}, Seats: map[string]string{to: "adult"}, Words: "window"})
		if err != nil {
			t.Fatal(err)
		}
		if got := x.count(`SELECT count(*) FROM tickets WHERE booking_id = $1 AND women_beside`, next) == 1; got != asked {
			t.Errorf("asked %v, after the exchange %v", asked, got)
		}
	}
	x.clean()
}
