package access

import (
	"context"
	"time"

	"holdfast/db"
)

// What the day's page reads, as the database has it.
type (
	DayEvent  = db.DayEvent
	Taking    = db.Taking
	DayCounts = db.DayCounts
)

// Day is a business day of the house as staff see it.
type Day struct {
	Date, Today time.Time // midnight UTC of the calendar date
	Events      []DayEvent
	Takings     []Taking
	Counts      DayCounts
	Tasks       []OpenTask // what needs a person now, whatever the day
}

// Day reads a business day; nil is the one it is now. The money is the ledger's.
func (s *Service) Day(ctx context.Context, date *time.Time) (d Day, err error) {
	if d.Today, err = s.db.BusinessDay(ctx); err != nil {
		return d, err
	}
	if d.Date = d.Today; date != nil {
		d.Date = *date
	}
	for _, read := range []func() error{
		func() (err error) { d.Events, err = s.db.DayEvents(ctx, d.Date); return err },
		func() (err error) { d.Takings, err = s.db.Takings(ctx, d.Date); return err },
		func() (err error) { d.Counts, err = s.db.DayCounts(ctx, d.Date); return err },
		func() (err error) { d.Tasks, err = s.db.OpenTasks(ctx); return err },
	} {
		if err := read(); err != nil {
			return d, err
		}
	}
	return d, nil
}
