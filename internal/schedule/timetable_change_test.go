package schedule_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/schedule"
)

// TestMoveTellsCustomers: a new time is asked back with what it does, then every booking
// with an address has its mail in the same transaction; stops, business day and close follow.
func TestMoveTellsCustomers(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "Europe/Rome")
	id := h.make(h.wish("2030-06-03", 20*60), true)[0]
	h.sell(id, "A1", "A2")
	w := h.edit(id)
	w.Clock, w.Date = 30, day("2030-06-05")
	_, err := h.s.Edit(t.Context(), manager, w, h.set)
	var ask *schedule.AskError
	if !errors.As(err, &ask) || ask.Effect.Bookings != 1 || ask.Effect.Tickets != 2 || ask.Effect.Mails != 1 || len(ask.Effect.Moved) != 1 {
		t.Fatalf("%v %+v", err, ask)
	}
	if e := h.event(id); e.Revision != w.Revision || number(h, `SELECT count(*) FROM mails`) != 0 {
		t.Error("something was done before anybody agreed")
	}
	w.Sure = true
	if _, err := h.s.Edit(t.Context(), manager, w, h.set); err != nil {
		t.Fatal(err)
	}
	e := h.event(id)
	if got := e.StartsAt.UTC().Format(time.RFC3339); got != "2030-06-04T22:30:00Z" || e.EndsAt.Sub(e.StartsAt) != 140*time.Minute {
		t.Errorf("moved to %s for %v", got, e.EndsAt.Sub(e.StartsAt))
	}
	if got := e.BusinessDay.Format(time.DateOnly); got != "2030-06-04" {
		t.Errorf("it counts to %s", got)
	}
	if got := domain.ClosesAt(e, e.StartsAt, h.set); !got.Equal(e.StartsAt.Add(-10 * time.Minute)) {
		t.Errorf("sales close at %v", got)
	}
	if number(h, `SELECT count(*) FROM mails m JOIN river_job j ON j.kind = 'mail' AND (j.args ->> 'mail_id')::bigint = m.id
		WHERE m.kind = 'moved' AND m.was_at = '2030-06-03T18:00Z' AND m.to_address = 'a@customer.example'`) != 1 {
		t.Error("no mail with its job")
	}
	if number(h, `SELECT count(*) FROM audit_log WHERE action = 'event_changed' AND before ->> 'starts_at' = '2030-06-03T18:00Z'`) != 1 {
		t.Error("no line in the log")
	}
	quiet := h.edit(id) // other terms move nobody
	quiet.CloseWeb, quiet.CloseDesk = new(0), new(-30)
	if _, err := h.s.Edit(t.Context(), manager, quiet, h.set); err != nil {
		t.Fatal(err)
	}
	if e := h.event(id); *e.SalesCloseMinutes != 0 || *e.SalesCloseCounter != -30 || e.SalesCloseAgent != nil || number(h, `SELECT count(*) FROM mails`) != 1 {
		t.Errorf("%+v", e)
	}
}

// TestTripMovesWithItsStops keeps every stop's way from the start.
func TestTripMovesWithItsStops(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "Europe/Rome")
	route := number(h, `INSERT INTO routes (name) VALUES ('Line 1') RETURNING id`)
	for i, zone := range []string{"Europe/London", "Europe/Paris", "Europe/Paris"} {
		place := number(h, `INSERT INTO places (name, time_zone) VALUES ($1, $2) RETURNING id`, string(rune('A'+i))+" town", zone)
		h.exec(`INSERT INTO route_stops (route_id, stop_no, place_id, arrive_after, depart_after) VALUES ($1, $2, $3, $4, $4)`, route, i, place, i*90)
	}
	coach := number(h, `INSERT INTO resources (kind, name, layout_version_id) VALUES ('coach', 'UL 27', $1) RETURNING id`, h.layer)
	tariff := number(h, `INSERT INTO tariffs (name, currency, tax_bp, last_stop) VALUES ('Three stops', 'EUR', 0, 2) RETURNING id`)
	w := schedule.Wish{Kind: domain.Trip, RouteID: route, ResourceID: coach, TariffID: tariff, Pattern: schedule.Pattern{First: day("2030-06-03")}, Clocks: []int{6 * 60}}
	id := h.make(w, false)[0]
	stops := func() string {
		list, err := h.EventStops(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, s := range list {
			out += s.DepartsAt.UTC().Format("02T15:04 ")
		}
		return out
	}
	if got := stops(); got != "03T05:00 03T06:30 03T08:00 " { // six in London
		t.Errorf("stops at %s", got)
	}
	x := h.edit(id)
	x.Clock, x.Date = 7*60+15, day("2030-06-04")
	if _, err := h.s.Edit(t.Context(), manager, x, h.set); err != nil {
		t.Fatal(err)
	}
	if got := stops(); got != "04T06:15 04T07:45 04T09:15 " {
		t.Errorf("moved stops at %s", got)
	}
}

