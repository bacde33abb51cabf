package booking

import (
	"context"
	"errors"
	"fmt"

	"holdfast/internal/domain"
)

// NoBest says that the wish cannot be met as it stands.
type NoBest struct {
	Free      int  // how many places of the zone are free at all
	ApartHelp bool // seats that are not neighbours would do
}

func (e *NoBest) Error() string {
	return fmt.Sprintf("no such set, %d free, apart helps: %v", e.Free, e.ApartHelp)
}

// ChooseBest finds seats for the wish and holds exactly those. Errors as Choose, and
// *NoBest.
func (s *Service) ChooseBest(ctx context.Context, o *Offer, who Visitor, w domain.BestWish) (string, error) {
	if w.Quantity < 1 || w.Quantity > o.Settings.SeatsPerBooking {
		return "", &domain.RuleError{Code: "quantity", Words: fmt.Sprintf("Please ask for 1 to %d seats.", o.Settings.SeatsPerBooking)}
	}
	if w.Zone != 0 && !hasZone(o.Layout, w.Zone) {
		return "", &domain.RuleError{Code: "zone", Words: "There is no such part of the house. Please choose another."}
	}
	w.RowPercent, w.Rules = o.Settings.BestSeatRowFromFront, o.Rules()
	for try := 0; ; try++ {
		x, err := s.Seats(ctx, o, who.Holder)
		if err != nil {
			return "", err
		}
		free := x.Free(o.Layout)
		if err := s.leavePaused(ctx, o, who, free); err != nil {
			return "", err
		}
		set := o.Layout.Best(w, free)
		if set == nil {
			return "", s.noBest(o, w, free)
		}
		id, err := s.Choose(ctx, o, who, set)
		var lost *domain.SeatConflict
		if (errors.As(err, &lost) || isRule(err, "lonely_seat")) && try < 4 {
			continue // somebody was faster, or changed what is alone: look again
		}
		return id, err
	}
}

func (s *Service) noBest(o *Offer, w domain.BestWish, free map[string]bool) *NoBest {
	no := &NoBest{}
	for _, c := range o.Layout.Cells {
		if c.Kind.Sellable() && free[c.SeatNo] && (w.Zone == 0 || c.Zone == w.Zone) {
			no.Free++
		}
	}
	if !w.Apart {
		w.Apart = true
		no.ApartHelp = o.Layout.Best(w, free) != nil
	}
	return no
}

func hasZone(l *domain.Layout, no int) bool {
	for _, z := range l.Zones {
		if z.No == no {
			return true
		}
	}
	return false
}
