package main

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// behind is a world behind one proxy with two screenings of 4 × 10 and these settings.
func behind(t *testing.T, settings ...string) (w *world, one, two dbtest.Event) {
	t.Helper()
	w = newWorld(t, func(d *db.DB) {
		hire(t, d)
		one, two = dbtest.Screening(t, d, 4, 10), dbtest.Screening(t, d, 4, 10)
		for i := 0; i < len(settings); i += 2 {
			set(t, d, settings[i], settings[i+1])
		}
	}, map[string]string{"TRUSTED_PROXY_HOPS": "1"})
	return w, one, two
}

// forwarded is what a proxy adds to each request.
type forwarded struct {
	address string
	http.RoundTripper
}

func (f forwarded) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-Forwarded-For", "192.0.2.66, "+f.address) // the first was sent by the visitor and is not believed
	return f.RoundTripper.RoundTrip(r)
}

// from is a buyer with cookies of their own behind an address.
func (w *world) from(t *testing.T, address string) *buyer {
	b := w.on(t)
	b.Transport = forwarded{address, b.Transport}
	return b
}

// notAllowed is a refused choice: nothing of it is held, all of it is still ticked, and
// nothing is said of seats that were not asked for.
func (p *page) notAllowed(code string, seats ...string) *page {
	p.t.Helper()
	p.want(422).says("Nothing was changed and nothing was charged")
	if got := p.ticked(); !slices.Equal(got, seats) {
		p.t.Errorf("%s: ticked are %v, want %v", code, got, seats)
	}
	if got := p.lost(); len(got) > 0 {
		p.t.Errorf("%s names %v as lost", code, got)
	}
	return p
}

// Whoever has set nothing has no limit by address and no pause, and no address is kept.
func TestLimits_OffByDefault(t *testing.T) {
	t.Parallel()
	w, ev, _ := behind(t)
	for i := range 5 {
		b := w.from(t, "203.0.113.7")
		mine := ev.Seats[8*i : 8*i+8]
		b.choose(eventPath(ev.ID), mine...).want(303)
		b.send("/release", nil).want(303)
		b.choose(eventPath(ev.ID), mine...).want(303)
		b.choose(eventPath(ev.ID), mine[1:]...).want(303)
		b.choose(eventPath(ev.ID), mine...).want(303)
	}
	w.wantCount(t, 0, "holds WHERE address_key IS NOT NULL")
	w.wantCount(t, 0, "seats_let_go")
	w.clean()
}

// Bookings at a time from one connection: below, at and above the number; what ends in
// whatever way makes room; another connection has its own.
func TestLimits_HoldsPerAddress(t *testing.T) {
	t.Parallel()
	w, ev, other := behind(t, "holds_per_address", "2")
	const address = "203.0.113.7"
	a, b, c := w.from(t, address), w.from(t, address), w.from(t, address)
	a.choose(eventPath(ev.ID), "A1").want(303)
	b.choose(eventPath(other.ID), "A1").want(303)
	p := c.choose(eventPath(ev.ID), "B1", "B2").notAllowed("holds", "B1", "B2")
	p.says("Too many seats for one connection", "From your connection 2 bookings are under way already, with 2 seats held", "finish it or let it go", "Or try again at ", "UTC")
	p.form("/holds")
	b.choose(eventPath(ev.ID), "B1").notAllowed("the third of a visitor who has one", "B1")
	a.choose(eventPath(ev.ID), "A1", "A2", "A3").want(303) // one's own booking may grow
	w.from(t, "203.0.113.8").choose(eventPath(ev.ID), "D1").want(303)

	b.send("/release", nil).want(303)
	c.choose(eventPath(ev.ID), "B1", "B2").want(303)
	b.choose(eventPath(ev.ID), "C1").notAllowed("full again", "C1")
	a.paid(a.pay(a.details(nil)))
	b.choose(eventPath(ev.ID), "C1").want(303) // a paid booking counts no more
	d := w.from(t, address)
	d.seats(ev.ID, seatFields("C5")).notAllowed("full", "C5")
	w.late(c.id(), 1)
	d.choose(eventPath(ev.ID), "C5").want(303) // a hold that ran out neither

	w.wantCount(t, 0, "holds WHERE address_key IS NOT NULL AND state <> 'active'")
	w.wantCount(t, 2, "(SELECT address_key FROM holds WHERE address_key IS NOT NULL GROUP BY 1) x")
	w.wantCount(t, 0, "holds WHERE holds::text LIKE '%203.0.113%'")
	w.clean()
}

