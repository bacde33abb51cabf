package handlers

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// placeList lists the places of stops.
func (s *site) placeList(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	k, a := kindOf(schedule.APlace), readList(r)
	found, err := s.Schedule.HousePlaces(r.Context(), a.find, a.away)
	if err != nil {
		return err
	}
	v := views.HouseList{Heading: "Places", Lede: "Where coaches stop. Every time at a place is printed in its own zone.", New: views.Link{Text: "Add a place"},
		Columns: []string{"Place", "Zone", "Routes", "Position"}}
	now := time.Now()
	for _, p := range found {
		v.Rows = append(v.Rows, views.HouseRow{ID: strconv.FormatInt(p.ID, 10), URL: k.url(p.ID), Name: p.Name, Detail: p.Address, Cells: []views.HouseCell{
			{Text: format.Zone(p.TimeZone), Small: p.TimeZone + ", now " + format.Clock(format.In(now, p.TimeZone))}, {Text: strconv.Itoa(p.Routes)}, {Text: strconv.Itoa(p.Position)}}})
	}
	return s.houseList(w, r, who, k, a, v, "Add the first one; routes are made of places.")
}

func (s *site) newPlace(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	return s.showPlace(w, r, who, schedule.StopPlace{}, schedule.Use{}, nil, freshForm(map[string]string{"zone": set.TimeZone, "position": "0"}))
}

func (s *site) placePage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "place")
	if err != nil {
		return err
	}
	p, use, err := s.Schedule.HousePlace(r.Context(), id)
	if err != nil {
		return err
	}
	return s.showPlace(w, r, who, p, use, nil, freshForm(schedule.PlaceFormOf(p).Fields()))
}

// savePlace adds a place or changes one; a change of the zone may need an answer first.
func (s *site) savePlace(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	k := kindOf(schedule.APlace)
	id, err := houseID(r, k)
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	p := r.PostForm
	form := schedule.PlaceForm{Name: p.Get("name"), Address: p.Get("address"), TimeZone: p.Get("zone"), Position: p.Get("position"), Keep: p.Get("keep"), Revision: revision(p)}
	saved, err := s.Schedule.SavePlace(r.Context(), s.by(r, who), id, form)
	if err == nil {
		return s.toHouse(w, r, k.url(saved), savedWord(id))
	}
	var place schedule.StopPlace
	var use schedule.Use
	if id != 0 {
		var gone error
		if place, use, gone = s.Schedule.HousePlace(r.Context(), id); gone != nil {
			return gone
		}
	}
	var ask *schedule.ZoneQuestion
	if errors.As(err, &ask) {
		f := houseForm{typed: form.Fields(), status: http.StatusUnprocessableEntity,
			bad: schedule.InvalidForm{{Field: "keep", Words: "Please choose what the new zone keeps for the departures to come."}}}
		return s.showPlace(w, r, who, place, use, zoneQuestion(ask), f)
	}
	f, err := s.refused(r, form.Fields(), err, func() (map[string]string, error) { return schedule.PlaceFormOf(place).Fields(), nil })
	if err != nil {
		return err
	}
	if f.status != http.StatusConflict {
		place.Revision = form.Revision
	}
	return s.showPlace(w, r, who, place, use, nil, f)
}

// zoneQuestion shows both answers for the next departure.
func zoneQuestion(q *schedule.ZoneQuestion) *views.ZoneQuestion {
	at := func(t time.Time, zone string) string {
		local := format.In(t, zone)
		return format.Day(local) + ", " + format.Clock(local) + ", " + format.Zone(zone)
	}
	v := &views.ZoneQuestion{
		Lede:    format.Count(q.Trips, "trip") + " " + isAre(q.Trips, "is", "are") + " to stop here, with " + format.Count(q.Tickets, "ticket") + " from or to this place. The zone changes from " + q.Old + " to " + q.New + ".",
		Example: q.Route + ", the next one, stands at", Now: at(q.At, q.Old),
		After: "Tickets and pages show it at once. Nobody is told by mail. Routes keep their times after the first departure.",
	}
	gap := q.Moved.Sub(q.At)
	moves := "the coach leaves at the same moment as before"
	switch {
	case gap > 0:
		moves = "the coach leaves " + format.Span(gap) + " later than before"
	case gap < 0:
		moves = "the coach leaves " + format.Span(-gap) + " earlier than before"
	}
	v.Choices = []views.ZoneChoice{
		{Value: schedule.KeepClock, Title: "Keep the clock:", Shows: at(q.Moved, q.New) + ".", Means: "The time on the tickets stays, " + moves + ". Right when the zone was wrong."},
		{Value: schedule.KeepInstant, Title: "Keep the moment:", Shows: at(q.At, q.New) + ".", Means: "The coach leaves when it would have, tickets show the new clock. Right when the country changes its time."},
	}
	return v
}

func (s *site) showPlace(w http.ResponseWriter, r *http.Request, who access.Staff, p schedule.StopPlace, use schedule.Use, ask *views.ZoneQuestion, f houseForm) error {
	k := kindOf(schedule.APlace)
	zones, err := s.Schedule.Zones(r.Context())
	if err != nil {
		return err
	}
	head, err := s.houseHead(r, who, k, p.ID, p.Name, p.Revision, f)
	if err != nil {
		return err
	}
	head.Badge = away(k, p.Archived)
	v := views.StaffPlace{
		Head: head, Zones: zones, Question: ask, Shelf: shelfView(k, p.ID, p.Revision, use, p.Archived),
		Fields: []views.HouseField{
			f.field(views.HouseField{Name: "name", Label: "Name", Hint: "As customers look for it.", Max: "100", Must: true}),
			f.field(views.HouseField{Name: "address", Label: "Address", Hint: "Where to stand: street, bay.", Max: "300"}),
			f.field(views.HouseField{Name: "zone", Label: "Time zone", Hint: "Write a part, like Rome, and choose from the list.", List: "zones", Max: "60", Must: true}),
			f.field(views.HouseField{Name: "position", Label: "Position in lists", Hint: "The lowest stands first. With 0 everywhere: in the order of travel.", Mode: "numeric", Max: "4"}),
		},
	}
	if p.Routes > 0 {
		v.Routes = format.Count(p.Routes, "route") + " " + isAre(p.Routes, "stops", "stop") + " here."
	}
	s.render(w, r, f.status, views.StaffPlacePage(v))
	return nil
}
