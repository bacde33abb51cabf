package bench

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// BenchmarkOffice measures the office's pages over 200,000 bookings of ninety days: the
// reports of a day, a week and a month, the search for bookings and the lists. What
// counts is the 95th percentile, as a browser waits for it; a page should take less than
// half a second.
func BenchmarkOffice(b *testing.B) {
	var trip dbtest.Event
	r := start(b, func(d *db.DB) { trip = ninetyDays(b, d) })
	c := client()
	if err := post(c, r.url+"/staff/login", url.Values{"email": {"manager@house.example"}, "password": {"tomato-bicycle-lamp"}}, http.StatusSeeOther); err != nil {
		b.Fatal(err)
	}
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }
	span := func(days int) string { return "?from=" + day(-30-days+1) + "&to=" + day(-30) }
	var route, booking, event int64
	ask := func(sql string, to *int64, args ...any) {
		if err := r.db.Pool().QueryRow(b.Context(), sql, args...).Scan(to); err != nil {
			b.Fatal(err)
		}
	}
	ask(`SELECT route_id FROM events WHERE id = $1`, &route, trip.ID)
	ask(`SELECT id FROM bookings ORDER BY id OFFSET 100000 LIMIT 1`, &booking)
	ask(`SELECT event_id FROM bookings ORDER BY id OFFSET 100000 LIMIT 1`, &event)
	for _, page := range []struct{ name, path string }{
		{"day", "/staff/reports/day" + span(1)}, {"week", "/staff/reports/day" + span(7)}, {"month", "/staff/reports/day" + span(30)},
		{"film-week", "/staff/reports/films?day=" + day(-30)}, {"events-week", "/staff/reports/events" + span(7)}, {"event", fmt.Sprintf("/staff/reports/events/%d", event)},
		{"route-week", fmt.Sprintf("/staff/reports/routes%s&route=%d", span(7), route)}, {"agents-week", "/staff/reports/agents" + span(7)},
		{"stripe-week", "/staff/reports/stripe" + span(7)}, {"csv-week", "/staff/reports/day" + span(7) + "&csv=tender"},
		{"bookings", "/staff/bookings"}, {"by-name", "/staff/bookings?q=person+150000"}, {"by-nobody", "/staff/bookings?q=nobody-at-all"},
		{"by-mail", "/staff/bookings?q=p150000@example.com"}, {"by-phone", "/staff/bookings?q=150000"},
		{"by-seat", "/staff/bookings?seat=A1&day=" + day(-30)}, {"of-event", fmt.Sprintf("/staff/bookings?event=%d", event)},
		{"booking", fmt.Sprintf("/staff/bookings/%d", booking)}, {"today", "/staff/today?date=" + day(-30)}, {"schedule", "/staff/schedule?date=" + day(-30)}, {"log", "/staff/log?q=person"},
	} {
		b.Run(page.name, func(b *testing.B) { p95(b, c, "office, "+page.name, r.url+page.path) })
	}
}

func look(c *http.Client, address string) error {
	res, err := c.Get(address)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %d", address, res.StatusCode)
	}
	return nil
}

