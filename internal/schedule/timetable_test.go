package schedule_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
	"holdfast/internal/schedule"
)

var manager = domain.By{Actor: "staff:1", Address: "127.0.0.1"}

// house is a cinema with two halls of six seats, a film of 128 minutes and prices in EUR.
type house struct {
	*db.DB
	t                   *testing.T
	s                   *schedule.Service
	set                 domain.Settings
	one, two            int64 // halls
	film, tariff, layer int64
}

func newHouse(t *testing.T, zone string) *house {
	t.Helper()
	h := &house{DB: dbtest.New(t), t: t}
	ev := dbtest.Screening(t, h.DB, 2, 3)
	h.layer = ev.Layout.VersionID
	h.film, h.tariff = number(h, `SELECT film_id FROM events WHERE id = $1`, ev.ID), number(h, `SELECT tariff_id FROM events WHERE id = $1`, ev.ID)
	h.one = number(h, `INSERT INTO resources (kind, name, layout_version_id, turnaround_minutes) VALUES ('hall', 'Hall 1', $1, 20) RETURNING id`, h.layer)
	h.two = number(h, `INSERT INTO resources (kind, name, layout_version_id, turnaround_minutes) VALUES ('hall', 'Hall 2', $1, 20) RETURNING id`, h.layer)
	h.s = schedule.New(h.DB)
	var err error
	if h.set, err = domain.ParseSettings(map[string]string{"time_zone": zone, "currency": "EUR", "screening_extra_minutes": "12"}); err != nil {
		t.Fatal(err)
	}
	return h
}

func number(h *house, sql string, args ...any) int64 {
	h.t.Helper()
	var n int64
	if err := h.Pool().QueryRow(h.t.Context(), sql, args...).Scan(&n); err != nil {
		h.t.Fatalf("%v\n%s", err, sql)
	}
	return n
}

func (h *house) exec(sql string, args ...any) {
	h.t.Helper()
	if _, err := h.Pool().Exec(h.t.Context(), sql, args...); err != nil {
		h.t.Fatalf("%v\n%s", err, sql)
	}
}

func day(text string) time.Time {
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return d
}

// wish is a screening in Hall 1.
func (h *house) wish(first string, clocks ...int) schedule.Wish {
	return schedule.Wish{
		Kind: domain.Screening, FilmID: h.film, ResourceID: h.one, TariffID: h.tariff, Pattern: schedule.Pattern{First: day(first)}, Clocks: clocks,
	}
}

func (h *house) make(w schedule.Wish, publish bool) []int64 {
	h.t.Helper()
	ids, err := h.s.Make(h.t.Context(), manager, w, publish, h.set)
	if err != nil {
		h.t.Fatal(err)
	}
	return ids
}

