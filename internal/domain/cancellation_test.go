package domain

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCancelTerms(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"48", "48h", "h:5", "48h:101", "-1h:5", "48h:-5", "48h:50,48h:20", "24h:100,48h:50", "9999h:1", "1h:1;2h:2", "x:y", ","} {
		if terms, err := ParseCancelTerms(bad); err == nil {
			t.Errorf("%q is taken as %v", bad, terms)
		}
	}
	terms, err := ParseCancelTerms(" 0h:0, 48h:100 ,24:50% ")
	if err != nil || len(terms) != 3 {
		t.Fatal(terms, err)
	}
	for left, want := range map[time.Duration]int{
		72 * time.Hour: 100, 48 * time.Hour: 100, 48*time.Hour - 1: 50, 24 * time.Hour: 50, 24*time.Hour - 1: 0, 0: 0, -time.Hour: 0,
	} {
		if got := terms.Percent(left); got != want {
			t.Errorf("%v before: %d %%, want %d", left, got, want)
		}
	}
	if got := CancelTerms(nil).Percent(-time.Hour); got != 100 {
		t.Errorf("a house without terms: %d", got)
	}
	if got := (CancelTerms{{24 * time.Hour, 80}}).Percent(time.Hour); got != 0 {
		t.Errorf("after the last step: %d", got)
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code    string
		price   int64
		percent int
		want    int64
	}{
		{"EUR", 999, 50, 500}, {"EUR", 997, 50, 499}, {"EUR", 1000, 33, 330}, {"EUR", 1, 50, 1}, {"EUR", 1000, 0, 0}, {"EUR", 1000, 100, 1000},
		{"JPY", 1501, 50, 751}, {"KWD", 12340, 50, 6170}, {"KWD", 12350, 50, 6180}, {"KWD", 12340, 33, 4070},
	} {
		cur, err := CurrencyOf(c.code)
		if err != nil {
			t.Fatal(err)
		}
		if got := cur.Share(c.price, c.percent); got != c.want {
			t.Errorf("%d %% of %s %d is %d, want %d", c.percent, c.code, c.price, got, c.want)
		}
	}
}

// A share can be paid, is never more than the price and grows with the percent.
func TestShareProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cur, err := CurrencyOf(rapid.SampledFrom(CurrencyCodes()).Draw(t, "currency"))
		if err != nil {
			t.Fatal(err)
		}
		price := cur.leastPrice() * rapid.Int64Range(0, 100000).Draw(t, "price")
		a, b := rapid.IntRange(0, 100).Draw(t, "percent"), rapid.IntRange(0, 100).Draw(t, "more")
		less, more := cur.Share(price, min(a, b)), cur.Share(price, max(a, b))
		if cur.CheckStep(less) != nil || less < 0 || less > more || more > price || cur.Share(price, 100) != price {
			t.Fatalf("%s %d: %d %% is %d, %d %% is %d", cur.Code, price, min(a, b), less, max(a, b), more)
		}
	})
}
