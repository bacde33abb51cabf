package main

import (
	"context"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/stripesim"
)

// P12: no key, or one that Stripe refuses: 10.00 cannot be paid, a 503 page in words,
// the seats kept, a warning in the log of the start; never a ticket.
func TestP12_NoOrBrokenKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, key, warning string
	}{
		{"no key", "", "online payment is off"},
		{"broken key", testKey, "STRIPE_SECRET_KEY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			strict := simWithKey(t, "sk_test_another")
			var ev dbtest.Event
			w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 1, 4) }, map[string]string{"STRIPE_SECRET_KEY": c.key, "STRIPE_API_URL": strict})
			waitLog(t, w, c.warning)
			b := w.on(t)
			b.choose(eventPath(ev.ID), "A1", "A2").want(303)
			b.details(nil)
			p := b.send("/pay", nil).want(503).says("Your seats are still held, and nothing was charged")
			if got := p.values("data-seat"); !slices.Contains(got, "A1") || !slices.Contains(got, "A2") {
				t.Errorf("the page names %v", got)
			}
			b.at("").want(200)
			if s := b.clock().State; s != "held" && s != "paying" {
				t.Errorf("after a refused payment the hold is %s", s)
			}
			b.at("/return").want(303)
			w.wantCount(t, 0, "tickets")
			w.wantCount(t, 0, "bookings")
			w.wantCount(t, 2, "event_seats WHERE hold_id = $1 AND held_until > now()", b.id())
			w.clean()
		})
	}
}

// simWithKey is a Stripe that accepts one key alone.
func simWithKey(t *testing.T, key string) string {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	address := "http://" + srv.Listener.Addr().String()
	sim := stripesim.New(stripesim.Options{BaseURL: address, Key: key})
	srv.Config.Handler = sim
	srv.Start()
	t.Cleanup(func() {
		srv.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = sim.Close(ctx)
	})
	return address
}

// waitLog polls the program's log for a warning: the key is tried beside the start.
func waitLog(t *testing.T, w *world, words string) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for line := range strings.SplitSeq(w.logs.tail(1<<20), "\n") {
			if strings.Contains(line, `"WARN"`) && strings.Contains(line, words) {
				return
			}
		}
	}
	t.Errorf("no warning with %q in the log of the start", words)
}

// P15: a total of 0.00 is booked without Stripe, also without any key.
func TestP15_FreeTickets(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		ev = dbtest.Screening(t, d, 1, 4)
		if _, err := d.Pool().Exec(t.Context(), `UPDATE fares SET price = 0 WHERE ticket_type = 'child'`); err != nil {
			t.Fatal(err)
		}
	}, map[string]string{"STRIPE_SECRET_KEY": "", "STRIPE_WEBHOOK_SECRETS": ""})
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1", "A2").want(303)
	review := b.details(url.Values{"type.A1": {"child"}, "type.A2": {"child"}})
	answers := [3]*page{}
	atOnce(3, func(i int) { answers[i] = b.submit(review, review.form("/pay"), nil, "") })
	for _, p := range answers {
		if p.want(303); !strings.HasPrefix(p.location, "/bookings/") {
			t.Errorf("sent to %s", p.location)
		}
	}
	b.get(w.URL + answers[0].location).want(200).says("You are booked")
	w.wantTickets(t, b.id(), "A1", "A2")
	w.wantCount(t, 1, "payments WHERE tender = 'free' AND state = 'applied'")
	w.wantCount(t, 1, "mails WHERE kind = 'tickets'")
	if n := w.asked(stripesim.OpCreateSession); n != 0 {
		t.Errorf("%d calls to Stripe", n)
	}
	w.clean()
}

// P24: two tabs press Pay: the same session. P25: five clicks in 200 ms with a Stripe
// that takes its time: one session, five redirects to it.
func TestP24_TwoTabs(t *testing.T)    { t.Parallel(); pressPay(t, 2, 0) }
func TestP25_FiveClicks(t *testing.T) { t.Parallel(); pressPay(t, 5, 2*time.Second) }

