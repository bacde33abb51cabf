package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/internal/seatplan"
	"holdfast/views"
)

const plansURL = "/staff/layouts"

func planURL(id int64) string { return plansURL + "/" + strconv.FormatInt(id, 10) }

// planNotes tell what the page before did, by the word it left.
func planNotes(word string) *views.Note {
	ok := func(title string, text ...string) *views.Note {
		return &views.Note{Tone: "ok", Alert: true, Title: title, Text: text}
	}
	word, rest, _ := strings.Cut(word, ":")
	switch word {
	case "plan gone":
		return ok("The draft is gone", "Nothing of it was published, so the plan is gone with it.")
	case "plan discarded":
		return ok("The draft is gone", "The version in use is as it was.")
	case "plan renamed":
		return ok("The plan has its new name")
	case "plan open":
		return &views.Note{Alert: true, Title: "A draft was open already", Text: []string{"This is it. To begin from another version, throw this one away first."}}
	case "plan published", "plan moved":
		version, events, _ := strings.Cut(rest, "/")
		if word == "plan moved" {
			return ok(events, "The version in use is "+version+".")
		}
		return ok("Version "+version+" is in use", events)
	}
	return nil
}

// staffPlans lists the seat plans.
func (s *site) staffPlans(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	page, _, err := s.staffPage(r, who, "Seat plans", plansURL)
	if err != nil {
		return err
	}
	list, err := s.Schedule.Layouts(r.Context())
	if err != nil {
		return err
	}
	v := views.StaffPlans{Page: page, Said: planNotes(s.Sessions.PopString(r.Context(), saidKey))}
	for _, l := range list {
		v.Plans = append(v.Plans, planLine(l))
	}
	for _, t := range seatplan.Templates() {
		v.Starts = append(v.Starts, views.PlanStart{Name: t.Name, About: t.About, URL: plansURL + "/new?start=" + t.Key})
	}
	s.render(w, r, http.StatusOK, views.StaffPlansPage(v))
	return nil
}

func planLine(l schedule.LayoutLine) views.PlanLine {
	v := views.PlanLine{Name: l.Name, URL: planURL(l.ID), Kind: planKind(l.Vehicle), Version: "not published"}
	if l.VersionID != 0 {
		v.Version = "version " + strconv.Itoa(l.Version) + ", " + format.Count(l.Places, "place")
	}
	if l.Draft {
		v.DraftURL = v.URL + "/draft"
	}
	var used []string
	if l.Resources != "" {
		used = append(used, l.Resources)
	}
	if l.Coming > 0 {
		used = append(used, format.Count(l.Coming, "event")+" to come")
	}
	v.Used = strings.Join(used, "; ")
	return v
}

func planKind(vehicle bool) string {
	if vehicle {
		return "Coach"
	}
	return "Hall"
}

// staffPlan shows one plan with its versions.
func (s *site) staffPlan(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "layout")
	if err != nil {
		return err
	}
	return s.showPlan(w, r, who, id, http.StatusOK, views.PlanRename{}, planNotes(s.Sessions.PopString(r.Context(), saidKey)))
}

func (s *site) showPlan(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, status int, typed views.PlanRename, said *views.Note) error {
	f, err := s.Schedule.LayoutFile(r.Context(), id)
	if err != nil {
		return err
	}
	page, set, err := s.staffPage(r, who, f.Name, plansURL)
	if err != nil {
		return err
	}
	v := views.StaffPlan{Page: page, Name: f.Name, URL: planURL(id), Said: said, Rename: typed, Facts: []string{planKind(f.Vehicle)}}
	if v.Rename.Was == "" {
		v.Rename = views.PlanRename{Was: f.Name, Typed: f.Name}
	}
	if f.Draft != nil {
		v.DraftURL = v.URL + "/draft"
		v.Facts = append(v.Facts, "A draft is open, last changed by "+f.Draft.Who+" "+shortMoment(f.Draft.EditedAt, set)+".")
	}
	if f.Current != nil {
		m := planMap(f.Current)
		v.Map = &m
		v.Facts[0] += ", " + format.Count(f.Current.Capacity(), "place") + ", version " + strconv.Itoa(f.Versions[0].Version) + " in use"
	}
	for i, x := range f.Versions {
		v.Versions = append(v.Versions, planVersion(v.URL, x, i == 0, f.Draft == nil, shortMoment(x.PublishedAt, set)))
	}
	v.Behind = planMoves(f.Behind, true)
	if f.Current != nil && f.Resources == 0 {
		v.Unused = planUnused(f)
	}
	s.render(w, r, status, views.StaffPlanPage(v))
	return nil
}

