package main

import (
	"net/url"
	"strings"
	"testing"
)

// till opens somebody's shift by hand.
func (w *world) till(role string) {
	w.t.Helper()
	w.exec(`INSERT INTO shifts (staff_id, currency, business_day, float_amount) SELECT id, 'EUR', current_date, 5000 FROM staff WHERE role = $1`, role)
}

// exchanges leads from the booking to the price of other seats of the same event.
func (b *browser) exchanges(w *world, booking int64, at string, tickets []string, seats ...string) *page {
	b.t.Helper()
	p := b.get(w.file(booking) + "/exchange").want(200)
	p = b.submit(p, p.form("/exchange"), url.Values{"ticket": tickets}, "at="+at).want(200)
	return b.submit(p, p.form("/exchange"), url.Values{"seat": seats}, "")
}

// payForm is the last step's form: the one that is posted.
func (p *page) payForm() *form {
	p.t.Helper()
	for _, n := range p.all("form", "", "") {
		if m, _ := attribute(n, "method"); m == "post" {
			if a, _ := attribute(n, "action"); strings.HasSuffix(a, "/exchange") {
				return formOf(n)
			}
		}
	}
	p.t.Fatalf("%s asks for no exchange:\n%s", p.url, p.text())
	return nil
}

// A card's customer gets a dearer seat for cash, then a cheaper one with the difference
// back; old and new lead to each other, the old code is red and names the new seat.
func TestExchange_DearerCheaperAndTheOldCode(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.on(t)
	b.buys(eventPath(ev.ID), "A1", "A2")
	old := w.bookingOf(b)
	first := w.ticketOn(ev.ID, "A1")
	code := w.codeOf(old, "A1")
	staff := w.as(t, "manager")
	here := itoa(ev.ID)

	q := staff.exchanges(w, old, here, []string{first}, "D1").want(200).says("Old tickets are worth", "EUR 10.00", "EUR 15.00", "To pay", "Your till is not open")
	f := q.payForm()
	staff.submit(q, f, url.Values{"reason": {"Wants to sit at the back."}}, "").want(409).says("Your till is not open", "EUR 5.00")
	w.till("manager")
	staff.submit(q, f, url.Values{"reason": {" "}}, "").want(422).says("say why")
	staff.submit(q, f, url.Values{"reason": {"x"}, "tendered": {"4"}}, "").want(422).says("less than the difference")
	w.wantCount(t, 0, "bookings WHERE exchanged_from IS NOT NULL")

	answers := make([]*page, 4)
	atOnce(len(answers), func(i int) {
		got := staff.submit(q, f, url.Values{"reason": {"Wants to sit at the back."}, "tender": {"cash"}, "tendered": {"20"}}, "")
		if got.status != 303 {
			t.Errorf("the exchange answered %d: %s", got.status, got.text())
		}
		answers[i] = got
	})
	made := answers[0]
	next := one[int64](w, `SELECT id FROM bookings WHERE exchanged_from = $1`, old)
	if !strings.HasSuffix(made.location, "/staff/bookings/"+itoa(next)) {
		t.Errorf("it leads to %s, not to booking %d", made.location, next)
	}
	staff.follow(made).says("Exchanged: these are the new tickets", "Change to give EUR 15.00", "EUR 20.00 given, EUR 15.00 change", "Exchanged from booking", "D1")
	staff.get(w.file(old)).want(200).says("Partly cancelled", "Exchanged A1 for D1: Wants to sit at the back.", "Exchanged for")
	w.wantCount(t, 1, "event_seats WHERE seat_no = 'A1' AND state = 'available'")
	w.wantCount(t, 1, "mails WHERE kind = 'tickets' AND booking_id = $1", next)
	w.on(t).get(w.URL+code).want(200).says("Not valid", "Exchanged for D1", "Open the new ticket")
	w.on(t).get(w.URL+"/bookings/"+w.token(old)).want(200).says("Exchanged for D1", "A2")
	w.as(t, "steward").get(w.URL+code).want(200).says("Exchanged", "exchanged for D1")
	w.clean()

	q = staff.exchanges(w, next, here, []string{w.ticketOn(ev.ID, "D1")}, "B1").want(200).says("To give back", "EUR 5.00", "in cash")
	staff.follow(staff.submit(q, q.payForm(), url.Values{"reason": {"Too far away."}}, "").want(303)).says("B1", "Exchanged. Hand over EUR 5.00 in cash.")
	w.wantCount(t, 1, "ledger_entries WHERE kind = 'refund' AND tender = 'cash' AND amount = -500 AND shift_id IS NOT NULL")
	w.wantCount(t, 0, `(SELECT sum(amount) FILTER (WHERE kind IN ('sale', 'sale_reversal')) AS tickets, sum(amount) FILTER (WHERE kind IN ('payment', 'refund')) AS money
		FROM ledger_entries WHERE shift_id IS NOT NULL GROUP BY shift_id) x WHERE tickets IS DISTINCT FROM money`) // a till's tickets are worth what it took
	w.on(t).get(w.URL + code).want(200).says("Exchanged for B1")
	w.clean()
}

