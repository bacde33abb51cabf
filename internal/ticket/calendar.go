package ticket

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"holdfast/internal/domain"
	"holdfast/internal/format"
)

// Booking is what a calendar entry needs to know of a booking.
type Booking struct {
	ID        int64
	Reference string // as people read it: "K7P-XM3"
	Event     domain.Event
	Stops     []domain.EventStop // all stops of a trip, none of a screening
	Ride      domain.Ride
	Seats     []string // in words: "Row H, seat 9"
	URL       string   // absolute, of the booking's page
	Venue     domain.Settings
	Cancelled bool
	At        time.Time // when this file is made
}

// ICS is the booking as a calendar file (RFC 5545): one entry from the start to the end
// of the screening, or from boarding to getting off. Times are instants in UTC, so that
// every calendar shows them in its own zone and none has to know the place's. The UID
// stays the same for a booking: loaded again the entry is replaced, not doubled.
func ICS(b Booking) ([]byte, error) {
	host, err := hostOf(b.URL)
	if err != nil {
		return nil, err
	}
	w, err := when(b)
	if err != nil {
		return nil, err
	}
	cal := ics.NewCalendarFor("holdfast")
	cal.SetProductId("-//Holdfast//Tickets//EN")
	cal.SetMethod(ics.MethodPublish)
	e := cal.AddEvent(fmt.Sprintf("booking-%d@%s", b.ID, host))
	e.SetDtStampTime(b.At)
	e.SetStartAt(w.starts)
	e.SetEndAt(w.ends)
	e.SetSummary(oneLine(w.summary))
	e.SetLocation(oneLine(w.location))
	e.SetDescription(clean(description(b, w)))
	e.SetURL(b.URL)
	e.SetStatus(ics.ObjectStatusConfirmed)
	if b.Cancelled {
		e.SetStatus(ics.ObjectStatusCancelled)
	}
	var out bytes.Buffer
	err = cal.SerializeTo(&out, ics.WithNewLineWindows)
	return out.Bytes(), err
}

func hostOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return "", errors.New("calendar: the booking's address is not absolute")
	}
	return u.Hostname(), nil
}

// entry is what differs between a screening and a trip.
type entry struct {
	starts, ends      time.Time
	summary, location string
	times             []string // lines with the wall clock of the place
}

func when(b Booking) (entry, error) {
	if b.Event.Kind != domain.Trip {
		place := joined(b.Event.Resource, b.Venue.VenueName, b.Venue.Address)
		return entry{b.Event.StartsAt, b.Event.EndsAt, b.Event.Film, place, []string{
			moment(b.Event.StartsAt, b.Event.TimeZone),
		}}, nil
	}
	if b.Ride.From < 0 || b.Ride.From >= b.Ride.To || b.Ride.To >= len(b.Stops) {
		return entry{}, fmt.Errorf("calendar: no stops %d to %d of %d", b.Ride.From, b.Ride.To, len(b.Stops))
	}
	from, to := b.Stops[b.Ride.From], b.Stops[b.Ride.To]
	return entry{from.DepartsAt, to.ArrivesAt, from.Place + " to " + to.Place, joined(from.Place, from.Address), []string{
		"Leaves " + joined(from.Place, from.Address) + ": " + moment(from.DepartsAt, from.TimeZone),
		"Arrives " + joined(to.Place, to.Address) + ": " + moment(to.ArrivesAt, to.TimeZone),
	}}, nil
}

func description(b Booking, e entry) string {
	lines := append([]string{}, e.times...)
	if len(b.Seats) > 0 {
		lines = append(lines, strings.Join(b.Seats, "; "))
	}
	if b.Event.Kind == domain.Trip && b.Event.Resource != "" {
		lines = append(lines, b.Event.Resource)
	}
	lines = append(lines, "Reference "+b.Reference, "Tickets: "+b.URL)
	if b.Venue.Phone != "" {
		lines = append(lines, "Questions: "+b.Venue.Phone)
	}
	return strings.Join(lines, "\n")
}

// moment is the wall clock of the place with its zone.
func moment(t time.Time, zone string) string {
	local := format.In(t, zone)
	return format.Day(local) + ", " + format.Clock(local) + ", " + format.Zone(zone)
}

func joined(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, ", ")
}

// clean keeps line ends and drops every other control character: the calendar's own
// escapes know only \n.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }
