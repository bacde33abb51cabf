package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/stripesim"
)

// The rows of the contract about holds, as a client sees them.

// ends is when a hold ends and how many extensions it used.
func (w *world) ends(hold string) (at time.Time, used int) {
	w.t.Helper()
	return one[time.Time](w, `SELECT expires_at FROM holds WHERE id = $1`, hold), one[int](w, `SELECT extensions FROM holds WHERE id = $1`, hold)
}

func TestContract_TheHoldBecomesTheChoice(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		set(t, d, "max_extensions", "2")
		ev = dbtest.Screening(t, d, 3, 6)
	}, nil)
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1", "A2").want(303)
	hold := b.hold
	w.exec(`UPDATE holds SET expires_at = now() + interval '3 minutes'`) // of ten
	w.exec(`UPDATE event_seats SET held_until = now() + interval '5 minutes' WHERE state = 'held'`)
	before, _ := w.ends(b.id())

	p := b.get(w.URL + eventPath(ev.ID)).want(200) // Back shows one's own seats, ticked
	if !slices.Equal(p.ticked(), []string{"A1", "A2"}) {
		t.Errorf("ticked after Back: %v", p.ticked())
	}
	b.submit(p, p.form("/holds"), nil, "").want(303) // the same set again
	if at, used := w.ends(b.id()); !at.Equal(before) || used != 0 {
		t.Errorf("the same set again moved the end by %s, used %d", at.Sub(before), used)
	}
	for i, seats := range [][]string{{"A1", "A2", "B3"}, {"A1"}} { // one more, two less
		b.seats(ev.ID, seatFields(seats...)).want(303)
		at, used := w.ends(b.id())
		if left := time.Until(at); left < 9*time.Minute || left > 11*time.Minute || used != i+1 {
			t.Errorf("%v: %s left, %d extensions used", seats, left, used)
		}
		w.wantCount(t, len(seats), "event_seats WHERE state = 'held'")
		w.exec(`UPDATE holds SET expires_at = now() + interval '3 minutes'`)
	}
	before, _ = w.ends(b.id())
	b.seats(ev.ID, seatFields("C1", "C2")).want(303) // extensions are used up: the end stays
	if at, used := w.ends(b.id()); !at.Equal(before) || used != 2 {
		t.Errorf("used up, and the end moved by %s, used %d", at.Sub(before), used)
	}
	if b.hold != hold {
		t.Errorf("the hold was %s and is %s", hold, b.hold)
	}
	b.send("/extend", nil).want(409).says("No more time can be added", "Your seats are held until")
	b.state("held")
	w.wantCount(t, 2, "event_seats WHERE state = 'held' AND seat_no IN ('C1', 'C2')")
	w.wantCount(t, 2, "event_seats WHERE state = 'held'")
	w.clean()
}

// A change that is refused changes nothing; one that asks for more never shortens.
func TestContract_RefusedChange(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 6)
	b, other := w.on(t), w.on(t)
	b.choose(eventPath(ev.ID), "A1", "A2").want(303)
	w.exec(`UPDATE holds SET expires_at = now() + interval '25 minutes'`)
	before, _ := w.ends(b.id())
	other.choose(eventPath(ev.ID), "A3").want(303)
	p := b.seats(ev.ID, seatFields("A2", "A3")).refusal([]string{"A3"}, "A2")
	p.says("you still hold what you held before")
	w.wantCount(t, 2, "event_seats WHERE hold_id = $1 AND seat_no IN ('A1', 'A2')", b.id())
	if at, used := w.ends(b.id()); !at.Equal(before) || used != 0 {
		t.Errorf("a refused change moved the end by %s, used %d", at.Sub(before), used)
	}
	b.seats(ev.ID, seatFields("A2", "A4")).want(303)
	if at, _ := w.ends(b.id()); at.Before(before) {
		t.Errorf("a change shortened the hold by %s", before.Sub(at))
	}
	b.seats(ev.ID, nil).want(422) // none: nothing changes either
	w.wantCount(t, 2, "event_seats WHERE hold_id = $1", b.id())
	w.clean()
}

