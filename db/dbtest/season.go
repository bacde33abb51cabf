package dbtest

import (
	"testing"

	"holdfast/db"
)

// Season repeats an event, with its stops and seats, perDay times (at most 70) on each
// of so many business days from today on, in ten halls or coaches. Of every ten seats
// four are sold.
func Season(t testing.TB, d *db.DB, e Event, days, perDay int) {
	t.Helper()
	tx, err := d.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	run := func(sql string, args ...any) {
		t.Helper()
		if _, err := tx.Exec(t.Context(), sql, args...); err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
	}
	run(`SET LOCAL statement_timeout = 0`) // a load takes longer than a statement of the program may
	run(`INSERT INTO resources (kind, name, layout_version_id)
		SELECT CASE kind WHEN 'trip' THEN 'coach' ELSE 'hall' END, 'No. ' || i || ' of ' || id, layout_version_id
		  FROM events, generate_series(1, 10) i WHERE id = $1`, e.ID)
	run(`WITH made AS (
		  INSERT INTO events (kind, status, starts_at, ends_at, time_zone, business_day, last_stop, layout_version_id, resource_id, tariff_id, film_id, route_id)
		  SELECT e.kind, 'published', at, at + interval '100 minutes', e.time_zone, current_date + day, e.last_stop, e.layout_version_id, r.id, e.tariff_id, e.film_id, e.route_id
		    FROM events e, generate_series(0, $2::int - 1) day, generate_series(0, $3::int - 1) n
		    JOIN (SELECT id, layout_version_id AS version, row_number() OVER (PARTITION BY layout_version_id ORDER BY id) - 1 AS no FROM resources) r ON r.no = n % 10
		   CROSS JOIN LATERAL (SELECT (current_date + day + time '08:00') AT TIME ZONE 'UTC' + n / 10 * interval '2 hours' AS at) x
		   WHERE e.id = $1 AND r.version = e.layout_version_id RETURNING id, starts_at),
		stops AS (
		  INSERT INTO event_stops (event_id, stop_no, place_id, arrives_at, departs_at, may_board, may_alight, note)
		  SELECT m.id, s.stop_no, s.place_id, m.starts_at + s.stop_no * interval '30 minutes', m.starts_at + s.stop_no * interval '30 minutes', s.may_board, s.may_alight, s.note
		    FROM made m JOIN event_stops s ON s.event_id = $1)
		INSERT INTO event_seats (event_id, seat_no, leg, state, booking_id)
		SELECT m.id, s.seat_no, s.leg, (CASE WHEN x < 4 THEN 'booked' ELSE 'available' END)::seat_state, CASE WHEN x < 4 THEN m.id END
		  FROM made m JOIN event_seats s ON s.event_id = $1
		 CROSS JOIN LATERAL (SELECT abs(hashtext(s.seat_no || m.id)) % 10 AS x) y`, e.ID, days, perDay)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"events", "event_seats", "event_stops"} {
		if _, err := d.Pool().Exec(t.Context(), "ANALYZE "+table); err != nil {
			t.Fatal(err)
		}
	}
}
