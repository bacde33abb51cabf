package booking

import (
	"context"
	"holdfast/internal/domain"
	"slices"
	"time"
)

// SurelyTaken names the seats of a choice that a reading of the map showed as somebody
// else's until later than now, o's clock; nil when there is any other thing to say of the
// choice. It asks nobody: it may only refuse, and only strangers, who hold nothing.
func (x *Seats) SurelyTaken(o *Offer, seats []string) *domain.SeatConflict {
	conflict := &domain.SeatConflict{}
	for _, no := range seats {
		until, taken := x.Until[no]
		if taken && (until.IsZero() || o.Event.Now.Before(until)) {
			conflict.Lost = append(conflict.Lost, no)
		}
	}
	if len(conflict.Lost) == 0 {
		return nil
	}
	o.Layout.SortSeats(conflict.Lost)
	return conflict
}

// whoHas names the seats of the choice that somebody else has now, and the live
// payments of holders whose countdown is over.
func (s *Service) whoHas(ctx context.Context, o *Offer, holder domain.Holder, seats []string) (*domain.SeatConflict, []int64, error) {
	mine, err := s.db.ActiveHolds(ctx, holder, o.Event.ID)
	if err != nil {
		return nil, nil, err
	}
	taken, err := s.db.TakenSeats(ctx, o.Event.ID, o.Ride, mine...)
	if err != nil {
		return nil, nil, err
	}
	conflict := &domain.SeatConflict{}
	var payers []int64
	for _, x := range taken {
		if !slices.Contains(seats, x.SeatNo) {
			continue
		}
		conflict.Lost = append(conflict.Lost, x.SeatNo)
		if x.Payer {
			conflict.Paying = append(conflict.Paying, x.SeatNo)
			if !slices.Contains(payers, *x.PaymentID) {
				payers = append(payers, *x.PaymentID)
			}
		}
	}
	o.Layout.SortSeats(conflict.Lost)
	return conflict, payers, nil
}

// askPayers closes the payment pages of holders whose time is over, in two seconds
// at most, and tells whether that may have freed anything.
func (s *Service) askPayers(ctx context.Context, payments []int64) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	freed := false
	for _, id := range payments {
		settled, err := s.EndPayment(ctx, id)
		if err != nil {
			s.log.Warn("payment could not be asked about for a new claimer", "payment", id, "error", err.Error())
			continue
		}
		freed = freed || settled == Closed
	}
	return freed
}
