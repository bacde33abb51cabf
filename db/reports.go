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
	Channel    string // "" when no payment was behind it
	Reason     string // why a refund was made, "" for other kinds
	StaffID    int64  // who took or gave it at the counter, 0 for nobody
	Staff      string
	TicketType string // code
	Type       string // its name
	Position   int    // of the type in lists
	TaxBP      int    // the rate that is in the price, basis points
	Comp       bool   // given away with a reason
	Free       bool   // tickets that cost nothing, given away or not
	Against    bool   // turns a line of its kind around: a refund that failed and came back
	Lines      int
	Amount     int64
	Tax        int64
}

const reportSumsSQL = `
WITH lines AS (
  SELECT business_day AS day, currency, kind, tender, channel, refund_id, staff_id, ticket_type, tax_bp, given, sign(amount) AS sign,
         count(*) AS lines, sum(amount) AS amount, sum(tax) AS tax
    FROM ledger_entries
   WHERE business_day BETWEEN @from AND @to
   GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
sums AS (
  SELECT l.day, l.currency, l.kind, l.tender, l.channel, coalesce(r.reason, '') AS reason, coalesce(l.staff_id, 0) AS staff_id, l.ticket_type, l.tax_bp,
         l.given AS comp, l.kind = 'refund' AND l.sign > 0 AS against, l.kind IN ('sale', 'sale_reversal') AND l.sign = 0 AS free, sum(l.lines)::int AS lines, sum(l.amount)::bigint AS amount, sum(l.tax)::bigint AS tax
    FROM lines l LEFT JOIN refunds r ON r.id = l.refund_id AND l.kind = 'refund'
   GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
SELECT s.day, s.currency, s.kind, s.tender, s.channel, s.reason, s.staff_id, coalesce(p.name, '') AS staff, s.ticket_type,
       coalesce(y.name, s.ticket_type) AS type, coalesce(y.position, 0) AS position, s.tax_bp, s.comp, s.free, s.against, s.lines, s.amount, s.tax
  FROM sums s
  LEFT JOIN staff p ON p.id = s.staff_id
  LEFT JOIN ticket_types y ON y.code = s.ticket_type
 ORDER BY s.day, s.currency, s.kind, s.tender, s.channel, staff, position, s.ticket_type`

// ReportSums adds up the money lines of business days, both ends included.
func (q Queries) ReportSums(ctx context.Context, from, to time.Time) ([]ReportSum, error) {
	return rows[ReportSum](ctx, q.q, reportSumsSQL, pgx.StrictNamedArgs{"from": from, "to": to})
}
