package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// Payment is one attempt to pay one hold. Amount, Description, Email and
// SessionEndsAt are frozen when the row is made.
type Payment struct {
	ID                    int64
	HoldID                string
	EventID               int64
	Tender                string
	State                 string
	Outcome               *string
	Amount                int64
	Currency              string
	Received              int64
	Description           string
	Email                 string
	StripeSessionID       *string
	StripePaymentIntentID *string
	StripeURL             *string
	SessionEndsAt         *time.Time
	CreatedAt             time.Time
	Tendered              *int64 // cash that was put on the counter
	Now                   time.Time
}

// Live says whether money may still come for it.
func (p *Payment) Live() bool { return domain.PaymentState(p.State).Live() }

const paymentColumns = `
SELECT id, hold_id::text, event_id, tender, state, outcome, amount, currency, received, description, email,
       stripe_session_id, stripe_payment_intent_id, stripe_url, session_ends_at, created_at, tendered, now() AS now
  FROM payments `

const insertPaymentSQL = `
INSERT INTO payments (hold_id, event_id, tender, state, amount, currency, description, email, session_ends_at)
VALUES (@hold, @event, @tender, 'creating', @amount, @currency, @description, @email, @session_ends_at)
RETURNING id`

// InsertPayment starts an attempt; domain.ErrConflict when the hold has a live one.
func (t *Tx) InsertPayment(ctx context.Context, p Payment) (int64, error) {
	return scalar[int64](ctx, t.q, insertPaymentSQL, pgx.StrictNamedArgs{
		"hold": p.HoldID, "event": p.EventID, "tender": p.Tender, "amount": p.Amount, "currency": p.Currency,
		"description": p.Description, "email": p.Email, "session_ends_at": p.SessionEndsAt,
	})
}

const paymentSQL = paymentColumns + `WHERE id = @id`

// Payment reads one attempt; domain.ErrNotFound.
func (q Queries) Payment(ctx context.Context, id int64) (Payment, error) {
	return row[Payment](ctx, q.q, paymentSQL, pgx.StrictNamedArgs{"id": id})
}

const lockPaymentSQL = paymentColumns + `WHERE id = @id FOR UPDATE`

// LockPayment reads and locks one attempt: the first lock of settle.
func (t *Tx) LockPayment(ctx context.Context, id int64) (Payment, error) {
	return row[Payment](ctx, t.q, lockPaymentSQL, pgx.StrictNamedArgs{"id": id})
}

const livePaymentSQL = paymentColumns + `WHERE hold_id = @hold AND state IN ('creating', 'open')`

// LivePayment is the hold's one attempt that may still bring money; domain.ErrNotFound.
func (q Queries) LivePayment(ctx context.Context, holdID string) (Payment, error) {
	return row[Payment](ctx, q.q, livePaymentSQL, pgx.StrictNamedArgs{"hold": holdID})
}

const newestPaymentSQL = paymentColumns + `WHERE hold_id = @hold ORDER BY id DESC LIMIT 1`

// NewestPayment is the hold's last attempt; domain.ErrNotFound.
func (q Queries) NewestPayment(ctx context.Context, holdID string) (Payment, error) {
	return row[Payment](ctx, q.q, newestPaymentSQL, pgx.StrictNamedArgs{"hold": holdID})
}

const countPaymentsSQL = `SELECT count(*) FROM payments WHERE hold_id = @hold`

// CountPayments counts the hold's attempts, whatever became of them.
func (q Queries) CountPayments(ctx context.Context, holdID string) (int, error) {
	return scalar[int](ctx, q.q, countPaymentsSQL, pgx.StrictNamedArgs{"hold": holdID})
}

const paymentBySessionSQL = paymentColumns + `WHERE stripe_session_id = @session`

// PaymentBySession finds the attempt of a Stripe session; domain.ErrNotFound.
func (q Queries) PaymentBySession(ctx context.Context, sessionID string) (Payment, error) {
	return row[Payment](ctx, q.q, paymentBySessionSQL, pgx.StrictNamedArgs{"session": sessionID})
}

const openPaymentSQL = `
UPDATE payments SET state = 'open', stripe_session_id = @session, stripe_url = @url, session_ends_at = @ends_at
 WHERE id = @id AND state IN ('creating', 'open')`

// OpenPayment records the hosted page of an attempt. No rows is fine: it was
// settled or closed meanwhile.
func (q Queries) OpenPayment(ctx context.Context, id int64, s domain.PaySession) (bool, error) {
	n, err := exec(ctx, q.q, openPaymentSQL, pgx.StrictNamedArgs{"id": id, "session": s.ID, "url": s.URL, "ends_at": s.ExpiresAt})
	return n == 1, err
}

