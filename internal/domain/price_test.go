package domain

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func currencyOf(t testing.TB, code string) Currency {
	t.Helper()
	c, err := CurrencyOf(code)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Amounts as people type them; -1 is a refusal.
func TestPricesAsTyped(t *testing.T) {
	for _, c := range []struct {
		code, text string
		want       int64
	}{
		{"EUR", "12.50", 1250}, {"EUR", "12,50", 1250}, {"EUR", "12,5", 1250}, {"EUR", "12", 1200}, {"EUR", "0", 0}, {"EUR", "0.05", 5},
		{"EUR", " 12.50 ", 1250}, {"EUR", "EUR 12.50", 1250}, {"EUR", "12.50 eur", 1250}, {"EUR", "\u00a012.50", 1250}, {"EUR", "007", 700},
		{"EUR", "1.250,00", -1}, {"EUR", "1,250.00", -1}, {"EUR", "1.250", -1}, {"EUR", "1,250", -1}, {"EUR", "1 250", -1}, {"EUR", "12.505", -1},
		{"EUR", "12.", -1}, {"EUR", ".50", -1}, {"EUR", "", -1}, {"EUR", "EUR", -1}, {"EUR", "-1", -1}, {"EUR", "+1", -1}, {"EUR", "1e3", -1}, {"EUR", "USD 5", -1},
		{"EUR", "free", -1}, {"EUR", "١٢", -1}, {"EUR", "12.5.0", -1}, {"EUR", "1000000000", 100_000_000_000}, {"EUR", "1000000000.01", -1}, {"EUR", "99999999999999999999", -1},
		{"LKR", "1200", 120000}, {"LKR", "1200.50", 120050}, {"LKR", "1,200", -1},
		{"JPY", "1500", 1500}, {"JPY", "1500.00", -1}, {"JPY", "1,500", -1}, {"JPY", "1.5", -1},
		{"ISK", "2400", 2400}, {"ISK", "2400,00", -1}, {"UGX", "5000", 5000}, {"UGX", "5.000", -1},
		{"KWD", "1.250", 1250}, {"KWD", "1,250", -1}, {"KWD", "0,250", 250}, {"KWD", "1.25", 1250}, {"KWD", "1,25", 1250}, {"KWD", "1.2505", -1}, {"KWD", "12", 12000},
	} {
		got, err := currencyOf(t, c.code).ParsePrice(c.text)
		var rule *RuleError
		if c.want < 0 && (!errors.As(err, &rule) || rule.Words == "") || c.want >= 0 && (err != nil || got != c.want) {
			t.Errorf("%s %q: %d, %v; want %d", c.code, c.text, got, err, c.want)
		}
	}
}

// What a page writes into a field is read back as the same amount; a refusal's own
// example is readable.
func TestPlainIsReadBack(t *testing.T) {
	all := currencies()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(all).Draw(t, "currency")
		amount := rapid.Int64Range(0, largestPrice).Draw(t, "amount")
		if got, err := c.ParsePrice(c.Plain(amount)); err != nil || got != amount {
			t.Fatalf("%s %d was written %q and read %d, %v", c.Code, amount, c.Plain(amount), got, err)
		}
	})
	for _, c := range all {
		_, err := c.ParsePrice("?")
		_, example, _ := strings.Cut(err.(*RuleError).Words, "like ")
		if _, err := c.ParsePrice(strings.TrimSuffix(example, ".")); err != nil {
			t.Errorf("%s: the example %q: %v", c.Code, example, err)
		}
	}
}

// Whatever is typed: an amount that says the same written back, or words.
func FuzzParsePrice(f *testing.F) {
	for _, text := range []string{"12.50", "12,50", "1.250,00", "", "EUR 1", "0", "-1", "1e9", "99999999999999999999", "١٢", "KWD1,250", ".,", "\x00"} {
		f.Add(text)
	}
	all := currencies()
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range all {
			amount, err := c.ParsePrice(text)
			if err != nil {
				var rule *RuleError
				if !errors.As(err, &rule) || amount != 0 {
					t.Fatalf("%s %q: %d, %v", c.Code, text, amount, err)
				}
				continue
			}
			digits := strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return r
				}
				return -1
			}, text)
			typed, err := strconv.ParseInt(digits, 10, 64)
			if err != nil || amount < 0 || amount > largestPrice || amount%typedUnit(typed) != 0 {
				t.Fatalf("%s %q became %d", c.Code, text, amount)
			}
			if again, err := c.ParsePrice(c.Plain(amount)); err != nil || again != amount {
				t.Fatalf("%s %q: %d written as %q is %d, %v", c.Code, text, amount, c.Plain(amount), again, err)
			}
		}
	})
}

// typedUnit is what an amount of these digits is a multiple of.
func typedUnit(digits int64) int64 { return max(digits, 1) }

func TestRatesAsTyped(t *testing.T) {
	for text, want := range map[string]int{
		"22": 2200, "22 %": 2200, "5.5 %": 550, "5,5": 550, "0": 0, "7.25%": 725, " 10 % ": 1000, "60": 6000, "1000": 100000,
		"": -1, "%": -1, "5.": -1, ".5": -1, "5.555": -1, "-3": -1, "1.000,5": -1, "ten": -1, "123456": -1,
	} {
		got, err := ParseRate(text)
		if want < 0 && err == nil || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

// P15: the words of a refused price name the least that can be set, and that can be.
func TestP15_RefusalNamesTheLeast(t *testing.T) {
	for _, c := range currencies() {
		least := c.leastPrice()
		if err := c.CheckPrice(least); err != nil {
			t.Errorf("%s: the least price %d: %v", c.Code, least, err)
		}
		if c.MinCharge < 2 {
			continue
		}
		err := c.CheckPrice(least - max(c.Step/pow10(c.StripeExponent-c.Exponent), 1))
		var rule *RuleError
		if !errors.As(err, &rule) || !strings.Contains(rule.Words, c.Code+" "+c.Plain(least)) {
			t.Errorf("%s: %v does not name %s", c.Code, err, c.Plain(least))
		}
	}
	if err := currencyOf(t, "KWD").CheckPrice(1255); err == nil || !strings.Contains(err.Error(), "KWD 1.255") || !strings.Contains(err.Error(), "last digit") {
		t.Errorf("KWD 1.255: %v", err)
	}
}
