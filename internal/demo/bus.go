package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"holdfast/db"
)

// trip is one planned departure. Way is an index into directions.
type trip struct {
	way     int
	sleeper bool
	start   time.Time
	soldOut bool
	vehicle int // filled by assign
}

// lead is how far ahead the nearest departure is made, so that it can be bought.
const lead = 40 * time.Minute

// planTrips is eight days of departures from the date of now at each first stop,
// the wall clock kept over changes of summer time. Of today's that have left, those
// stay that somebody can still board. Where today has none left, a late coach is
// added if the day is long enough.
func planTrips(now time.Time, zones []*time.Location) []trip {
	var out []trip
	for way, d := range directions() {
		zone := zones[way]
		y, m, day := now.In(zone).Date()
		today := time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
		last := time.Duration(d.calls[len(d.calls)-2].depart) * time.Minute
		ahead := false
		for n := range 8 {
			for i, clock := range d.clocks {
				start := at(today.AddDate(0, 0, n), clock[0], clock[1], zone)
				if !start.Add(last).After(now.Add(lead)) {
					continue
				}
				ahead = ahead || n == 0 && start.After(now.Add(lead))
				out = append(out, trip{way: way, sleeper: i == 2, start: start, soldOut: way == 0 && n == 2 && i == 2})
			}
		}
		if late := roundUp(now.Add(lead), 15); !ahead && late.In(zone).Day() == day {
			out = append(out, trip{way: way, start: late})
		}
	}
	slices.SortStableFunc(out, func(a, b trip) int { return a.start.Compare(b.start) })
	return out
}

// vehicle is a coach on its way between the ends of the line.
type vehicle struct {
	sleeper bool
	way     int // the direction it can take next
	free    time.Time
}

// assign gives every trip, in order of departure, a coach that stands at its first
// stop and has rested for two hours, a new one where there is none.
func assign(trips []trip) []vehicle {
	var fleet []vehicle
	ride := time.Duration(directions()[0].calls[4].arrive) * time.Minute
	for i, t := range trips {
		v := slices.IndexFunc(fleet, func(v vehicle) bool {
			return v.sleeper == t.sleeper && v.way == t.way && !t.start.Before(v.free)
		})
		if v < 0 {
			v = len(fleet)
			fleet = append(fleet, vehicle{sleeper: t.sleeper})
		}
		trips[i].vehicle = v
		fleet[v].way, fleet[v].free = 1-t.way, t.start.Add(ride+2*time.Hour)
	}
	return fleet
}

// way is what is stored of a direction.
type way struct {
	zone                         *time.Location
	zoneName                     string
	route, coachFare, berthsFare int64
}

// bus stores the line, its coaches and prices and plans the trips.
func (l *loader) bus(ctx context.Context) error {
	ways, err := l.line(ctx)
	if err != nil {
		return err
	}
	zones := make([]*time.Location, len(ways))
	for i, w := range ways {
		zones[i] = w.zone
	}
	trips := planTrips(l.now, zones)
	fleet, err := l.fleet(ctx, assign(trips))
	if err != nil {
		return err
	}
	ids, err := l.tx.DrawIDs(ctx, "events", len(trips))
	if err != nil {
		return err
	}
	for i, t := range trips {
		w, coach := ways[t.way], fleet[t.vehicle]
		e := db.DemoEvent{
			ID: ids[i], Kind: "trip", StartsAt: t.start, EndsAt: t.start.Add(time.Duration(directions()[t.way].calls[4].arrive) * time.Minute),
			TimeZone: w.zoneName, BusinessDay: businessDay(t.start, w.zone).Format(time.DateOnly), LastStop: 4,
			LayoutID: coach.LayoutID, ResourceID: coach.ID, TariffID: w.coachFare, RouteID: &w.route,
		}
		if t.sleeper {
			e.TariffID = w.berthsFare
		}
		l.events = append(l.events, e)
		l.moods[e.ID] = mood{soldOut: t.soldOut, wanted: l.interest(t.start, t.sleeper)}
	}
	return nil
}

// line stores places, both routes and their prices.
func (l *loader) line(ctx context.Context) ([]way, error) {
	var places []int64
	for _, c := range cities() {
		id, err := l.tx.AddDemoPlace(ctx, l.free(c.name), c.address, c.zone)
		if err != nil {
			return nil, err
		}
		places = append(places, id)
	}
	if err := l.tx.RecordDemo(ctx, "places", places...); err != nil {
		return nil, err
	}
	var out []way
	for _, d := range directions() {
		w := way{zoneName: cities()[d.calls[0].city].zone}
		var err error
		if w.zone, err = time.LoadLocation(w.zoneName); err != nil {
			return nil, fmt.Errorf("time zone: %w", err)
		}
		if w.route, err = l.tx.AddDemoRoute(ctx, l.free(d.route), d.stops(places)); err != nil {
			return nil, err
		}
		l.rides[w.route] = d.rides()
		if w.coachFare, err = l.tariff(ctx, d.coachTariff, 1000, &w.route, d.fares(100, 110)); err != nil {
			return nil, err
		}
		if w.berthsFare, err = l.tariff(ctx, d.sleeperTariff, 1000, &w.route, d.fares(145, 130)); err != nil {
			return nil, err
		}
		if err = l.tx.RecordDemo(ctx, "routes", w.route); err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

// fleet stores the coaches.
func (l *loader) fleet(ctx context.Context, vehicles []vehicle) ([]db.DemoResource, error) {
	seats, err := l.layout(ctx, coach49())
	if err != nil {
		return nil, err
	}
	berths, err := l.layout(ctx, sleeper30())
	if err != nil {
		return nil, err
	}
	out := make([]db.DemoResource, len(vehicles))
	for i, v := range vehicles {
		out[i] = db.DemoResource{Kind: "coach", Name: fmt.Sprintf("Coach %d", 21+i), LayoutID: seats, TurnaroundMin: 60, Note: "2+2 seats, air-conditioned, Wi-Fi"}
		if v.sleeper {
			out[i].Name, out[i].LayoutID, out[i].Note = fmt.Sprintf("Sleeper %d", 21+i), berths, "2+1 berths on two decks, air-conditioned, WC"
		}
	}
	return out, l.resources(ctx, out)
}
