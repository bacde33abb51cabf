package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// CounterEvent is one event of a business day as the counter lists it.
type CounterEvent struct {
	ID       int64
	Kind     string
	StartsAt time.Time
	TimeZone string
	Title    string    // film, or route
	Resource string    // hall or coach
	Boards   time.Time // the last moment that somebody can get in: the start, or the departure at a trip's last boarding stop
	Close    *int      // minutes before it that the counter closes; nil: the setting
	Free     int       // on the whole way
	Seats    int
}

const counterDaySQL = `
SELECT e.id, e.kind, e.starts_at, e.time_zone, coalesce(f.title, o.name, '') AS title, coalesce(r.name, '') AS resource,
       coalesce((SELECT max(p.departs_at) FROM event_stops p WHERE p.event_id = e.id AND p.stop_no < e.last_stop AND p.may_board), e.starts_at) AS boards,
       e.sales_close_counter AS close, s.free, s.seats
  FROM events e
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes o ON o.id = e.route_id
  LEFT JOIN resources r ON r.id = e.resource_id
 CROSS JOIN LATERAL (
       SELECT count(*) AS seats, count(*) FILTER (WHERE free) AS free
         FROM (SELECT bool_and(state = 'available' OR coalesce(held_until < now(), false)) AS free
                 FROM event_seats x WHERE x.event_id = e.id GROUP BY x.seat_no) y) s
 WHERE e.business_day = @day AND e.status = 'published'
 ORDER BY e.starts_at, e.id`

// CounterDay lists the published events of a business day.
func (q Queries) CounterDay(ctx context.Context, day time.Time) ([]CounterEvent, error) {
	return rows[CounterEvent](ctx, q.q, counterDaySQL, pgx.StrictNamedArgs{"day": day})
}

const nextCounterDaySQL = `SELECT min(business_day) FROM events WHERE status = 'published' AND business_day > @day`

// NextCounterDay is the first later business day with events; nil when there is none.
func (q Queries) NextCounterDay(ctx context.Context, day time.Time) (*time.Time, error) {
	return scalar[*time.Time](ctx, q.q, nextCounterDaySQL, pgx.StrictNamedArgs{"day": day})
}
