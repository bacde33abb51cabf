package schedule

import (
	"context"
	"fmt"

	"holdfast/db"
	"holdfast/internal/gtfs"
)

// namePlaces turns the stops that the agency's trips call at into places. Names are
// unique here and often not in feeds: the platform, the stop's code or its id tells two
// of one name apart.
func (j *feedJob) namePlaces(ctx context.Context, q db.Queries) error {
	j.stopAt = map[int]int{}
	var order []int
	same := map[string]int{}
	for _, p := range j.plan.Patterns {
		for _, c := range p.Calls {
			if _, ok := j.stopAt[c.Stop]; !ok {
				j.stopAt[c.Stop] = len(order)
				order = append(order, c.Stop)
				same[cut(j.feed.Stops[c.Stop].Name, 200)]++
			}
		}
	}
	j.places = make([]db.ImportPlace, len(order))
	keys := make([]string, len(order))
	for i, stop := range order {
		keys[i] = placeKey(j.key, j.feed.Stops[stop].ID)
	}
	others, err := q.OtherPlaceNames(ctx, keys)
	if err != nil {
		return err
	}
	taken := names{}
	for _, name := range others {
		taken[name] = true
	}
	for i, stop := range order {
		j.places[i] = j.place(stop, keys[i], taken, same[cut(j.feed.Stops[stop].Name, 200)] > 1)
	}
	return nil
}

func (j *feedJob) place(stop int, key string, taken names, shared bool) db.ImportPlace {
	s := j.feed.Stops[stop]
	choice := []string{s.Name + " (" + s.ID + ")"}
	if s.Code != "" {
		choice = append([]string{s.Name + " (" + s.Code + ")"}, choice...)
	}
	if s.Platform != "" {
		choice = append([]string{s.Name + ", platform " + s.Platform}, choice...)
	}
	if !shared {
		choice = append([]string{s.Name}, choice...)
	}
	p := db.ImportPlace{ExternalID: key, Name: taken.take(choice[0], choice[1:]...), TimeZone: j.feed.ZoneOf(stop, j.agency)}
	if s.Desc != s.Name {
		p.Address = cut(s.Desc, 300)
	}
	if s.Located {
		p.Latitude, p.Longitude = &s.Lat, &s.Lon
	}
	return p
}

// nameRoutes turns each way a GTFS route goes into a route of ours: "12 Coast Line:
// Colombo – Galle via Kalutara".
func (j *feedJob) nameRoutes(ctx context.Context, q db.Queries) error {
	j.routes = make([]db.ImportRoute, len(j.plan.Patterns))
	for i, p := range j.plan.Patterns {
		j.routes[i].ExternalID = routeKey(j.key, j.feed.Routes[p.Route].ID, p.Key)
	}
	others, err := q.OtherRouteNames(ctx, j.routeKeys())
	if err != nil {
		return err
	}
	taken := names{}
	for _, name := range others {
		taken[name] = true
	}
	for i, p := range j.plan.Patterns {
		first, last := j.feed.Stops[p.Calls[0].Stop].Name, j.feed.Stops[p.Calls[len(p.Calls)-1].Stop].Name
		name := fmt.Sprintf("%s: %s – %s", cut(j.feed.Routes[p.Route].Name(), 80), cut(first, 40), cut(last, 40))
		via := name
		if len(p.Calls) > 2 {
			via += " via " + cut(j.feed.Stops[p.Calls[len(p.Calls)/2].Stop].Name, 30)
		}
		j.routes[i].Name = taken.take(name, via)
	}
	return nil
}

func (j *feedJob) routeKeys() []string {
	out := make([]string, len(j.routes))
	for i, r := range j.routes {
		out[i] = r.ExternalID
	}
	return out
}

// fillRouteStops gives the routes their stops once the places have ids.
func (j *feedJob) fillRouteStops(places map[string]int64) {
	for i, p := range j.plan.Patterns {
		stops := make([]db.ImportRouteStop, len(p.Calls))
		for k, c := range p.Calls {
			stops[k] = db.ImportRouteStop{
				PlaceID: places[j.places[j.stopAt[c.Stop]].ExternalID], ArriveAfter: c.ArriveAfter / 60, DepartAfter: c.DepartAfter / 60,
				MayBoard: c.Board, MayAlight: c.Alight, Note: c.Note, Zone: cut(j.feed.Stops[c.Stop].FareZone, 60),
			}
		}
		j.routes[i].Stops = stops
	}
}

// rides are the pairs of stops that somebody can buy a ticket between.
func rides(calls []gtfs.PatternCall) []string {
	var out []string
	for a := range calls {
		for b := a + 1; b < len(calls); b++ {
			if calls[a].Board && calls[b].Alight {
				out = append(out, fmt.Sprintf("%d-%d", a, b))
			}
		}
	}
	return out
}