// TestChangeRefusals: what may not be changed is refused in words, by field.
func TestChangeRefusals(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "Europe/Rome")
	id := h.make(h.wish("2030-06-03", 20*60), true)[0]
	h.make(h.wish("2030-06-04", 20*60), true)
	edit := func(change func(*schedule.Edit)) error {
		w := h.edit(id)
		w.Sure = true
		change(&w)
		_, err := h.s.Edit(t.Context(), manager, w, h.set)
		return err
	}
	var clash *schedule.ClashError
	if err := edit(func(w *schedule.Edit) { w.Date = day("2030-06-04") }); !errors.As(err, &clash) || clash.Preview.Events[0].Clashes[0].Title != "Salt Road" {
		t.Errorf("onto another: %v", err)
	}
	if err := edit(func(w *schedule.Edit) { w.ResourceID = h.two }); err != nil { // nobody has a seat yet
		t.Errorf("to Hall 2: %v", err)
	}
	refused(t, edit(func(w *schedule.Edit) { w.Date = day("2020-06-04") }), "date", "past")
	refused(t, edit(func(w *schedule.Edit) { w.ResourceID = 999 }), "resource")
	refused(t, edit(func(w *schedule.Edit) { w.Rest = true }), "rest")
	refused(t, edit(func(w *schedule.Edit) { w.TariffID = 999 }), "tariff")
	refused(t, edit(func(w *schedule.Edit) { w.Date, w.Clock = day("2030-03-31"), 150 }), "missing_hour", "Sunday 31 March 2030")
	refused(t, edit(func(w *schedule.Edit) { w.Date, w.Clock = day("2030-10-27"), 150 }), "fold", "twice")
	refused(t, edit(func(w *schedule.Edit) { w.Ends = new(19*60 + 59) }), "ends")
	h.sell(id, "B3")
	refused(t, edit(func(w *schedule.Edit) { w.ResourceID = h.one }), "in_use", "1 seat is sold", "Hall 2")
	other := number(h, `INSERT INTO films (title, runtime_min) VALUES ('Night Freight', 104) RETURNING id`)
	refused(t, edit(func(w *schedule.Edit) { w.FilmID = other }), "in_use", "Salt Road")
	h.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, id)
	refused(t, edit(func(*schedule.Edit) {}), "cancelled", "is cancelled")
	h.exec(`UPDATE events SET status = 'published', starts_at = now() - interval '1 minute', ends_at = now() + interval '1 hour' WHERE id = $1`, id)
	refused(t, edit(func(*schedule.Edit) {}), "begun", "has begun")
}

