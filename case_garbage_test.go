package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// goTalk is what must never reach a reader: words of Go, pgx or PostgreSQL.
var goTalk = []string{"strconv", "invalid syntax", "sqlstate", "pgx", "pq:", "goroutine", "runtime error", "nil pointer", "invalid memory", "invalid byte", "unexpected eof",
	"domain.", "sql: ", "context deadline", "no rows", "unmarshal", "out of range", "value too long"}

// sane: no 5xx, no Go error text, and words of ours where something is refused.
func (p *page) sane(what string) {
	p.t.Helper()
	if p.status >= 500 {
		p.t.Errorf("%s: %d %.300s", what, p.status, p.text())
	}
	body := strings.ToLower(p.body)
	for _, words := range goTalk {
		if strings.Contains(body, words) {
			p.t.Errorf("%s: the answer says %q: %.300s", what, words, p.text())
		}
	}
	if strings.Contains(p.body, "<script>alert") {
		p.t.Errorf("%s: input comes back unescaped", what)
	}
}

var nasty = []string{
	"", "\x00", "a\x00b", "\xff\xfe\xfd", "\x1b[31m\r\nSet-Cookie: a=b", "'; DROP TABLE holds; --", "<script>alert(1)</script>", "%s%n{{.}}", "../../etc/passwd",
	"-1", "9223372036854775807", "99999999999999999999999", "1e9", "１２", "\u202e👩‍👩‍👧‍👦", strings.Repeat("ä", 4000),
}

func TestContract_GarbageInPaths(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1").want(303)
	for _, n := range nasty {
		e := url.PathEscape(n)
		if len(e) > 25000 {
			continue // Go's own server refuses longer ones
		}
		for _, path := range []string{"/events/" + e, "/events/" + e + "/seats", "/holds/" + e, "/holds/" + e + "/clock", "/holds/" + e + "/return", "/bookings/" + e, "/bookings/" + e + "/calendar.ics", "/t/" + e, "/films/" + e + "/poster", "/" + e} {
			p := b.get(w.URL + path)
			p.sane("GET " + path)
			if p.status == 200 && e != "" && e != "%20" {
				t.Errorf("GET %s: 200", path)
			}
		}
		for _, path := range []string{"/events/" + e + "/holds", "/events/" + e + "/best", "/holds/" + e + "/pay", "/holds/" + e + "/details", "/holds/" + e + "/release"} {
			b.post(w.URL+path, seatFields("A1")).sane("POST " + path)
		}
	}
	b.state("held")
}

func TestContract_GarbageInFields(t *testing.T) {
	t.Parallel()
	var hall, trip dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		hall, trip = dbtest.Screening(t, d, 2, 4), dbtest.Trip(t, d, 2, 3)
		set(t, d, "kind", "both")
	}, nil)
	b := w.on(t)
	for _, n := range nasty {
		q := url.QueryEscape(n)
		if len(q) < 25000 {
			for _, path := range []string{"/?date=" + q, "/?origin=" + q + "&destination=" + q, "/?origin=1&destination=2&date=" + q, eventPath(trip.ID) + "?from=" + q + "&to=" + q, eventPath(trip.ID) + "?from=0&to=" + q,
				eventPath(hall.ID) + "/seats?v=" + q, eventPath(trip.ID) + "/seats?v=1&from=" + q + "&to=2"} {
				b.get(w.URL + path).sane("GET " + path)
			}
		}
		for _, f := range []url.Values{{"seat": {n}}, {"seat": {"A1", n}}, {"seat": {"A1"}, "from": {n}, "to": {n}}, {"seat": {"A1"}, "from": {"0"}, "to": {n}}} {
			b.post(w.URL+eventPath(hall.ID)+"/holds", f).sane(fmt.Sprint("holds ", f))
		}
		for _, f := range []url.Values{{"quantity": {n}}, {"quantity": {"2"}, "zone": {n}}, {"quantity": {"1"}, "accessible": {n}, "apart": {n}}, {"quantity": {"1"}, "from": {n}, "to": {n}}} {
			b.post(w.URL+eventPath(hall.ID)+"/best", f).sane(fmt.Sprint("best ", f))
		}
		b.post(w.URL+"/find", url.Values{"reference": {n}, "email": {n}}).sane(fmt.Sprintf("find %q", n))
	}
	x := w.on(t)
	x.choose(eventPath(trip.ID)+"?from=0&to=2", "1A", "1B").want(303)
	for _, n := range nasty {
		for _, f := range []url.Values{{"name": {n}, "email": {n}, "phone": {n}, "type.1A": {n}, "passenger.1A": {n}, "passenger.1B": {n}},
			{"name": {n}, "email": {"a@example.com"}, "type." + n: {"adult"}, "passenger." + n: {n}, "passenger.1A": {"A"}, "passenger.1B": {"B"}},
			{"name": {"N"}, "email": {n + "@example.com"}, "passenger.1A": {n}, "passenger.1B": {"B"}}, {n: {n}}} {
			x.send("/details", f).sane(fmt.Sprintf("details %q", f))
		}
		x.at("").sane("hold page")
		x.at("/review?back=" + url.QueryEscape(n)).sane("review")
	}
	x.pay(x.details(nil)) // and it still works
	w.clean()
}

// Bodies that are too much, too many or no form at all.
func TestContract_GarbageBodies(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1").want(303)
	many := strings.Repeat("seat=A2&", 5000)
	for _, path := range []string{eventPath(ev.ID) + "/holds", eventPath(ev.ID) + "/best", b.hold + "/details", b.hold + "/pay", "/find"} {
		for _, c := range []struct {
			name, body, kind string
		}{
			{"10,000 seats", strings.Repeat("seat=A2&", 10000), formType},
			{"5,000 times one seat", many[:40000], formType},
			{"3,000 unknown seats", strings.Repeat("seat=Q9&seat=Q8&", 3000), formType},
			{"bad escapes", "seat=%zz&%=%&name=%c3%28", formType},
			{"semicolons", "a;b;c=d", formType},
			{"JSON", `{"seat":["A1"]}`, "application/json"},
			{"binary", string([]byte{0, 1, 2, 255}), "application/octet-stream"},
			{"broken multipart", "--x\r\nContent-Disposition: form-data; name=\"seat\"\r\n\r\nA1", "multipart/form-data; boundary=x"},
			{"no type", "seat=A1", ""},
			{"2 MB", strings.Repeat("x", 2<<20), formType},
		} {
			p := b.ask("POST", w.URL+path, c.body, map[string]string{"Content-Type": c.kind})
			p.sane(c.name + " to " + path)
			if len(c.body) > 64<<10 && path != b.hold+"/pay" && p.status != 413 {
				t.Errorf("%s to %s: %d, want 413", c.name, path, p.status)
			}
		}
	}
	w.wantCount(t, 1, "holds WHERE state = 'active'")
	w.clean()
}
