package booking

import (
	"context"
	"errors"

	"holdfast/db"
	"holdfast/internal/domain"
)

// ErrNotVoidable: the sale is not of the seller's own open shift: only a refund can undo it.
var ErrNotVoidable = &domain.RuleError{Code: "not_voidable", Words: "Only a sale of your own open till can be voided. This one can be refunded."}

// HandedBack is what went back by one tender.
type HandedBack = db.HandedBack

// Void undoes a sale that the seller made in the shift that is still open: every valid
// ticket, all its money whatever the terms say, handed back as it came. It answers what
// went back. Errors as DeskCancel; ErrNoShift; ErrNotVoidable.
func (s *Service) Void(ctx context.Context, who Seller, bookingID int64, words string) ([]HandedBack, error) {
	f, err := s.BookingFile(ctx, bookingID)
	if err != nil {
		return nil, err
	}
	c := Cancel{BookingID: bookingID, Reason: "void", Seller: &who, By: who.By.Actor, From: who.By.Address, Words: words, Confirmed: who.Confirmed}
	for _, t := range f.Tickets {
		if t.State == "valid" {
			c.Tickets = append(c.Tickets, t.ID)
		}
	}
	if len(c.Tickets) == 0 {
		return nil, ErrTicketsGone
	}
	price, _ := f.Price(c.Tickets)
	price = min(price, f.Left)
	c.Refund = &price
	var last int64
	for _, r := range f.Refunds {
		last = max(last, r.ID)
	}
	if err := s.DeskCancel(ctx, c, nil); err != nil {
		return nil, err
	}
	return s.db.HandedBack(ctx, f.Booking.HoldID, last)
}

// Voidable says whether Void would take a sale back for a seller.
func (s *Service) Voidable(ctx context.Context, staffID, bookingID int64) (bool, error) {
	shift, err := s.db.OpenShiftOf(ctx, staffID)
	if errors.Is(err, domain.ErrNoShift) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return s.db.SoldInShift(ctx, bookingID, shift.ID)
}

func voidable(ctx context.Context, t *db.Tx, till *tillOf, bookingID int64) error {
	if till == nil {
		return ErrNotVoidable
	}
	own, err := t.SoldInShift(ctx, bookingID, till.shift)
	if err == nil && !own {
		return ErrNotVoidable
	}
	return err
}