// TestAnotherPlan: an event that nobody has seats of may get a hall with another plan;
// its inventory is that plan's.
func TestAnotherPlan(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "Europe/Rome")
	var version int64
	err := h.InTx(t.Context(), func(tx *db.Tx) (err error) {
		l := &domain.Layout{Name: "Small", Decks: []string{""}, Zones: []domain.Zone{{No: 1, Name: "All"}}, Cells: []domain.Cell{
			{Kind: domain.CellSeat, SeatNo: "X1", RowLabel: "X", Number: "1", Zone: 1}, {Col: 1, Kind: domain.CellSeat, SeatNo: "X2", RowLabel: "X", Number: "2", Zone: 1},
		}}
		_, version, err = tx.InsertLayout(t.Context(), l)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	small := number(h, `INSERT INTO resources (kind, name, layout_version_id) VALUES ('hall', 'Hall 3', $1) RETURNING id`, version)
	id := h.make(h.wish("2030-06-03", 20*60), true)[0]
	w := h.edit(id)
	w.ResourceID = small
	if _, err := h.s.Edit(t.Context(), manager, w, h.set); err != nil {
		t.Fatal(err)
	}
	if e := h.event(id); e.LayoutVersionID != version || number(h, `SELECT count(*) FROM event_seats WHERE event_id = $1 AND seat_no LIKE 'X%'`, id) != 2 || number(h, `SELECT count(*) FROM event_seats WHERE event_id = $1`, id) != 2 {
		t.Errorf("%+v", e)
	}
}

// TestTwoManagers: of two forms opened at the same time one is saved, the other is told.
func TestTwoManagers(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "Europe/Rome")
	id := h.make(h.wish("2030-06-03", 20*60), false)[0]
	one, two := h.edit(id), h.edit(id)
	one.Clock, two.Clock = 19*60, 21*60
	if _, err := h.s.Edit(t.Context(), manager, one, h.set); err != nil {
		t.Fatal(err)
	}
	if _, err := h.s.Edit(t.Context(), manager, two, h.set); !errors.Is(err, domain.ErrStale) {
		t.Errorf("the second: %v", err)
	}
	for what, do := range map[string]func() error{
		"publish":   func() error { return h.s.Publish(t.Context(), manager, id, two.Revision, h.set) },
		"unpublish": func() error { return h.s.Unpublish(t.Context(), manager, id, two.Revision) },
		"remove":    func() error { return h.s.Remove(t.Context(), manager, id, two.Revision) },
	} {
		if err := do(); !errors.Is(err, domain.ErrStale) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := h.event(id).StartsAt.UTC().Format("15:04"); got != "17:00" {
		t.Errorf("it begins at %s", got)
	}
}

// TestEditRace: managers move different events into one hall at one time; one wins, the
// others are told what is there. In the control each has a time of its own.
func TestEditRace(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "UTC")
	run := func(first string, clock func(i int) int) (won int) {
		var forms []schedule.Edit
		for i := range 6 {
			id := h.make(h.wish(day(first).AddDate(0, 0, i+1).Format(time.DateOnly), 10*60), false)[0]
			w := h.edit(id)
			w.Date, w.Clock = day(first), clock(i)
			forms = append(forms, w)
		}
		var all sync.WaitGroup
		var mu sync.Mutex
		gate := make(chan struct{})
		for _, w := range forms {
			all.Go(func() {
				<-gate
				_, err := h.s.Edit(t.Context(), manager, w, h.set)
				var clash *schedule.ClashError
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won++
				case !errors.As(err, &clash) || len(clash.Preview.Events[0].Clashes) == 0:
					t.Errorf("%v names nothing", err)
				}
			})
		}
		close(gate)
		all.Wait()
		return won
	}
	if won := run("2030-06-01", func(int) int { return 20 * 60 }); won != 1 {
		t.Errorf("%d events at once in one hall", won)
	}
	if won := run("2030-07-01", func(i int) int { return i * 180 }); won != 6 {
		t.Errorf("control: %d of 6", won)
	}
}

