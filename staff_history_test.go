package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// moments are the lines of a booking's history: what and who.
func moments(p *page) (out []string) {
	for _, n := range p.all("ol", "class", "history") {
		for li := range n.Descendants() {
			if li.Type == html.ElementNode && li.Data == "li" {
				var words []string
				for c := range li.Descendants() {
					if c.Type == html.TextNode && c.Parent.Data != "time" {
						words = append(words, strings.TrimSpace(c.Data))
					}
				}
				out = append(out, strings.Join(words, " | "))
			}
		}
	}
	return out
}

// A booking's whole life stands in one line of time: what the customer did, what came by
// itself and what staff changed, each with who.
func TestStaffBookingHistory(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.exec(`UPDATE events SET time_zone = 'Asia/Colombo'`)
	c := w.on(t)
	c.choose(eventPath(ev.ID), "A1", "A2").want(303)
	c.paid(c.pay(c.details(url.Values{"name": {"Nimali"}, "email": {"nimali@example.com"}})))
	id := w.bookingOf(c)
	ticket := w.ticketOn(ev.ID, "A2")
	boss := w.as(t, "manager")
	boss.post(w.URL+"/staff/bookings/"+itoa(id)+"/passenger", url.Values{"ticket": {ticket}, "passenger": {"Ada"}}).want(303)
	w.exec(`UPDATE tickets SET checked_in_at = now() WHERE seat_no = 'A1'`)
	w.exec(`UPDATE mails SET state = 'failed', error = '550 no such user' WHERE kind = 'tickets'`)
	p := boss.get(w.URL+"/staff/bookings/"+itoa(id)).want(200).says("History", "Colombo time")
	got := moments(p)
	want := []string{
		"Seats held, EUR 20.00 | The customer", "Went to pay EUR 20.00 | The customer", "EUR 20.00 came in, paid online | Stripe", "Booked, tickets made | The program",
		"Mail queued: the tickets, to nimali@example.com: 550 no such user | The program", "named Ada | Manager Person", "checked in | The program",
	}
	at := 0
	for _, x := range want {
		i := slices.IndexFunc(got[at:], func(s string) bool { return strings.Contains(s, x) })
		if i < 0 {
			t.Fatalf("%q is not in the history, or out of order:\n%s", x, strings.Join(got, "\n"))
		}
		at += i
	}
	when := one[string](w, `SELECT to_char(created_at AT TIME ZONE 'Asia/Colombo', 'FMDy FMDD Mon, HH24:MI:SS') FROM bookings`)
	if !strings.Contains(p.body, when) {
		t.Errorf("the place's clock, %s, is not on the page", when)
	}
	w.exec(`INSERT INTO audit_log (actor, action, subject, after) VALUES ('staff:' || (SELECT id FROM staff WHERE role = 'steward'), 'check in', 'booking:' || $1::bigint, '{"seat":"A1"}')`, id)
	got = moments(boss.get(w.URL + "/staff/bookings/" + itoa(id)))
	if n := len(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return !strings.Contains(s, "checked in") })); n != 1 {
		t.Errorf("a check-in that the door wrote stands %d times:\n%s", n, strings.Join(got, "\n"))
	}
}
