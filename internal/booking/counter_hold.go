package booking

import (
	"context"
	"errors"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// CounterHold is what the counter keeps for somebody.
type CounterHold = db.CounterHold

// CounterHolds lists the counter's running holds, whoever made them.
func (s *Service) CounterHolds(ctx context.Context) ([]CounterHold, error) {
	return s.db.CounterHolds(ctx)
}

// Keep holds seats under a name ("red jacket") until an end, for a customer who comes
// back or who phoned. Sending the form again is the same hold; with c.HoldID a running
// hold becomes exactly this. It costs nothing and needs no open shift. until is at most
// the boarding or the start, after that the counter's close.
//
// Errors as Sell.
func (s *Service) Keep(ctx context.Context, o *Offer, who Seller, c CounterSale, label string, until time.Time) (holdID string, err error) {
	seats, err := s.counterSeats(o, c.Seats, nil)
	if err != nil {
		return "", err
	}
	if label = tidyText(label, 80); label == "" {
		label = tidyText(c.Name, 80)
	}
	if label == "" {
		return "", &domain.RuleError{Code: "label", Words: "Give the hold a name, such as “red jacket”. Nothing is held yet."}
	}
	latest := o.Boards
	if !latest.After(o.Event.Now) { // late comers, while the counter still sells
		latest = o.CounterClosesAt()
	}
	if until.After(latest) {
		until = latest
	}
	if !until.After(o.Event.Now) {
		return "", &domain.RuleError{Code: "until", Words: "The hold would end before it began. Choose a later end. Nothing is held yet."}
	}
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		holdID, err = s.keepIn(ctx, t, o, who, c, seats, label, until)
		return err
	})
	if errors.Is(err, errTaken) {
		conflict, _, err := s.whoHas(ctx, o, who.Holder(), seats)
		if err != nil {
			return "", err
		}
		return "", conflict
	}
	return holdID, err
}

func (s *Service) keepIn(ctx context.Context, t *db.Tx, o *Offer, who Seller, c CounterSale, seats []string, label string, until time.Time) (string, error) {
	done, again, err := t.BeginAct(ctx, c.Key, who.StaffID, "hold")
	if err != nil || again {
		return done, err
	}
	if err := o.counterOpen(c); err != nil {
		return "", err
	}
	h, err := s.counterClaim(ctx, t, o, who, c, seats)
	if err != nil {
		return "", err
	}
	if err := t.LabelHold(ctx, h.ID, label); err != nil {
		return "", err
	}
	if err := t.HoldUntil(ctx, h.ID, until); err != nil {
		return "", err
	}
	if err := t.SetHeldUntil(ctx, claimOf(h), until.Add(o.Settings.Grace())); err != nil {
		return "", err
	}
	after := map[string]any{"seats": h.SeatNos(), "label": label, "until": until}
	if err := t.Log(ctx, who.By, "counter_hold", "hold:"+h.ID, nil, after); err != nil {
		return "", err
	}
	return h.ID, t.EndAct(ctx, c.Key, h.ID)
}

// LetGo ends a running hold of the counter and frees its seats at once. ErrHoldEnded
// when it is over, ErrBusy while its payment page is open.
func (s *Service) LetGo(ctx context.Context, holdID string, by domain.By) error {
	if !isUUID(holdID) {
		return domain.ErrNotFound
	}
	found, err := s.db.Hold(ctx, holdID)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		h, err := s.lockCounterHold(ctx, t, holdID, found.EventID)
		if err != nil {
			return err
		}
		if err := s.giveBack(ctx, t, h); err != nil {
			return err
		}
		return t.Log(ctx, by, "counter_hold_released", "hold:"+holdID, map[string]string{"seats": strings.Join(h.SeatNos(), ", ")}, nil)
	})
}
