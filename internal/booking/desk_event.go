package booking

import (
	"context"
	"errors"
	"fmt"

	"holdfast/db"
	"holdfast/internal/domain"
)

// EndedHolds lists what people wanted and did not finish, newest first.
func (s *Service) EndedHolds(ctx context.Context) ([]EndedHold, error) { return s.db.EndedHolds(ctx) }

// LookForStaff reads any hold and the event it is for.
func (s *Service) LookForStaff(ctx context.Context, holdID string) (*domain.Hold, *Offer, error) {
	if !isUUID(holdID) {
		return nil, nil, domain.ErrNotFound
	}
	h, err := s.db.Hold(ctx, holdID)
	if err != nil {
		return nil, nil, err
	}
	o, err := s.Scene(ctx, h.EventID, &h.Ride)
	return h, o, err
}

// ReviveForStaff is Revive with one more answer: ErrNothingGone.
func (s *Service) ReviveForStaff(ctx context.Context, holdID, by, from string) error {
	err := s.Revive(ctx, holdID, by, from)
	var conflict *domain.SeatConflict
	if errors.As(err, &conflict) && len(conflict.Lost) == 0 || errors.Is(err, domain.ErrConflict) {
		return ErrNothingGone
	}
	return err
}

// EventFile is what an event sold, and how far its cancellation is.
type EventFile struct {
	Scene    *Offer // the whole way, no fares
	Seats    int
	Free     int
	Sales    []EventSales
	Money    []EventMoney
	Progress CancelCounts
	Refunds  []LateRefund // at most 100; All says how many there are
	Log      []AuditLine
}

const refundsShown = 100

// EventFile reads it for staff; domain.ErrNotFound.
func (s *Service) EventFile(ctx context.Context, id int64) (*EventFile, error) {
	o, err := s.Scene(ctx, id, nil)
	if err != nil {
		return nil, err
	}
	f := &EventFile{Scene: o, Seats: o.Layout.Capacity()}
	stock, err := s.db.Stocks(ctx, []int64{id}, []domain.Ride{o.Ride})
	if err != nil {
		return nil, err
	}
	for _, x := range stock {
		f.Free = x.Free
	}
	for _, read := range []func() error{
		func() (err error) { f.Sales, err = s.db.EventSales(ctx, id); return err },
		func() (err error) { f.Money, err = s.db.EventMoney(ctx, id); return err },
		func() (err error) { f.Progress, err = s.db.CancelProgress(ctx, id); return err },
		func() (err error) { f.Refunds, err = s.db.RefundsToFinish(ctx, id, refundsShown); return err },
		func() (err error) { f.Log, err = s.db.AuditOf(ctx, fmt.Sprintf("event:%d", id)); return err },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// ResumeCancel goes on with a cancelled event: bookings that are left, and refunds that
// wait or failed are asked for again. Nobody is refunded twice: each refund is its row.
func (s *Service) ResumeCancel(ctx context.Context, eventID int64, by, from string) error {
	e, err := s.db.Event(ctx, eventID)
	if err != nil {
		return err
	}
	if e.Status != "cancelled" {
		return domain.ErrConflict
	}
	if err := s.CancelEvent(ctx, eventID, by, from, ""); err != nil {
		return err
	}
	late, err := s.db.RefundsToFinish(ctx, eventID, 1000)
	if err != nil {
		return err
	}
	for _, r := range late {
		if r.State == string(domain.RefundPending) || r.Reason == "dashboard" || r.State == string(domain.RefundRequested) && r.Error == "" {
			continue // at the bank, made by hand in Stripe, or its job runs
		}
		if err := ignore(s.RetryRefund(ctx, r.ID), domain.ErrConflict); err != nil {
			return err
		}
	}
	return s.db.InsertAudit(ctx, db.Audit{Actor: by, Address: from, Action: "resume cancellation", Subject: fmt.Sprintf("event:%d", eventID)})
}
