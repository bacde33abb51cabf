package handlers

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/schedule"
	"holdfast/internal/seatplan"
	"holdfast/views"
)

// draftTyped is what was ticked and typed on a draft's page.
type draftTyped struct {
	ticks                        []string
	row, first, printed, section string
	newZone, newDeck             string
	bad                          []string // cells a refusal is about
}

// ticksKey holds the ticked cells from a change to the page that follows.
const (
	ticksKey  = "plan_ticks"
	mostTicks = 400 // more are not carried along: the session is no store
)

// draftPage shows the working copy.
func (s *site) draftPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "layout")
	if err != nil {
		return err
	}
	typed := draftTyped{ticks: strings.Fields(s.Sessions.PopString(r.Context(), ticksKey))}
	return s.showDraft(w, r, who, id, http.StatusOK, typed, planNotes(s.Sessions.PopString(r.Context(), saidKey)))
}

// editDraft does what one of the buttons says.
func (s *site) editDraft(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, revision, err := s.draftForm(r)
	if err != nil {
		return err
	}
	typed := draftTyped{
		ticks: r.PostForm["cell"], row: strings.TrimSpace(r.PostForm.Get("row")), first: strings.TrimSpace(r.PostForm.Get("first")),
		printed: strings.TrimSpace(r.PostForm.Get("printed")), section: strings.TrimSpace(r.PostForm.Get("section")),
	}
	do := r.PostForm.Get("do")
	if do == "undo" {
		err = s.Schedule.UndoDraft(r.Context(), s.by(r, who), id, revision)
	} else {
		err = s.Schedule.EditDraft(r.Context(), s.by(r, who), id, revision, readEdit(r, do, &typed))
	}
	var rule *domain.RuleError
	switch {
	case errors.As(err, &rule):
		typed.bad = rule.Seats
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showDraft(w, r, who, id, http.StatusUnprocessableEntity, typed, refusal("Nothing was changed", rule.Words))
	case errors.Is(err, domain.ErrStale):
		return s.staleDraft(w, r, who, id, typed, err)
	case err != nil:
		return err
	}
	if keep, _, _ := strings.Cut(do, ":"); len(typed.ticks) <= mostTicks && !strings.HasPrefix(keep, "row-") && !strings.HasPrefix(keep, "col-") {
		s.Sessions.Put(r.Context(), ticksKey, strings.Join(typed.ticks, " "))
	}
	return seeOther(w, r, planURL(id)+"/draft")
}

// staleDraft shows what is stored now beside what was ticked.
func (s *site) staleDraft(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, typed draftTyped, stale error) error {
	d, err := s.Schedule.Draft(r.Context(), id)
	if err != nil {
		return stale // it is published or thrown away
	}
	s.note(r, http.StatusConflict, stale)
	return s.showDraft(w, r, who, id, http.StatusConflict, typed, &views.Note{Tone: "bad", Alert: true, Title: "Somebody else changed this draft meanwhile", Text: []string{
		"Nothing was overwritten. Below is what is there now, last changed by " + d.Who + ". Your ticks are still set: look, and repeat your change."}})
}

// readEdit turns a button into a change of the plan; what it refuses is told when it is done.
func readEdit(r *http.Request, do string, typed *draftTyped) schedule.PlanEdit {
	var at []seatplan.At
	for _, text := range typed.ticks {
		if a, ok := seatplan.ParseAt(text); ok {
			at = append(at, a)
		}
	}
	edit := schedule.PlanEdit{What: do[:min(len(do), 40)]}
	if len(at) > 0 {
		edit.What += ", " + strconv.Itoa(len(at)) + " cells"
	}
	what, which, _ := strings.Cut(do, ":")
	if edit.Do = houseChange(r, what, which, typed); edit.Do != nil {
		return edit
	}
	change := cellChange(what, which, at)
	if what == "label" {
		naming := readNaming(r, typed)
		change = func(l *domain.Layout) error { return seatplan.Rename(l, at, naming) }
	}
	edit.Do = func(l *domain.Layout) error {
		switch {
		case change == nil:
			return &domain.RuleError{Code: "do", Words: "We do not know that change. Please use the buttons of this page."}
		case len(at) == 0:
			return &domain.RuleError{Code: "none", Words: "Tick one or more cells first, then press the button again."}
		}
		return change(l)
	}
	return edit
}

