package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// Refund is money going back, worked by a job.
type Refund struct {
	ID             int64
	PaymentID      int64
	EventID        int64
	Amount         int64
	Currency       string
	Reason         string
	State          string
	Attempt        int
	StripeRefundID *string
	EarlierIDs     []string // of tries that failed
	Error          string
	CreatedAt      time.Time
	PaymentIntent  *string
}

const insertRefundSQL = `
INSERT INTO refunds (payment_id, event_id, amount, currency, reason)
SELECT p.id, p.event_id, @amount::bigint, @currency, @reason
  FROM payments p
 WHERE p.id = @payment
   AND @amount::bigint <= p.received - (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = p.id AND r.state <> 'failed')
RETURNING id`

// InsertRefund asks for money back; domain.ErrNotFound when it would be more than
// the payment brought less what is on its way. The payment's row must be locked.
func (t *Tx) InsertRefund(ctx context.Context, paymentID, amount int64, currency, reason string) (int64, error) {
	return scalar[int64](ctx, t.q, insertRefundSQL, pgx.StrictNamedArgs{"payment": paymentID, "amount": amount, "currency": currency, "reason": reason})
}

const refundColumns = `
SELECT r.id, r.payment_id, r.event_id, r.amount, r.currency, r.reason, r.state, r.attempt, r.stripe_refund_id, r.earlier_ids, r.error,
       r.created_at, p.stripe_payment_intent_id AS payment_intent
  FROM refunds r JOIN payments p ON p.id = r.payment_id `

const refundSQL = refundColumns + `WHERE r.id = @id`

// Refund reads one; domain.ErrNotFound.
func (q Queries) Refund(ctx context.Context, id int64) (Refund, error) {
	return row[Refund](ctx, q.q, refundSQL, pgx.StrictNamedArgs{"id": id})
}

const refundsOfSQL = refundColumns + `WHERE r.payment_id = @payment ORDER BY r.id`

// RefundsOf lists what went back of a payment.
func (q Queries) RefundsOf(ctx context.Context, paymentID int64) ([]Refund, error) {
	return rows[Refund](ctx, q.q, refundsOfSQL, pgx.StrictNamedArgs{"payment": paymentID})
}

const setRefundSQL = `
UPDATE refunds SET state = @state, stripe_refund_id = coalesce(nullif(@stripe_id, ''), stripe_refund_id), error = @error, updated_at = now()
 WHERE id = @id AND (state <> @state OR stripe_refund_id IS DISTINCT FROM coalesce(nullif(@stripe_id, ''), stripe_refund_id))`

// SetRefund records the provider's word; false when that is what the row says already.
func (t *Tx) SetRefund(ctx context.Context, id int64, state domain.RefundState, stripeID, words string) (bool, error) {
	n, err := exec(ctx, t.q, setRefundSQL, pgx.StrictNamedArgs{"id": id, "state": string(state), "stripe_id": stripeID, "error": words})
	return n == 1, err
}

// A running job counts for two minutes: none may take longer, its process is dead.
const liveJob = `
   AND (j.state IN ('available', 'pending', 'retryable', 'scheduled') OR j.state = 'running' AND j.attempted_at > now() - interval '2 minutes'))`

const idleRefundsSQL = `
SELECT r.id FROM refunds r
 WHERE r.state IN ('requested', 'pending') AND r.updated_at < now() - interval '2 minutes'
   AND (SELECT p.stripe_payment_intent_id FROM payments p WHERE p.id = r.payment_id) IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM river_job j WHERE j.kind = @kind AND j.args ->> 'refund_id' = r.id::text ` + liveJob + `
 ORDER BY r.created_at LIMIT 200`

// IdleRefunds are refunds on their way that no job works on any more: its process was
// killed, or it was given up after hours without Stripe.
func (q Queries) IdleRefunds(ctx context.Context) ([]int64, error) {
	return column[int64](ctx, q.q, idleRefundsSQL, pgx.StrictNamedArgs{"kind": domain.RefundJob{}.Kind()})
}

const ledgerRefundSQL = `
INSERT INTO ledger_entries (kind, amount, currency, tender, channel, event_id, booking_id, payment_id, refund_id, shift_id, staff_id)
SELECT @kind, @sign * r.amount, r.currency, coalesce(r.tender, p.tender), coalesce(b.channel, ''), r.event_id, b.id, p.id, r.id, r.shift_id, r.staff_id
  FROM refunds r JOIN payments p ON p.id = r.payment_id LEFT JOIN bookings b ON b.hold_id = p.hold_id AND p.outcome = 'booked'
 WHERE r.id = @refund`

