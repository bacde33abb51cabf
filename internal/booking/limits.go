package booking

import (
	"context"
	"slices"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Demand says of which events more people want seats than there are: main fills it with
// the waiting room. It is asked outside transactions, once for each choice, so it should
// answer from what it knows. An error means that nobody could tell.
type Demand interface {
	High(ctx context.Context, eventID int64) (bool, error)
}

// Address is where a visitor comes from, as far as limits may know it.
type Address struct {
	Key string // domain.Signer.AddressKey, never the address itself; "" when there is none
	// Shared says that it may be a proxy's, with all visitors behind it.
	Shared bool
}

// limits are those that count for a visitor's choice. Staff are never limited. A choice
// with any must go through the transaction of choose, which checks them.
func (s *Service) limits(ctx context.Context, o *Offer, who Visitor) (domain.Limits, error) {
	if who.Knowing {
		return domain.Limits{}, nil
	}
	high, err := s.demand(ctx, o.Event.ID)
	return o.Settings.Limits(high, who.Address.Shared), err
}

func (s *Service) demand(ctx context.Context, eventID int64) (bool, error) {
	if s.rush == nil {
		return false, nil
	}
	return s.rush.High(ctx, eventID)
}

// lockAddress takes the address's place in the lock order, while it is counted at all.
func lockAddress(ctx context.Context, t *db.Tx, who Visitor) error {
	if !who.counted() {
		return nil
	}
	return t.LockAddress(ctx, who.Address.Key)
}

func (v Visitor) counted() bool { return v.limits.ByAddress() && v.Address.Key != "" }

// looksFull refuses on a plain look what the address's limits forbid anyway: a flood from
// one address must not wait for its lock with a connection each, while everybody else
// waits for a connection. What passes is decided in the transaction.
func (s *Service) looksFull(ctx context.Context, o *Offer, who Visitor, seats []string) error {
	if !who.counted() {
		return nil
	}
	if !who.New {
		if own, err := s.db.ActiveHolds(ctx, who.Holder, o.Event.ID); err != nil || len(own) > 0 {
			return err
		}
	}
	return withinAddress(ctx, s.db.Queries, who, nil, seats)
}

// withinLimits refuses a choice that a limit forbids. The visitor and the address are
// locked, so nobody else of them chooses meanwhile. A hold that gets no larger is within
// every number, whatever the owner has set since.
func withinLimits(ctx context.Context, t *db.Tx, o *Offer, who Visitor, own *domain.Hold, seats []string) error {
	if who.limits == (domain.Limits{}) {
		return nil
	}
	if err := notPaused(ctx, t, o, who, own, seats); err != nil {
		return err
	}
	if own != nil && len(seats) <= len(own.Seats) {
		return nil
	}
	if err := withinVisitor(ctx, t, who, own, seats); err != nil {
		return err
	}
	return withinAddress(ctx, t.Queries, who, own, seats)
}

// noteLimits writes down what the next choice is measured by: where this hold came from,
// and what it no longer has.
func noteLimits(ctx context.Context, t *db.Tx, o *Offer, who Visitor, holdID string, before *domain.Hold, seats []string) error {
	if who.counted() {
		if err := t.SetHoldAddress(ctx, holdID, who.Address.Key); err != nil {
			return err
		}
	}
	if who.limits.Pause == 0 || before == nil {
		return nil
	}
	dropped := slices.DeleteFunc(before.SeatNos(), func(no string) bool { return slices.Contains(seats, no) })
	if len(dropped) == 0 {
		return nil
	}
	return t.LetGo(ctx, o.Event.ID, who.Holder, dropped)
}
