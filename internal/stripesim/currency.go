package stripesim

import (
	"fmt"
	"strings"
)

// currency is what the look-alike knows of money.
type currency struct {
	code   string // lower case
	digits int    // of Stripe's unit
	shown  int    // digits people write
	step   int64  // amounts are multiples of it
	min    int64  // smallest charge, Stripe's unit; 0 when none is known
}

// currencyOf knows the special cases; every other three letters have two digits.
func currencyOf(code string) (currency, bool) {
	code = strings.ToLower(code)
	if len(code) != 3 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") != "" {
		return currency{}, false
	}
	switch code {
	case "jpy":
		return currency{code, 0, 0, 1, 50}, true
	case "krw", "vnd", "clp", "pyg", "xaf", "xof", "xpf":
		return currency{code, 0, 0, 1, 0}, true
	case "bhd", "jod", "kwd", "omr", "tnd":
		return currency{code, 3, 3, 10, 0}, true
	case "isk", "ugx":
		return currency{code, 2, 0, 100, 0}, true
	case "usd", "eur":
		return currency{code, 2, 2, 1, 50}, true
	case "gbp":
		return currency{code, 2, 2, 1, 30}, true
	}
	return currency{code, 2, 2, 1, 0}, true
}

// printed is an amount for people: "EUR 12.50", "JPY 1,200", "ISK 2,400".
func printed(amount int64, code string) string {
	cur, _ := currencyOf(code)
	for i := cur.digits; i > cur.shown; i-- {
		amount /= 10
	}
	digits := fmt.Sprintf("%0*d", cur.shown+1, amount)
	whole, part := digits[:len(digits)-cur.shown], digits[len(digits)-cur.shown:]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if part != "" {
		whole += "." + part
	}
	return strings.ToUpper(code) + " " + whole
}

// shownMinor is an amount in the unit of prices: the smallest that people write.
func shownMinor(amount int64, code string) int64 {
	cur, _ := currencyOf(code)
	for i := cur.digits; i > cur.shown; i-- {
		amount /= 10
	}
	return amount
}
