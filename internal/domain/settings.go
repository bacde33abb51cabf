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
	TaxNumber            string // of the house, on receipts; may be empty
	StaffEmail           string // gets a note about each task for staff; may be empty
	ManifestEmail        string // gets the list of passengers before each start; may be empty
	Currency             string // upper-case ISO 4217
	TimeZone             string // IANA name
	HoldWindowMinutes    int
	GraceSeconds         int
	MaxExtensions        int
	SalesCloseMinutes    int // before the start or the boarding stop's departure
	SalesCloseCounter    int // the same for the counter
	SalesCloseAgent      int // the same for agents and partners
	ScreeningExtraMin    int // advertisements, trailers and the pause, beside the film's runtime
	SeatsPerBooking      int
	LiveHoldsPerVisitor  int
	SeatsPerVisitor      int // held at one time over all events; 0: no limit. See Limits
	HoldsPerAddress      int // 0: no limit
	SeatsPerAddress      int // 0: no limit
	ReholdPauseSeconds   int // 0: no pause
	LonelySeatRule       bool
	LadiesRule           string      // off, seats or seats_and_neighbours
	CompanionHours       int         // so long before the start a companion seat is for anybody
	BusinessDayStart     string      // "05:00": a show before it belongs to the evening before
	FilmWeekStart        string      // thursday or friday
	BoardingNoticeMin    int         // "be there by": minutes before departure
	BestSeatRowFromFront int         // percent of the rows from the front where the best seats are
	CancelTerms          CancelTerms // what goes back when a customer's tickets are cancelled
	PhoneHoldMinutes     int         // seats booked by phone are free so long before the start or the boarding
	WaitroomHolders      int         // so many visitors with seats of one event open its waiting room; 0: never
	TwoStepRoles         string      // "owner,manager": must have a second factor to work here
}

// Window is the time a customer gets, clamped to 2..30 minutes at use.
func (s Settings) Window() time.Duration {
	return time.Duration(min(max(s.HoldWindowMinutes, 2), 30)) * time.Minute
}

// FilmWeekday is the weekday on which film weeks begin.
func (s Settings) FilmWeekday() time.Weekday {
	if s.FilmWeekStart == "friday" {
		return time.Friday
	}
	return time.Thursday
}

// Grace is how long seats stay held after the customer's end, so that a payment
// finished in the last second still counts.
func (s Settings) Grace() time.Duration {
	return time.Duration(min(max(s.GraceSeconds, 0), 600)) * time.Second
}

// SettingDefs lists every key, sorted.
func SettingDefs() []SettingDef {
	defs := settingTable()
	sort.Slice(defs, func(i, j int) bool { return defs[i].Key < defs[j].Key })
	return defs
}

// SettingsIn lists a group's keys in the order of the owner's page.
func SettingsIn(group string) (out []SettingDef) {
	for _, d := range settingTable() {
		if d.Group == group {
			out = append(out, d)
		}
	}
	return out
}