// LedgerRefund enters a refund when it is asked for.
func (t *Tx) LedgerRefund(ctx context.Context, refundID int64) error {
	_, err := exec(ctx, t.q, ledgerRefundSQL, pgx.StrictNamedArgs{"refund": refundID, "kind": "refund", "sign": -1})
	return err
}

// LedgerRefundBack takes a refund that failed out of the sums again.
func (t *Tx) LedgerRefundBack(ctx context.Context, refundID int64) error {
	_, err := exec(ctx, t.q, ledgerRefundSQL, pgx.StrictNamedArgs{"refund": refundID, "kind": "refund", "sign": 1})
	return err
}

const refundsOfHoldSQL = refundColumns + `WHERE p.hold_id = @hold ORDER BY r.id`

// RefundsOfHold lists what went back of all payments of a hold.
func (q Queries) RefundsOfHold(ctx context.Context, holdID string) ([]Refund, error) {
	return rows[Refund](ctx, q.q, refundsOfHoldSQL, pgx.StrictNamedArgs{"hold": holdID})
}

const deferRefundSQL = `
UPDATE refunds SET error = @error, attempt = attempt + 1, updated_at = now() WHERE id = @id AND state = 'requested'`

// DeferRefund keeps a refund that Stripe cannot pay just now in the queue with the
// reason; the next try is a new request.
func (t *Tx) DeferRefund(ctx context.Context, id int64, words string) error {
	_, err := exec(ctx, t.q, deferRefundSQL, pgx.StrictNamedArgs{"id": id, "error": words})
	return err
}

const retryRefundSQL = `
UPDATE refunds r SET state = 'requested', attempt = attempt + 1, error = '', stripe_refund_id = NULL, earlier_ids = array_remove(earlier_ids || stripe_refund_id, NULL), updated_at = now()
 WHERE r.id = @id AND r.state = 'failed' AND r.reason <> 'dashboard'
   AND r.amount <= (SELECT p.received FROM payments p WHERE p.id = r.payment_id)
                 - (SELECT coalesce(sum(o.amount), 0) FROM refunds o WHERE o.payment_id = r.payment_id AND o.state <> 'failed')`

// RetryRefund asks for a failed refund again; false when it is not failed, or the
// money went back another way meanwhile. The payment's row must be locked.
func (t *Tx) RetryRefund(ctx context.Context, id int64) (bool, error) {
	n, err := exec(ctx, t.q, retryRefundSQL, pgx.StrictNamedArgs{"id": id})
	return n == 1, err
}

const refundByStripeSQL = refundColumns + `WHERE r.stripe_refund_id = @stripe_id`

// RefundByStripe finds our row of a refund at Stripe; domain.ErrNotFound.
func (q Queries) RefundByStripe(ctx context.Context, stripeID string) (Refund, error) {
	return row[Refund](ctx, q.q, refundByStripeSQL, pgx.StrictNamedArgs{"stripe_id": stripeID})
}

const writeOffSQL = `
INSERT INTO ledger_entries (kind, amount, currency, tender, event_id, booking_id, payment_id, refund_id)
SELECT 'write_off', @sign * r.amount, r.currency, p.tender, r.event_id, b.id, p.id, r.id
  FROM refunds r JOIN payments p ON p.id = r.payment_id JOIN bookings b ON b.hold_id = p.hold_id AND p.outcome = 'booked'
 WHERE r.id = @refund`

// WriteOff enters that money of valid tickets went back without their cancellation:
// a refund made in Stripe by hand. sign -1 when it goes, 1 when it failed after all.
func (t *Tx) WriteOff(ctx context.Context, refundID int64, sign int) error {
	_, err := exec(ctx, t.q, writeOffSQL, pgx.StrictNamedArgs{"refund": refundID, "sign": sign})
	return err
}

const givenByHandSQL = `
UPDATE refunds r SET state = 'succeeded', updated_at = now()
  FROM payments p
 WHERE p.id = r.payment_id AND p.id = @payment AND p.stripe_payment_intent_id IS NULL AND r.state = 'pending'`

// GivenByHand records that staff gave the money of a payment back themselves.
func (t *Tx) GivenByHand(ctx context.Context, paymentID int64) error {
	_, err := exec(ctx, t.q, givenByHandSQL, pgx.StrictNamedArgs{"payment": paymentID})
	return err
}
