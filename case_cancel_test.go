package main

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/stripesim"
)

// bookingOf is the id of a buyer's booking.
func (w *world) bookingOf(b *buyer) int64 {
	w.t.Helper()
	return one[int64](w, `SELECT id FROM bookings WHERE hold_id = $1`, b.id())
}

// ticketOn is the id of the valid ticket on a seat.
func (w *world) ticketOn(event int64, seat string) string {
	w.t.Helper()
	return itoa(one[int64](w, `SELECT id FROM tickets WHERE event_id = $1 AND seat_no = $2 AND state = 'valid'`, event, seat))
}

func (w *world) file(booking int64) string { return w.URL + "/staff/bookings/" + itoa(booking) }

// cancels is a manager who cancels tickets as the pages lead: the choice, the exact
// amount, the reason.
func (b *browser) cancels(w *world, booking int64, refund string, tickets ...string) *page {
	b.t.Helper()
	p := b.get(w.file(booking)).want(200)
	f := p.form("/cancel")
	f.method, f.action = "get", "/staff/bookings/"+itoa(booking) // the button's own address
	sure := b.submit(p, f, url.Values{"ticket": tickets, "refund": {refund}}, "").want(200)
	return b.submit(sure, sure.form("/cancel"), url.Values{"reason": {"She called: ill."}}, "")
}

// onSale checks that a new visitor can take the seats this moment.
func (w *world) onSale(t *testing.T, event int64, seats ...string) {
	t.Helper()
	x := w.on(t)
	x.choose(eventPath(event), seats...).want(303)
	x.send("/release", nil).want(303)
}

// H4: whatever path a booking or a hold ends by, its seats are for sale at once.
func TestH4_CancelledSeatsAreForSaleAtOnce(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	path := eventPath(ev.ID)
	staff := w.as(t, "manager")

	t.Run("staff cancel", func(t *testing.T) {
		b := w.on(t)
		b.buys(path, "A1", "A2")
		staff.cancels(w, w.bookingOf(b), "", w.ticketOn(ev.ID, "A1"), w.ticketOn(ev.ID, "A2")).want(303)
		w.onSale(t, ev.ID, "A1", "A2")
		w.wantTickets(t, b.id())
		w.wantCount(t, 1, "bookings WHERE state = 'cancelled' AND hold_id = $1", b.id())
	})
	t.Run("unpaid, the time is over", func(t *testing.T) {
		b := w.on(t)
		b.choose(path, "B1").want(303)
		w.over(b.id())
		w.onSale(t, ev.ID, "B1")
		payer := w.on(t)
		payer.paying(path, "B2")
		w.late(payer.id(), 1) // the payment page is asked to end when somebody wants the seat
		w.on(t).seats(ev.ID, seatFields("B2")).want(303)
	})
	t.Run("the customer lets go", func(t *testing.T) {
		b := w.on(t)
		b.choose(path, "B3").want(303)
		b.send("/release", nil).want(303)
		w.onSale(t, ev.ID, "B3")
		payer := w.on(t)
		payer.paying(path, "B4")
		payer.send("/release", nil).want(303)
		w.onSale(t, ev.ID, "B4")
	})
	t.Run("event cancelled", func(t *testing.T) {
		b, holder, payer := w.on(t), w.on(t), w.on(t)
		b.buys(path, "C1", "C2")
		holder.choose(path, "C3").want(303)
		payer.paying(path, "C4")
		p := staff.get(w.URL + "/staff/events/" + itoa(ev.ID)).want(200).says("1 booking with 2 tickets")
		staff.submit(p, p.form("/cancel"), url.Values{"title": {" salt  road"}, "password": {staffPassword}, "reason": {"The projector broke."}}, "").want(303)
		w.eventually("every seat is free", `SELECT NOT EXISTS (SELECT 1 FROM event_seats WHERE event_id = $1 AND seat_no LIKE 'C%' AND state <> 'available')`, ev.ID)
		w.wantTickets(t, b.id())
		w.eventually("its page cannot be paid any more", `SELECT state = 'closed' FROM payments WHERE hold_id = $1`, payer.id())
		b.get(w.URL + path).want(200)
	})
	w.eventually("the money is back", `SELECT count(*) = 2 FROM refunds WHERE state = 'succeeded'`)
	w.clean()
}