// planUnused leads on from a plan that no hall or coach has.
func planUnused(f *schedule.LayoutFile) *views.Note {
	kind := strings.ToLower(planKind(f.Vehicle))
	return &views.Note{Title: "No " + kind + " has this plan yet", Text: []string{"Events take place in a " + kind + ", which has a name and a plan."},
		Links: []views.Link{{Text: "Add a " + kind + " with it", URL: "/staff/resources/new?kind=" + kind + "&plan=" + strconv.FormatInt(f.Versions[0].ID, 10)}}}
}

func planVersion(url string, x schedule.LayoutVersion, current, mayStart bool, when string) views.PlanVersion {
	no := strconv.Itoa(x.Version)
	v := views.PlanVersion{
		Number: no, URL: url + "/versions/" + no, When: when, Who: x.Who, Places: format.Count(x.Places, "place"), Current: current,
		Used: format.Count(x.Events, "event"),
	}
	if x.Coming > 0 {
		v.Used += ", " + strconv.Itoa(x.Coming) + " to come"
	}
	if mayStart {
		v.StartURL = url + "/drafts"
	}
	return v
}

const lostShown = 12

// planMoves lists events with what keeps some of them; those that can go over are ticked.
func planMoves(moves []schedule.Move, ticked bool) []views.PlanMove {
	var out []views.PlanMove
	for _, m := range moves {
		e := m.Event
		v := views.PlanMove{
			ID: strconv.FormatInt(e.ID, 10), Title: e.Title, When: eventWhen(e.StartsAt, e.TimeZone), Badge: strings.ToLower(eventBadge(e.Status).Text),
			URL: "/staff" + eventURL(e.ID), Version: strconv.Itoa(e.Version), Ticked: ticked,
		}
		if len(m.Lost) > 0 {
			v.Blocked = lostWords(m.Lost)
		}
		for _, l := range m.Lost[:min(len(m.Lost), lostShown)] {
			v.Lost = append(v.Lost, planLost(l))
		}
		if more := len(m.Lost) - lostShown; more > 0 {
			v.More = fmt.Sprintf("and %d more", more)
		}
		out = append(out, v)
	}
	return out
}

// lostWords counts the seats that stand in the way.
func lostWords(lost []schedule.LostSeat) string {
	var seats []string
	for _, l := range lost {
		if !slices.Contains(seats, l.SeatNo) {
			seats = append(seats, l.SeatNo)
		}
	}
	if len(seats) == 1 {
		return "1 seat that somebody has would be lost or changed"
	}
	return fmt.Sprintf("%d seats that somebody has would be lost or changed", len(seats))
}

func planLost(l schedule.LostSeat) views.PlanLost {
	v := views.PlanLost{Seat: strings.ToUpper(l.Call[:1]) + l.Call[1:], What: "is changed", Who: l.Who}
	if l.Gone {
		v.What = "is gone"
	}
	switch {
	case l.Reference != "":
		v.Who, v.URL = domain.ShowReference(l.Reference), "/staff/bookings?q="+l.Reference
		if l.Who != "" {
			v.Who += ", " + l.Who
		}
	case l.State == "blocked":
		v.Who = "blocked by staff"
	case l.Who == "":
		v.Who = "held right now by a customer"
	default:
		v.Who = "held right now by " + l.Who
	}
	return v
}

// staffPlanVersion shows a published version.
func (s *site) staffPlanVersion(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "layout")
	if err != nil {
		return err
	}
	version := revisionOf(r.PathValue("version"))
	if version < 1 {
		return fmt.Errorf("version: %w", domain.ErrNotFound)
	}
	l, err := s.Schedule.LayoutVersion(r.Context(), id, version)
	if err != nil {
		return err
	}
	heading := l.Name + ", version " + strconv.Itoa(version)
	page, _, err := s.staffPage(r, who, heading, plansURL)
	if err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.StaffPlanVersionPage(views.StaffPlanVersion{
		Page: page, Heading: heading, Facts: []string{format.Count(l.Capacity(), "place")}, Map: planMap(l), PlanURL: planURL(id),
		StartURL: planURL(id) + "/drafts", Version: strconv.Itoa(version),
	}))
	return nil
}
