package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// routeList lists routes.
func (s *site) routeList(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	k, a := kindOf(schedule.ARoute), readList(r)
	found, err := s.Schedule.HouseRoutes(r.Context(), a.find, a.away)
	if err != nil {
		return err
	}
	v := views.HouseList{Heading: "Routes", Lede: "The stops of a line in one direction. A trip takes its stops from its route when it is made.", New: views.Link{Text: "Add a route"},
		Columns: []string{"Route", "Stops", "Takes", "Trips to come"}}
	for _, x := range found {
		v.Rows = append(v.Rows, views.HouseRow{ID: strconv.FormatInt(x.ID, 10), URL: k.url(x.ID), Name: x.Name, Detail: strings.Join(x.Places, ", "), Cells: []views.HouseCell{
			{Text: strconv.Itoa(len(x.Places))}, {Text: format.Span(time.Duration(x.Minutes) * time.Minute)}, {Text: strconv.Itoa(x.Coming)}}})
	}
	return s.houseList(w, r, who, k, a, v, "Add the first one; then its trips can be planned.")
}

// routeShown is a route's page: what is stored and what was typed.
type routeShown struct {
	route schedule.Route
	use   schedule.Use
	form  schedule.RouteForm
	now   schedule.RouteForm // as it is stored
	first string             // departure of the example
	focus int                // stop that was moved, -1 for none
	houseForm
}

func (s *site) newRoute(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	form := schedule.RouteForm{Stops: []schedule.StopForm{{Use: schedule.UseBoth}, {Use: schedule.UseBoth}}}
	return s.showRoute(w, r, who, routeShown{form: form, focus: -1, houseForm: freshForm(form.Fields())})
}

func (s *site) routePage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "route")
	if err != nil {
		return err
	}
	x, stops, use, err := s.Schedule.HouseRoute(r.Context(), id)
	if err != nil {
		return err
	}
	form := schedule.RouteFormOf(x, stops)
	return s.showRoute(w, r, who, routeShown{route: x, use: use, form: form, focus: -1, houseForm: freshForm(form.Fields())})
}

// saveRoute stores a route, or moves its stops on the page alone.
func (s *site) saveRoute(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	k := kindOf(schedule.ARoute)
	id, err := houseID(r, k)
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	p := r.PostForm
	form := schedule.RouteForm{Name: p.Get("name"), Revision: revision(p)}
	if form.Stops, err = schedule.ParallelStops(p["place"], p["arrive"], p["depart"], p["use"], p["note"], p["zone"]); err != nil {
		return fmt.Errorf("%w: %w", errBadRequest, err)
	}
	v := routeShown{first: p.Get("first"), focus: -1}
	act := p.Get("do")
	if act == "" || act == "save" {
		var saved int64
		if saved, err = s.Schedule.SaveRoute(r.Context(), s.by(r, who), id, form); err == nil {
			return s.toHouse(w, r, k.url(saved), savedWord(id))
		}
	} else if act != "show" {
		at, ok := form.Rearrange(act)
		if !ok {
			return errBadRequest
		}
		v.focus = at
	}
	var stops []schedule.RouteStop
	if id != 0 {
		var gone error
		if v.route, stops, v.use, gone = s.Schedule.HouseRoute(r.Context(), id); gone != nil {
			return gone
		}
	}
	v.form, v.now, v.houseForm = form, schedule.RouteFormOf(v.route, stops), freshForm(form.Fields())
	if err != nil {
		v.houseForm, err = s.refused(r, form.Fields(), err, func() (map[string]string, error) { return v.now.Fields(), nil })
		if err != nil {
			return err
		}
	}
	if v.status != http.StatusConflict {
		v.route.Revision = form.Revision
	}
	return s.showRoute(w, r, who, v)
}

// returnRoute makes the way back and leads to it.
func (s *site) returnRoute(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "route")
	if err != nil {
		return err
	}
	back, err := s.Schedule.ReturnRoute(r.Context(), s.by(r, who), id)
	if err != nil {
		return s.notDone(w, r, who, kindOf(schedule.ARoute), id, err)
	}
	return s.toHouse(w, r, kindOf(schedule.ARoute).url(back), "return")
}

func (s *site) showRoute(w http.ResponseWriter, r *http.Request, who access.Staff, x routeShown) error {
	k, id := kindOf(schedule.ARoute), x.route.ID
	places, err := s.stopChoices(r, x.form)
	if err != nil {
		return err
	}
	head, err := s.houseHead(r, who, k, id, x.route.Name, x.route.Revision, x.houseForm)
	if err != nil {
		return err
	}
	head.Badge = away(k, x.route.Archived)
	stopErrors(head.Errors)
	v := views.StaffRoute{Head: head, Error: x.wrong("stops"), Shelf: shelfView(k, id, x.route.Revision, x.use, x.route.Archived),
		Name: x.field(views.HouseField{Name: "name", Label: "Name", Hint: "Like “Trieste – Zagreb”: the way back turns it round.", Max: "200", Must: true})}
	if x.stored != nil && !slices.Equal(x.now.Stops, x.form.Stops) {
		v.Head.Alert.Text = append(v.Head.Alert.Text, "The stops differ. Stored now: "+storedStops(x.now.Stops, places)+".")
	}
	if x.focus >= 0 {
		v.Rearranged = &views.Note{Tone: "warn", Title: "The list has changed on this page only", Text: []string{"Times stay where they are. Look at them, then save."}}
	}
	if x.use.All > 0 {
		v.Keeps = &views.Note{Title: "Trips that exist keep their stops", Text: []string{
			"What you change here is for trips made from now on. Those to come now: " + strconv.Itoa(x.use.Coming) + "."}}
	}
	if id != 0 {
		v.Return = &views.RouteReturn{Action: k.url(id) + "/return", Text: "Makes another route with these stops in reverse, as they are stored, with the same times between them; boarding and alighting change places."}
	}
	if len(places) < 2 {
		v.NoPlaces = &views.Note{Title: "A route needs two places at least", Text: []string{"Add the places where coaches stop first."}, Links: []views.Link{{Text: "New place", URL: "/staff/places/new"}}}
	}
	routeStops(&v, x, places)
	s.render(w, r, x.status, views.StaffRoutePage(v))
	return nil
}

// stopChoices are the places in use, and those put away that the route stops at.
func (s *site) stopChoices(r *http.Request, form schedule.RouteForm) ([]schedule.StopPlace, error) {
	places, err := s.Schedule.HousePlaces(r.Context(), "", false)
	if err != nil {
		return nil, err
	}
	gone, err := s.Schedule.HousePlaces(r.Context(), "", true)
	for _, p := range gone {
		for _, stop := range form.Stops {
			if stop.Place == strconv.FormatInt(p.ID, 10) {
				p.Name += " (archived)"
				places = append(places, p)
				break
			}
		}
	}
	return places, err
}
