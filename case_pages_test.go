package main

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// The rows of the contract about pages, headers and machines.

func TestContract_CrossSite(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1").want(303)
	for _, header := range []map[string]string{
		{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"},
	} {
		header["Content-Type"] = formType
		for _, path := range []string{eventPath(ev.ID) + "/holds", eventPath(ev.ID) + "/best", b.hold + "/details", b.hold + "/pay", b.hold + "/extend", b.hold + "/release", "/find"} {
			p := b.ask("POST", w.URL+path, "seat=A2&quantity=1", header)
			if p.status != 403 {
				t.Errorf("POST %s with %v: %d", path, header, p.status)
			}
		}
		if p := b.ask("GET", w.URL+b.hold, "", header); p.status != 200 {
			t.Errorf("a link from elsewhere (%v): %d", header, p.status)
		}
	}
	b.state("held")
	w.wantCount(t, 1, "event_seats WHERE state = 'held'")
	for _, header := range []map[string]string{{"Sec-Fetch-Site": "same-origin"}, {"Origin": w.URL}, {"Sec-Fetch-Site": "none"}} {
		header["Content-Type"] = formType
		b.ask("POST", w.URL+b.hold+"/extend", "", header).want(303)
	}
}

func TestContract_NotFoundAndMethods(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 2)
	b := w.browser()
	for _, path := range []string{"/nothing", "/events/0", "/events/999999", "/events/1x", "/events/01", "/events/-1", "/events/", "/events", "/events/99999999999999999999",
		"/events/999999/seats?v=1", "/bookings/abc", "/bookings/abc/calendar.ics", "/t/abc", "/holds/", "/films/1/poster", "/films/999/poster", "/metrics", "/stripesim/", "/demo/outbox"} {
		if p := b.get(w.URL + path); p.status != 404 {
			t.Errorf("GET %s: %d", path, p.status)
		}
	}
	for _, path := range []string{"/events/999999/holds", "/events/999999/best"} {
		b.post(w.URL+path, seatFields("A1")).want(404)
	}
	for _, c := range [][2]string{{"POST", "/"}, {"DELETE", eventPath(ev.ID)}, {"POST", eventPath(ev.ID)}, {"POST", eventPath(ev.ID) + "/seats"}, {"GET", eventPath(ev.ID) + "/holds"},
		{"PUT", "/find"}, {"POST", "/healthz"}, {"DELETE", "/readyz"}, {"POST", "/version"}, {"GET", "/hooks/stripe"}, {"PATCH", "/bookings/x"}, {"POST", "/t/x"}} {
		p := b.ask(c[0], w.URL+c[1], "", nil)
		if p.status != 405 || p.header.Get("Allow") == "" {
			t.Errorf("%s %s: %d, Allow %q", c[0], c[1], p.status, p.header.Get("Allow"))
		}
	}
	w.exec(`UPDATE events SET status = 'draft'`)
	b.get(w.URL + eventPath(ev.ID)).want(404)
	b.get(w.URL + eventPath(ev.ID) + "/seats?v=1").want(404)
	b.post(w.URL+eventPath(ev.ID)+"/holds", seatFields("A1")).want(404)
	for _, path := range []string{"/healthz", "/readyz", "/version"} {
		if p := b.get(w.URL + path).want(200); !strings.HasPrefix(p.header.Get("Content-Type"), "application/json") {
			t.Errorf("%s is %s", path, p.header.Get("Content-Type"))
		}
	}
}

