package schedule

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/csvfile"
	"holdfast/internal/domain"
)

// ExportFeed writes the departures to come that are on sale as a GTFS feed. Departures of
// one route that run alike are one trip with all its dates.
func (s *Service) ExportFeed(ctx context.Context, w io.Writer, set domain.Settings, url string) error {
	zone, err := time.LoadLocation(set.TimeZone)
	if err != nil {
		return err
	}
	lines, err := s.db.FeedLines(ctx)
	if err != nil {
		return err
	}
	x := feedExport{zone: zone, trips: map[string]*feedTrip{}}
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && lines[to].EventID == lines[from].EventID {
			to++
		}
		x.add(lines[from:to])
		from = to
	}
	return x.write(w, set, url)
}

type feedExport struct {
	zone  *time.Location
	trips map[string]*feedTrip
	order []*feedTrip
}

// feedTrip is departures that run alike: the same stops at the same times of the service
// day.
type feedTrip struct {
	id    string
	lines []db.FeedLine
	base  time.Time // noon minus twelve hours of the first day
	days  []string
}

func (x *feedExport) add(lines []db.FeedLine) {
	y, m, d := lines[0].DepartsAt.In(x.zone).Date()
	base := time.Date(y, m, d, 12, 0, 0, 0, x.zone).Add(-12 * time.Hour)
	if lines[0].DepartsAt.Before(base) { // in the hour before noon minus twelve, when clocks change
		base = time.Date(y, m, d-1, 12, 0, 0, 0, x.zone).Add(-12 * time.Hour)
	}
	var key strings.Builder
	fmt.Fprint(&key, lines[0].RouteID)
	for _, l := range lines {
		fmt.Fprintf(&key, "|%d %v %v %v %v", l.PlaceID, l.ArrivesAt.Sub(base), l.DepartsAt.Sub(base), l.MayBoard, l.MayAlight)
	}
	t := x.trips[key.String()]
	if t == nil {
		t = &feedTrip{id: "t" + strconv.FormatInt(lines[0].EventID, 10), lines: lines, base: base}
		x.trips[key.String()] = t
		x.order = append(x.order, t)
	}
	// The day is that of noon, which no change of clocks moves.
	if day := base.Add(12 * time.Hour).In(x.zone).Format("20060102"); !slices.Contains(t.days, day) {
		t.days = append(t.days, day)
	} else { // two at once: a second trip
		again := &feedTrip{id: "t" + strconv.FormatInt(lines[0].EventID, 10), lines: lines, base: base, days: []string{day}}
		x.order = append(x.order, again)
	}
}

func (x *feedExport) write(w io.Writer, set domain.Settings, url string) error {
	var stops, routes, trips, times, dates [][]string
	seenStops, seenRoutes := map[int64]bool{}, map[int64]bool{}
	for _, t := range x.order {
		first := t.lines[0]
		route := strconv.FormatInt(first.RouteID, 10)
		if !seenRoutes[first.RouteID] {
			seenRoutes[first.RouteID] = true
			routes = append(routes, []string{route, "1", "", first.Route, "3"})
		}
		trips = append(trips, []string{route, t.id, t.id, t.lines[len(t.lines)-1].Place})
		for i, l := range t.lines {
			if !seenStops[l.PlaceID] {
				seenStops[l.PlaceID] = true
				stops = append(stops, []string{strconv.FormatInt(l.PlaceID, 10), l.Place, l.Address, coordinate(l.Latitude), coordinate(l.Longitude), l.TimeZone, l.Zone})
			}
			times = append(times, []string{
				t.id, feedTime(l.ArrivesAt.Sub(t.base)), feedTime(l.DepartsAt.Sub(t.base)), strconv.FormatInt(l.PlaceID, 10), strconv.Itoa(i), never(l.MayBoard), never(l.MayAlight),
			})
		}
		for _, day := range t.days {
			dates = append(dates, []string{t.id, day, "1"})
		}
	}
	slices.SortFunc(stops, func(a, b []string) int { return cmp.Compare(a[1], b[1]) })
	z := zip.NewWriter(w)
	for _, f := range []struct {
		name, header string
		rows         [][]string
	}{
		{"agency.txt", "agency_id,agency_name,agency_url,agency_timezone,agency_phone", [][]string{{"1", set.VenueName, url, set.TimeZone, set.Phone}}},
		{"stops.txt", "stop_id,stop_name,stop_desc,stop_lat,stop_lon,stop_timezone,zone_id", stops},
		{"routes.txt", "route_id,agency_id,route_short_name,route_long_name,route_type", routes},
		{"trips.txt", "route_id,service_id,trip_id,trip_headsign", trips},
		{"stop_times.txt", "trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type", times},
		{"calendar_dates.txt", "service_id,date,exception_type", dates},
	} {
		entry, err := z.Create(f.name)
		if err != nil {
			return err
		}
		if err := csvfile.WritePlain(entry, strings.Split(f.header, ","), f.rows); err != nil {
			return err
		}
	}
	return z.Close()
}

func feedTime(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

func never(may bool) string {
	if may {
		return "0"
	}
	return "1"
}

func coordinate(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', -1, 64)
}
