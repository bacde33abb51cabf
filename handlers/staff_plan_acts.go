package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// renamePlan gives a plan another name.
func (s *site) renamePlan(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "layout")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	typed := views.PlanRename{Was: r.PostForm.Get("was"), Typed: r.PostForm.Get("name")}
	err = s.Schedule.RenameLayout(r.Context(), s.by(r, who), id, typed.Was, typed.Typed)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		typed.Problem = rule.Words
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showPlan(w, r, who, id, http.StatusUnprocessableEntity, typed, nil)
	}
	if err != nil {
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, "plan renamed")
	return seeOther(w, r, planURL(id))
}

// startDraft begins to change a plan from one of its versions.
func (s *site) startDraft(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "layout")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	version := revisionOf(r.PostForm.Get("version"))
	if version == 0 {
		return fmt.Errorf("version: %w", domain.ErrNotFound)
	}
	err = s.Schedule.StartDraft(r.Context(), s.by(r, who), id, version)
	if errors.Is(err, domain.ErrConflict) {
		s.Sessions.Put(r.Context(), saidKey, "plan open")
	} else if err != nil {
		return err
	}
	return seeOther(w, r, planURL(id)+"/draft")
}

// discardDraft throws the working copy away.
func (s *site) discardDraft(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, revision, err := s.draftForm(r)
	if err != nil {
		return err
	}
	if r.PostForm.Get("sure") == "" {
		note := &views.Note{Tone: "bad", Alert: true, Title: "Tick the box beside the button", Text: []string{"A draft that is thrown away cannot be brought back. Nothing was changed."}}
		return s.showDraft(w, r, who, id, http.StatusUnprocessableEntity, draftTyped{}, note)
	}
	gone, err := s.Schedule.DiscardDraft(r.Context(), s.by(r, who), id, revision)
	if errors.Is(err, domain.ErrStale) {
		return s.staleDraft(w, r, who, id, draftTyped{}, err)
	}
	if err != nil {
		return err
	}
	if gone {
		s.Sessions.Put(r.Context(), saidKey, "plan gone")
		return seeOther(w, r, plansURL)
	}
	s.Sessions.Put(r.Context(), saidKey, "plan discarded")
	return seeOther(w, r, planURL(id))
}

// draftForm reads what every form about a draft carries.
func (s *site) draftForm(r *http.Request) (id int64, revision int, err error) {
	if id, err = pathID(r, "layout"); err != nil {
		return 0, 0, err
	}
	if err := parseForm(r); err != nil {
		return 0, 0, err
	}
	return id, revisionOf(r.PostForm.Get("revision")), nil
}

// movePlanEvents makes ticked events use the version in use.
func (s *site) movePlanEvents(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "layout")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	ids := eventTicks(r)
	if len(ids) == 0 {
		note := &views.Note{Tone: "bad", Alert: true, Title: "Tick the events that are to move", Text: []string{"Nothing was changed."}}
		return s.showPlan(w, r, who, id, http.StatusUnprocessableEntity, views.PlanRename{}, note)
	}
	done, err := s.Schedule.MoveEvents(r.Context(), s.by(r, who), id, ids)
	if err != nil {
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, fmt.Sprintf("plan moved:%d/%s", done.Version, movedWords(done)))
	return seeOther(w, r, planURL(id))
}

func eventTicks(r *http.Request) []int64 {
	var ids []int64
	for _, text := range r.PostForm["event"] {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

func movedWords(p schedule.Published) string {
	if p.Moved+p.Kept == 0 {
		return "New events in halls and coaches that have this plan use it. No event had to move."
	}
	words := format.Count(p.Moved, "event") + " went over to it."
	if p.Kept > 0 {
		words += " " + format.Count(p.Kept, "event") + " kept the old version: somebody would have lost a seat or found it changed."
	}
	return words
}

// publishPlanPage shows what publishing would do.
func (s *site) publishPlanPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "layout")
	if err != nil {
		return err
	}
	return s.showPublish(w, r, who, id, http.StatusOK, "all", nil)
}

func (s *site) showPublish(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, status int, which string, said *views.Note) error {
	p, err := s.Schedule.Publication(r.Context(), id)
	if err != nil {
		return err
	}
	next := strconv.Itoa(p.Next)
	page, _, err := s.staffPage(r, who, "Publish "+p.Draft.Name, plansURL)
	if err != nil {
		return err
	}
	v := views.StaffPlanPublish{
		Page: page, Heading: "Publish version " + next + " of " + p.Draft.Name, Revision: strconv.Itoa(p.Draft.Revision), Said: said,
		Action: planURL(id) + "/publish", DraftURL: planURL(id) + "/draft", Which: which, Submit: "Publish version " + next,
		Events: planMoves(p.Events, true),
	}
	v.Facts = []string{"A published version never changes. To change the plan again, a new draft begins from it."}
	places := views.StaffTile{Name: "Places", Value: strconv.Itoa(p.Draft.Plan.Capacity())}
	if p.Next > 1 {
		places.Small = strconv.Itoa(p.Was) + " now"
		v.Tiles = []views.StaffTile{
			places, {Name: "New places", Value: strconv.Itoa(len(p.Changes.Added))}, {Name: "Gone", Value: strconv.Itoa(len(p.Changes.Gone))},
			{Name: "Changed", Value: strconv.Itoa(len(p.Changes.Changed)), Small: "label, kind, zone or marks"},
		}
	} else {
		v.Tiles = []views.StaffTile{places, {Name: "Price zones", Value: strconv.Itoa(len(p.Draft.Plan.Zones))}}
	}
	if len(p.Unpriced) > 0 {
		v.Unpriced = &views.Note{Tone: "warn", Title: "No price yet: " + format.List(p.Unpriced), Text: []string{
			"Some of these events have a price list without this zone. Its places show as taken there until the list has a price."}}
	}
	s.render(w, r, status, views.StaffPlanPublishPage(v))
	return nil
}

// publishPlan makes the draft the version in use.
func (s *site) publishPlan(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, revision, err := s.draftForm(r)
	if err != nil {
		return err
	}
	which := r.PostForm.Get("which")
	chosen := schedule.Which{All: which == "all" || which == ""}
	if which == "some" {
		chosen.IDs = eventTicks(r)
	}
	done, err := s.Schedule.PublishPlan(r.Context(), s.by(r, who), id, revision, chosen)
	var rule *domain.RuleError
	switch {
	case errors.As(err, &rule):
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showPublish(w, r, who, id, http.StatusUnprocessableEntity, which, refusal("It cannot be published yet", rule.Words))
	case errors.Is(err, domain.ErrStale):
		return s.staleDraft(w, r, who, id, draftTyped{}, err)
	case err != nil:
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, fmt.Sprintf("plan published:%d/%s", done.Version, movedWords(done)))
	return seeOther(w, r, planURL(id))
}
