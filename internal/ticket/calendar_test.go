package ticket

import (
	"bytes"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"

	"holdfast/internal/domain"
)

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func screening(t *testing.T) Booking {
	return Booking{
		ID: 41, Reference: "K7P-XM3", Ride: domain.Ride{From: 0, To: 1}, URL: "https://book.example/bookings/abc",
		Seats: []string{"Row H, seat 9", "Row H, seat 10"},
		Event: domain.Event{
			Kind: domain.Screening, Film: "Salt, Road; or \\ what", Resource: "Hall 1", TimeZone: "Asia/Colombo",
			StartsAt: instant(t, "2026-12-05T19:30:00+05:30"), EndsAt: instant(t, "2026-12-05T21:50:00+05:30"),
		},
		Venue: domain.Settings{VenueName: "Marigold Cinema", Address: "14 Dalada Vidiya, Kandy", Phone: "081 555 0142"},
		At:    instant(t, "2026-12-01T08:00:00Z"),
	}
}

// trip leaves London and arrives in Paris in the night when the clocks go back.
func trip(t *testing.T) Booking {
	b := screening(t)
	b.Ride = domain.Ride{From: 1, To: 2}
	b.Event.Kind, b.Event.Resource = domain.Trip, "Coach 7"
	b.Event.StartsAt, b.Event.EndsAt = instant(t, "2026-10-24T20:00:00Z"), instant(t, "2026-10-25T09:00:00Z")
	b.Stops = []domain.EventStop{
		{StopNo: 0, Place: "Oxford", TimeZone: "Europe/London", DepartsAt: instant(t, "2026-10-24T20:00:00Z")},
		{StopNo: 1, Place: "London", Address: "Bay 6", TimeZone: "Europe/London", DepartsAt: instant(t, "2026-10-25T00:30:00Z")},
		{StopNo: 2, Place: "Paris", Address: "Bercy", TimeZone: "Europe/Paris", ArrivesAt: instant(t, "2026-10-25T08:15:00Z")},
	}
	b.Seats = []string{"Seat 4C"}
	return b
}

func parse(t *testing.T, b Booking) (*ics.VEvent, string) {
	t.Helper()
	body, err := ICS(b)
	if err != nil {
		t.Fatal(err)
	}
	cal, err := ics.ParseCalendar(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	if len(cal.Events()) != 1 {
		t.Fatalf("%d entries", len(cal.Events()))
	}
	return cal.Events()[0], string(body)
}

func value(e *ics.VEvent, p ics.ComponentProperty) string {
	if v := e.GetProperty(p); v != nil {
		return v.Value
	}
	return ""
}

// T3: the .ics says the same time as the ticket.
func TestT3_CalendarSaysTheSameInstants(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		booking      Booking
		starts, ends string
		words        []string
	}{
		"screening": {screening(t), "2026-12-05T14:00:00Z", "2026-12-05T16:20:00Z", []string{"Sat 5 Dec 2026, 19:30, Colombo time"}},
		// 00:30 UTC is 01:30 in London for the first time that night.
		"trip over DST": {trip(t), "2026-10-25T00:30:00Z", "2026-10-25T08:15:00Z", []string{
			"Leaves London, Bay 6: Sun 25 Oct 2026, 01:30, London time", "Arrives Paris, Bercy: Sun 25 Oct 2026, 09:15, Paris time",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, body := parse(t, test.booking)
			starts, err := e.GetStartAt()
			if err != nil || !starts.Equal(instant(t, test.starts)) {
				t.Errorf("starts %v, %v", starts, err)
			}
			ends, err := e.GetEndAt()
			if err != nil || !ends.Equal(instant(t, test.ends)) {
				t.Errorf("ends %v, %v", ends, err)
			}
			stamp, err := e.GetDtStampTime()
			if err != nil || !stamp.Equal(test.booking.At) {
				t.Errorf("stamp %v, %v", stamp, err)
			}
			for _, p := range []ics.ComponentProperty{ics.ComponentPropertyDtStart, ics.ComponentPropertyDtEnd, ics.ComponentPropertyDtstamp} {
				if !strings.HasSuffix(value(e, p), "Z") {
					t.Errorf("%s is not UTC: %s", p, value(e, p))
				}
			}
			for _, w := range test.words {
				if !strings.Contains(value(e, ics.ComponentPropertyDescription), w) {
					t.Errorf("no %q in\n%s", w, body)
				}
			}
		})
	}
}

func TestCalendarSaysWhatAndWhere(t *testing.T) {
	t.Parallel()
	e, body := parse(t, screening(t))
	for p, want := range map[ics.ComponentProperty]string{
		ics.ComponentPropertyUniqueId: "booking-41@book.example",
		ics.ComponentPropertySummary:  "Salt, Road; or \\ what",
		ics.ComponentPropertyLocation: "Hall 1, Marigold Cinema, 14 Dalada Vidiya, Kandy",
		ics.ComponentPropertyUrl:      "https://book.example/bookings/abc",
		ics.ComponentPropertyStatus:   "CONFIRMED",
	} {
		if got := value(e, p); got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
	words := value(e, ics.ComponentPropertyDescription)
	for _, want := range []string{"Row H, seat 9; Row H, seat 10", "Reference K7P-XM3", "https://book.example/bookings/abc", "081 555 0142"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %q", want, words)
		}
	}
	if !strings.Contains(body, `SUMMARY:Salt\, Road\; or \\ what`) {
		t.Errorf("not escaped:\n%s", body)
	}
	e, _ = parse(t, trip(t))
	if got := value(e, ics.ComponentPropertySummary); got != "London to Paris" {
		t.Errorf("summary %q", got)
	}
	if got := value(e, ics.ComponentPropertyLocation); got != "London, Bay 6" {
		t.Errorf("location %q", got)
	}
}

// A film's title that was pasted with line ends cannot add properties of its own.
func TestCalendarCannotBeInjected(t *testing.T) {
	t.Parallel()
	b := screening(t)
	b.Event.Film = "Salt\r\nDTSTART:19700101T000000Z\nRoad\x00"
	b.Venue.Phone = "1\r\nEND:VEVENT"
	e, body := parse(t, b)
	if got := value(e, ics.ComponentPropertySummary); got != "Salt DTSTART:19700101T000000Z Road" {
		t.Errorf("summary %q", got)
	}
	for line := range strings.SplitSeq(body, "\r\n") {
		if strings.ContainsAny(line, "\r\n\x00") || len(line) > 75 {
			t.Errorf("line %q", line)
		}
	}
	if strings.Count(body, "\r\nEND:VEVENT\r\n") != 1 {
		t.Errorf("more than one end:\n%s", body)
	}
}

func TestCalendarOfACancelledBooking(t *testing.T) {
	t.Parallel()
	b := screening(t)
	b.Cancelled = true
	e, _ := parse(t, b)
	if got := value(e, ics.ComponentPropertyStatus); got != "CANCELLED" {
		t.Errorf("status %q", got)
	}
}

func TestCalendarRefusesWhatIsNotThere(t *testing.T) {
	t.Parallel()
	b := trip(t)
	b.Ride.To = 3
	if _, err := ICS(b); err == nil {
		t.Error("a stop that does not exist: no error")
	}
	b = screening(t)
	b.URL = "/bookings/abc"
	if _, err := ICS(b); err == nil {
		t.Error("an address without a host: no error")
	}
}
