package schedule

import (
	"context"
	"encoding/json"
	"errors"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/seatplan"
)

// PlanEdit is one change to a draft: what it does, in words for the log, and the doing. The
// plan it gets is a copy that it may change as it likes.
type PlanEdit struct {
	What string // "make 4 cells wheelchair"
	Do   func(*domain.Layout) error
}

// EditDraft changes a draft that still has the revision. *domain.RuleError says what
// cannot be, domain.ErrStale that somebody else changed it; nothing is stored then.
func (s *Service) EditDraft(ctx context.Context, by domain.By, id int64, revision int, edit PlanEdit) error {
	d, err := s.Draft(ctx, id)
	if err != nil {
		return err
	}
	if d.Revision != revision {
		return domain.ErrStale
	}
	before := d.Plan.Capacity()
	next := copyOf(d.Plan)
	if err := edit.Do(next); err != nil {
		return ruled(err)
	}
	if err := seatplan.Check(next); err != nil {
		return ruled(err)
	}
	d.Plan = next
	return s.saveDraft(ctx, by, d, edit.What, before)
}

// copyOf is a plan of its own, without what the old one looked up.
func copyOf(l *domain.Layout) *domain.Layout {
	return &domain.Layout{
		VersionID: l.VersionID, Name: l.Name, Vehicle: l.Vehicle, Decks: append([]string{}, l.Decks...),
		Zones: append([]domain.Zone{}, l.Zones...), Cells: append([]domain.Cell{}, l.Cells...),
	}
}

// ruled turns a plan's refusal into one for people, with the seats it is about.
func ruled(err error) error {
	var r *seatplan.Refusal
	if !errors.As(err, &r) {
		return err
	}
	out := &domain.RuleError{Code: "plan", Words: r.Words}
	for _, at := range r.Cells {
		out.Seats = append(out.Seats, at.String())
	}
	return out
}

func (s *Service) saveDraft(ctx context.Context, by domain.By, d Draft, what string, before int) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.SaveLayoutDraft(ctx, d.LayoutDraft, by.Actor); err != nil {
			return err
		}
		return t.Log(ctx, by, "plan_edited", planSubject(d.LayoutID), map[string]any{"places": before}, map[string]any{"did": what, "places": d.Plan.Capacity()})
	})
}

// Redraw draws a draft anew from the form. What was changed by hand stays on places that
// still exist. Problems say what is wrong with which field.
func (s *Service) Redraw(ctx context.Context, by domain.By, id int64, revision int, spec seatplan.Spec) (seatplan.Problems, error) {
	d, err := s.Draft(ctx, id)
	if err != nil {
		return nil, err
	}
	if d.Revision != revision {
		return nil, domain.ErrStale
	}
	_, spec.Vehicle, err = s.db.LayoutName(ctx, id)
	if err != nil {
		return nil, err
	}
	plan, problems := seatplan.Build(spec)
	if len(problems) > 0 {
		return problems, nil
	}
	if d.Spec != nil {
		if formed, bad := seatplan.Build(*d.Spec); len(bad) == 0 {
			seatplan.Keep(plan, d.Plan, formed)
		}
	}
	if err := seatplan.Check(plan); err != nil {
		return seatplan.Problems{"plan": err.Error()}, nil
	}
	before := d.Plan.Capacity()
	if d.Form, err = json.Marshal(spec); err != nil {
		return nil, err
	}
	d.Plan = plan
	return nil, s.saveDraft(ctx, by, d, "draw anew from the form", before)
}

// UndoDraft goes one change back; again, forth. domain.ErrStale.
func (s *Service) UndoDraft(ctx context.Context, by domain.By, id int64, revision int) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.UndoLayoutDraft(ctx, id, revision, by.Actor); err != nil {
			return err
		}
		return t.Log(ctx, by, "plan_edited", planSubject(id), nil, map[string]string{"did": "one step back"})
	})
}

// DiscardDraft throws the working copy away. A plan that was never published goes with
// it: gone says so. domain.ErrStale.
func (s *Service) DiscardDraft(ctx context.Context, by domain.By, id int64, revision int) (gone bool, err error) {
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.EndLayoutDraft(ctx, id, revision); err != nil {
			return err
		}
		if err := t.DropUnusedLayout(ctx, id); err != nil {
			return err
		}
		_, _, err := t.LayoutName(ctx, id)
		gone = errors.Is(err, domain.ErrNotFound)
		if err != nil && !gone {
			return err
		}
		return t.Log(ctx, by, "plan_draft_discarded", planSubject(id), nil, nil)
	})
	return gone, err
}
