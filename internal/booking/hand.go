package booking

import (
	"context"
	"fmt"

	"holdfast/db"
	"holdfast/internal/domain"
)

// HandOver records that the seller gave back, out of the own open till, everything of a
// payment that waits for a hand; its tasks are done with it. Shown is the amount that the
// person saw. It returns the booking that the money was for.
//
// Errors: ErrNoShift; ErrConflict when it was given back already, by whoever pressed
// first, or is another amount now; ErrNotFound. Nothing was changed then.
func (s *Service) HandOver(ctx context.Context, paymentID, shown int64, who Seller) (bookingID int64, err error) {
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		till, err := openTill(ctx, t, &who)
		if err != nil {
			return err
		}
		p, err := t.LockPayment(ctx, paymentID)
		if err != nil {
			return err
		}
		if err := t.FinishHandTasks(ctx, p.ID); err != nil { // before the refunds, as a task's Done locks them
			return err
		}
		ids, sum, err := t.RefundsByHand(ctx, p.ID)
		if err != nil {
			return err
		}
		if len(ids) == 0 || sum != shown {
			return fmt.Errorf("%d to hand over of payment %d, not %d: %w", sum, p.ID, shown, domain.ErrConflict)
		}
		tender := cameBy(p)
		if tender != "terminal" {
			tender = "cash"
		}
		for _, id := range ids {
			if err := handRefund(ctx, t, id, tender, *till); err != nil {
				return err
			}
		}
		if bookingID, err = t.BookingOfPayment(ctx, p.ID); err != nil {
			return err
		}
		return logChange(ctx, t, bookingID, "hand over refund", who.By.Actor, who.By.Address, nil, map[string]any{"refund": sum, "refunds": ids, "tender": tender})
	})
	return bookingID, err
}

// handRefund takes a refund out of the sums as something that is to come and enters it
// where it happened: in the shift.
func handRefund(ctx context.Context, t *db.Tx, id int64, tender string, till tillOf) error {
	if err := t.LedgerRefundBack(ctx, id); err != nil {
		return err
	}
	if err := t.RefundHandedOver(ctx, id, tender, till.shift, till.staff); err != nil {
		return err
	}
	return t.LedgerRefund(ctx, id)
}
