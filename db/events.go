package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

const eventColumns = `
SELECT e.id, e.kind, e.status, e.starts_at, e.ends_at, e.time_zone, e.business_day, e.last_stop, e.layout_version_id, e.tariff_id,
       t.currency, t.tax_bp, coalesce(f.id, 0) AS film_id, coalesce(f.title, '') AS film, coalesce(f.certificate, '') AS certificate,
       coalesce(f.runtime_min, 0) AS runtime_min, coalesce(f.genre, '') AS genre, concat_ws(', ', nullif(f.language, ''), nullif(f.version, '')) AS language,
       coalesce(f.blurb, '') AS blurb, f.poster IS NOT NULL AS has_poster, coalesce(r.name, '') AS resource,
       coalesce(r.note, '') AS resource_note, coalesce(o.name, '') AS route, coalesce(e.resource_id, 0) AS resource_id,
       coalesce(e.route_id, 0) AS route_id, coalesce(e.series_id, 0) AS series_id, e.revision,
       e.sales_close_minutes, e.sales_close_counter, e.sales_close_agent, now() AS now
  FROM events e
  JOIN tariffs t ON t.id = e.tariff_id
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN resources r ON r.id = e.resource_id
  LEFT JOIN routes o ON o.id = e.route_id `

const eventSQL = eventColumns + `WHERE e.id = @id`

// Event reads one in whatever status; domain.ErrNotFound.
func (q Queries) Event(ctx context.Context, id int64) (domain.Event, error) {
	return row[domain.Event](ctx, q.q, eventSQL, pgx.StrictNamedArgs{"id": id})
}

const shareEventSQL = `SELECT status FROM events WHERE id = @id FOR SHARE`

// ShareEvent keeps the event's row from changing until the transaction ends and
// tells its status.
func (t *Tx) ShareEvent(ctx context.Context, id int64) (string, error) {
	return scalar[string](ctx, t.q, shareEventSQL, pgx.StrictNamedArgs{"id": id})
}

// Sale is what an event's row says of its sale at the moment it is shared.
type Sale struct {
	Status string
	Plan   int64 // the layout's version
	Open   bool  // the channel's time is not over
	Now    time.Time
}

// saleOpen is when the web's sales of an event are open: before its own or the house's
// minutes to the start, or to the departure at the stop where the ride begins.
const saleOpen = `now() < coalesce((SELECT x.departs_at FROM event_stops x WHERE x.event_id = e.id AND x.stop_no = @from_stop AND e.kind = 'trip'), e.starts_at)
       - make_interval(mins => coalesce(e.sales_close_minutes, @close_minutes))`

const shareSaleSQL = `
SELECT e.status, e.layout_version_id AS plan, ` + saleOpen + ` AS open, now() AS now
  FROM events e WHERE e.id = @id FOR SHARE OF e`

// ShareSale keeps the event's row from changing until the transaction ends and tells
// whether its ride from a stop may be sold online; closeMinutes are the house's.
func (t *Tx) ShareSale(ctx context.Context, id int64, fromStop, closeMinutes int) (Sale, error) {
	return row[Sale](ctx, t.q, shareSaleSQL, pgx.StrictNamedArgs{"id": id, "from_stop": fromStop, "close_minutes": closeMinutes})
}

const eventStopsSQL = `
SELECT s.event_id, s.stop_no, s.place_id, p.name AS place, p.address, p.time_zone, s.arrives_at, s.departs_at,
       s.may_board, s.may_alight, s.note
  FROM event_stops s JOIN places p ON p.id = s.place_id
 WHERE s.event_id = ANY(@events)
 ORDER BY s.event_id, s.stop_no`

// EventStops lists the stops of trips, in order; none for screenings.
func (q Queries) EventStops(ctx context.Context, eventIDs ...int64) ([]domain.EventStop, error) {
	return rows[domain.EventStop](ctx, q.q, eventStopsSQL, pgx.StrictNamedArgs{"events": eventIDs})
}

// Stock is one event of a list with what is free on the asked ride.
type Stock struct {
	EventID  int64
	FromStop int
	ToStop   int
	Capacity int
	Free     int
	Berths   bool // places are berths, not seats
	// PriceFrom is the cheapest zone's first ticket type; nil when no fare is set.
	PriceFrom *int64
}

