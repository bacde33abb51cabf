package schedule

import (
	"context"
	"errors"
	"slices"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/seatplan"
)

// Move is an event to come and what a new version of its plan would do to it.
type Move struct {
	Event LayoutEvent
	Lost  []LostSeat // not empty: it keeps its version
}

// LostSeat is a place that somebody has and that the new version lacks or changes.
type LostSeat struct {
	SeatInUse
	Call string // "Balcony, row C, seat 1", as the old version says
	Gone bool   // else it is only changed
}

// Publication is what publishing a draft would do now.
type Publication struct {
	Draft    Draft
	Next     int // the version's number
	Was      int // places of the version in use, 0 when there is none
	Changes  seatplan.Difference
	Events   []Move
	Unpriced []string // names of zones without a price at some of the events
}

// Publication looks at a draft and at the events it could move; domain.ErrNotFound.
func (s *Service) Publication(ctx context.Context, id int64) (*Publication, error) {
	d, err := s.Draft(ctx, id)
	if err != nil {
		return nil, err
	}
	p := &Publication{Draft: d, Next: 1}
	versions, err := s.db.LayoutVersions(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(versions) > 0 {
		current, err := s.db.Layout(ctx, versions[0].ID)
		if err != nil {
			return nil, err
		}
		p.Next, p.Was, p.Changes = versions[0].Version+1, current.Capacity(), seatplan.Compare(current, d.Plan)
	}
	events, err := s.db.LayoutEvents(ctx, id)
	if err != nil {
		return nil, err
	}
	if p.Events, err = s.moves(ctx, s.db.Queries, events, d.Plan); err != nil {
		return nil, err
	}
	p.Unpriced, err = s.unpriced(ctx, d.Plan, eventIDs(events))
	return p, err
}

func eventIDs(events []LayoutEvent) []int64 {
	ids := make([]int64, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	return ids
}

func (s *Service) unpriced(ctx context.Context, plan *domain.Layout, events []int64) ([]string, error) {
	var used []int
	for _, c := range plan.Cells {
		if c.Kind.Sellable() && !slices.Contains(used, c.Zone) {
			used = append(used, c.Zone)
		}
	}
	nos, err := s.db.UnpricedZones(ctx, used, events)
	var names []string
	for _, z := range plan.Zones {
		if slices.Contains(nos, z.No) {
			names = append(names, z.Name)
		}
	}
	return names, err
}

// moves finds out for every event what the plan would take from or change for people who
// have seats.
func (s *Service) moves(ctx context.Context, q db.Queries, events []LayoutEvent, plan *domain.Layout) ([]Move, error) {
	out := make([]Move, len(events))
	for i, e := range events {
		out[i].Event = e
	}
	for _, version := range versionsOf(events) {
		old, err := q.Layout(ctx, version)
		if err != nil {
			return nil, err
		}
		d := seatplan.Compare(old, plan)
		if len(d.Touched()) == 0 {
			continue
		}
		used, err := q.SeatsInUse(ctx, eventIDs(events), d.Touched())
		if err != nil {
			return nil, err
		}
		for _, u := range used {
			at := slices.IndexFunc(events, func(e LayoutEvent) bool { return e.ID == u.EventID })
			if events[at].VersionID == version {
				c, _ := old.Seat(u.SeatNo)
				out[at].Lost = append(out[at].Lost, LostSeat{u, seatplan.Call(c), slices.Contains(d.Gone, u.SeatNo)})
			}
		}
	}
	return out, nil
}

func versionsOf(events []LayoutEvent) []int64 {
	var out []int64
	for _, e := range events {
		if !slices.Contains(out, e.VersionID) {
			out = append(out, e.VersionID)
		}
	}
	return out
}

// Which says which events to come go over to a new version.
type Which struct {
	All bool
	IDs []int64 // without All: these
}

// Published is what publishing did.
type Published struct {
	Version     int
	Moved, Kept int
}

// PublishPlan makes a draft that still has the revision the version in use: halls and coaches
// get it, and so do the chosen events to come, unless somebody would lose a seat or find
// it changed; those keep their version. domain.ErrStale: somebody changed the draft or
// published it meanwhile, nothing was done. *domain.RuleError: it cannot be published.
func (s *Service) PublishPlan(ctx context.Context, by domain.By, id int64, revision int, which Which) (out Published, err error) {
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		d, err := t.LayoutDraft(ctx, id)
		if errors.Is(err, domain.ErrNotFound) { // somebody published or discarded it a moment ago
			return domain.ErrStale
		}
		if err != nil {
			return err
		}
		if err := t.EndLayoutDraft(ctx, id, revision); err != nil {
			return err
		}
		if err := seatplan.Check(d.Plan); err != nil {
			return ruled(err)
		}
		if d.Plan.Capacity() == 0 {
			return &domain.RuleError{Code: "empty", Words: "This plan has no places yet. Make some cells seats first."}
		}
		version, err := t.InsertLayoutVersion(ctx, id, d.Plan)
		if err != nil {
			return err
		}
		if err := t.SignLayoutVersion(ctx, version, by.Actor, d.Form); err != nil {
			return err
		}
		if err := t.UseLayoutVersion(ctx, id, version); err != nil {
			return err
		}
		if out, err = s.move(ctx, t, id, version, d.Plan, which); err != nil {
			return err
		}
		versions, err := t.LayoutVersions(ctx, id)
		if err != nil {
			return err
		}
		out.Version = versions[0].Version
		return t.Log(ctx, by, "plan_published", planSubject(id), map[string]int{"based_on": d.BasedOn},
			map[string]int{"version": out.Version, "places": d.Plan.Capacity(), "events_moved": out.Moved, "events_kept": out.Kept})
	})
	return out, err
}

