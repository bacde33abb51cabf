package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const lockDemoSQL = `SELECT pg_advisory_xact_lock(hashtext('holdfast.demo'))`

// LockDemo makes loading and clearing the demo follow one another.
func (t *Tx) LockDemo(ctx context.Context) error {
	_, err := exec(ctx, t.q, lockDemoSQL, nil)
	return err
}

const demoLoadedSQL = `SELECT EXISTS (SELECT 1 FROM demo_rows)`

// DemoLoaded says whether demo rows are there.
func (q Queries) DemoLoaded(ctx context.Context) (bool, error) {
	return scalar[bool](ctx, q.q, demoLoadedSQL, nil)
}

// The events that the demo made; everything that is sold hangs on them.
const demoEvents = `(SELECT row_key::bigint FROM demo_rows WHERE table_name = 'events')`

const realEventsSQL = `SELECT EXISTS (SELECT 1 FROM events WHERE id NOT IN ` + demoEvents + `)`

// RealEvents says whether there are events that the demo did not make.
func (q Queries) RealEvents(ctx context.Context) (bool, error) {
	return scalar[bool](ctx, q.q, realEventsSQL, nil)
}

// DemoCounts says what of the demo there is now, with what visitors added.
type DemoCounts struct {
	Films, Screenings, Trips, Seats, Bookings, Tickets int
	ToCome                                             int // events that have not started
}

const demoCountsSQL = `
WITH e AS (SELECT id, kind, starts_at FROM events WHERE id IN ` + demoEvents + `)
SELECT (SELECT count(*) FROM demo_rows WHERE table_name = 'films') AS films,
       (SELECT count(*) FROM e WHERE kind = 'screening') AS screenings,
       (SELECT count(*) FROM e WHERE kind = 'trip') AS trips,
       (SELECT count(*) FROM event_seats WHERE event_id IN (SELECT id FROM e)) AS seats,
       (SELECT count(*) FROM bookings WHERE event_id IN (SELECT id FROM e)) AS bookings,
       (SELECT count(*) FROM tickets WHERE event_id IN (SELECT id FROM e)) AS tickets,
       (SELECT count(*) FROM e WHERE starts_at > now()) AS to_come`

// DemoCounts counts the demo's rows.
func (q Queries) DemoCounts(ctx context.Context) (DemoCounts, error) {
	return row[DemoCounts](ctx, q.q, demoCountsSQL, nil)
}

const namesInUseSQL = `
SELECT name FROM layouts UNION SELECT name FROM resources UNION SELECT name FROM places
 UNION SELECT name FROM routes UNION SELECT name FROM tariffs`

// NamesInUse are the names of layouts, halls, coaches, places, routes and tariffs.
func (q Queries) NamesInUse(ctx context.Context) ([]string, error) {
	r, err := q.q.Query(ctx, namesInUseSQL)
	if err != nil {
		return nil, classify(err)
	}
	out, err := pgx.CollectRows(r, pgx.RowTo[string])
	return out, classify(err)
}

const drawIDsSQL = `
SELECT nextval(pg_get_serial_sequence(@table::text, 'id')) FROM generate_series(1, @n::int)`

// DrawIDs takes n ids of the table's sequence, ascending. The inserts below store
// rows under ids that their caller drew, so that a whole table is one statement.
func (t *Tx) DrawIDs(ctx context.Context, table string, n int) ([]int64, error) {
	return column[int64](ctx, t.q, drawIDsSQL, pgx.StrictNamedArgs{"table": table, "n": n})
}

const recordDemoSQL = `
INSERT INTO demo_rows (table_name, row_key) SELECT @table, unnest(@ids::bigint[])::text`

// RecordDemo notes rows as made by the demo. Rows that hang on a noted one and go
// with it (stops, fares, cells, seats, sales) are not noted one by one.
func (t *Tx) RecordDemo(ctx context.Context, table string, ids ...int64) error {
	_, err := exec(ctx, t.q, recordDemoSQL, pgx.StrictNamedArgs{"table": table, "ids": ids})
	return err
}

// The row_key of a setting is "key=value" with the value the demo set, so that
// clearing can tell whether somebody changed it since.
const setDemoSettingsSQL = `
WITH changed AS (
  SELECT n.key, n.value, s.value AS was
    FROM jsonb_each_text(@settings::jsonb) AS n(key, value) LEFT JOIN settings s ON s.key = n.key
   WHERE s.value IS DISTINCT FROM n.value),
noted AS (
  INSERT INTO demo_rows (table_name, row_key, was) SELECT 'settings', key || '=' || value, was FROM changed)
INSERT INTO settings (key, value) SELECT key, value FROM changed
    ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()`

// SetDemoSettings stores values, checked by the caller, and notes the ones before.
func (t *Tx) SetDemoSettings(ctx context.Context, values map[string]string) error {
	_, err := exec(ctx, t.q, setDemoSettingsSQL, pgx.StrictNamedArgs{"settings": values})
	return err
}

