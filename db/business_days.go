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

const daySumsSQL = `
SELECT tender, coalesce(sum(amount) FILTER (WHERE kind = 'payment'), 0)::bigint AS in,
       coalesce(-sum(amount) FILTER (WHERE kind = 'refund'), 0)::bigint AS out,
       count(*) FILTER (WHERE kind = 'payment') AS payments, count(*) FILTER (WHERE kind = 'refund') AS refunds
  FROM ledger_entries
 WHERE business_day = @day AND kind IN ('payment', 'refund')
 GROUP BY tender ORDER BY tender`

// DaySums adds up a business day's money over every channel.
func (q Queries) DaySums(ctx context.Context, day time.Time) ([]TenderSum, error) {
	return rows[TenderSum](ctx, q.q, daySumsSQL, pgx.StrictNamedArgs{"day": day})
}
