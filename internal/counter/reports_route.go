package counter

import (
	"context"
	"fmt"
	"slices"

	"holdfast/db"
	"holdfast/internal/domain"
)

// RouteName is a route that had trips.
type RouteName = db.RouteName

// Routes lists the routes that a report can be about.
func (s *Reports) Routes(ctx context.Context) ([]RouteName, error) { return s.db.RouteNames(ctx) }

// Route is how full a route's trips of some business days were, leg by leg, and who paid
// what from where to where. domain.ErrNotFound: no trips of such a route.
func (s *Reports) Route(ctx context.Context, route int64, span Span, house string) (*Sheet, error) {
	r, err := s.start(ctx, span)
	if err != nil {
		return nil, err
	}
	names, err := s.db.RouteNames(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(names, func(n RouteName) bool { return n.ID == route })
	if i < 0 {
		return nil, domain.ErrNotFound
	}
	r.Subject = names[i].Name
	legs, err := s.db.LegSums(ctx, route, span.From, span.To)
	if err != nil {
		return nil, err
	}
	pairs, err := s.db.PairSums(ctx, route, span.From, span.To)
	if err != nil {
		return nil, err
	}
	later, err := s.db.PairCorrections(ctx, route, span.From, span.To)
	if err != nil {
		return nil, err
	}
	for i, code := range currencies(house, slices.Concat(pairs, later), func(x db.PairSum) string { return x.Currency }) {
		x := Section{Currency: code}
		if i == 0 { // seats have no currency
			x.Figures, x.Tables = legFigures(legs), []Table{byLeg(legs)}
		}
		x.Tables = append(x.Tables, byPair(inCode(code, pairs)), pairCorrections(inCode(code, later)))
		r.Sections = append(r.Sections, x)
	}
	return r, nil
}

func inCode(code string, all []db.PairSum) []db.PairSum {
	return slices.DeleteFunc(slices.Clone(all), func(x db.PairSum) bool { return x.Currency != code })
}

func legFigures(legs []db.LegSum) []Figure {
	var sold, offered int64
	trips := 0
	for _, l := range legs {
		sold, offered, trips = sold+int64(l.Sold), offered+int64(l.Offered), max(trips, l.Trips)
	}
	return []Figure{
		{"Trips", counts(trips), Count, "on sale"},
		{"Seat legs sold", number(sold), Count, fmt.Sprintf("of %d offered", offered)},
		{"Filled", share(sold, offered), Percent, "seat legs sold of those offered"},
	}
}

func byLeg(legs []db.LegSum) Table {
	t := table("leg", "Leg by leg", Column{"Leg", Words}, Column{"Trips", Count}, Column{"Seats offered", Count}, Column{"Seats sold", Count}, Column{"Filled", Percent})
	t.None, t.Chart = "No trip ran in these days.", 4
	t.Words = "A seat that is sold from the first stop to the third counts on both legs. A trip that was cancelled while it was empty offered nothing."
	var sold, offered int64
	for _, l := range legs {
		sold, offered = sold+int64(l.Sold), offered+int64(l.Offered)
		t.add(says(l.From+" to "+l.To), counts(l.Trips), counts(l.Offered), counts(l.Sold), share(int64(l.Sold), int64(l.Offered)))
	}
	t.total("All legs")
	if t.Foot != nil {
		t.Foot[1] = Cell{Empty: true} // the same trips on each leg
		t.Foot[4] = share(sold, offered)
	}
	return t
}

func byPair(pairs []db.PairSum) Table {
	t := table("pair", "From stop to stop", Column{"From", Words}, Column{"To", Words}, Column{"Sold", Count}, Column{"Taken back", Count}, Column{"Passengers", Count},
		Column{"Gross", Amount}, Column{"Tax", Amount}, Column{"Net", Amount})
	t.None = "Nobody travelled."
	t.Words = "Trips of these days, with what was entered up to the last of them."
	for _, p := range pairs {
		t.add(says(p.From), says(p.To), counts(p.Sold), counts(p.Returned), counts(p.Sold-p.Returned), number(p.Amount), number(p.Tax), number(p.Amount-p.Tax))
	}
	t.total("All stops")
	return t
}

func pairCorrections(later []db.PairSum) Table {
	t := table("correction", "Corrections of trips before", Column{"From", Words}, Column{"To", Words}, Column{"Entered on", Date}, Column{"Sold", Count},
		Column{"Taken back", Count}, Column{"Passengers", Count}, Column{"Gross", Amount}, Column{"Tax", Amount}, Column{"Net", Amount})
	t.None = "None."
	t.Words = "Lines that were entered in these days about trips that were over: a refund after the journey, for example."
	for _, p := range later {
		t.add(says(p.From), says(p.To), date(*p.EnteredOn), counts(p.Sold), counts(p.Returned), counts(p.Sold-p.Returned), number(p.Amount), number(p.Tax), number(p.Amount-p.Tax))
	}
	t.total("All corrections")
	return t
}
