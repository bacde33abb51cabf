package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// ClosedDay is a business day that was closed.
type ClosedDay struct {
	Day      time.Time // midnight UTC of the date
	ClosedAt time.Time
	ClosedBy string
	Report   []byte
}

const closedDaySQL = `
SELECT d.day, d.closed_at, p.name AS closed_by, d.report
  FROM business_days d JOIN staff p ON p.id = d.closed_by WHERE d.day = @day`

// ClosedDay reads a closed day; domain.ErrNotFound when it is not closed.
func (q Queries) ClosedDay(ctx context.Context, day time.Time) (ClosedDay, error) {
	return row[ClosedDay](ctx, q.q, closedDaySQL, pgx.StrictNamedArgs{"day": day})
}

const lockDaySQL = `SELECT pg_advisory_xact_lock(hashtextextended('business day ' || @day::date, 0))`

// LockDay keeps shifts of a day from being opened while it is closed, and the other way
// round. Taken before every other lock.
func (t *Tx) LockDay(ctx context.Context, day time.Time) error {
	_, err := exec(ctx, t.q, lockDaySQL, pgx.StrictNamedArgs{"day": day})
	return err
}

const insertDaySQL = `INSERT INTO business_days (day, closed_by, report) VALUES (@day, @by, @report)`

// InsertClosedDay closes a day; domain.ErrConflict when it is closed.
func (t *Tx) InsertClosedDay(ctx context.Context, day time.Time, by int64, report []byte) error {
	_, err := exec(ctx, t.q, insertDaySQL, pgx.StrictNamedArgs{"day": day, "by": by, "report": report})
	return err
}

// DaySum is what came and went through one channel by one tender, from the ledger.
type DaySum struct {
	Currency string
	Channel  string
	TenderSum
}

const daySumsSQL = `
SELECT currency, channel, tender, coalesce(sum(amount) FILTER (WHERE kind = 'payment'), 0)::bigint AS in,
       coalesce(-sum(amount) FILTER (WHERE kind = 'refund'), 0)::bigint AS out,
       count(*) FILTER (WHERE kind = 'payment') AS payments, count(*) FILTER (WHERE kind = 'refund') AS refunds
  FROM ledger_entries
 WHERE business_day = @day AND kind IN ('payment', 'refund')
 GROUP BY currency, channel, tender ORDER BY currency, channel, tender`

// DaySums adds up a business day's money over every channel.
func (q Queries) DaySums(ctx context.Context, day time.Time) ([]DaySum, error) {
	return rows[DaySum](ctx, q.q, daySumsSQL, pgx.StrictNamedArgs{"day": day})
}

const dayTypesSQL = `
SELECT y.name AS type, count(*) FILTER (WHERE l.kind = 'sale') AS sold, coalesce(sum(l.amount) FILTER (WHERE l.kind = 'sale'), 0)::bigint AS amount,
       coalesce(sum(l.tax) FILTER (WHERE l.kind = 'sale'), 0)::bigint AS tax, count(*) FILTER (WHERE l.kind = 'sale_reversal') AS returned,
       coalesce(-sum(l.amount) FILTER (WHERE l.kind = 'sale_reversal'), 0)::bigint AS back,
       coalesce(-sum(l.tax) FILTER (WHERE l.kind = 'sale_reversal'), 0)::bigint AS back_tax
  FROM ledger_entries l JOIN ticket_types y ON y.code = l.ticket_type
 WHERE l.business_day = @day AND l.kind IN ('sale', 'sale_reversal')
 GROUP BY y.code, y.name, y.position ORDER BY y.position, y.code`

// DayTypes adds up a business day's tickets over every channel.
func (q Queries) DayTypes(ctx context.Context, day time.Time) ([]TypeSum, error) {
	return rows[TypeSum](ctx, q.q, dayTypesSQL, pgx.StrictNamedArgs{"day": day})
}

// DayLine is one business day of a list.
type DayLine struct {
	Day      time.Time // midnight UTC
	Tills    int
	Open     int        // of them
	ClosedAt *time.Time // nil while the day is open
	ClosedBy string
}

const dayLinesSQL = `
SELECT d.day, (SELECT count(*) FROM shifts s WHERE s.business_day = d.day) AS tills,
       (SELECT count(*) FROM shifts s WHERE s.business_day = d.day AND s.closed_at IS NULL) AS open, c.closed_at, coalesce(p.name, '') AS closed_by
  FROM (SELECT business_day_of(now()) AS day
        UNION SELECT business_day FROM ledger_entries WHERE business_day > business_day_of(now()) - 62
        UNION SELECT business_day FROM shifts
        UNION SELECT day FROM business_days) d
  LEFT JOIN business_days c ON c.day = d.day LEFT JOIN staff p ON p.id = c.closed_by
 ORDER BY d.day DESC LIMIT 62`

// DayLines lists the last business days on which something was sold, the newest first.
func (q Queries) DayLines(ctx context.Context) ([]DayLine, error) {
	return rows[DayLine](ctx, q.q, dayLinesSQL, nil)
}

const daysToCloseSQL = `
SELECT DISTINCT business_day FROM shifts s
 WHERE business_day < business_day_of(now()) AND NOT EXISTS (SELECT 1 FROM business_days d WHERE d.day = s.business_day)
 ORDER BY business_day LIMIT 10`

// DaysToClose are the days before this one that had a till and were not closed.
func (q Queries) DaysToClose(ctx context.Context) ([]time.Time, error) {
	return column[time.Time](ctx, q.q, daysToCloseSQL, nil)
}