// Seats at a time from one connection, whichever events they are for. The visitor is told
// how many are held there, and of no other seat.
func TestLimits_SeatsPerAddress(t *testing.T) {
	t.Parallel()
	w, ev, other := behind(t, "seats_per_address", "6")
	a, b := w.from(t, "2001:db8:1:2::aa"), w.from(t, "2001:db8:1:2:ffff::bb") // one customer's network
	a.choose(eventPath(ev.ID), "A1", "A2", "A3").want(303)
	b.choose(eventPath(other.ID), "D7", "D8", "D9", "D10").notAllowed("one too many", "D7", "D8", "D9", "D10").
		says("From your connection 3 seats are held already, and at one time it can be 6.")
	b.choose(eventPath(other.ID), "D7", "D8").want(303)
	b.choose(eventPath(other.ID), "D7", "D8", "D9").want(303) // exactly the number
	p := b.choose(eventPath(other.ID), "D6", "D7", "D8", "D9")
	p.want(422).says("From your connection 3 seats are held already")
	for _, alert := range p.all("", "role", "alert") {
		if words := textOf(alert); strings.Contains(words, "A1") || strings.Contains(words, "A2") {
			t.Errorf("the refusal tells what somebody else chose: %s", words)
		}
	}
	w.from(t, "2001:db8:1:3::bb").choose(eventPath(ev.ID), "C1", "C2", "C3", "C4", "C5", "C6").want(303)
	w.from(t, "198.51.100.9").choose(eventPath(ev.ID), "B1", "B2", "B3", "B4", "B5", "B6", "B7").want(422).
		says("That is too many", "From one internet connection 6 seats can be held at one time. You chose 7.")

	w.clean()
}

// Seats at a time of one visitor, over all events and wherever they are.
func TestLimits_SeatsPerVisitor(t *testing.T) {
	t.Parallel()
	w, ev, other := behind(t, "seats_per_visitor", "5", "live_holds_per_visitor", "5")
	b := w.from(t, "203.0.113.7")
	b.choose(eventPath(ev.ID), "A1", "A2", "A3", "A4", "A5", "A6").want(422).says("That is too many", "Nothing was charged", "At one time you can hold 5 seats. You chose 6.")
	b.choose(eventPath(ev.ID), "A1", "A2").want(303)
	first := b.hold
	b.Transport = forwarded{"203.0.113.99", b.Transport.(forwarded).RoundTripper} // on another network now
	b.choose(eventPath(other.ID), "A1", "A2", "A3", "A4").notAllowed("4 and 2", "A1", "A2", "A3", "A4").
		says("You hold other seats already", "You are holding 2 seats for other bookings already, and at one time it can be 5", "Or try again at ")
	b.choose(eventPath(other.ID), "A1", "A2", "A3").want(303)
	b.choose(eventPath(other.ID), "A1", "A2", "A3", "A4").want(422)
	w.from(t, "203.0.113.99").choose(eventPath(ev.ID), "B1", "B2", "B3", "B4", "B5").want(303)
	w.late(strings.TrimPrefix(first, "/holds/"), 1)
	b.choose(eventPath(other.ID), "A1", "A2", "A3", "A4", "A5").want(303)
	w.wantCount(t, 0, "holds WHERE address_key IS NOT NULL") // nothing counted addresses
	w.clean()
}

// A seat that a visitor let go is for others first; their own again after the pause.
func TestLimits_PauseAfterLettingGo(t *testing.T) {
	t.Parallel()
	w, ev, _ := behind(t, "rehold_pause_seconds", "60")
	b, other := w.from(t, "203.0.113.7"), w.from(t, "203.0.113.7")
	b.choose(eventPath(ev.ID), "A1", "A2", "A3").want(303)
	b.send("/release", nil).want(303)
	b.choose(eventPath(ev.ID), "A1", "B1").notAllowed("paused", "A1", "B1").
		says("Not yours again just yet", "You had A1 until a moment ago", "Please choose others, or try again in ", " seconds")
	b.submit(b.at("").want(410), b.at("").form("/holds"), nil, "").want(422).says("A1, A2 and A3") // the page of the hold that was let go
	b.choose(eventPath(ev.ID), "B1").want(303)                                                     // another seat
	other.choose(eventPath(ev.ID), "A1").want(303)                                                 // another visitor, at once

	// Dropped from a choice is let go as well; what is kept is not.
	b.choose(eventPath(ev.ID), "B1", "B2").want(303)
	b.choose(eventPath(ev.ID), "B2").want(303)
	b.choose(eventPath(ev.ID), "B2").want(303) // the same again
	b.choose(eventPath(ev.ID), "B1", "B2").want(422).says("You had B1 until")
	b.choose(eventPath(ev.ID), "B2", "B3").want(303)

	// Best seats are looked for among the others.
	best := b.post(w.URL+eventPath(ev.ID)+"/best", url.Values{"quantity": {"8"}}).want(303)
	w.wantCount(t, 0, "event_seats WHERE hold_id = $1 AND seat_no IN ('A1', 'A2', 'A3', 'B1')", strings.TrimPrefix(best.location, "/holds/"))

	w.exec(`UPDATE seats_let_go SET let_go_at = let_go_at - interval '61 seconds'`)
	b.choose(eventPath(ev.ID), "A2", "A3", "B1").want(303)
	w.clean()
}

