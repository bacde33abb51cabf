package counter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Day is a business day's cash-up.
type Day struct {
	Day    time.Time // midnight UTC of the date
	Today  time.Time
	Shifts []Shift
	Report DayReport  // as it is now, or as the close froze it
	Closed *ClosedDay // nil while it is open
	// Later tells of a closed day that money came or went after its close: online sales go
	// on until the next day begins.
	Later bool
}

// DayReport is what the close of a day freezes: every channel, and the day's tills.
type DayReport struct {
	House House
	At    time.Time // when these sums were made
	Sums  []DaySum
	Types []TypeSum
	Tills []DayTill
}

// DayTill is one till of a day's report.
type DayTill struct {
	Z           int64 // 0: still open
	Till, Staff string
	Currency    string
	Expected    int64
	Counted     int64
}

// Waiting are the shifts that keep the day from being closed.
func (d *Day) Waiting() (open []Shift) {
	for _, s := range d.Shifts {
		if s.ClosedAt == nil {
			open = append(open, s)
		}
	}
	return open
}

// Day reads a business day.
func (s *Service) Day(ctx context.Context, day time.Time) (*Day, error) {
	return s.day(ctx, s.db.Queries, day)
}

// Days lists the last business days, the newest first.
func (s *Service) Days(ctx context.Context) ([]DayLine, error) { return s.db.DayLines(ctx) }

// DaysToClose are the days before this one that had a till and were not closed.
func (s *Service) DaysToClose(ctx context.Context) ([]time.Time, error) {
	return s.db.DaysToClose(ctx)
}

func (s *Service) day(ctx context.Context, q db.Queries, day time.Time) (*Day, error) {
	d := &Day{Day: day}
	now := &d.Report
	for _, read := range []func() error{
		func() (err error) { d.Today, err = q.BusinessDay(ctx); return err },
		func() (err error) { d.Shifts, err = q.ShiftsOfDay(ctx, day); return err },
		func() (err error) { now.House, err = house(ctx, q); return err },
		func() (err error) { now.Sums, err = q.DaySums(ctx, day); return err },
		func() (err error) { now.Types, err = q.DayTypes(ctx, day); return err },
		func() (err error) { now.At, err = q.Now(ctx); return err },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	for _, x := range d.Shifts {
		t := DayTill{Till: x.Till, Staff: x.Staff, Currency: x.Currency}
		if x.ClosedAt != nil {
			t.Z, t.Expected, t.Counted = *x.ZNumber, *x.Expected, *x.Counted
		}
		now.Tills = append(now.Tills, t)
	}
	closed, err := q.ClosedDay(ctx, day)
	if errors.Is(err, domain.ErrNotFound) {
		return d, nil
	}
	if err != nil {
		return nil, err
	}
	return d, d.freeze(closed)
}

// freeze puts the report of the close into its place.
func (d *Day) freeze(c ClosedDay) error {
	var frozen DayReport
	if err := json.Unmarshal(c.Report, &frozen); err != nil {
		return fmt.Errorf("stored report of %s: %w", d.Day.Format(time.DateOnly), err)
	}
	d.Later = total(d.Report.Sums) != total(frozen.Sums)
	d.Report, d.Closed = frozen, &c
	return nil
}

// total is enough to tell whether lines were added: none is ever taken out.
func total(list []DaySum) (x struct{ payments, refunds int }) {
	for _, s := range list {
		x.payments, x.refunds = x.payments+s.Payments, x.refunds+s.Refunds
	}
	return x
}

// CloseDay ends a business day: no shift of it can be opened any more.
// *domain.RuleError: a shift is still open (named), the day is closed, or is to come.
func (s *Service) CloseDay(ctx context.Context, who Person, day time.Time) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockDay(ctx, day); err != nil {
			return err
		}
		d, err := s.day(ctx, t.Queries, day)
		if err != nil {
			return err
		}
		if open := d.Waiting(); len(open) > 0 {
			return &domain.RuleError{Code: "shift_open", Words: fmt.Sprintf(
				"The till of %s is still open. Count and close it first; then the day can be closed.", open[0].Staff)}
		}
		if d.Closed != nil {
			return &domain.RuleError{Code: "closed", Words: "This day is closed already."}
		}
		if day.After(d.Today) {
			return &domain.RuleError{Code: "to_come", Words: "This day has not begun yet."}
		}
		text, err := json.Marshal(d.Report)
		if err != nil {
			return err
		}
		if err := t.InsertClosedDay(ctx, day, who.StaffID, text); err != nil {
			return err
		}
		return t.Log(ctx, who.By, "day_closed", "day:"+day.Format(time.DateOnly), nil, dayNote(d))
	})
}

// dayNote is what the log keeps of a close.
func dayNote(d *Day) map[string]any {
	var z []int64
	for _, x := range d.Report.Tills {
		z = append(z, x.Z)
	}
	return map[string]any{"z": z, "sums": d.Report.Sums}
}
