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
	r, err := t.q.Query(ctx, drawIDsSQL, pgx.StrictNamedArgs{"table": table, "n": n})
	if err != nil {
		return nil, classify(err)
	}
	out, err := pgx.CollectRows(r, pgx.RowTo[int64])
	return out, classify(err)
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
	Blurb       string `json:"blurb"`
	Poster      []byte `json:"poster"`
}

const addDemoFilmsSQL = `
INSERT INTO films (id, title, certificate, runtime_min, genre, language, blurb, poster, poster_type)
OVERRIDING SYSTEM VALUE
SELECT id, title, certificate, runtime_min, genre, language, blurb, decode(poster, 'base64'), 'image/svg+xml'
  FROM jsonb_to_recordset(@films::jsonb)
       AS r(id bigint, title text, certificate text, runtime_min int, genre text, language text, blurb text, poster text)`

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
}

const addDemoResourcesSQL = `
INSERT INTO resources (id, kind, name, note, layout_version_id)
OVERRIDING SYSTEM VALUE
SELECT id, kind, name, note, layout_version_id
  FROM jsonb_to_recordset(@resources::jsonb) AS r(id bigint, kind text, name text, note text, layout_version_id bigint)`

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
  INSERT INTO tariffs (name, currency, tax_bp) VALUES (@name, @currency, @tax_bp) RETURNING id),
prices AS (
  INSERT INTO fares (tariff_id, zone_no, ticket_type, from_stop, to_stop, price)
  SELECT a.id, r.zone_no, r.ticket_type, r.from_stop, r.to_stop, r.price
    FROM added a, jsonb_to_recordset(@fares::jsonb)
         AS r(zone_no smallint, ticket_type text, from_stop smallint, to_stop smallint, price bigint))
