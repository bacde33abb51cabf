package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/seatplan"
	"holdfast/views"
)

// planForm is the form of a plan as it was sent.
type planForm struct {
	name     string
	spec     seatplan.Spec
	revision int // of the draft that is drawn anew, 0 for a new plan
	fresh    bool
	problems seatplan.Problems
}

const mostParts = 40

// newPlanPage shows the form, filled with one of the templates.
func (s *site) newPlanPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	f := planForm{fresh: true, spec: seatplan.Spec{Front: seatplan.FrontScreen, Sections: []seatplan.Section{{}}}}
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	if set.Kind == "bus" {
		f.spec.Vehicle, f.spec.Front = true, seatplan.FrontDriverLeft
	}
	for _, t := range seatplan.Templates() {
		if t.Key == r.URL.Query().Get("start") {
			f.spec = t.Spec
		}
	}
	return s.showPlanForm(w, r, who, 0, http.StatusOK, f, nil)
}

// planFormPage shows what a draft was made from, to draw it anew.
func (s *site) planFormPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "layout")
	if err != nil {
		return err
	}
	d, err := s.Schedule.Draft(r.Context(), id)
	if err != nil {
		return err
	}
	f := planForm{revision: d.Revision, spec: seatplan.Spec{Vehicle: d.Plan.Vehicle, Sections: []seatplan.Section{{}}}}
	var note *views.Note
	if d.Spec != nil {
		f.spec = *d.Spec
	} else {
		note = &views.Note{Tone: "warn", Title: "This plan was not made with this form", Text: []string{"Drawing it from here replaces everything in the draft. One step back is possible."}}
	}
	return s.showPlanForm(w, r, who, id, http.StatusOK, f, note)
}

// createPlan and redrawPlan take the form.
func (s *site) createPlan(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	f := readPlanForm(r)
	f.fresh = true
	if again, done := f.act(r.PostForm.Get("do")); done {
		return s.showPlanForm(w, r, who, 0, http.StatusOK, again, nil)
	}
	id, problems, err := s.Schedule.NewLayout(r.Context(), s.by(r, who), f.name, f.spec)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return s.refusePlanForm(w, r, who, 0, f, problems)
	}
	return seeOther(w, r, planURL(id)+"/draft")
}

func (s *site) redrawPlan(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, revision, err := s.draftForm(r)
	if err != nil {
		return err
	}
	f := readPlanForm(r)
	f.revision = revision
	if again, done := f.act(r.PostForm.Get("do")); done {
		return s.showPlanForm(w, r, who, id, http.StatusOK, again, nil)
	}
	problems, err := s.Schedule.Redraw(r.Context(), s.by(r, who), id, revision, f.spec)
	if errors.Is(err, domain.ErrStale) {
		return s.stalePlanForm(w, r, who, id, f, err)
	}
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return s.refusePlanForm(w, r, who, id, f, problems)
	}
	return seeOther(w, r, planURL(id)+"/draft")
}

// stalePlanForm shows what was typed again: it replaces the other's change only when it is
// sent once more, knowingly.
func (s *site) stalePlanForm(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, f planForm, stale error) error {
	d, err := s.Schedule.Draft(r.Context(), id)
	if err != nil {
		return stale
	}
	f.revision, f.spec.Vehicle = d.Revision, d.Plan.Vehicle
	s.note(r, http.StatusConflict, stale)
	return s.showPlanForm(w, r, who, id, http.StatusConflict, f, &views.Note{Tone: "bad", Alert: true, Title: "Somebody else changed this draft meanwhile", Text: []string{
		"Nothing was overwritten. What you typed is still here; the last change was made by " + d.Who + ". To draw the plan anew all the same, send it again."}})
}

func (s *site) refusePlanForm(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, f planForm, problems seatplan.Problems) error {
	f.problems = problems
	words := "Look at the fields in red. Nothing was stored; what you typed is still here."
	if plan := problems["plan"]; plan != "" {
		words = plan
	}
	s.note(r, http.StatusUnprocessableEntity, fmt.Errorf("plan form: %v", problems))
	return s.showPlanForm(w, r, who, id, http.StatusUnprocessableEntity, f, refusal("The plan cannot be drawn so", words))
}