// cellChange is what a button does to the ticked cells, nil for one we do not know.
func cellChange(what, which string, at []seatplan.At) func(*domain.Layout) error {
	switch what {
	case "make":
		return func(l *domain.Layout) error { return seatplan.Make(l, at, domain.CellKind(which)) }
	case "zone":
		return func(l *domain.Layout) error { return seatplan.SetZone(l, at, number(which)) }
	case "ladies":
		return func(l *domain.Layout) error { return seatplan.SetLadies(l, at, which == "on") }
	case "view":
		return func(l *domain.Layout) error { return seatplan.SetRestricted(l, at, which == "on") }
	case "half":
		return func(l *domain.Layout) error { return seatplan.ShiftHalf(l, at) }
	case "row-before", "row-after":
		return func(l *domain.Layout) error { return seatplan.InsertRow(l, at, what == "row-after") }
	case "col-before", "col-after":
		return func(l *domain.Layout) error { return seatplan.InsertColumn(l, at, what == "col-after") }
	case "row-delete":
		return func(l *domain.Layout) error { return seatplan.DeleteRows(l, at) }
	case "col-delete":
		return func(l *domain.Layout) error { return seatplan.DeleteColumns(l, at) }
	}
	return nil
}

// houseChange is what the forms for zones and decks do, which need no ticks; nil for all
// other buttons.
func houseChange(r *http.Request, what, which string, typed *draftTyped) func(*domain.Layout) error {
	switch what {
	case "zones":
		typed.newZone = strings.TrimSpace(r.PostForm.Get("new"))
		return func(l *domain.Layout) error { return saveZones(l, r.PostForm["zone"], typed.newZone) }
	case "zone-up":
		return func(l *domain.Layout) error { return seatplan.RaiseZone(l, number(which)) }
	case "zone-drop":
		return func(l *domain.Layout) error { return seatplan.DropZone(l, number(which)) }
	case "decks":
		typed.newDeck = strings.TrimSpace(r.PostForm.Get("new"))
		return func(l *domain.Layout) error { return saveDecks(l, r.PostForm["deck"], typed.newDeck) }
	}
	return nil
}

// number is 0 for what is none: no zone has that, and it is refused in words.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

func readNaming(r *http.Request, typed *draftTyped) seatplan.Naming {
	n := seatplan.Naming{Row: typed.row, First: typed.first, Step: 1, FromLeft: r.PostForm.Get("from") != "right", Printed: typed.printed}
	if r.PostForm.Get("step") == "2" {
		n.Step = 2
	}
	switch {
	case typed.printed == "-":
		n.Printed, n.Unprint = "", true
	case typed.section == "-":
		none := ""
		n.Section = &none
	}
	if typed.section != "" && typed.section != "-" {
		n.Section = &typed.section
	}
	return n
}

func saveZones(l *domain.Layout, names []string, more string) error {
	if err := seatplan.NameZones(l, names); err != nil || more == "" {
		return err
	}
	return seatplan.AddZone(l, more)
}

// saveDecks names the decks; an emptied name takes an empty deck away.
func saveDecks(l *domain.Layout, names []string, more string) error {
	if err := seatplan.NameDecks(l, names); err != nil {
		return err
	}
	if more != "" {
		if err := seatplan.AddDeck(l, more); err != nil {
			return err
		}
	}
	for i := len(names) - 1; i >= 0; i-- {
		if strings.TrimSpace(names[i]) == "" && len(l.Decks) > 1 && !slices.ContainsFunc(l.Cells, func(c domain.Cell) bool { return c.Deck == i }) {
			if err := seatplan.DropDeck(l, i); err != nil {
				return err
			}
		}
	}
	return nil
}
