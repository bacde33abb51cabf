package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// ImportPlace is a place as a feed has it.
type ImportPlace struct {
	ExternalID string   `json:"external_id"`
	Name       string   `json:"name"`
	Address    string   `json:"address"`
	TimeZone   string   `json:"time_zone"`
	Latitude   *float64 `json:"latitude"`
	Longitude  *float64 `json:"longitude"`
}

const placesByExternalSQL = `SELECT external_id, id FROM places WHERE external_id = ANY(@ids::text[])`

// PlacesByExternal finds imported places by the feed's keys.
func (q Queries) PlacesByExternal(ctx context.Context, ids []string) (map[string]int64, error) {
	return q.byExternal(ctx, placesByExternalSQL, ids)
}

func (q Queries) byExternal(ctx context.Context, sql string, ids []string) (map[string]int64, error) {
	type pair struct {
		ExternalID string
		ID         int64
	}
	list, err := rows[pair](ctx, q.q, sql, pgx.StrictNamedArgs{"ids": ids})
	out := make(map[string]int64, len(list))
	for _, x := range list {
		out[x.ExternalID] = x.ID
	}
	return out, err
}

const otherPlaceNamesSQL = `SELECT name FROM places WHERE external_id IS NULL OR external_id <> ALL(@ids::text[])`

// OtherPlaceNames are the names of all places but the imported ones.
func (q Queries) OtherPlaceNames(ctx context.Context, ids []string) ([]string, error) {
	return column[string](ctx, q.q, otherPlaceNamesSQL, pgx.StrictNamedArgs{"ids": ids})
}

// Names move between places of one edition and the next: first all that change step
// aside, so that no two have one name in between.
const clearPlaceNamesSQL = `
UPDATE places p SET name = 'import ' || p.id || ' ' || md5(p.name)
  FROM jsonb_to_recordset(@places::jsonb) AS r(external_id text, name text)
 WHERE p.external_id = r.external_id AND p.name <> r.name`

// A place's zone stays while tickets are sold for coming departures there: what is
// printed on them must stay true.
const updatePlacesSQL = `
UPDATE places p
   SET revision = p.revision + 1, name = r.name, address = r.address, latitude = r.latitude, longitude = r.longitude,
       time_zone = CASE WHEN EXISTS (
         SELECT 1 FROM event_stops s JOIN tickets t ON t.event_id = s.event_id AND t.state = 'valid'
          WHERE s.place_id = p.id AND s.departs_at > now()) THEN p.time_zone ELSE r.time_zone END
  FROM jsonb_to_recordset(@places::jsonb)
       AS r(external_id text, name text, address text, time_zone text, latitude double precision, longitude double precision)
 WHERE p.external_id = r.external_id
   AND (p.name, p.address, p.time_zone, p.latitude, p.longitude)
       IS DISTINCT FROM (r.name, r.address, r.time_zone, r.latitude, r.longitude)`

const insertPlacesSQL = `
INSERT INTO places (external_id, name, address, time_zone, latitude, longitude)
SELECT r.external_id, r.name, r.address, r.time_zone, r.latitude, r.longitude
  FROM jsonb_to_recordset(@places::jsonb)
       AS r(external_id text, name text, address text, time_zone text, latitude double precision, longitude double precision)
 WHERE NOT EXISTS (SELECT 1 FROM places p WHERE p.external_id = r.external_id)`

// SaveImportPlaces makes places new or as the feed has them now, by their keys.
func (t *Tx) SaveImportPlaces(ctx context.Context, list []ImportPlace) (added, changed int64, err error) {
	args := pgx.StrictNamedArgs{"places": list}
	if _, err = exec(ctx, t.q, clearPlaceNamesSQL, args); err != nil {
		return 0, 0, err
	}
	if changed, err = exec(ctx, t.q, updatePlacesSQL, args); err != nil {
		return 0, 0, err
	}
	added, err = exec(ctx, t.q, insertPlacesSQL, args)
	return added, changed, err
}

const keptZonesSQL = `
SELECT p.name FROM places p
  JOIN jsonb_to_recordset(@places::jsonb) AS r(external_id text, time_zone text) ON r.external_id = p.external_id
 WHERE p.time_zone <> r.time_zone
 ORDER BY p.name`

// KeptZones are the places whose zone is not the feed's.
func (q Queries) KeptZones(ctx context.Context, list []ImportPlace) ([]string, error) {
	return column[string](ctx, q.q, keptZonesSQL, pgx.StrictNamedArgs{"places": list})
}
