package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// ActResult is what a form of staff came to, "" when it was never sent or failed.
func (q Queries) ActResult(ctx context.Context, key string, staffID int64, kind string) (string, error) {
	var by int64
	var was, result string
	err := classify(q.q.QueryRow(ctx, actSQL, pgx.StrictNamedArgs{"key": key}).Scan(&by, &was, &result))
	if errors.Is(err, domain.ErrNotFound) || err == nil && (by != staffID || was != kind) {
		return "", nil
	}
	return result, err
}

// TakenPart is one part of what a booking was paid with.
type TakenPart struct {
	Tender   string
	Amount   int64
	Tendered int64 // cash put on the counter; 0 when it was not typed
	Words    string
}

const takenPartsSQL = `
SELECT tender, received AS amount, coalesce(tendered, 0) AS tendered, description AS words
  FROM payments WHERE hold_id = @hold AND outcome = 'booked' ORDER BY id`

// TakenParts lists them in the order they were taken.
func (q Queries) TakenParts(ctx context.Context, holdID string) ([]TakenPart, error) {
	return rows[TakenPart](ctx, q.q, takenPartsSQL, pgx.StrictNamedArgs{"hold": holdID})
}

const detailHoldSQL = `UPDATE holds SET detailed_at = now() WHERE id = @id AND state = 'active' AND channel = 'counter'`

// DetailHold says that a hold of the counter needs no more details before it is paid.
func (q Queries) DetailHold(ctx context.Context, id string) error {
	return one(exec(ctx, q.q, detailHoldSQL, pgx.StrictNamedArgs{"id": id}))
}

const paymentByStaffSQL = `UPDATE payments SET staff_id = @staff WHERE id = @id`

// PaymentByStaff notes who asked for a payment.
func (t *Tx) PaymentByStaff(ctx context.Context, id, staffID int64) error {
	return one(exec(ctx, t.q, paymentByStaffSQL, pgx.StrictNamedArgs{"id": id, "staff": staffID}))
}
