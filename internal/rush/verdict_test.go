package rush

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/apptest"
)

// checks are what the verdict looks at, in the order of its table.
var checks = []struct {
	name string
	look func(*world) []string // what is wrong
}{
	{"nothing unfinished", (*world).unfinished},
	{"no seat twice", func(w *world) []string { return apptest.NoSeatTwice(w.t, w.db) }},
	{"seats are the tickets'", (*world).seatsMatch},
	{"Stripe's ledger is ours", func(w *world) []string { return apptest.LedgersAgree(w.t, w.db, w.stripe.sim) }},
	{"nobody paid for nothing", func(w *world) []string { return apptest.EverybodyServed(w.t, w.db, w.stripe.sim) }},
	{"audit", func(w *world) []string { return apptest.Audit(w.t, w.bin, w.env) }},
	{"seats or a clear no", (*world).everybodyKnows},
	{"what people were shown", (*world).shownStays},
	{"every mail left", (*world).mailsLeft},
	{"nobody beside suffered", (*world).besideIsWell},
	{"paying customers' p95", (*world).payingIsQuick},
	{"memory", (*world).small},
	{"periodic jobs once", (*world).periodicOnce},
	{"what one sells all show", (*world).convergence},
	{"no orphan seats", (*world).noOrphans}, // last: it holds what is left
}

