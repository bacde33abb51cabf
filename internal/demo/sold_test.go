package demo

import (
	"strings"
	"testing"

	"holdfast/db/dbtest"
)

// TestInvariants: each statement must find nothing in a fresh demo.
func TestInvariants(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	load(t, d, Options{})
	for name, sql := range map[string]string{
		"1 a seat twice on a leg":       `SELECT seat_no FROM ticket_legs GROUP BY event_id, seat_no, leg HAVING count(*) > 1`,
		"2a booked without ticket leg":  `SELECT s.seat_no FROM event_seats s LEFT JOIN ticket_legs l USING (event_id, seat_no, leg) LEFT JOIN tickets t ON t.event_id = l.event_id AND t.id = l.ticket_id AND t.state = 'valid' AND t.booking_id = s.booking_id WHERE s.state = 'booked' AND t.id IS NULL`,
		"2b ticket leg without booked":  `SELECT l.seat_no FROM ticket_legs l LEFT JOIN event_seats s USING (event_id, seat_no, leg) WHERE s.state IS DISTINCT FROM 'booked'`,
		"2c legs are the ticket's":      `SELECT t.seat_no FROM tickets t LEFT JOIN ticket_legs l ON l.event_id = t.event_id AND l.ticket_id = t.id AND l.seat_no = t.seat_no AND l.leg BETWEEN t.from_stop + 1 AND t.to_stop GROUP BY t.event_id, t.id, t.seat_no, t.from_stop, t.to_stop HAVING count(l.leg) <> t.to_stop - t.from_stop`,
		"3 money of a payment":          `SELECT p.id::text FROM payments p JOIN bookings b USING (hold_id) JOIN tickets t ON t.booking_id = b.id GROUP BY p.id HAVING p.received <> sum(t.price) OR p.amount <> p.received`,
		"4 booking without its money":   `SELECT b.reference FROM bookings b LEFT JOIN payments p ON p.hold_id = b.hold_id AND p.state = 'applied' AND p.received = b.total WHERE p.id IS NULL`,
		"5 money without booking":       `SELECT p.id::text FROM payments p LEFT JOIN bookings b USING (hold_id) WHERE b.id IS NULL`,
		"8 holds left active":           `SELECT id::text FROM holds WHERE state <> 'converted' UNION ALL SELECT seat_no FROM event_seats WHERE state = 'held'`,
		"10 booking without tickets":    `SELECT b.reference FROM bookings b LEFT JOIN tickets t ON t.booking_id = b.id WHERE t.id IS NULL`,
		"11 a mail is expected":         `SELECT reference FROM bookings WHERE email <> '' UNION ALL SELECT kind FROM mails`,
		"13 ledger of a booking":        `SELECT b.reference FROM bookings b LEFT JOIN ledger_entries l ON l.booking_id = b.id GROUP BY b.id HAVING sum(amount) FILTER (WHERE kind = 'payment') IS DISTINCT FROM b.total OR sum(amount) FILTER (WHERE kind = 'sale') IS DISTINCT FROM b.total OR sum(l.tax) FILTER (WHERE kind = 'sale') IS DISTINCT FROM b.tax`,
		"taxes":                         `SELECT b.reference FROM bookings b JOIN tickets t ON t.booking_id = b.id JOIN holds h ON h.id = b.hold_id GROUP BY b.id, h.tax_bp, h.total HAVING sum(t.tax) <> b.tax OR b.tax <> round(b.total * h.tax_bp / (10000.0 + h.tax_bp)) OR h.total <> b.total`,
		"prices are fares":              `SELECT t.seat_no FROM tickets t JOIN events e ON e.id = t.event_id JOIN layout_cells c ON c.layout_version_id = e.layout_version_id AND c.seat_no = t.seat_no LEFT JOIN fares f ON f.tariff_id = e.tariff_id AND f.zone_no = c.zone_no AND f.ticket_type = t.ticket_type AND f.from_stop = t.from_stop AND f.to_stop = t.to_stop WHERE f.price IS DISTINCT FROM t.price`,
		"hold seats are tickets":        `SELECT t.seat_no FROM tickets t JOIN bookings b ON b.id = t.booking_id LEFT JOIN hold_seats s ON s.event_id = t.event_id AND s.hold_id = b.hold_id AND s.seat_no = t.seat_no WHERE (s.price, s.ticket_type, s.passenger) IS DISTINCT FROM (t.price, t.ticket_type, t.passenger)`,
		"fares offered with the hold":   `SELECT h.id::text FROM holds h WHERE jsonb_array_length(h.fares) < 6 OR NOT h.fares @> '[{"type": "adult", "name": "Adult"}]'`,
		"paid before now and the start": `SELECT b.reference FROM bookings b JOIN events e ON e.id = b.event_id WHERE b.created_at > least(now(), e.starts_at)`,
		"rides that are not on sale":    `SELECT t.seat_no FROM tickets t JOIN event_stops a ON a.event_id = t.event_id AND a.stop_no = t.from_stop JOIN event_stops b ON b.event_id = t.event_id AND b.stop_no = t.to_stop WHERE NOT a.may_board OR NOT b.may_alight`,
		"stops":                         `SELECT e.id::text FROM events e JOIN event_stops a ON a.event_id = e.id AND a.stop_no = 0 JOIN event_stops z ON z.event_id = e.id AND z.stop_no = e.last_stop WHERE a.departs_at <> e.starts_at OR z.arrives_at <> e.ends_at OR z.departs_at <> z.arrives_at OR z.may_board OR a.may_alight`,
		"inventory":                     `SELECT e.id::text FROM events e WHERE (SELECT count(*) FROM event_seats s WHERE s.event_id = e.id) <> e.last_stop * (SELECT count(*) FROM layout_cells c WHERE c.layout_version_id = e.layout_version_id AND c.seat_no IS NOT NULL)`,
		"a seat without a price":        `SELECT c.seat_no FROM events e JOIN layout_cells c ON c.layout_version_id = e.layout_version_id AND c.seat_no IS NOT NULL WHERE NOT EXISTS (SELECT 1 FROM fares f WHERE f.tariff_id = e.tariff_id AND f.zone_no = c.zone_no AND f.from_stop = 0 AND f.to_stop = e.last_stop)`,
		"a hall or coach used twice":    `SELECT a.id::text FROM events a JOIN events b ON a.resource_id = b.resource_id AND a.id <> b.id AND a.starts_at <= b.starts_at AND a.ends_at + interval '20 minutes' > b.starts_at`,
	} {
		if found := lines(t, d, sql); len(found) > 0 {
			t.Errorf("%s: %d, first %q", name, len(found), found[0])
		}
	}
}

