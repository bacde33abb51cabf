package schedule

import (
	"context"
	"errors"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// ClashError refuses a plan because a hall or coach is in use. Nothing was made.
type ClashError struct{ Preview Preview }

func (e *ClashError) Error() string { return "hall or coach is in use" }

// Unwrap lets it be told like any overlap.
func (e *ClashError) Unwrap() error { return domain.ErrOverlap }

// clash looks what is in the way of each event: others that stand, and the plan itself.
func (p *Preview) clash(ctx context.Context, q db.Queries) error {
	slots := make([]db.Slot, 0, len(p.Events))
	for i, x := range p.Events {
		if x.Event.ResourceID != nil && x.Problem == "" {
			slots = append(slots, db.Slot{No: i, ResourceID: *x.Event.ResourceID, StartsAt: x.Event.StartsAt, EndsAt: x.Event.EndsAt})
		}
	}
	found, err := q.Overlaps(ctx, slots, nil)
	if err != nil {
		return err
	}
	for _, o := range found {
		p.Events[o.No].Clashes = append(p.Events[o.No].Clashes, clashOf(o))
	}
	if err := p.among(ctx, q); err != nil {
		return err
	}
	for _, x := range p.Events {
		if len(x.Clashes) > 0 {
			p.Clashes++
		}
	}
	return nil
}

func clashOf(o db.Overlap) Clash {
	return Clash{Resource: o.Resource, Title: o.Title, StartsAt: o.StartsAt, Until: o.Until, TimeZone: o.TimeZone, EventID: o.EventID}
}

// among finds events of the plan that are in each other's way; they are in order of
// their start, so only the ones right before can be.
func (p *Preview) among(ctx context.Context, q db.Queries) error {
	halls := map[int64]db.Resource{}
	last := map[int64]int{} // by hall, the event of the plan that is free last
	until := map[int64]time.Time{}
	for i := range p.Events {
		x := &p.Events[i]
		if x.Event.ResourceID == nil || x.Problem != "" {
			continue
		}
		id := *x.Event.ResourceID
		if _, known := halls[id]; !known {
			r, err := q.Resource(ctx, id)
			if err != nil {
				return err
			}
			halls[id] = r
		}
		if x.Event.StartsAt.Before(until[id]) {
			other := p.Events[last[id]]
			x.Clashes = append(x.Clashes, Clash{
				Resource: halls[id].Name, Title: other.Title, StartsAt: other.Event.StartsAt, Until: until[id], TimeZone: other.Event.TimeZone,
			})
		}
		if free := x.Event.EndsAt.Add(time.Duration(halls[id].TurnaroundMinutes) * time.Minute); free.After(until[id]) {
			last[id], until[id] = i, free
		}
	}
	return nil
}

// told turns the constraint's no into words: what came in between is looked up again.
func (s *Service) told(ctx context.Context, err error, again func() (Preview, error)) error {
	if !errors.Is(err, domain.ErrOverlap) {
		return err
	}
	var clash *ClashError
	if errors.As(err, &clash) {
		return err
	}
	p, readErr := again()
	if readErr != nil || p.Clashes == 0 {
		return errors.Join(err, readErr)
	}
	return &ClashError{p}
}
