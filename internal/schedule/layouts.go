package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/seatplan"
)

// What the pages about seat plans read, as the database has it.
type (
	LayoutLine    = db.LayoutLine
	LayoutVersion = db.LayoutVersion
	LayoutEvent   = db.LayoutEvent
	SeatInUse     = db.SeatInUse
)

// Draft is the working copy of a seat plan.
type Draft struct {
	db.LayoutDraft
	Name string
	Spec *seatplan.Spec // what was typed into the form, nil when there was none
}

const longestLayoutName = 60 // letters

// Layouts lists all seat plans.
func (s *Service) Layouts(ctx context.Context) ([]LayoutLine, error) { return s.db.Layouts(ctx) }

// LayoutFile is one seat plan with its history.
type LayoutFile struct {
	ID        int64
	Name      string
	Vehicle   bool
	Versions  []LayoutVersion // the newest first; none when nothing is published yet
	Current   *domain.Layout  // nil then
	Draft     *Draft          // nil when nobody is drawing
	Behind    []Move          // events to come that pin an older version
	Resources int             // halls or coaches that have it
}

// LayoutFile reads it; domain.ErrNotFound.
func (s *Service) LayoutFile(ctx context.Context, id int64) (*LayoutFile, error) {
	f := &LayoutFile{ID: id}
	var err error
	if f.Name, f.Vehicle, err = s.db.LayoutName(ctx, id); err != nil {
		return nil, err
	}
	if f.Versions, err = s.db.LayoutVersions(ctx, id); err != nil {
		return nil, err
	}
	draft, err := s.Draft(ctx, id)
	switch {
	case err == nil:
		f.Draft = &draft
	case !errors.Is(err, domain.ErrNotFound):
		return nil, err
	}
	if len(f.Versions) == 0 {
		return f, nil
	}
	if f.Current, err = s.db.Layout(ctx, f.Versions[0].ID); err != nil {
		return nil, err
	}
	if f.Resources, err = s.db.LayoutResources(ctx, id); err != nil {
		return nil, err
	}
	events, err := s.db.LayoutEvents(ctx, id)
	if err != nil {
		return nil, err
	}
	f.Behind, err = s.moves(ctx, s.db.Queries, older(events, f.Versions[0].ID), f.Current)
	return f, err
}

func older(events []LayoutEvent, current int64) []LayoutEvent {
	var out []LayoutEvent
	for _, e := range events {
		if e.VersionID != current {
			out = append(out, e)
		}
	}
	return out
}

// LayoutVersion is one published version by its number; domain.ErrNotFound.
func (s *Service) LayoutVersion(ctx context.Context, id int64, version int) (*domain.Layout, error) {
	return s.db.LayoutByVersion(ctx, id, version)
}

// Draft reads the working copy; domain.ErrNotFound when nobody is drawing.
func (s *Service) Draft(ctx context.Context, id int64) (Draft, error) {
	x, err := s.db.LayoutDraft(ctx, id)
	if err != nil {
		return Draft{}, err
	}
	d := Draft{LayoutDraft: x}
	if d.Name, _, err = s.db.LayoutName(ctx, id); err != nil {
		return d, err
	}
	d.Spec, err = readSpec(x.Form)
	return d, err
}

func readSpec(form []byte) (*seatplan.Spec, error) {
	if len(form) == 0 {
		return nil, nil
	}
	var spec seatplan.Spec
	if err := json.Unmarshal(form, &spec); err != nil {
		return nil, fmt.Errorf("form of a seat plan: %w", err)
	}
	return &spec, nil
}

// wrongLayoutName says what is wrong with a name, "" for nothing.
func wrongLayoutName(name string) string {
	switch n := len([]rune(name)); {
	case n == 0:
		return "Type a name, such as Hall 1 or Coach 2+2."
	case n > longestLayoutName:
		return fmt.Sprintf("The name is too long: at most %d letters.", longestLayoutName)
	}
	return ""
}

const nameInUse = "Another plan has this name already."

// NewLayout begins a seat plan from the form: its draft is there, nothing is published.
// Problems say what is wrong with which field; then nothing was stored.
func (s *Service) NewLayout(ctx context.Context, by domain.By, name string, spec seatplan.Spec) (int64, seatplan.Problems, error) {
	name = strings.TrimSpace(name)
	plan, problems := seatplan.Build(spec)
	if words := wrongLayoutName(name); words != "" {
		if problems == nil {
			problems = seatplan.Problems{}
		}
		problems["name"] = words
	}
	if len(problems) > 0 {
		return 0, problems, nil
	}
	form, err := json.Marshal(spec)
	if err != nil {
		return 0, nil, err
	}
	var id int64
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		var err error
		if id, err = t.InsertNewLayout(ctx, name, spec.Vehicle); err != nil {
			return err
		}
		if err := t.InsertLayoutDraft(ctx, id, 0, plan, form, by.Actor); err != nil {
			return err
		}
		return t.Log(ctx, by, "plan_begun", planSubject(id), nil, map[string]any{"name": name, "places": plan.Capacity()})
	})
	if errors.Is(err, domain.ErrConflict) {
		return 0, seatplan.Problems{"name": nameInUse}, nil
	}
	return id, nil, err
}

func planSubject(layoutID int64) string { return fmt.Sprintf("layout:%d", layoutID) }

// RenameLayout gives a plan another name; was is what the form showed. domain.ErrStale,
// *domain.RuleError.
func (s *Service) RenameLayout(ctx context.Context, by domain.By, id int64, was, name string) error {
	name = strings.TrimSpace(name)
	if words := wrongLayoutName(name); words != "" {
		return &domain.RuleError{Code: "name", Words: words}
	}
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.RenameLayout(ctx, id, was, name); err != nil {
			return err
		}
		return t.Log(ctx, by, "plan_renamed", planSubject(id), map[string]string{"name": was}, map[string]string{"name": name})
	})
	if errors.Is(err, domain.ErrConflict) {
		return &domain.RuleError{Code: "name", Words: nameInUse}
	}
	return err
}

// StartDraft begins a working copy from a published version. domain.ErrConflict:
// somebody is drawing already.
func (s *Service) StartDraft(ctx context.Context, by domain.By, id int64, version int) error {
	plan, err := s.db.LayoutByVersion(ctx, id, version)
	if err != nil {
		return err
	}
	form, err := s.db.LayoutForm(ctx, id, version)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.InsertLayoutDraft(ctx, id, version, plan, form, by.Actor); err != nil {
			return err
		}
		return t.Log(ctx, by, "plan_draft_begun", planSubject(id), nil, map[string]int{"version": version})
	})
}
