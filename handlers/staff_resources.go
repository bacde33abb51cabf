package handlers

import (
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// resourceList lists halls and coaches.
func (s *site) resourceList(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	k, a := kindOf(schedule.AResource), readList(r)
	found, err := s.Schedule.HouseResources(r.Context(), a.find, a.away)
	if err != nil {
		return err
	}
	v := views.HouseList{Heading: "Halls and coaches", Lede: "Where people sit. Each has a seat plan and the time it needs after an event.", New: views.Link{Text: "Add a hall or coach"},
		Columns: []string{"Name", "Kind", "Seat plan", "Turnaround", "Events to come"}}
	for _, x := range found {
		v.Rows = append(v.Rows, views.HouseRow{ID: strconv.FormatInt(x.ID, 10), URL: k.url(x.ID), Name: x.Name, Detail: x.Note, Cells: []views.HouseCell{
			{Text: resourceKind(x.Kind)}, {Text: x.Layout, Small: "version " + strconv.Itoa(x.Version) + ", " + format.Count(x.Seats, "place")},
			{Text: strconv.Itoa(x.TurnaroundMinutes) + " min"}, {Text: strconv.Itoa(x.Coming)}}})
	}
	return s.houseList(w, r, who, k, a, v, "Add the first one; it needs a seat plan, which you draw under Seat plans.")
}

func resourceKind(kind string) string {
	if kind == "coach" {
		return "Coach"
	}
	return "Hall"
}

// newResource is an empty form; kind and plan may stand in the address.
func (s *site) newResource(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	known := map[string]string{"turnaround": "0", "kind": r.URL.Query().Get("kind"), "plan": r.URL.Query().Get("plan")}
	return s.showResource(w, r, who, schedule.Resource{}, schedule.Use{}, freshForm(known))
}

func (s *site) resourcePage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "resource")
	if err != nil {
		return err
	}
	x, use, err := s.Schedule.HouseResource(r.Context(), id)
	if err != nil {
		return err
	}
	return s.showResource(w, r, who, x, use, freshForm(schedule.ResourceFormOf(x).Fields()))
}

// saveResource adds a hall or coach or changes one.
func (s *site) saveResource(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	k := kindOf(schedule.AResource)
	id, err := houseID(r, k)
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	p := r.PostForm
	form := schedule.ResourceForm{Kind: p.Get("kind"), Name: p.Get("name"), Note: p.Get("note"), Plan: p.Get("plan"), Turnaround: p.Get("turnaround"), ManifestEmail: p.Get("manifest_email"), Revision: revision(p)}
	saved, err := s.Schedule.SaveResource(r.Context(), s.by(r, who), id, form)
	if err == nil {
		return s.toHouse(w, r, k.url(saved), savedWord(id))
	}
	var x schedule.Resource
	var use schedule.Use
	if id != 0 {
		var gone error
		if x, use, gone = s.Schedule.HouseResource(r.Context(), id); gone != nil {
			return gone
		}
	}
	f, err := s.refused(r, form.Fields(), err, func() (map[string]string, error) { return schedule.ResourceFormOf(x).Fields(), nil })
	if err != nil {
		return err
	}
	if f.status != http.StatusConflict {
		x.Revision = form.Revision
	}
	return s.showResource(w, r, who, x, use, f)
}

func (s *site) showResource(w http.ResponseWriter, r *http.Request, who access.Staff, x schedule.Resource, use schedule.Use, f houseForm) error {
	k := kindOf(schedule.AResource)
	plans, err := s.Schedule.Plans(r.Context())
	if err != nil {
		return err
	}
	head, err := s.houseHead(r, who, k, x.ID, x.Name, x.Revision, f)
	if err != nil {
		return err
	}
	head.Badge = away(k, x.Retired)
	v := views.StaffResource{
		Head: head, Shelf: shelfView(k, x.ID, x.Revision, use, x.Retired),
		Fields: []views.HouseField{
			f.field(views.HouseField{Name: "name", Label: "Name", Hint: "As it is printed on tickets: Hall 1, Coach 12.", Max: "100", Must: true}),
			f.field(views.HouseField{Name: "note", Label: "Note", Hint: "Customers see it: “2+2 seats, air-conditioned”.", Max: "200"}),
			f.field(views.HouseField{Name: "turnaround", Label: "Turnaround, minutes", Hint: "How long it is not free after an event: cleaning, driving home.", Mode: "numeric", Max: "4"}),
			f.field(views.HouseField{Name: "manifest_email", Label: "Lists of passengers go to", Hint: "An e-mail address, half an hour before each start. Empty: the one of the settings.", Type: "email", Max: "254"}),
		},
		Plan: planChoice(plans, x, f),
	}
	switch {
	case x.ID == 0:
		v.Kind = kindChoice(f)
	case use.Coming > 0:
		v.Keeps = &views.Note{Title: format.Count(use.Coming, "event") + " to come " + isAre(use.Coming, "keeps its", "keep their") + " seat plan and turnaround", Text: []string{
			"What you change here is for events made from now on. Name and note are shown everywhere at once."}}
	}
	if len(plans) == 0 {
		v.NoPlan = &views.Note{Title: "There is no seat plan yet", Text: []string{"Draw and publish one first; then a hall or coach can have it."}, Links: []views.Link{{Text: "Seat plans", URL: "/staff/layouts"}}}
	}
	s.render(w, r, f.status, views.StaffResourcePage(v))
	return nil
}

func kindChoice(f houseForm) *views.HouseChoice {
	c := &views.HouseChoice{Name: "kind", Label: "Kind", Hint: "It cannot be changed later.", Error: f.wrong("kind"), Options: []views.Option{{Text: "Choose"}}}
	for _, kind := range []string{"hall", "coach"} {
		c.Options = append(c.Options, views.Option{Value: kind, Text: resourceKind(kind), Selected: f.typed["kind"] == kind})
	}
	return c
}

// planChoice offers the newest version of each fitting plan, and the older one that it has.
func planChoice(plans []schedule.Plan, x schedule.Resource, f houseForm) views.HouseChoice {
	c := views.HouseChoice{Name: "plan", Label: "Seat plan", Error: f.wrong("plan"), Hint: "Events made from now on have it."}
	add := func(id int64, name string, version, places int, more string) {
		value := strconv.FormatInt(id, 10)
		text := name + ", version " + strconv.Itoa(version) + ", " + format.Count(places, "place") + more
		if f.differs("plan") != "" && f.stored["plan"] == value {
			c.Stored = "Stored now: " + text
		}
		c.Options = append(c.Options, views.Option{Value: value, Text: text, Selected: f.typed["plan"] == value})
	}
	if x.ID == 0 {
		c.Options = append(c.Options, views.Option{Text: "Choose"})
	}
	newest := false
	for _, p := range plans {
		newest = newest || p.VersionID == x.LayoutVersionID
	}
	if x.ID != 0 && !newest {
		add(x.LayoutVersionID, x.Layout, x.Version, x.Seats, ", as it is")
	}
	for _, p := range plans {
		what := ", hall"
		if p.Vehicle {
			what = ", coach"
		}
		if x.ID == 0 {
			add(p.VersionID, p.Name, p.Version, p.Places, what)
		} else if p.Vehicle == (x.Kind == "coach") {
			add(p.VersionID, p.Name, p.Version, p.Places, "")
		}
	}
	return c
}
