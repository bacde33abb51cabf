package schedule

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Edit is an event as staff want it to be. Everything is sent, changed or not.
type Edit struct {
	EventID  int64
	Revision int
	Rest     bool // the same for the events of its series that follow
	RestSum  int  // EditScene.RestSum when the form was opened
	Sure     bool // the effect was shown and agreed to

	Date       time.Time // midnight UTC of the calendar date
	Clock      int       // minutes after midnight, wall clock of its place
	Fold       string
	Ends       *int // of a screening; nil: as long as before, or as the new film is
	ResourceID int64
	TariffID   int64
	FilmID     int64 // of a screening
	CloseWeb   *int  // minutes before the start; nil: the house's setting
	CloseDesk  *int
	CloseAgent *int
}

// EditScene is an event with what its form needs.
type EditScene struct {
	Event   domain.Event
	Stops   []domain.EventStop
	Use     db.EventUse
	Choices Choices
	Rest    int // events of its series that follow it
	RestSum int // of their revisions: another one means that somebody changed one of them
}

// EditScene reads it; domain.ErrNotFound.
func (s *Service) EditScene(ctx context.Context, id int64) (x EditScene, err error) {
	if x.Event, err = s.db.Event(ctx, id); err != nil {
		return x, err
	}
	if x.Stops, err = s.db.EventStops(ctx, id); err != nil {
		return x, err
	}
	uses, err := s.db.EventUses(ctx, id)
	if err != nil || len(uses) == 0 {
		return x, cmp.Or(err, domain.ErrNotFound)
	}
	x.Use = uses[0]
	if x.Choices, err = s.Choices(ctx, x.Event.Kind); err != nil {
		return x, err
	}
	x.Choices.Tariffs = slices.DeleteFunc(x.Choices.Tariffs, func(t TariffChoice) bool { return !fits(t, x.Event.RouteID, x.Event.LastStop) })
	if x.Event.SeriesID == 0 {
		return x, nil
	}
	ids, err := s.db.RestOfSeries(ctx, x.Event.SeriesID, x.Event.StartsAt)
	if err != nil {
		return x, err
	}
	all, err := s.db.EventsByID(ctx, ids)
	for _, e := range all {
		if e.ID != id {
			x.Rest++
			x.RestSum += e.Revision
		}
	}
	return x, err
}

// Moved is one event of an edit that would begin at another time.
type Moved struct {
	Title    string
	Was, Is  time.Time
	TimeZone string
}

// Effect is what an edit does to customers.
type Effect struct {
	Changed  int // events
	Moved    []Moved
	Bookings int // of the moved events
	Tickets  int
	Mails    int
}

// AskError wants the effect to be agreed to. Nothing was changed.
type AskError struct{ Effect Effect }

func (e *AskError) Error() string { return "the effect was not agreed to" }

// Edit changes an event, or it and the rest of its series, all or nothing. A new time
// that customers have booked is asked back as an AskError until Sure; then each of them
// gets a mail in the same transaction. Refusals are a RuleError whose code names the
// field, a ClashError or domain.ErrStale.
func (s *Service) Edit(ctx context.Context, by domain.By, w Edit, set domain.Settings) (Effect, error) {
	var effect Effect
	var plan Preview
	var c *change
	err := s.db.InTx(ctx, func(t *db.Tx) (err error) {
		if c, err = s.readChange(ctx, t, w, set); err != nil {
			return err
		}
		if plan, err = c.plan(); err != nil {
			return err
		}
		if err := c.inTheWay(ctx, &plan); err != nil {
			return err
		}
		if effect, err = c.effect(ctx); err != nil {
			return err
		}
		if effect.Bookings > 0 && !w.Sure {
			return &AskError{effect}
		}
		return c.store(ctx, by)
	})
	return effect, s.told(ctx, err, func() (Preview, error) {
		if c == nil {
			return Preview{}, nil
		}
		again := Preview{Events: plan.Events}
		c.q = s.db.Queries // its transaction is over
		return again, c.overlaps(ctx, &again)
	})
}

