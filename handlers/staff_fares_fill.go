package handlers

import (
	"errors"
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// savePrices stores a list's prices, or shows what filling would make of them.
func (s *site) savePrices(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	tariff, revision, err := fareForm(r)
	if err != nil {
		return err
	}
	g := readGrid(r)
	if err = s.sendGrid(r, who, tariff, 0, revision, g); err == nil && !g.filling {
		return s.toFares(w, r, fareURL(tariff), "prices saved")
	}
	f := sheetForms{tariff: tariff, grid: g}
	if err == nil {
		return s.showSheet(w, r, who, http.StatusOK, f)
	}
	return s.refuseSheet(w, r, who, err, f)
}

// sendGrid stores a form of prices, or works out what it would be filled with.
func (s *site) sendGrid(r *http.Request, who access.Staff, tariff, band int64, revision int, g *gridForm) error {
	if !g.filling {
		return s.Schedule.SavePrices(r.Context(), s.by(r, who), schedule.PriceChange{Tariff: tariff, Band: band, Revision: revision, Typed: g.typed, Free: g.free})
	}
	x, err := s.Schedule.Sheet(r.Context(), tariff, band)
	if err != nil {
		return err
	}
	made, err := s.Schedule.Fill(r.Context(), x, g.typed, g.fill)
	for k, text := range made {
		g.typed[k] = text
	}
	g.filled = len(made)
	return err
}

func ruleCode(err error) string {
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		return rule.Code
	}
	return ""
}

// fillView is the part of the form that works prices out, as typed.
func fillView(x *schedule.Sheet, g gridForm, bad schedule.FareProblems, lists []schedule.Tariff) views.FareFill {
	f := g.fill
	v := views.FareFill{
		Open: g.filling || len(x.Prices) == 0, Trips: x.Trips(), Method: f.Method, Empty: f.Empty, ListError: bad["from_list"],
		First:   views.FareField{ID: "first", Name: "first", Label: "Price", Value: f.First, Error: bad["first"], Mode: "decimal"},
		Further: views.FareField{ID: "further", Name: "further", Label: "Each further one", Value: f.Further, Error: bad["further"], Mode: "decimal", Hint: "Empty: the same"},
		Minutes: views.FareField{ID: "minutes", Name: "minutes", Label: "Count by minutes", Value: f.Minutes, Error: bad["minutes"], Mode: "numeric", Hint: "Empty: count stops. 30: each begun half hour"},
		Percent: views.FareField{ID: "percent", Name: "percent", Label: "Percent of them", Value: f.Percent, Error: bad["percent"], Mode: "decimal", Hint: "Empty: 100"},
		Step:    views.FareField{ID: "step", Name: "step", Label: "Round to", Value: f.Step, Error: bad["step"], Mode: "decimal", Hint: "Like " + x.Money.Plain(stepExample(x)) + ". Empty: not at all"},
		Zone:    []views.Option{{Text: "All zones"}}, Type: []views.Option{{Text: "All types"}},
		FromZone: []views.Option{{Text: "The same zone"}}, FromType: []views.Option{{Text: "The same type"}},
	}
	if v.Trips {
		v.First.Label = "First leg"
	}
	for _, z := range x.Zones {
		no := strconv.Itoa(z.No)
		v.Zone = append(v.Zone, views.Option{Value: no, Text: z.Name, Selected: f.Zone == no})
		v.FromZone = append(v.FromZone, views.Option{Value: no, Text: z.Name, Selected: f.FromZone == no})
	}
	for _, y := range x.Types {
		v.Type = append(v.Type, views.Option{Value: y.Code, Text: y.Name, Selected: f.Type == y.Code})
		v.FromType = append(v.FromType, views.Option{Value: y.Code, Text: y.Name, Selected: f.FromType == y.Code})
	}
	for _, l := range lists {
		if (l.ID != x.List.ID || x.Band != nil) && l.Currency == x.List.Currency && l.Prices > 0 {
			id := strconv.FormatInt(l.ID, 10)
			v.Lists = append(v.Lists, views.Option{Value: id, Text: l.Name, Selected: f.FromList == id})
		}
	}
	return v
}

// stepExample is half a unit of the currency, ten where it has no decimals.
func stepExample(x *schedule.Sheet) int64 {
	if x.Money.Exponent == 0 || x.Money.Whole {
		unit := int64(10)
		for range x.Money.Exponent {
			unit *= 10
		}
		return unit
	}
	half := int64(5)
	for range x.Money.Exponent - 1 {
		half *= 10
	}
	return half
}
