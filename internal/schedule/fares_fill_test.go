package schedule

import (
	"testing"

	"pgregory.net/rapid"

	"holdfast/internal/domain"
)

// trip is a sheet of so many stops, each leg as long as minutes say.
func trip(t testing.TB, code string, minutes ...int) *Sheet {
	t.Helper()
	c, err := domain.CurrencyOf(code)
	if err != nil {
		t.Fatal(err)
	}
	x := &Sheet{
		List: Tariff{ID: 1, Currency: code, RouteID: new(int64(1)), LastStop: len(minutes)}, Money: c, Prices: Prices{},
		Zones: []domain.Zone{{No: 1, Name: "Standard"}, {No: 2, Name: "Premium"}},
		Types: []TicketType{{Code: "adult", Name: "Adult"}, {Code: "child", Name: "Child"}},
	}
	at := 0
	for i := range len(minutes) + 1 {
		x.Stops = append(x.Stops, TariffStop{StopNo: i, DepartAfter: at, ArriveAfter: at, MayBoard: true, MayAlight: true})
		if i < len(minutes) {
			at += minutes[i]
		}
	}
	return x
}

func fills(t testing.TB, x *Sheet, typed map[PriceKey]string, f FillForm) map[PriceKey]string {
	t.Helper()
	out, err := (&Service{}).Fill(t.Context(), x, typed, f)
	if err != nil {
		t.Fatalf("%+v: %v", f, err)
	}
	return out
}

// By distance: "first leg 5.00, each further 3.00", by legs and by pieces of half an hour.
func TestFillByDistance(t *testing.T) {
	x := trip(t, "EUR", 30, 45, 60)
	for _, c := range []struct {
		name     string
		form     FillForm
		from, to int
		want     string
	}{
		{"one leg", FillForm{First: "5.00", Further: "3.00"}, 0, 1, "5.00"},
		{"three legs", FillForm{First: "5.00", Further: "3.00"}, 0, 3, "11.00"},
		{"per leg", FillForm{First: "5"}, 1, 3, "10.00"},
		{"30 minutes are one piece", FillForm{First: "5", Further: "3", Minutes: "30"}, 0, 1, "5.00"},
		{"45 minutes are two", FillForm{First: "5", Further: "3", Minutes: "30"}, 1, 2, "8.00"},
		{"135 minutes are five", FillForm{First: "5", Further: "3", Minutes: "30"}, 0, 3, "17.00"},
		{"rounded to 50", FillForm{First: "5.10", Further: "3.30", Step: "0.50"}, 0, 3, "11.50"},
	} {
		c.form.Method = "distance"
		if got := fills(t, x, nil, c.form)[PriceKey{1, "adult", c.from, c.to}]; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestFillByPercent(t *testing.T) {
	x := trip(t, "EUR", 30)
	adult, child, premium := PriceKey{1, "adult", 0, 1}, PriceKey{1, "child", 0, 1}, PriceKey{2, "adult", 0, 1}
	typed := map[PriceKey]string{adult: "12,50", premium: ""}
	got := fills(t, x, typed, FillForm{Method: "percent", Type: "child", FromType: "adult", Percent: "60 %", Step: "0.50"})
	if len(got) != 1 || got[child] != "7.50" {
		t.Errorf("child is 60 %% of adult: %v", got)
	}
	got = fills(t, x, typed, FillForm{Method: "percent", Zone: "2", FromZone: "1", Percent: "125"})
	if len(got) != 1 || got[premium] != "15.63" {
		t.Errorf("premium is 125 %% of standard: %v", got)
	}
	got = fills(t, x, typed, FillForm{Method: "percent", Percent: "110"})
	if len(got) != 1 || got[adult] != "13.75" {
		t.Errorf("all prices by a tenth: %v", got)
	}
	for name, f := range map[string]FillForm{
		"no method": {}, "no first": {Method: "distance"}, "words": {Method: "percent", Percent: "half"}, "full already": {Method: "percent", Zone: "1", Type: "adult", Empty: true},
		"step of nothing": {Method: "percent", Step: "0"}, "minutes": {Method: "distance", First: "5", Minutes: "0"}, "ambiguous": {Method: "distance", First: "1.250,00"},
	} {
		if out, err := (&Service{}).Fill(t.Context(), x, typed, f); err == nil {
			t.Errorf("%s was filled: %v", name, out)
		}
	}
	bad := map[PriceKey]string{adult: "1.250,00"}
	if _, err := (&Service{}).Fill(t.Context(), x, bad, FillForm{Method: "percent"}); err == nil {
		t.Error("a part of what cannot be read")
	}
}

// However a sheet is filled by distance: longer is never cheaper, each price is a
// multiple of the step, nothing that costs becomes free, and two rides cost what the
// legs' sum says when every leg costs the same.
func TestFillHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, further := rapid.Int64Range(1, 5000).Draw(t, "first"), rapid.Int64Range(0, 5000).Draw(t, "further")
		step := rapid.SampledFrom([]int64{1, 5, 50, 100, 1000}).Draw(t, "step")
		piece := rapid.IntRange(0, 90).Draw(t, "piece")
		legs := rapid.SliceOfN(rapid.IntRange(1, 300), 1, 12).Draw(t, "minutes")
		last, minutes := int64(0), 0
		for n, m := range legs {
			minutes += m
			price := RoundTo(Steps{first, further}.Price(StepsIn(n+1, minutes, piece)), step)
			if price < last || price%step != 0 || price <= 0 {
				t.Fatalf("%d legs, %d minutes cost %d after %d", n+1, minutes, price, last)
			}
			last = price
			if piece == 0 {
				if got := (Steps{first, first}).Price(n + 1); got != int64(n+1)*first {
					t.Fatalf("%d legs of %d cost %d", n+1, first, got)
				}
			}
		}
		price := rapid.Int64Range(1, 1_000_000).Draw(t, "price")
		if got := RoundTo(price, step); got-price > max(step/2, step-price) || price-got > step/2 {
			t.Fatalf("%d rounded to %d is %d", price, step, got)
		}
		part := rapid.IntRange(0, 10000).Draw(t, "part")
		if a, b := PercentOf(price, part), PercentOf(price, 10000-part); a+b < price || a+b > price+1 || a > price {
			t.Fatalf("%d %% of %d is %d, the rest %d", part, price, a, b)
		}
	})
}