// change is an edit under way, its events locked.
type change struct {
	t      *db.Tx
	q      db.Queries
	w      Edit
	set    domain.Settings
	main   domain.Event
	events []domain.Event // the main one and, if asked for, the rest of its series
	but    []int64        // their ids
	hall   db.Resource    // as it is to be; ID 0 for none
	length time.Duration  // of a screening whose film changes, 0: as before
	list   []db.EventChange
}

func (s *Service) readChange(ctx context.Context, t *db.Tx, w Edit, set domain.Settings) (*change, error) {
	ids := []int64{w.EventID}
	if w.Rest {
		e, err := t.Event(ctx, w.EventID)
		if err != nil {
			return nil, err
		}
		if e.SeriesID == 0 {
			return nil, &domain.RuleError{Code: "rest", Words: name(e) + " is of no series. It can be changed alone."}
		}
		if ids, err = t.RestOfSeries(ctx, e.SeriesID, e.StartsAt); err != nil {
			return nil, err
		}
		if len(ids) > mostAtOnce {
			return nil, tooMany()
		}
	}
	c := &change{t: t, q: t.Queries, w: w, set: set, but: ids}
	var err error
	if c.events, err = t.LockEvents(ctx, ids...); err != nil {
		return nil, err
	}
	sum, found := 0, false
	for _, e := range c.events {
		if e.ID == w.EventID {
			c.main, found = e, true
			continue
		}
		sum += e.Revision
	}
	switch {
	case !found:
		if _, err := t.Event(ctx, w.EventID); err != nil {
			return nil, err
		}
		return nil, domain.ErrStale
	case c.main.Revision != w.Revision, w.Rest && sum != w.RestSum:
		return nil, domain.ErrStale
	}
	if err := Changeable(c.main); err != nil {
		return nil, err
	}
	return c, c.readParts(ctx)
}

// readParts reads what the events are to be made of, and refuses what is put away
// unless the event has it already.
func (c *change) readParts(ctx context.Context) (err error) {
	if c.w.TariffID != c.main.TariffID {
		if err := usableTariff(ctx, c.q, c.w.TariffID, c.main.RouteID, c.main.LastStop); err != nil {
			return err
		}
	}
	switch {
	case c.w.ResourceID == 0 && c.main.ResourceID == 0:
	case c.w.ResourceID == c.main.ResourceID:
		if c.hall, err = c.q.Resource(ctx, c.w.ResourceID); err != nil {
			return err
		}
	default:
		if c.hall, err = usable(ctx, c.q, c.w.ResourceID, c.main.Kind); err != nil {
			return err
		}
	}
	if c.main.Kind == domain.Screening && c.w.FilmID != c.main.FilmID {
		m := mould{set: c.set}
		if err := m.readFilm(ctx, c.q, c.w.FilmID); err != nil {
			return err
		}
		c.length = m.length
	}
	return nil
}

// plan works out each event's new times: the main one's as typed, the others on their
// own dates, moved by as many days.
func (c *change) plan() (Preview, error) {
	was, _, err := wall(c.main.StartsAt, c.main.TimeZone)
	if err != nil {
		return Preview{}, err
	}
	days := int(c.w.Date.Sub(was).Hours() / 24)
	var p Preview
	for _, e := range c.events {
		date, minutes, err := wall(e.StartsAt, e.TimeZone)
		if err != nil {
			return Preview{}, err
		}
		x, err := c.one(e, date.AddDate(0, 0, days), minutes)
		if err != nil {
			return Preview{}, err
		}
		p.Events = append(p.Events, x)
	}
	return p, nil
}