func TestContract_ExtendAndRelease(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 6)
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1").want(303)
	w.exec(`UPDATE holds SET expires_at = now() + interval '30 seconds'`)
	if p := b.send("/extend", nil).want(303); p.location != b.hold {
		t.Errorf("sent to %s", p.location)
	}
	if at, used := w.ends(b.id()); time.Until(at) < 9*time.Minute || used != 1 {
		t.Errorf("extended to %s, used %d", time.Until(at), used)
	}
	c := b.clock()
	if c.State != "held" || c.SecondsLeft < 500 || c.SecondsLeft > 600 {
		t.Errorf("clock: %+v", c)
	}
	if _, err := time.Parse(time.RFC3339, c.ExpiresAt); err != nil {
		t.Errorf("expires_at: %v", err)
	}
	if p := b.send("/release", nil).want(303); p.location != eventPath(ev.ID) {
		t.Errorf("released: sent to %s", p.location)
	}
	b.state("released")
	w.wantCount(t, 0, "event_seats WHERE state = 'held'")
	w.on(t).choose(eventPath(ev.ID), "A1").want(303) // for everybody at once
	w.clean()
}

// An ended and a released hold: every address 410, but clock, release and return.
func TestContract_EndedHold(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 6)
	for _, c := range []struct {
		name, state string
		end         func(b *buyer)
		typed       bool
	}{
		{"ran out before details", "ended", func(b *buyer) { w.late(b.id(), 1) }, false},
		{"ran out after details", "ended", func(b *buyer) { w.over(b.id()) }, true},
		{"released", "released", func(b *buyer) { b.send("/release", nil).want(303) }, false},
		{"tidied", "released", func(b *buyer) { w.over(b.id()); tidy(t, w) }, true},
		{"seats taken by another", "ended", func(b *buyer) {
			w.over(b.id())
			x := w.on(t)
			x.choose(eventPath(ev.ID), "A1").want(303)
		}, true},
	} {
		b := w.on(t)
		b.choose(eventPath(ev.ID), "A1", "A2").want(303)
		if c.typed {
			b.details(nil)
		}
		c.end(b)
		requests := w.asked(stripesim.OpCreateSession)
		p := b.at("").want(410).says("Nothing was charged")
		b.at("/review").want(410)
		for _, rest := range []string{"/details", "/pay", "/extend"} {
			b.send(rest, url.Values{"name": {"N"}, "email": {"n@example.com"}}).want(410)
		}
		b.state(c.state)
		if left := b.clock().SecondsLeft; left != 0 {
			t.Errorf("%s: %d seconds left", c.name, left)
		}
		b.at("/return").want(303)
		if r := b.send("/release", nil).want(303); r.location != eventPath(ev.ID) {
			t.Errorf("%s: release goes to %s", c.name, r.location)
		}
		if n := w.asked(stripesim.OpCreateSession) - requests; n != 0 {
			t.Errorf("%s: %d pay pages were made", c.name, n)
		}
		if c.name == "seats taken by another" {
			p.says("A1 taken meanwhile")
			continue
		}
		again := b.submit(p, p.form("/holds"), nil, "").want(303) // the same seats again
		b.hold = again.location
		w.wantCount(t, 2, "event_seats WHERE hold_id = $1", b.id())
		if c.typed && len(b.at("").want(200).all("input", "value", "nimali@example.com")) != 1 {
			t.Errorf("%s: what was typed is gone", c.name)
		}
		b.send("/release", nil).want(303)
		if t.Failed() {
			t.Fatal(c.name)
		}
	}
	w.clean()
}