// TestStock: what the demo promises to show.
func TestStock(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	load(t, d, Options{})
	const seats = `(SELECT event_id, seat_no, count(*) FILTER (WHERE state = 'booked') AS booked, count(*) AS legs FROM event_seats GROUP BY 1, 2)`
	for name, c := range map[string]struct{ sql, want string }{
		"capacities": {`SELECT string_agg(n || '', ' ' ORDER BY n) FROM (SELECT count(seat_no) AS n FROM layout_cells GROUP BY layout_version_id) x`, "30 49 192 300"},
		"spaces":     {`SELECT count(*) FILTER (WHERE kind = 'wheelchair') || ' ' || count(*) FILTER (WHERE kind = 'companion') FROM layout_cells`, "4 4"},
		"sold out":   {`SELECT string_agg(kind, ' ' ORDER BY kind) FROM events e WHERE starts_at > now() AND NOT EXISTS (SELECT 1 FROM event_seats s WHERE s.event_id = e.id AND state <> 'booked')`, "screening trip"},
		"closing":    {`SELECT count(*)::text FROM events WHERE starts_at - sales_close_minutes * interval '1 minute' BETWEEN now() + interval '14 minutes' AND now() + interval '16 minutes'`, "1"},
		"parts":      {`SELECT (count(*) > 50)::text FROM ` + seats + ` x WHERE booked BETWEEN 1 AND legs - 1`, "true"},
		"most":       {`SELECT (count(DISTINCT event_id) * 10 > (SELECT count(*) FROM events) * 8)::text FROM bookings`, "true"},
		"0-2, 2-4":   {`SELECT (count(*) FILTER (WHERE (from_stop, to_stop) = (0, 2)) > 9 AND count(*) FILTER (WHERE (from_stop, to_stop) = (2, 4)) > 9)::text FROM tickets`, "true"},
		"names":      {`SELECT count(*)::text FROM (SELECT name FROM resources UNION ALL SELECT name FROM layouts UNION ALL SELECT name FROM places) x WHERE name LIKE '%demo%'`, "0"},
		"zones":      {`SELECT count(DISTINCT time_zone)::text FROM events`, "2"},
		"posters":    {`SELECT bool_and(octet_length(poster) <= 4096 AND convert_from(poster, 'UTF8') LIKE '%' || left(title, 4) || '%')::text || count(*) FROM films`, "true5"},
	} {
		if got := lines(t, d, c.sql); got[0] != c.want {
			t.Errorf("%s: %q, want %q", name, got[0], c.want)
		}
	}
}

func TestBackBenchFillsTheAisle(t *testing.T) {
	t.Parallel()
	var coach []string
	for _, c := range coach49().Cells {
		if c.SeatNo != "" {
			coach = append(coach, c.SeatNo)
		}
	}
	if got := strings.Join(coach[40:], " "); got != "11A 11B 11C 11D 12A 12B 12C 12D 12E" {
		t.Error(got)
	}
}
