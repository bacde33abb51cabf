package booking_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"holdfast/db/dbtest"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/stripesim"
)

// One small test per safety net. internal/mutants takes the nets away one by one and
// shows that these notice.

func oneShop(t *testing.T) *shop {
	t.Helper()
	t.Parallel()
	s, shut := newShop(t, dbtest.New(t))
	t.Cleanup(shut)
	return s
}

// gate is the gateway with a barrier behind the answer about a session: so many
// callers have all been told before the first goes on.
type gate struct {
	booking.Gateway
	all *sync.WaitGroup
}

func (g gate) Session(ctx context.Context, id string) (domain.PaySession, error) {
	x, err := g.Gateway.Session(ctx, id)
	g.all.Done()
	g.all.Wait()
	return x, err
}

// Webhook and return page settle at the very same moment: the second one waits for
// the first and finds the booking. Nothing is tried twice and no alarm is raised.
func TestNet_SettleWaitsForSettle(t *testing.T) {
	s := oneShop(t)
	hold, session := s.paid("web:ada", "A1", "A2")
	const n = 4
	var told, done sync.WaitGroup
	told.Add(n)
	svc := s.service(gate{s.pay, &told})
	settled, errs := make([]booking.Settled, n), make([]error, n)
	for i := range n {
		done.Go(func() { settled[i], errs[i] = svc.Settle(s.ctx, session) })
	}
	done.Wait()
	for i := range n {
		if errs[i] != nil || settled[i] != booking.Booked {
			t.Errorf("settle %d: %q, %v", i, settled[i], errs[i])
		}
	}
	if alarm := s.log.String(); alarm != "" {
		t.Errorf("an alarm although nothing is wrong: %s", alarm)
	}
	if n := s.tickets(hold); n != 2 {
		t.Errorf("%d tickets", n)
	}
	s.clean()
}

// The countdown ends while the customer's money is under way: whoever frees the seats
// has asked Stripe first, and the payer has the first word.
func TestNet_AskBeforeFree(t *testing.T) {
	s := oneShop(t)
	ada, _ := s.paid("web:ada", "A1")
	ben, open := s.paying("web:ben", "B1")
	s.pass(11 * time.Minute)
	s.must(s.Sweep(s.ctx))
	if n := s.tickets(ada); n != 1 {
		t.Errorf("paid in time, %d tickets after the sweep", n)
	}
	if err := s.sim.Pay(open.ID); err == nil {
		t.Error("Ben's seat was freed and his page still takes money")
	}
	if _, err := s.choose("web:cy", "B1"); err != nil {
		t.Errorf("Ben's seat: %v", err)
	}
	if n := s.tickets(ben); n != 0 {
		t.Errorf("Ben has %d tickets", n)
	}
	s.clean()
}

// While Stripe is silent nobody frees anything: not the sweep, not the next customer,
// not even long after the countdown and its grace.
func TestNet_SilentStripeFreesNothing(t *testing.T) {
	s := oneShop(t)
	hold, x := s.paying("web:ada", "A1")
	s.pass(20 * time.Minute)
	s.sim.SetFaults(stripesim.Faults{{Kind: stripesim.NetworkDown}})
	if err := s.Sweep(s.ctx); !errors.Is(err, domain.ErrGateway) {
		t.Errorf("sweep: %v", err)
	}
	var lost *domain.SeatConflict
	if _, err := s.choose("web:ben", "A1"); !errors.As(err, &lost) || len(lost.Paying) != 1 {
		t.Errorf("the next customer: %v", err)
	}
	s.sim.SetFaults(nil)
	s.must(s.sim.Pay(x.ID))
	if settled, err := s.Settle(s.ctx, x.ID); err != nil || settled != booking.Booked || s.tickets(hold) != 1 {
		t.Errorf("paid: %q, %v", settled, err)
	}
	s.clean()
}

// Stripe refunds and its answer is lost: asked again it is the same refund. Half of
// the money, so that Stripe would do it twice.
func TestNet_RefundOnce(t *testing.T) {
	s := oneShop(t)
	hold, session := s.paid("web:ada", "A1", "A2")
	_, err := s.Settle(s.ctx, session)
	s.must(err)
	half := int64(1000)
	booked := one[int64](s, `SELECT id FROM bookings WHERE hold_id = $1`, hold)
	first := one[int64](s, `SELECT min(id) FROM tickets WHERE booking_id = $1`, booked)
	s.must(s.CancelTickets(s.ctx, booking.Cancel{BookingID: booked, Tickets: []int64{first}, Refund: &half, Reason: "staff", By: "staff:1"}))
	refund := one[int64](s, `SELECT id FROM refunds`)
	s.sim.SetFaults(stripesim.Faults{{Kind: stripesim.DropAfter, Op: stripesim.OpCreateRefund}})
	if done, err := s.WorkRefund(s.ctx, refund); done || !errors.Is(err, domain.ErrGateway) {
		t.Errorf("answer lost: %v, %v", done, err)
	}
	s.sim.SetFaults(nil)
	if done, err := s.WorkRefund(s.ctx, refund); !done || err != nil {
		t.Errorf("asked again: %v, %v", done, err)
	}
	if n := len(s.sim.Refunds()); n != 1 {
		t.Errorf("Stripe refunded %d times", n)
	}
	s.clean()
}