func (h *house) event(id int64) domain.Event {
	h.t.Helper()
	e, err := h.Event(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return e
}

// sell books seats of an event as a customer with an address did.
func (h *house) sell(event int64, seats ...string) {
	h.t.Helper()
	hold := fmt.Sprintf("00000000-0000-4000-8000-%012d", number(h, `SELECT count(*) FROM holds`))
	h.exec(`INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, state, expires_at, total, currency, fares)
		SELECT $1::uuid, id, 0, last_stop, 'web', 'web:x', 'converted', now(), 1000, 'EUR', '[]' FROM events WHERE id = $2`, hold, event)
	ref := "K7PXM" + string("ABCDEFGHJ"[number(h, `SELECT count(*) FROM bookings`)])
	b := number(h, `INSERT INTO bookings (hold_id, event_id, reference, email, total, currency, channel) VALUES ($1, $2, $3, 'a@customer.example', 1000, 'EUR', 'web') RETURNING id`, hold, event, ref)
	for _, s := range seats {
		k := number(h, `INSERT INTO tickets (booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, price)
			SELECT $1, id, $3, 0, last_stop, 'adult', 1000 FROM events WHERE id = $2 RETURNING id`, b, event, s)
		h.exec(`UPDATE event_seats SET state = 'booked', booking_id = $3 WHERE event_id = $1 AND seat_no = $2`, event, s, b)
		h.exec(`INSERT INTO ticket_legs SELECT $1, event_id, seat_no, leg FROM event_seats WHERE event_id = $2 AND seat_no = $3`, k, event, s)
	}
}

func (h *house) edit(id int64) schedule.Edit {
	h.t.Helper()
	x, err := h.s.EditScene(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	zone, err := time.LoadLocation(x.Event.TimeZone)
	if err != nil {
		h.t.Fatal(err)
	}
	local := x.Event.StartsAt.In(zone)
	return schedule.Edit{
		EventID: id, Revision: x.Event.Revision, RestSum: x.RestSum, Date: day(local.Format(time.DateOnly)), Clock: local.Hour()*60 + local.Minute(),
		ResourceID: x.Event.ResourceID, TariffID: x.Event.TariffID, FilmID: x.Event.FilmID,
	}
}

// refused checks that err is a refusal with the code, in words that have all of these.
func refused(t *testing.T, err error, code string, words ...string) {
	t.Helper()
	var rule *domain.RuleError
	if !errors.As(err, &rule) || rule.Code != code {
		t.Errorf("%v, want a refusal %q", err, code)
		return
	}
	for _, w := range words {
		if !strings.Contains(rule.Words, w) {
			t.Errorf("%q does not say %q", rule.Words, w)
		}
	}
}

// TestT4_PatternOverSummerTime: a weekly pattern keeps the wall clock of the place over
// both changes.
func TestT4_PatternOverSummerTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, first, last string
		clock             int
		want              []string
	}{
		{"Europe/Berlin", "2030-03-24", "2030-04-07", 20 * 60, []string{"2030-03-24T19:00Z", "2030-03-31T18:00Z", "2030-04-07T18:00Z"}},
		{"Europe/Berlin", "2030-10-20", "2030-11-03", 20 * 60, []string{"2030-10-20T18:00Z", "2030-10-27T19:00Z", "2030-11-03T19:00Z"}},
		{"America/New_York", "2030-03-03", "2030-03-17", 19*60 + 30, []string{"2030-03-04T00:30Z", "2030-03-10T23:30Z", "2030-03-17T23:30Z"}},
		{"America/New_York", "2030-10-27", "2030-11-10", 19*60 + 30, []string{"2030-10-27T23:30Z", "2030-11-04T00:30Z", "2030-11-11T00:30Z"}},
		{"Asia/Colombo", "2030-03-24", "2030-04-07", 2*60 + 30, []string{"2030-03-23T21:00Z", "2030-03-30T21:00Z", "2030-04-06T21:00Z"}},
		{"Asia/Colombo", "2030-10-20", "2030-11-03", 2*60 + 30, []string{"2030-10-19T21:00Z", "2030-10-26T21:00Z", "2030-11-02T21:00Z"}},
	} {
		t.Run(c.zone+c.first, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, c.zone)
			w := h.wish(c.first, c.clock)
			last := day(c.last)
			w.Pattern.Weekdays, w.Pattern.Last = []time.Weekday{time.Sunday}, &last
			for i, id := range h.make(w, false) {
				e := h.event(id)
				if got := e.StartsAt.UTC().Format("2006-01-02T15:04Z"); got != c.want[i] {
					t.Errorf("the %d. begins at %s, want %s", i+1, got, c.want[i])
				}
				if got := e.EndsAt.Sub(e.StartsAt); got != 140*time.Minute {
					t.Errorf("it lasts %v", got)
				}
				if e.SeriesID == 0 {
					t.Error("it is of no series")
				}
			}
		})
	}
}

