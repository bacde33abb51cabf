package main

import (
	"slices"
	"testing"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/stripesim"
)

// deaf makes Stripe unable to end payment pages, so that a page outlives its hold.
var deaf = stripesim.Faults{{Kind: stripesim.FailBefore, Op: stripesim.OpExpireSession}}

// H2: the hold on C7 ends, another buys C7, then the first payment arrives: no second
// ticket, all of it goes back by itself, one mail, one entry for staff, webhook 200.
func TestH2_LatePaymentForASoldSeat(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 4, 8)
	late, other := w.on(t), w.on(t)
	session := late.paying(eventPath(ev.ID), "C7")
	w.Sim.SetFaults(deaf)
	w.over(late.id())
	other.buys(eventPath(ev.ID), "C7")
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	w.eventually("refunded", `SELECT EXISTS (SELECT 1 FROM refunds WHERE state = 'succeeded')`)
	w.wantTickets(t, other.id(), "C7")
	w.wantTickets(t, late.id())
	w.wantTaken(t, late.id(), 0)
	w.wantTaken(t, other.id(), 1000)
	w.wantCount(t, 1, "tickets")
	w.wantCount(t, 1, "mails WHERE kind = 'seats_lost' AND to_address = 'nimali@example.com'")
	w.wantCount(t, 1, "staff_tasks WHERE kind = 'seat_lost' AND state = 'open' AND payment_id IS NOT NULL")
	w.wantCount(t, 1, "staff_tasks")
	w.wantCount(t, 1, "payments WHERE state = 'closed' AND outcome = 'seat_lost' AND received = 1000")
	w.webhooksTaken(t)

	late.state("lost")
	p := late.at("").want(200).says("All of your money", "Choose other seats")
	if got := p.values("data-amount"); !slices.Contains(got, "1000") {
		t.Errorf("the page names %v, not the money that goes back", got)
	}
	offered := p.form("/holds")
	if len(offered.values["seat"]) != 1 || offered.values["seat"][0] == "C7" {
		t.Errorf("other seats offered: %v", offered.values["seat"])
	}
	late.at("/return").want(303)
	if p := late.at("/review"); p.status != 410 || !saysMoneyBack(p) {
		t.Errorf("review of a lost hold: %d, %s", p.status, p.text())
	}
	if p := late.submit(p, offered, nil, ""); p.status != 303 {
		t.Errorf("taking the other seats: %d", p.status)
	}
	w.clean()
}

// saysMoneyBack: whoever paid must never read that nothing was charged.
func saysMoneyBack(p *page) bool {
	return slices.ContainsFunc(p.values("data-amount"), func(s string) bool { return s == "1000" })
}

// webhooksTaken checks that the program answered 200 to every webhook, the first time.
func (w *world) webhooksTaken(t *testing.T) {
	t.Helper()
	w.settled()
	for _, e := range w.Sim.Events() {
		for i, s := range e.Sends {
			if s.Status != 200 {
				t.Errorf("webhook %s, try %d: answered %d %s", e.Type, i+1, s.Status, s.Err)
			}
		}
	}
}

// H3: as H2, but nobody bought the seat: taken again and confirmed, no refund. Also
// when somebody else had it meanwhile and let it go, and when it was tidied away.
func TestH3_LatePaymentForAFreeSeat(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 4, 8)
	w.Sim.SetFaults(deaf)
	for i, c := range []struct {
		name, seat string
		meanwhile  func(late *buyer)
	}{
		{"still its own", "A1", func(*buyer) {}},
		{"free again", "A2", func(b *buyer) {
			w.exec(`UPDATE event_seats SET state = 'available', hold_id = NULL, held_until = NULL WHERE hold_id = $1`, b.id())
		}},
		{"held by another who let go", "A3", func(*buyer) {
			x := w.on(t)
			x.choose(eventPath(ev.ID), "A3").want(303)
			x.send("/release", nil).want(303)
		}},
		{"held by another who ran out", "A4", func(*buyer) {
			x := w.on(t)
			x.choose(eventPath(ev.ID), "A4").want(303)
			w.over(x.id())
		}},
	} {
		b := w.on(t)
		session := b.paying(eventPath(ev.ID), c.seat)
		w.over(b.id())
		c.meanwhile(b)
		if err := w.Sim.Pay(session); err != nil {
			t.Fatal(c.name, err)
		}
		w.eventually(c.name+": booked", `SELECT EXISTS (SELECT 1 FROM bookings WHERE hold_id = $1)`, b.id())
		w.wantTickets(t, b.id(), c.seat)
		w.wantTaken(t, b.id(), 1000)
		b.follow(b.at("")).want(200).says("You are booked")
		w.wantCount(t, i+1, "mails WHERE kind = 'tickets'")
	}
	w.webhooksTaken(t)
	w.wantCount(t, 0, "refunds")
	w.wantCount(t, 0, "staff_tasks")
	w.clean()
}