// Within an event a ticket of the same zone and type stays at what was paid; moving needs
// one press and no till.
func TestExchange_ThePaidPriceStays(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.on(t)
	b.buys(eventPath(ev.ID), "A1", "A2")
	old := w.bookingOf(b)
	w.exec(`UPDATE fares SET price = 3000 WHERE price = 1000`)
	staff := w.as(t, "manager")
	p := staff.get(w.file(old)+"/exchange?at="+itoa(ev.ID)).want(200).says("Choose 2 seats", "Move now, at the same price")
	f := p.form("/exchange")
	if got := f.values["seat"]; len(got) != 2 {
		t.Fatalf("proposed are %v, want two", got)
	}
	f.method = "post"
	staff.submit(p, f, url.Values{"seat": {"B3", "D3"}, "reason": {"A broken seat."}}, "shown=0").want(409).says("The price changed", "EUR 15.00")
	staff.submit(p, f, url.Values{"seat": {"B3"}, "reason": {"A broken seat."}}, "shown=0").want(422).says("choose as many")
	staff.follow(staff.submit(p, f, url.Values{"seat": {"B3", "B4"}, "reason": {"A broken seat."}}, "shown=0").want(303)).says("B3", "B4", "EUR 20.00")
	w.wantCount(t, 2, "tickets WHERE state = 'valid' AND price = 1000 AND seat_no IN ('B3', 'B4')")
	w.wantCount(t, 0, "ledger_entries WHERE tender IN ('cash', 'stripe') AND kind = 'refund'")
	w.clean()
}

// Somebody takes the new seat while the difference is told: the customer keeps the old
// ones, what was typed stays, and the free seats are still ticked.
func TestExchange_ConflictKeepsEverything(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b, rival := w.on(t), w.on(t)
	b.buys(eventPath(ev.ID), "A1", "A2")
	old := w.bookingOf(b)
	staff := w.as(t, "manager")
	q := staff.exchanges(w, old, itoa(ev.ID), []string{w.ticketOn(ev.ID, "A1"), w.ticketOn(ev.ID, "A2")}, "C1", "C2").want(200).says("Nothing to pay")
	rival.choose(eventPath(ev.ID), "C2").want(303)
	got := staff.submit(q, q.payForm(), url.Values{"reason": {"Closer to the screen."}}, "").want(409).says("These seats were just taken", "C2 was taken", "C1 is still ticked")
	f := got.form("/exchange")
	if f.values.Get("reason") != "Closer to the screen." || len(f.values["seat"]) != 1 || f.values["seat"][0] != "C1" || len(f.values["ticket"]) != 2 {
		t.Errorf("kept is %v", f.values)
	}
	w.wantTickets(t, b.id(), "A1", "A2")
	w.clean()
}

