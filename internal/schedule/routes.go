package schedule

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// What the house keeps of routes, as the database has it.
type (
	Route     = db.Route
	RouteStop = db.RouteStop
)

// MostStops is how many stops a route can have.
const MostStops = 60

// HouseRoutes lists routes by name. find "" finds all.
func (s *Service) HouseRoutes(ctx context.Context, find string, archived bool) ([]RouteLine, error) {
	return s.db.Routes(ctx, line(find), archived)
}

// HouseRoute reads a route, its stops and what uses it; domain.ErrNotFound.
func (s *Service) HouseRoute(ctx context.Context, id int64) (Route, []RouteStop, Use, error) {
	r, err := s.db.Route(ctx, id)
	if err != nil {
		return r, nil, Use{}, err
	}
	stops, err := s.db.RouteStops(ctx, id)
	if err != nil {
		return r, nil, Use{}, err
	}
	use, err := s.db.RouteUse(ctx, id)
	return r, stops, use, err
}

// SaveRoute stores a new route, id 0, or changes one. Trips have stops of their own
// and keep them. InvalidForm: what to mend. domain.ErrStale: somebody else changed it
// since the form's revision.
func (s *Service) SaveRoute(ctx context.Context, by domain.By, id int64, form RouteForm) (int64, error) {
	name, stops, err := form.read()
	if err != nil {
		return id, err
	}
	saved := id
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		if id == 0 {
			saved, err = insertRoute(ctx, t, by, name, stops)
			return err
		}
		return changeRoute(ctx, t, by, Route{ID: id, Name: name, Revision: form.Revision}, stops)
	})
	return saved, takenRoute(err)
}

func takenRoute(err error) error {
	return taken(err, "name", "Another route has this name. Archived routes count too.")
}

func insertRoute(ctx context.Context, t *db.Tx, by domain.By, name string, stops []RouteStop) (int64, error) {
	id, err := t.InsertRoute(ctx, name)
	if err != nil {
		return 0, err
	}
	if err := setStops(ctx, t, id, stops); err != nil {
		return 0, err
	}
	return id, t.Log(ctx, by, "route_added", subject(ARoute, id), nil, RouteFormOf(Route{Name: name}, stops).Fields())
}

// setStops: a place that was deleted meanwhile is no conflict over the name.
func setStops(ctx context.Context, t *db.Tx, id int64, stops []RouteStop) error {
	err := t.SetRouteStops(ctx, id, stops)
	if isConflict(err) {
		return InvalidForm{{"stops", "One of these places was deleted meanwhile. Please choose another."}}
	}
	return err
}

func changeRoute(ctx context.Context, t *db.Tx, by domain.By, r Route, stops []RouteStop) error {
	was, err := t.Route(ctx, r.ID)
	if err != nil {
		return err
	}
	done, err := t.UpdateRoute(ctx, r) // first: it lets one at a time through
	if err == nil && !done {
		err = domain.ErrStale
	}
	if err != nil {
		return err
	}
	old, err := t.RouteStops(ctx, r.ID)
	if err != nil {
		return err
	}
	if err := setStops(ctx, t, r.ID, stops); err != nil {
		return err
	}
	before, after := changed(RouteFormOf(was, old).Fields(), RouteFormOf(r, stops).Fields())
	if len(after) == 0 {
		return nil
	}
	return t.Log(ctx, by, "route_changed", subject(ARoute, r.ID), before, after)
}

// ReturnRoute makes the route back: the stops in reverse with the same times between
// them, boarding and alighting exchanged. It answers the new route.
func (s *Service) ReturnRoute(ctx context.Context, by domain.By, id int64) (back int64, err error) {
	r, stops, _, err := s.HouseRoute(ctx, id)
	if err != nil {
		return 0, err
	}
	if len(stops) < 2 {
		return 0, &domain.RuleError{Code: "stops", Words: "This route has no way back yet: it needs two stops at least."}
	}
	err = domain.ErrConflict
	for try := 1; isConflict(err) && try <= 9; try++ {
		name := backName(r.Name)
		if try > 1 {
			name += " " + strconv.Itoa(try)
		}
		err = s.db.InTx(ctx, func(t *db.Tx) error {
			back, err = insertRoute(ctx, t, by, name, Reversed(stops))
			return err
		})
	}
	if isConflict(err) {
		return 0, &domain.RuleError{Code: "name", Words: "The way back was made many times already. Please rename those first."}
	}
	return back, err
}

// backName turns "A – B" round, other names say that it is the way back.
func backName(name string) string {
	for _, dash := range []string{" – ", " — ", " - ", " to "} {
		if ends := strings.Split(name, dash); len(ends) == 2 {
			return ends[1] + dash + ends[0]
		}
	}
	return name + ", back"
}

// Reversed is the way back along stops.
func Reversed(stops []RouteStop) []RouteStop {
	out := make([]RouteStop, len(stops))
	last := len(stops) - 1
	for i := range stops {
		from := stops[last-i]
		end := stops[last].ArriveAfter
		x := RouteStop{
			PlaceID: from.PlaceID, ArriveAfter: end - from.DepartAfter, DepartAfter: end - from.ArriveAfter,
			MayBoard: from.MayAlight, MayAlight: from.MayBoard, Note: from.Note, Zone: from.Zone,
		}
		switch i {
		case 0:
			x.ArriveAfter, x.DepartAfter = 0, 0
		case last:
			x.ArriveAfter = end - stops[0].DepartAfter
			x.DepartAfter = x.ArriveAfter
		}
		out[i] = x
	}
	return out
}

var errStopFields = errors.New("the stops' fields do not match")
