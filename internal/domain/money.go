package domain

import "fmt"

// Currency is one row of the table that knows how many digits people and the
// payment provider use.
type Currency struct {
	Code string // upper-case ISO 4217
	// Exponent: digits after the point as people write prices; our amounts are in
	// this minor unit.
	Exponent int
	// StripeExponent: digits of the amount the provider expects (ISK and UGX are
	// sent ×100 although people write none).
	StripeExponent int
	// Step: amounts sent to the provider are multiples of it (KWD ends in 0).
	Step int64
	// MinCharge: the smallest card payment in our minor unit; 0 when unknown.
	MinCharge int64
	// Whole: people leave ".00" out ("LKR 1,200").
	Whole bool
}

// Exponents other than 2, steps and card minimums follow Stripe's pages on
// currencies (zero-decimal, three-decimal, special cases, minimum charge).
func currencies() []Currency {
	return []Currency{
		{"AED", 2, 2, 1, 200, false}, {"AUD", 2, 2, 1, 50, false}, {"BAM", 2, 2, 1, 0, false},
		{"BDT", 2, 2, 1, 0, true}, {"BGN", 2, 2, 1, 100, false}, {"BRL", 2, 2, 1, 50, false},
		{"CAD", 2, 2, 1, 50, false}, {"CHF", 2, 2, 1, 50, false}, {"CZK", 2, 2, 1, 1500, false},
		{"DKK", 2, 2, 1, 250, false}, {"EUR", 2, 2, 1, 50, false}, {"GBP", 2, 2, 1, 30, false},
		{"HKD", 2, 2, 1, 400, false}, {"HUF", 2, 2, 1, 17500, true}, {"IDR", 2, 2, 1, 0, true},
		{"INR", 2, 2, 1, 50, true}, {"ISK", 0, 2, 100, 0, true}, {"JPY", 0, 0, 1, 50, true},
		{"KES", 2, 2, 1, 0, true}, {"KRW", 0, 0, 1, 0, true}, {"KWD", 3, 3, 10, 0, false},
		{"LKR", 2, 2, 1, 0, true}, {"MAD", 2, 2, 1, 0, false}, {"MXN", 2, 2, 1, 1000, false},
		{"MYR", 2, 2, 1, 200, false}, {"NOK", 2, 2, 1, 300, false}, {"NPR", 2, 2, 1, 0, true},
		{"NZD", 2, 2, 1, 50, false}, {"PHP", 2, 2, 1, 0, false}, {"PKR", 2, 2, 1, 0, true},
		{"PLN", 2, 2, 1, 200, false}, {"RON", 2, 2, 1, 200, false}, {"RSD", 2, 2, 1, 0, false},
		{"SEK", 2, 2, 1, 300, false}, {"SGD", 2, 2, 1, 50, false}, {"THB", 2, 2, 1, 1000, false},
		{"TRY", 2, 2, 1, 0, false}, {"TZS", 2, 2, 1, 0, true}, {"UGX", 0, 2, 100, 0, true},
		{"USD", 2, 2, 1, 50, false}, {"VND", 0, 0, 1, 0, true}, {"ZAR", 2, 2, 1, 0, false},
	}
}

// CurrencyOf finds a currency by its upper-case code; ErrNotFound otherwise.
func CurrencyOf(code string) (Currency, error) {
	for _, c := range currencies() {
		if c.Code == code {
			return c, nil
		}
	}
	return Currency{}, fmt.Errorf("currency %q: %w", code, ErrNotFound)
}

// CurrencyCodes lists the codes of every currency, sorted.
func CurrencyCodes() (out []string) {
	for _, c := range currencies() {
		out = append(out, c.Code)
	}
	return out
}

// CheckPrice tells whether a price may be set: zero is free, anything else must be enough
// for a card and a multiple of the currency's step. The error is a *RuleError.
func (c Currency) CheckPrice(price int64) error {
	if price == 0 {
		return nil
	}
	if err := c.CheckStep(price); err != nil {
		return &RuleError{Code: "price", Words: fmt.Sprintf("%s %s cannot be paid by card: the last digit of a price in %s must be 0.", c.Code, c.Plain(price), c.Code)}
	}
	if least := c.leastPrice(); price < least {
		return &RuleError{Code: "price", Words: fmt.Sprintf("%s %s cannot be paid by card: a price is at least %s %s, or 0 for free.", c.Code, c.Plain(price), c.Code, c.Plain(least))}
	}
	return nil
}

// CheckStep tells whether an amount, or a difference, is a multiple of what the payment
// provider takes.
func (c Currency) CheckStep(amount int64) error {
	_, err := c.ToStripe(amount)
	return err
}

// leastPrice is the smallest price that a card can pay.
func (c Currency) leastPrice() int64 {
	least := max(c.MinCharge, 1)
	if step := max(c.Step/pow10(c.StripeExponent-c.Exponent), 1); least%step != 0 {
		least += step - least%step
	}
	return least
}

func pow10(n int) int64 {
	out := int64(1)
	for range n {
		out *= 10
	}
	return out
}

// ToStripe turns our minor units into the provider's. It refuses amounts that
// are not a multiple of the currency's step.
func (c Currency) ToStripe(amount int64) (int64, error) {
	for i := c.Exponent; i < c.StripeExponent; i++ {
		amount *= 10
	}
	if amount%c.Step != 0 {
		return 0, fmt.Errorf("%d %s is not a multiple of %d: %w", amount, c.Code, c.Step, ErrConflict)
	}
	return amount, nil
}

// FromStripe is ToStripe's inverse. A remainder that our unit cannot carry is refused.
func (c Currency) FromStripe(amount int64) (int64, error) {
	for i := c.Exponent; i < c.StripeExponent; i++ {
		if amount%10 != 0 {
			return 0, fmt.Errorf("%d in Stripe's %s unit has no whole minor unit: %w", amount, c.Code, ErrConflict)
		}
		amount /= 10
	}
	return amount, nil
}

// TaxIncluded is the part of a gross amount that is tax, rate in basis points
// (1800 = 18 %). Half away from zero; the one rounding rule of the house.
func TaxIncluded(gross int64, basisPoints int) int64 {
	num, den := gross*int64(basisPoints), int64(10000+basisPoints)
	if num < 0 {
		return -((-num + den/2) / den)
	}
	return (num + den/2) / den
}

// SplitTax gives each line its part of the tax included in their sum, so that the
// lines' taxes add up to TaxIncluded of the total to the last minor unit.
func SplitTax(prices []int64, basisPoints int) []int64 {
	out := make([]int64, len(prices))
	var gross, tax int64
	for i, p := range prices {
		gross += p
		sum := TaxIncluded(gross, basisPoints)
		out[i], tax = sum-tax, sum
	}
	return out
}
