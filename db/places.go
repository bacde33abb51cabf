package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// StopPlace is a place as the house keeps it.
type StopPlace struct {
	ID       int64
	Name     string
	Address  string
	TimeZone string // IANA
	Position int
	Archived bool
	Revision int
	Routes   int // that stop here
}

const stopPlaceColumns = `
SELECT p.id, p.name, p.address, p.time_zone, p.position, p.archived_at IS NOT NULL AS archived, p.revision,
       (SELECT count(DISTINCT s.route_id) FROM route_stops s WHERE s.place_id = p.id) AS routes
  FROM places p `

const stopPlaceSQL = stopPlaceColumns + `WHERE p.id = @id`

// StopPlace reads one; domain.ErrNotFound.
func (q Queries) StopPlace(ctx context.Context, id int64) (StopPlace, error) {
	return row[StopPlace](ctx, q.q, stopPlaceSQL, pgx.StrictNamedArgs{"id": id})
}

const stopPlacesSQL = stopPlaceColumns + `
 WHERE (p.archived_at IS NOT NULL) = @archived
   AND (@find = '' OR strpos(lower(concat_ws(' ', p.name, p.address, p.time_zone)), lower(@find)) > 0)
 ORDER BY p.position, lower(p.name), p.id LIMIT 1000`

// StopPlaces lists places by their position and name. find "" finds all.
func (q Queries) StopPlaces(ctx context.Context, find string, archived bool) ([]StopPlace, error) {
	return rows[StopPlace](ctx, q.q, stopPlacesSQL, pgx.StrictNamedArgs{"find": find, "archived": archived})
}

const placeUseSQL = `
SELECT (SELECT count(*) FROM route_stops WHERE place_id = @id) + (SELECT count(*) FROM event_stops WHERE place_id = @id) AS all,
       (SELECT count(DISTINCT e.id) FROM event_stops s JOIN events e ON e.id = s.event_id
         WHERE s.place_id = @id AND s.departs_at > now() AND e.status <> 'cancelled') AS coming`

// PlaceUse counts the stops of routes and trips at a place.
func (q Queries) PlaceUse(ctx context.Context, id int64) (Use, error) {
	return row[Use](ctx, q.q, placeUseSQL, pgx.StrictNamedArgs{"id": id})
}

const insertPlaceSQL = `
INSERT INTO places (name, address, time_zone, position) VALUES (@name, @address, @zone, @position) RETURNING id`

// InsertPlace stores a new place; domain.ErrConflict when the name is in use.
func (t *Tx) InsertPlace(ctx context.Context, p StopPlace) (int64, error) {
	return scalar[int64](ctx, t.q, insertPlaceSQL, pgx.StrictNamedArgs{"name": p.Name, "address": p.Address, "zone": p.TimeZone, "position": p.Position})
}

const updatePlaceSQL = `
UPDATE places SET name = @name, address = @address, time_zone = @zone, position = @position, revision = revision + 1
 WHERE id = @id AND revision = @revision`

// UpdatePlace stores a place; false when somebody else changed it since p.Revision,
// domain.ErrConflict when the name is in use.
func (t *Tx) UpdatePlace(ctx context.Context, p StopPlace) (bool, error) {
	n, err := exec(ctx, t.q, updatePlaceSQL, pgx.StrictNamedArgs{
		"id": p.ID, "revision": p.Revision, "name": p.Name, "address": p.Address, "zone": p.TimeZone, "position": p.Position,
	})
	return n == 1, err
}

const archivePlaceSQL = `
UPDATE places SET archived_at = CASE WHEN @away::bool THEN now() END, revision = revision + 1
 WHERE id = @id AND revision = @revision`

// ArchivePlace puts a place away or takes it back; false when its revision is another.
func (t *Tx) ArchivePlace(ctx context.Context, id int64, revision int, away bool) (bool, error) {
	n, err := exec(ctx, t.q, archivePlaceSQL, pgx.StrictNamedArgs{"id": id, "revision": revision, "away": away})
	return n == 1, err
}

const deletePlaceSQL = `DELETE FROM places WHERE id = @id AND revision = @revision`

// DeletePlace deletes a place where nothing stops, domain.ErrConflict for the others;
// false when its revision is another.
func (t *Tx) DeletePlace(ctx context.Context, id int64, revision int) (bool, error) {
	n, err := exec(ctx, t.q, deletePlaceSQL, pgx.StrictNamedArgs{"id": id, "revision": revision})
	return n == 1, err
}

// ComingStop is the next departure at a place.
type ComingStop struct {
	EventID   int64
	Route     string
	DepartsAt time.Time
}

const nextStopSQL = `
SELECT e.id AS event_id, coalesce(r.name, '') AS route, s.departs_at
  FROM event_stops s JOIN events e ON e.id = s.event_id LEFT JOIN routes r ON r.id = e.route_id
 WHERE s.place_id = @place AND s.departs_at > now() AND e.status <> 'cancelled'
 ORDER BY s.departs_at, e.id LIMIT 1`

// NextStop is the next departure at a place; domain.ErrNotFound when none is to come.
func (q Queries) NextStop(ctx context.Context, place int64) (ComingStop, error) {
	return row[ComingStop](ctx, q.q, nextStopSQL, pgx.StrictNamedArgs{"place": place})
}
