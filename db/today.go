package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// DayEvent is one event of a business day with how full it is. A seat of a trip counts
// as sold, held or blocked when it is so on any leg, in this order.
type DayEvent struct {
	ID         int64
	Kind       string
	Status     string
	StartsAt   time.Time
	EndsAt     time.Time
	TimeZone   string
	Title      string // film, or route
	Resource   string // hall or coach
	SalesClose *int   // minutes before the start; nil: the setting
	Seats      int
	Sold       int
	Held       int
	Blocked    int
}

// A block ends by itself like a hold, when it has an end.
const dayEventsSQL = `
SELECT e.id, e.kind, e.status, e.starts_at, e.ends_at, e.time_zone, coalesce(f.title, o.name, '') AS title, coalesce(r.name, '') AS resource,
       e.sales_close_minutes AS sales_close, s.seats, s.sold, s.held, s.blocked
  FROM events e
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes o ON o.id = e.route_id
  LEFT JOIN resources r ON r.id = e.resource_id
 CROSS JOIN LATERAL (
       SELECT count(*) AS seats, count(*) FILTER (WHERE rank = 3) AS sold, count(*) FILTER (WHERE rank = 2) AS held,
              count(*) FILTER (WHERE rank = 1) AS blocked
         FROM (SELECT max(CASE WHEN x.state = 'booked' THEN 3
                               WHEN x.state = 'held' AND x.held_until >= now() THEN 2
                               WHEN x.state = 'blocked' AND (x.held_until IS NULL OR x.held_until >= now()) THEN 1
                               ELSE 0 END) AS rank
                 FROM event_seats x WHERE x.event_id = e.id GROUP BY x.seat_no) y) s
 WHERE e.business_day = @day
 ORDER BY e.starts_at, e.id`

// DayEvents lists every event of a business day, drafts and cancelled ones too.
func (q Queries) DayEvents(ctx context.Context, day time.Time) ([]DayEvent, error) {
	return rows[DayEvent](ctx, q.q, dayEventsSQL, pgx.StrictNamedArgs{"day": day})
}

// Taking is what came in less what went back, by where it was sold and how it was paid.
type Taking struct {
	Channel  string
	Tender   string
	Currency string
	Received int64
	Refunded int64
}

// A refund's line has no channel of its own: it is that of the hold that was paid.
const takingsSQL = `
SELECT coalesce(nullif(l.channel, ''), h.channel, '') AS channel, l.tender, l.currency,
       coalesce(sum(l.amount) FILTER (WHERE l.kind = 'payment'), 0)::bigint AS received,
       coalesce(-sum(l.amount) FILTER (WHERE l.kind = 'refund'), 0)::bigint AS refunded
  FROM ledger_entries l
  LEFT JOIN payments p ON p.id = l.payment_id
  LEFT JOIN holds h ON h.id = p.hold_id
 WHERE l.business_day = @day AND l.kind IN ('payment', 'refund')
 GROUP BY 1, 2, 3
 ORDER BY 3, 1 DESC, 2`

// Takings sums a business day's money lines.
func (q Queries) Takings(ctx context.Context, day time.Time) ([]Taking, error) {
	return rows[Taking](ctx, q.q, takingsSQL, pgx.StrictNamedArgs{"day": day})
}

// DayCounts are the figures of the office's day that are not money.
type DayCounts struct {
	Now          time.Time
	TicketsSold  int // on the day, less those cancelled on it
	Holds        int // that run now
	HeldSeats    int
	OldestHold   *time.Time
	MailsFailed  int // in the last seven days
	RefundsStuck int // asked for and not heard of for ten minutes, or failed and still owed
}

const dayCountsSQL = `
SELECT now() AS now,
       (SELECT coalesce(sum(CASE kind WHEN 'sale' THEN 1 ELSE -1 END), 0) FROM ledger_entries
         WHERE business_day = @day AND kind IN ('sale', 'sale_reversal')) AS tickets_sold,
       h.holds, h.held_seats, h.oldest_hold,
       (SELECT count(*) FROM mails WHERE state = 'failed' AND created_at > now() - interval '7 days') AS mails_failed,
       (SELECT count(*) FROM refunds r JOIN payments p ON p.id = r.payment_id
         WHERE r.state = 'requested' AND r.updated_at < now() - interval '10 minutes'
            OR r.state = 'failed' AND r.updated_at > now() - interval '60 days'
               AND r.amount <= p.received - (SELECT coalesce(sum(o.amount), 0) FROM refunds o WHERE o.payment_id = p.id AND o.state <> 'failed')) AS refunds_stuck
  FROM (SELECT count(*) AS holds, min(x.created_at) AS oldest_hold,
               coalesce(sum((SELECT count(*) FROM hold_seats s WHERE s.event_id = x.event_id AND s.hold_id = x.id)), 0)::int AS held_seats
          FROM holds x WHERE x.state = 'active' AND x.expires_at > now()) h`

// DayCounts reads them.
func (q Queries) DayCounts(ctx context.Context, day time.Time) (DayCounts, error) {
	return row[DayCounts](ctx, q.q, dayCountsSQL, pgx.StrictNamedArgs{"day": day})
}

const businessDaySQL = `SELECT business_day_of(now())`

// BusinessDay is the day of the house that it is now.
func (q Queries) BusinessDay(ctx context.Context) (time.Time, error) {
	return scalar[time.Time](ctx, q.q, businessDaySQL, nil)
}
