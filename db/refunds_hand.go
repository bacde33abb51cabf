package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const finishHandTasksSQL = `
UPDATE staff_tasks SET state = 'done', done_at = now() WHERE payment_id = @payment AND kind = 'refund_by_hand' AND state = 'open'`

// FinishHandTasks takes off the staff list that a payment is to be given back by hand.
func (t *Tx) FinishHandTasks(ctx context.Context, paymentID int64) error {
	_, err := exec(ctx, t.q, finishHandTasksSQL, pgx.StrictNamedArgs{"payment": paymentID})
	return err
}

const refundsByHandSQL = `
SELECT r.id, r.amount
  FROM refunds r JOIN payments p ON p.id = r.payment_id
 WHERE p.id = @payment AND p.stripe_payment_intent_id IS NULL AND r.state = 'pending'
 ORDER BY r.id
   FOR UPDATE OF r`

// RefundsByHand lists and locks what of a payment waits to be given back by hand, and
// sums it. The payment's row must be locked.
func (t *Tx) RefundsByHand(ctx context.Context, paymentID int64) (ids []int64, sum int64, err error) {
	type waiting struct{ ID, Amount int64 }
	all, err := rows[waiting](ctx, t.q, refundsByHandSQL, pgx.StrictNamedArgs{"payment": paymentID})
	for _, x := range all {
		ids, sum = append(ids, x.ID), sum+x.Amount
	}
	return ids, sum, err
}

const refundHandedOverSQL = `
UPDATE refunds SET state = 'succeeded', tender = @tender, shift_id = @shift, staff_id = @staff, updated_at = now()
 WHERE id = @id AND state = 'pending'`

// RefundHandedOver records that a refund that waited for a hand was given at the counter.
// Before LedgerRefund, which enters it in that shift.
func (t *Tx) RefundHandedOver(ctx context.Context, id int64, tender string, shiftID, staffID int64) error {
	return one(exec(ctx, t.q, refundHandedOverSQL, pgx.StrictNamedArgs{"id": id, "tender": tender, "shift": shiftID, "staff": staffID}))
}

const bookingOfPaymentSQL = `SELECT b.id FROM bookings b JOIN payments p ON p.hold_id = b.hold_id WHERE p.id = @payment`

// BookingOfPayment is the booking that a payment was for; domain.ErrNotFound.
func (q Queries) BookingOfPayment(ctx context.Context, paymentID int64) (int64, error) {
	return scalar[int64](ctx, q.q, bookingOfPaymentSQL, pgx.StrictNamedArgs{"payment": paymentID})
}
