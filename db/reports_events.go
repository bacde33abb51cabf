package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// EventSum is what was sold and taken back of one event, one ticket type, channel and
// currency, from the ledger.
type EventSum struct {
	EventID     int64
	Kind        string // screening, trip
	FilmID      int64  // 0 for a trip
	Title       string // of the film or the route
	Version     string
	Distributor string
	Day         time.Time  // the event's business day, midnight UTC
	EnteredOn   *time.Time // the lines' business day; nil: all up to the report's last day
	StartsAt    time.Time
	TimeZone    string
	Currency    string
	Channel     string
	TicketType  string
	Type        string
	Position    int
	Sold        int
	Returned    int
	Free        int // sold less returned of those that cost nothing
	Amount      int64
	Tax         int64
}

// EventFilter narrows sums of events; zero values are "all".
type EventFilter struct {
	Kind    string // screening, trip
	EventID int64
	RouteID int64
}

const eventSumsPick = `
SELECT e.id AS event_id, e.kind, coalesce(e.film_id, 0) AS film_id, coalesce(f.title, u.name, '') AS title, coalesce(f.version, '') AS version,
       coalesce(f.distributor, '') AS distributor, e.business_day AS day, s.entered_on, e.starts_at, e.time_zone, s.currency, s.channel, s.ticket_type,
       coalesce(y.name, s.ticket_type) AS type, coalesce(y.position, 0) AS position, s.sold, s.returned, s.free, s.amount, s.tax
  FROM `

const eventSumsOf = `l.currency, l.channel, l.ticket_type,
               count(*) FILTER (WHERE l.kind = 'sale')::int AS sold, count(*) FILTER (WHERE l.kind = 'sale_reversal')::int AS returned,
               (count(*) FILTER (WHERE l.kind = 'sale' AND l.amount = 0) - count(*) FILTER (WHERE l.kind = 'sale_reversal' AND l.amount = 0))::int AS free,
               sum(l.amount)::bigint AS amount, sum(l.tax)::bigint AS tax`

const eventSumsNames = `
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes u ON u.id = e.route_id
  LEFT JOIN ticket_types y ON y.code = s.ticket_type
 WHERE (@kind = '' OR e.kind = @kind) AND (@event::bigint = 0 OR e.id = @event) AND (@route::bigint = 0 OR e.route_id = @route)`

const eventSumsOrder = `
 ORDER BY e.business_day, e.starts_at, e.id, s.entered_on, position, s.ticket_type, s.channel, s.currency`

// The lines are read event by event: the ledger's other lines are not looked at, however
// many there are.
const eventSumsSQL = eventSumsPick + `events e
 CROSS JOIN LATERAL (
        SELECT NULL::date AS entered_on, ` + eventSumsOf + `
          FROM ledger_entries l
         WHERE l.event_id = e.id AND l.kind IN ('sale', 'sale_reversal') AND l.business_day <= @to
         GROUP BY 2, 3, 4) s` + eventSumsNames + ` AND e.business_day BETWEEN @from AND @to` + eventSumsOrder

// EventSums adds up the tickets of events whose business day is from..to, by the lines
// that were entered up to and with the day to.
func (q Queries) EventSums(ctx context.Context, from, to time.Time, f EventFilter) ([]EventSum, error) {
	return rows[EventSum](ctx, q.q, eventSumsSQL, f.args(from, to))
}

const eventCorrectionsSQL = eventSumsPick + `(
        SELECT l.event_id, l.business_day AS entered_on, ` + eventSumsOf + `
          FROM ledger_entries l JOIN events e ON e.id = l.event_id
         WHERE l.kind IN ('sale', 'sale_reversal') AND l.business_day BETWEEN @from AND @to AND e.business_day < @from
           AND (@event::bigint = 0 OR l.event_id = @event)
         GROUP BY 1, 2, 3, 4, 5) s
  JOIN events e ON e.id = s.event_id` + eventSumsNames + eventSumsOrder

// EventCorrections adds up the lines that were entered from..to about events of days
// before, each day of entry for itself.
func (q Queries) EventCorrections(ctx context.Context, from, to time.Time, f EventFilter) ([]EventSum, error) {
	return rows[EventSum](ctx, q.q, eventCorrectionsSQL, f.args(from, to))
}

func (f EventFilter) args(from, to time.Time) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"from": from, "to": to, "kind": f.Kind, "event": f.EventID, "route": f.RouteID}
}