// P10: four tickets of one payment, one is refunded: one seat free, three valid.
func TestP10_OneOfFourRefunded(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.on(t)
	mine := b.buys(eventPath(ev.ID), "A1", "A2", "A3", "A4")
	id, ticket := w.bookingOf(b), w.ticketOn(ev.ID, "A3")
	staff := w.as(t, "manager")

	p := staff.get(w.file(id)).want(200)
	staff.submit(p, p.form("/cancel"), url.Values{"reason": {"x"}}, "").want(422).says("tick at least one ticket")
	staff.submit(p, p.form("/cancel"), url.Values{"ticket": {ticket}, "reason": {" "}}, "").want(422).says("say why")
	staff.submit(p, p.form("/cancel"), url.Values{"ticket": {ticket}, "reason": {"x"}, "refund": {"40.01"}}, "").want(422).says("more than this payment has left")
	staff.submit(p, p.form("/cancel"), url.Values{"ticket": {ticket}, "reason": {"x"}, "refund": {"ten"}}, "").want(422).says("write the amount like 1,234.00")
	staff.submit(p, p.form("/cancel"), url.Values{"ticket": {"999"}, "reason": {"x"}}, "").want(422)
	w.wantCount(t, 4, "tickets WHERE state = 'valid'")
	w.wantCount(t, 0, "refunds")

	show := p.form("/cancel")
	show.method, show.action = "get", "/staff/bookings/"+itoa(id)
	sure := staff.submit(p, show, url.Values{"ticket": {ticket}}, "").want(200).says("Cancel 1 ticket, send back EUR 10.00")
	f := sure.form("/cancel")
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.RefundPending, Times: 1}})
	atOnce(5, func(int) {
		x := &browser{t: t, Client: staff.Client}
		if got := x.submit(sure, f, url.Values{"reason": {"She called: ill."}}, ""); got.status != 303 {
			t.Errorf("cancel answered %d: %s", got.status, got.text())
		}
	})
	w.wantTickets(t, b.id(), "A1", "A2", "A4")
	w.wantCount(t, 1, "event_seats WHERE seat_no = 'A3' AND state = 'available'")
	w.wantCount(t, 1, "refunds WHERE amount = 1000 AND reason = 'staff'")
	w.wantCount(t, 1, "mails WHERE kind = 'cancelled' AND booking_id = $1 AND refund_id IS NOT NULL", id)
	w.wantCount(t, 1, "audit_log WHERE action = 'cancel tickets' AND after->>'reason' = 'She called: ill.' AND actor LIKE 'staff:%'")
	w.onSale(t, ev.ID, "A3")
	w.eventually("at the bank", `SELECT state = 'pending' FROM refunds`)
	staff.submit(sure, f, url.Values{"reason": {"x"}}, "").want(303)
	staff.get(w.file(id)).want(200).says("cancelled already", "Partly cancelled", "Cancelled A3, EUR 10.00 goes back: She called: ill.")

	page := b.get(mine.url.String()).want(200).says("You are booked", "EUR 10.00 is on its way back", "Not valid", "Add to calendar")
	if got := len(page.all("img", "class", "qr")); got != 3 {
		t.Errorf("%d codes, want 3", got)
	}
	for _, ends := range []struct {
		well         bool
		state, words string
	}{{true, "succeeded", "EUR 10.00 was sent back"}, {false, "failed", "EUR 10.00 could not be sent back yet"}} {
		if err := w.Sim.FinishRefund(w.Sim.Refunds()[0].ID, ends.well); err != nil {
			t.Fatal(err)
		}
		w.eventually(ends.state, `SELECT state = $1 FROM refunds`, ends.state)
		b.get(mine.url.String()).want(200).says(ends.words)
		w.clean()
	}
	p = staff.get(w.file(id)).want(200).says("A refund failed", "expired_or_canceled_card")
	staff.submit(p, p.form("/retry"), nil, "").want(303)
	w.eventually("refunded after all", `SELECT state = 'succeeded' FROM refunds`)
	w.wantTaken(t, b.id(), 3000)
	if ics := b.get(page.resolve(mine.url.Path + "/calendar.ics")).want(200).body; strings.Contains(ics, "seat 3") || !strings.Contains(ics, "seat 4") {
		t.Errorf("the calendar names the wrong seats:\n%s", ics)
	}
	w.clean()
}

// P17: an event of 30 bookings is cancelled; Stripe refuses one refund for its balance and
// lets another fail after it had succeeded. The others are done, these wait with their
// reasons, one button finishes them, and nobody is refunded twice.
func TestP17_MassRefundResumes(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	const bookings = 30
	for _, seat := range ev.Seats[:bookings] {
		w.on(t).buys(eventPath(ev.ID), seat)
	}
	staff := w.as(t, "manager")
	address := w.URL + "/staff/events/" + itoa(ev.ID)
	p := staff.get(address).want(200).says("30 bookings with 30 tickets are cancelled")
	refused := func(status int, change url.Values, words string) {
		t.Helper()
		values := url.Values{"title": {"Salt Road"}, "password": {staffPassword}, "reason": {"The projector broke."}}
		for k, v := range change {
			values[k] = v
		}
		got := staff.submit(p, p.form("/cancel"), values, "").want(status).says(words, "Nothing was cancelled")
		if f := got.form("/cancel"); f.values.Get("password") != "" || f.values.Get("title") != values.Get("title") {
			t.Errorf("the form comes back with %v", f.values)
		}
	}
	refused(422, url.Values{"title": {"Salt"}}, "The title is not right")
	refused(422, url.Values{"password": {"wrong"}}, "The password is not right")
	refused(422, url.Values{"reason": {""}}, "A reason is missing")
	w.wantCount(t, 0, "events WHERE status = 'cancelled'")

	staff.submit(p, p.form("/cancel"), url.Values{"title": {"Salt Road"}, "password": {staffPassword}, "reason": {"The projector broke."}}, "").want(303)
	w.eventuallySim("nine refunds", func() bool { return w.asked(stripesim.OpCreateRefund) >= 9 })
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.RefundRefused, Times: 1}})
	w.eventually("one waits", `SELECT EXISTS (SELECT 1 FROM refunds WHERE state = 'requested' AND error LIKE '%balance%')`)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.RefundFailsLater, Times: 1, Delay: 100 * time.Millisecond}})
	w.eventually("28 are done, one waits, one failed", `SELECT count(*) FILTER (WHERE state = 'succeeded') = 28 AND count(*) FILTER (WHERE state = 'failed') = 1
		AND count(*) FILTER (WHERE state = 'requested') = 1 FROM refunds`)
	p = staff.get(address).want(200).says("30 of 30 bookings cancelled", "28 refunds done", "1 refund waiting", "1 refund failed",
		"balance is too low", "expired_or_canceled_card", "The projector broke.", "Manager Person")
	if got := len(p.values("data-refund")); got != 2 {
		t.Errorf("%d refunds are listed, want the two that are not done", got)
	}
	onward := p.form("/resume")
	atOnce(4, func(int) { // four people press it
		x := &browser{t: t, Client: staff.Client}
		if got := x.submit(p, onward, nil, ""); got.status != 303 {
			t.Errorf("resume answered %d: %s", got.status, got.text())
		}
	})
	w.eventually("all are done", `SELECT count(*) = $1 AND bool_and(state = 'succeeded') FROM refunds`, bookings)
	w.settledJobs()
	lines := w.Sim.Ledger()
	for _, l := range lines {
		if l.Refunded != l.Taken || l.Taken == 0 {
			t.Errorf("payment %s: taken %d, refunded %d", l.Metadata["payment_id"], l.Taken, l.Refunded)
		}
	}
	good := map[string]int{}
	for _, r := range w.Sim.Refunds() {
		if r.Status != "failed" {
			good[r.Metadata["refund_id"]]++
		}
	}
	for id, n := range good {
		if n != 1 {
			t.Errorf("refund %s was made %d times", id, n)
		}
	}
	if len(good) != bookings || len(lines) != bookings {
		t.Errorf("%d refunds of %d payments, want %d", len(good), len(lines), bookings)
	}
	w.wantCount(t, bookings, "mails WHERE kind = 'cancelled'")
	w.wantCount(t, 1, "audit_log WHERE action = 'cancel event'")
	staff.get(address).want(200).says("30 refunds done", "Nothing waits and nothing failed")
	w.on(t).get(w.URL + eventPath(ev.ID)).want(200)
	w.clean()
}