// The database fails after the money was written down and before the tickets were: it
// is as if nothing had been, and the next try books.
func TestNet_MoneyWithItsOutcome(t *testing.T) {
	s := oneShop(t)
	hold, session := s.paid("web:ada", "A1")
	s.exec(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'disk full' USING ERRCODE = '53100'; END $$`)
	s.exec(`CREATE TRIGGER full_disk BEFORE INSERT ON tickets FOR EACH ROW EXECUTE FUNCTION full_disk()`)
	if settled, err := s.Settle(s.ctx, session); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("settle on a full disk: %q, %v", settled, err)
	}
	s.exec(`DROP TRIGGER full_disk ON tickets`)
	if settled, err := s.Settle(s.ctx, session); err != nil || settled != booking.Booked || s.tickets(hold) != 1 {
		t.Errorf("settle again: %q, %v, %d tickets", settled, err, s.tickets(hold))
	}
	s.clean()
}

// Somebody else's hold is not there, whatever one tries with it.
func TestNet_OnlyTheOwner(t *testing.T) {
	s := oneShop(t)
	hold, _ := s.paying("web:ada", "A1")
	for _, other := range []domain.Holder{"web:ben", "web:", ""} {
		_, look := s.Look(s.ctx, other, hold)
		_, pay := s.Pay(s.ctx, other, hold)
		_, release := s.Release(s.ctx, other, hold)
		_, back := s.Return(s.ctx, other, hold)
		for what, err := range map[string]error{"look": look, "pay": pay, "release": release, "return": back,
			"extend": s.Extend(s.ctx, other, hold), "details": s.SetDetails(s.ctx, other, hold, details())} {
			if !errors.Is(err, domain.ErrNotFound) {
				t.Errorf("%q may %s: %v", other, what, err)
			}
		}
	}
	if h, err := s.Look(s.ctx, "web:ada", hold); err != nil || h.Phase() != domain.PhasePaying || h.Extended != 0 {
		t.Errorf("Ada's own: %+v, %v", h, err)
	}
}

// Paid and not yet known when the event is cancelled: the money goes back, and no
// ticket is made for nothing.
func TestNet_CancelledEvent(t *testing.T) {
	s := oneShop(t)
	hold, session := s.paid("web:ada", "A1")
	s.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, s.ev.ID)
	settled, err := s.Settle(s.ctx, session)
	if err != nil || settled != booking.Lost || s.tickets(hold) != 0 {
		t.Errorf("settle: %q, %v, %d tickets", settled, err, s.tickets(hold))
	}
	for _, id := range one[[]int64](s, `SELECT coalesce(array_agg(id), '{}') FROM refunds`) {
		if done, err := s.WorkRefund(s.ctx, id); !done || err != nil {
			t.Errorf("refund: %v, %v", done, err)
		}
	}
	if taken, back := s.sim.Paid(s.sim.Ledger()[0].PaymentIntent); taken != back {
		t.Errorf("Stripe took %d and gave back %d", taken, back)
	}
	s.clean()
}

// A page asks for another amount than the hold was for, or names another hold: that
// money buys nothing and goes back.
func TestNet_MoneyThatDoesNotFit(t *testing.T) {
	s := oneShop(t)
	hold, session := s.paid("web:ada", "A1")
	s.exec(`UPDATE payments SET amount = amount + 500 WHERE hold_id = $1`, hold)
	if settled, err := s.Settle(s.ctx, session); err != nil || settled != booking.Refused || s.tickets(hold) != 0 {
		t.Errorf("settle: %q, %v", settled, err)
	}
	if n := one[int64](s, `SELECT sum(amount) FROM refunds`); n != 1000 {
		t.Errorf("%d goes back", n)
	}
}

// Another customer took the seats after page and grace were over: the money goes back
// and nobody's seat is touched.
func TestNet_SeatLost(t *testing.T) {
	s := oneShop(t)
	ada, session := s.paid("web:ada", "A1", "A2")
	s.pass(38 * time.Minute)
	ben, err := s.choose("web:ben", "A2", "A3")
	s.must(err)
	if settled, err := s.Settle(s.ctx, session); err != nil || settled != booking.Lost || s.tickets(ada) != 0 {
		t.Errorf("settle: %q, %v, %d tickets", settled, err, s.tickets(ada))
	}
	if h, err := s.Look(s.ctx, "web:ben", ben); err != nil || h.SeatsHeld != 2 {
		t.Errorf("Ben's hold: %+v, %v", h, err)
	}
	if n := one[int](s, `SELECT count(*) FROM event_seats WHERE state = 'held'`); n != 2 {
		t.Errorf("%d seats are held", n)
	}
	for _, id := range one[[]int64](s, `SELECT coalesce(array_agg(id), '{}') FROM refunds`) {
		if done, err := s.WorkRefund(s.ctx, id); !done || err != nil {
			t.Errorf("refund: %v, %v", done, err)
		}
	}
	s.clean()
}

// Stripe made the page, answered 500 and repeats that for a day; the page's end comes
// and no webhook does. Both the sweep and the hourly comparison end what would hang
// until tomorrow.
func TestNet_PageNobodyHeardOf(t *testing.T) {
	s := oneShop(t)
	for i, end := range []func(context.Context) error{s.Sweep, s.Reconcile} {
		seat := s.ev.Seats[i]
		hold, err := s.choose("web:ada", seat)
		s.must(err)
		s.must(s.SetDetails(s.ctx, "web:ada", hold, details()))
		s.sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailSaved, Op: stripesim.OpCreateSession, Times: 1}})
		if _, err := s.Pay(s.ctx, "web:ada", hold); !errors.Is(err, domain.ErrGateway) {
			t.Fatalf("pay: %v", err)
		}
		s.pass(36 * time.Minute)
		s.must(end(s.ctx))
		if state := one[string](s, `SELECT state FROM payments WHERE hold_id = $1`, hold); state != "closed" {
			t.Errorf("%d: the payment is %s", i, state)
		}
		if state := one[string](s, `SELECT state::text FROM event_seats WHERE event_id = $1 AND seat_no = $2`, s.ev.ID, seat); state != "available" {
			t.Errorf("%d: the seat is %s", i, state)
		}
	}
}

// A hold of a cancelled event is not sent to pay, also when its page was open already.
func TestNet_NoPageForACancelledEvent(t *testing.T) {
	s := oneShop(t)
	open, _ := s.paying("web:ada", "A1")
	fresh, err := s.choose("web:ben", "B1")
	s.must(err)
	s.must(s.SetDetails(s.ctx, "web:ben", fresh, details()))
	s.must(s.CancelEvent(s.ctx, s.ev.ID, "staff:1", "", "no projector"))
	for who, hold := range map[domain.Holder]string{"web:ada": open, "web:ben": fresh} {
		if _, err := s.Pay(s.ctx, who, hold); !errors.Is(err, domain.ErrSalesClosed) {
			t.Errorf("%s: %v", who, err)
		}
	}
}

// Staff gave the money back in Stripe's pages before the event was cancelled: the
// booking is cancelled all the same, and nothing goes back twice. When the bank then
// sends that refund back too, the audit knows whose money it is.
func TestNet_CancelAfterRefundByHand(t *testing.T) {
	s := oneShop(t)
	hold, session := s.paid("web:ada", "A1")
	_, err := s.Settle(s.ctx, session)
	s.must(err)
	line := s.sim.Ledger()[0]
	byHand, err := s.sim.DashboardRefund(line.PaymentIntent, line.Taken)
	s.must(err)
	s.must(s.Reconcile(s.ctx))
	s.must(s.CancelEvent(s.ctx, s.ev.ID, "staff:1", "", "no projector"))
	s.must(s.WorkCancelledEvent(s.ctx, s.ev.ID))
	if n := s.tickets(hold); n != 0 {
		t.Errorf("%d tickets are valid", n)
	}
	s.clean()
	s.must(s.sim.FinishRefund(byHand, false))
	s.must(s.WorkRefundNews(s.ctx, byHand, ""))
	s.clean()
}

// Two refunds of one payment that both fail: the customer's money lies here, staff are
// told, and that is no finding of the audit.
func TestNet_BothRefundsFail(t *testing.T) {
	s := oneShop(t)
	_, session := s.paid("web:ada", "A1")
	s.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, s.ev.ID)
	_, err := s.Settle(s.ctx, session)
	s.must(err)
	line := s.sim.Ledger()[0]
	byHand, err := s.sim.DashboardRefund(line.PaymentIntent, line.Taken)
	s.must(err)
	ours := one[int64](s, `SELECT id FROM refunds`)
	if done, err := s.WorkRefund(s.ctx, ours); !done || err != nil {
		t.Errorf("ours, when all is back already: %v, %v", done, err)
	}
	s.must(s.WorkRefundNews(s.ctx, byHand, ""))
	s.must(s.sim.FinishRefund(byHand, false))
	s.must(s.WorkRefundNews(s.ctx, byHand, ""))
	if failed := one[int](s, `SELECT count(*) FROM refunds WHERE state = 'failed'`); failed != 2 {
		t.Errorf("%d refunds failed", failed)
	}
	s.clean()
	s.must(s.RetryRefund(s.ctx, ours))
	if done, err := s.WorkRefund(s.ctx, ours); !done || err != nil {
		t.Errorf("asked again: %v, %v", done, err)
	}
	if taken, back := s.sim.Paid(line.PaymentIntent); taken != back {
		t.Errorf("Stripe took %d and gave back %d", taken, back)
	}
	s.clean()
}
