package dbtest

import (
	"fmt"
	"strconv"
	"testing"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Event is a made-up event for a test.
type Event struct {
	ID     int64
	Seats  []string
	Layout *domain.Layout
	Places []int64 // of a trip's stops
}

// Screening makes a published screening tomorrow in a hall of rows × cols: rows A, B, …
// in zone 1 except the last, which is zone 2. Adult 10.00 and 15.00, child 6.00 and 9.00.
func Screening(t testing.TB, d *db.DB, rows, cols int) Event {
	t.Helper()
	l := &domain.Layout{Name: name("hall"), Decks: []string{""}, Zones: []domain.Zone{{No: 1, Name: "Standard"}, {No: 2, Name: "Premium"}}}
	for r := range rows {
		label := string(rune('A' + r))
		zone := 1
		if rows > 1 && r == rows-1 {
			zone = 2
		}
		for c := range cols {
			n := strconv.Itoa(c + 1)
			l.Cells = append(l.Cells, domain.Cell{Row: r, Col: c, Kind: domain.CellSeat, SeatNo: label + n, RowLabel: label, Number: n, Zone: zone})
		}
	}
	return make1(t, d, l, 1)
}

// Trip makes a published trip that leaves its first stop tomorrow, stops two hours
// apart, in a coach of rows × 4 (1A … 1D). Adult 10.00 per leg, child 6.00.
func Trip(t testing.TB, d *db.DB, rows, legs int) Event {
	t.Helper()
	l := &domain.Layout{Name: name("coach"), Vehicle: true, Decks: []string{""}, Zones: []domain.Zone{{No: 1, Name: "Coach"}}}
	for r := range rows {
		for c := range 5 {
			cell := domain.Cell{Row: r, Col: c, Kind: domain.CellAisle}
			if c != 2 {
				label := strconv.Itoa(r + 1)
				letter := string("AB.CD"[c])
				cell = domain.Cell{Row: r, Col: c, Kind: domain.CellSeat, SeatNo: label + letter, RowLabel: label, Number: letter, Zone: 1}
			}
			l.Cells = append(l.Cells, cell)
		}
	}
	return make1(t, d, l, legs)
}

func make1(t testing.TB, d *db.DB, l *domain.Layout, legs int) Event {
	t.Helper()
	ev := Event{Layout: l}
	for _, c := range l.Cells {
		if c.Kind.Sellable() {
			ev.Seats = append(ev.Seats, c.SeatNo)
		}
	}
	err := d.InTx(t.Context(), func(tx *db.Tx) error {
		_, version, err := tx.InsertLayout(t.Context(), l)
		l.VersionID = version
		return err
	})
	if err != nil {
		t.Fatalf("layout: %v", err)
	}
	q := func(sql string, args ...any) int64 {
		t.Helper()
		var id int64
		if err := d.Pool().QueryRow(t.Context(), sql, args...).Scan(&id); err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
		return id
	}
	x := func(sql string, args ...any) {
		t.Helper()
		if _, err := d.Pool().Exec(t.Context(), sql, args...); err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
	}
	x(`INSERT INTO ticket_types VALUES ('adult','Adult',1),('child','Child under 12',2) ON CONFLICT DO NOTHING`)
	tariff := q(`INSERT INTO tariffs (name, currency, tax_bp) VALUES ($1, 'EUR', 2200) RETURNING id`, name("tariff"))
	x(`INSERT INTO fares (tariff_id, zone_no, ticket_type, from_stop, to_stop, price)
	   SELECT $1, z, y.code, a, b, (CASE y.code WHEN 'adult' THEN 1000 ELSE 600 END) * (b - a) * (1 + z) / 2
	     FROM generate_series(1, $2) z, (VALUES ('adult'), ('child')) y(code), generate_series(0, $3) a, generate_series(1, $3) b WHERE a < b`,
		tariff, len(l.Zones), legs)
	if l.Vehicle {
		route := q(`INSERT INTO routes (name) VALUES ($1) RETURNING id`, name("route"))
		ev.ID = q(`INSERT INTO events (kind, status, starts_at, ends_at, time_zone, business_day, last_stop, layout_version_id, tariff_id, route_id)
		           VALUES ('trip', 'published', now() + interval '1 day', now() + interval '1 day' + $1 * interval '2 hours', 'Europe/Rome',
		                   (now() + interval '1 day')::date, $1, $2, $3, $4) RETURNING id`, legs, l.VersionID, tariff, route)
		for s := range legs + 1 {
			place := q(`INSERT INTO places (name, address, time_zone) VALUES ($1, 'Bay 1', 'Europe/Rome') RETURNING id`, fmt.Sprintf("Town %d %s", s, name("p")))
			ev.Places = append(ev.Places, place)
			x(`INSERT INTO event_stops (event_id, stop_no, place_id, arrives_at, departs_at, may_board, may_alight)
			   SELECT id, $2::int, $3, starts_at + $2 * interval '2 hours', starts_at + $2 * interval '2 hours', $2 < last_stop, $2 > 0 FROM events WHERE id = $1`, ev.ID, s, place)
			x(`INSERT INTO route_stops (route_id, stop_no, place_id, arrive_after, depart_after) VALUES ($1, $2::int, $3, $2 * 120, $2 * 120)`, route, s, place)
		}
	} else {
		film := q(`INSERT INTO films (title, certificate, runtime_min) VALUES ('Salt Road', '15', 128) RETURNING id`)
		ev.ID = q(`INSERT INTO events (kind, status, starts_at, ends_at, time_zone, business_day, layout_version_id, tariff_id, film_id)
		           VALUES ('screening', 'published', now() + interval '1 day', now() + interval '26 hours', 'Europe/Rome',
		                   (now() + interval '1 day')::date, $1, $2, $3) RETURNING id`, l.VersionID, tariff, film)
	}
	if err := d.InTx(t.Context(), func(tx *db.Tx) error { return tx.AddSeats(t.Context(), ev.ID, l.VersionID, legs) }); err != nil {
		t.Fatalf("seats: %v", err)
	}
	return ev
}
