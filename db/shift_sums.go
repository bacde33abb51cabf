package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// TenderSum is what came and went by one tender, from the ledger.
type TenderSum struct {
	Tender   string
	In, Out  int64 // both positive
	Payments int
	Refunds  int
}

const tenderSumsSQL = `
SELECT tender, coalesce(sum(amount) FILTER (WHERE kind = 'payment'), 0)::bigint AS in,
       coalesce(-sum(amount) FILTER (WHERE kind = 'refund'), 0)::bigint AS out,
       count(*) FILTER (WHERE kind = 'payment') AS payments, count(*) FILTER (WHERE kind = 'refund') AS refunds
  FROM ledger_entries
 WHERE shift_id = @shift AND kind IN ('payment', 'refund')
 GROUP BY tender ORDER BY tender`

// TenderSums adds up a shift's money.
func (q Queries) TenderSums(ctx context.Context, shiftID int64) ([]TenderSum, error) {
	return rows[TenderSum](ctx, q.q, tenderSumsSQL, pgx.StrictNamedArgs{"shift": shiftID})
}

// TypeSum is what was sold and taken back of one ticket type, from the ledger.
type TypeSum struct {
	Type     string
	Sold     int
	Amount   int64
	Tax      int64
	Returned int
	Back     int64 // positive
	BackTax  int64
}

const typeSumsSQL = `
SELECT y.name AS type, count(*) FILTER (WHERE l.kind = 'sale') AS sold, coalesce(sum(l.amount) FILTER (WHERE l.kind = 'sale'), 0)::bigint AS amount,
       coalesce(sum(l.tax) FILTER (WHERE l.kind = 'sale'), 0)::bigint AS tax, count(*) FILTER (WHERE l.kind = 'sale_reversal') AS returned,
       coalesce(-sum(l.amount) FILTER (WHERE l.kind = 'sale_reversal'), 0)::bigint AS back,
       coalesce(-sum(l.tax) FILTER (WHERE l.kind = 'sale_reversal'), 0)::bigint AS back_tax
  FROM ledger_entries l JOIN ticket_types y ON y.code = l.ticket_type
 WHERE l.shift_id = @shift AND l.kind IN ('sale', 'sale_reversal')
 GROUP BY y.code, y.name, y.position ORDER BY y.position, y.code`

// TypeSums adds up a shift's tickets.
func (q Queries) TypeSums(ctx context.Context, shiftID int64) ([]TypeSum, error) {
	return rows[TypeSum](ctx, q.q, typeSumsSQL, pgx.StrictNamedArgs{"shift": shiftID})
}

// ShiftAct is something that needed a reason: a void, a refund, an exchange, a free
// ticket, a reprint.
type ShiftAct struct {
	At        time.Time
	Action    string
	Kind      string // of "cancel tickets": void, staff, customer
	Reference string // of the booking, "" for none
	Reason    string
	Confirmed string // name of the supervisor who confirmed it, "" for nobody
	Amount    int64  // that went back, 0 for nothing
	Tender    string // how it went back
}

// The booking is named by the log's subject; what went back by the refunds that the
// same transaction made.
const shiftActsSQL = `
SELECT a.at, a.action, coalesce(a.after ->> 'kind', '') AS kind, coalesce(b.reference, '') AS reference, coalesce(a.after ->> 'reason', '') AS reason,
       coalesce(c.name, '') AS confirmed,
       coalesce(r.amount, 0)::bigint AS amount, coalesce(r.tender, '') AS tender
  FROM shifts s
  JOIN audit_log a ON a.actor = 'staff:' || s.staff_id AND a.at >= s.opened_at AND a.at <= coalesce(s.closed_at, now())
  LEFT JOIN bookings b ON a.subject = 'booking:' || b.id
  LEFT JOIN staff c ON a.after ->> 'confirmed_by' = 'staff:' || c.id
  LEFT JOIN LATERAL (
       SELECT sum(x.amount) AS amount, string_agg(DISTINCT coalesce(x.tender, p.tender), ', ') AS tender
         FROM payments p JOIN refunds x ON x.payment_id = p.id
        WHERE p.hold_id = b.hold_id AND x.created_at = a.at) r ON true
 WHERE s.id = @shift AND (a.action IN ('cancel tickets', 'reprint') OR a.action = 'exchange' AND a.before ->> 'booking' = b.reference
       OR a.action = 'counter_sale' AND a.after ? 'reason')
 ORDER BY a.at, a.id`

// ShiftActs lists what a shift's person did that needs a reason.
func (q Queries) ShiftActs(ctx context.Context, shiftID int64) ([]ShiftAct, error) {
	return rows[ShiftAct](ctx, q.q, shiftActsSQL, pgx.StrictNamedArgs{"shift": shiftID})
}