// TestT4_MissingAndDoubleHour: the hour that is skipped is refused in words that name the
// date, the one that is repeated asks which.
func TestT4_MissingAndDoubleHour(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, missing, names, double, first, second string }{
		{"Europe/Berlin", "2030-03-31", "Sunday 31 March 2030", "2030-10-27", "2030-10-27T00:30Z", "2030-10-27T01:30Z"},
		{"America/New_York", "2030-03-10", "Sunday 10 March 2030", "2030-11-03", "", ""},
	} {
		h := newHouse(t, c.zone)
		clock := 2*60 + 30
		w := h.wish(c.missing, clock)
		p, err := h.s.Preview(t.Context(), w, h.set)
		if err != nil || p.Ready() || p.Problems != 1 || !strings.Contains(p.Events[0].Problem, c.names) {
			t.Errorf("%s: %+v, %v", c.zone, p, err)
		}
		_, err = h.s.Make(t.Context(), manager, w, false, h.set)
		refused(t, err, "time", c.names, "02:30", "forward")
		last := day(c.missing).AddDate(0, 0, 7)
		w.Pattern.Weekdays, w.Pattern.Last, w.Skip = []time.Weekday{time.Sunday}, &last, []string{c.missing + "T02:30"}
		if ids := h.make(w, false); len(ids) != 1 { // left out, the others can be
			t.Errorf("%d events", len(ids))
		}
		if c.first == "" {
			continue
		}
		w = h.wish(c.double, clock)
		_, err = h.s.Make(t.Context(), manager, w, false, h.set)
		refused(t, err, "fold", "twice")
		for fold, want := range map[string]string{schedule.FirstOfTwo: c.first, schedule.SecondOfTwo: c.second} {
			w.Fold = fold
			p, err := h.s.Preview(t.Context(), w, h.set)
			if err != nil || !p.Ready() || p.Events[0].Event.StartsAt.UTC().Format("2006-01-02T15:04Z") != want {
				t.Errorf("%s: %+v, %v, want %s", fold, p, err, want)
			}
		}
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "UTC")
	until := func(text string) *time.Time { d := day(text); return &d }
	weekend := []time.Weekday{time.Saturday, time.Sunday}
	for _, c := range []struct {
		name    string
		pattern schedule.Pattern
		clocks  []int
		want    string // the starts, or the code of the refusal
	}{
		{"one day", schedule.Pattern{First: day("2030-06-01")}, []int{600}, "06-01T10:00"},
		{"two times", schedule.Pattern{First: day("2030-06-01")}, []int{1200, 600}, "06-01T10:00 06-01T20:00"},
		{"weekends", schedule.Pattern{First: day("2030-06-03"), Weekdays: weekend, Last: until("2030-06-15")}, []int{600}, "06-08T10:00 06-09T10:00 06-15T10:00"},
		{"both ends count", schedule.Pattern{First: day("2030-06-01"), Weekdays: weekend, Last: until("2030-06-02")}, []int{600}, "06-01T10:00 06-02T10:00"},
		{"no last day", schedule.Pattern{First: day("2030-06-01"), Weekdays: weekend}, []int{600}, "last"},
		{"last before first", schedule.Pattern{First: day("2030-06-01"), Weekdays: weekend, Last: until("2030-05-31")}, []int{600}, "last"},
		{"no days", schedule.Pattern{First: day("2030-06-01"), Last: until("2030-06-15")}, []int{600}, "days"},
		{"none in between", schedule.Pattern{First: day("2030-06-03"), Weekdays: weekend, Last: until("2030-06-05")}, []int{600}, "days"},
		{"no time", schedule.Pattern{First: day("2030-06-01")}, nil, "time"},
		{"too many", schedule.Pattern{First: day("2030-06-01"), Weekdays: weekend, Last: until("2040-06-01")}, []int{600}, "many"},
		{"too many by times", schedule.Pattern{First: day("2030-06-01"), Weekdays: weekend, Last: until("2034-01-01")}, []int{600, 900}, "many"},
	} {
		w := h.wish("2030-06-01")
		w.Pattern, w.Clocks = c.pattern, c.clocks
		p, err := h.s.Preview(t.Context(), w, h.set)
		var rule *domain.RuleError
		if errors.As(err, &rule) {
			if rule.Code != c.want {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
			continue
		}
		var got []string
		for _, x := range p.Events {
			got = append(got, x.Event.StartsAt.UTC().Format("01-02T15:04"))
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v %v, want %s", c.name, got, err, c.want)
		}
	}
	p, err := h.s.Preview(t.Context(), h.wish("2020-06-01", 600), h.set)
	if err != nil || p.Problems != 1 || !strings.Contains(p.Events[0].Problem, "past") {
		t.Errorf("in the past: %+v, %v", p, err)
	}
}

