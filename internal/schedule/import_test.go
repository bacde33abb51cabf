package schedule_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
	"holdfast/internal/gtfs"
	"holdfast/internal/schedule"
)

var byTest = domain.By{Actor: "staff:1", Address: "127.0.0.1"}

// depot is a house with a coach plan of eight seats and a price list for three stops.
type depot struct {
	t              *testing.T
	db             *db.DB
	s              *schedule.Service
	set            domain.Settings
	layout, tariff int64
}

func newDepot(t *testing.T) *depot {
	t.Helper()
	d := dbtest.New(t)
	ev := dbtest.Trip(t, d, 2, 2)
	set, err := domain.ParseSettings(map[string]string{"time_zone": "Europe/Berlin", "currency": "EUR", "venue_name": "Coaches", "kind": "bus"})
	if err != nil {
		t.Fatal(err)
	}
	h := &depot{t: t, db: d, s: schedule.New(d), set: set, layout: ev.Layout.VersionID}
	h.scan(&h.tariff, `SELECT tariff_id FROM events WHERE id = $1`, ev.ID)
	h.exec(`UPDATE events SET starts_at = starts_at - interval '9 days', ends_at = ends_at - interval '9 days'`)
	return h
}

func (h *depot) scan(to any, sql string, args ...any) {
	h.t.Helper()
	if err := h.db.Pool().QueryRow(h.t.Context(), sql, args...).Scan(to); err != nil {
		h.t.Fatalf("%v\n%s", err, sql)
	}
}

func (h *depot) exec(sql string, args ...any) {
	h.t.Helper()
	if _, err := h.db.Pool().Exec(h.t.Context(), sql, args...); err != nil {
		h.t.Fatalf("%v\n%s", err, sql)
	}
}

// timetable is a feed of one coach A–B–C each day of 2027 to 2099 at the given hour.
func timetable(hour int, change map[string]string) map[string]string {
	f := map[string]string{
		"agency.txt":   "agency_id,agency_name,agency_timezone\nX,Coaches,Europe/Berlin\n",
		"stops.txt":    "stop_id,stop_name,zone_id,stop_timezone\nA,Aachen,1,\nB,Bonn,1,\nC,Bonn,2,Europe/London\n",
		"routes.txt":   "route_id,agency_id,route_short_name,route_long_name,route_type\nR,X,12,Coast Line,3\n",
		"trips.txt":    "route_id,service_id,trip_id\nR,S,T\n",
		"calendar.txt": "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\nS,1,1,1,1,1,1,1,20270101,20991231\n",
		"stop_times.txt": fmt.Sprintf("trip_id,arrival_time,departure_time,stop_id,stop_sequence\nT,%02d:00:00,%02d:00:00,A,1\nT,%02d:00:00,%02d:10:00,B,2\nT,%02d:00:00,%02d:00:00,C,3\n",
			hour, hour, hour+1, hour+1, hour+3, hour+3),
	}
	for name, text := range change {
		f[name] = text
	}
	return f
}

// send stores a feed as an upload does.
func (h *depot) send(files map[string]string) int64 {
	h.t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		h.t.Fatal(err)
	}
	id, err := h.s.StoreImport(h.t.Context(), byTest, "gtfs", "feed.zip", &b)
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

func (h *depot) order(from, until string) schedule.FeedOrder {
	return schedule.FeedOrder{FeedChoice: schedule.FeedChoice{Agency: -1, From: date(h.t, from), Until: date(h.t, until)}, Layout: h.layout, Tariff: h.tariff, Publish: true}
}