// readPlanForm reads the fields; whatever they hold is only text until the plan is built.
func readPlanForm(r *http.Request) planForm {
	get := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	f := planForm{name: get("name"), spec: seatplan.Spec{Vehicle: get("vehicle") == "coach", Front: get("front")}}
	n, _ := strconv.Atoi(get("parts")) // none is refused in words later
	for i := range min(n, mostParts+1) {
		p := "s" + strconv.Itoa(i) + "."
		f.spec.Sections = append(f.spec.Sections, seatplan.Section{
			Name: get(p + "name"), Code: get(p + "code"), Deck: get(p + "deck"), Place: get(p + "place"), Rows: get(p + "rows"), RowNames: get(p + "names"),
			Seats: get(p + "seats"), Aisles: get(p + "aisles"), Order: get(p + "order"), Run: get(p + "run"), Start: get(p + "start"),
			Letters: get(p+"letters") != "", Skip: get(p + "skip"), Zone: get(p + "zone"), Berths: get(p+"berths") != "", Half: get(p + "half"),
			Lines: strings.ReplaceAll(get(p+"lines"), "\r", ""),
		})
	}
	return f
}

// act does what the form's other buttons do, which store nothing.
func (f planForm) act(do string) (planForm, bool) {
	what, which, _ := strings.Cut(do, ":")
	switch what {
	case "look":
		_, f.problems = seatplan.Build(f.spec)
		return f, true
	case "add":
		if n := len(f.spec.Sections); n > 0 && n < mostParts {
			last := f.spec.Sections[n-1]
			f.spec.Sections = append(f.spec.Sections, seatplan.Section{Seats: last.Seats, Aisles: last.Aisles, Order: last.Order, Run: last.Run, Letters: last.Letters, Berths: last.Berths})
		}
		return f, true
	case "drop":
		if i, err := strconv.Atoi(which); err == nil && i >= 0 && i < len(f.spec.Sections) && len(f.spec.Sections) > 1 {
			f.spec.Sections = slices.Delete(f.spec.Sections, i, i+1)
		}
		return f, true
	}
	return f, false
}

func (s *site) showPlanForm(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, status int, f planForm, said *views.Note) error {
	title := "New seat plan"
	if !f.fresh {
		title = "Rows and numbers"
	}
	page, _, err := s.staffPage(r, who, title, plansURL)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_plans.js"))
	v := views.StaffPlanForm{Page: page, Heading: title, Refused: said, Full: len(f.spec.Sections) >= mostParts}
	if f.fresh {
		v.Lede, v.Action, v.Submit, v.BackURL = "Rows and seats first; every cell can be changed afterwards.", plansURL, "Create the plan", plansURL
		v.Name = &views.PlanField{ID: "name", Name: "name", Label: "Name of the plan", Hint: "Hall 1, or Coach 2+2", Value: f.name, Problem: f.problems["name"]}
		v.Vehicle = []views.Option{{Value: "hall", Text: "Hall", Selected: !f.spec.Vehicle}, {Value: "coach", Text: "Coach", Selected: f.spec.Vehicle}}
	} else {
		v.Lede, v.Action, v.Submit, v.BackURL = "Drawing anew keeps kinds, zones and marks of places that still exist.", planURL(id)+"/form", "Draw it anew", planURL(id)+"/draft"
		v.Revision = strconv.Itoa(f.revision)
	}
	v.Front = views.PlanField{ID: "front", Name: "front", Label: "In front", Options: choices(f.spec.Front, seatplan.FrontScreen, "Screen",
		seatplan.FrontDriverLeft, "Driver left, door right", seatplan.FrontDriverRight, "Door left, driver right", seatplan.FrontNone, "Nothing")}
	for i, p := range f.spec.Sections {
		v.Parts = append(v.Parts, planPart(i, len(f.spec.Sections), p, f.problems))
	}
	v.Map, v.Places = planLook(f.spec)
	s.render(w, r, status, views.StaffPlanFormPage(v))
	return nil
}