// P1: paid one second after the end: a clear end within 10 s, webhook 200.
func TestP1_PaidOneSecondLate(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	w.Sim.SetFaults(deaf)
	b := w.on(t)
	session := b.paying(eventPath(ev.ID), "B2")
	w.late(b.id(), 1)
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	paid := time.Now()
	w.eventually("an end", `SELECT state = 'converted' FROM holds WHERE id = $1`, b.id())
	if took := time.Since(paid); took > 10*time.Second {
		t.Errorf("the end came after %s", took)
	}
	b.state("booked")
	b.follow(b.at("/return").want(303)).want(200).says("You are booked")
	w.wantTickets(t, b.id(), "B2")
	w.webhooksTaken(t)
	w.clean()
}

// H9: three seats held, the program stops, time passes, it starts: sellable the moment
// the hold ended, with every job paused.
func TestH9_SellableAfterRestartWithoutJobs(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 6)
	gone, next := w.on(t), w.on(t)
	gone.choose(eventPath(ev.ID), "A1", "A2", "B3").want(303)
	w.settledJobs()
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.exec(`INSERT INTO river_queue (name, created_at, paused_at, updated_at) VALUES ('default', now(), now(), now())
		ON CONFLICT (name) DO UPDATE SET paused_at = now()`)
	before := w.count("river_job WHERE state = 'completed'")
	w.over(gone.id())
	w.start()
	next.choose(eventPath(ev.ID), "A1", "A2", "B3").want(303)
	w.wantCount(t, 3, "event_seats WHERE hold_id = $1 AND held_until > now()", next.id())
	w.wantCount(t, before, "river_job WHERE state = 'completed'")
	w.wantCount(t, 1, "holds WHERE id = $1 AND state = 'active'", gone.id())
	gone.state("ended")
	gone.at("").want(410).says("Nothing was charged")
	w.clean()
}

// settledJobs waits until the jobs that are due are done.
func (w *world) settledJobs() {
	w.t.Helper()
	w.eventually("no job is due", `SELECT NOT EXISTS (SELECT 1 FROM river_job WHERE state IN ('available', 'running') AND kind <> 'mail')`)
}

// H11: confirmed at T−1 s, tidied at T+1 s: the booking keeps its seat.
func TestH11_TidyLeavesBookings(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	paid, idle := w.on(t), w.on(t)
	session := paid.paying(eventPath(ev.ID), "A1")
	idle.choose(eventPath(ev.ID), "A2").want(303)
	w.exec(`UPDATE holds SET expires_at = now() + interval '5 seconds'`)
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	paid.at("/return").want(303)
	w.over(paid.id())
	w.over(idle.id())
	tidy(t, w)
	w.wantTickets(t, paid.id(), "A1")
	w.wantCount(t, 1, "event_seats WHERE seat_no = 'A1' AND state = 'booked'")
	w.wantCount(t, 1, "event_seats WHERE seat_no = 'A2' AND state = 'available'")
	w.wantCount(t, 1, "holds WHERE id = $1 AND state = 'released'", idle.id())
	w.wantCount(t, 1, "holds WHERE id = $1 AND state = 'converted'", paid.id())
	w.clean()
}

// tidy is a second process that cleans up.
func tidy(t *testing.T, w *world) {
	t.Helper()
	if err := booking.New(w.DB, booking.Config{}).Tidy(t.Context()); err != nil {
		t.Error(err)
	}
}

// H11 as a race: the return of a payer, the tidying and the next claimer, all at the
// moment after the end: the seat has one owner, and the payer has it or the money.
func TestH11_ConfirmAgainstTidyAndClaim(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 6)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLost}})
	booked := 0
	for _, seat := range ev.Seats[:12] {
		payer, next := w.on(t), w.on(t)
		session := payer.paying(eventPath(ev.ID), seat)
		if err := w.Sim.Pay(session); err != nil {
			t.Fatal(err)
		}
		w.over(payer.id())
		atOnce(3, func(i int) {
			switch i {
			case 0:
				payer.at("/return").want(303)
			case 1:
				tidy(t, w)
			case 2:
				next.seats(ev.ID, seatFields(seat))
			}
		})
		w.eventually("payer has an end", `SELECT state IN ('applied', 'closed') FROM payments WHERE hold_id = $1`, payer.id())
		if n := len(w.tickets(payer.id())); n == 1 {
			booked++
			w.wantTaken(t, payer.id(), price(ev.Seats, seat))
			if next.hold != "" {
				t.Errorf("%s was promised to the next claimer and sold to the payer", seat)
			}
		} else {
			w.eventually("payer's money is back", `SELECT EXISTS (SELECT 1 FROM refunds r JOIN payments p ON p.id = r.payment_id WHERE p.hold_id = $1 AND r.state = 'succeeded')`, payer.id())
			w.wantTaken(t, payer.id(), 0)
			next.state("held")
		}
		w.clean()
	}
	t.Logf("%d of 12 payers have the seat", booked)
}

// price of an adult in dbtest.Screening: the last of three rows costs half as much again.
func price(seats []string, seat string) int64 {
	if seat[0] == seats[len(seats)-1][0] {
		return 1500
	}
	return 1000
}