func pressPay(t *testing.T, clicks int, slow time.Duration) {
	w, ev := cinema(t, 1, 4)
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1").want(303)
	review := b.details(nil)
	if slow > 0 {
		w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.Slow, Op: stripesim.OpCreateSession, Delay: slow}})
	}
	answers := make([]*page, clicks)
	atOnce(clicks, func(i int) { answers[i] = b.submit(review, review.form("/pay"), nil, "") })
	sessions := w.Sim.Sessions()
	if len(sessions) != 1 {
		t.Fatalf("%d sessions", len(sessions))
	}
	for i, p := range answers {
		if p.status != 303 || p.location != sessions[0].URL {
			t.Errorf("click %d: %d to %s", i+1, p.status, p.location)
		}
	}
	again := b.send("/pay", nil).want(303) // a tab that comes later
	if again.location != sessions[0].URL {
		t.Errorf("later click goes to %s", again.location)
	}
	w.wantCount(t, 1, "payments")
	b.state("paying")
	b.paid(b.get(sessions[0].URL).want(200))
	w.wantTickets(t, b.id(), "A1")
	w.wantTaken(t, b.id(), 1000)
	if p := b.send("/pay", nil).want(303); !strings.HasPrefix(p.location, "/bookings/") {
		t.Errorf("paid already: sent to %s", p.location)
	}
	w.clean()
}

// P25 again: the browser gives up the first click when the second comes, as browsers do.
func TestP25_AbandonedClick(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1").want(303)
	b.details(nil)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.Slow, Op: stripesim.OpCreateSession, Delay: time.Second}})
	ctx, giveUp := context.WithCancel(t.Context())
	first := make(chan struct{})
	go func() {
		defer close(first)
		b.cancelled(ctx, w.URL+b.hold+"/pay")
	}()
	w.eventuallySim("Stripe is asked", func() bool { return w.asked(stripesim.OpCreateSession) > 0 })
	giveUp()
	<-first
	p := b.send("/pay", nil).want(303)
	if got := w.session(t, b.id()).URL; p.location != got {
		t.Errorf("sent to %s, the session is at %s", p.location, got)
	}
	w.wantCount(t, 1, "payments")
	w.clean()
}

// P27: the customer changes seats, expire answers "not open", the session is paid: the
// change is refused and the booking of the old seats shown.
func TestP27_ChangeAfterPaying(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLost}})
	for _, c := range []struct {
		name string
		act  func(b *buyer, taken string) *page
		seat string
	}{
		{"other seats", func(b *buyer, s string) *page { return b.post(w.URL+eventPath(ev.ID)+"/holds", seatFields(s, "A4")) }, "A1"},
		{"ticket type", func(b *buyer, s string) *page {
			return b.send("/details", url.Values{"name": {"N"}, "email": {"n@example.com"}, "type." + s: {"child"}})
		}, "A2"},
		{"release", func(b *buyer, s string) *page { return b.send("/release", nil) }, "A3"},
		{"best seats", func(b *buyer, s string) *page {
			return b.post(w.URL+eventPath(ev.ID)+"/best", url.Values{"quantity": {"2"}})
		}, "B1"},
	} {
		b := w.on(t)
		if err := w.Sim.Pay(b.paying(eventPath(ev.ID), c.seat)); err != nil {
			t.Fatal(err)
		}
		p := c.act(b, c.seat).want(303)
		if !strings.HasPrefix(p.location, "/bookings/") {
			t.Errorf("%s: sent to %s, not to the booking", c.name, p.location)
		}
		b.follow(p).want(200).says("You are booked")
		w.wantTickets(t, b.id(), c.seat)
		w.wantTaken(t, b.id(), price(ev.Seats, c.seat))
	}
	w.wantCount(t, 0, "event_seats WHERE state = 'held'")
	w.clean()
}

// Changing seats while the page is open and unpaid closes the page first.
func TestP27_ChangeBeforePaying(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	b := w.on(t)
	old := b.paying(eventPath(ev.ID), "A1")
	hold := b.hold
	b.choose(eventPath(ev.ID), "A2").want(303)
	if b.hold != hold {
		t.Errorf("hold became %s", b.hold)
	}
	if w.Sim.Pay(old) == nil {
		t.Fatal("the page of the old choice still takes money")
	}
	b.paid(b.pay(b.details(nil)))
	w.wantTickets(t, b.id(), "A2")
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.NetworkDown}})
	w.clean()
}

// A change while Stripe is silent: "being paid for right now" about one's own page; seats
// and page stay.
func TestP27_ChangeWhileStripeIsSilent(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	b := w.on(t)
	session := b.paying(eventPath(ev.ID), "A1")
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.NetworkDown}})
	b.post(w.URL+eventPath(ev.ID)+"/holds", seatFields("A2")).want(409).says("being paid for right now")
	b.send("/release", nil).want(503)
	w.wantCount(t, 1, "event_seats WHERE seat_no = 'A1' AND hold_id = $1", b.id())
	w.wantCount(t, 1, "event_seats WHERE state = 'held'")
	w.Sim.SetFaults(nil)
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	w.eventually("booked", `SELECT EXISTS (SELECT 1 FROM bookings)`)
	w.wantTickets(t, b.id(), "A1")
	w.clean()
}
