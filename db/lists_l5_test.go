package db_test

import (
	"context"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
)

// TestL5_ListsReadOnlyTheirOwnSeats: a page that lists events reads the seats of those
// events, each row once, however many other events there are: never the whole table.
// `make bench` has the times with 5,000 events.
func TestL5_ListsReadOnlyTheirOwnSeats(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.URL(t), 1) // one connection: its counters are the whole truth
	show, trip := dbtest.Screening(t, d, 10, 20), dbtest.Trip(t, d, 10, 3)
	const shows, trips, showRows, tripRows = 40, 10, 200, 40 * 3
	dbtest.Season(t, d, show, 14, shows)
	dbtest.Season(t, d, trip, 14, trips)
	ctx := t.Context()
	var day time.Time
	if err := d.Pool().QueryRow(ctx, `SELECT current_date + 3`).Scan(&day); err != nil {
		t.Fatal(err)
	}
	for _, list := range []struct {
		name   string
		events int
		rows   int64
		read   func() (int, error)
	}{
		{"what is on, on a day", shows, shows * showRows, func() (int, error) {
			events, err := d.Screenings(ctx, day)
			if err != nil {
				return 0, err
			}
			ids, rides := make([]int64, len(events)), make([]domain.Ride, len(events))
			for i, e := range events {
				ids[i], rides[i] = e.ID, domain.Ride{To: 1}
			}
			stock, err := d.Stocks(ctx, ids, rides)
			return len(stock), err
		}},
		{"departures of a day on two of three legs", trips, trips * 40 * 2, func() (int, error) {
			found, err := d.Departures(ctx, trip.Places[0], trip.Places[2], day)
			if err != nil {
				return 0, err
			}
			ids, rides := make([]int64, len(found)), make([]domain.Ride, len(found))
			for i, x := range found {
				ids[i], rides[i] = x.EventID, domain.Ride{From: x.FromStop, To: x.ToStop}
			}
			stock, err := d.Stocks(ctx, ids, rides)
			return len(stock), err
		}},
		{"the staff's week", 7 * (shows + trips), 7 * (shows*showRows + trips*tripRows), func() (int, error) {
			list, err := d.Timetable(ctx, day, day.AddDate(0, 0, 6))
			return len(list), err
		}},
		{"the staff's day", shows + trips, shows*showRows + trips*tripRows, func() (int, error) {
			list, err := d.DayEvents(ctx, day)
			return len(list), err
		}},
		{"the counter's day", shows + trips, shows*showRows + trips*tripRows, func() (int, error) {
			list, err := d.CounterDay(ctx, day)
			return len(list), err
		}},
	} {
		scans, rows := seatReads(ctx, t, d)
		n, err := list.read()
		if err != nil {
			t.Fatalf("%s: %v", list.name, err)
		}
		scansAfter, rowsAfter := seatReads(ctx, t, d)
		if n != list.events {
			t.Errorf("%s lists %d events, want %d", list.name, n, list.events)
		}
		if scansAfter != scans {
			t.Errorf("%s reads the seats of all events", list.name)
		}
		if got := rowsAfter - rows; got != list.rows {
			t.Errorf("%s reads %d rows of seats, want %d", list.name, got, list.rows)
		}
	}
}

// seatReads tells how often event_seats was read from end to end so far, and how many of
// its rows were fetched by an index.
func seatReads(ctx context.Context, t *testing.T, d *db.DB) (scans, rows int64) {
	t.Helper()
	if _, err := d.Pool().Exec(ctx, `SELECT pg_stat_force_next_flush()`); err != nil {
		t.Fatal(err)
	}
	err := d.Pool().QueryRow(ctx, `SELECT seq_scan, coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = 'event_seats'`).Scan(&scans, &rows)
	if err != nil {
		t.Fatal(err)
	}
	return scans, rows
}
