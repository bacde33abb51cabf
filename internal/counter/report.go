package counter

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Report is a shift in figures: an X report while it is open, the Z report once it is
// closed. Amounts are minor units of Currency. As JSON it is what a close freezes.
type Report struct {
	ShiftID     int64
	Z           int64 // 0: not closed
	House       House
	Till, Staff string
	Currency    string
	BusinessDay time.Time
	OpenedAt    time.Time
	At          time.Time // when these sums were made
	Closed      bool
	ClosedAt    time.Time
	ClosedBy    string

	Tenders []TenderSum
	Types   []TypeSum
	Moves   []Move
	Acts    []Act

	Float       int64
	FloatCounts domain.Counts
	CashIn      int64 // by sales
	CashOut     int64 // by refunds
	PayIns      int64
	PayOuts     int64
	Drops       int64
	Expected    int64 // in the till
	Counted     int64
	Counts      domain.Counts
}

// House is what stood above a report when it was made: a reprint has the same.
type House struct {
	Name, Address, TaxNumber string
	Zone                     string // IANA name: its times are on this clock
	Currency                 string
}

func house(ctx context.Context, q db.Queries) (House, error) {
	stored, err := q.Settings(ctx)
	if err != nil {
		return House{}, err
	}
	set, _ := domain.ParseSettings(stored) // what does not parse is the status page's to tell: defaults stand in
	return House{set.VenueName, set.Address, set.TaxNumber, set.TimeZone, set.Currency}, nil
}

// Difference is what the count has more than expected; negative when cash is missing.
func (r *Report) Difference() int64 { return r.Counted - r.Expected }

// Report is a shift's X report, or its Z report as it was frozen; domain.ErrNotFound.
func (s *Service) Report(ctx context.Context, shiftID int64) (*Report, error) {
	return s.report(ctx, s.db.Queries, shiftID)
}

func (s *Service) report(ctx context.Context, q db.Queries, shiftID int64) (*Report, error) {
	x, err := q.Shift(ctx, shiftID)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if x.ClosedAt != nil {
		if err := json.Unmarshal(x.Report, r); err != nil {
			return nil, fmt.Errorf("stored report of shift %d: %w", shiftID, err)
		}
		return r, nil
	}
	*r = Report{
		ShiftID: x.ID, Till: x.Till, Staff: x.Staff, Currency: x.Currency, BusinessDay: x.BusinessDay, OpenedAt: x.OpenedAt, At: x.Now,
		Float: x.Float, FloatCounts: x.FloatCounts,
	}
	for _, read := range []func() error{
		func() (err error) { r.House, err = house(ctx, q); return err },
		func() (err error) { r.Tenders, err = q.TenderSums(ctx, shiftID); return err },
		func() (err error) { r.Types, err = q.TypeSums(ctx, shiftID); return err },
		func() (err error) { r.Moves, err = q.Moves(ctx, shiftID); return err },
		func() (err error) { r.Acts, err = q.ShiftActs(ctx, shiftID); return err },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	r.addUp()
	return r, nil
}

// addUp works out what the till should have.
func (r *Report) addUp() {
	for _, x := range r.Tenders {
		if x.Tender == "cash" {
			r.CashIn, r.CashOut = x.In, x.Out
		}
	}
	for _, m := range r.Moves {
		switch m.Kind {
		case "pay_in":
			r.PayIns += m.Amount
		case "pay_out":
			r.PayOuts += m.Amount
		case "drop":
			r.Drops += m.Amount
		}
	}
	r.Expected = r.Float + r.CashIn - r.CashOut + r.PayIns - r.PayOuts - r.Drops
}
