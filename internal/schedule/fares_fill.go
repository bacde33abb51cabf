package schedule

import (
	"context"
	"strconv"
	"strings"

	"holdfast/internal/domain"
)

// FillForm says how to fill a sheet, as typed.
type FillForm struct {
	Method   string // distance, percent, list
	Zone     string // "": all
	Type     string // "": all
	Empty    bool   // only what has no price yet
	First    string // distance: price of the first step
	Further  string // of each further one; "": as the first
	Minutes  string // of a step; "": each leg is one
	FromZone string // percent: "": the same zone
	FromType string // "": the same type
	FromList string // list: its id
	Percent  string // "": 100
	Step     string // what prices are rounded to
}

// Steps is a price by distance: First for the first step, Further for each further one
// that is begun.
type Steps struct{ First, Further int64 }

// Price is that of so many steps, at least one.
func (s Steps) Price(steps int) int64 { return s.First + int64(max(steps, 1)-1)*s.Further }

// StepsIn counts the steps of a ride: its legs, or the begun pieces of so many minutes.
func StepsIn(legs, minutes, piece int) int {
	if piece <= 0 {
		return legs
	}
	return max((minutes+piece-1)/piece, 1)
}

// PercentOf is a part of a price in basis points, half a minor unit up.
func PercentOf(price int64, basisPoints int) int64 {
	return (price*int64(basisPoints) + 5000) / 10000
}

// RoundTo rounds to the nearest multiple of a step, half up. What costs something
// never becomes free.
func RoundTo(price, step int64) int64 {
	if step <= 1 || price == 0 {
		return price
	}
	return max((price+step/2)/step*step, step)
}

// fill is a FillForm that was read.
type fill struct {
	FillForm
	zone, fromZone, minutes, percent int
	steps                            Steps
	step                             int64
	from                             Prices // percent and list: what it is a part of
}

// Fill works out what a sheet would have after filling what is typed now: text per
// changed field, nothing is stored. FareProblems are about the filling's own fields.
func (s *Service) Fill(ctx context.Context, x *Sheet, typed map[PriceKey]string, form FillForm) (map[PriceKey]string, error) {
	f, bad := x.readFill(form)
	switch {
	case bad != nil:
	case form.Method == "list":
		var err error
		if f.from, err = s.fillSource(ctx, x, form.FromList); err != nil {
			return nil, err
		}
	default:
		f.from, bad = x.ReadPrices(typed)
	}
	if bad != nil {
		return nil, bad
	}
	out := map[PriceKey]string{}
	for _, k := range x.Keys() {
		if f.zone != 0 && k.Zone != f.zone || f.Type != "" && k.Type != f.Type || f.Empty && strings.TrimSpace(typed[k]) != "" {
			continue
		}
		price, ok := f.price(x, k)
		if !ok {
			continue
		}
		out[k] = x.Money.Plain(price)
	}
	if len(out) == 0 {
		return nil, FareProblems{"fill": "That fills nothing: there is no price to start from, or every field has one already."}
	}
	return out, nil
}

func (f fill) price(x *Sheet, k PriceKey) (int64, bool) {
	if f.Method == "distance" {
		return RoundTo(f.steps.Price(StepsIn(k.To-k.From, x.Minutes(k.From, k.To), f.minutes)), f.step), true
	}
	if f.Method == "percent" {
		if f.fromZone != 0 {
			k.Zone = f.fromZone
		}
		if f.FromType != "" {
			k.Type = f.FromType
		}
	}
	price, ok := f.from[k]
	return RoundTo(PercentOf(price, f.percent), f.step), ok
}

// fillSource reads the prices of another list in the same money.
func (s *Service) fillSource(ctx context.Context, x *Sheet, id string) (Prices, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, FareProblems{"from_list": "Please choose a price list."}
	}
	other, err := s.db.Tariff(ctx, n)
	if err != nil {
		return nil, err
	}
	if other.Currency != x.List.Currency {
		return nil, FareProblems{"from_list": "That list is in " + other.Currency + ", this one in " + x.List.Currency + "."}
	}
	return readPrices(ctx, s.db.Queries, n, 0)
}

func (s *Sheet) readFill(form FillForm) (fill, FareProblems) {
	f := fill{FillForm: form, percent: 10000, step: 1}
	bad := FareProblems{}
	money := func(field, text string, into *int64) {
		price, err := s.Money.ParsePrice(text)
		if err != nil {
			bad[field] = ruleWords(err)
		}
		*into = price
	}
	f.zone, _ = strconv.Atoi(form.Zone) // "" and what is no zone: all
	f.fromZone, _ = strconv.Atoi(form.FromZone)
	if strings.TrimSpace(form.Step) != "" {
		if money("step", form.Step, &f.step); f.step <= 0 && bad["step"] == "" {
			bad["step"] = "Please round to more than 0, or leave this empty."
		}
	}
	switch form.Method {
	case "distance":
		money("first", form.First, &f.steps.First)
		f.steps.Further = f.steps.First
		if strings.TrimSpace(form.Further) != "" {
			money("further", form.Further, &f.steps.Further)
		}
		f.minutes = s.pieceMinutes(form.Minutes, bad)
	case "percent", "list":
		if strings.TrimSpace(form.Percent) != "" {
			var err error
			if f.percent, err = domain.ParseRate(form.Percent); err != nil {
				bad["percent"] = ruleWords(err)
			}
		}
	default:
		bad["method"] = "Please choose how to fill."
	}
	if len(bad) == 0 {
		return f, nil
	}
	return f, bad
}

func (s *Sheet) pieceMinutes(text string, bad FareProblems) int {
	if text = strings.TrimSpace(text); text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < 1 || n > 1440:
		bad["minutes"] = "Please give whole minutes from 1 to 1440, or leave this empty to count stops."
	case len(s.Stops) == 0:
		bad["minutes"] = "This list is for no one route, so it knows no minutes. Leave this empty to count stops."
	}
	return n
}