// A new key is one line here and its field above: the command, the owner's page and the
// parser all read this table.
func settingTable() []SettingDef {
	return []SettingDef{
		{"venue_name", GroupHouse, "Name", "Holdfast", "Stands on tickets, in mails and on every page.", text(func(s *Settings) *string { return &s.VenueName })},
		{"address", GroupHouse, "Address", "", "The postal address. Stands on every page.", text(func(s *Settings) *string { return &s.Address })},
		{"phone", GroupHouse, "Phone", "", "Stands on every page, as people dial it.", phone(func(s *Settings) *string { return &s.Phone })},
		{"tax_number", GroupHouse, "Tax number", "", "Stands on receipts and reports, such as “VAT IT01234567890”.", text(func(s *Settings) *string { return &s.TaxNumber })},
		{"kind", GroupHouse, "What you sell", "cinema", "Which pages customers see first.", choice(func(s *Settings) *string { return &s.Kind }, "cinema", "Cinema: films in halls", "bus", "Bus: trips with stops", "both", "Both")},
		{"currency", GroupHouse, "Currency", "EUR", "Of all prices. It cannot change while anything is priced or sold in another one.", currency(func(s *Settings) *string { return &s.Currency })},
		{"time_zone", GroupTime, "Time zone", "UTC", "The house’s own clock, by its IANA name. Stops of a bus have their own.", zone(func(s *Settings) *string { return &s.TimeZone })},
		{"business_day_start", GroupTime, "The day starts at", "05:00", "What starts earlier counts to the evening before.", clock(func(s *Settings) *string { return &s.BusinessDayStart })},
		{"film_week_start", GroupTime, "Film weeks begin on", "thursday", "For the distributors’ returns. Returns of weeks that are over stay as they were; change it between two weeks.", choice(func(s *Settings) *string { return &s.FilmWeekStart }, "thursday", "Thursday", "friday", "Friday")},
		{"boarding_notice_minutes", GroupTime, "Be there before departure", "15", "Passengers are asked to be at the stop this long before.", number(0, 240, "minutes", func(s *Settings) *int { return &s.BoardingNoticeMin })},
		{"screening_extra_minutes", GroupTime, "Beside the film", "15", "Advertisements, trailers and a pause: added to the film’s length when a screening is made.", number(0, 240, "minutes", func(s *Settings) *int { return &s.ScreeningExtraMin })},
		{"hold_window_minutes", GroupHolds, "Time to book", "10", "How long a customer may take to type names and pay. Used as 2 to 30.", number(0, 1440, "minutes", func(s *Settings) *int { return &s.HoldWindowMinutes })},
		{"grace_seconds", GroupHolds, "Grace", "120", "Seats stay this long after the customer’s end, so that a payment of the last second still counts.", number(0, 600, "seconds", func(s *Settings) *int { return &s.GraceSeconds })},
		{"max_extensions", GroupHolds, "More time", "10", "How often a customer may ask for more time or change seats. 0 switches it off.", number(0, 100, "times", func(s *Settings) *int { return &s.MaxExtensions })},
		{"live_holds_per_visitor", GroupHolds, "Events at a time", "2", "Of so many events one visitor may hold seats at the same time.", number(1, 100, "events", func(s *Settings) *int { return &s.LiveHoldsPerVisitor })},
		{"seats_per_visitor", GroupHolds, "Seats at a time", "0", "So many seats one visitor may hold at the same time, over all events. 0: no limit of its own. While a waiting room is on and this is 0, it is the seats of one booking.", number(0, 1000, "seats", func(s *Settings) *int { return &s.SeatsPerVisitor })},
		{"holds_per_address", GroupHolds, "Bookings at a time from one connection", "0", "So many bookings may be under way at the same time from one internet connection. 0, no limit, is right on ordinary days: a school, an office or a café with one Wi-Fi is one connection for everybody in it, and so are many mobile phones. Behind a proxy TRUSTED_PROXY_HOPS must say so, or all your visitors are one. " + rushHelp(RushHoldsPerAddress), number(0, 1000, "bookings", func(s *Settings) *int { return &s.HoldsPerAddress })},
		{"seats_per_address", GroupHolds, "Seats at a time from one connection", "0", "The same for all seats of those bookings together; a seat that is paid for counts no more. " + rushHelp(RushSeatsPerAddress), number(0, 10000, "seats", func(s *Settings) *int { return &s.SeatsPerAddress })},
		{"rehold_pause_seconds", GroupHolds, "Pause after letting a seat go", "0", "Who lets a seat go cannot hold it again for so long, so that others have their turn. Whose time ran out may always take the same seats again. " + rushHelp(RushPauseSeconds), number(0, 3600, "seconds", func(s *Settings) *int { return &s.ReholdPauseSeconds })},
		{"waitroom_holders", GroupHolds, "Waiting room by itself", "0", "When so many visitors hold seats of one event at the same time, the next ones wait in line, until nobody has waited for ten minutes. 0: only where you plan one.", number(0, 100000, "visitors", func(s *Settings) *int { return &s.WaitroomHolders })},
		{"seats_per_booking", GroupSelling, "Seats in one booking", "8", "Larger groups are asked to call.", number(1, 100, "seats", func(s *Settings) *int { return &s.SeatsPerBooking })},
		{"sales_close_minutes", GroupSelling, "Online sales close", "10", "So long before the start, or before departure at the boarding stop. A negative number is after the start.", number(-1440, 14400, "minutes", func(s *Settings) *int { return &s.SalesCloseMinutes })},
		{"sales_close_counter_minutes", GroupSelling, "The counter closes", "-15", "So long before the start or departure; a negative number is after it.", number(-1440, 14400, "minutes", func(s *Settings) *int { return &s.SalesCloseCounter })},
		{"phone_hold_minutes", GroupSelling, "Phone bookings are kept until", "30", "So long before the start or departure; then the seats are free again.", number(0, 1440, "minutes", func(s *Settings) *int { return &s.PhoneHoldMinutes })},
		{"sales_close_agent_minutes", GroupSelling, "Agents close", "10", "So long before the start or departure; a negative number is after it.", number(-1440, 14400, "minutes", func(s *Settings) *int { return &s.SalesCloseAgent })},
		{"lonely_seat_rule", GroupSelling, "Single seats", "off", "On: no customer may leave a single free seat between sold ones, or between them and an aisle. It gives way where so many seats cannot be had otherwise.", onOff(func(s *Settings) *bool { return &s.LonelySeatRule })},
		{"companion_release_hours", GroupSelling, "Companion seats", "24", "Until so long before the start or departure they are sold together with the wheelchair space beside them only. 0: always together.", number(0, 720, "hours", func(s *Settings) *int { return &s.CompanionHours })},
		{"ladies_rule", GroupSelling, "Seats for women", "off", "Who books such a seat online is asked to say that a woman travels there. Nothing of it is printed.", choice(func(s *Settings) *string { return &s.LadiesRule }, "off", "None are kept", "seats", "Those that the plan marks", "seats_and_neighbours", "Those, and the seat beside a woman who travels alone and asks for it")},
		{"cancellation_steps", GroupSelling, "When plans change", "", "What goes back by the time that is left until the start or the departure: “48h:100,24h:50,0h:0” is all of it until 48 hours before, half until 24, then nothing. Customers read it before they pay. Empty: you promise nothing, and staff decide.", cancelTerms(func(s *Settings) *CancelTerms { return &s.CancelTerms })},
		{"best_row_percent", GroupSelling, "Best rows", "66", "Where the best rows of a hall are, counted from the screen.", number(0, 100, "percent", func(s *Settings) *int { return &s.BestSeatRowFromFront })},
		{"require_2fa_roles", GroupStaff, "Second step is a must for", "", "Signing in then asks for a code of the phone as well. Who has none is led to set it up before anything else.", choice(func(s *Settings) *string { return &s.TwoStepRoles }, "", "Nobody: everybody as they like", "owner", "Owners", "owner,manager", "Owners and managers", "owner,manager,cashier", "All but stewards", "owner,manager,cashier,steward", "Everybody")},
		{"staff_email", GroupMail, "Notes to staff go to", "", "Each thing that needs a person is mailed there. Empty: nowhere.", email(func(s *Settings) *string { return &s.StaffEmail })},
		{"manifest_email", GroupMail, "Lists of passengers go to", "", "Half an hour before each departure or start, unless its hall or coach has an address of its own. Empty: nowhere.", email(func(s *Settings) *string { return &s.ManifestEmail })},
	}
}

// rushHelp ends the help of a limit that a waiting room switches on by itself.
func rushHelp(n int) string {
	return "While a waiting room is on and this is 0, it is " + strconv.Itoa(n) + "."
}

// ParseSettings reads stored values over the defaults. A stored value that no
// longer parses falls back to its default and is named in the error, which
// callers log; the Settings are usable in any case.
func ParseSettings(stored map[string]string) (Settings, error) {
	var s Settings
	var bad []string
	for _, d := range SettingDefs() {
		if err := d.Input.parse(&s, d.Default); err != nil {
			return s, fmt.Errorf("default of %s: %w", d.Key, err)
		}
		if v, ok := stored[d.Key]; ok {
			if err := d.Input.parse(&s, v); err != nil {
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
			return d.Input.parse(&s, value)
		}
	}
	return fmt.Errorf("setting %q: %w", key, ErrNotFound)
}
