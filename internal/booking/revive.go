package booking

import (
	"context"
	"errors"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Revive gives an ended hold its seats and a full window again, at its own prices, when
// they are still free: staff do it while the customer is on the phone. The customer's
// own page works again. *domain.SeatConflict names the seats that are gone;
// ErrConflict: it runs, was booked, or money came for it.
func (s *Service) Revive(ctx context.Context, holdID, by, from string) error {
	if !isUUID(holdID) {
		return domain.ErrNotFound
	}
	h, err := s.db.Hold(ctx, holdID)
	if err != nil {
		return err
	}
	o, err := s.Scene(ctx, h.EventID, &h.Ride)
	if err != nil {
		return err
	}
	if !o.Open() {
		return domain.ErrSalesClosed
	}
	err = s.db.InTx(ctx, func(t *db.Tx) error { return s.reviveIn(ctx, t, o, holdID, by, from) })
	if errors.Is(err, errTaken) {
		conflict, _, err := s.whoHas(ctx, o, h.Holder, h.SeatNos())
		if err != nil {
			return err
		}
		return conflict
	}
	return err
}

// errTaken tells a claim that found a seat gone from other conflicts.
var errTaken = errors.New("a seat is taken")

func (s *Service) reviveIn(ctx context.Context, t *db.Tx, o *Offer, holdID, by, from string) error {
	if err := t.LockHold(ctx, holdID); err != nil {
		return err
	}
	h, err := t.Hold(ctx, holdID)
	if err != nil {
		return err
	}
	if p := h.Phase(); p != domain.PhaseEnded && p != domain.PhaseReleased || h.PaymentState.Live() {
		return domain.ErrConflict
	}
	if status, err := t.ShareEvent(ctx, h.EventID); err != nil || status != "published" {
		return firstOf(err, domain.ErrSalesClosed)
	}
	ends := h.Now.Add(o.Settings.Window())
	if err := t.ClaimSeats(ctx, claimOf(h), ends.Add(o.Settings.Grace())); err != nil {
		if errors.Is(err, domain.ErrConflict) {
			return errTaken
		}
		return err
	}
	if err := t.ReviveHold(ctx, holdID, ends); err != nil {
		return err
	}
	return t.InsertAudit(ctx, db.Audit{Actor: by, Address: from, Action: "revive hold", Subject: "hold:" + holdID})
}
