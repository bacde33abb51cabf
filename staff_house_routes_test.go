package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// wayOf reads a route's stops as one line each.
func (w *world) wayOf(id int64) []string {
	w.t.Helper()
	return one[[]string](w, `SELECT array_agg(concat_ws(' ', p.name, s.arrive_after, s.depart_after, s.may_board, s.may_alight, s.note, s.zone) ORDER BY s.stop_no)
		FROM route_stops s JOIN places p ON p.id = s.place_id WHERE s.route_id = $1`, id)
}

func TestStaffRoutes(t *testing.T) {
	t.Parallel()
	w, _, _ := depot(t)
	b := w.as(t, "manager")
	var ids []string
	for _, p := range [][2]string{{"Aleppo", "Asia/Damascus"}, {"Bari", "Europe/Rome"}, {"Corfu", "Europe/Athens"}, {"Durres", "Europe/Tirane"}} {
		ids = append(ids, itoa(one[int64](w, `INSERT INTO places (name, time_zone) VALUES ($1, $2) RETURNING id`, p[0], p[1])))
	}
	p := b.get(w.URL+"/staff/routes/new").want(200).says("Stop 1, first departure", "Stop 2, last")
	two := func(arrive string) url.Values {
		return url.Values{"name": {"Bari – Durres"}, "place": {ids[1], ids[3]}, "arrive": {"", arrive}, "depart": {"", ""}, "use": {"both", "both"}, "note": {"", ""}, "zone": {"1", "2"}}
	}
	f := p.form("/staff/routes")
	for words, change := range map[string]url.Values{
		"Please write the route’s name":           {"name": {""}, "place": {ids[1], ids[3]}, "arrive": {"", "60"}},
		"Stop 2: Please choose a place":           {"name": {"X"}, "place": {ids[1], ""}, "arrive": {"", "60"}},
		"Please write when":                       {"name": {"X"}, "place": {ids[1], ids[3]}},
		"Please write hours and minutes":          {"name": {"X"}, "place": {ids[1], ids[3]}, "arrive": {"", "2:3"}},
		"The last stop must be later":             {"name": {"X"}, "place": {ids[1], ids[3]}, "arrive": {"", "0"}},
		"This is the stop before":                 {"name": {"X"}, "place": {ids[1], ids[1]}, "arrive": {"", "60"}},
		"choose what passengers may do":           {"name": {"X"}, "place": {ids[1], ids[3]}, "arrive": {"", "60"}, "use": {"both", "fly"}},
		"One of these places was deleted":         {"name": {"X"}, "place": {ids[1], "777777"}, "arrive": {"", "60"}},
		"A route needs two stops at least":        {"name": {"X"}, "place": {ids[1]}, "arrive": {""}, "depart": {""}, "use": {"both"}, "note": {""}, "zone": {""}},
		"This is before the coach leaves the sto": {"name": {"X"}, "place": {ids[1], ids[2], ids[3]}, "arrive": {"", "2:00", "1:50"}, "depart": {"", "", ""}, "use": {"both", "both", "both"}, "note": {"", "", ""}, "zone": {"", "", ""}},
		"This is before the coach arrives, 2:00.": {"name": {"X"}, "place": {ids[1], ids[2], ids[3]}, "arrive": {"", "2:00", "3:00"}, "depart": {"", "1:59", ""}, "use": {"both", "both", "both"}, "note": {"", "", ""}, "zone": {"", "", ""}},
	} {
		got := b.submit(p, f, change, "do=save").want(422).says(words)
		if len(got.all("div", "role", "alert")) != 1 {
			t.Errorf("%s: no summary", words)
		}
	}
	w.wantCount(t, 1, "routes")

	// Stops are inserted, moved and removed on the page alone, without a script.
	step := b.submit(p, f, two("+2:30"), "do=insert.1").want(200).says("changed on this page only", "Stop 3, last")
	w.wantCount(t, 1, "routes")
	form := step.form("/staff/routes")
	fill := url.Values{"place": {ids[1], ids[2], ids[3]}, "arrive": {"", "90 min", "2:30"}, "depart": {"", "1h45", ""}, "use": {"both", "board", "both"}, "note": {"", "Bay 4", ""}, "first": {"09:30"}}
	shown := b.submit(step, form, fill, "do=show").want(200).says("leaves 09:30, Rome time", "arrives 12:00, leaves 12:15, Athens time", "arrives 12:00, Tirane time")
	saved := b.submit(shown, shown.form("/staff/routes"), nil, "do=save").want(303)
	id := one[int64](w, `SELECT id FROM routes WHERE name = 'Bari – Durres'`)
	want := []string{"Bari 0 0 t f  1", "Corfu 90 105 t f Bay 4 ", "Durres 150 150 f t  2"}
	if got := w.wayOf(id); !slices.Equal(got, want) {
		t.Errorf("stored: %q, want %q", got, want)
	}
	page := b.follow(saved).want(200).says("Added")
	path := fmt.Sprintf("/staff/routes/%d", id)
	moved := b.submit(page, page.form(path), nil, "do=down.1").want(200)
	if v := moved.form(path).values; !slices.Equal(v["place"], []string{ids[1], ids[3], ids[2]}) || !slices.Equal(v["arrive"], []string{"", "1:30", "2:30"}) {
		t.Errorf("moved down: %v", v)
	}
	cut := b.submit(page, page.form(path), nil, "do=remove.0").want(200)
	if v := cut.form(path).values; !slices.Equal(v["place"], []string{ids[2], ids[3]}) || !slices.Equal(v["arrive"], []string{"", "0:45"}) {
		t.Errorf("without the first stop: %v", v)
	}
	if got := w.wayOf(id); !slices.Equal(got, want) {
		t.Errorf("moving stops stored something: %q", got)
	}

	// The way back.
	back := b.follow(b.submit(page, page.form(path+"/return"), nil, "").want(303)).want(200).says("This is the way back", "Durres – Bari")
	bid := one[int64](w, `SELECT id FROM routes WHERE name = 'Durres – Bari'`)
	if got, want := w.wayOf(bid), []string{"Durres 0 0 t f  2", "Corfu 45 60 f t Bay 4 ", "Bari 150 150 f t  1"}; !slices.Equal(got, want) {
		t.Errorf("the way back: %q, want %q", got, want)
	}
	b.submit(page, page.form(path+"/return"), nil, "").want(303)
	w.wantCount(t, 1, "routes WHERE name = 'Durres – Bari 2'")
	b.submit(back, back.form(fmt.Sprintf("/staff/routes/%d", bid)), url.Values{"name": {"Bari – Durres"}}, "do=save").want(422).says("Another route has this name")
	w.wantCount(t, 3, "audit_log WHERE action = 'route_added'")
}

