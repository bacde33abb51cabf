package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// StripeLine is a ledger line of money that went through Stripe.
type StripeLine struct {
	Day       time.Time // midnight UTC
	Kind      string    // payment, refund
	Amount    int64     // negative when it went back
	Currency  string
	Intent    string // payment intent, "" when it is not known
	RefundID  string // Stripe's, "" when it has none
	State     string // of the refund
	BookingID int64  // 0: it bought nothing
	Reference string
}

const stripeLinesSQL = `
SELECT l.business_day AS day, l.kind, l.amount, l.currency, coalesce(p.stripe_payment_intent_id, '') AS intent, coalesce(r.stripe_refund_id, '') AS refund_id,
       coalesce(r.state, '') AS state, coalesce(b.id, 0) AS booking_id, coalesce(b.reference, '') AS reference
  FROM ledger_entries l
  JOIN payments p ON p.id = l.payment_id
  LEFT JOIN refunds r ON r.id = l.refund_id
  LEFT JOIN bookings b ON b.id = l.booking_id
 WHERE l.business_day BETWEEN @from AND @to AND l.tender = 'stripe' AND l.kind IN ('payment', 'refund')
 ORDER BY l.id`

// StripeLines lists what came and went by Stripe on business days.
func (q Queries) StripeLines(ctx context.Context, from, to time.Time) ([]StripeLine, error) {
	return rows[StripeLine](ctx, q.q, stripeLinesSQL, pgx.StrictNamedArgs{"from": from, "to": to})
}

// OpenedDispute is a dispute that was opened on a business day.
type OpenedDispute struct {
	Day       time.Time
	ID        string
	Amount    int64
	Currency  string
	Status    string // Stripe's word
	Inquiry   bool
	BookingID int64 // 0 for none
	Reference string
}

const openedDisputesSQL = `
SELECT business_day_of(d.created_at) AS day, d.id, d.amount, d.currency, d.status, d.inquiry, coalesce(b.id, 0) AS booking_id, coalesce(b.reference, '') AS reference
  FROM disputes d
  JOIN payments p ON p.id = d.payment_id
  LEFT JOIN bookings b ON b.hold_id = p.hold_id
 WHERE d.created_at BETWEEN @from::date - interval '2 days' AND @to::date + interval '3 days' AND business_day_of(d.created_at) BETWEEN @from AND @to
 ORDER BY d.created_at, d.id`

// OpenedDisputes lists the disputes that were opened on business days.
func (q Queries) OpenedDisputes(ctx context.Context, from, to time.Time) ([]OpenedDispute, error) {
	return rows[OpenedDispute](ctx, q.q, openedDisputesSQL, pgx.StrictNamedArgs{"from": from, "to": to})
}

const knownAtStripeSQL = `
SELECT stripe_payment_intent_id FROM payments WHERE stripe_payment_intent_id = ANY(@ids) AND received > 0
UNION SELECT stripe_refund_id FROM refunds WHERE stripe_refund_id = ANY(@ids)
UNION SELECT unnest(earlier_ids) FROM refunds WHERE earlier_ids && @ids`

// KnownAtStripe tells which payment intents brought money of ours and which of Stripe's
// refunds are rows of ours, whatever their day.
func (q Queries) KnownAtStripe(ctx context.Context, ids []string) ([]string, error) {
	return column[string](ctx, q.q, knownAtStripeSQL, pgx.StrictNamedArgs{"ids": ids})
}

const dayStartSQL = `
SELECT (@day::date + coalesce((SELECT value FROM settings WHERE key = 'business_day_start'), '05:00')::interval)
       AT TIME ZONE coalesce((SELECT value FROM settings WHERE key = 'time_zone'), 'UTC')`

// DayStart is the instant at which a business day begins, by the settings as they are now.
func (q Queries) DayStart(ctx context.Context, day time.Time) (time.Time, error) {
	return scalar[time.Time](ctx, q.q, dayStartSQL, pgx.StrictNamedArgs{"day": day})
}
