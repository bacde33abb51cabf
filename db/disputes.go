package db

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

const putDisputeSQL = `
INSERT INTO disputes (id, payment_id, event_id, amount, currency, status, inquiry, closed)
SELECT @id, p.id, p.event_id, @amount, @currency, @status, @inquiry, @closed FROM payments p WHERE p.id = @payment
ON CONFLICT (id) DO UPDATE
   SET status = EXCLUDED.status, inquiry = EXCLUDED.inquiry, closed = EXCLUDED.closed, amount = EXCLUDED.amount, updated_at = now()
 WHERE disputes.status <> EXCLUDED.status`

// PutDispute stores what Stripe says of a dispute; false when we knew.
func (t *Tx) PutDispute(ctx context.Context, paymentID int64, d domain.ProviderDispute) (bool, error) {
	n, err := exec(ctx, t.q, putDisputeSQL, pgx.StrictNamedArgs{
		"id": d.ID, "payment": paymentID, "amount": d.Amount, "currency": d.Currency, "status": d.Status, "inquiry": d.Inquiry, "closed": d.Closed,
	})
	return n == 1, err
}

const paymentByIntentSQL = paymentColumns + `WHERE stripe_payment_intent_id = @intent AND tender = 'stripe' ORDER BY id DESC LIMIT 1`

// PaymentByIntent finds the attempt whose money a payment intent is; domain.ErrNotFound.
func (q Queries) PaymentByIntent(ctx context.Context, intent string) (Payment, error) {
	return row[Payment](ctx, q.q, paymentByIntentSQL, pgx.StrictNamedArgs{"intent": intent})
}

const keptOfIntentSQL = `
SELECT (SELECT coalesce(sum(p.received), 0) FROM payments p WHERE p.stripe_payment_intent_id = @intent)
     - (SELECT coalesce(sum(r.amount), 0) FROM refunds r JOIN payments p ON p.id = r.payment_id
         WHERE p.stripe_payment_intent_id = @intent AND r.state IN ('pending', 'succeeded'))`

// KeptOfIntent is what we say that Stripe still holds of a payment intent: exchanges of
// what it paid are in it and add up to nothing.
func (q Queries) KeptOfIntent(ctx context.Context, intent string) (int64, error) {
	return scalar[int64](ctx, q.q, keptOfIntentSQL, pgx.StrictNamedArgs{"intent": intent})
}

const insertAuditRunSQL = `INSERT INTO audit_runs (checks, findings, error) VALUES (@checks, @findings, @error)`

// InsertAuditRun keeps the result of an audit for the status page.
func (q Queries) InsertAuditRun(ctx context.Context, found []Finding, checks int, failed string) error {
	if found == nil {
		found = []Finding{}
	}
	text, err := json.Marshal(found)
	if err != nil {
		return err
	}
	_, err = exec(ctx, q.q, insertAuditRunSQL, pgx.StrictNamedArgs{"checks": checks, "findings": text, "error": failed})
	return err
}

const auditDueSQL = `SELECT NOT EXISTS (SELECT 1 FROM audit_runs WHERE at > now() - interval '23 hours' AND error = '')`

// AuditDue says whether the last audit is a night ago.
func (q Queries) AuditDue(ctx context.Context) (bool, error) {
	return scalar[bool](ctx, q.q, auditDueSQL, nil)
}