// What trips were made with stays theirs, and their places stay in the search.
func TestStaffRouteKeepsTrips(t *testing.T) {
	t.Parallel()
	w, _, trip := depot(t)
	b := w.as(t, "manager")
	id := one[int64](w, `SELECT route_id FROM events WHERE id = $1`, trip.ID)
	path := fmt.Sprintf("/staff/routes/%d", id)
	before := one[string](w, `SELECT array_agg(s ORDER BY stop_no)::text FROM event_stops s WHERE event_id = $1`, trip.ID)
	p := b.get(w.URL + path).want(200).says("Trips that exist keep their stops")
	gone := b.submit(p, p.form(path), nil, "do=remove.1").want(200)
	b.submit(gone, gone.form(path), nil, "do=save").want(303)
	if got := w.wayOf(id); len(got) != 2 {
		t.Errorf("the route has %q", got)
	}
	if after := one[string](w, `SELECT array_agg(s ORDER BY stop_no)::text FROM event_stops s WHERE event_id = $1`, trip.ID); after != before {
		t.Errorf("the trip's stops became %s, were %s", after, before)
	}
	w.browser().get(fmt.Sprintf("%s/?origin=%d&destination=%d", w.URL, trip.Places[1], trip.Places[2])).want(200).says("Town 1")
	w.exec(`UPDATE routes SET archived_at = now()`)
	w.browser().get(fmt.Sprintf("%s/?origin=%d&destination=%d", w.URL, trip.Places[1], trip.Places[2])).want(200).says("Town 1")
	w.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, trip.ID)
	if links := w.browser().get(w.URL+"/").want(200).all("select", "name", "origin"); len(links) != 0 {
		t.Error("places that nothing serves are still searched")
	}
}