// Sales close before the start, and before departure at each boarding stop of a trip.
func TestContract_SalesClosed(t *testing.T) {
	t.Parallel()
	var hall, trip dbtest.Event
	w := newWorld(t, func(d *db.DB) { hall, trip = dbtest.Screening(t, d, 1, 4), dbtest.Trip(t, d, 3, 3) }, nil)
	early := w.on(t)
	early.choose(eventPath(hall.ID), "A1").want(303)
	w.exec(`UPDATE events SET starts_at = now() + interval '9 minutes' WHERE id = $1`, hall.ID)
	b := w.on(t)
	p := b.get(w.URL + eventPath(hall.ID)).want(200).says("closed")
	if len(p.boxes()) > 0 || len(p.all("form", "action", eventPath(hall.ID)+"/holds")) > 0 {
		t.Error("the form is there after the close")
	}
	b.seats(hall.ID, seatFields("A2")).want(422).says("closed")
	b.post(w.URL+eventPath(hall.ID)+"/best", url.Values{"quantity": {"1"}}).want(422)
	early.paid(early.pay(early.details(nil))) // held before the close: can be finished
	w.wantTickets(t, early.id(), "A1")

	w.exec(`UPDATE event_stops SET departs_at = now() + interval '9 minutes' WHERE event_id = $1 AND stop_no = 0`, trip.ID)
	w.exec(`UPDATE event_stops SET departs_at = now() + interval '11 minutes' WHERE event_id = $1 AND stop_no = 1`, trip.ID)
	for _, c := range []struct {
		ride string
		open bool
	}{{"?from=0&to=3", false}, {"?from=0&to=1", false}, {"", false}, {"?from=1&to=3", true}, {"?from=2&to=3", true}} {
		p := b.get(w.URL + eventPath(trip.ID) + c.ride).want(200)
		if got := len(p.boxes()) > 0; got != c.open {
			t.Errorf("%q: form there: %v, want %v", c.ride, got, c.open)
		}
	}
	b.seats(trip.ID, url.Values{"seat": {"1A"}, "from": {"0"}, "to": {"3"}}).want(422)
	b.seats(trip.ID, url.Values{"seat": {"1A"}, "from": {"1"}, "to": {"3"}}).want(303)
	w.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, trip.ID)
	b.get(w.URL + eventPath(trip.ID)).want(200).says("cancelled")
	b.seats(trip.ID, url.Values{"seat": {"2A"}, "from": {"1"}, "to": {"3"}}).want(422)
}

// from ≥ to, unknown and forbidden stops on the seat page, which stays usable.
func TestContract_Stops(t *testing.T) {
	t.Parallel()
	var trip dbtest.Event
	w := newWorld(t, func(d *db.DB) { trip = dbtest.Trip(t, d, 3, 3) }, nil)
	w.exec(`UPDATE event_stops SET may_alight = false WHERE event_id = $1 AND stop_no = 2`, trip.ID)
	b := w.browser()
	for _, q := range []string{"?from=2&to=1", "?from=1&to=1", "?from=0&to=9", "?from=-1&to=2", "?from=x&to=2", "?from=1", "?to=2", "?from=0&to=2", "?from=99999999999999999999&to=1"} {
		for _, path := range []string{eventPath(trip.ID) + q, eventPath(trip.ID) + "/seats" + q + "&v=1"} {
			if p := b.get(w.URL + path); p.status != 422 {
				t.Errorf("%s: %d", path, p.status)
			}
		}
	}
	p := b.get(w.URL + eventPath(trip.ID) + "?from=1&to=3").want(200)
	f := p.form("/holds")
	if f.values.Get("from") != "1" || f.values.Get("to") != "3" || len(f.boxes) != 12 {
		t.Errorf("form: %v, %d boxes", f.values, len(f.boxes))
	}
	whole := b.get(w.URL + eventPath(trip.ID)).want(200)
	if f := whole.form("/holds"); f.values.Get("from") != "0" || f.values.Get("to") != "3" {
		t.Errorf("without stops: %v", f.values)
	}
	stops := whole.form(eventPath(trip.ID)) // a GET form of two selects
	again := b.submit(whole, stops, url.Values{"from": {"1"}, "to": {"3"}}, "").want(200)
	if stops.method != "get" || again.url.RawQuery != "from=1&to=3" {
		t.Errorf("stops form: %s, leads to %s", stops.method, again.url)
	}
}