func TestPublishRules(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "Europe/Rome")
	id := h.make(h.wish("2030-06-03", 20*60), false)[0]
	publish := func() error { return h.s.Publish(t.Context(), manager, id, h.event(id).Revision, h.set) }
	unpublish := func() error { return h.s.Unpublish(t.Context(), manager, id, h.event(id).Revision) }
	h.exec(`UPDATE tariffs SET currency = 'USD' WHERE id = $1`, h.tariff)
	refused(t, publish(), "tariff", "USD", "EUR")
	h.exec(`UPDATE tariffs SET currency = 'EUR' WHERE id = $1`, h.tariff)
	h.exec(`CREATE TABLE kept AS SELECT * FROM fares WHERE zone_no = 2`)
	h.exec(`DELETE FROM fares WHERE zone_no = 2`)
	refused(t, publish(), "tariff", "Premium")
	_, err := h.s.Make(t.Context(), manager, h.wish("2030-06-04", 20*60), true, h.set)
	refused(t, err, "tariff", "Premium")
	h.exec(`INSERT INTO fares SELECT * FROM kept`)
	if err := publish(); err != nil || h.event(id).Status != "published" {
		t.Errorf("%v", err)
	}
	if err := unpublish(); err != nil || h.event(id).Status != "draft" {
		t.Errorf("%v", err)
	}
	if err := publish(); err != nil {
		t.Error(err)
	}
	hold := "00000000-0000-4000-8000-00000000000f"
	h.exec(`UPDATE event_seats SET state = 'held', hold_id = $2, held_until = now() + interval '1 minute' WHERE event_id = $1 AND seat_no = 'A1'`, id, hold)
	refused(t, unpublish(), "in_use", "1 seat is held")
	h.exec(`UPDATE event_seats SET held_until = now() - interval '1 second' WHERE event_id = $1 AND seat_no = 'A1'`, id)
	h.sell(id, "A2", "A3")
	refused(t, unpublish(), "in_use", "2 seats are sold")
	h.exec(`UPDATE events SET status = 'draft', starts_at = now() - interval '1 minute', ends_at = now() + interval '1 hour' WHERE id = $1`, id)
	refused(t, publish(), "begun")
	n, err := h.s.PublishDrafts(t.Context(), manager, domain.Screening, day("2030-06-01"), day("2030-06-07"), h.set)
	if err != nil || n != 0 {
		t.Errorf("drafts that have begun: %d %v", n, err)
	}
}

// TestSeriesChange: the events that follow move by as many days and to the same clock,
// the ones before stay; a change of one of them meanwhile is stale.
func TestSeriesChange(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "Europe/Berlin")
	w := h.wish("2030-03-17", 20*60)
	last := day("2030-04-07")
	w.Pattern.Weekdays, w.Pattern.Last = []time.Weekday{time.Sunday}, &last
	ids := h.make(w, true)
	h.sell(ids[3], "A1")
	x := h.edit(ids[1])
	if x.RestSum == 0 {
		t.Fatal("the series has no rest")
	}
	x.Rest, x.Date, x.Clock = true, day("2030-03-25"), 18*60
	_, err := h.s.Edit(t.Context(), manager, x, h.set)
	var ask *schedule.AskError
	if !errors.As(err, &ask) || ask.Effect.Bookings != 1 || ask.Effect.Changed != 3 || len(ask.Effect.Moved) != 3 {
		t.Fatalf("%v", err)
	}
	h.exec(`UPDATE events SET revision = revision + 1 WHERE id = $1`, ids[2])
	x.Sure = true
	if _, err := h.s.Edit(t.Context(), manager, x, h.set); !errors.Is(err, domain.ErrStale) {
		t.Errorf("one of the rest was changed: %v", err)
	}
	x.RestSum++
	if _, err := h.s.Edit(t.Context(), manager, x, h.set); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"2030-03-17T19:00Z", "2030-03-25T17:00Z", "2030-04-01T16:00Z", "2030-04-08T16:00Z"} { // summer time begins on the 31st
		if got := h.event(ids[i]).StartsAt.UTC().Format("2006-01-02T15:04Z"); got != want {
			t.Errorf("the %d. begins at %s, want %s", i+1, got, want)
		}
	}
	one := h.edit(ids[1])
	one.Clock = 17 * 60
	if _, err := h.s.Edit(t.Context(), manager, one, h.set); err != nil {
		t.Fatal(err)
	}
	if got := h.event(ids[2]).StartsAt.UTC().Format("15:04"); got != "16:00" {
		t.Errorf("one alone was changed, the next begins at %s", got)
	}
}