const stockSQL = `
SELECT a.event_id, a.from_stop, a.to_stop, s.capacity, s.free, b.berths, f.price_from
  FROM unnest(@events::bigint[], @from_stops::int[], @to_stops::int[]) AS a(event_id, from_stop, to_stop)
  JOIN events e ON e.id = a.event_id
 CROSS JOIN LATERAL (
       SELECT count(*) AS capacity, count(*) FILTER (WHERE free) AS free
         FROM (SELECT bool_and(state = 'available' OR (state IN ('held', 'blocked') AND coalesce(held_until < now(), false))) AS free
                 FROM event_seats x
                WHERE x.event_id = a.event_id AND x.leg BETWEEN a.from_stop + 1 AND a.to_stop
                GROUP BY x.seat_no) y) s
 CROSS JOIN LATERAL (
       SELECT EXISTS (SELECT 1 FROM layout_cells c WHERE c.layout_version_id = e.layout_version_id AND c.kind = 'berth') AS berths) b
 CROSS JOIN LATERAL (
       SELECT min(price) AS price_from
         FROM (SELECT DISTINCT ON (f.zone_no) f.price
                 FROM event_fares f
                WHERE f.event_id = a.event_id AND f.from_stop = a.from_stop AND f.to_stop = a.to_stop
                ORDER BY f.zone_no, f.position, f.ticket_type) z) f`

// Stocks counts what is free now, seat by seat over all legs of each ride.
func (q Queries) Stocks(ctx context.Context, eventIDs []int64, rides []domain.Ride) ([]Stock, error) {
	from, to := make([]int32, len(rides)), make([]int32, len(rides))
	for i, r := range rides {
		from[i], to[i] = int32(r.From), int32(r.To)
	}
	return rows[Stock](ctx, q.q, stockSQL, pgx.StrictNamedArgs{"events": eventIDs, "from_stops": from, "to_stops": to})
}

const screeningsSQL = eventColumns + `
 WHERE e.kind = 'screening' AND e.status = 'published' AND e.business_day = @day AND e.ends_at > now()
 ORDER BY e.starts_at, e.id`

// Screenings lists a business day's published screenings that are not over.
func (q Queries) Screenings(ctx context.Context, day time.Time) ([]domain.Event, error) {
	return rows[domain.Event](ctx, q.q, screeningsSQL, pgx.StrictNamedArgs{"day": day})
}

// DayCount is a business day with so many screenings.
type DayCount struct {
	Day   time.Time
	Count int
	Films int
}

const screeningDaysSQL = `
SELECT business_day AS day, count(*) AS count, count(DISTINCT film_id) AS films
  FROM events
 WHERE kind = 'screening' AND status = 'published' AND business_day >= @from_day AND ends_at > now()
 GROUP BY business_day ORDER BY business_day LIMIT 60`

// ScreeningDays lists the days from one on that have screenings still to come.
func (q Queries) ScreeningDays(ctx context.Context, from time.Time) ([]DayCount, error) {
	return rows[DayCount](ctx, q.q, screeningDaysSQL, pgx.StrictNamedArgs{"from_day": from})
}

// Departure is a trip that takes somebody from one place to another.
type Departure struct {
	EventID  int64
	FromStop int
	ToStop   int
}

const departuresSQL = `
SELECT a.event_id, a.stop_no AS from_stop, b.stop_no AS to_stop
  FROM event_stops a
  JOIN places p ON p.id = a.place_id
  JOIN event_stops b ON b.event_id = a.event_id AND b.place_id = @destination AND b.stop_no > a.stop_no AND b.may_alight
  JOIN events e ON e.id = a.event_id AND e.status = 'published' AND e.kind = 'trip'
 WHERE a.place_id = @origin AND a.may_board
   AND a.departs_at >= @day::date - interval '1 day' AND a.departs_at < @day::date + interval '2 days'
   AND (a.departs_at AT TIME ZONE p.time_zone)::date = @day
   AND a.departs_at > now()
 ORDER BY a.departs_at, a.event_id`