// The poll: 204 while nothing changed, then the changed seats alone.
func TestContract_SeatUpdates(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 5, 6)
	watcher, buyer := w.on(t), w.on(t)
	p := watcher.get(w.URL + eventPath(ev.ID)).want(200)
	v := p.values("data-v")
	if len(v) != 1 || strings.Trim(v[0], "0123456789") != "" {
		t.Fatalf("data-v: %v", v)
	}
	poll := func(v string) *page { return watcher.get(w.URL + eventPath(ev.ID) + "/seats?v=" + v) }
	poll(v[0]).want(204)
	buyer.choose(eventPath(ev.ID), "B2", "B3").want(303)
	changed := poll(v[0]).want(200)
	for _, no := range []string{"B2", "B3"} {
		if !strings.Contains(changed.body, no) {
			t.Errorf("the change does not speak of %s: %s", no, changed.body)
		}
	}
	if strings.Contains(changed.body, "C5") || strings.Contains(changed.body, "<html") {
		t.Errorf("more than the change: %s", changed.body)
	}
	newer := changed.values("data-v")
	if len(newer) != 1 || newer[0] == v[0] {
		t.Fatalf("data-v of the change: %v", newer)
	}
	poll(newer[0]).want(204)
	poll("1").want(200) // a version nobody knows: everything
	poll("x").want(200)
	buyer.send("/release", nil).want(303)
	poll(newer[0]).want(200)
	poll(v[0]).want(204) // the same picture as in the beginning
	w.over(w.held(t, ev.ID, "A1"))
	poll(v[0]).want(204) // an ended hold of somebody else is free, with no job having run
}

// held is a hold by somebody.
func (w *world) held(t *testing.T, event int64, seats ...string) string {
	t.Helper()
	b := w.on(t)
	b.choose(eventPath(event), seats...).want(303)
	return b.id()
}

// The find page gives one answer, whatever it knows.
func TestContract_FindIsNeutral(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	b := w.on(t)
	ref := b.buys(eventPath(ev.ID), "A1").values("data-reference")[0]
	neutral := ""
	for _, c := range []struct{ ref, email string }{
		{ref, "nimali@example.com"}, {strings.ToLower(strings.ReplaceAll(ref, "-", "")), "NIMALI@example.com"}, {ref, "else@example.com"},
		{"ZZZ-ZZZ", "nimali@example.com"}, {"nonsense", "else@example.com"},
	} {
		p := w.browser().post(w.URL+"/find", url.Values{"reference": {c.ref}, "email": {c.email}}).want(200)
		text := strings.NewReplacer(c.ref, "REF", c.email, "MAIL").Replace(p.body)
		if neutral != "" && text != neutral {
			t.Errorf("the answer for %v differs:\n%s\n%s", c, text, neutral)
		}
		neutral = text
	}
	w.wantCount(t, 1, "mails WHERE kind = 'booking_link'") // asked for twice in five minutes
	w.wantCount(t, 1, "mails WHERE kind = 'booking_link' AND to_address = 'nimali@example.com'")
}

// Every page keeps to itself.
func TestContract_Headers(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1").want(303)
	for _, path := range []string{"/", eventPath(ev.ID), b.hold, b.hold + "/clock", "/nothing", "/find", "/healthz"} {
		h := b.get(w.URL + path).header
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "strict-origin-when-cross-origin", "Cross-Origin-Opener-Policy": "same-origin", "Strict-Transport-Security": ""} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		csp := h.Get("Content-Security-Policy")
		if !strings.Contains(csp, "form-action 'self' https://checkout.stripe.com "+w.simURL+";") || !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: CSP %s", path, csp)
		}
		if h.Get("Permissions-Policy") == "" || h.Get("X-Request-Id") == "" || strings.Contains(h.Get("Server"), "Go") {
			t.Errorf("%s: %v", path, h)
		}
	}
	if got := b.get(w.URL + b.hold).header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("a hold may be kept: %q", got)
	}
}

