package gtfs

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/csvfile"
)

func (f *reading) readAgencies() {
	var rows []int32
	f.table("agency.txt", []string{"agency_timezone"}, 1000, func(t *csvfile.Reader) {
		a := Agency{ID: strings.Clone(t.Get("agency_id")), Name: strings.Clone(t.Get("agency_name")), URL: strings.Clone(t.Get("agency_url")), TimeZone: strings.Clone(t.Get("agency_timezone"))}
		if at, twice := f.agencies[a.ID]; twice {
			f.Report.Add(csvfile.Stops, "agency.txt", t.Row(), "A key occurs twice: which row counts cannot be known.", "agency_id "+short(a.ID)+", also in row "+strconv.Itoa(int(rows[at])))
			return
		}
		zone, ok := zoneOf(a.TimeZone)
		if !ok {
			f.Report.Add(csvfile.LeftOut, "agency.txt", t.Row(), "A time zone is not known: names are like Europe/Berlin. The agency’s routes are left out.", short(a.TimeZone))
		}
		if a.Name == "" {
			a.Name = cmp.Or(a.ID, "Agency without a name")
			f.Report.Add(csvfile.Note, "agency.txt", t.Row(), "An agency has no name; its agency_id is taken.", short(a.ID))
		}
		a.zone = zone
		f.agencies[a.ID] = int32(len(f.Agencies))
		f.Agencies, rows = append(f.Agencies, a), append(rows, int32(t.Row()))
	})
	usable := false
	for _, a := range f.Agencies {
		usable = usable || a.zone != nil
	}
	if !usable && !f.Report.Stopped() {
		f.Report.Add(csvfile.Stops, "agency.txt", 0, "No agency with a time zone that is known.", "")
	}
}

// zoneOf loads a zone by its IANA name.
func zoneOf(name string) (*time.Location, bool) {
	if name == "" || strings.EqualFold(name, "local") || len(name) > 64 {
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}

func (f *reading) readStops() {
	f.table("stops.txt", []string{"stop_id"}, maxStops, func(t *csvfile.Reader) {
		row := t.Row()
		_, ok := f.name(f.stops, "stops.txt", row, "stop_id", t.Get("stop_id"), func(at int32) int32 { return f.Stops[at].row })
		if !ok {
			return
		}
		kind := t.Get("location_type")
		s := Stop{
			ID: strings.Clone(t.Get("stop_id")), Code: strings.Clone(t.Get("stop_code")), Name: strings.Clone(t.Get("stop_name")), Desc: strings.Clone(t.Get("stop_desc")),
			Platform: strings.Clone(t.Get("platform_code")), FareZone: strings.Clone(t.Get("zone_id")), TimeZone: strings.Clone(t.Get("stop_timezone")),
			parent: strings.Clone(t.Get("parent_station")), row: int32(row), boarding: kind == "" || kind == "0",
		}
		s.locate(t.Get("stop_lat"), t.Get("stop_lon"))
		f.Stops = append(f.Stops, s)
	})
	for i := range f.Stops {
		f.settleStop(&f.Stops[i])
	}
	f.tellTwins()
}

// apart is how near two stops may lie, in degrees, before they look like one: two metres.
const apart = 0.00002

// tellTwins names stops that are probably the same place under two keys. Of each small
// square of the map only the first stop is compared with.
func (f *reading) tellTwins() {
	type square struct{ y, x int64 }
	first := map[square]int{}
	for i := range f.Stops {
		s := &f.Stops[i]
		if !s.Located || !s.boarding {
			continue
		}
		at := square{int64(math.Floor(s.Lat / apart)), int64(math.Floor(s.Lon / apart))}
		for _, d := range []square{{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}} {
			twin, ok := first[square{at.y + d.y, at.x + d.x}]
			if !ok || math.Hypot(s.Lat-f.Stops[twin].Lat, s.Lon-f.Stops[twin].Lon) > apart || s.parent != "" && s.parent == f.Stops[twin].parent {
				continue
			}
			f.Report.Add(csvfile.Note, "stops.txt", int(s.row), "Two stops lie within two metres and are probably one place twice. They are taken as two: a traveller finds only the departures of the one that is chosen.", "stop_id "+short(s.ID)+" and "+short(f.Stops[twin].ID)+" in row "+strconv.Itoa(int(f.Stops[twin].row)))
			break
		}
		if _, taken := first[at]; !taken {
			first[at] = i
		}
	}
}

// locate keeps coordinates that are on Earth.
func (s *Stop) locate(lat, lon string) {
	y, errY := strconv.ParseFloat(lat, 64)
	x, errX := strconv.ParseFloat(lon, 64)
	if errY == nil && errX == nil && y >= -90 && y <= 90 && x >= -180 && x <= 180 && (y != 0 || x != 0) {
		s.Lat, s.Lon, s.Located = y, x, true
	}
}

// settleStop finds the zone of a stop, its station's before its own, and says whether
// a trip may call at it.
func (f *reading) settleStop(s *Stop) {
	if s.parent != "" {
		at, ok := f.stops[s.parent]
		switch {
		case !ok:
			f.Report.Add(csvfile.Note, "stops.txt", int(s.row), "A stop names a station that the file does not have; it is taken without one.", "stop "+short(s.ID)+", station "+short(s.parent))
		case f.Stops[at].TimeZone != "":
			s.TimeZone = f.Stops[at].TimeZone
		}
	}
	if _, ok := zoneOf(s.TimeZone); !ok && s.TimeZone != "" {
		s.why = "whose time zone " + short(s.TimeZone) + " is not known"
		f.Report.Add(csvfile.LeftOut, "stops.txt", int(s.row), "A time zone is not known: names are like Europe/Berlin. Trips that call there are left out.", "stop "+short(s.ID)+", "+short(s.TimeZone))
	}
	if s.boarding && s.Name == "" {
		s.Name = s.ID
		f.Report.Add(csvfile.Note, "stops.txt", int(s.row), "A stop has no name; its stop_id is taken.", short(s.ID))
	}
	if !s.boarding && s.why == "" {
		s.why = "which is a station, an entrance or something else that nobody boards at"
	}
	s.usable = s.why == ""
}

func (f *reading) readRoutes() {
	var rows []int32
	f.table("routes.txt", []string{"route_id"}, maxRoutes, func(t *csvfile.Reader) {
		row := t.Row()
		id := strings.Clone(t.Get("route_id"))
		if _, ok := f.name(f.routes, "routes.txt", row, "route_id", id, func(at int32) int32 { return rows[at] }); !ok {
			return
		}
		r := Route{ID: id, Short: strings.Clone(t.Get("route_short_name")), Long: strings.Clone(t.Get("route_long_name")), Agency: -1}
		if r.Short == "" && r.Long == "" {
			r.Long = "Route " + id
		}
		agency := t.Get("agency_id")
		at, ok := f.agencies[agency]
		switch {
		case ok:
			r.Agency = int(at)
		case agency == "" && len(f.Agencies) == 1:
			r.Agency = 0
		case len(f.Agencies) == 0: // told already
		default:
			f.Report.Add(csvfile.LeftOut, "routes.txt", row, "Routes of an agency that agency.txt does not have are left out.", "route "+short(id)+", agency "+short(agency))
		}
		f.Routes, rows = append(f.Routes, r), append(rows, int32(row))
	})
}