// The same film later, found by day; what is checked in stays.
func TestExchange_ToAnotherEvent(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	other := w.laterShow(ev)
	b := w.on(t)
	b.buys(eventPath(ev.ID), "A1")
	old := w.bookingOf(b)
	staff := w.as(t, "manager")
	staff.get(w.file(old)+"/exchange").want(200).says("The same film at another time", "Salt Road")
	staff.get(w.file(old) + "/exchange?day=2030-13-01").want(200).says("write the day like")
	staff.get(w.file(old) + "/exchange?at=x").want(422)
	q := staff.exchanges(w, old, itoa(other), []string{w.ticketOn(ev.ID, "A1")}, "B2").want(200).says("Nothing to pay")
	f := q.payForm()
	w.exec(`UPDATE tickets SET checked_in_at = now()`)
	staff.submit(q, f, url.Values{"reason": {"x"}}, "").want(422).says("came in already")
	w.exec(`UPDATE tickets SET checked_in_at = NULL`)
	staff.follow(staff.submit(q, f, url.Values{"reason": {"A later show."}}, "").want(303)).says("B2")
	w.wantCount(t, 1, "tickets WHERE event_id = $1 AND state = 'valid' AND seat_no = 'B2'", other)
	w.on(t).get(w.URL + "/bookings/" + w.token(old)).want(200).says("Exchanged for B2, Salt Road")
	w.clean()
}

// What is shown is what is paid, by the terms that the buyer read; a step that passes
// between the two is told and nothing is cancelled.
func TestUX30_TheRefundShownIsTheRefundPaid(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.terms("48h:100,24h:50,0h:0")
	w.exec(`UPDATE events SET starts_at = now() + interval '30 hours', ends_at = now() + interval '32 hours'`)
	w.exec(`UPDATE fares SET price = 1055 WHERE price = 1000`)
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1", "A2", "A3").want(303)
	review := b.details(nil).says("If your plans change", "50 % back", "EUR 15.84", "After that", "No money back")
	b.paid(b.pay(review))
	id := w.bookingOf(b)
	w.terms("0h:10") // not what this buyer read
	w.on(t).get(w.URL+"/bookings/"+w.token(id)).want(200).says("If your plans change", "50 % back", "EUR 15.84")
	staff := w.as(t, "manager")
	look := func(ticket string) *page {
		p := staff.get(w.file(id)).want(200).says("50 % of the price")
		f := p.form("/cancel")
		f.method, f.action = "get", "/staff/bookings/"+itoa(id)
		return staff.submit(p, f, url.Values{"ticket": {ticket}}, "").want(200)
	}
	p := look(w.ticketOn(ev.ID, "A1")).says("EUR 5.28 goes back", "By the terms of this booking: 50 %", "EUR 5.27 is kept as a fee")
	staff.submit(p, p.form("/cancel"), url.Values{"reason": {"Ill."}}, "").want(303)
	w.wantCount(t, 1, "refunds WHERE amount = 528")

	p = look(w.ticketOn(ev.ID, "A2"))
	w.exec(`UPDATE events SET starts_at = now() + interval '20 hours', ends_at = now() + interval '22 hours'`)
	p = staff.submit(p, p.form("/cancel"), url.Values{"reason": {"Ill too."}}, "").want(409).says("the amount is another one now", "EUR 0.00 goes back")
	w.wantCount(t, 1, "refunds")
	staff.submit(p, p.form("/cancel"), nil, "").want(303)
	w.wantCount(t, 1, "refunds")
	w.wantCount(t, 1, "tickets WHERE state = 'valid'")
	w.clean()
}

// A split tender goes back as it came, each part named before; without a till a task keeps
// the money for the customer.
func TestStaffCancel_SplitTenderByTillOrTask(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.till("manager")
	id := w.soldAtCounter(ev.ID, "manager", map[string]string{"A1": "adult", "A2": "adult"}, 800, 1200)
	staff := w.as(t, "manager")
	look := func(seat, refund string) *page {
		p := staff.get(w.file(id)).want(200)
		f := p.form("/cancel")
		f.method, f.action = "get", "/staff/bookings/"+itoa(id)
		return staff.submit(p, f, url.Values{"ticket": {w.ticketOn(ev.ID, seat)}, "refund": {refund}}, "").want(200)
	}
	p := look("A1", "15").says("EUR 12.00 goes back on the card terminal", "EUR 3.00 in cash", "from my till")
	staff.follow(staff.submit(p, p.form("/cancel"), url.Values{"reason": {"A bad seat."}}, "").want(303)).says("Send EUR 12.00 back on the card terminal.", "Hand over EUR 3.00 in cash.")
	w.wantCount(t, 1, "refunds WHERE state = 'succeeded' AND tender = 'terminal' AND amount = 1200 AND shift_id IS NOT NULL")
	w.wantCount(t, 1, "refunds WHERE state = 'succeeded' AND tender = 'cash' AND amount = 300 AND shift_id IS NOT NULL")
	w.wantCount(t, 0, "staff_tasks")
	w.wantCount(t, 0, "mails WHERE kind = 'cancelled'") // nobody gave an address
	p = look("A2", "5")
	staff.submit(p, p.form("/cancel"), url.Values{"reason": {"By phone."}, "how": {"later"}}, "").want(303)
	w.wantCount(t, 1, "staff_tasks WHERE kind = 'refund_by_hand' AND state = 'open'")
	w.wantCount(t, 1, "refunds WHERE state = 'pending' AND amount = 500")
	w.clean()
}