// The cookie is __Host- and Secure exactly when BASE_URL is https, and there is none for
// people who only look.
func TestContract_Cookies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, name string
		secure     bool
	}{{"", "holdfast_visitor", false}, {"https://tickets.example.org", "__Host-holdfast_visitor", true}} {
		var ev dbtest.Event
		env := map[string]string{}
		if c.base != "" {
			env["BASE_URL"] = c.base
		}
		w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 1, 4) }, env)
		if got := w.on(t).get(w.URL + eventPath(ev.ID)).header.Values("Set-Cookie"); len(got) != 0 {
			t.Errorf("looking sets %v", got)
		}
		p := w.on(t).seats(ev.ID, seatFields("A1")).want(303)
		cookies := (&http.Response{Header: p.header}).Cookies()
		if len(cookies) != 1 {
			t.Fatalf("cookies %v", cookies)
		}
		k := cookies[0]
		if k.Name != c.name || k.Secure != c.secure || !k.HttpOnly || k.SameSite != http.SameSiteLaxMode || k.Path != "/" || k.Domain != "" || len(k.Value) < 22 {
			t.Errorf("cookie %s", k.Raw)
		}
		if got := p.header.Get("Strict-Transport-Security") != ""; got != c.secure {
			t.Errorf("HSTS: %v", got)
		}
		if stored := one[string](w, `SELECT holder FROM holds`); strings.Contains(stored, k.Value) {
			t.Error("the visitor's number stands in the database as it is")
		}
		if n := one[int](w, `SELECT count(*) FROM sessions`); n != 0 {
			t.Errorf("%d sessions were made for somebody who only buys", n)
		}
	}
}

// The booking's page says where the mail with the tickets is, and never keeps anybody
// from the tickets; one that did not arrive can be sent again.
func TestBookingPageSaysWhereTheMailIs(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() // takes connections and says nothing: the mail stays queued
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 2, 8); set(t, d, "phone", "081 555 0142") }, map[string]string{
		"SMTP_URL": "smtp://" + silent.Addr().String() + "?tls=none", "MAIL_FROM": "tickets@example.com"})
	b := w.on(t)
	p := b.buys(eventPath(ev.ID), "A1").says("You are booked", "Paid. Your tickets are below; the mail to", "is on its way")
	to := one[string](w, `SELECT to_address FROM mails WHERE kind = 'tickets'`)
	p.says("the mail to " + to + " is on its way")
	if p.has("/mail") {
		t.Error("a mail on its way can be sent again")
	}
	look := func() *page { return b.get(p.url.String()).want(200) }

	w.exec(`UPDATE mails SET state = 'sent', sent_at = '2026-03-01T12:34Z'`)
	look().says("Tickets were sent to " + to + " at 12:34, UTC")
	b.post(p.url.String()+"/mail", nil).want(303)
	w.wantCount(t, 1, "mails WHERE state = 'sent'") // what arrived is not sent again

	w.exec(`UPDATE mails SET state = 'failed', error = '550 no such user', sent_at = NULL`)
	failed := look().says("Paid. Your tickets are below", "The mail to "+to+" did not arrive", "below and valid", "Please call 081 555 0142")
	if strings.Contains(failed.text(), "550") {
		t.Error("the customer sees the server's words")
	}
	b.follow(b.submit(failed, failed.form("/mail"), nil, "").want(303)).says("is on its way")
	w.wantCount(t, 1, "mails WHERE kind = 'tickets' AND state = 'queued'")
	b.post(w.URL+"/bookings/nonsense/mail", nil).want(404)

	w.exec(`DELETE FROM mails`) // sold without an address
	if text := look().text(); strings.Contains(text, "mail") && !strings.Contains(text, "Find my booking") {
		t.Errorf("a booking without an address speaks of mail: %s", text)
	}
	w.exec(`INSERT INTO mails (kind, booking_id, to_address, state) SELECT 'tickets', id, email, 'failed' FROM bookings`)
	w.exec(`UPDATE bookings SET state = 'cancelled'`)
	if look().says("This booking was cancelled").has("/mail") {
		t.Error("a cancelled booking's tickets can be mailed")
	}
}

// With mail off the page tells people to keep its link.
func TestBookingPageWithMailOff(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	w.on(t).buys(eventPath(ev.ID), "A1").says("We cannot send mail at the moment", "keep this page’s link")
}
