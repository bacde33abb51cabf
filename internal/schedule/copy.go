package schedule

import (
	"context"
	"fmt"
	"slices"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// CopyWish copies the events of a business day or week to others, as drafts.
type CopyWish struct {
	Kind domain.EventKind
	From time.Time // the first business day, midnight UTC, as To
	To   time.Time
	Days int // 1 or 7
	Fold string
	Skip []string
}

// PreviewCopy plans a copy: the same wall clocks, halls and prices on other dates.
func (s *Service) PreviewCopy(ctx context.Context, w CopyWish, set domain.Settings) (Preview, error) {
	return previewCopy(ctx, s.db.Queries, w, set)
}

// Copy makes the drafts, all or none.
func (s *Service) Copy(ctx context.Context, by domain.By, w CopyWish, set domain.Settings) ([]int64, error) {
	return s.make(ctx, by, func(q db.Queries) (Preview, error) { return previewCopy(ctx, q, w, set) }, false, set)
}

func previewCopy(ctx context.Context, q db.Queries, w CopyWish, set domain.Settings) (Preview, error) {
	now, err := q.Now(ctx)
	if err != nil {
		return Preview{}, err
	}
	if w.From.Equal(w.To) {
		return Preview{}, &domain.RuleError{Code: "to", Words: "Please choose another date to copy to."}
	}
	found, err := q.Standing(ctx, w.Kind, w.From, w.From.AddDate(0, 0, w.Days-1))
	if err != nil {
		return Preview{}, err
	}
	if len(found) == 0 {
		return Preview{}, &domain.RuleError{Code: "from", Words: "There is nothing to copy on these days."}
	}
	if len(found) > mostAtOnce {
		return Preview{}, tooMany()
	}
	c := copier{now: now, shift: int(w.To.Sub(w.From).Hours() / 24), fold: w.Fold, set: set, layouts: map[int64]int64{}}
	if err := c.read(ctx, q, found); err != nil {
		return Preview{}, err
	}
	var p Preview
	for _, e := range found {
		date, minutes, err := wall(e.StartsAt, e.TimeZone)
		if err != nil {
			return Preview{}, err
		}
		date = date.AddDate(0, 0, c.shift)
		if key := copyKey(e, date, minutes); slices.Contains(w.Skip, key) {
			p.Skipped = append(p.Skipped, key)
			continue
		}
		x, err := c.copy(e, date, minutes)
		if err != nil {
			return Preview{}, err
		}
		p.Events = append(p.Events, x)
	}
	return p, p.finish(ctx, q, w.Fold)
}

type copier struct {
	now     time.Time
	shift   int // days
	fold    string
	set     domain.Settings
	stops   map[int64][]domain.EventStop
	layouts map[int64]int64 // of halls and coaches, as they are now
}

func (c *copier) read(ctx context.Context, q db.Queries, events []domain.Event) error {
	ids := make([]int64, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	stops, err := q.EventStops(ctx, ids...)
	if err != nil {
		return err
	}
	c.stops = map[int64][]domain.EventStop{}
	for _, s := range stops {
		c.stops[s.EventID] = append(c.stops[s.EventID], s)
	}
	all, err := q.Resources(ctx, "", false)
	for _, r := range all {
		c.layouts[r.ID] = r.LayoutVersionID
	}
	return err
}

func (c *copier) copy(e domain.Event, date time.Time, minutes int) (Planned, error) {
	x := Planned{Key: copyKey(e, date, minutes), Title: title(e), Copied: e.ID}
	at, err := x.begin(date, minutes, e.TimeZone, c.fold, c.now)
	if err != nil || x.Problem != "" {
		return x, err
	}
	layout, inUse := c.layouts[e.ResourceID]
	if e.ResourceID != 0 && !inUse {
		x.Problem = e.Resource + " is not in use any more. Leave this one out, or make it by hand."
		return x, nil
	}
	if e.ResourceID == 0 {
		layout = e.LayoutVersionID
	}
	zone, err := time.LoadLocation(e.TimeZone)
	if err != nil {
		return x, err
	}
	x.Event = db.NewEvent{
		Kind: string(e.Kind), Status: "draft", StartsAt: at, EndsAt: at.Add(e.EndsAt.Sub(e.StartsAt)), TimeZone: e.TimeZone,
		BusinessDay: domain.BusinessDay(at, zone, c.set), LayoutVersionID: layout, ResourceID: some(e.ResourceID), TariffID: e.TariffID,
		FilmID: some(e.FilmID), RouteID: some(e.RouteID),
		SalesCloseMinutes: e.SalesCloseMinutes, SalesCloseCounter: e.SalesCloseCounter, SalesCloseAgent: e.SalesCloseAgent,
	}
	for _, s := range c.stops[e.ID] {
		x.Event.Stops = append(x.Event.Stops, db.NewStop{
			PlaceID: s.PlaceID, ArrivesAt: at.Add(s.ArrivesAt.Sub(e.StartsAt)), DepartsAt: at.Add(s.DepartsAt.Sub(e.StartsAt)),
			MayBoard: s.MayBoard, MayAlight: s.MayAlight, Note: s.Note,
		})
	}
	return x, nil
}

// copyKey names a copy for the form; two halls may show at the same time.
func copyKey(e domain.Event, date time.Time, minutes int) string {
	return fmt.Sprintf("%s#%d", localKey(date, minutes), e.ID)
}

// some is an id that may be none.
func some(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}
