package booking

import (
	"context"
	"fmt"
	"slices"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// pause is how long a seat of the event that is let go now is not its visitor's again.
func (s *Service) pause(ctx context.Context, eventID int64) (time.Duration, error) {
	settings, err := s.Settings(ctx)
	if err != nil {
		return 0, err
	}
	high, err := s.demand(ctx, eventID)
	return settings.Limits(high, true).Pause, err
}

// notPaused refuses seats that the visitor let go a moment ago.
func notPaused(ctx context.Context, t *db.Tx, o *Offer, who Visitor, own *domain.Hold, seats []string) error {
	fresh := slices.Clone(seats)
	if own != nil {
		fresh = slices.DeleteFunc(fresh, func(no string) bool { return slices.Contains(own.SeatNos(), no) })
	}
	if who.limits.Pause == 0 || who.New || len(fresh) == 0 {
		return nil
	}
	paused, err := t.PausedSeats(ctx, db.Pausing{EventID: o.Event.ID, Holder: who.Holder, Seats: fresh, Choice: seats, Pause: who.limits.Pause})
	if err != nil || len(paused) == 0 {
		return err
	}
	rule := &domain.RuleError{Code: "paused"}
	for _, p := range paused {
		rule.Until = latest(rule.Until, p.Until)
		if !slices.Contains(rule.Seats, p.SeatNo) {
			rule.Seats = append(rule.Seats, p.SeatNo)
		}
	}
	o.Layout.SortSeats(rule.Seats)
	rule.Words = fmt.Sprintf("You had %s until a moment ago, and what was let go is for others first.", listed(rule.Seats))
	return rule
}

// leavePaused takes seats that are not the visitor's again yet out of what is free.
func (s *Service) leavePaused(ctx context.Context, o *Offer, who Visitor, free map[string]bool) error {
	l, err := s.limits(ctx, o, who)
	if err != nil || l.Pause == 0 || who.New {
		return err
	}
	all := make([]string, 0, len(free))
	for no := range free {
		all = append(all, no)
	}
	paused, err := s.db.PausedSeats(ctx, db.Pausing{EventID: o.Event.ID, Holder: who.Holder, Seats: all, Choice: all, Pause: l.Pause})
	for _, p := range paused {
		free[p.SeatNo] = false
	}
	return err
}