// A cashier refunds and exchanges with a supervisor beside them, and the log says who
// confirmed.
func TestStaffDesk_ASupervisorConfirmsInPlace(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.till("cashier")
	id := w.soldAtCounter(ev.ID, "cashier", map[string]string{"A1": "adult", "A2": "adult"}, 2000, 0)
	manager := itoa(one[int64](w, `SELECT id FROM staff WHERE role = 'manager'`))
	staff := w.as(t, "cashier")
	p := staff.get(w.file(id)).want(200)
	f := p.form("/cancel")
	f.method, f.action = "get", "/staff/bookings/"+itoa(id)
	sure := staff.submit(p, f, url.Values{"ticket": {w.ticketOn(ev.ID, "A1")}}, "").want(200).says("A supervisor confirms", "Manager Person", "EUR 10.00 goes back")
	again := staff.submit(sure, sure.form("/cancel"), url.Values{"reason": {"A bad seat."}, "supervisor": {manager}, "supervisor_secret": {"wrong"}}, "").want(422).says("That PIN or password is not right")
	w.wantCount(t, 0, "refunds")
	if got := again.form("/cancel"); got.values.Get("reason") != "A bad seat." || got.values.Get("supervisor_secret") != "" {
		t.Errorf("kept is %v", got.values)
	}
	staff.submit(again, again.form("/cancel"), url.Values{"supervisor_secret": {staffPassword}}, "").want(303)
	w.wantCount(t, 1, "audit_log WHERE action = 'cancel tickets' AND after->>'confirmed_by' = 'staff:' || $1 AND actor <> 'staff:' || $1", manager)

	q := staff.exchanges(w, id, itoa(ev.ID), []string{w.ticketOn(ev.ID, "A2")}, "D1").want(200).says("A supervisor confirms")
	staff.submit(q, q.payForm(), url.Values{"reason": {"Better view."}}, "").want(422).says("This needs a supervisor", "EUR 5.00")
	staff.submit(q, q.payForm(), url.Values{"reason": {"Better view."}, "supervisor": {manager}, "supervisor_secret": {staffPassword}}, "").want(303)
	w.wantCount(t, 2, "audit_log WHERE action = 'exchange' AND after->>'confirmed_by' = 'staff:' || $1", manager)
	w.clean()
}

// Money of the counter that goes back with its event is not at a bank: the event's page
// and the booking's say that somebody hands it over.
func TestCancelEvent_CounterMoneyIsToHandOver(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.till("cashier")
	id := w.soldAtCounter(ev.ID, "cashier", map[string]string{"A1": "adult", "A2": "adult"}, 800, 1200)
	boss := w.as(t, "manager")
	boss.post(w.URL+"/staff/events/"+itoa(ev.ID)+"/cancel", url.Values{"title": {"Salt Road"}, "password": {staffPassword}, "reason": {"projector"}}).want(303)
	w.eventually("a task for each part", `SELECT count(*) = 2 FROM staff_tasks WHERE kind = 'refund_by_hand' AND state = 'open'`)
	for _, at := range []string{w.URL + "/staff/events/" + itoa(ev.ID), w.file(id)} {
		p := boss.get(at).want(200).says("To hand over", "EUR 8.00", "EUR 12.00")
		if strings.Contains(strings.ToLower(p.text()), "at the bank") {
			t.Errorf("%s says that cash is at the bank", at)
		}
	}
	boss.get(w.URL + "/staff/events/" + itoa(ev.ID)).says("2 refunds to hand over at the counter")
	boss.get(w.file(id)).says("Sold at the counter")
	w.clean()
}