// MoveEvents makes events to come use the version in use now, as PublishPlan does.
func (s *Service) MoveEvents(ctx context.Context, by domain.By, id int64, ids []int64) (out Published, err error) {
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		versions, err := t.LayoutVersions(ctx, id)
		if err != nil {
			return err
		}
		if len(versions) == 0 {
			return domain.ErrNotFound
		}
		plan, err := t.Layout(ctx, versions[0].ID)
		if err != nil {
			return err
		}
		if out, err = s.move(ctx, t, id, versions[0].ID, plan, Which{IDs: ids}); err != nil {
			return err
		}
		out.Version = versions[0].Version
		return t.Log(ctx, by, "plan_moved", planSubject(id), nil, map[string]int{"version": out.Version, "events_moved": out.Moved, "events_kept": out.Kept})
	})
	return out, err
}

// move locks the events, so that nobody claims while it looks and changes, and gives the
// version to those that lose nothing.
func (s *Service) move(ctx context.Context, t *db.Tx, id, version int64, plan *domain.Layout, which Which) (out Published, err error) {
	ids := which.IDs
	if which.All {
		all, err := t.LayoutEvents(ctx, id)
		if err != nil {
			return out, err
		}
		ids = eventIDs(all)
	}
	if len(ids) == 0 {
		return out, nil
	}
	events, err := t.LockLayoutEvents(ctx, id, ids)
	if err != nil {
		return out, err
	}
	moves, err := s.moves(ctx, t.Queries, older(events, version), plan)
	if err != nil {
		return out, err
	}
	free := map[int64][]LayoutEvent{} // by the version they have
	for _, m := range moves {
		if len(m.Lost) > 0 {
			out.Kept++
			continue
		}
		free[m.Event.VersionID] = append(free[m.Event.VersionID], m.Event)
		out.Moved++
	}
	for _, from := range versionsOf(events) {
		if err := s.give(ctx, t, free[from], from, version, plan); err != nil {
			return out, err
		}
	}
	return out, nil
}

// give changes the seats of events that all have one version, and pins the new one.
func (s *Service) give(ctx context.Context, t *db.Tx, events []LayoutEvent, from, version int64, plan *domain.Layout) error {
	if len(events) == 0 {
		return nil
	}
	old, err := t.Layout(ctx, from)
	if err != nil {
		return err
	}
	d := seatplan.Compare(old, plan)
	ids, legs := eventIDs(events), 0
	for _, e := range events {
		legs += e.LastStop
	}
	if len(d.Gone) > 0 {
		if err := t.DropSeats(ctx, ids, d.Gone, legs*len(d.Gone)); err != nil {
			return err
		}
	}
	if len(d.Added) > 0 {
		if err := t.AddLaterSeats(ctx, ids, d.Added); err != nil {
			return err
		}
	}
	return t.PinLayout(ctx, ids, version)
}
