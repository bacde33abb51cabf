package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// errSeatLost: the claim was not ours any more and nothing was changed.
var errSeatLost = fmt.Errorf("seat lost: %w", domain.ErrHoldEnded)

// book turns a locked hold into a booking with tickets and ledger lines. Its payments,
// one or the parts of a split tender, are recorded already. errSeatLost before anything was written; ErrConflict when the
// unique constraint of ticket_legs said no and the transaction is over.
func (s *Service) book(ctx context.Context, t *db.Tx, h *domain.Hold, payments ...int64) (int64, error) {
	id, err := t.NextBookingID(ctx)
	if err != nil {
		return 0, err
	}
	if err := t.ConfirmSeats(ctx, claimOf(h), id); err != nil {
		if errors.Is(err, domain.ErrConflict) {
			return 0, errSeatLost
		}
		return 0, err
	}
	if err := s.insertBooking(ctx, t, h, id); err != nil {
		return 0, err
	}
	prices := make([]int64, len(h.Seats))
	for i, x := range h.Seats {
		prices[i] = x.Price
	}
	if err := t.InsertTickets(ctx, id, h, domain.SplitTax(prices, h.TaxBP)); err != nil {
		return 0, err
	}
	if err := t.SetHoldState(ctx, h.ID, "converted"); err != nil {
		return 0, err
	}
	for _, p := range payments {
		if err := t.LedgerPayment(ctx, p, &id, h.Currency, h.Channel); err != nil {
			return 0, err
		}
	}
	if err := t.LedgerSale(ctx, id, payments[0]); err != nil {
		return 0, err
	}
	return id, s.queueMail(ctx, t, db.Mail{Kind: "tickets", BookingID: &id, ToAddress: h.Email})
}

func (s *Service) insertBooking(ctx context.Context, t *db.Tx, h *domain.Hold, id int64) error {
	set, err := s.readSettings(ctx, t.Queries)
	if err != nil {
		return err
	}
	b := db.NewBooking{
		ID: id, HoldID: h.ID, EventID: h.EventID, Name: h.Name, Email: h.Email, Phone: h.Phone, Total: h.Total,
		Tax: domain.TaxIncluded(h.Total, h.TaxBP), Currency: h.Currency, Channel: h.Channel,
		CancelTerms: set.CancelTerms.String(),
	}
	for range 20 { // one in 480 million is taken: more than one repeat is a broken generator
		b.Reference = domain.NewReference()
		if _, err := t.InsertBooking(ctx, b); !errors.Is(err, domain.ErrNotFound) {
			return err
		}
	}
	return errors.New("no free booking reference in 20 tries")
}

// atOnce is when most jobs should run.
func atOnce() time.Time { return time.Time{} }