// TestT6_ZoneOfAPlace: a place's zone changes; the page asks which to keep and shows
// both; the answer is done in one transaction.
func TestT6_ZoneOfAPlace(t *testing.T) {
	t.Parallel()
	for _, keep := range []string{"clock", "instant"} {
		t.Run(keep, func(t *testing.T) {
			t.Parallel()
			w, _, trip := depot(t)
			w.exec(`UPDATE event_stops SET arrives_at = arrives_at + interval '1 hour' * stop_no, departs_at = departs_at + interval '1 hour' * stop_no`) // room for the clock
			w.exec(`UPDATE events SET ends_at = ends_at + interval '2 hours' WHERE id = $1`, trip.ID)
			b := w.as(t, "manager")
			path := fmt.Sprintf("/staff/places/%d", trip.Places[0])
			at := one[time.Time](w, `SELECT departs_at FROM event_stops WHERE event_id = $1 AND stop_no = 0`, trip.ID)
			rome, athens := zone(t, "Europe/Rome"), zone(t, "Europe/Athens")
			clock := at.In(rome).Format("15:04")

			p := b.get(w.URL + path).want(200)
			ask := b.submit(p, p.form(path), url.Values{"zone": {"athens"}, "address": {"Bay 77"}}, "").want(422)
			ask.says("the clock or the moment", "1 trip is to stop here", clock+", Rome time", clock+", Athens time", at.In(athens).Format("15:04")+", Athens time")
			if n := len(ask.all("input", "name", "keep")); n != 2 || ask.form(path).values.Get("address") != "Bay 77" || ask.form(path).values.Get("keep") != "" {
				t.Errorf("%d answers, typed %v", n, ask.form(path).values)
			}
			b.submit(ask, ask.form(path), url.Values{"keep": {"both"}}, "").want(422)
			w.wantCount(t, 0, "places WHERE time_zone = 'Europe/Athens'")

			b.submit(ask, ask.form(path), url.Values{"keep": {keep}}, "").want(303)
			want := at
			if keep == "clock" {
				y, m, d := at.In(rome).Date()
				want = time.Date(y, m, d, at.In(rome).Hour(), at.In(rome).Minute(), at.In(rome).Second(), at.Nanosecond(), athens)
			}
			got := one[time.Time](w, `SELECT departs_at FROM event_stops WHERE event_id = $1 AND stop_no = 0`, trip.ID)
			start := one[time.Time](w, `SELECT starts_at FROM events WHERE id = $1 AND time_zone = 'Europe/Athens' AND revision = 2 AND ends_at = (SELECT arrives_at FROM event_stops WHERE event_id = events.id AND stop_no = 2)`, trip.ID)
			if !got.Equal(want) || !start.Equal(want) {
				t.Errorf("it departs at %v and starts at %v, want %v", got, start, want)
			}
			printed := got.In(athens).Format("15:04")
			if (printed == clock) != (keep == "clock") {
				t.Errorf("tickets print %s, printed %s", printed, clock)
			}
			w.browser().get(w.URL + eventPath(trip.ID)).want(200).says(printed)
			w.wantCount(t, 1, "places WHERE time_zone = 'Europe/Athens' AND address = 'Bay 77'")
			w.wantCount(t, 1, "audit_log WHERE action = 'place_changed' AND after->>'kept' = $1 AND before->>'zone' = 'Europe/Rome'", keep)
		})
	}
}

// What keeping the clock makes impossible is refused with the trip's name, and all of it
// is as before.
func TestT6_ImpossibleClock(t *testing.T) {
	t.Parallel()
	w, _, trip := depot(t)
	b := w.as(t, "manager")
	path := fmt.Sprintf("/staff/places/%d", trip.Places[1])
	stored := func() string { return one[string](w, `SELECT array_agg(s ORDER BY stop_no)::text FROM event_stops s`) }
	before := stored()
	try := func(zone string) *page {
		p := b.get(w.URL + path).want(200)
		return b.submit(p, p.form(path), url.Values{"zone": {zone}, "keep": {"clock"}}, "").want(422)
	}
	try("America/New_York").says("would be at a stop before it left the one before", "Nothing was changed")
	if after := stored(); after != before {
		t.Errorf("stops became %s", after)
	}
	// 29 March 2026 is in the past: the next spring night without 02:30 in Rome.
	w.exec(`UPDATE places SET time_zone = 'UTC' WHERE id = $1`, trip.Places[1])
	w.exec(`UPDATE event_stops SET departs_at = '2027-03-28 02:30Z', arrives_at = '2027-03-28 02:30Z' WHERE stop_no = 1`)
	w.exec(`UPDATE event_stops SET departs_at = '2027-03-28 12:30Z', arrives_at = '2027-03-28 12:30Z' WHERE stop_no = 2`)
	before = stored()
	try("Europe/Rome").says("stands at an hour that does not exist in Europe/Rome")
	if after := stored(); after != before {
		t.Errorf("stops became %s", after)
	}
	w.wantCount(t, 1, "places WHERE id = $1 AND time_zone = 'UTC' AND revision = 1", trip.Places[1])
	try("Mars/Olympus").says("choose a zone of the list")
	try("Indiana").says("choose a zone of the list") // no city, and several begin with it
	try("Local").says("choose a zone of the list")

	// Without departures to come nothing is asked.
	p := b.get(w.URL + "/staff/places/new").want(200)
	add := b.submit(p, p.form("/staff/places"), url.Values{"name": {"Bus depot"}, "zone": {"Asia/Colombo"}, "position": {"3"}}, "").want(303)
	again := b.get(add.resolve(add.location)).want(200).says("Added")
	id := strings.TrimPrefix(add.location, "/staff/places/")
	b.submit(again, again.form("/staff/places/"+id), url.Values{"zone": {"Asia/Kathmandu"}}, "").want(303)
	b.submit(p, p.form("/staff/places"), url.Values{"name": {"Bus depot"}, "zone": {"UTC"}}, "").want(422).says("Another place has this name")
	b.submit(p, p.form("/staff/places"), url.Values{"name": {""}, "zone": {"UTC"}, "position": {"-1"}}, "").want(422).says("write the place’s name", "whole number from 0 to 9999")
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}
