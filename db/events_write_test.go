package db_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
)

// hall is what a screening needs to be made.
type hall struct {
	resource, layout, tariff, film int64
}

func makeHall(t *testing.T, d *db.DB, turnaround int) hall {
	t.Helper()
	ev := dbtest.Screening(t, d, 2, 3)
	var h hall
	q := func(to *int64, sql string, args ...any) {
		t.Helper()
		if err := d.Pool().QueryRow(t.Context(), sql, args...).Scan(to); err != nil {
			t.Fatal(err)
		}
	}
	h.layout = ev.Layout.VersionID
	q(&h.tariff, `SELECT tariff_id FROM events WHERE id = $1`, ev.ID)
	q(&h.film, `SELECT film_id FROM events WHERE id = $1`, ev.ID)
	q(&h.resource, `INSERT INTO resources (kind, name, layout_version_id, turnaround_minutes)
		SELECT 'hall', 'Hall ' || count(*), $1, $2 FROM resources RETURNING id`, h.layout, turnaround)
	return h
}

func (h hall) at(start time.Time, length time.Duration) db.NewEvent {
	return db.NewEvent{
		Kind: "screening", Status: "draft", StartsAt: start, EndsAt: start.Add(length), TimeZone: "Europe/Rome",
		BusinessDay: start.Truncate(24 * time.Hour), LayoutVersionID: h.layout, ResourceID: &h.resource, TariffID: h.tariff, FilmID: &h.film,
	}
}

func insert(t *testing.T, d *db.DB, events ...db.NewEvent) ([]int64, error) {
	t.Helper()
	var ids []int64
	err := d.InTx(t.Context(), func(tx *db.Tx) error {
		var err error
		ids, err = tx.InsertEvents(t.Context(), events)
		return err
	})
	return ids, err
}

func TestInsertEventsMakesSeatsAndStops(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	trip := dbtest.Trip(t, d, 2, 3)
	var tariff, route int64
	if err := d.Pool().QueryRow(t.Context(), `SELECT tariff_id, route_id FROM events WHERE id = $1`, trip.ID).Scan(&tariff, &route); err != nil {
		t.Fatal(err)
	}
	start := time.Date(2030, 5, 1, 6, 0, 0, 0, time.UTC)
	var events []db.NewEvent
	for n := range 230 { // more than two statements' worth
		e := db.NewEvent{
			Kind: "trip", Status: "published", StartsAt: start.AddDate(0, 0, n), EndsAt: start.AddDate(0, 0, n).Add(6 * time.Hour), TimeZone: "Europe/Rome",
			BusinessDay: start.AddDate(0, 0, n).Truncate(24 * time.Hour), LayoutVersionID: trip.Layout.VersionID, TariffID: tariff, RouteID: &route,
		}
		for i, p := range trip.Places {
			at := e.StartsAt.Add(time.Duration(i) * 2 * time.Hour)
			e.Stops = append(e.Stops, db.NewStop{PlaceID: p, ArrivesAt: at, DepartsAt: at, MayBoard: i < 3, MayAlight: i > 0, Note: "bay"})
		}
		events = append(events, e)
	}
	ids, err := insert(t, d, events...)
	if err != nil || len(ids) != len(events) {
		t.Fatalf("%d ids, %v", len(ids), err)
	}
	for i, id := range []int64{ids[0], ids[229]} {
		e, err := d.Event(t.Context(), id)
		if want := events[i*229]; err != nil || !e.StartsAt.Equal(want.StartsAt) || e.LastStop != 3 || !e.BusinessDay.Equal(want.BusinessDay) {
			t.Errorf("event %d: %+v, %v", id, e, err)
		}
		stops, err := d.EventStops(t.Context(), id)
		if err != nil || len(stops) != 4 || stops[3].MayBoard || !stops[1].MayAlight || !stops[2].DepartsAt.Equal(e.StartsAt.Add(4*time.Hour)) {
			t.Errorf("stops of %d: %+v, %v", id, stops, err)
		}
		stock, err := d.Stocks(t.Context(), []int64{id}, []domain.Ride{{From: 0, To: 3}})
		if err != nil || stock[0].Free != 8 || stock[0].Capacity != 8 {
			t.Errorf("stock of %d: %+v, %v", id, stock, err)
		}
	}
}

// TestOneHallOneEvent: the turnaround belongs to the event, a cancelled event and an
// event without a hall are in nobody's way, and a series moves as one.
func TestOneHallOneEvent(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := makeHall(t, d, 20)
	start := time.Date(2030, 5, 1, 18, 0, 0, 0, time.UTC)
	first, err := insert(t, d, h.at(start, 2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]error{
		0: domain.ErrOverlap, -time.Hour: domain.ErrOverlap, time.Hour: domain.ErrOverlap, 2 * time.Hour: domain.ErrOverlap,
		2*time.Hour + 19*time.Minute: domain.ErrOverlap, -2*time.Hour - 19*time.Minute: domain.ErrOverlap,
	} {
		if _, err := insert(t, d, h.at(start.Add(after), 2*time.Hour)); !errors.Is(err, want) {
			t.Errorf("%v later: %v", after, err)
		}
	}
	next, err := insert(t, d, h.at(start.Add(140*time.Minute), 2*time.Hour))
	if err != nil {
		t.Fatalf("right after the turnaround: %v", err)
	}
	nowhere := h.at(start, 2*time.Hour)
	nowhere.ResourceID = nil
	if _, err := insert(t, d, nowhere, nowhere); err != nil {
		t.Errorf("without a hall: %v", err)
	}
	if _, err := d.Pool().Exec(t.Context(), `UPDATE events SET starts_at = starts_at + interval '140 minutes', ends_at = ends_at + interval '140 minutes'
		WHERE id IN ($1, $2)`, first[0], next[0]); err != nil {
		t.Errorf("both moved as one: %v", err)
	}
	if _, err := d.Pool().Exec(t.Context(), `UPDATE events SET status = 'cancelled' WHERE id = $1`, next[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := insert(t, d, h.at(start.Add(280*time.Minute), time.Hour)); err != nil {
		t.Errorf("where the cancelled one was: %v", err)
	}
}

// TestHallRace: many managers put a show into one hall at the same moment; one wins.
// In the control everybody has a hall of his own, and all win.
func TestHallRace(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := makeHall(t, d, 15)
	start := time.Date(2030, 5, 1, 18, 0, 0, 0, time.UTC)
	run := func(at func(i int) db.NewEvent) (won int) {
		var all sync.WaitGroup
		var mu sync.Mutex
		gate := make(chan struct{})
		for i := range 8 {
			all.Go(func() {
				<-gate
				_, err := insert(t, d, at(i))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won++
				} else if !errors.Is(err, domain.ErrOverlap) {
					t.Error(err)
				}
			})
		}
		close(gate)
		all.Wait()
		return won
	}
	if won := run(func(i int) db.NewEvent { return h.at(start.Add(time.Duration(i)*5*time.Minute), 2*time.Hour) }); won != 1 {
		t.Errorf("%d events are in one hall at once", won)
	}
	var halls []hall
	for range 8 {
		halls = append(halls, makeHall(t, d, 15))
	}
	if won := run(func(i int) db.NewEvent { return halls[i].at(start, 2*time.Hour) }); won != 8 {
		t.Errorf("control: %d of 8 in their own halls", won)
	}
}
