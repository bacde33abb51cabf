package schedule

import (
	"context"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// CounterEvent is one event of a business day as the counter lists it.
type CounterEvent = db.CounterEvent

// CounterDay is what the counter can sell on a business day.
type CounterDay struct {
	Date, Today time.Time // midnight UTC of the calendar date
	Now         time.Time
	Events      []CounterEvent // whose counter sales are still open
	Next        *time.Time     // the first later day with events
}

// CounterDay reads it; date nil means today.
func (s *Service) CounterDay(ctx context.Context, date *time.Time, set domain.Settings) (d CounterDay, err error) {
	if d.Now, err = s.db.Now(ctx); err != nil {
		return d, err
	}
	if d.Today, err = s.db.BusinessDay(ctx); err != nil {
		return d, err
	}
	d.Date = d.Today
	if date != nil {
		d.Date = *date
	}
	all, err := s.db.CounterDay(ctx, d.Date)
	if err != nil {
		return d, err
	}
	for _, e := range all {
		minutes := set.SalesCloseCounter
		if e.Close != nil {
			minutes = *e.Close
		}
		if d.Now.Before(e.Boards.Add(-time.Duration(minutes) * time.Minute)) {
			d.Events = append(d.Events, e)
		}
	}
	d.Next, err = s.db.NextCounterDay(ctx, d.Date)
	return d, err
}

// First is the event that the next customer most likely wants: the next to begin, else
// the last that began; false when there is none.
func (d CounterDay) First() (CounterEvent, bool) {
	for _, e := range d.Events {
		if e.StartsAt.After(d.Now) {
			return e, true
		}
	}
	if n := len(d.Events); n > 0 {
		return d.Events[n-1], true
	}
	return CounterEvent{}, false
}
