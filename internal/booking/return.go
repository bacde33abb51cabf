package booking

import (
	"context"
	"errors"
	"fmt"

	"holdfast/internal/domain"
)

// Return is Stripe's way back to us: it settles the hold's newest attempt at once and
// does not wait for the webhook. It may be repeated. ErrGateway: still being checked.
func (s *Service) Return(ctx context.Context, holder domain.Holder, holdID string) (Settled, error) {
	h, err := s.own(ctx, s.db, holder, holdID)
	if err != nil {
		return "", err
	}
	return s.back(ctx, h)
}

// back settles what a hold's payment page may have taken.
func (s *Service) back(ctx context.Context, h *domain.Hold) (Settled, error) {
	switch h.Phase() {
	case domain.PhaseBooked:
		return Booked, nil
	case domain.PhaseLost:
		return Lost, nil
	}
	p, err := s.db.NewestPayment(ctx, h.ID)
	if err != nil {
		return Closed, ignore(err, domain.ErrNotFound)
	}
	if !p.Live() || p.StripeSessionID == nil {
		return settledAs(p), nil
	}
	settled, err := s.settleCounted(ctx, *p.StripeSessionID)
	if errors.Is(err, domain.ErrNotFound) { // the key is another account's: nobody knows
		err = fmt.Errorf("%w: %v", domain.ErrGateway, err)
	}
	return settled, err
}

// Look reads the visitor's hold; ErrNotFound for another visitor's.
func (s *Service) Look(ctx context.Context, holder domain.Holder, holdID string) (*domain.Hold, error) {
	h, err := s.own(ctx, s.db, holder, holdID)
	if err != nil {
		return nil, err
	}
	l, err := s.layoutOf(ctx, h.EventID)
	if err != nil {
		return nil, err
	}
	order := h.SeatNos()
	l.SortSeats(order)
	byNo := make(map[string]domain.HoldSeat, len(h.Seats))
	for _, x := range h.Seats {
		byNo[x.SeatNo] = x
	}
	for i, no := range order {
		h.Seats[i] = byNo[no]
	}
	return h, nil
}

func (s *Service) layoutOf(ctx context.Context, eventID int64) (*domain.Layout, error) {
	e, err := s.db.Event(ctx, eventID)
	if err != nil {
		return nil, err
	}
	return s.Layout(ctx, e.LayoutVersionID)
}

// WorkEvent works one webhook about a session.
func (s *Service) WorkEvent(ctx context.Context, sessionID, eventID string) error {
	var settled Settled
	err := s.worked(ctx, eventID, func() (note string, err error) {
		settled, err = s.Settle(ctx, sessionID)
		return string(settled), err
	})
	if err == nil {
		s.countEvent(ctx, eventID, settled)
	}
	return err
}
