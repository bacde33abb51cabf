package format

import (
	"testing"
	"time"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		amount int64
		code   string
		want   string
	}{
		{120000, "LKR", "1,200"}, {120050, "LKR", "1,200.50"}, {6400, "EUR", "64.00"}, {8950, "EUR", "89.50"},
		{5, "EUR", "0.05"}, {1500, "JPY", "1,500"}, {1250, "KWD", "1.250"}, {0, "EUR", "0.00"}, {-999, "EUR", "-9.99"},
		{123456789, "EUR", "1,234,567.89"},
	} {
		if got := Number(c.amount, c.code); got != c.want {
			t.Errorf("Number(%d, %s) = %q, want %q", c.amount, c.code, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		Zone("Europe/Rome"): "Rome time", Zone("America/New_York"): "New York time", Zone("UTC"): "UTC",
		Span(7*time.Hour + 50*time.Minute): "7 h 50 min", Span(45 * time.Minute): "45 min", Span(2 * time.Hour): "2 h",
		Count(1, "seat"): "1 seat", Count(3, "berth"): "3 berths",
		List([]string{"4A", "4B", "4C"}): "4A, 4B and 4C", List([]string{"4A"}): "4A", List(nil): "",
		TaxRate(1800): "18 %", TaxRate(550): "5.5 %",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDayOff(t *testing.T) {
	from := In(time.Date(2026, 12, 5, 21, 45, 0, 0, time.UTC), "Europe/Rome") // 22:45
	to := In(time.Date(2026, 12, 6, 5, 10, 0, 0, time.UTC), "Europe/Athens")  // 07:10
	if n := DayOff(from, to); n != 1 {
		t.Errorf("DayOff = %d, want 1", n)
	}
}

func TestWhole(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1151: "1,151", -1151: "-1,151", -100: "-100", 1234567: "1,234,567"} {
		if got := Whole(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
