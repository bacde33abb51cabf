package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// ReportSum is what the ledger's lines of some business days add up to that are alike in
// everything named here.
type ReportSum struct {
	Day        time.Time // the business day they were entered on, midnight UTC
	Currency   string
	Kind       string // payment, refund, sale, sale_reversal, fee, write_off
	Tender     string
	Channel    string // "" when not even the hold says it
	Reason     string // why a refund was made, "" for other kinds
	StaffID    int64  // who took or gave it at the counter, 0 for nobody
	Staff      string
	TicketType string // code
	Type       string // its name
	Position   int    // of the type in lists
	TaxBP      int    // the rate that is in the price, basis points
	Comp       bool   // given away with a reason
	Against    bool   // turns a line of its kind around: a refund that failed and came back
	Lines      int
	Amount     int64
	Tax        int64
}

// The lines are grouped by payment first: what the payment and its hold say is then read
// once for a booking and not once for a line.
const reportSumsSQL = `
WITH lines AS (
  SELECT business_day, currency, kind, tender, channel, payment_id, refund_id, coalesce(staff_id, 0) AS staff_id, ticket_type,
         kind = 'refund' AND amount > 0 AS against, count(*) AS lines, sum(amount) AS amount, sum(tax) AS tax
    FROM ledger_entries
   WHERE business_day BETWEEN @from AND @to
   GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
sums AS (
  SELECT l.business_day AS day, l.currency, l.kind, l.tender, coalesce(nullif(l.channel, ''), h.channel, '') AS channel, coalesce(r.reason, '') AS reason,
         l.staff_id, l.ticket_type, coalesce(h.tax_bp, 0) AS tax_bp, coalesce(p.tender = 'comp', false) AS comp, l.against,
         sum(l.lines)::int AS lines, sum(l.amount)::bigint AS amount, sum(l.tax)::bigint AS tax
    FROM lines l
    LEFT JOIN payments p ON p.id = l.payment_id
    LEFT JOIN holds h ON h.id = p.hold_id
    LEFT JOIN refunds r ON r.id = l.refund_id AND l.kind = 'refund'
   GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
SELECT s.day, s.currency, s.kind, s.tender, s.channel, s.reason, s.staff_id, coalesce(p.name, '') AS staff, s.ticket_type,
       coalesce(y.name, s.ticket_type) AS type, coalesce(y.position, 0) AS position, s.tax_bp, s.comp, s.against, s.lines, s.amount, s.tax
  FROM sums s
  LEFT JOIN staff p ON p.id = s.staff_id
  LEFT JOIN ticket_types y ON y.code = s.ticket_type
 ORDER BY s.day, s.currency, s.kind, s.tender, s.channel, staff, position, s.ticket_type`

// ReportSums adds up the money lines of business days, both ends included.
func (q Queries) ReportSums(ctx context.Context, from, to time.Time) ([]ReportSum, error) {
	return rows[ReportSum](ctx, q.q, reportSumsSQL, pgx.StrictNamedArgs{"from": from, "to": to})
}
