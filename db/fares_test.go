package db_test

import (
	"fmt"
	"slices"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
)

// bands puts bands on the tariff of an event and answers how to move its start.
func bands(t *testing.T, d *db.DB, ev dbtest.Event, list string) {
	t.Helper()
	must(t, d, `DELETE FROM tariff_bands`)
	must(t, d, `INSERT INTO tariff_bands (tariff_id, position, name, days, from_minute, to_minute, rule, value, step)
		SELECT e.tariff_id, b.* FROM events e, (VALUES `+list+`) b WHERE e.id = $1`, ev.ID)
}

func must(t *testing.T, d *db.DB, sql string, args ...any) {
	t.Helper()
	if _, err := d.Pool().Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

// Which prices count is decided by the weekday of the business day and the wall clock of
// the place, the same for whoever asks: those who buy and the list of what is on.
func TestFaresByWeekdayAndTime(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 2, 2)
	bands(t, d, ev, `
		(1, 'Holiday eve', 8, 720, 780, 'amount', -250, 1),
		(2, 'Matinee',    15, NULL, 1020, 'percent', 8000, 50),
		(3, 'Late',       127, 1350, 60, 'amount', 100, 1),
		(4, 'Weekend',    112, NULL, NULL, 'percent', 12500, 100)`)
	for _, c := range []struct {
		name        string
		zone, local string // wall clock at the place
		day         string // business day
		want        int64  // adult in zone 1, list price 1000
	}{
		{"Monday afternoon", "Europe/Rome", "2026-11-30 14:00", "2026-11-30", 800},
		{"Monday one minute before", "Europe/Rome", "2026-11-30 16:59", "2026-11-30", 800},
		{"Monday at the end", "Europe/Rome", "2026-11-30 17:00", "2026-11-30", 1000},
		{"Monday afternoon elsewhere", "Asia/Colombo", "2026-11-30 14:00", "2026-11-30", 800},
		{"the first that fits counts", "Europe/Rome", "2026-12-03 12:30", "2026-12-03", 750},
		{"Thursday after it", "Europe/Rome", "2026-12-03 13:00", "2026-12-03", 800},
		{"Friday is weekend here", "Europe/Rome", "2026-12-04 14:00", "2026-12-04", 1300},
		{"late before weekend", "Europe/Rome", "2026-12-04 22:30", "2026-12-04", 1100},
		{"00:30 of Monday evening is late, not before 17:00", "Europe/Rome", "2026-12-01 00:30", "2026-11-30", 1100},
		{"01:00 of Monday evening is not before 17:00 either", "Europe/Rome", "2026-12-01 01:00", "2026-11-30", 1000},
		{"01:00 of Sunday evening is Sunday's", "Europe/Rome", "2026-12-07 01:00", "2026-12-06", 1300},
		{"a coach at 01:30 with its own day", "Europe/Rome", "2026-12-01 01:30", "2026-12-01", 800},
		{"the day clocks go forward", "Europe/Rome", "2027-03-28 16:30", "2027-03-28", 1300},
		{"the Monday after", "Europe/Rome", "2027-03-29 16:30", "2027-03-29", 800},
		{"the evening before clocks go forward", "Europe/Rome", "2027-03-28 03:30", "2027-03-27", 1300},
		{"the double hour", "Europe/Rome", "2026-10-25 02:30", "2026-10-24", 1300},
		{"a Thursday when clocks change there", "Africa/Cairo", "2026-10-29 16:59", "2026-10-29", 800},
		{"the hour after midnight twice", "Africa/Cairo", "2026-10-29 23:30", "2026-10-29", 1100},
	} {
		must(t, d, `UPDATE events SET time_zone = $2, starts_at = $3::timestamp AT TIME ZONE $2, ends_at = $3::timestamp AT TIME ZONE $2 + interval '2 hours', business_day = $4::date
			WHERE id = $1`, ev.ID, c.zone, c.local, c.day)
		fares, err := d.Fares(t.Context(), ev.ID, domain.Ride{To: 1})
		if err != nil {
			t.Fatal(err)
		}
		got, ok := fares.Price(1, "adult")
		if !ok || got.Price != c.want {
			t.Errorf("%s: %d, want %d", c.name, got.Price, c.want)
		}
		stock, err := d.Stocks(t.Context(), []int64{ev.ID}, []domain.Ride{{To: 1}})
		if err != nil || stock[0].PriceFrom == nil || *stock[0].PriceFrom != c.want {
			t.Errorf("%s: the list says from %v, want %d (%v)", c.name, stock[0].PriceFrom, c.want, err)
		}
	}
}

// A band of its own prices has those alone; free stays free under a difference.
func TestFaresOfABand(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 2, 2)
	must(t, d, `UPDATE fares SET price = 0 WHERE ticket_type = 'child' AND zone_no = 2`)
	says := func(want ...int64) {
		t.Helper()
		fares, err := d.Fares(t.Context(), ev.ID, domain.Ride{To: 1})
		var got []int64
		for _, f := range fares {
			got = append(got, f.Price)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("prices %v, want %v (%v)", got, want, err)
		}
	}
	bands(t, d, ev, `(1, 'More', 127, NULL::int, NULL::int, 'amount', 200, 1)`)
	says(1200, 800, 1700, 0)
	bands(t, d, ev, `(1, 'Rounded', 127, NULL::int, NULL::int, 'percent', 8550, 50)`)
	says(850, 500, 1300, 0) // 855, 513, 1282.5
	bands(t, d, ev, `(1, 'Own', 127, NULL::int, NULL::int, 'own', 0, 1)`)
	says()
	must(t, d, `INSERT INTO band_fares SELECT id, 1, 'adult', 0, 1, 700 FROM tariff_bands`)
	says(700)
	must(t, d, `UPDATE ticket_types SET retired_at = now() WHERE code = 'child'`)
	bands(t, d, ev, `(1, 'Never', 127, 300, 301, 'own', 0, 1)`)
	must(t, d, `UPDATE events SET starts_at = '2026-11-30 12:00Z', ends_at = '2026-11-30 14:00Z', business_day = '2026-11-30'`)
	says(1000, 1500)
}

func TestMissingFares(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	hall, coach := dbtest.Screening(t, d, 2, 2), dbtest.Trip(t, d, 2, 3)
	missing := func(ev dbtest.Event, want ...string) {
		t.Helper()
		got, err := d.MissingFares(t.Context(), ev.ID)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("missing %v, want %v (%v)", got, want, err)
		}
	}
	missing(hall)
	missing(coach)
	must(t, d, `DELETE FROM fares WHERE zone_no = 2 AND ticket_type = 'adult'`)
	missing(hall, "Premium") // a child's price alone would sell everybody a child's ticket
	must(t, d, `DELETE FROM fares WHERE from_stop = 0 AND to_stop = 3`)
	missing(coach, "Coach")
	must(t, d, `DELETE FROM fares WHERE ticket_type = 'adult'`)
	missing(hall) // a list that sells children alone is whole
	must(t, d, `DELETE FROM fares`)
	missing(hall, "Standard", "Premium")
	must(t, d, `DELETE FROM layout_cells WHERE zone_no = 2`)
	missing(hall, "Standard") // a zone without seats needs no price
	missing(dbtest.Event{ID: 999})
}
