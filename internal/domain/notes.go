package domain

// banknotes are the notes that customers hand over, in whole units of the currency.
// Where a coin is worth as much as other people's notes it is among them.
func banknotes() map[string][]int64 {
	five, dollar, large, huge := []int64{5, 10, 20, 50, 100, 200}, []int64{5, 10, 20, 50, 100}, []int64{50, 100, 200, 500, 1000}, []int64{1000, 2000, 5000, 10000}
	return map[string][]int64{
		"AED": {5, 10, 20, 50, 100, 200, 500}, "AUD": dollar, "BAM": {10, 20, 50, 100, 200}, "BDT": {10, 20, 50, 100, 200, 500, 1000},
		"BGN": dollar, "BRL": five, "CAD": dollar, "CHF": {10, 20, 50, 100, 200}, "CZK": {100, 200, 500, 1000, 2000, 5000}, "DKK": large,
		"EUR": five, "GBP": {5, 10, 20, 50}, "HKD": {10, 20, 50, 100, 500, 1000}, "HUF": {500, 1000, 2000, 5000, 10000, 20000},
		"IDR": {5000, 10000, 20000, 50000, 100000}, "INR": {10, 20, 50, 100, 200, 500}, "ISK": {500, 1000, 2000, 5000, 10000}, "JPY": {1000, 5000, 10000},
		"KES": large, "KRW": {1000, 5000, 10000, 50000}, "KWD": {1, 5, 10, 20}, "LKR": {100, 500, 1000, 2000, 5000}, "MAD": {20, 50, 100, 200},
		"MXN": {20, 50, 100, 200, 500, 1000}, "MYR": dollar, "NOK": large, "NPR": {50, 100, 500, 1000}, "NZD": dollar, "PHP": large,
		"PKR": {100, 500, 1000, 5000}, "PLN": {10, 20, 50, 100, 200, 500}, "RON": five, "RSD": {100, 200, 500, 1000, 2000, 5000},
		"SEK": {20, 50, 100, 200, 500, 1000}, "SGD": {2, 5, 10, 50, 100}, "THB": {20, 50, 100, 500, 1000}, "TRY": five, "TZS": huge,
		"UGX": {1000, 2000, 5000, 10000, 20000, 50000}, "USD": {1, 5, 10, 20, 50, 100}, "VND": {10000, 20000, 50000, 100000, 200000, 500000},
		"ZAR": {10, 20, 50, 100, 200},
	}
}

// Notes are the currency's banknotes in minor units, the smallest first.
func (c Currency) Notes() []int64 {
	var out []int64
	for _, n := range banknotes()[c.Code] {
		out = append(out, n*pow10(c.Exponent))
	}
	return out
}
