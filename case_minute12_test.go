package main

import (
	"slices"
	"testing"

	"holdfast/internal/stripesim"
)

// P23: the session lives 35 minutes, the hold 10. What happens at minute 12 to somebody
// who has the payment page open: whoever asks first, our code ends the session.
func TestP23_MinuteTwelve(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 8)
	for _, c := range []struct {
		name, seat string
		end        func(t *testing.T, late *buyer)
	}{
		{"the next claimer asks", "A1", func(t *testing.T, late *buyer) {}},
		{"the job at the countdown's end", "A2", func(t *testing.T, late *buyer) {
			w.exec(`UPDATE river_job SET state = 'available', scheduled_at = now() WHERE kind = 'end_payment' AND state = 'scheduled'`)
			w.eventually("the job closed it", `SELECT state = 'closed' FROM payments WHERE hold_id = $1`, late.id())
		}},
		{"the sweep at a start", "A3", func(t *testing.T, late *buyer) {
			if err := w.stop(); err != nil {
				t.Fatal(err)
			}
			w.leaderless()
			w.start()
			w.eventually("the sweep closed it", `SELECT state = 'closed' FROM payments WHERE hold_id = $1`, late.id())
		}},
		{"Stripe does it and answers 500 once", "A4", func(t *testing.T, late *buyer) {
			w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailAfter, Op: stripesim.OpExpireSession, Times: 1}})
		}},
		{"Stripe's own clock ended it", "A5", func(t *testing.T, late *buyer) {
			if err := w.Sim.Expire(w.session(t, late.id()).ID); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		late, next := w.on(t), w.on(t)
		session := late.paying(eventPath(ev.ID), c.seat)
		w.late(late.id(), 120)
		c.end(t, late)
		next.seats(ev.ID, seatFields(c.seat)).want(303)
		if s, _ := w.Sim.Session(session); s.Status != "expired" {
			t.Errorf("%s: session is %s", c.name, s.Status)
		}
		if w.Sim.Pay(session) == nil {
			t.Errorf("%s: the old page still takes money", c.name)
		}
		late.at("").want(410).says("Nothing was charged")
		late.send("/pay", nil).want(410)
		w.wantCount(t, 1, "event_seats WHERE seat_no = $1 AND hold_id = $2", c.seat, next.id())
		if t.Failed() {
			t.Fatal(c.name)
		}
	}
	w.clean()
}

// leaderless lets the next start work the periodic jobs at once: a killed or stopped
// leader's lease is over.
func (w *world) leaderless() {
	w.t.Helper()
	w.exec(`UPDATE river_leader SET expires_at = now() - interval '1 second'`)
}

// P23, Stripe does not answer: the seats stay with their payer, the newcomer reads
// "being paid for right now"; when Stripe is back the payer's page still works.
func TestP23_StripeSilent(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	late, next := w.on(t), w.on(t)
	session := late.paying(eventPath(ev.ID), "A1", "A2")
	w.late(late.id(), 120)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.NetworkDown}})
	p := next.seats(ev.ID, seatFields("A2", "A3")).refusal([]string{"A2"}, "A3")
	p.says("payment page open for A2", "Nothing is held and nothing was charged")
	w.wantCount(t, 2, "event_seats WHERE hold_id = $1 AND state = 'held' AND held_until > now() + interval '20 minutes'", late.id())
	w.wantCount(t, 0, "holds WHERE id <> $1", late.id())
	w.wantCount(t, 1, "payments WHERE state = 'open'")
	if s, _ := w.Sim.Session(session); s.Status != "open" {
		t.Fatalf("session is %s", s.Status)
	}
	w.Sim.SetFaults(deaf) // it answers, but the page lives on
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	late.follow(late.at("/return").want(303)).want(200).says("You are booked")
	w.wantTickets(t, late.id(), "A1", "A2")
	w.clean()
}

// P23, a Stripe that takes for ever: the newcomer is answered after two seconds and not
// after Stripe's own time.
func TestP23_SlowStripeIsBounded(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	late, next := w.on(t), w.on(t)
	late.paying(eventPath(ev.ID), "A1")
	w.late(late.id(), 120)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.Slow, Op: stripesim.OpExpireSession, Delay: 5e9}})
	next.seats(ev.ID, seatFields("A1")).refusal([]string{"A1"}).says("payment page open for A1")
	w.wantCount(t, 1, "event_seats WHERE hold_id = $1 AND state = 'held'", late.id())
	w.Sim.SetFaults(nil)
	next.seats(ev.ID, seatFields("A1")).want(303)
	w.clean()
}

// P23, paid in time though nobody told us: the newcomer's question finds the money, the
// payer is booked, the newcomer is told that the seat is gone.
func TestP23_PaidInTime(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLost}})
	payer, next := w.on(t), w.on(t)
	session := payer.paying(eventPath(ev.ID), "B1", "B2")
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	w.late(payer.id(), 120)
	next.seats(ev.ID, seatFields("B2", "B3")).refusal([]string{"B2"}, "B3")
	w.wantTickets(t, payer.id(), "B1", "B2")
	payer.state("booked")
	w.wantTaken(t, payer.id(), 3000)
	if got := next.get(w.URL + eventPath(ev.ID)).want(200).boxes(); slices.Contains(got, "B1") {
		t.Error("a sold seat is offered")
	}
	w.wantCount(t, 1, "mails WHERE kind = 'tickets'")
	w.clean()
}

// P4: paid, the browser closed, the webhook lost for ever: booked by the sweep, mailed once.
func TestP4_WebhookLostForEver(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLost}})
	b := w.on(t)
	if err := w.Sim.Pay(b.paying(eventPath(ev.ID), "A1")); err != nil {
		t.Fatal(err)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.exec(`UPDATE payments SET created_at = now() - interval '3 minutes'`)
	w.leaderless()
	w.start()
	w.eventually("booked by the sweep", `SELECT EXISTS (SELECT 1 FROM bookings)`)
	w.wantTickets(t, b.id(), "A1")
	w.wantCount(t, 1, "mails")
	w.clean()
}
