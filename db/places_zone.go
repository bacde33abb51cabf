package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const lockStopsSQL = `
SELECT e.id FROM events e
 WHERE e.status <> 'cancelled'
   AND EXISTS (SELECT 1 FROM event_stops s WHERE s.event_id = e.id AND s.place_id = @place AND s.departs_at > now())
 ORDER BY e.id FOR UPDATE OF e`

// LockStops locks and lists the trips that are to depart at a place. Sales of them
// wait until the transaction ends.
func (t *Tx) LockStops(ctx context.Context, place int64) ([]int64, error) {
	return column[int64](ctx, t.q, lockStopsSQL, pgx.StrictNamedArgs{"place": place})
}

// ShiftedStop is a departure that a move of its clock makes impossible.
type ShiftedStop struct {
	EventID   int64
	Route     string
	DepartsAt time.Time // as it was
}

const missingHourSQL = `
SELECT s.event_id, coalesce(r.name, '') AS route, s.departs_at
  FROM event_stops s JOIN events e ON e.id = s.event_id LEFT JOIN routes r ON r.id = e.route_id
 CROSS JOIN LATERAL (VALUES (s.arrives_at), (s.departs_at)) AS x(at)
 WHERE s.event_id = ANY(@events::bigint[]) AND s.place_id = @place
   AND x.at AT TIME ZONE @old <> ((x.at AT TIME ZONE @old) AT TIME ZONE @new) AT TIME ZONE @new
 ORDER BY s.departs_at LIMIT 1`

// MissingHour finds a stop of the trips whose wall clock does not exist in the new
// zone, because summer time begins; domain.ErrNotFound when all exist.
func (t *Tx) MissingHour(ctx context.Context, place int64, events []int64, old, zone string) (ShiftedStop, error) {
	return row[ShiftedStop](ctx, t.q, missingHourSQL, pgx.StrictNamedArgs{"events": events, "place": place, "old": old, "new": zone})
}

const keepClockSQL = `
UPDATE event_stops
   SET arrives_at = (arrives_at AT TIME ZONE @old) AT TIME ZONE @new, departs_at = (departs_at AT TIME ZONE @old) AT TIME ZONE @new
 WHERE event_id = ANY(@events::bigint[]) AND place_id = @place`

// KeepClock moves the instants of the trips' stops at a place, so that the wall clock
// reads in the new zone what it read in the old.
func (t *Tx) KeepClock(ctx context.Context, place int64, events []int64, old, zone string) error {
	_, err := exec(ctx, t.q, keepClockSQL, pgx.StrictNamedArgs{"events": events, "place": place, "old": old, "new": zone})
	return err
}

const outOfOrderSQL = `
SELECT s.event_id, coalesce(r.name, '') AS route, s.departs_at
  FROM event_stops s JOIN events e ON e.id = s.event_id LEFT JOIN routes r ON r.id = e.route_id
  JOIN event_stops a ON a.event_id = s.event_id AND a.stop_no = 0
  LEFT JOIN event_stops n ON n.event_id = s.event_id AND n.stop_no = s.stop_no + 1
 WHERE s.event_id = ANY(@events::bigint[])
   AND (s.departs_at < s.arrives_at OR n.arrives_at < s.departs_at OR (n.stop_no = e.last_stop AND n.arrives_at <= a.departs_at))
 ORDER BY s.departs_at LIMIT 1`

// OutOfOrder finds a trip that would be at its next stop before it left the one
// before; domain.ErrNotFound when all are in order.
func (t *Tx) OutOfOrder(ctx context.Context, events []int64) (ShiftedStop, error) {
	return row[ShiftedStop](ctx, t.q, outOfOrderSQL, pgx.StrictNamedArgs{"events": events})
}

const ticketsAheadSQL = `
SELECT count(*) FROM tickets t
 WHERE t.event_id = ANY(@events::bigint[]) AND t.state = 'valid'
   AND EXISTS (SELECT 1 FROM event_stops s
                WHERE s.event_id = t.event_id AND s.place_id = @place AND s.stop_no IN (t.from_stop, t.to_stop))`

// TicketsAhead counts the valid tickets of the trips that begin or end at a place.
func (q Queries) TicketsAhead(ctx context.Context, place int64, events []int64) (int, error) {
	return scalar[int](ctx, q.q, ticketsAheadSQL, pgx.StrictNamedArgs{"events": events, "place": place})
}

const timeZonesSQL = `
SELECT name FROM pg_timezone_names
 WHERE name ~ '^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)/' OR name = 'UTC'
 ORDER BY name`

// TimeZones lists the IANA zones that the database knows.
func (q Queries) TimeZones(ctx context.Context) ([]string, error) {
	return column[string](ctx, q.q, timeZonesSQL, nil)
}

const retimeEventsSQL = `
UPDATE events e
   SET starts_at = a.departs_at, ends_at = z.arrives_at, time_zone = p.time_zone, revision = e.revision + 1,
       business_day = ((a.departs_at AT TIME ZONE p.time_zone) - @day_start::time::interval)::date
  FROM event_stops a JOIN places p ON p.id = a.place_id
  JOIN event_stops z ON z.event_id = a.event_id
 WHERE e.id = ANY(@events::bigint[]) AND a.event_id = e.id AND a.stop_no = 0 AND z.stop_no = e.last_stop`

// RetimeEvents takes the trips' start, end, zone and business day from their stops;
// dayStart is the setting business_day_start. Stops and places are changed before.
// domain.ErrOverlap: a coach would be in two places at once.
func (t *Tx) RetimeEvents(ctx context.Context, events []int64, dayStart string) error {
	_, err := exec(ctx, t.q, retimeEventsSQL, pgx.StrictNamedArgs{"events": events, "day_start": dayStart})
	return err
}
