package main

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
)

// The same form of a film sent several times at once makes one film, and the others are told.
func TestOfficeFilmSentTwice(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	form := url.Values{"title": {"Night Freight"}, "version": {"3D"}, "runtime": {"100"}, "revision": {"0"}, "do": {"save"}}
	browsers := make([]*browser, 6)
	for i := range browsers {
		browsers[i] = w.as(t, "manager")
	}
	status := make([]int, len(browsers))
	gate := make(chan struct{})
	var group sync.WaitGroup
	for i, b := range browsers {
		group.Go(func() {
			<-gate
			res, err := b.PostForm(w.URL+"/staff/films", form)
			if err != nil {
				t.Error(err)
				return
			}
			status[i] = res.StatusCode
			_ = res.Body.Close()
		})
	}
	close(gate)
	group.Wait()
	made := 0
	for _, s := range status {
		switch s {
		case http.StatusSeeOther:
			made++
		case http.StatusUnprocessableEntity:
		default:
			t.Errorf("answered %d", s)
		}
	}
	if made != 1 {
		t.Errorf("%d say they made it", made)
	}
	w.wantCount(t, 1, "films WHERE title = 'Night Freight'")
	b := browsers[0]
	form.Set("title", "NIGHT FREIGHT")
	b.post(w.URL+"/staff/films", form).want(422).says("already")
	form.Set("version", "")
	b.post(w.URL+"/staff/films", form).want(303)
	w.wantCount(t, 1, "audit_log WHERE action = 'film_added' AND after->>'version' = '3D'")
}

// A form made by hand cannot give an event a price list whose prices are for other stops.
func TestOfficeForeignPriceList(t *testing.T) {
	t.Parallel()
	w, hall, trip := timetableHouse(t)
	b := w.as(t, "manager")
	ids := func(event int64) (resource, tariff int64) {
		kind := one[string](w, `SELECT CASE kind WHEN 'trip' THEN 'coach' ELSE 'hall' END FROM events WHERE id = $1`, event)
		return one[int64](w, `SELECT min(id) FROM resources WHERE kind = $1`, kind), one[int64](w, `SELECT tariff_id FROM events WHERE id = $1`, event)
	}
	room, evening := ids(hall.ID)
	coach, line := ids(trip.ID)
	film, route := one[int64](w, `SELECT film_id FROM events WHERE id = $1`, hall.ID), one[int64](w, `SELECT route_id FROM events WHERE id = $1`, trip.ID)
	before := w.count("events")
	screening := url.Values{"kind": {"screening"}, "film": {itoa(film)}, "resource": {itoa(room)}, "tariff": {itoa(line)}, "first": {"2030-05-06"}, "times": {"19:30"}, "do": {"draft"}}
	b.post(w.URL+"/staff/schedule/new", screening).want(422).says("is for other stops than these")
	ride := url.Values{"kind": {"trip"}, "route": {itoa(route)}, "resource": {itoa(coach)}, "tariff": {itoa(evening)}, "first": {"2030-05-06"}, "times": {"07:30"}, "do": {"draft"}}
	b.post(w.URL+"/staff/schedule/new", ride).want(422).says("is for other stops than these")
	if got := w.count("events"); got != before {
		t.Errorf("%d events, want %d", got, before)
	}
	edit := b.get(w.URL + "/staff/events/" + itoa(hall.ID) + "/edit").want(200)
	b.submit(edit, edit.form("/edit"), url.Values{"tariff": {itoa(line)}}, "").want(422).says("is for other stops than these")
	w.wantCount(t, 1, "events WHERE id = "+itoa(hall.ID)+" AND tariff_id = "+itoa(evening))
}

// The forms offer only the price lists that fit, and a house without one for its trips is told.
func TestOfficeFittingPriceLists(t *testing.T) {
	t.Parallel()
	w, hall, trip := timetableHouse(t)
	b := w.as(t, "manager")
	offered := func(path string) (n int) {
		return len(b.get(w.URL + path).want(200).options("tariff"))
	}
	for path, want := range map[string]int{
		"/staff/schedule/new?kind=screening": 1, "/staff/schedule/new?kind=trip": 1,
		"/staff/events/" + itoa(hall.ID) + "/edit": 1, "/staff/events/" + itoa(trip.ID) + "/edit": 1,
	} {
		if got := offered(path); got != want {
			t.Errorf("%s offers %d price lists, want %d", path, got, want)
		}
	}
	w.exec(`UPDATE tariffs SET archived_at = now() WHERE route_id IS NOT NULL`)
	b.get(w.URL+"/staff/schedule/new?kind=trip").want(200).says("There is no price list for trips yet", "Add a price list")
}

// options are the values that a select offers.
func (p *page) options(name string) (list []string) {
	for _, s := range p.all("select", "name", name) {
		for o := range s.Descendants() {
			if value, ok := attribute(o, "value"); ok && o.Data == "option" {
				list = append(list, value)
			}
		}
	}
	return list
}