func TestParseClock(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"19:30": 1170, "19.30": 1170, "1930": 1170, "930": 570, "9": 540, "09:05": 545, " 0:00 ": 0, "23:59": 1439,
		"24:00": -1, "19:60": -1, "19:3": -1, "": -1, "x": -1, "-1:00": -1, "19:30:00": -1, "+9": -1, "123456": -1,
	} {
		got, ok := schedule.ParseClock(text)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q is %d %v, want %d", text, got, ok, want)
		}
	}
	if got, ok := schedule.ParseClocks("14:00, 16.40; 14:00 22"); !ok || fmt.Sprint(got) != "[840 1000 1320]" {
		t.Errorf("%v %v", got, ok)
	}
	if _, ok := schedule.ParseClocks("14:00 x"); ok {
		t.Error("a word among times")
	}
}

// TestMakeAllOrNothing: what is in the way is named before anything is made, turnaround
// and the plan's own events included.
func TestMakeAllOrNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "Europe/Rome")
	h.make(h.wish("2030-06-03", 20*60), true) // 20:00 to 22:20, free again at 22:40
	last := day("2030-06-05")
	w := h.wish("2030-06-02", 22*60+30)
	w.Pattern.Weekdays, w.Pattern.Last = []time.Weekday{time.Sunday, time.Monday, time.Tuesday}, &last
	before := number(h, `SELECT count(*) FROM events`)
	_, err := h.s.Make(t.Context(), manager, w, false, h.set)
	var clash *schedule.ClashError
	if !errors.As(err, &clash) || clash.Preview.Clashes != 1 || len(clash.Preview.Events[1].Clashes) != 1 {
		t.Fatalf("%v", err)
	}
	if c := clash.Preview.Events[1].Clashes[0]; c.Title != "Salt Road" || c.Resource != "Hall 1" || c.Until.UTC().Format("15:04") != "20:40" {
		t.Errorf("in the way: %+v", c)
	}
	if n := number(h, `SELECT count(*) FROM events`); n != before {
		t.Errorf("%d events were made all the same", n-before)
	}
	w.Skip = []string{"2030-06-03T22:30"}
	if ids := h.make(w, false); len(ids) != 2 {
		t.Errorf("%d made", len(ids))
	}
	p, err := h.s.Preview(t.Context(), h.wish("2030-06-10", 600, 700), h.set)
	if err != nil || p.Clashes != 1 || p.Events[1].Clashes[0].EventID != 0 {
		t.Errorf("in each other's way: %+v, %v", p, err)
	}
	w = h.wish("2030-06-20", 23*60) // a typed end after midnight
	w.Ends = new(30)
	e := h.event(h.make(w, false)[0])
	if e.EndsAt.Sub(e.StartsAt) != 90*time.Minute {
		t.Errorf("from 23:00 to 00:30 is %v", e.EndsAt.Sub(e.StartsAt))
	}
	late := h.event(h.make(h.wish("2030-06-22", 30), false)[0])
	if got := late.BusinessDay.Format(time.DateOnly); got != "2030-06-21" {
		t.Errorf("00:30 counts to %s", got)
	}
	if n := number(h, `SELECT count(*) FROM audit_log WHERE action = 'event_made'`); n != 5 {
		t.Errorf("%d lines in the log", n)
	}
}
