package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// houseRules judges a choice by the rules of the house: companion seats go with their
// wheelchair space, and no seat is left alone. The refusal is a *domain.RuleError with
// what to take instead. Staff who choose knowingly are not asked.
//
// It looks just before the claim, not under its locks: two customers at the very same
// moment may each be right about what they saw and together leave a seat alone. That
// costs the house a seat at worst. Locking the whole row for it would make neighbours wait
// for one another on the busiest path there is, and what must never go wrong, a seat sold
// twice, is ClaimSeats' business alone.
func (s *Service) houseRules(ctx context.Context, o *Offer, who Visitor, seats []string) error {
	if who.Knowing {
		return nil
	}
	together := companions(o, seats)
	if len(together) == 0 && !o.Settings.LonelySeatRule {
		return nil
	}
	x, err := s.Seats(ctx, o, who.Holder)
	if err != nil {
		return err
	}
	if x.Hold != nil && x.Hold.Ride == o.Ride && sameSeats(o.Layout, x.Hold.SeatNos(), seats) {
		return nil // what one has may be sent again, whatever happened around it
	}
	free := x.Free(o.Layout)
	if slices.ContainsFunc(seats, func(no string) bool { return !free[no] }) {
		return nil // the claim says which are gone: that matters more
	}
	if len(together) > 0 {
		return s.withWheelchair(o, seats, together, free)
	}
	lonely, instead := o.Layout.Lonely(seats, o.sold(free), o.ForWomen)
	if len(lonely) == 0 {
		return nil
	}
	return &domain.RuleError{Code: "lonely_seat", Seats: lonely, Instead: instead, Words: lonelyWords(lonely)}
}

func sameSeats(l *domain.Layout, a, b []string) bool {
	a = slices.Clone(a)
	l.SortSeats(a)
	return slices.Equal(a, b)
}

// sold leaves out what has no price here: nobody will ever sit there.
func (o *Offer) sold(free map[string]bool) map[string]bool {
	for no := range free {
		c, _ := o.Layout.Seat(no)
		if _, ok := o.Fares.Default(c.Zone); !ok {
			free[no] = false
		}
	}
	return free
}

func lonelyWords(lonely []string) string {
	if len(lonely) == 1 {
		return fmt.Sprintf("Seat %s would be left alone, and hardly anybody buys a single seat.", lonely[0])
	}
	return fmt.Sprintf("Seats %s would be left alone, and hardly anybody buys a single seat.", listed(lonely))
}

func listed(names []string) string {
	out := names[0]
	for i, n := range names[1:] {
		if i == len(names)-2 {
			out += " and " + n
		} else {
			out += ", " + n
		}
	}
	return out
}

// companions are the chosen companion seats without their wheelchair space, as long as
// they are kept for it.
func companions(o *Offer, seats []string) (out []string) {
	if h := o.Settings.CompanionHours; h > 0 && !o.Event.Now.Before(o.Boards.Add(-time.Duration(h)*time.Hour)) {
		return nil
	}
	for _, no := range seats {
		if c, _ := o.Layout.Seat(no); c.Kind != domain.CellCompanion {
			continue
		}
		spaces := o.Layout.WheelchairOf(no)
		if len(spaces) > 0 && !slices.ContainsFunc(spaces, func(w string) bool { return slices.Contains(seats, w) }) {
			out = append(out, no)
		}
	}
	return out
}

// withWheelchair refuses companion seats alone and offers them with their space, or the
// same number of other seats.
func (s *Service) withWheelchair(o *Offer, seats, alone []string, free map[string]bool) error {
	e := &domain.RuleError{Code: "companion", Seats: alone, Words: fmt.Sprintf(
		"Seat %s is for the companion of somebody in the wheelchair space beside it.", listed(alone))}
	if len(alone) > 1 {
		e.Words = fmt.Sprintf("Seats %s are for companions of somebody in the wheelchair space beside them.", listed(alone))
	}
	whole := slices.Clone(seats)
	for _, no := range alone {
		for _, w := range o.Layout.WheelchairOf(no) {
			if free[w] && !slices.Contains(whole, w) {
				whole = append(whole, w)
				break
			}
		}
	}
	o.Layout.SortSeats(whole)
	if len(whole) <= o.Settings.SeatsPerBooking && len(companions(o, whole)) == 0 {
		e.Instead = append(e.Instead, whole)
	}
	others := slices.DeleteFunc(slices.Clone(seats), func(no string) bool { return slices.Contains(alone, no) })
	if len(others) > 0 {
		e.Instead = append(e.Instead, others)
	} else if set := o.Layout.Best(domain.BestWish{Quantity: len(seats), RowPercent: o.Settings.BestSeatRowFromFront, Rules: o.Rules()}, free); set != nil {
		e.Instead = append(e.Instead, set)
	}
	return e
}

// Rules are what is minded when seats are proposed.
func (o *Offer) Rules() domain.Rules {
	return domain.Rules{NoLonely: o.Settings.LonelySeatRule, Kept: o.ForWomen}
}

// The ways a house keeps seats for women.
const (
	ladiesMarked     = "seats"
	ladiesNeighbours = "seats_and_neighbours"
)

// forWomen are the seats of an event's ride that only women may take, by the setting:
// those the plan marks, and those beside a woman who travels alone and asked for it.
// Which of the two it is, is nobody's business but the house's.
func (s *Service) forWomen(ctx context.Context, q db.Queries, e domain.Event, l *domain.Layout, ride domain.Ride, rule string) (map[string]bool, error) {
	if rule != ladiesMarked && rule != ladiesNeighbours {
		return nil, nil
	}
	out := map[string]bool{}
	for _, c := range l.Cells {
		if c.Ladies && c.Kind.Sellable() {
			out[c.SeatNo] = true
		}
	}
	if rule != ladiesNeighbours {
		return out, nil
	}
	alone, err := q.WomenAlone(ctx, e.ID, ride)
	if err != nil {
		return nil, err
	}
	for _, no := range alone {
		for _, beside := range l.Beside(no) {
			out[beside] = true
		}
	}
	return out, nil
}

// MayKeepBeside says whether a woman who books this hold may ask that the seat beside
// her be kept for women: she travels alone, and there is one.
func (o *Offer) MayKeepBeside(h *domain.Hold) bool {
	return o.Settings.LadiesRule == ladiesNeighbours && o.Event.Kind == domain.Trip && len(h.Seats) == 1 && len(o.Layout.Beside(h.Seats[0].SeatNo)) > 0
}

// isRule says whether an error is a refusal by that rule of the house.
func isRule(err error, code string) bool {
	var rule *domain.RuleError
	return errors.As(err, &rule) && rule.Code == code
}
