package schedule

import (
	"context"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/gtfs"
)

// FeedChanges is what an import does to the departures.
type FeedChanges struct {
	New       int // made
	Same      int // there already, unchanged
	Moved     int // changed in the feed, nobody has seats: changed here too
	Dropped   int // no longer in the feed, nobody has seats: removed
	Past      int // left already: not made
	Kept      []KeptDeparture
	KeptCount int // of Kept, which may be cut short
}

// KeptDeparture is one that the feed changed or dropped and that was left as it was.
type KeptDeparture struct {
	EventID  int64
	Route    string
	StartsAt time.Time
	TimeZone string
	Tickets  int
	Gone     bool   // no longer in the feed
	Why      string // when it is not the tickets
}

// planned is a departure as the feed has it.
type planned struct {
	key     string
	pattern int
	day     time.Time
	calls   []gtfs.Call
}

// diff is what has to be done so that the departures are the feed's.
type diff struct {
	add      []planned
	move     []planned
	moveIDs  []int64
	replace  []planned          // the stops' number changed and nobody ever chose a seat
	replaced []db.ImportedEvent // what they replace
	drop     []int64            // those replaced too
	close    []int64            // somebody once chose seats: cancelled, not removed
	dropped  int
	kept     []KeptDeparture
	same     int
	past     int
}

func (d diff) told() FeedChanges {
	return FeedChanges{New: len(d.add), Same: d.same, Moved: len(d.move) + len(d.replace), Dropped: d.dropped, Past: d.past, Kept: d.kept, KeptCount: len(d.kept)}
}

// touched are the events that the difference changes.
func (d diff) touched() []int64 {
	return append(append(append([]int64{}, d.moveIDs...), d.drop...), d.close...)
}

func (j *feedJob) planned() []planned {
	out := make([]planned, 0, len(j.plan.Departures))
	for _, d := range j.plan.Departures {
		out = append(out, planned{key: departureKey(j.key, j.feed.Trips[d.Trip].ID, d), pattern: d.Pattern, day: d.Day, calls: j.feed.Calls(d)})
	}
	return out
}

// compare reads what is there and says what the import would do about it.
func (j *feedJob) compare(ctx context.Context, q db.Queries) (diff, error) {
	var d diff
	list := j.planned()
	keys := make([]string, len(list))
	for i, p := range list {
		keys[i] = p.key
	}
	there, err := q.ImportedEvents(ctx, tripPrefix(j.key), keys, j.from, j.until)
	if err != nil {
		return d, err
	}
	ids := make([]int64, len(there))
	byKey := make(map[string]db.ImportedEvent, len(there))
	for i, e := range there {
		ids[i], byKey[e.ExternalID] = e.ID, e
	}
	stops := map[int64][]domain.EventStop{}
	if len(ids) > 0 {
		all, err := q.EventStops(ctx, ids...)
		if err != nil {
			return d, err
		}
		for _, s := range all {
			stops[s.EventID] = append(stops[s.EventID], s)
		}
	}
	places, err := q.PlacesByExternal(ctx, j.placeKeys())
	if err != nil {
		return d, err
	}
	routes, err := q.RoutesByExternal(ctx, j.routeKeys())
	if err != nil {
		return d, err
	}
	wanted := make(map[string]bool, len(list))
	for _, p := range list {
		wanted[p.key] = true
		e, known := byKey[p.key]
		switch {
		case known:
			d.settle(j, p, e, stops[e.ID], places, routes[j.routes[p.pattern].ExternalID])
		case !p.calls[0].Departs.After(j.now):
			d.past++
		default:
			d.add = append(d.add, p)
		}
	}
	for _, e := range there {
		day, ok := serviceDay(tripPrefix(j.key), e.ExternalID)
		if !wanted[e.ExternalID] && ok && !day.Before(j.from) && !day.After(j.until) {
			d.gone(j, e, stops[e.ID])
		}
	}
	return d, nil
}

func (j *feedJob) placeKeys() []string {
	out := make([]string, len(j.places))
	for i, p := range j.places {
		out[i] = p.ExternalID
	}
	return out
}

// settle decides about a departure that is there already.
func (d *diff) settle(j *feedJob, p planned, e db.ImportedEvent, stops []domain.EventStop, places map[string]int64, route int64) {
	same := len(stops) == len(p.calls) && e.RouteID == route
	for i := 0; same && i < len(stops); i++ {
		s, c := stops[i], p.calls[i]
		same = s.PlaceID == places[j.places[j.stopAt[c.Stop]].ExternalID] && s.ArrivesAt.Equal(c.Arrives) && s.DepartsAt.Equal(c.Departs) &&
			s.MayBoard == c.Board && s.MayAlight == c.Alight && s.Note == c.Note
	}
	why := ""
	switch {
	case same && e.Status != "cancelled":
		d.same++
		return
	case e.Status == "cancelled":
		why = "it is cancelled here"
	case !e.StartsAt.After(j.now):
		why = "it has left"
	case e.Tickets > 0 || e.Holding:
	case e.Blocked:
		why = "seats of it are blocked"
	case len(stops) == len(p.calls):
		d.move, d.moveIDs = append(d.move, p), append(d.moveIDs, e.ID)
		return
	case e.Chosen:
		why = "it has other stops now, and somebody once chose seats"
	default:
		d.replace, d.replaced, d.drop = append(d.replace, p), append(d.replaced, e), append(d.drop, e.ID)
		return
	}
	if why == "" && e.Tickets == 0 {
		why = "somebody is choosing or paying for seats"
	}
	d.keep(e, stops, why, false)
}

// gone decides about a departure that the feed no longer has.
func (d *diff) gone(j *feedJob, e db.ImportedEvent, stops []domain.EventStop) {
	switch {
	case e.Status == "cancelled" || !e.StartsAt.After(j.now):
	case e.Tickets > 0:
		d.keep(e, stops, "", true)
	case e.Holding:
		d.keep(e, stops, "somebody is choosing or paying for seats", true)
	case e.Chosen || e.Blocked:
		d.close, d.dropped = append(d.close, e.ID), d.dropped+1
	default:
		d.drop, d.dropped = append(d.drop, e.ID), d.dropped+1
	}
}

func (d *diff) keep(e db.ImportedEvent, stops []domain.EventStop, why string, gone bool) {
	zone := "UTC"
	if len(stops) > 0 {
		zone = stops[0].TimeZone
	}
	d.kept = append(d.kept, KeptDeparture{EventID: e.ID, Route: e.Route, StartsAt: e.StartsAt, TimeZone: zone, Tickets: e.Tickets, Gone: gone, Why: why})
}