// T8: 5 × 99.00 with 22 % tax inside: tax 89.26 on every page and row; of a partial
// refund the parts add up.
func TestT8_TaxAddsUp(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.exec(`UPDATE fares SET price = 9900`)
	b := w.on(t)
	seats := []string{"A1", "A2", "A3", "A4", "A5"}
	b.choose(eventPath(ev.ID), seats...).want(303)
	review := b.details(nil).says("VAT 22 %", "EUR 89.26")
	b.paid(b.pay(review))
	id := w.bookingOf(b)
	w.wantCount(t, 1, "bookings WHERE tax = 8926 AND total = 49500")
	sums := func(valid int, back, kept int64) {
		t.Helper()
		type row struct{ Tickets, Price, Tax, Sold, SoldTax, Paid, Fees int64 }
		var r row
		text := one[string](w, `SELECT to_jsonb(x)::text FROM (SELECT count(*) AS "Tickets", sum(price) AS "Price", sum(tax) AS "Tax",
			(SELECT sum(amount) FROM ledger_entries WHERE kind IN ('sale', 'sale_reversal')) AS "Sold", (SELECT sum(tax) FROM ledger_entries WHERE kind IN ('sale', 'sale_reversal')) AS "SoldTax",
			(SELECT sum(amount) FROM ledger_entries WHERE kind IN ('payment', 'refund')) AS "Paid", (SELECT coalesce(sum(amount), 0) FROM ledger_entries WHERE kind = 'fee') AS "Fees"
			FROM tickets WHERE booking_id = $1 AND state = 'valid') x`, id)
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		tax := one[int64](w, `SELECT 8926 - coalesce(sum(tax), 0) FROM tickets WHERE state = 'cancelled'`)
		want := row{int64(valid), int64(valid) * 9900, tax, int64(valid) * 9900, tax, 49500 - back, kept}
		if r != want || r.Paid != r.Sold+r.Fees {
			t.Errorf("sums are %+v, want %+v", r, want)
		}
		w.clean()
	}
	sums(5, 0, 0)
	staff := w.as(t, "manager")
	staff.get(w.file(id)).want(200).says("with VAT EUR 89.26", "VAT EUR 17.85", "VAT EUR 17.86")
	staff.cancels(w, id, "", w.ticketOn(ev.ID, "A2")).want(303)
	sums(4, 9900, 0)
	staff.cancels(w, id, "150,5", w.ticketOn(ev.ID, "A1"), w.ticketOn(ev.ID, "A5")).want(303)
	sums(2, 24950, 4750)
	staff.get(w.file(id)).want(200).says("Kept at the cancellation", "EUR 47.50", "EUR 150.50")
	staff.cancels(w, id, "0", w.ticketOn(ev.ID, "A3"), w.ticketOn(ev.ID, "A4")).want(303)
	w.wantCount(t, 1, "ledger_entries WHERE kind = 'fee' AND amount = 19800")
	w.eventually("the money is back", `SELECT bool_and(state = 'succeeded') FROM refunds`)
	w.wantTaken(t, b.id(), 24550)
	w.clean()
}

// Money that was paid in cash waits for the hand that gives it back: no job works on it,
// no mail says that it is done, and it stays under way until staff say Done.
func TestCancel_RefundByHandWaitsForTheHand(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	page := w.on(t).buys(eventPath(ev.ID), "A1")
	w.exec(`UPDATE payments SET tender = 'cash', stripe_payment_intent_id = NULL`)
	err := w.service().CancelTickets(t.Context(), booking.Cancel{BookingID: one[int64](w, `SELECT id FROM bookings`), Reason: "customer", By: "staff:1", Words: "ill"})
	if err != nil {
		t.Fatal(err)
	}
	w.exec(`UPDATE refunds SET created_at = created_at - interval '3 days', updated_at = updated_at - interval '3 days'`)
	if err := w.service().Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.wantCount(t, 0, "river_job WHERE kind = 'refund'")
	w.wantCount(t, 1, "refunds WHERE state = 'pending'")
	w.wantCount(t, 0, "mails WHERE kind LIKE 'refund%'")
	customer := w.browser()
	customer.get(page.url.String()).want(200).says("EUR 10.00 is on its way back", "Paid at the counter, you get it there")

	boss := w.as(t, "manager")
	status := boss.get(w.URL + "/staff/status").want(200).says("to be given back by hand")
	task := one[int64](w, `SELECT id FROM staff_tasks WHERE kind = 'refund_by_hand' AND state = 'open'`)
	done := status.form("/staff/tasks/" + itoa(task) + "/done")
	for range 2 { // pressed twice
		boss.submit(status, done, url.Values{"reason": {"given in cash"}}, "").want(303)
	}
	w.wantCount(t, 1, "refunds WHERE state = 'succeeded'")
	if n := one[int64](w, `SELECT sum(amount)::bigint FROM ledger_entries WHERE kind = 'refund'`); n != -1000 {
		t.Errorf("the ledger has %d going back", n)
	}
	w.wantCount(t, 0, "staff_tasks WHERE state = 'open'")
	w.clean()
}