// judge gives the verdict. The program must run and all must have come to rest.
func (w *world) judge() (found []finding) {
	for _, c := range checks {
		for _, words := range c.look(w) {
			found = append(found, finding{c.name, words})
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return append(w.findings[:len(w.findings):len(w.findings)], found...) // answers, process, migrations: seen on the way
}

// unfinished says what has not come to rest.
func (w *world) unfinished() []string { return apptest.Unfinished(w.t, w.db) }

// seatsMatch compares seat by seat and leg by leg what is booked with the valid tickets.
func (w *world) seatsMatch() (bad []string) {
	for _, x := range w.ask(`SELECT coalesce(s.event_id, t.event_id)::text, coalesce(s.seat_no, t.seat_no), coalesce(s.booking_id::text, 'no booking'), coalesce(t.booking_id::text, 'no ticket')
		FROM (SELECT event_id, seat_no, leg, booking_id FROM event_seats WHERE state = 'booked') s
		FULL JOIN (SELECT t.event_id, t.seat_no, l.leg, t.booking_id FROM tickets t JOIN ticket_legs l ON l.ticket_id = t.id WHERE t.state = 'valid') t
		  ON t.event_id = s.event_id AND t.seat_no = s.seat_no AND t.leg = s.leg
		WHERE s.booking_id IS DISTINCT FROM t.booking_id`) {
		bad = append(bad, "event, seat, seat's booking, ticket's booking: "+strings.Join(x, " "))
	}
	return bad
}

var (
	soldOut  = regexp.MustCompile(`are sold or held|sold out|sales (are )?closed`)
	waitLine = regexp.MustCompile(`(?i)in line|your turn|waiting room`)
)

func (b *browser) booked() bool {
	return b.last != nil && b.last.Status == http.StatusOK && strings.HasPrefix(b.last.URL.Path, "/bookings/") && len(b.last.Values("data-ticket")) > 0
}

// words are those of the person's last page.
func (b *browser) words() string {
	if b.last == nil {
		return "no page at all"
	}
	return b.last.Words()
}

// settledNo is the clear no that the person's last page says, "" when it says none.
func (b *browser) settledNo() string {
	if b.last == nil {
		return ""
	}
	words := b.last.Words()
	switch {
	case b.last.Status == http.StatusConflict && len(b.last.Values("data-lost")) > 0:
		return "just taken"
	case b.last.Status == http.StatusConflict && strings.Contains(words, "Very busy"):
		return "busy"
	case b.last.Status == http.StatusServiceUnavailable && len(words) >= 40:
		return "refused for now"
	case b.last.Status == http.StatusGone:
		return "time is over"
	case soldOut.MatchString(words):
		return "sold out"
	case waitLine.MatchString(words):
		return "in line"
	case b.left:
		return "went away"
	}
	return ""
}

// everybodyKnows: each person ends with tickets, or with a page that says no.
func (w *world) everybodyKnows() (bad []string) {
	ends := map[string]int{}
	for _, b := range w.browsers {
		switch no := b.settledNo(); {
		case b.booked():
			ends["tickets"]++
		case no != "":
			ends[no]++
		case b.last == nil:
			bad = append(bad, fmt.Sprintf("browser %d (%s) never saw a page", b.n, b.kind))
		default:
			bad = append(bad, fmt.Sprintf("browser %d (%s) ends at %s (%d): %.200s", b.n, b.kind, routeOf("GET", b.last.URL.Path), b.last.Status, b.last.Words()))
		}
	}
	w.ends = ends
	return bad[:min(len(bad), 10)]
}

// shownStays: a booking that somebody was shown is there with the same number of tickets.
func (w *world) shownStays() (bad []string) {
	b := w.browser(len(w.browsers))
	for path, tickets := range w.shown {
		p, err := b.send(w.t.Context(), http.MethodGet, w.url+path, nil)
		if err != nil {
			bad = append(bad, err.Error())
		} else if n := len(p.Values("data-ticket")); n != tickets || n == 0 {
			bad = append(bad, fmt.Sprintf("a booking with %d tickets is now answered %d with %d", tickets, p.Status, n))
		}
	}
	return bad
}

// mailsLeft: what is noted as sent was taken by the mail server, once.
func (w *world) mailsLeft() (bad []string) {
	for _, x := range w.ask(`SELECT id::text, kind FROM mails WHERE state = 'sent'`) {
		id, _ := strconv.ParseInt(x[0], 10, 64) // it is a number in the database
		if n := w.mail.Took(id); n < 1 || n > 1 && !w.p.kill {
			bad = append(bad, fmt.Sprintf("mail %s (%s) was taken %d times", x[0], x[1], n))
		}
	}
	return bad
}

// besideIsWell: the event beside has seats for all its customers; each has tickets, was
// never refused and never waited.
func (w *world) besideIsWell() (bad []string) {
	for _, b := range w.browsers {
		if b.calm && !b.booked() {
			bad = append(bad, fmt.Sprintf("browser %d has no tickets: %.200s", b.n, b.words()))
		}
	}
	own, _ := w.measure(func(r request) bool { return w.beside(r) })
	if got := own.at(0.95); got > w.p.p95 {
		bad = append(bad, fmt.Sprintf("p95 of their requests is %s", got.Round(time.Millisecond)))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.requests {
		if w.beside(r) && r.refused {
			bad = append(bad, r.route+" was refused")
		}
	}
	return bad[:min(len(bad), 10)]
}

func (w *world) beside(r request) bool {
	return r.browser < len(w.browsers) && w.browsers[r.browser].calm
}

// paying says whether the request is of somebody who got tickets for the event that opened.
func (w *world) paying(r request) bool {
	return r.browser < len(w.browsers) && !w.browsers[r.browser].calm && w.browsers[r.browser].booked()
}

func (w *world) payingIsQuick() []string {
	own, _ := w.measure(w.paying)
	if got := own.at(0.95); len(own) == 0 || got > w.p.p95 {
		return []string{fmt.Sprintf("of %d requests p95 is %s", len(own), got.Round(time.Millisecond))}
	}
	return nil
}

func (w *world) small() (bad []string) {
	for _, x := range w.processes {
		if most := x.most(); w.p.memory > 0 && most > w.p.memory {
			bad = append(bad, fmt.Sprintf("%s had %.0f MB", x.url(), most))
		}
	}
	return bad
}

// noOrphans: when the time of all holds is over, every seat without a ticket can be had:
// each process offers exactly those, and strangers can take them all.
func (w *world) noOrphans() (bad []string) {
	w.allTimeIsOver()
	for _, e := range []int64{w.hot.ID, w.calmOne.ID} {
		left, _ := strconv.Atoi(w.ask(`SELECT count(*)::text FROM event_seats s WHERE event_id = $1
			AND NOT EXISTS (SELECT 1 FROM tickets t WHERE t.event_id = s.event_id AND t.seat_no = s.seat_no AND t.state = 'valid')`, e)[0][0])
		for _, x := range w.processes {
			if n := w.offers(x, e, left); n != left {
				bad = append(bad, fmt.Sprintf("%s offers %d seats of event %d, and %d have no ticket", x.url(), n, e, left))
			}
		}
		if e == w.hot.ID {
			bad = append(bad, w.takeAll(left)...)
		}
	}
	return bad
}

func (w *world) allTimeIsOver() {
	w.exec(`UPDATE holds SET expires_at = now() - interval '3 minutes' WHERE state = 'active'`)
	w.exec(`UPDATE event_seats SET held_until = now() - interval '1 second' WHERE state = 'held'`)
}

// offers is how many seats a stranger finds on a process's page, when it has had the time
// to show all that are wanted.
func (w *world) offers(x *process, event int64, wanted int) int {
	b := w.browser(len(w.browsers))
	for end := time.Now().Add(w.p.converge); ; pause(w.t.Context(), 50*time.Millisecond) { // polling
		b.open(w.t.Context(), fmt.Sprintf("%s/events/%d", x.url(), event))
		if len(b.offer) == wanted || time.Now().After(end) {
			return len(b.offer)
		}
	}
}

// takeAll holds what is left of the event that opened, four seats a stranger.
func (w *world) takeAll(all int) (bad []string) {
	left := all
	for n := 0; left > 0; n++ {
		b := w.browser(len(w.browsers) + 10 + n)
		if b.open(w.t.Context(), b.seatPage()); len(b.offer) == 0 {
			return append(bad, fmt.Sprintf("%d seats without a ticket are not on offer", left))
		}
		f := b.last.Form("/holds")
		f.Values["seat"] = b.offer[:min(4, len(b.offer))]
		broken := w.count("reloaded after a broken answer")
		if b.submit(w.t.Context(), f); b.hold == "" && w.count("reloaded after a broken answer") > broken && n < 200 {
			w.allTimeIsOver() // the first answer was lost, and with it the cookie: its hold has no owner
			left = all
			continue
		}
		if b.hold == "" {
			return append(bad, fmt.Sprintf("%q cannot be held: %.300s", f.Values["seat"], b.words()))
		}
		left -= len(f.Values["seat"])
	}
	return bad
}
