package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"holdfast/db"
)

// From an empty house to a screening on sale by following only what the pages offer.
func TestOfficeOpening(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *db.DB) { hire(t, d) }, nil)
	b := w.as(t, "owner")
	link := func(p *page, words string) *page {
		t.Helper()
		for _, a := range p.all("a", "href", "") {
			if to, _ := attribute(a, "href"); strings.Contains(textOf(a), words) {
				return b.get(p.resolve(to)).want(http.StatusOK)
			}
		}
		t.Fatalf("%s has no link %q:\n%s", p.url, words, p.text())
		return nil
	}
	start := func() *page { return b.get(w.URL + "/staff/start").want(200) }

	// Planning leads to each thing that is missing, on a page that is there.
	plan := w.URL + "/staff/schedule/new?kind=screening"
	link(b.get(w.URL+"/staff/schedule").want(200), "Add a hall").says("There is no seat plan yet")
	p := link(b.get(plan).want(200).says("There is no film yet"), "Add a film")
	p = b.follow(b.submit(p, p.form("/staff/films"), url.Values{"title": {"Salt Road"}, "runtime": {"100"}}, "do=save"))
	link(p.says("Added"), "Plan its screenings").says("There is no hall yet")
	link(b.get(w.URL+"/staff/schedule/new?kind=trip").want(200), "Add a route")

	// A draft is no plan yet; a plan leads to a hall that has it.
	p = b.get(w.URL + "/staff/layouts/new").want(200)
	p = b.follow(b.submit(p, p.form("/staff/layouts"), url.Values{"name": {"Hall 1"}, "s0.rows": {"12"}, "s0.names": {"A–M without I"}, "s0.seats": {"16"}, "s0.aisles": {"4, 12"}}, "do=save"))
	if stepsDone(start())["A seat plan"] {
		t.Error("an unpublished draft counts as a plan")
	}
	p = b.get(p.resolve("publish")).want(200)
	p = b.follow(b.submit(p, p.form("/publish"), nil, ""))
	p = link(p.says("No hall has this plan yet"), "Add a hall with it")
	if got := p.form("/staff/resources").values; got.Get("kind") != "hall" || got.Get("plan") == "" {
		t.Errorf("kind and plan are not chosen: %v", got)
	}
	p = b.follow(b.submit(p, p.form("/staff/resources"), url.Values{"name": {"Hall 1"}}, "do=save"))
	link(p.says("Added"), "Schedule")

	// The first price list has a ticket type to price; a missing price leads to its list.
	p = link(b.get(plan).want(200).says("There is no price list for screenings yet"), "Add a price list")
	b.follow(b.submit(p, p.form("/staff/fares"), url.Values{"name": {"Evening"}}, "")).says("Adult")
	w.wantCount(t, 1, "ticket_types WHERE code = 'adult' AND name = 'Adult'")
	if next := nextStep(start()); next != "Prices" {
		t.Errorf("next is %q before an event", next)
	}
	p = b.get(plan + "&first=2030-05-06").want(200)
	p = b.submit(p, p.form("/staff/schedule/new"), url.Values{"times": {"19:30"}}, "").want(200)
	offer := p.lastForm("/staff/schedule/new")
	refused := b.submit(p, offer, nil, "do=publish").want(422).says("no price for the zone Standard")
	list := link(refused, "Open the price list")
	list = b.follow(b.submit(list, list.form("/prices"), url.Values{"p.1.adult.0.1": {"9.50"}}, "do=save")).says("Prices saved")
	link(list, "Schedule")
	b.follow(b.submit(p, offer, nil, "do=publish")).says("1 event now on sale")
	done := stepsDone(start())
	for _, step := range []string{"A seat plan", "A hall", "A film", "Prices", "An event", "Publish"} {
		if !done[step] {
			t.Errorf("%s is not done: %v", step, done)
		}
	}
}

// nextStep is the title of the step that the start page leads to.
func nextStep(p *page) string {
	for _, n := range p.all("li", "data-next", "") {
		title, _ := attribute(n, "data-step")
		return title
	}
	return ""
}

// Numbers that no column can have and letters that no text can have are refused, not failed on.
func TestOfficeOddNumbers(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "owner")
	w.exec(`INSERT INTO films (title, runtime_min) VALUES ('Salt Road', 100)`)
	for _, revision := range []string{"2147483648", "-9223372036854775808", "99999999999999999999", "x", ""} {
		for path, more := range map[string]url.Values{
			"/staff/films/1":            {"title": {"Salt Road"}, "runtime": {"100"}},
			"/staff/films/1/shelf":      {"act": {"archive"}},
			"/staff/fares/1":            {"name": {"Evening"}, "for": {"screening"}},
			"/staff/accounts/1":         {"name": {"X"}, "email": {"x@house.example"}, "role": {"owner"}},
			"/staff/events/1/publish":   {},
			"/staff/layouts/1/drafts":   {"version": {revision}},
			"/staff/fares/1/bands/new":  {"name": {"Matinee"}},
			"/staff/layouts/1/publish":  {},
			"/staff/events/1/unpublish": {},
		} {
			more.Set("revision", revision)
			if p := b.post(w.URL+path, more); p.status >= 500 || p.status < 400 {
				t.Errorf("%s with revision %q answers %d", path, revision, p.status)
			}
		}
	}
	for _, path := range []string{"/staff/log?who=%00", "/staff/log?who=a%00b", "/staff/films?q=%00", "/?origin=%00"} {
		if p := b.get(w.URL + path); p.status >= 500 {
			t.Errorf("%s answers %d", path, p.status)
		}
	}
	for _, path := range []string{"/holds/a%00b", "/bookings/a%00", "/t/%00",
		"/staff/layouts/1/versions/2147483648", "/staff/layouts/1/versions/-1", "/staff/layouts/1/versions/x"} {
		if p := b.get(w.URL + path); p.status != 404 {
			t.Errorf("%s answers %d", path, p.status)
		}
	}
}
