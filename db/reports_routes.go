package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// LegSum is how full one leg of a route's trips was.
type LegSum struct {
	Leg      int // the first number that the leg has on these trips
	From, To string
	Trips    int
	Offered  int // seats × trips
	Sold     int
}

// A trip counts as offered when it is on sale or carried somebody: a trip that was
// cancelled while it was empty offered nothing.
const legSumsSQL = `
WITH carried AS (
  SELECT e.id AS event_id, s.from_stop, s.to_stop, s.seats
    FROM events e
   CROSS JOIN LATERAL (
         SELECT t.from_stop, t.to_stop, sum(CASE l.kind WHEN 'sale' THEN 1 ELSE -1 END) AS seats
           FROM ledger_entries l JOIN tickets t ON t.event_id = e.id AND t.id = l.ticket_id
          WHERE l.event_id = e.id AND l.kind IN ('sale', 'sale_reversal') AND l.business_day <= @to
          GROUP BY 1, 2) s
   WHERE e.route_id = @route AND e.business_day BETWEEN @from AND @to),
trips AS (
  SELECT e.id, (SELECT count(*) FROM layout_cells c WHERE c.layout_version_id = e.layout_version_id AND c.seat_no IS NOT NULL) AS seats
    FROM events e
   WHERE e.route_id = @route AND e.business_day BETWEEN @from AND @to
     AND (e.status = 'published' OR EXISTS (SELECT 1 FROM carried c WHERE c.event_id = e.id AND c.seats > 0)))
SELECT min(b.stop_no)::int AS leg, min(pa.name) AS from, min(pb.name) AS to, count(*)::int AS trips, sum(t.seats)::int AS offered,
       coalesce(sum((SELECT sum(c.seats) FROM carried c WHERE c.event_id = t.id AND c.from_stop < b.stop_no AND c.to_stop >= b.stop_no)), 0)::int AS sold
  FROM trips t
  JOIN event_stops b ON b.event_id = t.id AND b.stop_no > 0
  JOIN event_stops a ON a.event_id = t.id AND a.stop_no = b.stop_no - 1
  JOIN places pa ON pa.id = a.place_id
  JOIN places pb ON pb.id = b.place_id
 GROUP BY a.place_id, b.place_id
 ORDER BY leg, min(pb.name)`

// LegSums adds up the seats of a route's trips leg by leg.
func (q Queries) LegSums(ctx context.Context, routeID int64, from, to time.Time) ([]LegSum, error) {
	return rows[LegSum](ctx, q.q, legSumsSQL, pgx.StrictNamedArgs{"route": routeID, "from": from, "to": to})
}

// PairSum is who travelled from one stop to another and what they paid.
type PairSum struct {
	From, To  string
	EnteredOn *time.Time // the lines' business day; nil: all up to the report's last day
	Currency  string
	Sold      int
	Returned  int
	Amount    int64
	Tax       int64
}

const pairSumsSQL = `
SELECT min(pa.name) AS from, min(pb.name) AS to, NULL::date AS entered_on, s.currency, sum(s.sold)::int AS sold, sum(s.returned)::int AS returned,
       sum(s.amount)::bigint AS amount, sum(s.tax)::bigint AS tax
  FROM events e
 CROSS JOIN LATERAL (
       SELECT t.from_stop, t.to_stop, l.currency, count(*) FILTER (WHERE l.kind = 'sale') AS sold, count(*) FILTER (WHERE l.kind = 'sale_reversal') AS returned,
              sum(l.amount) AS amount, sum(l.tax) AS tax
         FROM ledger_entries l JOIN tickets t ON t.event_id = e.id AND t.id = l.ticket_id
        WHERE l.event_id = e.id AND l.kind IN ('sale', 'sale_reversal') AND l.business_day <= @to
        GROUP BY 1, 2, 3) s
  JOIN event_stops a ON a.event_id = e.id AND a.stop_no = s.from_stop
  JOIN event_stops b ON b.event_id = e.id AND b.stop_no = s.to_stop
  JOIN places pa ON pa.id = a.place_id
  JOIN places pb ON pb.id = b.place_id
 WHERE e.route_id = @route AND e.business_day BETWEEN @from AND @to
 GROUP BY a.place_id, b.place_id, s.currency
 ORDER BY min(s.from_stop), min(s.to_stop), 1, 2`

// PairSums adds up the tickets of a route's trips of business days by pairs of stops.
func (q Queries) PairSums(ctx context.Context, routeID int64, from, to time.Time) ([]PairSum, error) {
	return rows[PairSum](ctx, q.q, pairSumsSQL, pgx.StrictNamedArgs{"route": routeID, "from": from, "to": to})
}

const pairCorrectionsSQL = `
SELECT min(pa.name) AS from, min(pb.name) AS to, l.business_day AS entered_on, l.currency, count(*) FILTER (WHERE l.kind = 'sale')::int AS sold,
       count(*) FILTER (WHERE l.kind = 'sale_reversal')::int AS returned, sum(l.amount)::bigint AS amount, sum(l.tax)::bigint AS tax
  FROM ledger_entries l
  JOIN events e ON e.id = l.event_id
  JOIN tickets t ON t.event_id = l.event_id AND t.id = l.ticket_id
  JOIN event_stops a ON a.event_id = e.id AND a.stop_no = t.from_stop
  JOIN event_stops b ON b.event_id = e.id AND b.stop_no = t.to_stop
  JOIN places pa ON pa.id = a.place_id
  JOIN places pb ON pb.id = b.place_id
 WHERE e.route_id = @route AND l.kind IN ('sale', 'sale_reversal') AND l.business_day BETWEEN @from AND @to AND e.business_day < @from
 GROUP BY a.place_id, b.place_id, 3, l.currency
 ORDER BY min(t.from_stop), min(t.to_stop), 1, 2, 3`

// PairCorrections adds up the lines that were entered from..to about trips of days before.
func (q Queries) PairCorrections(ctx context.Context, routeID int64, from, to time.Time) ([]PairSum, error) {
	return rows[PairSum](ctx, q.q, pairCorrectionsSQL, pgx.StrictNamedArgs{"route": routeID, "from": from, "to": to})
}

// RouteName is a route that had trips.
type RouteName struct {
	ID   int64
	Name string
}

const routeNamesSQL = `SELECT r.id, r.name FROM routes r WHERE EXISTS (SELECT 1 FROM events e WHERE e.route_id = r.id AND e.status <> 'draft') ORDER BY r.name, r.id`

// RouteNames lists the routes that have or had trips.
func (q Queries) RouteNames(ctx context.Context) ([]RouteName, error) {
	return rows[RouteName](ctx, q.q, routeNamesSQL, nil)
}
