package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// What a change of a place's zone keeps for the departures to come.
const (
	KeepClock   = "clock"   // the time on the ticket; the coach leaves at another instant
	KeepInstant = "instant" // the instant; the ticket shows another time
)

// ZoneQuestion asks which of the two a change of a place's zone keeps, with the next
// departure as the example. Nothing was stored.
type ZoneQuestion struct {
	Old, New string
	Trips    int // that are to depart there
	Tickets  int // valid ones of these trips that begin or end there
	Route    string
	At       time.Time // the example departs now, and if the instant is kept
	Moved    time.Time // if the wall clock is kept
}

func (q *ZoneQuestion) Error() string {
	return fmt.Sprintf("%d trips: keep the clock of %s or the instant in %s?", q.Trips, q.Old, q.New)
}

func askZone(ctx context.Context, t *db.Tx, was StopPlace, zone string, trips []int64) error {
	next, err := t.NextStop(ctx, was.ID)
	if err != nil {
		return err
	}
	q := &ZoneQuestion{Old: was.TimeZone, New: zone, Trips: len(trips), Route: next.Route, At: next.DepartsAt}
	if q.Tickets, err = t.TicketsAhead(ctx, was.ID, trips); err != nil {
		return err
	}
	if q.Moved, err = sameClock(next.DepartsAt, was.TimeZone, zone); err != nil {
		return err
	}
	return q
}

// sameClock is the instant at which the clock shows in one zone what it showed in another.
func sameClock(at time.Time, old, zone string) (time.Time, error) {
	from, err := time.LoadLocation(old)
	if err != nil {
		return at, err
	}
	to, err := time.LoadLocation(zone)
	if err != nil {
		return at, err
	}
	x := at.In(from)
	return time.Date(x.Year(), x.Month(), x.Day(), x.Hour(), x.Minute(), x.Second(), 0, to), nil
}

// moveZone takes the trips to the place's new zone, which is stored already.
func moveZone(ctx context.Context, t *db.Tx, was StopPlace, zone string, trips []int64, keep string) error {
	if keep == KeepClock {
		if err := moveClock(ctx, t, was, zone, trips); err != nil {
			return err
		}
	}
	stored, err := t.Settings(ctx)
	if err != nil {
		return err
	}
	set, err := domain.ParseSettings(stored)
	if err != nil {
		return err
	}
	err = t.RetimeEvents(ctx, trips, set.BusinessDayStart)
	if errors.Is(err, domain.ErrOverlap) {
		return &domain.RuleError{Code: "overlap", Words: "With the wall clock kept, a coach would be needed by two trips at once. Nothing was changed. Move one of its trips first, or keep the instant."}
	}
	return err
}

// moveClock refuses what the new instants make impossible.
func moveClock(ctx context.Context, t *db.Tx, was StopPlace, zone string, trips []int64) error {
	x, err := t.MissingHour(ctx, was.ID, trips, was.TimeZone, zone)
	if err == nil {
		return impossible(x, was, "stands at an hour that does not exist in "+zone+", because summer time begins in it")
	}
	if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	if err := t.KeepClock(ctx, was.ID, trips, was.TimeZone, zone); err != nil {
		return err
	}
	x, err = t.OutOfOrder(ctx, trips)
	if err == nil {
		return impossible(x, was, "would be at a stop before it left the one before")
	}
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return err
}

func impossible(x db.ShiftedStop, was StopPlace, why string) error {
	when := x.DepartsAt
	if loc, err := time.LoadLocation(was.TimeZone); err == nil {
		when = when.In(loc)
	}
	return &domain.RuleError{Code: "clock", Words: "With the wall clock kept, the trip “" + x.Route + "” of " + when.Format("Mon 2 Jan 2006, 15:04") + " " + why +
		". Nothing was changed. Keep the instant, or change that trip first."}
}
