package db_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"holdfast/db/dbtest"
)

// L6: 200,000 bookings: the list, its later pages and each kind of search stay quick. How
// quick in milliseconds, make bench says; here each may cost as much as reading the table a
// few times, measured in turn with it, so that a busy machine changes nothing.
func TestL6_BookingsListIsQuick(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 1, 1)
	const many = 200_000
	conn, err := d.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	began := time.Now()
	for _, sql := range []string{ // the scratch database is this test's own
		`SET statement_timeout = '5min'`,
		`ALTER TABLE bookings DROP CONSTRAINT bookings_hold_id_fkey, DROP CONSTRAINT bookings_event_id_fkey`,
		`ALTER TABLE tickets DROP CONSTRAINT tickets_booking_id_fkey, DROP CONSTRAINT tickets_event_id_fkey, DROP CONSTRAINT tickets_ticket_type_fkey`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	_, err = conn.Exec(t.Context(), `
		INSERT INTO bookings (hold_id, event_id, reference, name, email, phone, total, currency, channel)
		SELECT gen_random_uuid(), $1, (SELECT string_agg(substr('ABCDEFGHJKLMNPQRSTUVWXYZ3789', (n / (28 ^ i)::int) % 28 + 1, 1), '') FROM generate_series(0, 5) i),
		       'Person Number ' || n, 'p' || n || '@example.com', '077 ' || n, 1000, 'EUR', 'web' FROM generate_series(1, $2::int) n`, ev.ID, many)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = conn.Exec(t.Context(), `INSERT INTO tickets (booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, price)
		SELECT id, $1, 'A1', 0, 1, 'adult', 1000 FROM bookings`, ev.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `ANALYZE bookings, tickets`); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bookings made in %s", many, time.Since(began).Round(time.Millisecond))
	like := func(text, digits string) func() (int, error) {
		return func() (int, error) {
			l, err := d.BookingsLike(t.Context(), text, digits, []int64{}, math.MaxInt64, 26)
			return len(l), err
		}
	}
	for name, look := range map[string]func() (int, error){
		"newest": func() (int, error) { l, err := d.NewestBookings(t.Context(), math.MaxInt64, 26); return len(l), err },
		"deep":   func() (int, error) { l, err := d.NewestBookings(t.Context(), many/3, 26); return len(l), err },
		"exactly": func() (int, error) {
			l, err := d.BookingsExactly(t.Context(), "ABCDEF", "p77@example.com", "pi_1")
			return len(l), err
		},
		"phone's end": func() (int, error) { l, err := d.BookingsPhoned(t.Context(), "99999"); return len(l), err },
		"number":      func() (int, error) { l, err := d.BookingsNumbered(t.Context(), many/2); return len(l), err },
		"name":        like("number 99", ""),
		"nobody":      like("nobody at all", ""),
		"phone":       like("0771234", "0771234"),
		"no phone":    like("099999999", "099999999"),
		"e-mail part": like("p12345@", ""),
	} {
		var all, whole []time.Duration
		for range 12 {
			began := time.Now()
			if _, err := conn.Exec(t.Context(), `SELECT count(*) FROM bookings WHERE name ILIKE '%nobody at all%'`); err != nil {
				t.Fatal(err)
			}
			whole = append(whole, time.Since(began))
			began = time.Now()
			n, err := look()
			all = append(all, time.Since(began))
			if err != nil || n == 0 && name != "nobody" && name != "no phone" {
				t.Fatalf("%s: %d bookings, %v", name, n, err)
			}
		}
		slices.Sort(all)
		slices.Sort(whole)
		t.Logf("%s: %s, the whole table %s", name, all[6].Round(time.Millisecond), whole[6].Round(time.Millisecond))
		limit := 5 * whole[6]
		if slices.Contains([]string{"newest", "deep", "exactly", "phone's end", "number"}, name) {
			limit = whole[6] / 2 // an index finds it
		}
		if all[6] > limit {
			t.Errorf("%s takes %s, reading the whole table once %s", name, all[6], whole[6])
		}
	}
}
