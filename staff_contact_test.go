package main

import (
	"net/url"
	"strings"
	"testing"
)

// The contact of a booking is corrected and a note written: once, with its line in the
// log, the old address told, the tickets mailed to the new one; never over somebody else's.
func TestStaffContact(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.on(t)
	b.buys(eventPath(ev.ID), "A1")
	id := w.bookingOf(b)
	cashier, manager := w.as(t, "cashier"), w.as(t, "manager")
	old := one[string](w, `SELECT email FROM bookings`)
	p := cashier.get(w.file(id)).want(200).says("Correct contact or note")
	f := p.form("/contact")

	// The old address of every refused try is told nothing.
	got := cashier.submit(p, f, url.Values{"name": {" "}, "email": {"nimali"}, "phone": {"12"}, "note": {"Two cases"}}, "").want(422)
	got.says("Please give the name", "An @ is missing", "too short")
	if v := got.form("/contact").values; v.Get("email") != "nimali" || strings.TrimSpace(v.Get("note")) != "Two cases" {
		t.Errorf("what was typed is lost: %v", v)
	}
	cashier.submit(p, f, url.Values{"email": {""}}, "").want(422).says("Please give an address")
	w.wantCount(t, 0, "mails WHERE kind = 'contact_changed'")

	typed := url.Values{"name": {"Nimali Perera"}, "email": {"new@example.com"}, "phone": {"077 555 0199"}, "note": {"Two cases"}}
	atOnce(3, func(int) { cashier.submit(p, f, typed, "").want(303) })
	cashier.get(w.file(id)).want(200).says("Nimali Perera", "new@example.com", "077 555 0199", "Two cases", "name is now Nimali Perera (before: Nimali Fernando)", "The address was changed")
	w.wantCount(t, 1, "audit_log WHERE action = 'correct contact' AND before->>'email' = $1 AND after->>'note' = 'Two cases'", old)
	w.wantCount(t, 1, "mails WHERE kind = 'contact_changed' AND to_address = $1", old)
	w.wantCount(t, 1, "mails WHERE kind = 'booking_link' AND to_address = 'new@example.com'")
	w.wantCount(t, 1, "bookings WHERE revision = 2 AND staff_note = 'Two cases'")

	// The page that was open before is refused, and shows both.
	late := manager.submit(p, f, url.Values{"phone": {"077 000 0000"}}, "").want(409).says("Somebody else changed this meanwhile", "Now it is: Nimali Perera")
	w.wantCount(t, 0, "bookings WHERE phone = '077 000 0000'")
	manager.submit(late, late.form("/contact"), url.Values{"name": {"Nimali Perera"}, "email": {"new@example.com"}}, "").want(303)
	w.wantCount(t, 1, "bookings WHERE phone = '077 000 0000' AND email = 'new@example.com'")

	// Money that goes back later is told to the address as it is now.
	w.exec(`UPDATE mails SET state = 'failed', error = '550 no such person' WHERE to_address = 'new@example.com'`)
	p = cashier.get(w.file(id)).want(200)
	cashier.submit(p, p.form("/contact"), url.Values{"email": {"right@example.com"}, "mail": nil}, "").want(303)
	w.wantCount(t, 0, "mails WHERE kind = 'contact_changed' AND to_address = 'new@example.com'") // it takes no mail
	w.wantCount(t, 0, "mails WHERE kind <> 'contact_changed' AND to_address = 'right@example.com'")
	manager.post(w.file(id)+"/cancel", url.Values{"ticket": {w.ticketOn(ev.ID, "A1")}, "reason": {"ill"}, "refund": {"10"}, "shown": {"1000"}}).want(303)
	w.eventually("the refund's mail", `SELECT EXISTS (SELECT 1 FROM mails WHERE to_address = 'right@example.com' AND kind IN ('cancelled', 'refund_done'))`)
	w.as(t, "steward").post(w.file(id)+"/contact", typed).want(403)
	manager.post(w.URL+"/staff/bookings/999/contact", typed).want(404)
	w.clean()
}
