package main

import (
	"strings"
	"testing"
)

// The day's money is the ledger's, a seat counts once, and what a role may not open is
// not offered to it.
func TestStaffToday(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.exec(`UPDATE events SET business_day = business_day_of(now()), starts_at = now() + interval '90 minutes', ends_at = now() + interval '3 hours'`)
	sold, open := w.on(t), w.on(t)
	sold.buys(eventPath(ev.ID), "A1", "A2")
	open.choose(eventPath(ev.ID), "B1").want(303)
	w.exec(`UPDATE event_seats SET state = 'blocked' WHERE event_id = $1 AND seat_no IN ('C1', 'C2')`, ev.ID)
	w.exec(`INSERT INTO staff_tasks (kind, words, booking_id) SELECT 'mail_failed', 'No such address.', id FROM bookings`)
	w.exec(`INSERT INTO mails (kind, to_address, state, error) VALUES ('staff_note', 'x@example.com', 'failed', '550')`)

	boss := w.as(t, "manager")
	if got := boss.get(w.URL + "/staff").want(303).location; got != "/staff/today" {
		t.Errorf("staff come in at %q", got)
	}
	p := boss.get(w.URL+"/staff/today").want(200).says("2 of 32", "1 held, 2 blocked", "Online until", "A mail did not arrive", "Open booking", "1 seat, oldest")
	amounts := p.values("data-amount")
	if len(amounts) != 2 || amounts[0] != "2000" || amounts[1] != "2000" {
		t.Errorf("taken in all and online: %v, want 2000 twice", amounts)
	}
	for tile, want := range map[string]int{"Open holds": 1, "Mails failed": 1, "Refunds stuck": 0, "Online": 1} {
		if got := len(p.all("div", "data-tile", tile)); got != want {
			t.Errorf("%d tiles %q, want %d", got, tile, want)
		}
	}
	if len(p.all("a", "href", "/staff/events/"+itoa(ev.ID))) != 1 {
		t.Error("a manager is not led to the event")
	}
	if p := w.as(t, "cashier").get(w.URL + "/staff/today").want(200); len(p.all("a", "href", "/staff/events/"+itoa(ev.ID))) != 0 {
		t.Error("a cashier is led to a page that is not theirs")
	}

	// A refund of another day is that day's.
	w.exec(`INSERT INTO ledger_entries (business_day, kind, amount, currency, tender, event_id, payment_id) SELECT business_day_of(now()) + 1, 'refund', -500, 'EUR', 'stripe', event_id, id FROM payments WHERE state = 'applied'`)
	next := one[string](w, `SELECT (business_day_of(now()) + 1)::text`)
	p = boss.get(w.URL+"/staff/today?date="+next).want(200).says("Nothing is planned", "EUR 5.00 went back", "Today is")
	if amounts := p.values("data-amount"); len(amounts) != 2 || amounts[0] != "-500" || len(p.all("div", "data-tile", "Online")) != 1 {
		t.Errorf("of tomorrow: %v, the refund's channel is its payment's", amounts)
	}
	boss.get(w.URL + "/staff/today?date=tomorrow").want(422)

	// As many events as a day can have cost as many statements as one.
	w.exec(`UPDATE events SET status = 'cancelled', business_day = business_day_of(now()) - 1`)
	day := one[string](w, `SELECT (business_day_of(now()) - 1)::text`)
	if body := boss.get(w.URL + "/staff/today?date=" + day).want(200).body; !strings.Contains(body, "Cancelled") {
		t.Error("a cancelled event does not say so")
	}
}