// TestCopyWeek: the same clocks, halls and prices a week later, as drafts, all or none.
func TestCopyWeek(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "Europe/Berlin")
	h.make(h.wish("2030-03-25", 20*60), true)        // Monday
	two := h.wish("2030-03-31", 20*60, 23*60+59, 30) // Sunday, and 00:30 that counts to Saturday
	two.ResourceID = h.two
	h.make(two, true)
	gone := h.make(h.wish("2030-03-27", 20*60), true)[0]
	h.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, gone)
	w := schedule.CopyWish{Kind: domain.Screening, From: day("2030-03-25"), To: day("2030-04-01"), Days: 7}
	h.make(h.wish("2030-04-01", 19*60), false)
	_, err := h.s.Copy(t.Context(), manager, w, h.set)
	var clash *schedule.ClashError
	if !errors.As(err, &clash) || clash.Preview.Clashes != 1 || len(clash.Preview.Events) != 4 {
		t.Fatalf("%v", err)
	}
	h.exec(`UPDATE events SET status = 'cancelled' WHERE starts_at = '2030-04-01T17:00Z'`)
	ids, err := h.s.Copy(t.Context(), manager, w, h.set)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"2030-04-01T18:00Z", "2030-04-06T22:30Z", "2030-04-07T18:00Z", "2030-04-07T21:59Z"} {
		e := h.event(ids[i])
		if got := e.StartsAt.UTC().Format("2006-01-02T15:04Z"); got != want || e.Status != "draft" || e.SeriesID != 0 {
			t.Errorf("the %d. begins at %s as %s, want %s", i+1, got, e.Status, want)
		}
	}
	if got := h.event(ids[1]); got.ResourceID != h.two || got.BusinessDay.Format(time.DateOnly) != "2030-04-06" {
		t.Errorf("%+v", got)
	}
	_, err = h.s.PreviewCopy(t.Context(), schedule.CopyWish{Kind: domain.Screening, From: day("2031-01-06"), To: day("2031-01-13"), Days: 7}, h.set)
	refused(t, err, "from")
	_, err = h.s.PreviewCopy(t.Context(), schedule.CopyWish{Kind: domain.Screening, From: day("2030-03-25"), To: day("2030-03-25"), Days: 7}, h.set)
	refused(t, err, "to")
	p, err := h.s.PreviewCopy(t.Context(), schedule.CopyWish{Kind: domain.Screening, From: day("2030-03-25"), To: day("2020-01-06"), Days: 1}, h.set)
	if err != nil || p.Problems != 1 {
		t.Errorf("into the past: %+v, %v", p, err)
	}
}

func TestRemoveDraft(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "UTC")
	id := h.make(h.wish("2030-06-03", 20*60), true)[0]
	refused(t, h.s.Remove(t.Context(), manager, id, h.event(id).Revision), "status")
	draft := h.make(h.wish("2030-06-04", 20*60), false)[0]
	if err := h.s.Block(t.Context(), manager, schedule.Blocking{EventID: draft, Seats: []string{"A1"}, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := h.s.Remove(t.Context(), manager, draft, h.event(draft).Revision); err != nil {
		t.Fatal(err)
	}
	if number(h, `SELECT count(*) FROM events WHERE id = $1`, draft)+number(h, `SELECT count(*) FROM event_seats WHERE event_id = $1`, draft) != 0 {
		t.Error("something of the draft is left")
	}
	if err := h.s.Unpublish(t.Context(), manager, id, h.event(id).Revision); err != nil {
		t.Fatal(err)
	}
	h.exec(`INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, state, expires_at, total, currency, fares)
		VALUES ('00000000-0000-4000-8000-00000000000f', $1, 0, 1, 'web', 'web:x', 'released', now(), 0, 'EUR', '[]')`, id)
	if err := h.s.Remove(t.Context(), manager, id, h.event(id).Revision); err != nil || h.event(id).Status != "cancelled" {
		t.Errorf("a draft that a customer once held seats of: %v", err)
	}
}