// Another visitor's hold is not found, whatever is tried; nor is one that is not there.
func TestContract_OthersHold(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 6)
	owner, other, stranger := w.on(t), w.on(t), w.on(t)
	owner.choose(eventPath(ev.ID), "A1").want(303)
	other.choose(eventPath(ev.ID), "A2").want(303)
	owner.details(nil)
	for _, hold := range []string{owner.hold, "/holds/00000000-0000-4000-8000-000000000000", "/holds/1", "/holds/" + strings.ToUpper(owner.id()), "/holds/%00"} {
		for _, rest := range []string{"", "/details", "/review", "/pay", "/extend", "/release", "/clock", "/return"} {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
				for _, b := range []*buyer{other, stranger} {
					if p := b.ask(method, w.URL+hold+rest, "", map[string]string{"Content-Type": formType}); p.status != 404 {
						t.Errorf("%s %s%s: %d, want 404", method, hold, rest, p.status)
					}
				}
			}
		}
	}
	owner.state("held")
	for _, c := range []struct{ method, rest, allow string }{
		{"DELETE", "", "GET"}, {"POST", "", "GET"}, {"GET", "/pay", "POST"}, {"PUT", "/details", "POST"}, {"POST", "/clock", "GET"}, {"GET", "/release", "POST"},
	} {
		p := owner.ask(c.method, w.URL+owner.hold+c.rest, "", nil).want(405)
		if !strings.Contains(p.header.Get("Allow"), c.allow) {
			t.Errorf("%s %s: Allow %q", c.method, c.rest, p.header.Get("Allow"))
		}
	}
	owner.state("held")
	w.clean()
}

// Review and pay before details; details that are wrong keep everything typed.
func TestContract_Details(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Trip(t, d, 4, 2) }, nil)
	b := w.on(t)
	b.choose(eventPath(ev.ID)+"?from=0&to=2", "1A", "1B").want(303)
	for _, p := range []*page{b.at("/review"), b.send("/pay", nil)} {
		if p.want(303); p.location != b.hold {
			t.Errorf("before details: sent to %s", p.location)
		}
	}
	typed := url.Values{"name": {"Ada <b>Lovelace</b>"}, "email": {"ada@"}, "phone": {"+39 333 1234567"}, "type.1A": {"child"}, "type.1B": {"senior"},
		"passenger.1A": {"Ada \"A\" L"}, "passenger.1B": {""}}
	p := b.send("/details", typed).want(422).says("Please look at these again")
	f := p.form("/details")
	for _, name := range []string{"name", "email", "phone", "type.1A", "passenger.1A"} {
		if got := f.values.Get(name); got != typed.Get(name) {
			t.Errorf("%s came back as %q, typed %q", name, got, typed.Get(name))
		}
	}
	for _, id := range []string{"email", "p-1B", "t-1B"} {
		if len(p.all("a", "href", "#"+id)) != 1 || len(p.all("", "id", id)) != 1 {
			t.Errorf("the summary does not lead to %s", id)
		}
	}
	if p := b.at("/review").want(303); p.location != b.hold {
		t.Errorf("after wrong details: sent to %s", p.location)
	}
	again := b.at("").want(200).form("/details") // a reload loses nothing
	if again.values.Get("name") != typed.Get("name") || again.values.Get("passenger.1A") != typed.Get("passenger.1A") {
		t.Errorf("after a reload: %v", again.values)
	}
	good := url.Values{"name": {"Ada"}, "email": {"ada@example.com"}, "type.1A": {"child"}, "passenger.1A": {"Ada"}, "passenger.1B": {"Bob"}}
	if p := b.send("/details", good).want(303); p.location != b.hold+"/review" {
		t.Errorf("after details: sent to %s", p.location)
	}
	review := b.at("/review").want(200).says("Ada", "Bob", "ada@example.com")
	if got := review.values("data-amount"); !slices.Contains(got, "3200") { // 12.00 + 20.00
		t.Errorf("amounts %v", got)
	}
	for _, n := range review.all("button", "data-amount", "") {
		cur, _ := attribute(n, "data-currency")
		amount, _ := attribute(n, "data-amount")
		if cur != "EUR" || amount != "3200" {
			t.Errorf("the Pay button says %s %s", amount, cur)
		}
	}
	w.clean()
}