// ninetyDays fills the database with 200,000 bookings of two tickets each, over the screenings
// and trips of ninety days.
func ninetyDays(b *testing.B, d *db.DB) dbtest.Event {
	b.Helper()
	show, trip := dbtest.Screening(b, d, 15, 20), dbtest.Trip(b, d, 12, 3)
	manager(b, d)
	run := func(sql string, args ...any) {
		b.Helper()
		tx, err := d.Pool().Begin(b.Context()) // a load takes longer than a statement of the program may
		if err != nil {
			b.Fatal(err)
		}
		if _, err := tx.Exec(b.Context(), `SET LOCAL statement_timeout = 0`); err != nil {
			b.Fatal(err)
		}
		if _, err := tx.Exec(b.Context(), sql, args...); err != nil {
			b.Fatalf("%v\n%s", err, sql)
		}
		if err := tx.Commit(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	run(`INSERT INTO events (kind, status, starts_at, ends_at, time_zone, business_day, last_stop, layout_version_id, tariff_id, film_id, route_id)
		SELECT e.kind, 'published', e.starts_at - d * interval '1 day' + n * interval '30 minutes', e.ends_at - d * interval '1 day' + n * interval '30 minutes', e.time_zone,
		       current_date - d, e.last_stop, e.layout_version_id, e.tariff_id, e.film_id, e.route_id
		  FROM events e, generate_series(1, 90) d, generate_series(1, 12) n WHERE e.id IN ($1, $2)`, show.ID, trip.ID)
	run(`INSERT INTO event_stops SELECT e.id, s.stop_no, s.place_id, e.starts_at + s.stop_no * interval '2 hours', e.starts_at + s.stop_no * interval '2 hours', s.may_board, s.may_alight, s.note
		FROM events e JOIN event_stops s ON s.event_id = $1 WHERE e.kind = 'trip' AND e.id <> $1`, trip.ID)
	run(`INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, state, expires_at, total, currency, tax_bp, fares, name, email, phone, created_at)
		SELECT gen_random_uuid(), e.id, 0, CASE e.kind WHEN 'trip' THEN 1 + n % 3 ELSE 1 END, CASE n % 3 WHEN 0 THEN 'counter' ELSE 'web' END, 'web:x', 'converted', e.starts_at, 2000, 'EUR', 2200,
		       '[{"zone": 1, "type": "adult", "name": "Adult", "price": 1000}, {"zone": 1, "type": "child", "name": "Child under 12", "price": 600}, {"zone": 2, "type": "adult", "name": "Adult", "price": 1500}]',
		       'Person ' || n, 'p' || n || '@example.com', '+39 040 ' || n, e.starts_at - (n % 9) * interval '7 hours'
		  FROM generate_series(1, 200000) n JOIN (SELECT *, row_number() OVER (ORDER BY starts_at, id) - 1 AS i FROM events WHERE id NOT IN ($1, $2)) e ON e.i = n % 2160`, show.ID, trip.ID)
	run(`INSERT INTO payments (hold_id, event_id, tender, state, outcome, amount, currency, received, created_at, stripe_payment_intent_id)
		SELECT id, event_id, CASE channel WHEN 'web' THEN 'stripe' ELSE 'cash' END, 'applied', 'booked', total, currency, total, created_at, CASE channel WHEN 'web' THEN 'pi_' || id END FROM holds`)
	run(`INSERT INTO bookings (hold_id, event_id, reference, name, email, phone, total, currency, tax, channel, created_at)
		SELECT id, event_id, translate(lpad(to_hex(n), 6, '0'), '0123456789abcdef', 'ABCDEFGHJKLMNPQR'), name, email, phone, total, currency, 361, channel, created_at
		  FROM (SELECT *, row_number() OVER (ORDER BY created_at, id) AS n FROM holds) h ORDER BY n`)
	run(`INSERT INTO tickets (booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, price, tax)
		SELECT b.id, b.event_id, chr(65 + (b.id % 15)::int) || k, h.from_stop, h.to_stop, CASE k WHEN 1 THEN 'adult' ELSE 'child' END, 1000, 180
		  FROM bookings b JOIN holds h ON h.id = b.hold_id, generate_series(1, 2) k`)
	run(`INSERT INTO ledger_entries (entered_at, kind, amount, currency, tender, channel, event_id, booking_id, payment_id, business_day)
		SELECT b.created_at, 'payment', b.total, b.currency, p.tender, b.channel, b.event_id, b.id, p.id, b.created_at::date FROM bookings b JOIN payments p ON p.hold_id = b.hold_id ORDER BY b.id`)
	run(`INSERT INTO ledger_entries (entered_at, kind, amount, currency, tax, channel, ticket_type, event_id, booking_id, payment_id, ticket_id, business_day)
		SELECT b.created_at, 'sale', t.price, b.currency, t.tax, b.channel, t.ticket_type, t.event_id, b.id, p.id, t.id, b.created_at::date
		  FROM bookings b JOIN payments p ON p.hold_id = b.hold_id JOIN tickets t ON t.booking_id = b.id AND t.event_id = b.event_id ORDER BY b.id`)
	for _, name := range []string{"holds", "payments", "bookings", "tickets", "ledger_entries", "events", "event_stops"} {
		if _, err := d.Pool().Exec(b.Context(), "ANALYZE "+name); err != nil {
			b.Fatal(err)
		}
	}
	return trip
}