const addDemoTypesSQL = `
WITH added AS (
  INSERT INTO ticket_types (code, name, position)
  SELECT code, name, position FROM jsonb_to_recordset(@types::jsonb) AS r(code text, name text, position smallint)
      ON CONFLICT (code) DO NOTHING RETURNING code)
INSERT INTO demo_rows (table_name, row_key) SELECT 'ticket_types', code FROM added`

// DemoType is a ticket type.
type DemoType struct {
	Code     string `json:"code"`
	Name     string `json:"name"`
	Position int    `json:"position"`
}

// AddDemoTypes adds and notes the ticket types whose codes are not in use.
func (t *Tx) AddDemoTypes(ctx context.Context, types []DemoType) error {
	_, err := exec(ctx, t.q, addDemoTypesSQL, pgx.StrictNamedArgs{"types": types})
	return err
}

const addDemoStaffSQL = `
WITH added AS (
  INSERT INTO staff (email, name, role, password_hash) VALUES (@email, @name, @role, @hash)
      ON CONFLICT (email) DO NOTHING RETURNING id),
noted AS (
  INSERT INTO demo_rows (table_name, row_key) SELECT 'staff', id::text FROM added)
SELECT id FROM added`

// AddDemoStaff adds and notes an account; domain.ErrNotFound when the e-mail has
// one already, which stays as it is.
func (t *Tx) AddDemoStaff(ctx context.Context, email, name, role, hash string) (int64, error) {
	return scalar[int64](ctx, t.q, addDemoStaffSQL, pgx.StrictNamedArgs{"email": email, "name": name, "role": role, "hash": hash})
}

// DemoFilm is a film with its poster, an SVG.
type DemoFilm struct {
	ID          int64  `json:"id"`
	Title       string `json:"title"`
	Certificate string `json:"certificate"`
	RuntimeMin  int    `json:"runtime_min"`
	Genre       string `json:"genre"`
	Language    string `json:"language"`
	Version     string `json:"version"`
	Distributor string `json:"distributor"`
	Blurb       string `json:"blurb"`
	Poster      []byte `json:"poster"`
}

const addDemoFilmsSQL = `
INSERT INTO films (id, title, certificate, runtime_min, genre, language, version, distributor, blurb, poster, poster_type)
OVERRIDING SYSTEM VALUE
SELECT id, title, certificate, runtime_min, genre, language, version, distributor, blurb, decode(poster, 'base64'), 'image/svg+xml'
  FROM jsonb_to_recordset(@films::jsonb)
       AS r(id bigint, title text, certificate text, runtime_min int, genre text, language text, version text, distributor text, blurb text, poster text)`

// AddDemoFilms stores films.
func (t *Tx) AddDemoFilms(ctx context.Context, films []DemoFilm) error {
	_, err := exec(ctx, t.q, addDemoFilmsSQL, pgx.StrictNamedArgs{"films": films})
	return err
}

