package gtfs

import (
	"strings"

	"holdfast/internal/csvfile"
)

func (f *reading) readTrips() {
	const name = "trips.txt"
	f.table(name, []string{"route_id", "service_id", "trip_id"}, maxTrips, func(t *csvfile.Reader) {
		f.TripRows++
		id, row := strings.Clone(t.Get("trip_id")), t.Row()
		if _, ok := f.name(f.trips, name, row, "trip_id", id, func(at int32) int32 { return f.Trips[at].row }); !ok {
			return
		}
		trip := Trip{ID: id, Headsign: strings.Clone(t.Get("trip_headsign")), Short: strings.Clone(t.Get("trip_short_name")), row: int32(row), out: true}
		route, known := f.routes[t.Get("route_id")]
		service, dated := f.services[t.Get("service_id")]
		trip.Route, trip.service = int(route), service
		switch {
		case !known:
			f.Report.Add(csvfile.LeftOut, name, row, "Trips of a route that routes.txt does not have are left out.", "trip "+short(id)+", route "+short(t.Get("route_id")))
		case f.Routes[route].Agency < 0 || f.Agencies[f.Routes[route].Agency].zone == nil:
			// told of the agency or of the route
		case !dated:
			f.Report.Add(csvfile.LeftOut, name, row, "Trips of a service that no calendar has are left out.", "trip "+short(id)+", service "+short(t.Get("service_id")))
		case f.Feed.services[service].broken:
			f.Report.Add(csvfile.LeftOut, name, row, "Trips of a service whose dates cannot be read are left out.", "trip "+short(id)+", service "+short(t.Get("service_id")))
		default:
			trip.out, trip.dated = false, true
		}
		f.Trips = append(f.Trips, trip)
	})
}

// keepSellable drops the trips that are out, so that what is left can be sold.
func (f *reading) keepSellable() {
	kept := f.Trips[:0]
	called := make([]bool, len(f.Stops))
	for i := range f.Trips {
		t := f.Trips[i]
		if t.out {
			if t.dated {
				f.dropped = append(f.dropped, droppedTrip{int32(t.Route), t.service})
			}
			continue
		}
		for _, x := range f.times[t.first:t.last] {
			called[x.stop] = true
		}
		kept = append(kept, t)
	}
	clear(f.Trips[len(kept):])
	f.Trips, f.Feed.times = kept, f.times
	for i, s := range f.Stops {
		if s.boarding && !called[i] {
			f.Unused++
		}
	}
	if len(f.Trips) == 0 {
		f.Report.Add(csvfile.Stops, "trips.txt", 0, "Not one trip of the feed can be sold by seat.", "")
	}
}
