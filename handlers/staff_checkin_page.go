package handlers

import (
	"crypto/rand"
	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// checkInPage is a verdict on its way to words.
type checkInPage struct {
	s             *site
	who           access.Staff
	x             *booking.Sale
	door          int64
	verdict       booking.Verdict
	why, whyError string
	tooLate       bool
	next          *booking.Sale // that it was exchanged for; show reads it
}

func (c checkInPage) show(w http.ResponseWriter, r *http.Request, status int) error {
	o, t := c.x.Scene, c.x.Tickets[0]
	manager := c.who.Role.Covers(access.Manager)
	page, _, err := c.s.staffPage(r, c.who, "", "")
	if err != nil {
		return err
	}
	if c.next, err = c.s.Booking.ExchangedFor(r.Context(), t); err != nil {
		return err
	}
	in, of, err := c.s.Booking.DoorCount(r.Context(), t.EventID)
	if err != nil {
		return err
	}
	v := views.StaffCheckIn{
		Page: page, Ticket: strconv.FormatInt(t.ID, 10), Seat: seatRef(o.Layout, t.SeatNo), Facts: c.facts(), Key: rand.Text(),
		Code: c.s.Signer.TicketCode(t.EventID, t.ID, t.CodeVersion), Count: onBoard(o, strconv.Itoa(in)+" of "+strconv.Itoa(of)+" in", strconv.Itoa(in)+" of "+strconv.Itoa(of)+" on board"),
		Place: capital(noun(o.Layout)), Why: c.why, WhyError: c.whyError,
	}
	c.judge(&v, manager)
	if c.door != 0 {
		v.Event = strconv.FormatInt(c.door, 10)
	}
	if c.tooLate {
		v.Text = append([]string{"It is too late to undo this here; a manager can."}, v.Text...)
	}
	v.Page.Page.Title = v.Word + ": " + v.Seat.Name
	v.Page.Page.JS = append(v.Page.Page.JS, c.s.Assets.URL("js/staff_door.js"))
	if c.who.Role.Covers(access.Cashier) {
		v.Links = append(v.Links, views.Link{Text: "Booking " + domain.ShowReference(c.x.Booking.Reference), URL: bookingFileURL(c.x.Booking.ID)})
	}
	if c.next != nil && c.who.Role.Covers(access.Cashier) {
		v.Links = append(v.Links, views.Link{Text: "The new booking " + domain.ShowReference(c.next.Booking.Reference), URL: bookingFileURL(c.next.Booking.ID)})
	}
	v.Links = append(v.Links, views.Link{Text: "The ticket itself", URL: c.s.ticketURL(t) + "?show=ticket"})
	c.s.render(w, r, status, views.StaffCheckInPage(v))
	return nil
}

// judge puts the verdict into a word, a colour and what can be done.
func (c checkInPage) judge(v *views.StaffCheckIn, manager bool) {
	o, e := c.x.Scene, c.verdict.Entry
	say := func(tone, icon, word string, text ...string) { v.Tone, v.Icon, v.Word, v.Text = tone, icon, word, text }
	switch c.verdict.Word {
	case booking.DoorCancelled:
		if c.next != nil {
			say("bad", "cross", "Exchanged", "Do not let in with this one: it was exchanged for "+becameWords(o, c.next)+". Ask for the new ticket, or find booking "+domain.ShowReference(c.next.Booking.Reference)+".")
			break
		}
		say("bad", "cross", "Cancelled", "Do not let in: this ticket was cancelled. Its seat may belong to somebody else.")
	case booking.DoorOff:
		say("bad", "cross", "Not taking place", "Do not let in: the event of this ticket was cancelled.")
	case booking.DoorOther:
		say("bad", "cross", "Wrong event", "Do not let in here: this ticket is for "+eventHead(o).Title+", "+boards(o)+".")
	case booking.DoorAgain:
		say("warn", "alert", onBoard(o, "Already in", "Already on board"), "First scanned "+c.entered()+".")
		if manager && e.ID != 0 {
			v.Undo = strconv.FormatInt(e.ID, 10)
		}
	case booking.DoorUnpaid:
		say("warn", "alert", "Not paid", "No money came for this ticket. Ask the office first.")
		v.Anyway = manager
	case booking.DoorRefunded:
		say("warn", "alert", "Refunded", "All the money of this ticket went back. Ask the office first.")
		v.Anyway = manager
	case booking.DoorAsk:
		say("warn", "alert", "Ask the office first", "The cardholder took the payment back. Somebody must decide on the status page before this ticket is good.")
		v.Anyway = manager
	case booking.DoorIn:
		say("done", "check", onBoard(o, "Checked in", "On board"), capital(c.entered())+".")
		v.Undo, v.UndoFor = strconv.FormatInt(e.ID, 10), strconv.Itoa(int(undoOffered/time.Second))
	default:
		say("ok", "check", "Valid", onBoard(o, "Not in yet.", "Not on board yet."))
		v.CheckIn = "Check in"
	}
	now := c.verdict.Now
	if v.Tone != "bad" && (now.Before(o.Boards.Add(-12*time.Hour)) || now.After(o.Arrives.Add(6*time.Hour))) {
		v.Caution = "Not now: this ticket is for " + boards(o) + "."
	}
}

// entered is when, where and by whom: "at 19:12, Hall 1, by K. Selvam".
func (c checkInPage) entered() string {
	e := c.verdict.Entry
	if e.ID == 0 {
		return "a moment ago"
	}
	return enteredWords(e.At, c.verdict.Now, placeZone(c.x.Scene), e.Place, e.Who, e.Reason)
}

// enteredWords has the day when it is not today: "Sat 5 Dec 2026 at 19:12, …".
func enteredWords(when, now time.Time, zone, place, who, reason string) string {
	at := format.In(when, zone)
	words := "at " + format.Clock(at)
	if format.DayOff(at, format.In(now, zone)) != 0 {
		words = format.Day(at) + " " + words
	}
	words += commaIf(place) + ", by " + who
	if reason != "" {
		words += ": " + reason
	}
	return words
}

// boards is when the ticket's event begins for its holder: "Sat 5 Dec 2026, 06:30,
// Colombo time".
func boards(o *booking.Offer) string {
	at := format.In(o.Boards, placeZone(o))
	return format.Day(at) + ", " + format.Clock(at) + ", " + format.Zone(placeZone(o))
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func onBoard(o *booking.Offer, house, bus string) string {
	if o.Event.Kind == domain.Trip {
		return bus
	}
	return house
}

func (c checkInPage) facts() []views.Fact {
	o, t := c.x.Scene, c.x.Tickets[0]
	var out []views.Fact
	add := func(name, text string) {
		if text != "" {
			out = append(out, views.Fact{Name: name, Text: text})
		}
	}
	add("Passenger", t.Passenger)
	add("Ticket", t.TypeName)
	head := eventHead(o)
	if o.Event.Kind == domain.Trip {
		add("From, to", o.Stops[o.Ride.From].Place+", "+o.Stops[o.Ride.To].Place)
		add("Trip", head.Day+", "+head.Time)
		return out
	}
	add("Film", head.Title)
	add("Starts", format.Day(format.In(o.Boards, o.Event.TimeZone))+", "+head.Time)
	add("Hall", o.Event.Resource)
	return out
}
