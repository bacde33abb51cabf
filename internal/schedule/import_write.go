package schedule

import (
	"context"

	"holdfast/db"
	"holdfast/internal/gtfs"
)

type departure = gtfs.Departure

// writer stores what a diff says.
type writer struct {
	j              *feedJob
	places, routes map[string]int64
	fit            []fitting
	publish        bool
}

func (w writer) write(ctx context.Context, t *db.Tx, d diff, r *FeedResult) error {
	if len(d.moveIDs) > 0 {
		moved := make([]db.MovedEvent, len(d.move))
		for i, p := range d.move {
			e := w.event(p, "")
			moved[i] = db.MovedEvent{ID: d.moveIDs[i], StartsAt: e.StartsAt, EndsAt: e.EndsAt, TimeZone: e.TimeZone, RouteID: *e.RouteID, Stops: e.Stops}
		}
		if err := t.MoveEvents(ctx, moved); err != nil {
			return err
		}
	}
	if len(d.drop) > 0 {
		if err := t.DropEvents(ctx, d.drop); err != nil {
			return err
		}
	}
	if len(d.close) > 0 {
		if err := t.SetEventsStatus(ctx, d.close, "cancelled"); err != nil {
			return err
		}
	}
	var list []db.NewEvent
	for i, p := range d.replace {
		was := d.replaced[i]
		e := w.event(p, was.Status)
		e.LayoutVersionID, e.TariffID, e.ResourceID = was.LayoutVersionID, was.TariffID, was.ResourceID
		list = append(list, e)
	}
	for _, p := range d.add {
		list = append(list, w.event(p, "draft"))
	}
	if len(list) == 0 {
		return nil
	}
	ids, err := t.InsertEvents(ctx, list)
	if err != nil || !w.publish {
		return err
	}
	return w.putOnSale(ctx, t, d.add, ids[len(d.replace):], r)
}

// putOnSale publishes the new departures, but for routes whose price list has no price
// for the whole way, or one in another currency: those stay drafts.
func (w writer) putOnSale(ctx context.Context, t *db.Tx, add []planned, ids []int64, r *FeedResult) error {
	of := map[int][]int64{}
	for i, p := range add {
		of[p.pattern] = append(of[p.pattern], ids[i])
	}
	var ready []int64
	for pattern, route := range w.j.routes {
		list := of[pattern]
		if len(list) == 0 {
			continue
		}
		missing, err := t.MissingFares(ctx, list[0])
		if err != nil {
			return err
		}
		if len(missing) > 0 || w.fit[pattern].foreign {
			r.Unpriced, r.UnpricedRoutes = r.Unpriced+len(list), append(r.UnpricedRoutes, route.Name)
			continue
		}
		ready = append(ready, list...)
	}
	return t.SetEventsStatus(ctx, ready, "published")
}

// event is a departure in our terms. The coach stays open: it is given later.
func (w writer) event(p planned, status string) db.NewEvent {
	last := len(p.calls) - 1
	route, fit := w.routes[w.j.routes[p.pattern].ExternalID], w.fit[p.pattern]
	e := db.NewEvent{
		Kind: "trip", Status: status, StartsAt: p.calls[0].Departs, EndsAt: p.calls[last].Arrives,
		TimeZone: w.j.feed.ZoneOf(p.calls[0].Stop, w.j.agency), BusinessDay: p.day,
		LayoutVersionID: fit.layout, TariffID: fit.tariff, RouteID: &route, ExternalID: &p.key,
	}
	for _, c := range p.calls {
		e.Stops = append(e.Stops, db.NewStop{
			PlaceID: w.places[w.j.places[w.j.stopAt[c.Stop]].ExternalID], ArrivesAt: c.Arrives, DepartsAt: c.Departs, MayBoard: c.Board, MayAlight: c.Alight, Note: c.Note,
		})
	}
	return e
}
