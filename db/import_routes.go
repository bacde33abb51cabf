package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// ImportRoute is a route as a feed has it.
type ImportRoute struct {
	ExternalID string            `json:"external_id"`
	Name       string            `json:"name"`
	Stops      []ImportRouteStop `json:"-"`
}

// ImportRouteStop is a stop of a route, in minutes after the first departure.
type ImportRouteStop struct {
	RouteExternalID string `json:"route"` // filled by SaveImportRoutes
	StopNo          int    `json:"stop_no"`
	PlaceID         int64  `json:"place_id"`
	ArriveAfter     int    `json:"arrive_after"`
	DepartAfter     int    `json:"depart_after"`
	MayBoard        bool   `json:"may_board"`
	MayAlight       bool   `json:"may_alight"`
	Note            string `json:"note"`
	Zone            string `json:"zone"` // fare zone
}

const routesByExternalSQL = `SELECT external_id, id FROM routes WHERE external_id = ANY(@ids::text[])`

// RoutesByExternal finds imported routes by the feed's keys.
func (q Queries) RoutesByExternal(ctx context.Context, ids []string) (map[string]int64, error) {
	return q.byExternal(ctx, routesByExternalSQL, ids)
}

const otherRouteNamesSQL = `SELECT name FROM routes WHERE external_id IS NULL OR external_id <> ALL(@ids::text[])`

// OtherRouteNames are the names of all routes but the imported ones.
func (q Queries) OtherRouteNames(ctx context.Context, ids []string) ([]string, error) {
	return column[string](ctx, q.q, otherRouteNamesSQL, pgx.StrictNamedArgs{"ids": ids})
}

const clearRouteNamesSQL = `
UPDATE routes o SET name = 'import ' || o.id || ' ' || md5(o.name)
  FROM jsonb_to_recordset(@routes::jsonb) AS r(external_id text, name text)
 WHERE o.external_id = r.external_id AND o.name <> r.name`

const renameRoutesSQL = `
UPDATE routes o SET name = r.name, revision = o.revision + 1
  FROM jsonb_to_recordset(@routes::jsonb) AS r(external_id text, name text)
 WHERE o.external_id = r.external_id AND o.name <> r.name`

const insertRoutesSQL = `
INSERT INTO routes (external_id, name)
SELECT r.external_id, r.name FROM jsonb_to_recordset(@routes::jsonb) AS r(external_id text, name text)
 WHERE NOT EXISTS (SELECT 1 FROM routes o WHERE o.external_id = r.external_id)`

const saveRouteStopsSQL = `
INSERT INTO route_stops AS s (route_id, stop_no, place_id, arrive_after, depart_after, may_board, may_alight, note, zone)
SELECT o.id, r.stop_no, r.place_id, r.arrive_after, r.depart_after, r.may_board, r.may_alight, r.note, r.zone
  FROM jsonb_to_recordset(@stops::jsonb)
       AS r(route text, stop_no smallint, place_id bigint, arrive_after int, depart_after int, may_board boolean, may_alight boolean, note text, zone text)
  JOIN routes o ON o.external_id = r.route
    ON CONFLICT (route_id, stop_no) DO UPDATE
   SET place_id = EXCLUDED.place_id, arrive_after = EXCLUDED.arrive_after, depart_after = EXCLUDED.depart_after,
       may_board = EXCLUDED.may_board, may_alight = EXCLUDED.may_alight, note = EXCLUDED.note, zone = EXCLUDED.zone
 WHERE (s.place_id, s.arrive_after, s.depart_after, s.may_board, s.may_alight, s.note, s.zone)
       IS DISTINCT FROM (EXCLUDED.place_id, EXCLUDED.arrive_after, EXCLUDED.depart_after, EXCLUDED.may_board, EXCLUDED.may_alight, EXCLUDED.note, EXCLUDED.zone)`

// SaveImportRoutes makes routes new or as the feed has them now. A route's stops never
// change, because they are part of its key; their usual times may.
func (t *Tx) SaveImportRoutes(ctx context.Context, list []ImportRoute) (added int64, err error) {
	args := pgx.StrictNamedArgs{"routes": list}
	for _, sql := range []string{clearRouteNamesSQL, renameRoutesSQL} {
		if _, err = exec(ctx, t.q, sql, args); err != nil {
			return 0, err
		}
	}
	if added, err = exec(ctx, t.q, insertRoutesSQL, args); err != nil {
		return 0, err
	}
	var stops []ImportRouteStop
	for _, r := range list {
		for no, s := range r.Stops {
			s.RouteExternalID, s.StopNo = r.ExternalID, no
			stops = append(stops, s)
		}
	}
	_, err = exec(ctx, t.q, saveRouteStopsSQL, pgx.StrictNamedArgs{"stops": stops})
	return added, err
}