const closePaymentSQL = `
UPDATE payments SET state = 'closed', stripe_session_id = coalesce(stripe_session_id, nullif(@session, ''))
 WHERE id = @id AND state IN ('creating', 'open') AND received = 0`

// ClosePayment records that no money came and none can come any more.
func (t *Tx) ClosePayment(ctx context.Context, id int64, sessionID string) error {
	_, err := exec(ctx, t.q, closePaymentSQL, pgx.StrictNamedArgs{"id": id, "session": sessionID})
	return err
}

const receivePaymentSQL = `
UPDATE payments SET received = @received, received_at = now(), state = @state, outcome = @outcome,
       stripe_session_id = coalesce(stripe_session_id, nullif(@session, '')), stripe_payment_intent_id = nullif(@intent, '')
 WHERE id = @id AND received = 0`

// ReceivePayment records money and what became of it, once.
func (t *Tx) ReceivePayment(ctx context.Context, id int64, s domain.PaySession, state domain.PaymentState, outcome string) error {
	return one(exec(ctx, t.q, receivePaymentSQL, pgx.StrictNamedArgs{
		"id": id, "received": s.Amount, "state": string(state), "outcome": outcome, "session": s.ID, "intent": s.PaymentIntent,
	}))
}

const freePaymentSQL = `
INSERT INTO payments (hold_id, event_id, tender, state, outcome, amount, currency, email)
VALUES (@hold, @event, 'free', 'applied', 'booked', 0, @currency, @email)
RETURNING id`

// InsertFreePayment records that a total of zero needed no money.
func (t *Tx) InsertFreePayment(ctx context.Context, h *domain.Hold) (int64, error) {
	return scalar[int64](ctx, t.q, freePaymentSQL, pgx.StrictNamedArgs{
		"hold": h.ID, "event": h.EventID, "currency": h.Currency, "email": h.Email,
	})
}

const duePaymentsSQL = paymentColumns + `
 WHERE state IN ('creating', 'open')
   AND (created_at < now() - make_interval(secs => @older_seconds::int)
        OR EXISTS (SELECT 1 FROM holds h WHERE h.id = payments.hold_id AND h.expires_at <= now()))
 ORDER BY created_at LIMIT 200`

// DuePayments are live attempts worth asking Stripe about: older than the given
// time, or of a hold whose countdown is over.
func (q Queries) DuePayments(ctx context.Context, older time.Duration) ([]Payment, error) {
	return rows[Payment](ctx, q.q, duePaymentsSQL, pgx.StrictNamedArgs{"older_seconds": int(older.Seconds())})
}

const closeRefundedSQL = `
UPDATE payments p SET state = 'closed'
 WHERE p.id = @id AND p.state = 'refunding'
   AND p.received <= (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = p.id AND r.state = 'succeeded')`

// CloseRefunded closes an attempt whose money is back in full.
func (t *Tx) CloseRefunded(ctx context.Context, id int64) error {
	_, err := exec(ctx, t.q, closeRefundedSQL, pgx.StrictNamedArgs{"id": id})
	return err
}

const reviseOutcomeSQL = `
UPDATE payments SET state = 'refunding', outcome = @outcome WHERE id = @id AND state = 'applied' AND received > 0`

// ReviseOutcome turns money recorded in this same transaction into money that goes
// back: the claim on the seats was lost.
func (t *Tx) ReviseOutcome(ctx context.Context, id int64, outcome string) error {
	return one(exec(ctx, t.q, reviseOutcomeSQL, pgx.StrictNamedArgs{"id": id, "outcome": outcome}))
}

const reopenRefundingSQL = `
UPDATE payments SET state = 'refunding' WHERE id = @id AND state = 'closed' AND received > 0 AND outcome <> 'booked'`

// ReopenRefunding takes back that all of the money is back: a refund failed after all.
func (t *Tx) ReopenRefunding(ctx context.Context, id int64) error {
	_, err := exec(ctx, t.q, reopenRefundingSQL, pgx.StrictNamedArgs{"id": id})
	return err
}

const livePaymentsSQL = `SELECT id FROM payments WHERE state IN ('creating', 'open') ORDER BY id`

// LivePayments are the attempts that may still bring money.
func (q Queries) LivePayments(ctx context.Context) ([]int64, error) {
	return column[int64](ctx, q.q, livePaymentsSQL, nil)
}