func date(t *testing.T, text string) *time.Time {
	t.Helper()
	d, err := time.Parse("2006-01-02", text)
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

// imports does it and checks what the preview said before against what was done.
func (h *depot) imports(files map[string]string, o schedule.FeedOrder) schedule.FeedResult {
	h.t.Helper()
	id := h.send(files)
	p, err := h.s.FeedPreview(h.t.Context(), id, o.FeedChoice, h.set)
	if err != nil {
		h.t.Fatal(err)
	}
	r, err := h.s.ImportFeed(h.t.Context(), byTest, id, o, h.set)
	if err != nil {
		h.t.Fatalf("%v\n%+v", err, p.Problems)
	}
	if got, want := fmt.Sprintf("%+v", r.Changes), fmt.Sprintf("%+v", p.Changes); got != want {
		h.t.Errorf("the import did %s\nthe preview said %s", got, want)
	}
	return r
}

// rows counts every row that an import makes.
func (h *depot) rows() (s string) {
	h.t.Helper()
	h.scan(&s, `SELECT concat_ws(' ', (SELECT count(*) FROM places), (SELECT count(*) FROM routes), (SELECT count(*) FROM route_stops),
		(SELECT count(*) FROM events), (SELECT count(*) FROM event_stops), (SELECT count(*) FROM event_seats), (SELECT max(id) FROM events))`)
	return s
}

func TestFeedImport(t *testing.T) {
	t.Parallel()
	h := newDepot(t)
	r := h.imports(timetable(8, nil), h.order("2027-03-26", "2027-03-30"))
	if r.Changes.New != 5 || r.Places != 3 || r.Routes != 1 || r.Unpriced != 0 {
		t.Fatalf("%+v", r)
	}
	// The second Bonn has a name of its own, and its own zone.
	var names, zones, stops string
	h.scan(&names, `SELECT string_agg(name, ', ' ORDER BY external_id) FROM places WHERE external_id IS NOT NULL`)
	h.scan(&zones, `SELECT string_agg(time_zone, ', ' ORDER BY external_id) FROM places WHERE external_id IS NOT NULL`)
	h.scan(&stops, `SELECT string_agg(zone || to_char(depart_after, ' 999'), ', ' ORDER BY stop_no) FROM route_stops s JOIN routes r ON r.id = s.route_id WHERE r.external_id IS NOT NULL`)
	if names != "Aachen, Bonn (B), Bonn (C)" || zones != "Europe/Berlin, Europe/Berlin, Europe/London" || stops != "1    0, 1   70, 2  180" {
		t.Errorf("%s; %s; %s", names, zones, stops)
	}
	var seats, published int
	h.scan(&seats, `SELECT count(*) FROM event_seats s JOIN events e ON e.id = s.event_id WHERE e.external_id IS NOT NULL`)
	h.scan(&published, `SELECT count(*) FROM events WHERE external_id IS NOT NULL AND status = 'published' AND resource_id IS NULL AND last_stop = 2`)
	if seats != 5*8*2 || published != 5 {
		t.Errorf("%d seats, %d on sale", seats, published)
	}
	// Over the night when clocks go forward the wall clock stays.
	var clocks string
	h.scan(&clocks, `SELECT string_agg(DISTINCT to_char(starts_at AT TIME ZONE 'Europe/Berlin', 'HH24:MI'), ' ') FROM events WHERE external_id IS NOT NULL`)
	if clocks != "08:00" {
		t.Errorf("leaves at %s", clocks)
	}
	var log int
	h.scan(&log, `SELECT count(*) FROM audit_log WHERE action = 'feed_imported' AND after->>'made' = '5'`)
	if log != 1 {
		t.Errorf("%d lines in the log", log)
	}

	before := h.rows()
	renamed := timetable(8, map[string]string{"feed_info.txt": "another edition\n"})
	if r = h.imports(renamed, h.order("2027-03-26", "2027-03-30")); r.Changes.New != 0 || r.Changes.Same != 5 || r.Places+r.PlacesChanged+r.Routes != 0 {
		t.Errorf("again: %+v", r)
	}
	if after := h.rows(); after != before {
		t.Errorf("the second import left %s, the first %s", after, before)
	}
}

// The DST night itself: 22:30 and 30:00 are seven and a half hours apart.
func TestFeedImportOverTheClockChange(t *testing.T) {
	t.Parallel()
	h := newDepot(t)
	h.imports(timetable(8, map[string]string{"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nT,22:30:00,22:30:00,A,1\nT,30:00:00,30:00:00,B,2\n"}), h.order("2027-03-27", "2027-03-27"))
	var at, day string
	h.scan(&at, `SELECT to_char(ends_at AT TIME ZONE 'Europe/Berlin', 'Dy HH24:MI') || ' ' || (ends_at - starts_at) FROM events WHERE external_id IS NOT NULL`)
	h.scan(&day, `SELECT business_day::text FROM events WHERE external_id IS NOT NULL`)
	if at != "Sun 07:00 07:30:00" || day != "2027-03-27" {
		t.Errorf("arrives %s, counted to %s", at, day)
	}
}

func TestFeedImportRepeats(t *testing.T) {
	t.Parallel()
	h := newDepot(t)
	feed := timetable(8, map[string]string{"frequencies.txt": "trip_id,start_time,end_time,headway_secs,exact_times\nT,07:30:00,15:30:00,10800,1\n"})
	for range 2 {
		h.imports(feed, h.order("2027-01-04", "2027-01-04"))
	}
	var clocks string
	h.scan(&clocks, `SELECT string_agg(to_char(starts_at AT TIME ZONE 'Europe/Berlin', 'HH24:MI'), ' ' ORDER BY starts_at) FROM events WHERE external_id IS NOT NULL`)
	if clocks != "07:30 10:30 13:30" {
		t.Errorf("leaves at %s", clocks)
	}
}

// What has customers is never moved or removed; what has none follows the feed.
func TestFeedImportLeavesWhatIsSold(t *testing.T) {
	t.Parallel()
	h := newDepot(t)
	days := h.order("2027-03-01", "2027-03-06")
	h.imports(timetable(8, nil), days)
	at := func(day string) (id int64) {
		h.scan(&id, `SELECT id FROM events WHERE external_id IS NOT NULL AND business_day = $1`, day)
		return id
	}
	sold, held, once, blocked := at("2027-03-01"), at("2027-03-02"), at("2027-03-03"), at("2027-03-04")
	h.exec(`INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, state, expires_at, total, currency, fares)
		SELECT gen_random_uuid(), e, 0, 2, 'web', 'web:x', s, now() + m * interval '1 minute', 100, 'EUR', '[]'
		  FROM (VALUES ($1::bigint, 'converted', -5), ($2, 'active', 5), ($3, 'released', -5)) v(e, s, m)`, sold, held, once)
	h.exec(`INSERT INTO bookings (hold_id, event_id, reference, total, currency, channel) SELECT id, event_id, 'AAAAAA', 100, 'EUR', 'web' FROM holds WHERE event_id = $1`, sold)
	h.exec(`INSERT INTO tickets (booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, price) SELECT id, event_id, s, 0, 2, 'adult', 50 FROM bookings, unnest(ARRAY['1A', '1B']) s`)
	h.exec(`INSERT INTO seat_blocks (event_id, reason, actor) VALUES ($1, 'Guide', 'staff:1')`, blocked)

	r := h.imports(timetable(9, nil), days)
	if r.Changes.Moved != 3 || r.Changes.New != 0 || len(r.Changes.Kept) != 3 || r.Changes.Kept[0].Tickets != 2 || r.Changes.Kept[0].Gone {
		t.Fatalf("an hour later: %+v", r.Changes)
	}
	var clocks string
	h.scan(&clocks, `SELECT string_agg(to_char(starts_at AT TIME ZONE 'Europe/Berlin', 'HH24'), ' ' ORDER BY starts_at) FROM events WHERE external_id IS NOT NULL`)
	if clocks != "08 08 09 08 09 09" {
		t.Errorf("leave at %s", clocks)
	}

	// A stop less: nobody ever chose seats of the last two.
	short := timetable(9, map[string]string{"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nT,9:00:00,9:00:00,A,1\nT,12:00:00,12:00:00,C,3\n"})
	if r = h.imports(short, days); r.Changes.Moved != 2 || len(r.Changes.Kept) != 4 {
		t.Errorf("a stop less: %+v", r.Changes)
	}
	var seats int
	h.scan(&seats, `SELECT count(*) FROM event_seats WHERE event_id = (SELECT id FROM events WHERE external_id IS NOT NULL AND business_day = '2027-03-06')`)
	if seats != 8 {
		t.Errorf("%d seats on one leg", seats)
	}

	none := timetable(9, map[string]string{"calendar.txt": "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\nS,1,1,1,1,1,1,1,20280101,20991231\n"})
	if r = h.imports(none, days); r.Changes.Dropped != 4 || len(r.Changes.Kept) != 2 || !r.Changes.Kept[0].Gone {
		t.Errorf("no service any more: %+v", r.Changes)
	}
	var states string
	h.scan(&states, `SELECT string_agg(status, ' ' ORDER BY starts_at) FROM events WHERE external_id IS NOT NULL`)
	if states != "published published cancelled cancelled" {
		t.Errorf("left are %s", states)
	}
}

// A feed that cannot be taken changes nothing, and neither does one that asks too much.
func TestFeedImportRefuses(t *testing.T) {
	t.Parallel()
	h := newDepot(t)
	before := h.rows()
	refuse := func(name, code string, files map[string]string, o schedule.FeedOrder) {
		t.Helper()
		_, err := h.s.ImportFeed(t.Context(), byTest, h.send(files), o, h.set)
		var rule *domain.RuleError
		if !errors.As(err, &rule) || rule.Code != code {
			t.Errorf("%s: %v, want %s", name, err, code)
		}
		if after := h.rows(); after != before {
			t.Errorf("%s left %s, before %s", name, after, before)
		}
	}
	days := h.order("2027-03-01", "2027-03-06")
	refuse("a stop twice", "feed", timetable(8, map[string]string{"stops.txt": "stop_id,stop_name\nA,a\nB,b\nC,c\nA,a\n"}), days)
	noPlan := days
	noPlan.Layout = 0
	refuse("no plan", "layout", timetable(8, nil), noPlan)
	noList := days
	noList.Tariff = 1 << 40
	refuse("no price list", "tariff", timetable(8, nil), noList)
	refuse("backwards", "until", timetable(8, nil), h.order("2027-03-06", "2027-03-01"))
	refuse("more than a year", "until", timetable(8, nil), h.order("2027-03-01", "2028-03-01"))
	refuse("too many", "until", timetable(8, map[string]string{"frequencies.txt": "trip_id,start_time,end_time,headway_secs,exact_times\nT,06:00:00,20:00:00,10,1\n"}), days)
	if _, err := h.s.StoreImport(t.Context(), byTest, "gtfs", "x", strings.NewReader("")); err == nil {
		t.Error("an empty file was stored")
	}
}

// Departures whose way has no price stay drafts; routes can be left without departures.
func TestFeedImportChoices(t *testing.T) {
	t.Parallel()
	h := newDepot(t)
	o := h.order("2027-03-01", "2027-03-02")
	h.exec(`DELETE FROM fares WHERE from_stop = 0 AND to_stop = 2`)
	if r := h.imports(timetable(8, nil), o); r.Unpriced != 2 || len(r.UnpricedRoutes) != 1 {
		t.Errorf("without a price: %+v", r)
	}
	var drafts int
	h.scan(&drafts, `SELECT count(*) FROM events WHERE external_id IS NOT NULL AND status = 'draft'`)
	if drafts != 2 {
		t.Errorf("%d drafts", drafts)
	}
	p, err := h.s.FeedPreview(t.Context(), h.send(timetable(8, nil)), o.FeedChoice, h.set)
	if err != nil || len(p.Routes) != 1 || !p.Routes[0].Known || p.Routes[0].Name != "12 Coast Line: Aachen – Bonn" {
		t.Fatalf("%v %+v", err, p.Routes)
	}
	o = h.order("2027-03-03", "2027-03-04")
	o.Routes = map[string]schedule.RouteOrder{p.Routes[0].Key: {Skip: true}}
	o.Layout = 0
	id := h.send(timetable(8, nil))
	r, err := h.s.ImportFeed(t.Context(), byTest, id, o, h.set)
	if err != nil || r.Changes.New != 0 {
		t.Errorf("left out: %v %+v", err, r.Changes)
	}
}

// A feed whose service is over makes its routes and stops, and no departure.
func TestFeedImportServiceOver(t *testing.T) {
	t.Parallel()
	h := newDepot(t)
	over := timetable(8, map[string]string{"calendar.txt": "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\nS,1,1,1,1,1,1,1,20140101,20141231\n"})
	id := h.send(over)
	p, err := h.s.FeedPreview(t.Context(), id, schedule.FeedChoice{Agency: -1}, h.set)
	if err != nil || p.Departures != 0 || p.Last.Format("20060102") != "20141231" {
		t.Fatalf("%v %+v", err, p)
	}
	r, err := h.s.ImportFeed(t.Context(), byTest, id, schedule.FeedOrder{FeedChoice: schedule.FeedChoice{Agency: -1}}, h.set)
	if err != nil || r.Changes.New != 0 || r.Places != 3 {
		t.Errorf("%v %+v", err, r)
	}
}

// What we export is a feed that our own reader understands, departure by departure.
func TestFeedExport(t *testing.T) {
	t.Parallel()
	h := newDepot(t)
	h.imports(timetable(23, map[string]string{"trips.txt": "route_id,service_id,trip_id\nR,S,T\nR,S,U\n",
		"stop_times.txt": timetable(23, nil)["stop_times.txt"] + "U,8:00:00,8:00:00,C,1\nU,9:00:00,9:00:00,A,2\n"}), h.order("2027-03-26", "2027-03-29"))
	var b bytes.Buffer
	if err := h.s.ExportFeed(t.Context(), &b, h.set, "https://coaches.example"); err != nil {
		t.Fatal(err)
	}
	f, err := gtfs.Read(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || f.Report.Stopped() || len(f.Report.Problems()) > 0 {
		t.Fatalf("%v %+v", err, f.Report.Problems())
	}
	var got []string
	for _, d := range f.Plan(0, *date(t, "2027-03-01"), *date(t, "2027-04-30"), 100).Departures {
		calls := f.Calls(d)
		got = append(got, calls[0].Departs.UTC().Format(time.RFC3339)+" "+calls[len(calls)-1].Arrives.UTC().Format(time.RFC3339))
	}
	var want []string
	rows, err := h.db.Pool().Query(t.Context(), `SELECT to_char(starts_at, 'YYYY-MM-DD"T"HH24:MI:SSZ') || ' ' || to_char(ends_at, 'YYYY-MM-DD"T"HH24:MI:SSZ') FROM events WHERE external_id IS NOT NULL ORDER BY starts_at`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		want = append(want, line)
	}
	if len(want) != 8 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the feed has\n%s\nstored is\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(f.Trips) != 2 { // one each way, with its four days
		t.Errorf("%d trips", len(f.Trips))
	}
}
