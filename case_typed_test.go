package main

import (
	"net/url"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// More time keeps what is typed, right or wrong, and goes back to where it was asked for.
func TestContract_MoreTimeKeepsWhatIsTyped(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Trip(t, d, 4, 2); set(t, d, "max_extensions", "3") }, nil)
	b := w.on(t)
	b.choose(eventPath(ev.ID)+"?from=0&to=2", "1A").want(303)
	typed := url.Values{"name": {"Ada"}, "email": {"ada@"}, "phone": {"0771234567"}, "type.1A": {"child"}, "passenger.1A": {"Byron"}}
	kept := func(p *page) {
		t.Helper()
		f := p.form("/details")
		for name := range typed {
			if got := f.values.Get(name); got != typed.Get(name) {
				t.Errorf("%s is %q, typed %q", name, got, typed.Get(name))
			}
		}
	}
	if p := b.send("/extend", typed).want(303); p.location != b.hold {
		t.Errorf("sent to %s", p.location)
	}
	kept(b.at("").want(200))
	if p := b.at("/review").want(303); p.location != b.hold {
		t.Errorf("a wrong address went on to %s", p.location)
	}
	typed.Set("email", "ada@example.com")
	b.send("/details", typed).want(303)
	if p := b.send("/extend", nil).want(303); p.location != b.hold {
		t.Errorf("without fields sent to %s", p.location)
	}
	kept(b.at("").want(200))
	p := b.at("/review").want(200)
	if p := b.submit(p, p.form("/extend"), nil, "").want(303); p.location != b.hold+"/review" {
		t.Errorf("from the review sent to %s", p.location)
	}
	typed.Set("phone", "0779876543")
	kept(b.send("/extend", typed).want(409).says("No more time can be added"))
	b.send("/extend", url.Values{"at": {"review"}}).want(409).says("No more time can be added", "Check your order")
	w.clean()
}

// The ways back: the map of the same stops, the page with the button, no word about a
// payment that never was.
func TestContract_WaysBack(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Trip(t, d, 4, 3) }, nil)
	b := w.on(t)
	b.choose(eventPath(ev.ID)+"?from=0&to=2", "1A").want(303)
	b.send("/details", url.Values{"name": {"Ada"}, "email": {"ada@example.com"}, "passenger.1A": {"Ada"}}).want(303)
	p := b.at("/return").want(303)
	if strings.Contains(p.location, "back=") {
		t.Errorf("never sent to pay, and back at %s", p.location)
	}
	for address, back := range map[string]string{
		b.hold + "/details": b.hold, b.hold + "/pay": b.hold + "/review", b.hold + "/extend": b.hold, b.hold + "/release": b.hold,
		eventPath(ev.ID) + "/holds": eventPath(ev.ID), eventPath(ev.ID) + "/best": eventPath(ev.ID),
	} {
		p := b.get(w.URL + address).want(405)
		if len(p.all("a", "href", back)) == 0 || p.header.Get("Allow") != "POST" {
			t.Errorf("%s: no way back to %s, Allow %q", address, back, p.header.Get("Allow"))
		}
	}
	b.post(w.URL+eventPath(ev.ID)+"/best", url.Values{"quantity": {"-3"}, "from": {"0"}, "to": {"2"}}).want(422).says("How many seats?")
	if p := b.send("/release", nil).want(303); p.location != eventPath(ev.ID)+"?from=0&to=2" {
		t.Errorf("let go, and sent to %s", p.location)
	}
	w.clean()
}

// A house that has planned nothing says so on its front page.
func TestContract_NothingOnSale(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"cinema", "bus"} {
		w := newWorld(t, func(d *db.DB) { set(t, d, "kind", kind) }, nil)
		if p := w.browser().get(w.URL + "/").want(200).says("Nothing is on sale yet"); len(p.all("h1", "", "")) != 1 {
			t.Errorf("%s: %d headings", kind, len(p.all("h1", "", "")))
		}
	}
}