func (c *change) one(e domain.Event, date time.Time, wasClock int) (Planned, error) {
	x := Planned{Title: title(e), Copied: e.ID}
	start, end, err := c.times(e, date, wasClock)
	if err != nil {
		return x, err
	}
	if !start.Equal(e.StartsAt) && !start.After(e.Now) {
		return x, &domain.RuleError{Code: "date", Words: name(e) + " cannot be moved into the past."}
	}
	zone, err := time.LoadLocation(e.TimeZone)
	if err != nil {
		return x, err
	}
	n := db.EventChange{
		ID: e.ID, StartsAt: start, EndsAt: end, BusinessDay: domain.BusinessDay(start, zone, c.set), ResourceID: some(c.hall.ID),
		LayoutVersionID: e.LayoutVersionID, TariffID: c.w.TariffID, FilmID: some(e.FilmID),
		SalesCloseMinutes: c.w.CloseWeb, SalesCloseCounter: c.w.CloseDesk, SalesCloseAgent: c.w.CloseAgent,
	}
	if e.Kind == domain.Screening {
		n.FilmID = some(c.w.FilmID)
	}
	if c.hall.ID != e.ResourceID {
		n.LayoutVersionID = c.hall.LayoutVersionID
	}
	c.list = append(c.list, n)
	x.Event = db.NewEvent{StartsAt: start, EndsAt: end, TimeZone: e.TimeZone, ResourceID: n.ResourceID}
	return x, nil
}

// times are an event's new start and end. A wall clock that stays as it is keeps its
// instant: of two hours of the same name the one it was in.
func (c *change) times(e domain.Event, date time.Time, wasClock int) (start, end time.Time, err error) {
	wasDate, _, err := wall(e.StartsAt, e.TimeZone)
	if err != nil {
		return start, end, err
	}
	start = e.StartsAt
	if c.w.Clock != wasClock || !date.Equal(wasDate) || c.w.Fold != "" {
		var twice bool
		if start, twice, err = occasion(date, c.w.Clock, e.TimeZone, c.w.Fold); err != nil {
			return start, end, err
		}
		if twice && c.w.Fold == "" {
			return start, end, &domain.RuleError{Code: "fold", Words: fmt.Sprintf(
				"On %s the clock shows %s twice, because it goes back. Please say which one is meant.", date.Format("Monday 2 January 2006"), ShowClock(c.w.Clock))}
		}
	}
	end = start.Add(e.EndsAt.Sub(e.StartsAt))
	switch {
	case e.Kind == domain.Trip:
	case c.w.Ends != nil:
		end, err = endOf(date, c.w.Clock, *c.w.Ends, e.TimeZone, start)
	case c.length > 0:
		end = start.Add(c.length)
	}
	return start, end, err
}

// inTheWay refuses a hall that is taken, and another hall or film where customers have
// seats already.
func (c *change) inTheWay(ctx context.Context, p *Preview) error {
	for _, e := range c.events {
		advice := ""
		switch {
		case c.hall.ID != e.ResourceID:
			advice = "Their seats are in " + e.Resource + ", so it stays there."
		case e.Kind == domain.Screening && c.w.FilmID != e.FilmID:
			advice = "They chose " + e.Film + ", so the film stays."
		default:
			continue
		}
		if err := unused(ctx, c.t, e, advice); err != nil {
			return err
		}
	}
	if err := c.overlaps(ctx, p); err != nil {
		return err
	}
	if p.Clashes > 0 {
		return &ClashError{*p}
	}
	return nil
}

// moves says whether an event is to have its hall or coach at another time. One that
// stays is left alone, even where a longer turnaround has come since.
func (c *change) moves(i int) bool {
	e, n := c.events[i], c.list[i]
	return !e.StartsAt.Equal(n.StartsAt) || !e.EndsAt.Equal(n.EndsAt) || e.ResourceID != valueOf(n.ResourceID)
}

func (c *change) overlaps(ctx context.Context, p *Preview) error {
	var slots []db.Slot
	for i, x := range p.Events {
		if x.Event.ResourceID != nil && c.moves(i) {
			slots = append(slots, db.Slot{No: i, ResourceID: *x.Event.ResourceID, StartsAt: x.Event.StartsAt, EndsAt: x.Event.EndsAt})
		}
	}
	found, err := c.q.Overlaps(ctx, slots, c.but)
	if err != nil {
		return err
	}
	for _, o := range found {
		x := &p.Events[o.No]
		if x.Clashes = append(x.Clashes, clashOf(o)); len(x.Clashes) == 1 {
			p.Clashes++
		}
	}
	return nil
}
