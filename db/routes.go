package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Route is a line's way in one direction.
type Route struct {
	ID       int64
	Name     string
	Archived bool
	Revision int
}

// RouteStop is one stop of a route, in minutes after the first departure.
type RouteStop struct {
	PlaceID     int64  `json:"place_id"`
	ArriveAfter int    `json:"arrive_after"`
	DepartAfter int    `json:"depart_after"`
	MayBoard    bool   `json:"may_board"`
	MayAlight   bool   `json:"may_alight"`
	Note        string `json:"note"`
	Zone        string `json:"zone"` // fare zone
}

const routeSQL = `SELECT id, name, archived_at IS NOT NULL AS archived, revision FROM routes WHERE id = @id`

// Route reads one; domain.ErrNotFound.
func (q Queries) Route(ctx context.Context, id int64) (Route, error) {
	return row[Route](ctx, q.q, routeSQL, pgx.StrictNamedArgs{"id": id})
}

const routeStopsSQL = `
SELECT place_id, arrive_after, depart_after, may_board, may_alight, note, zone
  FROM route_stops WHERE route_id = @route ORDER BY stop_no`

// RouteStops lists a route's stops in order.
func (q Queries) RouteStops(ctx context.Context, route int64) ([]RouteStop, error) {
	return rows[RouteStop](ctx, q.q, routeStopsSQL, pgx.StrictNamedArgs{"route": route})
}

// RouteLine is one route of a list.
type RouteLine struct {
	ID       int64
	Name     string
	Archived bool
	Revision int
	Places   []string // in order of travel
	Minutes  int      // from the first departure to the last arrival
	Coming   int      // trips to come, drafts among them
}

const routesSQL = `
SELECT r.id, r.name, r.archived_at IS NOT NULL AS archived, r.revision, s.places, s.minutes,
       (SELECT count(*) FROM events e WHERE e.route_id = r.id AND e.status <> 'cancelled' AND e.starts_at > now()) AS coming
  FROM routes r
 CROSS JOIN LATERAL (
       SELECT coalesce(array_agg(p.name ORDER BY x.stop_no), '{}') AS places, coalesce(max(x.arrive_after), 0) AS minutes
         FROM route_stops x JOIN places p ON p.id = x.place_id WHERE x.route_id = r.id) s
 WHERE (r.archived_at IS NOT NULL) = @archived
   AND (@find = '' OR strpos(lower(concat_ws(' ', r.name, array_to_string(s.places, ' '))), lower(@find)) > 0)
 ORDER BY lower(r.name), r.id LIMIT 1000`

// Routes lists routes by name. find "" finds all.
func (q Queries) Routes(ctx context.Context, find string, archived bool) ([]RouteLine, error) {
	return rows[RouteLine](ctx, q.q, routesSQL, pgx.StrictNamedArgs{"find": find, "archived": archived})
}

const routeUseSQL = `
SELECT count(*) AS all, count(*) FILTER (WHERE status <> 'cancelled' AND starts_at > now()) AS coming
  FROM events WHERE route_id = @id`

// RouteUse counts a route's trips.
func (q Queries) RouteUse(ctx context.Context, id int64) (Use, error) {
	return row[Use](ctx, q.q, routeUseSQL, pgx.StrictNamedArgs{"id": id})
}

const insertRouteSQL = `INSERT INTO routes (name) VALUES (@name) RETURNING id`

// InsertRoute stores a new route without stops; domain.ErrConflict when the name is in use.
func (t *Tx) InsertRoute(ctx context.Context, name string) (int64, error) {
	return scalar[int64](ctx, t.q, insertRouteSQL, pgx.StrictNamedArgs{"name": name})
}

const updateRouteSQL = `UPDATE routes SET name = @name, revision = revision + 1 WHERE id = @id AND revision = @revision`

// UpdateRoute renames a route and counts its revision on; false when that is another,
// domain.ErrConflict when the name is in use.
func (t *Tx) UpdateRoute(ctx context.Context, r Route) (bool, error) {
	n, err := exec(ctx, t.q, updateRouteSQL, pgx.StrictNamedArgs{"id": r.ID, "revision": r.Revision, "name": r.Name})
	return n == 1, err
}

const dropRouteStopsSQL = `DELETE FROM route_stops WHERE route_id = @route`

const addRouteStopsSQL = `
INSERT INTO route_stops (route_id, stop_no, place_id, arrive_after, depart_after, may_board, may_alight, note, zone)
SELECT @route, s.no - 1, s.place_id, s.arrive_after, s.depart_after, s.may_board, s.may_alight, s.note, s.zone
  FROM ROWS FROM (jsonb_to_recordset(@stops::jsonb)
       AS (place_id bigint, arrive_after int, depart_after int, may_board boolean, may_alight boolean, note text, zone text))
       WITH ORDINALITY AS s(place_id, arrive_after, depart_after, may_board, may_alight, note, zone, no)`

// SetRouteStops puts a route's stops in the place of those it had. Trips have their
// own and keep them. domain.ErrConflict: a place is gone.
func (t *Tx) SetRouteStops(ctx context.Context, route int64, stops []RouteStop) error {
	if _, err := exec(ctx, t.q, dropRouteStopsSQL, pgx.StrictNamedArgs{"route": route}); err != nil {
		return err
	}
	_, err := exec(ctx, t.q, addRouteStopsSQL, pgx.StrictNamedArgs{"route": route, "stops": stops})
	return err
}

const archiveRouteSQL = `
UPDATE routes SET archived_at = CASE WHEN @away::bool THEN now() END, revision = revision + 1
 WHERE id = @id AND revision = @revision`

// ArchiveRoute puts a route away or takes it back; false when its revision is another.
func (t *Tx) ArchiveRoute(ctx context.Context, id int64, revision int, away bool) (bool, error) {
	n, err := exec(ctx, t.q, archiveRouteSQL, pgx.StrictNamedArgs{"id": id, "revision": revision, "away": away})
	return n == 1, err
}

const deleteRouteSQL = `DELETE FROM routes WHERE id = @id AND revision = @revision`

// DeleteRoute deletes a route without trips, domain.ErrConflict for the others; false
// when its revision is another.
func (t *Tx) DeleteRoute(ctx context.Context, id int64, revision int) (bool, error) {
	n, err := exec(ctx, t.q, deleteRouteSQL, pgx.StrictNamedArgs{"id": id, "revision": revision})
	return n == 1, err
}
