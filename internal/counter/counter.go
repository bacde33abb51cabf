// Package counter is the cash-up: shifts from float to count, what enters and leaves a
// till without a sale, and the close of the business day. Sales themselves are
// booking's; they go into a shift that this package opens and closes. Every sum is made
// from the ledger.
package counter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// What the pages read, as the database has it.
type (
	Shift     = db.Shift
	Move      = db.Move
	TenderSum = db.TenderSum
	TypeSum   = db.TypeSum
	Act       = db.ShiftAct
	ClosedDay = db.ClosedDay
	DaySum    = db.DaySum
	DayLine   = db.DayLine
)

// Service is safe for concurrent use.
type Service struct{ db *db.DB }

// New makes the service.
func New(d *db.DB) *Service { return &Service{d} }

// Person is who acts.
type Person struct {
	StaffID int64
	By      domain.By
}

// Mine is the shift somebody works in; domain.ErrNoShift.
func (s *Service) Mine(ctx context.Context, staffID int64) (Shift, error) {
	return s.db.OpenShiftOf(ctx, staffID)
}

// ShiftsOf lists somebody's last shifts, the newest first.
func (s *Service) ShiftsOf(ctx context.Context, staffID int64) ([]Shift, error) {
	return s.db.ShiftsOf(ctx, staffID)
}

// OpenShifts lists every till that is open, whosever and since whatever day.
func (s *Service) OpenShifts(ctx context.Context) ([]Shift, error) { return s.db.OpenShifts(ctx) }

// Shift reads one; domain.ErrNotFound.
func (s *Service) Shift(ctx context.Context, id int64) (Shift, error) { return s.db.Shift(ctx, id) }

// Open starts somebody's shift with the counted float. *domain.RuleError: one is open,
// the day is closed, or the count cannot be right.
func (s *Service) Open(ctx context.Context, who Person, till, currency string, float domain.Counts) (id int64, err error) {
	if err := float.Check(); err != nil {
		return 0, err
	}
	if float == nil {
		float = domain.Counts{}
	}
	if till = strings.TrimSpace(till); till == "" {
		till = "Counter"
	}
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		day, err := t.BusinessDay(ctx)
		if err != nil {
			return err
		}
		if err := t.LockDay(ctx, day); err != nil {
			return err
		}
		if _, err := t.ClosedDay(ctx, day); !errors.Is(err, domain.ErrNotFound) {
			return firstOf(err, &domain.RuleError{Code: "day_closed", Words: "This business day is closed. A new shift can be opened when the next one begins."})
		}
		id, err = t.InsertShift(ctx, db.Shift{StaffID: who.StaffID, Till: short(till, 40), Currency: currency, Float: float.Sum(), FloatCounts: float})
		if errors.Is(err, domain.ErrConflict) {
			return &domain.RuleError{Code: "open", Words: "Your till is open already."}
		}
		if err != nil {
			return err
		}
		return t.Log(ctx, who.By, "shift_opened", subject(id), nil, map[string]any{"till": till, "float": float.Sum(), "currency": currency})
	})
	return id, err
}

// MoveCash enters a drop to the safe, a pay-in or a pay-out of the person's own open
// shift; the same key again changes nothing. More than the till should have cannot leave it.
func (s *Service) MoveCash(ctx context.Context, who Person, m Move, key string) error {
	if m.Reason = short(strings.TrimSpace(m.Reason), 200); m.Amount <= 0 || key == "" {
		return &domain.RuleError{Code: "amount", Words: "Please give an amount above zero."}
	}
	if m.Kind == "pay_out" && m.Reason == "" {
		return &domain.RuleError{Code: "reason", Words: "Please say what was paid: it stays in the report."}
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if _, again, err := t.BeginAct(ctx, key, who.StaffID, "cash"); err != nil || again {
			return err
		}
		mine, err := t.OpenShiftOf(ctx, who.StaffID)
		if err != nil {
			return err
		}
		if err := t.LockShift(ctx, mine.ID); err != nil {
			return err
		}
		r, err := s.report(ctx, t.Queries, mine.ID)
		if err != nil {
			return err
		}
		if r.Closed {
			return domain.ErrNoShift
		}
		if m.Kind != "pay_in" && m.Amount > r.Expected {
			return &domain.RuleError{Code: "too_much", Words: "That is more than this till can have. Please check the amount."}
		}
		if err := t.InsertMove(ctx, mine.ID, who.StaffID, m, key); err != nil {
			return err
		}
		return t.Log(ctx, who.By, "cash_"+m.Kind, subject(mine.ID), nil, map[string]any{"amount": m.Amount, "reason": m.Reason})
	})
}

// Close ends a shift with the cash as it was counted, blind: who counts has not seen
// what is expected. The report is frozen with the next Z number; nothing changes it
// afterwards. domain.ErrConflict: it is closed.
func (s *Service) Close(ctx context.Context, who Person, shiftID int64, counts domain.Counts) (z int64, err error) {
	if err := counts.Check(); err != nil {
		return 0, err
	}
	if counts == nil {
		counts = domain.Counts{}
	}
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockShift(ctx, shiftID); err != nil {
			return err
		}
		r, err := s.report(ctx, t.Queries, shiftID)
		if err != nil {
			return err
		}
		if r.Closed {
			return fmt.Errorf("shift %d is closed: %w", shiftID, domain.ErrConflict)
		}
		if z, err = t.NextZ(ctx); err != nil {
			return err
		}
		counted := counts.Sum()
		r.Z, r.Closed, r.ClosedAt, r.Counted, r.Counts = z, true, r.At, counted, counts
		if r.ClosedBy, err = t.StaffName(ctx, who.StaffID); err != nil {
			return err
		}
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		x := db.Shift{ID: shiftID, Counted: &counted, Counts: counts, Expected: &r.Expected, ZNumber: &z, Report: text}
		if err := t.CloseShift(ctx, x, who.StaffID); err != nil {
			return err
		}
		return t.Log(ctx, who.By, "shift_closed", subject(shiftID), nil, map[string]any{"z": z, "counted": counted, "expected": r.Expected})
	})
	return z, err
}

func subject(shiftID int64) string { return fmt.Sprintf("shift:%d", shiftID) }

func firstOf(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

func short(text string, letters int) string {
	r := []rune(text)
	return string(r[:min(len(r), letters)])
}

// Today is the business day it is, midnight UTC of its date.
func (s *Service) Today(ctx context.Context) (time.Time, error) { return s.db.BusinessDay(ctx) }