// DemoResource is a hall or a coach.
type DemoResource struct {
	ID       int64  `json:"id"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Note     string `json:"note"`
	LayoutID int64  `json:"layout_version_id"`
	// TurnaroundMin is how long it is not free after an event.
	TurnaroundMin int `json:"turnaround_minutes"`
}

const addDemoResourcesSQL = `
INSERT INTO resources (id, kind, name, note, layout_version_id, turnaround_minutes)
OVERRIDING SYSTEM VALUE
SELECT id, kind, name, note, layout_version_id, turnaround_minutes
  FROM jsonb_to_recordset(@resources::jsonb)
       AS r(id bigint, kind text, name text, note text, layout_version_id bigint, turnaround_minutes int)`

// AddDemoResources stores halls and coaches.
func (t *Tx) AddDemoResources(ctx context.Context, resources []DemoResource) error {
	_, err := exec(ctx, t.q, addDemoResourcesSQL, pgx.StrictNamedArgs{"resources": resources})
	return err
}

// DemoFare is one price of a tariff in minor units.
type DemoFare struct {
	Zone  int    `json:"zone_no"`
	Type  string `json:"ticket_type"`
	From  int    `json:"from_stop"`
	To    int    `json:"to_stop"`
	Price int64  `json:"price"`
}

const addDemoTariffSQL = `
WITH added AS (
  INSERT INTO tariffs (name, currency, tax_bp, route_id, last_stop)
  SELECT @name, @currency, @tax_bp, @route, max(r.to_stop) FROM jsonb_to_recordset(@fares::jsonb) AS r(to_stop smallint) RETURNING id),
prices AS (
  INSERT INTO fares (tariff_id, zone_no, ticket_type, from_stop, to_stop, price)
  SELECT a.id, r.zone_no, r.ticket_type, r.from_stop, r.to_stop, r.price
    FROM added a, jsonb_to_recordset(@fares::jsonb)
         AS r(zone_no smallint, ticket_type text, from_stop smallint, to_stop smallint, price bigint))
SELECT id FROM added`

// AddDemoTariff stores a tariff with its prices; route is nil for screenings.
func (t *Tx) AddDemoTariff(ctx context.Context, name, currency string, taxBP int, route *int64, fares []DemoFare) (int64, error) {
	return scalar[int64](ctx, t.q, addDemoTariffSQL, pgx.StrictNamedArgs{"name": name, "currency": currency, "tax_bp": taxBP, "route": route, "fares": fares})
}

const addDemoPlaceSQL = `INSERT INTO places (name, address, time_zone) VALUES (@name, @address, @zone) RETURNING id`

// AddDemoPlace stores a place.
func (t *Tx) AddDemoPlace(ctx context.Context, name, address, zone string) (int64, error) {
	return scalar[int64](ctx, t.q, addDemoPlaceSQL, pgx.StrictNamedArgs{"name": name, "address": address, "zone": zone})
}

// DemoRouteStop is one stop of a route, in minutes after the first departure.
type DemoRouteStop struct {
	StopNo      int    `json:"stop_no"`
	PlaceID     int64  `json:"place_id"`
	ArriveAfter int    `json:"arrive_after"`
	DepartAfter int    `json:"depart_after"`
	MayBoard    bool   `json:"may_board"`
	MayAlight   bool   `json:"may_alight"`
	Note        string `json:"note"`
}

const addDemoRouteSQL = `
WITH added AS (
  INSERT INTO routes (name) VALUES (@name) RETURNING id),
stops AS (
  INSERT INTO route_stops (route_id, stop_no, place_id, arrive_after, depart_after, may_board, may_alight, note)
  SELECT a.id, r.stop_no, r.place_id, r.arrive_after, r.depart_after, r.may_board, r.may_alight, r.note
    FROM added a, jsonb_to_recordset(@stops::jsonb)
         AS r(stop_no smallint, place_id bigint, arrive_after int, depart_after int, may_board boolean, may_alight boolean, note text))
SELECT id FROM added`

// AddDemoRoute stores a route with its stops.
func (t *Tx) AddDemoRoute(ctx context.Context, name string, stops []DemoRouteStop) (int64, error) {
	return scalar[int64](ctx, t.q, addDemoRouteSQL, pgx.StrictNamedArgs{"name": name, "stops": stops})
}

// DemoEvent is a published event. FilmID of screenings, RouteID of trips.
type DemoEvent struct {
	ID          int64     `json:"id"`
	Kind        string    `json:"kind"`
	StartsAt    time.Time `json:"starts_at"`
	EndsAt      time.Time `json:"ends_at"`
	TimeZone    string    `json:"time_zone"`
	BusinessDay string    `json:"business_day"` // 2006-01-02
	LastStop    int       `json:"last_stop"`
	LayoutID    int64     `json:"layout_version_id"`
	ResourceID  int64     `json:"resource_id"`
	TariffID    int64     `json:"tariff_id"`
	FilmID      *int64    `json:"film_id"`
	RouteID     *int64    `json:"route_id"`
	CloseMin    *int      `json:"sales_close_minutes"`
}

const addDemoEventsSQL = `
INSERT INTO events (id, kind, status, starts_at, ends_at, time_zone, business_day, last_stop, layout_version_id, resource_id,
       tariff_id, film_id, route_id, sales_close_minutes)
OVERRIDING SYSTEM VALUE
SELECT id, kind, 'published', starts_at, ends_at, time_zone, business_day, last_stop, layout_version_id, resource_id,
       tariff_id, film_id, route_id, sales_close_minutes
  FROM jsonb_to_recordset(@events::jsonb)
       AS r(id bigint, kind text, starts_at timestamptz, ends_at timestamptz, time_zone text, business_day date, last_stop smallint,
            layout_version_id bigint, resource_id bigint, tariff_id bigint, film_id bigint, route_id bigint, sales_close_minutes int)`

// A trip's stops are its route's, counted from its start in real minutes.
const addDemoStopsSQL = `
INSERT INTO event_stops (event_id, stop_no, place_id, arrives_at, departs_at, may_board, may_alight, note)
SELECT e.id, s.stop_no, s.place_id, e.starts_at + make_interval(mins => s.arrive_after), e.starts_at + make_interval(mins => s.depart_after),
       s.may_board, s.may_alight, s.note
  FROM events e JOIN route_stops s ON s.route_id = e.route_id
 WHERE e.id = ANY(@events::bigint[])`

// AddDemoEvents stores events with their stops. Their seats are AddSeats's.
func (t *Tx) AddDemoEvents(ctx context.Context, events []DemoEvent) error {
	if _, err := exec(ctx, t.q, addDemoEventsSQL, pgx.StrictNamedArgs{"events": events}); err != nil {
		return err
	}
	ids := make([]int64, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	_, err := exec(ctx, t.q, addDemoStopsSQL, pgx.StrictNamedArgs{"events": ids})
	return err
}
