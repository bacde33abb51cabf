package domain

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Settings are the owner's business settings, parsed. The zero value is not
// usable; ParseSettings fills in defaults.
type Settings struct {
	VenueName            string
	Kind                 string // cinema, bus or both
	Address, Phone       string
	StaffEmail           string // gets a note about each task for staff; may be empty
	Currency             string // upper-case ISO 4217
	TimeZone             string // IANA name
	HoldWindowMinutes    int
	GraceSeconds         int
	MaxExtensions        int
	SalesCloseMinutes    int // before the start or the boarding stop's departure
	SeatsPerBooking      int
	LiveHoldsPerVisitor  int
	LonelySeatRule       bool
	BusinessDayStart     string // "05:00": a show before it belongs to the evening before
	BoardingNoticeMin    int    // "be there by": minutes before departure
	BestSeatRowFromFront int    // percent of the rows from the front where the best seats are
}

// Window is the time a customer gets, clamped to 2..30 minutes at use.
func (s Settings) Window() time.Duration {
	return time.Duration(min(max(s.HoldWindowMinutes, 2), 30)) * time.Minute
}

// Grace is how long seats stay held after the customer's end, so that a payment
// finished in the last second still counts.
func (s Settings) Grace() time.Duration {
	return time.Duration(min(max(s.GraceSeconds, 0), 600)) * time.Second
}

// SettingDef describes one key for the settings command and page.
type SettingDef struct {
	Key, Default, Help string
	parse              func(*Settings, string) error
}

// SettingDefs lists every key, sorted.
func SettingDefs() []SettingDef {
	text := func(f func(*Settings) *string) func(*Settings, string) error {
		return func(s *Settings, v string) error { *f(s) = strings.TrimSpace(v); return nil }
	}
	number := func(lo, hi int, f func(*Settings) *int) func(*Settings, string) error {
		return func(s *Settings, v string) error {
			n, err := strconv.Atoi(strings.TrimSpace(v))
			if err != nil || n < lo || n > hi {
				return fmt.Errorf("%q is not a whole number from %d to %d", v, lo, hi)
			}
			*f(s) = n
			return nil
		}
	}
	defs := []SettingDef{
		{"venue_name", "Holdfast", "Name on every page", text(func(s *Settings) *string { return &s.VenueName })},
		{"address", "", "Postal address on every page", text(func(s *Settings) *string { return &s.Address })},
		{"phone", "", "Phone on every page, as people dial it", text(func(s *Settings) *string { return &s.Phone })},
		{"staff_email", "", "Where notes about tasks for staff go; empty: nowhere", parseEmail},
		{"kind", "cinema", "cinema, bus or both", parseKind},
		{"currency", "EUR", "ISO 4217 code of all prices", parseCurrency},
		{"time_zone", "UTC", "IANA name of the house's zone", parseZone},
		{"hold_window_minutes", "10", "Time to finish a booking, used as 2..30", number(0, 1440, func(s *Settings) *int { return &s.HoldWindowMinutes })},
		{"grace_seconds", "120", "Seats stay this long after the customer's end", number(0, 600, func(s *Settings) *int { return &s.GraceSeconds })},
		{"max_extensions", "10", "Extensions and changes of seats per hold; 0 switches them off", number(0, 100, func(s *Settings) *int { return &s.MaxExtensions })},
		{"sales_close_minutes", "10", "Online sales close this long before departure or start; negative: after the start", number(-1440, 14400, func(s *Settings) *int { return &s.SalesCloseMinutes })},
		{"seats_per_booking", "8", "Most seats in one booking", number(1, 100, func(s *Settings) *int { return &s.SeatsPerBooking })},
		{"live_holds_per_visitor", "2", "Most events one visitor may hold seats of at a time", number(1, 100, func(s *Settings) *int { return &s.LiveHoldsPerVisitor })},
		{"lonely_seat_rule", "off", "on: no single free seat may be left between sold ones", parseSwitch(func(s *Settings) *bool { return &s.LonelySeatRule })},
		{"business_day_start", "05:00", "An event before it counts to the evening before", parseClock},
		{"boarding_notice_minutes", "15", "Passengers are asked to be at the stop this long before departure", number(0, 240, func(s *Settings) *int { return &s.BoardingNoticeMin })},
		{"best_row_percent", "66", "Where the best rows of a hall are, in percent from the screen", number(0, 100, func(s *Settings) *int { return &s.BestSeatRowFromFront })},
	}
	sort.Slice(defs, func(i, j int) bool { return defs[i].Key < defs[j].Key })
	return defs
}

// ParseSettings reads stored values over the defaults. A stored value that no
// longer parses falls back to its default and is named in the error, which
// callers log; the Settings are usable in any case.
func ParseSettings(stored map[string]string) (Settings, error) {
	var s Settings
	var bad []string
	for _, d := range SettingDefs() {
		if err := d.parse(&s, d.Default); err != nil {
			return s, fmt.Errorf("default of %s: %w", d.Key, err)
		}
		if v, ok := stored[d.Key]; ok {
			if err := d.parse(&s, v); err != nil {
				bad = append(bad, d.Key+": "+err.Error())
			}
		}
	}
	if len(bad) > 0 {
		return s, fmt.Errorf("settings: %s", strings.Join(bad, "; "))
	}
	return s, nil
}

// CheckSetting tells whether value may be stored under key: ErrNotFound for an
// unknown key, else words about the value.
func CheckSetting(key, value string) error {
	for _, d := range SettingDefs() {
		if d.Key == key {
			var s Settings
			return d.parse(&s, value)
		}
	}
	return fmt.Errorf("setting %q: %w", key, ErrNotFound)
}

func parseEmail(s *Settings, v string) error {
	if v = strings.TrimSpace(v); v != "" && (strings.Count(v, "@") != 1 || strings.ContainsAny(v, " \r\n,;<>")) {
		return fmt.Errorf("%q is not an e-mail address", v)
	}
	s.StaffEmail = v
	return nil
}

func parseKind(s *Settings, v string) error {
	switch v {
	case "cinema", "bus", "both":
		s.Kind = v
		return nil
	}
	return fmt.Errorf("%q is not cinema, bus or both", v)
}

func parseCurrency(s *Settings, v string) error {
	if _, err := CurrencyOf(v); err != nil {
		return err
	}
	s.Currency = v
	return nil
}

func parseZone(s *Settings, v string) error {
	if _, err := time.LoadLocation(v); err != nil || v == "" || v == "Local" {
		return fmt.Errorf("%q is not an IANA time zone", v)
	}
	s.TimeZone = v
	return nil
}

func parseClock(s *Settings, v string) error {
	if _, err := time.Parse("15:04", v); err != nil {
		return fmt.Errorf("%q is not a time like 05:00", v)
	}
	s.BusinessDayStart = v
	return nil
}

func parseSwitch(f func(*Settings) *bool) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		switch v {
		case "on", "true", "1":
			*f(s) = true
		case "off", "false", "0":
			*f(s) = false
		default:
			return fmt.Errorf("%q is not on or off", v)
		}
		return nil
	}
}