// The end of a hold is no letting go: the same seats again, or those of them that are
// left, are always to be had. Mixed with others they wait.
func TestLimits_NoPauseAfterAnEnd(t *testing.T) {
	t.Parallel()
	w, ev, _ := behind(t, "rehold_pause_seconds", "60")
	b := w.from(t, "203.0.113.7")
	b.choose(eventPath(ev.ID), "A1", "A2").want(303)
	again := func(seats ...string) {
		t.Helper()
		ended := b.at("").want(410)
		b.seats(ev.ID, ended.form("/holds").values).want(303)
		w.wantCount(t, len(seats), "event_seats WHERE hold_id = $1 AND seat_no = ANY($2)", b.id(), seats)
	}
	w.late(b.id(), 5) // in its grace
	again("A1", "A2")
	w.over(b.id()) // past it, and the sweep not there yet
	w.late(b.id(), 5)
	again("A1", "A2")
	w.late(b.id(), 5) // released by the visitor's own click on the ended page: nothing was let go
	b.send("/release", nil).want(303)
	again("A1", "A2")

	w.late(b.id(), 5)
	b.choose(eventPath(ev.ID), "A2", "C1").notAllowed("mixed", "A2", "C1").says("You had A2 until a moment ago")
	b.choose(eventPath(ev.ID), "C1", "C2").want(303)
	b.send("/release", nil).want(303)
	b.choose(eventPath(ev.ID), "A2").want(303) // what is left of it
	w.exec(`UPDATE holds SET expires_at = expires_at - interval '61 seconds'`)
	b.choose(eventPath(ev.ID), "A2", "B1").want(303) // and after the pause mixed as well
	w.clean()
}

// A burst from one connection passes no more than the number, however many come at once.
func TestLimits_BurstFromOneAddress(t *testing.T) {
	t.Parallel()
	w, ev, _ := behind(t, "holds_per_address", "3", "seats_per_address", "5")
	const n = 20
	answers, buyers := make([]*page, n), make([]*buyer, n)
	for i := range n {
		buyers[i] = w.from(t, "203.0.113.7")
	}
	atOnce(n, func(i int) { answers[i] = buyers[i].seats(ev.ID, seatFields(ev.Seats[2*i:2*i+2]...)) })
	got := map[int]int{}
	for _, a := range answers {
		got[a.status]++
	}
	if got[303] != 2 || got[422] != n-2 { // two of two seats each: a third would be six
		t.Errorf("answers: %v", got)
	}
	w.wantCount(t, 4, "event_seats WHERE state = 'held'")
	w.clean()
}

// Staff sell from one connection all day and are never counted.
func TestLimits_NotForStaff(t *testing.T) {
	t.Parallel()
	w, ev, _ := behind(t, "holds_per_address", "1", "seats_per_address", "1", "seats_per_visitor", "1", "rehold_pause_seconds", "60")
	w.today(ev.ID)
	clerk := w.as(t, "cashier")
	for range 3 {
		p, f := clerk.offers(w, "n.adult=2")
		clerk.submit(p, f, url.Values{"label": {"caller"}, "until": {"30"}}, "act=hold").want(303)
	}
	w.wantCount(t, 3, "holds WHERE channel = 'counter' AND state = 'active' AND address_key IS NULL")
	w.on(t).choose(eventPath(ev.ID), "D10").want(303) // the same machine's first customer
	w.clean()
}

// The owner's page has the keys, in words that say why they are off.
func TestLimits_OwnersPage(t *testing.T) {
	t.Parallel()
	w, ev, _ := behind(t)
	owner := w.as(t, "owner")
	p := owner.get(w.URL+"/staff/settings").want(200).says("Bookings at a time from one connection", "a school, an office or a café with one Wi-Fi", "Pause after letting a seat go", "While a waiting room is on and this is 0, it is 10.")
	b := w.from(t, "203.0.113.7")
	b.choose(eventPath(ev.ID), "A1", "A2").want(303)
	owner.submit(p, p.form("/staff/settings"), url.Values{"seats_per_address": {"1"}}, "").want(303)
	w.from(t, "203.0.113.7").choose(eventPath(ev.ID), "B1", "B2").want(422) // from the next hold on
	b.choose(eventPath(ev.ID), "A2", "A3").want(303)                        // what gets no larger is never refused
	w.from(t, "203.0.113.7").choose(eventPath(ev.ID), "B1").want(422)       // and is counted from then on
}
