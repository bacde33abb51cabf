package domain

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// T7: what Stripe gets for an amount as people write it.
func TestT7_StripeAmounts(t *testing.T) {
	for _, c := range []struct {
		code         string
		amount, want int64
	}{{"JPY", 1500, 1500}, {"EUR", 999, 999}, {"KWD", 1250, 1250}, {"ISK", 2400, 240000}, {"UGX", 5000, 500000}, {"KRW", 12000, 12000}} {
		cur, err := CurrencyOf(c.code)
		if err != nil {
			t.Fatal(err)
		}
		got, err := cur.ToStripe(c.amount)
		if err != nil || got != c.want {
			t.Errorf("%d %s → %d, %v; want %d", c.amount, c.code, got, err, c.want)
		}
		back, err := cur.FromStripe(got)
		if err != nil || back != c.amount {
			t.Errorf("%s back: %d, %v", c.code, back, err)
		}
	}
	kwd, _ := CurrencyOf("KWD")
	if _, err := kwd.ToStripe(1255); !errors.Is(err, ErrConflict) {
		t.Errorf("KWD 1.255 must be refused: %v", err)
	}
	if _, err := CurrencyOf("eur"); !errors.Is(err, ErrNotFound) {
		t.Errorf("codes are upper case: %v", err)
	}
}

// T8: 5 × 99.00 with 22 % included is 89.26 of tax, however it is split.
func TestT8_TaxAddsUp(t *testing.T) {
	prices := []int64{9900, 9900, 9900, 9900, 9900}
	var sum int64
	for _, x := range SplitTax(prices, 2200) {
		sum += x
	}
	if total := TaxIncluded(49500, 2200); total != 8926 || sum != total {
		t.Errorf("tax of the total %d, of the lines %d, want 8926", total, sum)
	}
	rapid.Check(t, func(t *rapid.T) {
		prices := rapid.SliceOfN(rapid.Int64Range(0, 1_000_000), 1, 12).Draw(t, "prices")
		rate := rapid.IntRange(0, 10000).Draw(t, "rate")
		var gross, tax int64
		for i, x := range SplitTax(prices, rate) {
			if x < 0 || x > prices[i] {
				t.Fatalf("tax %d of a line of %d", x, prices[i])
			}
			gross, tax = gross+prices[i], tax+x
		}
		if tax != TaxIncluded(gross, rate) {
			t.Fatalf("lines %d, total %d", tax, TaxIncluded(gross, rate))
		}
	})
}

// P15: a price that no card can be charged with is refused when it is set.
func TestP15_PricesWhenSet(t *testing.T) {
	for _, c := range []struct {
		code  string
		price int64
		ok    bool
	}{{"EUR", 0, true}, {"EUR", 50, true}, {"EUR", 49, false}, {"KWD", 1250, true}, {"KWD", 1255, false}, {"JPY", 49, false}, {"EUR", -1, false}, {"ISK", 2400, true}} {
		cur, err := CurrencyOf(c.code)
		if err != nil {
			t.Fatal(err)
		}
		var rule *RuleError
		if err := cur.CheckPrice(c.price); (err == nil) != c.ok || err != nil && !errors.As(err, &rule) {
			t.Errorf("%d %s: %v", c.price, c.code, err)
		}
	}
}
