package schedule

import (
	"context"
	"fmt"
	"slices"

	"holdfast/db"
	"holdfast/internal/domain"
)

// FeedOrder is what the owner decided on the preview.
type FeedOrder struct {
	FeedChoice
	Publish          bool
	Layout, Tariff   int64 // a layout's version and a price list for all routes; 0: none
	Routes           map[string]RouteOrder
	WithoutDeparture bool // routes and stops only
}

// RouteOrder is what differs for one route, by FeedRoute.Key. Zero means as for all.
type RouteOrder struct {
	Skip           bool // no departures of this route
	Layout, Tariff int64
}

// FeedResult is what an import did.
type FeedResult struct {
	Places, PlacesChanged int64
	Routes                int64
	Changes               FeedChanges
	Published             bool
	Unpriced              int      // new departures that stay drafts: no price for the whole way
	UnpricedRoutes        []string // their routes
	KeptZones             []string // places whose zone stayed because tickets are sold there
}

// ImportFeed does what the preview said, in one transaction: all of it or nothing.
func (s *Service) ImportFeed(ctx context.Context, by domain.By, id int64, o FeedOrder, set domain.Settings) (FeedResult, error) {
	f, _, err := s.readFeed(ctx, id)
	if err != nil {
		return FeedResult{}, err
	}
	if f.Report.Stopped() {
		return FeedResult{}, &domain.RuleError{Code: "feed", Words: "Nothing of this feed can be imported before it is mended. Nothing was changed."}
	}
	layouts, err := s.db.CoachLayouts(ctx)
	if err != nil {
		return FeedResult{}, err
	}
	tariffs, err := s.db.RideTariffs(ctx)
	if err != nil {
		return FeedResult{}, err
	}
	job, err := s.feedJob(ctx, f, o.FeedChoice, set, layouts)
	if err != nil {
		return FeedResult{}, err
	}
	if job.plan.Count > maxImportEvents {
		return FeedResult{}, &domain.RuleError{Code: "until", Words: fmt.Sprintf("That would be more than %d departures. Please choose fewer days and import the rest afterwards. Nothing was changed.", maxImportEvents)}
	}
	fit, err := job.fittings(o, layouts, tariffs, set.Currency)
	if err != nil {
		return FeedResult{}, err
	}
	var result FeedResult
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		result = FeedResult{Published: o.Publish}
		if err := t.LockImports(ctx); err != nil {
			return err
		}
		if err := job.apply(ctx, t, o, fit, &result); err != nil {
			return err
		}
		short := result
		short.Changes.Kept = short.Changes.Kept[:min(len(short.Changes.Kept), keptShown)]
		if err := t.DoneImport(ctx, id, short); err != nil {
			return err
		}
		return t.Log(ctx, by, "feed_imported", fmt.Sprintf("import:%d", id), nil, logLine(result))
	})
	return result, err
}

// keptShown is how many departures that were left as they were a result lists.
const keptShown = 200

// logLine is the result in numbers.
func logLine(r FeedResult) map[string]any {
	return map[string]any{
		"places": r.Places, "routes": r.Routes, "made": r.Changes.New, "same": r.Changes.Same, "changed": r.Changes.Moved,
		"removed": r.Changes.Dropped, "left": len(r.Changes.Kept), "published": r.Published,
	}
}

// fitting is the coach plan and the price list of a route's departures.
type fitting struct {
	skip           bool
	layout, tariff int64
	seats          int
	foreign        bool // the price list is in another currency than the house sells in
}

// fittings settles them for every route that has departures.
func (j *feedJob) fittings(o FeedOrder, layouts []LayoutChoice, tariffs []RideTariff, currency string) ([]fitting, error) {
	out := make([]fitting, len(j.routes))
	for i, p := range j.plan.Patterns {
		own := o.Routes[p.Key]
		x := fitting{skip: own.Skip || o.WithoutDeparture, layout: o.Layout, tariff: o.Tariff}
		if own.Layout != 0 {
			x.layout = own.Layout
		}
		if own.Tariff != 0 {
			x.tariff = own.Tariff
		}
		departs := slices.ContainsFunc(j.plan.Departures, func(d departure) bool { return d.Pattern == i })
		if departs && !x.skip {
			at := slices.IndexFunc(layouts, func(l LayoutChoice) bool { return l.VersionID == x.layout })
			if at < 0 {
				return nil, &domain.RuleError{Code: "layout", Words: "Please choose the coach plan that the departures get their seats from. Nothing was changed."}
			}
			list := slices.IndexFunc(tariffs, func(t RideTariff) bool { return t.ID == x.tariff })
			if list < 0 {
				return nil, &domain.RuleError{Code: "tariff", Words: "Please choose the price list that the departures are sold by. Nothing was changed."}
			}
			x.seats, x.foreign = layouts[at].Seats, tariffs[list].Currency != currency
		}
		out[i] = x
	}
	return out, nil
}

// apply runs inside the transaction.
func (j *feedJob) apply(ctx context.Context, t *db.Tx, o FeedOrder, fit []fitting, r *FeedResult) error {
	var err error
	if r.Places, r.PlacesChanged, err = t.SaveImportPlaces(ctx, j.places); err != nil {
		return err
	}
	if r.KeptZones, err = t.KeptZones(ctx, j.places); err != nil {
		return err
	}
	places, err := t.PlacesByExternal(ctx, j.placeKeys())
	if err != nil {
		return err
	}
	j.fillRouteStops(places)
	if r.Routes, err = t.SaveImportRoutes(ctx, j.routes); err != nil {
		return err
	}
	routes, err := t.RoutesByExternal(ctx, j.routeKeys())
	if err != nil {
		return err
	}
	// Whoever holds seats of what changes waits; whoever was faster is seen by the
	// second look.
	d, err := j.compare(ctx, t.Queries)
	if err != nil {
		return err
	}
	if locked := d.touched(); len(locked) > 0 {
		if _, err := t.LockEvents(ctx, locked...); err != nil {
			return err
		}
		if d, err = j.compare(ctx, t.Queries); err != nil {
			return err
		}
		if slices.ContainsFunc(d.touched(), func(id int64) bool { return !slices.Contains(locked, id) }) {
			return domain.ErrBusy // a hold ended between the two looks
		}
	}
	d.skip(fit)
	if err := d.fits(fit); err != nil {
		return err
	}
	r.Changes = d.told()
	w := writer{j: j, places: places, routes: routes, fit: fit, publish: o.Publish}
	return w.write(ctx, t, d, r)
}

// skip leaves out what the owner does not want departures of.
func (d *diff) skip(fit []fitting) {
	d.add = slices.DeleteFunc(d.add, func(p planned) bool { return fit[p.pattern].skip })
}

// fits refuses more seats than one transaction should make.
func (d *diff) fits(fit []fitting) error {
	sum := 0
	for _, p := range append(append([]planned{}, d.add...), d.replace...) {
		sum += fit[p.pattern].seats * (len(p.calls) - 1)
	}
	if sum > maxImportSeats {
		return &domain.RuleError{Code: "until", Words: fmt.Sprintf("That would be %d seats to sell, counted from stop to stop; one import makes at most %d. Please choose fewer days and import the rest afterwards. Nothing was changed.", sum, maxImportSeats)}
	}
	return nil
}
