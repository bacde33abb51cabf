// Package format puts money, dates, times and lists of seats into words for people.
// Pages are English; numbers are grouped by the currency's usual way of writing.
package format

import (
	"strconv"
	"strings"
	"time"

	"github.com/bojanz/currency"

	"holdfast/internal/domain"
)

// Number is an amount in minor units without its currency: "1,200", "64.00". Whole
// amounts of currencies whose small coins are out of use have no decimals.
func Number(amount int64, code string) string {
	c, err := domain.CurrencyOf(code)
	if err != nil {
		return strconv.FormatInt(amount, 10)
	}
	digits := uint8(c.Exponent)
	unit := int64(1)
	for range c.Exponent {
		unit *= 10
	}
	if c.Whole && amount%unit == 0 {
		digits = 0
	}
	a, err := currency.NewAmount(decimal(amount, c.Exponent), code)
	if err != nil {
		return decimal(amount, c.Exponent)
	}
	f := currency.NewFormatter(currency.NewLocale("en"))
	f.MinDigits, f.MaxDigits = digits, digits
	f.CurrencyDisplay = currency.DisplayNone
	return strings.TrimSpace(f.Format(a))
}

// Money is Number with the code in front: "LKR 1,200".
func Money(amount int64, code string) string { return code + " " + Number(amount, code) }

func decimal(amount int64, exponent int) string {
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	s := strconv.FormatInt(amount, 10)
	if exponent == 0 {
		return sign + s
	}
	for len(s) <= exponent {
		s = "0" + s
	}
	return sign + s[:len(s)-exponent] + "." + s[len(s)-exponent:]
}

// Zone names a time zone by its city: "Rome time". UTC stays "UTC".
func Zone(name string) string {
	if name == "UTC" || name == "" {
		return "UTC"
	}
	city := name[strings.LastIndexByte(name, '/')+1:]
	return strings.ReplaceAll(city, "_", " ") + " time"
}

// In moves an instant into a place's zone; an unknown zone leaves UTC.
func In(t time.Time, zone string) time.Time {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return t.UTC()
	}
	return t.In(loc)
}

// Clock is "06:10".
func Clock(t time.Time) string { return t.Format("15:04") }

// LongDay is "Saturday 5 December 2026".
func LongDay(t time.Time) string { return t.Format("Monday 2 January 2006") }

// Day is "Sat 5 Dec 2026".
func Day(t time.Time) string { return t.Format("Mon 2 Jan 2006") }

// ShortDay is "Sat 5 Dec".
func ShortDay(t time.Time) string { return t.Format("Mon 2 Jan") }

// DayOff counts the calendar days from one wall clock to another, for "+1".
func DayOff(from, to time.Time) int {
	a := time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, time.UTC)
	b := time.Date(to.Year(), to.Month(), to.Day(), 0, 0, 0, 0, time.UTC)
	return int(b.Sub(a).Hours() / 24)
}

// Span is a duration in hours and minutes: "7 h 50 min", "45 min", "2 h".
func Span(d time.Duration) string {
	h, m := int(d.Hours()), int(d.Minutes())%60
	switch {
	case h == 0:
		return strconv.Itoa(m) + " min"
	case m == 0:
		return strconv.Itoa(h) + " h"
	}
	return strconv.Itoa(h) + " h " + strconv.Itoa(m) + " min"
}

// Count is "1 seat" or "3 seats".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Whole is a number with marks between its thousands: "1,151".
func Whole(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// List is "4A", "4A and 4B", "4A, 4B and 4C".
func List(items []string) string {
	switch n := len(items); n {
	case 0:
		return ""
	case 1:
		return items[0]
	default:
		return strings.Join(items[:n-1], ", ") + " and " + items[n-1]
	}
}

// TaxRate is basis points as a percentage: "18 %", "5.5 %".
func TaxRate(basisPoints int) string {
	return strconv.FormatFloat(float64(basisPoints)/100, 'f', -1, 64) + " %"
}
