package demo

import (
	"holdfast/db"
	"holdfast/internal/domain"
)

// The cities, as indexes into the list of places.
const (
	trieste = iota
	ljubljana
	zagreb
	belgrade
	thessaloniki
)

type city struct {
	name, address, zone string
	km                  int64 // from Trieste
}

func cities() []city {
	return []city{
		trieste:      {"Trieste", "Bus station, Piazza della Libertà 11, bay 6", houseZone, 0},
		ljubljana:    {"Ljubljana", "Bus station, Trg Osvobodilne fronte 4, bay 21", "Europe/Ljubljana", 95},
		zagreb:       {"Zagreb", "Bus station, Avenija Marina Držića 4, bay 304", "Europe/Zagreb", 235},
		belgrade:     {"Belgrade", "Bus station, Zemunska 8, bay 14", "Europe/Belgrade", 625},
		thessaloniki: {"Thessaloniki", "Macedonia coach station, Giannitson 244, bay 33", "Europe/Athens", 1255},
	}
}

// call is a stop of a direction, in minutes after the first departure.
type call struct {
	city           int
	arrive, depart int
	boardOnly      bool
	note           string
}

// direction is one way of the line.
type direction struct {
	route, coachTariff, sleeperTariff string
	calls                             []call
	clocks                            [3][2]int // morning coach, midday coach, evening sleeper, at the first stop
}

const (
	breakNote  = "45 minutes’ break; food and washrooms in the hall"
	borderNote = "Boarding only: nobody may alight here on the way from Trieste"
)

func directions() []direction {
	return []direction{
		{
			route: "Trieste – Thessaloniki", coachTariff: "Coach to Thessaloniki", sleeperTariff: "Sleeper to Thessaloniki",
			clocks: [3][2]int{{7, 30}, {13, 0}, {22, 15}},
			calls: []call{
				{city: trieste},
				{city: ljubljana, arrive: 95, depart: 105, boardOnly: true, note: borderNote},
				{city: zagreb, arrive: 255, depart: 270},
				{city: belgrade, arrive: 630, depart: 675, note: breakNote},
				{city: thessaloniki, arrive: 1060, depart: 1060},
			},
		},
		{
			route: "Thessaloniki – Trieste", coachTariff: "Coach to Trieste", sleeperTariff: "Sleeper to Trieste",
			clocks: [3][2]int{{8, 0}, {14, 30}, {22, 30}},
			calls: []call{
				{city: thessaloniki},
				{city: belgrade, arrive: 385, depart: 430, note: breakNote},
				{city: zagreb, arrive: 790, depart: 805},
				{city: ljubljana, arrive: 955, depart: 965},
				{city: trieste, arrive: 1060, depart: 1060},
			},
		},
	}
}

func (d direction) stops(places []int64) []db.DemoRouteStop {
	out := make([]db.DemoRouteStop, len(d.calls))
	for i, c := range d.calls {
		out[i] = db.DemoRouteStop{
			StopNo: i, PlaceID: places[c.city], ArriveAfter: c.arrive, DepartAfter: c.depart,
			MayBoard: i < len(d.calls)-1, MayAlight: i > 0 && !c.boardOnly, Note: c.note,
		}
	}
	return out
}

// rides are the pairs of stops on sale.
func (d direction) rides() []domain.Ride {
	var out []domain.Ride
	for from := range d.calls {
		for to := from + 1; to < len(d.calls); to++ {
			if !d.calls[to].boardOnly {
				out = append(out, domain.Ride{From: from, To: to})
			}
		}
	}
	return out
}

// fares are by distance, in cents and to the half euro; percents are those of the
// zones.
func (d direction) fares(percents ...int64) []db.DemoFare {
	var out []db.DemoFare
	all := cities()
	for _, r := range d.rides() {
		km := all[d.calls[r.To].city].km - all[d.calls[r.From].city].km
		if km < 0 {
			km = -km
		}
		base := 450 + km*6
		for i, percent := range percents {
			for code, part := range map[string]int64{"adult": 100, "child": 50, "senior": 85} {
				out = append(out, db.DemoFare{Zone: i + 1, Type: code, From: r.From, To: r.To, Price: round50(base * percent * part / 10000)})
			}
		}
	}
	return out
}
