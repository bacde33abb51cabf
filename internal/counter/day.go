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
	Sums   []TenderSum // every channel
	Closed *ClosedDay  // nil while it is open
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

func (s *Service) day(ctx context.Context, q db.Queries, day time.Time) (*Day, error) {
	d := &Day{Day: day}
	for _, read := range []func() error{
		func() (err error) { d.Today, err = q.BusinessDay(ctx); return err },
		func() (err error) { d.Shifts, err = q.ShiftsOfDay(ctx, day); return err },
		func() (err error) { d.Sums, err = q.DaySums(ctx, day); return err },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	closed, err := q.ClosedDay(ctx, day)
	if err == nil {
		d.Closed = &closed
		return d, nil
	}
	if !errors.Is(err, domain.ErrNotFound) {
		return nil, err
	}
	return d, nil
}

// dayReport is what the close of a day freezes.
type dayReport struct {
	Z    []int64     `json:"z"` // numbers of the day's shifts
	Sums []TenderSum `json:"sums"`
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
		r := dayReport{Sums: d.Sums}
		for _, x := range d.Shifts {
			r.Z = append(r.Z, *x.ZNumber)
		}
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if err := t.InsertClosedDay(ctx, day, who.StaffID, text); err != nil {
			return err
		}
		return t.Log(ctx, who.By, "day_closed", "day:"+day.Format(time.DateOnly), nil, r)
	})
}