SELECT id FROM added`

// AddDemoTariff stores a tariff with its prices.
func (t *Tx) AddDemoTariff(ctx context.Context, name, currency string, taxBP int, fares []DemoFare) (int64, error) {
	return scalar[int64](ctx, t.q, addDemoTariffSQL, pgx.StrictNamedArgs{"name": name, "currency": currency, "tax_bp": taxBP, "fares": fares})
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

// DemoSale is a paid and confirmed booking. Its seats are booked by ConfirmSeats
// for BookingID; total and taxes are the caller's sums.
type DemoSale struct {
	HoldID    string     `json:"hold_id"` // uuid
	EventID   int64      `json:"event_id"`
	BookingID int64      `json:"booking_id"`
	PaymentID int64      `json:"payment_id"`
	Reference string     `json:"reference"`
	From      int        `json:"from_stop"`
	To        int        `json:"to_stop"`
	Channel   string     `json:"channel"`
	Holder    string     `json:"holder"`
	Tender    string     `json:"tender"`
	Name      string     `json:"name"`
	At        time.Time  `json:"at"` // when it was paid
	Total     int64      `json:"total"`
	Tax       int64      `json:"tax"`
	Seats     []DemoSeat `json:"-"`
}

// DemoSeat is one seat of a sale.
type DemoSeat struct {
	HoldID    string `json:"hold_id"`
	SeatNo    string `json:"seat_no"`
	Zone      int    `json:"zone_no"`
	Type      string `json:"ticket_type"`
	Price     int64  `json:"price"`
	Tax       int64  `json:"tax"`
	Passenger string `json:"passenger"`
}

const demoSales = `jsonb_to_recordset(@sales::jsonb)
       AS s(hold_id uuid, event_id bigint, booking_id bigint, payment_id bigint, reference text, from_stop smallint, to_stop smallint,
            channel text, holder text, tender text, name text, at timestamptz, total bigint, tax bigint)
  JOIN events e ON e.id = s.event_id
  JOIN tariffs t ON t.id = e.tariff_id`

const addDemoHoldsSQL = `
INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, state, expires_at, total, currency, tax_bp, fares, name, detailed_at, created_at)
SELECT s.hold_id, s.event_id, s.from_stop, s.to_stop, s.channel, s.holder, 'converted', s.at + interval '7 minutes', s.total, t.currency,
       t.tax_bp, o.fares, s.name, s.at - interval '1 minute', s.at - interval '3 minutes'
  FROM ` + demoSales + `
  JOIN (SELECT f.tariff_id, f.from_stop, f.to_stop,
               jsonb_agg(jsonb_build_object('zone', f.zone_no, 'type', f.ticket_type, 'name', y.name, 'price', f.price)
                         ORDER BY f.zone_no, y.position, y.code) AS fares
          FROM fares f JOIN ticket_types y ON y.code = f.ticket_type
         GROUP BY f.tariff_id, f.from_stop, f.to_stop) o
    ON o.tariff_id = t.id AND o.from_stop = s.from_stop AND o.to_stop = s.to_stop`

const addDemoPaymentsSQL = `
INSERT INTO payments (id, hold_id, event_id, tender, state, outcome, amount, currency, received, received_at, created_at)
OVERRIDING SYSTEM VALUE
SELECT s.payment_id, s.hold_id, s.event_id, s.tender, 'applied', 'booked', s.total, t.currency, s.total, s.at, s.at
  FROM ` + demoSales

const addDemoBookingsSQL = `
INSERT INTO bookings (id, hold_id, event_id, reference, name, total, currency, tax, channel, created_at)
OVERRIDING SYSTEM VALUE
SELECT s.booking_id, s.hold_id, s.event_id, s.reference, s.name, s.total, t.currency, s.tax, s.channel, s.at
  FROM ` + demoSales

const demoSeats = `jsonb_to_recordset(@seats::jsonb)
       AS s(hold_id uuid, seat_no text, zone_no smallint, ticket_type text, price bigint, tax bigint, passenger text)`

const addDemoHoldSeatsSQL = `
INSERT INTO hold_seats (event_id, hold_id, seat_no, zone_no, ticket_type, price, passenger)
SELECT h.event_id, s.hold_id, s.seat_no, s.zone_no, s.ticket_type, s.price, s.passenger
  FROM ` + demoSeats + ` JOIN holds h ON h.id = s.hold_id`

const addDemoTicketsSQL = `
INSERT INTO tickets (booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, price, tax, passenger)
SELECT b.id, b.event_id, s.seat_no, h.from_stop, h.to_stop, s.ticket_type, s.price, s.tax, s.passenger
  FROM ` + demoSeats + ` JOIN holds h ON h.id = s.hold_id JOIN bookings b ON b.hold_id = h.id
 ORDER BY b.id, s.seat_no`

const addDemoTicketLegsSQL = `
INSERT INTO ticket_legs (ticket_id, event_id, seat_no, leg)
SELECT t.id, t.event_id, t.seat_no, l.leg
  FROM tickets t, generate_series(t.from_stop + 1, t.to_stop) AS l(leg)
 WHERE t.booking_id = ANY(@bookings::bigint[])
 ORDER BY t.event_id, t.seat_no, l.leg`

const addDemoLedgerSQL = `
INSERT INTO ledger_entries (entered_at, kind, amount, currency, tax, tender, channel, ticket_type, event_id, booking_id, payment_id, ticket_id)
SELECT b.created_at, x.kind, x.amount, b.currency, x.tax, x.tender, b.channel, x.ticket_type, b.event_id, b.id, p.id, x.ticket_id
  FROM bookings b
  JOIN payments p ON p.hold_id = b.hold_id
 CROSS JOIN LATERAL (
       SELECT 'payment' AS kind, p.received AS amount, 0 AS tax, p.tender, '' AS ticket_type, NULL::bigint AS ticket_id
       UNION ALL
       SELECT 'sale', t.price, t.tax, '', t.ticket_type, t.id FROM tickets t WHERE t.booking_id = b.id) x
 WHERE b.id = ANY(@bookings::bigint[])
 ORDER BY b.created_at, b.id, x.ticket_id NULLS FIRST`

// AddDemoSales stores bookings with holds, payments, tickets and ledger lines,
// whole tables at a time. domain.ErrConflict: a seat is sold twice among them.
func (t *Tx) AddDemoSales(ctx context.Context, sales []DemoSale) error {
	var seats []DemoSeat
	var bookings []int64
	for _, s := range sales {
		seats, bookings = append(seats, s.Seats...), append(bookings, s.BookingID)
	}
	for _, step := range []struct {
		sql, arg string
		value    any
	}{
		{addDemoHoldsSQL, "sales", sales},
		{addDemoHoldSeatsSQL, "seats", seats},
		{addDemoPaymentsSQL, "sales", sales},
		{addDemoBookingsSQL, "sales", sales},
		{addDemoTicketsSQL, "seats", seats},
		{addDemoTicketLegsSQL, "bookings", bookings},
		{addDemoLedgerSQL, "bookings", bookings},
	} {
		if _, err := exec(ctx, t.q, step.sql, pgx.StrictNamedArgs{step.arg: step.value}); err != nil {
			return err
		}
	}
	return nil
}

// With the events locked first, a sale in progress is waited for and none begins.
const lockDemoEventsSQL = `SELECT 1 FROM events WHERE id IN ` + demoEvents + ` ORDER BY id FOR UPDATE`

const allowDemoClearSQL = `SELECT set_config('holdfast.demo_clear', 'on', true)`

const (
	demoBookings = `(SELECT id FROM bookings WHERE event_id IN ` + demoEvents + `)`
	demoPayments = `(SELECT id FROM payments WHERE event_id IN ` + demoEvents + `)`
	demoRefunds  = `(SELECT id FROM refunds WHERE event_id IN ` + demoEvents + `)`
)

const clearMailsSQL = `
DELETE FROM mails WHERE booking_id IN ` + demoBookings + ` OR payment_id IN ` + demoPayments + ` OR refund_id IN ` + demoRefunds

const clearTasksSQL = `
DELETE FROM staff_tasks WHERE event_id IN ` + demoEvents + ` OR booking_id IN ` + demoBookings + ` OR payment_id IN ` + demoPayments

const clearStripeEventsSQL = `
DELETE FROM stripe_events
 WHERE object_id IN (SELECT unnest(ARRAY[stripe_session_id, stripe_payment_intent_id]) FROM payments WHERE event_id IN ` + demoEvents + `)
    OR object_id IN (SELECT stripe_refund_id FROM refunds WHERE event_id IN ` + demoEvents + `)`

const clearLedgerSQL = `DELETE FROM ledger_entries WHERE event_id IN ` + demoEvents

const clearDisputesSQL = `DELETE FROM disputes WHERE event_id IN ` + demoEvents

const clearRefundsSQL = `DELETE FROM refunds WHERE event_id IN ` + demoEvents

const clearTicketLegsSQL = `DELETE FROM ticket_legs WHERE event_id IN ` + demoEvents

const clearTicketsSQL = `DELETE FROM tickets WHERE event_id IN ` + demoEvents

const clearBookingsSQL = `DELETE FROM bookings WHERE event_id IN ` + demoEvents

const clearPaymentsSQL = `DELETE FROM payments WHERE event_id IN ` + demoEvents

const clearHoldSeatsSQL = `DELETE FROM hold_seats WHERE event_id IN ` + demoEvents

const clearHoldsSQL = `DELETE FROM holds WHERE event_id IN ` + demoEvents

const clearEventSeatsSQL = `DELETE FROM event_seats WHERE event_id IN ` + demoEvents

const clearEventStopsSQL = `DELETE FROM event_stops WHERE event_id IN ` + demoEvents

const clearEventsSQL = `DELETE FROM events WHERE id IN ` + demoEvents

// Of the rest, what an event, a plan or a price of the house has come to use stays
// and is the house's own from now on.
const clearFilmsSQL = `
DELETE FROM films f
 WHERE f.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'films')
   AND NOT EXISTS (SELECT 1 FROM events e WHERE e.film_id = f.id)`

const clearTariffsSQL = `
DELETE FROM tariffs t
 WHERE t.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'tariffs')
   AND NOT EXISTS (SELECT 1 FROM events e WHERE e.tariff_id = t.id)`

const clearResourcesSQL = `
DELETE FROM resources r
 WHERE r.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'resources')
   AND NOT EXISTS (SELECT 1 FROM events e WHERE e.resource_id = r.id)`

const clearLayoutVersionsSQL = `
DELETE FROM layout_versions v
 WHERE v.layout_id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'layouts')
   AND NOT EXISTS (SELECT 1 FROM events e WHERE e.layout_version_id = v.id)
   AND NOT EXISTS (SELECT 1 FROM resources r WHERE r.layout_version_id = v.id)`

const clearLayoutsSQL = `
DELETE FROM layouts l
 WHERE l.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'layouts')
   AND NOT EXISTS (SELECT 1 FROM layout_versions v WHERE v.layout_id = l.id)`

const clearRoutesSQL = `
DELETE FROM routes r
 WHERE r.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'routes')
   AND NOT EXISTS (SELECT 1 FROM events e WHERE e.route_id = r.id)`

const clearPlacesSQL = `
DELETE FROM places p
 WHERE p.id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'places')
   AND NOT EXISTS (SELECT 1 FROM route_stops s WHERE s.place_id = p.id)
   AND NOT EXISTS (SELECT 1 FROM event_stops s WHERE s.place_id = p.id)`

const clearTypesSQL = `
DELETE FROM ticket_types y
 WHERE y.code IN (SELECT row_key FROM demo_rows WHERE table_name = 'ticket_types')
   AND NOT EXISTS (SELECT 1 FROM fares f WHERE f.ticket_type = y.code)
   AND NOT EXISTS (SELECT 1 FROM hold_seats s WHERE s.ticket_type = y.code)
   AND NOT EXISTS (SELECT 1 FROM tickets t WHERE t.ticket_type = y.code)`

const clearStaffSQL = `
DELETE FROM staff WHERE id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'staff')`

const dropSettingsSQL = `
DELETE FROM settings s USING demo_rows d
 WHERE d.table_name = 'settings' AND d.was IS NULL AND d.row_key = s.key || '=' || s.value`

const restoreSettingsSQL = `
UPDATE settings s SET value = d.was, updated_at = now() FROM demo_rows d
 WHERE d.table_name = 'settings' AND d.was IS NOT NULL AND d.row_key = s.key || '=' || s.value`

const clearDemoRowsSQL = `DELETE FROM demo_rows`

// ClearDemo deletes what the demo made and what was sold on its events, one
// statement per table, and puts settings back that still are as the demo set them.
func (t *Tx) ClearDemo(ctx context.Context) error {
	for _, sql := range []string{
		lockDemoEventsSQL, allowDemoClearSQL,
		clearMailsSQL, clearTasksSQL, clearStripeEventsSQL, clearLedgerSQL, clearDisputesSQL, clearRefundsSQL, clearTicketLegsSQL,
		clearTicketsSQL,
		clearBookingsSQL, clearPaymentsSQL, clearHoldSeatsSQL, clearHoldsSQL, clearEventSeatsSQL, clearEventStopsSQL, clearEventsSQL,
		clearFilmsSQL, clearTariffsSQL, clearResourcesSQL, clearLayoutVersionsSQL, clearLayoutsSQL, clearRoutesSQL, clearPlacesSQL,
		clearTypesSQL, clearStaffSQL, dropSettingsSQL, restoreSettingsSQL, clearDemoRowsSQL,
	} {
		if _, err := exec(ctx, t.q, sql, nil); err != nil {
			return err
		}
	}
	return nil
}
