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

func (w writer) write(ctx context.Context, t *db.Tx, d diff) error {
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
		if err := t.CloseEvents(ctx, d.close); err != nil {
			return err
		}
	}
	status := "draft"
	if w.publish {
		status = "published"
	}
	var list []db.NewEvent
	for _, p := range d.add {
		list = append(list, w.event(p, status))
	}
	for i, p := range d.replace {
		was := d.replaced[i]
		e := w.event(p, was.Status)
		e.LayoutVersionID, e.TariffID, e.ResourceID = was.LayoutVersionID, was.TariffID, was.ResourceID
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil
	}
	_, err := t.InsertEvents(ctx, list)
	return err
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