// planLook is the plan that the fields make now.
func planLook(spec seatplan.Spec) (*views.SeatMap, string) {
	plan, problems := seatplan.Build(spec)
	if len(problems) > 0 {
		return nil, ""
	}
	m := planMap(plan)
	return &m, format.Count(plan.Capacity(), "place")
}

func choices(chosen string, pairs ...string) []views.Option {
	var out []views.Option
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, views.Option{Value: pairs[i], Text: pairs[i+1], Selected: pairs[i] == chosen})
	}
	return out
}

func planPart(i, n int, p seatplan.Section, problems seatplan.Problems) views.PlanPart {
	at := "s" + strconv.Itoa(i)
	field := func(name, label, value, hint string) views.PlanField {
		return views.PlanField{ID: at + "-" + name, Name: at + "." + name, Label: label, Value: value, Hint: hint, Problem: problems[at+"."+name]}
	}
	pick := func(name, label, chosen string, pairs ...string) views.PlanField {
		f := field(name, label, "", "")
		f.Options = choices(chosen, pairs...)
		return f
	}
	rows := field("rows", "Rows", p.Rows, "how many")
	rows.Number = true
	v := views.PlanPart{
		No: i, Title: "Rows", Drop: n > 1,
		Fields: []views.PlanField{rows, field("names", "Row names", p.RowNames, "A–M without I; empty for A, B, C or 1, 2, 3"),
			field("seats", "Seats in a row", p.Seats, "16, or 4|8|4 with aisles"), field("aisles", "Aisle after seat", p.Aisles, "4, 12"),
			field("zone", "Price zone", p.Zone, "empty for Standard")},
		More: []views.PlanField{
			field("name", "Section’s name", p.Name, "printed on tickets; empty when there is one"), field("code", "Code of the section", p.Code, "before the seat’s key; empty to make one"),
			field("deck", "Deck", p.Deck, "Lower deck; empty when there is one"), pick("place", "It stands", p.Place, seatplan.Behind, "behind the section before", seatplan.Beside, "beside the section before"),
			pick("order", "Numbers go", p.Order, seatplan.OrderRight, "up to the right: 1 2 3 4", seatplan.OrderLeft, "up to the left: 4 3 2 1",
				seatplan.OrderOddRight, "from the middle, odd right: 4 2 | 1 3", seatplan.OrderOddLeft, "from the middle, odd left: 3 1 | 2 4", seatplan.OrderSnake, "to and fro, row by row"),
			pick("run", "They begin again", p.Run, seatplan.RunRow, "in every row", seatplan.RunSection, "in every section", seatplan.RunHouse, "never: on through the house"),
			field("start", "First number or letter", p.Start, "empty for 1 or A"), field("skip", "Left out", p.Skip, "13, or C"), field("half", "Rows set in by half a seat", p.Half, "B–H"),
		},
		Letters: views.PlanTick{Name: at + ".letters", Label: "Seats have letters", On: p.Letters},
		Berths:  views.PlanTick{Name: at + ".berths", Label: "Places are berths", On: p.Berths},
		Lines:   field("lines", "Rows that are different", p.Lines, ""),
	}
	if n > 1 {
		v.Title = "Section " + strconv.Itoa(i+1)
		if p.Name != "" {
			v.Title += ": " + p.Name
		}
		if i > 0 {
			v.Fields[4].Hint = "empty for the one before"
		}
	}
	v.Open = p.Name+p.Code+p.Deck+p.Place+p.Order+p.Run+p.Start+p.Skip+p.Half+p.Lines != "" || p.Letters || p.Berths || i > 0
	for _, f := range append(v.More, v.Lines) {
		v.Open = v.Open || f.Problem != ""
	}
	return v
}

// placeKind is what one calls a cell.
func placeKind(k domain.CellKind) string {
	switch k {
	case domain.CellWC:
		return "WC"
	case domain.CellGap:
		return "empty"
	}
	return string(k)
}