// Departures lists the trips that leave the origin on the day in the origin's own
// zone and have not left yet.
func (q Queries) Departures(ctx context.Context, origin, destination int64, day time.Time) ([]Departure, error) {
	return rows[Departure](ctx, q.q, departuresSQL, pgx.StrictNamedArgs{"origin": origin, "destination": destination, "day": day})
}

const tripDaysSQL = `
SELECT (a.departs_at AT TIME ZONE p.time_zone)::date AS day, count(*) AS count, 0 AS films
  FROM event_stops a
  JOIN places p ON p.id = a.place_id
  JOIN event_stops b ON b.event_id = a.event_id AND b.place_id = @destination AND b.stop_no > a.stop_no AND b.may_alight
  JOIN events e ON e.id = a.event_id AND e.status = 'published' AND e.kind = 'trip'
 WHERE a.place_id = @origin AND a.may_board AND a.departs_at > now() AND a.departs_at < now() + interval '60 days'
 GROUP BY 1 ORDER BY 1`

// TripDays lists the coming days with departures from origin to destination.
func (q Queries) TripDays(ctx context.Context, origin, destination int64) ([]DayCount, error) {
	return rows[DayCount](ctx, q.q, tripDaysSQL, pgx.StrictNamedArgs{"origin": origin, "destination": destination})
}

const eventsByIDSQL = eventColumns + `WHERE e.id = ANY(@ids) ORDER BY e.starts_at, e.id`

// EventsByID reads several, by start.
func (q Queries) EventsByID(ctx context.Context, ids []int64) ([]domain.Event, error) {
	return rows[domain.Event](ctx, q.q, eventsByIDSQL, pgx.StrictNamedArgs{"ids": ids})
}

const laterScreeningsSQL = eventColumns + `
 WHERE e.kind = 'screening' AND e.status = 'published' AND e.film_id = @film AND e.id <> @not AND e.starts_at > now()
 ORDER BY e.starts_at LIMIT 12`

// LaterScreenings lists the coming screenings of a film but one.
func (q Queries) LaterScreenings(ctx context.Context, filmID, not int64) ([]domain.Event, error) {
	return rows[domain.Event](ctx, q.q, laterScreeningsSQL, pgx.StrictNamedArgs{"film": filmID, "not": not})
}

// Place is a stop's place.
type Place struct {
	ID       int64
	Name     string
	TimeZone string
}

const servedPlacesSQL = `
SELECT p.id, p.name, p.time_zone
  FROM (SELECT DISTINCT ON (place_id) place_id, route_id, stop_no
          FROM (SELECT s.place_id, s.route_id, s.stop_no
                  FROM route_stops s JOIN routes r ON r.id = s.route_id AND r.archived_at IS NULL
                UNION ALL
                SELECT s.place_id, e.route_id, s.stop_no
                  FROM events e JOIN event_stops s ON s.event_id = e.id
                 WHERE e.kind = 'trip' AND e.status = 'published' AND e.ends_at > now()) u
         ORDER BY place_id, route_id, stop_no) s
  JOIN places p ON p.id = s.place_id
 ORDER BY p.position, s.route_id, s.stop_no, p.name`

// ServedPlaces lists the places of all routes in use and of all trips to come, by
// their position, then in the order of travel of the first.
func (q Queries) ServedPlaces(ctx context.Context) ([]Place, error) {
	return rows[Place](ctx, q.q, servedPlacesSQL, nil)
}

const posterSQL = `SELECT poster, poster_type FROM films WHERE id = @id AND poster IS NOT NULL`

// Poster is a film's picture; domain.ErrNotFound when it has none.
func (q Queries) Poster(ctx context.Context, filmID int64) (body []byte, kind string, err error) {
	err = classify(q.q.QueryRow(ctx, posterSQL, pgx.StrictNamedArgs{"id": filmID}).Scan(&body, &kind))
	return body, kind, err
}

// Poster may come from the replica.
func (d *DB) Poster(ctx context.Context, filmID int64) (body []byte, kind string, err error) {
	err = d.Lists(ctx, func(q Queries) (err error) {
		body, kind, err = q.Poster(ctx, filmID)
		return err
	})
	return body, kind, err
}
