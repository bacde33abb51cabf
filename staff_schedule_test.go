package main

import (
	"net/url"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// timetableHouse is a world in Rome with a screening that nobody put into a hall, two halls
// of its plan, a trip with its coach, and staff.
func timetableHouse(t *testing.T) (w *world, hall, trip dbtest.Event) {
	t.Helper()
	w = newWorld(t, func(d *db.DB) {
		hall, trip = dbtest.Screening(t, d, 3, 6), dbtest.Trip(t, d, 3, 2)
		hire(t, d)
	}, nil)
	w.exec(`INSERT INTO settings (key, value) VALUES ('time_zone', 'Europe/Rome'), ('kind', 'both')`)
	w.exec(`INSERT INTO resources (kind, name, layout_version_id, turnaround_minutes) SELECT 'hall', n, layout_version_id, 20 FROM events, unnest(ARRAY['Hall 1', 'Hall 2']) n WHERE id = $1`, hall.ID)
	w.exec(`INSERT INTO resources (kind, name, layout_version_id) SELECT 'coach', 'UL 27', layout_version_id FROM events WHERE id = $1`, trip.ID)
	w.exec(`UPDATE tariffs SET last_stop = 2, route_id = e.route_id FROM events e WHERE e.tariff_id = tariffs.id AND e.id = $1`, trip.ID)
	return w, hall, trip
}

// lastForm is the last of the forms whose action ends in suffix: the one under a preview.
func (p *page) lastForm(suffix string) *form {
	p.t.Helper()
	var last *form
	for _, n := range p.all("form", "", "") {
		action, _ := attribute(n, "action")
		if !strings.HasSuffix(action, suffix) {
			continue
		}
		method, _ := attribute(n, "method")
		last = &form{action: action, method: strings.ToLower(method), values: url.Values{}}
		for c := range n.Descendants() {
			last.add(c)
		}
	}
	if last == nil {
		p.t.Fatalf("%s (%d) has no form to …%s\n%s", p.url, p.status, suffix, p.text())
	}
	return last
}

// TestScheduleS1: from a plan to an event on sale, as a browser without scripts does it:
// the form, the preview, one press. Nothing is made before.
func TestScheduleS1(t *testing.T) {
	t.Parallel()
	w, _, _ := timetableHouse(t)
	staff := w.as(t, "manager")
	week := staff.get(w.URL+"/staff/schedule?week=2030-06-05").want(200).says("3 to 9 June 2030", "Hall 1", "Hall 2", "Screenings", "Trips")
	var add string
	for _, a := range week.all("a", "class", "add") {
		if h, _ := attribute(a, "href"); strings.Contains(h, "first=2030-06-07") && add == "" {
			add = h
		}
	}
	p := staff.get(w.URL + add).want(200)
	before := one[int](w, `SELECT count(*) FROM events`)
	empty := staff.submit(p, p.form("/staff/schedule/new"), nil, "").want(422).says("Please write times like 19:30")
	p = staff.submit(empty, empty.form("/staff/schedule/new"), url.Values{"times": {"19:30 21:00"}}, "").want(200).says("2 screenings", "1 cannot be as it is", "Hall 1 is taken: Salt Road, Fri 7 Jun 19:30 to 22:13")
	p = staff.submit(p, p.lastForm("/staff/schedule/new#preview"), nil, "").want(200).says("1 screening", "1 time left out", "All can be made")
	w.wantCount(t, before, "events")
	done := staff.submit(p, p.lastForm("/staff/schedule/new"), nil, "do=publish").want(303)
	staff.follow(done).want(200).says("1 event now on sale", "19:30", "0/18 sold")
	id := one[int64](w, `SELECT id FROM events WHERE starts_at = '2030-06-07T17:30Z' AND status = 'published' AND business_day = '2030-06-07'`)
	visitor := w.on(t)
	visitor.get(w.URL+eventPath(id)).want(200).says("Salt Road", "19:30")
	visitor.choose(eventPath(id), "A1").want(303)

	form := staff.get(w.URL + add).want(200).form("/staff/schedule/new").values // the preview of before, sent once more
	form["times"], form["do"] = []string{"19:30"}, []string{"publish"}
	staff.post(w.URL+"/staff/schedule/new", form).want(409).says("Nothing was made", "Hall 1 is taken")
	w.wantCount(t, 1, "events WHERE starts_at = '2030-06-07T17:30Z'")
}

// TestScheduleDraftsAreForStaff: a draft is on no page for customers; publishing shows
// it, taking it off sale hides it again, with seats held it stays.
func TestScheduleDraftsAreForStaff(t *testing.T) {
	t.Parallel()
	w, hall, _ := timetableHouse(t)
	w.exec(`UPDATE events SET status = 'draft' WHERE id = $1`, hall.ID)
	staff, visitor := w.as(t, "manager"), w.on(t)
	path := w.URL + "/staff" + eventPath(hall.ID)
	visitor.get(w.URL + eventPath(hall.ID)).want(404)
	p := staff.get(path).want(200).says("Draft", "Put on sale")
	staff.submit(p, p.form("/publish"), nil, "").want(303)
	visitor.get(w.URL + eventPath(hall.ID)).want(200)
	visitor.choose(eventPath(hall.ID), "A1").want(303)
	p = staff.get(path).want(200).says("It is on sale")
	off := p.form("/unpublish")
	staff.submit(p, off, nil, "").want(422).says("1 seat is held right now", "Cancel it instead")
	w.over(visitor.id())
	staff.submit(p, off, nil, "").want(303)
	visitor.get(w.URL + eventPath(hall.ID)).want(404)
	staff.submit(p, off, nil, "").want(409).says("Somebody else changed this meanwhile")
	if p := staff.get(path).want(200); !strings.Contains(p.text(), "Took it off sale") {
		t.Error("the log does not tell")
	}
	w.clean()
}

// TestScheduleMove: the effect is shown first; then the customer has a mail with both
// times, and the page of the booking has the new one.
func TestScheduleMove(t *testing.T) {
	t.Parallel()
	w, hall, _ := timetableHouse(t)
	w.exec(`UPDATE events SET starts_at = '2030-06-07T17:30Z', ends_at = '2030-06-07T19:40Z', business_day = '2030-06-07' WHERE id = $1`, hall.ID)
	sold := w.on(t)
	sold.buys(eventPath(hall.ID), "A1", "A2")
	staff := w.as(t, "manager")
	path := w.URL + "/staff" + eventPath(hall.ID) + "/edit"
	p := staff.get(path).want(200).says("Customers have seats already")
	stale := p.form("/edit")
	bad := staff.submit(p, p.form("/edit"), url.Values{"time": {"half eight"}, "web": {"x"}}, "").want(422).says("Please write a time like 19:30", "Please write minutes")
	if got := bad.form("/edit").values.Get("time"); got != "half eight" {
		t.Errorf("what was typed became %q", got)
	}
	ask := staff.submit(p, p.form("/edit"), url.Values{"time": {"20:15"}}, "").want(200).says("1 booking with 2 tickets", "gets a mail with the new time", "19:30", "20:15", "Nothing has been changed yet")
	w.wantCount(t, 1, "events WHERE id = $1 AND starts_at = '2030-06-07T17:30Z'", hall.ID)
	staff.follow(staff.submit(ask, ask.form("/edit"), nil, "sure=1").want(303)).want(200).says("It is moved", "One mail")
	w.wantCount(t, 1, "events WHERE id = $1 AND starts_at = '2030-06-07T18:15Z' AND ends_at = '2030-06-07T20:25Z'", hall.ID)
	w.wantCount(t, 1, "mails WHERE kind = 'moved' AND was_at = '2030-06-07T17:30Z'")
	sold.get(w.URL + "/bookings/" + w.token(w.bookingOf(sold))).want(200).says("20:15")
	gone := staff.submit(p, stale, url.Values{"time": {"21:00"}}, "").want(409).says("Somebody else changed this meanwhile", "Now it is", "20:15")
	if got := gone.form("/edit").values.Get("time"); got != "21:00" {
		t.Errorf("what was typed became %q", got)
	}
	w.exec(`UPDATE events SET starts_at = now() - interval '1 minute', ends_at = now() + interval '1 hour' WHERE id = $1`, hall.ID)
	staff.get(path).want(409).says("cannot be changed any more", "has begun")
	w.clean()
}

// TestScheduleBlocks: staff take seats off sale, customers cannot have them, and they can
// again when the time has come, with nothing having run.
func TestScheduleBlocks(t *testing.T) {
	t.Parallel()
	w, hall, _ := timetableHouse(t)
	staff, visitor := w.as(t, "manager"), w.on(t)
	visitor.choose(eventPath(hall.ID), "A1").want(303)
	path := w.URL + "/staff" + eventPath(hall.ID) + "/blocks"
	p := staff.get(path).want(200).says("No seat is blocked")
	f := p.form("/blocks")
	if len(f.boxes) != 17 {
		t.Errorf("%d seats can be blocked", len(f.boxes))
	}
	typed := url.Values{"seat": {"A1", "A2"}, "reason": {"House seats"}}
	lost := staff.submit(p, f, typed, "").want(409).says("A1 is held by a customer right now")
	if got := lost.form("/blocks").values["seat"]; len(got) != 1 || got[0] != "A2" {
		t.Errorf("still ticked: %v", got)
	}
	staff.submit(p, f, url.Values{"seat": {"A2"}}, "").want(422).says("Please say why")
	typed["seat"] = []string{"A2", "A3"}
	typed["date"], typed["time"] = []string{"2031-01-01"}, []string{"12:00"}
	staff.follow(staff.submit(p, f, typed, "").want(303)).want(200).says("2 seats blocked", "House seats", "Manager Person", "1 January 2031, 12:00")
	other := w.on(t)
	if boxes := other.get(w.URL + eventPath(hall.ID)).want(200).form("/holds").boxes; len(boxes) != 15 {
		t.Errorf("a customer can have %v", boxes)
	}
	other.post(w.URL+eventPath(hall.ID)+"/holds", url.Values{"seat": {"A2"}}).want(409)
	w.exec(`UPDATE event_seats SET held_until = now() - interval '1 second' WHERE state = 'blocked' AND seat_no = 'A2'`)
	other.buys(eventPath(hall.ID), "A2")
	p = staff.get(path).want(200)
	staff.follow(staff.submit(p, p.form("/lift"), nil, "").want(303)).want(200).says("The block is lifted", "No seat is blocked")
	w.wantCount(t, 0, "event_seats WHERE state = 'blocked'")
	w.clean()
}

// TestScheduleCopies a week by its form, and all drafts go on sale at once.
func TestScheduleCopies(t *testing.T) {
	t.Parallel()
	w, hall, _ := timetableHouse(t)
	w.exec(`UPDATE events SET starts_at = '2030-06-07T17:30Z', ends_at = '2030-06-07T19:40Z', business_day = '2030-06-07',
		resource_id = (SELECT id FROM resources WHERE name = 'Hall 1') WHERE id = $1`, hall.ID)
	staff := w.as(t, "manager")
	p := staff.get(w.URL + "/staff/schedule?week=2030-06-03").want(200)
	p = staff.submit(p, p.form("/staff/schedule/copy"), nil, "").want(200).says("Copy screenings", "1 screening", "Fri 14 Jun 2030", "19:30", "Hall 1")
	p = staff.follow(staff.submit(p, p.lastForm("/staff/schedule/copy"), nil, "do=draft").want(303)).want(200).says("1 draft made", "10 to 16 June", "draft")
	staff.follow(staff.submit(p, p.form("/staff/schedule/publish"), nil, "").want(303)).want(200).says("1 event now on sale")
	w.wantCount(t, 1, "events WHERE starts_at = '2030-06-14T17:30Z' AND status = 'published'")
	staff.get(w.URL + "/staff/schedule/copy?kind=screening&week=2029-01-01&what=week&to=2029-01-08").want(422).says("nothing to copy")
	staff.get(w.URL + "/staff/schedule/copy?kind=opera").want(400)
	staff.get(w.URL + "/staff/schedule?week=x").want(422)
}

// TestScheduleRoles: who may do what, and from our own pages alone.
func TestScheduleRoles(t *testing.T) {
	t.Parallel()
	w, hall, _ := timetableHouse(t)
	event := "/staff/events/" + itoa(hall.ID)
	for i, role := range []string{"", "steward", "cashier", "manager"} {
		x := w.browser()
		x.t = t
		if role != "" {
			x = w.as(t, role)
		}
		for _, c := range []struct {
			method, path string
			manager      int
		}{
			{"GET", "/staff/schedule", 200}, {"GET", "/staff/schedule/new", 200}, {"GET", "/staff/schedule/copy", 422}, {"POST", "/staff/schedule/publish", 400},
			{"POST", "/staff/schedule/new", 422}, {"GET", event + "/edit", 200}, {"POST", event + "/edit", 422}, {"POST", event + "/publish", 409},
			{"POST", event + "/unpublish", 409}, {"POST", event + "/remove", 422}, {"GET", event + "/blocks", 200}, {"POST", event + "/blocks", 422},
			{"GET", "/staff/events/999/edit", 404}, {"GET", "/staff/events/999/blocks", 404}, {"POST", "/staff/events/999/publish", 404},
		} {
			want := []int{303, 403, 403, c.manager}[i]
			if got := x.ask(c.method, w.URL+c.path, "", map[string]string{"Content-Type": formType}).status; got != want {
				t.Errorf("%s %s as %q: %d, want %d", c.method, c.path, role, got, want)
			}
		}
	}
	w.wantCount(t, 1, "events WHERE id = $1 AND status = 'published' AND revision = 1", hall.ID)
}
