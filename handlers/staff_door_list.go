package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// groups fills in the list and the figures above it, which count what is listed.
func (d *door) groups(v *views.StaffDoor) {
	o := d.list.Scene
	var scope []domain.Passenger
	for _, g := range domain.GroupPassengers(o.Layout, o.Event.Kind == domain.Trip, d.list.People) {
		x := views.DoorGroup{Scope: d.stop < 0 || d.stop == g.Stop}
		if x.Name = groupName(o, g); len(o.Stops) > 0 {
			x.Stop = strconv.Itoa(g.Stop)
		}
		for _, p := range g.People {
			if !p.Valid() {
				v.Gone = append(v.Gone, d.row(p))
				continue
			}
			x.Rows = append(x.Rows, d.row(p))
		}
		if len(x.Rows) == 0 {
			continue
		}
		if n := domain.CountPassengers(g.People); len(o.Stops) > 0 {
			x.Small = fmt.Sprintf("%d get on", n.Sold)
		} else {
			x.Small = format.Count(n.Sold, "ticket")
		}
		if x.Scope {
			scope = append(scope, g.People...)
		}
		v.Groups = append(v.Groups, x)
	}
	n := domain.CountPassengers(scope)
	v.Counts = views.DoorCounts{In: n.In, Expected: n.Expected(), Sold: n.Sold}
}

// groupName is "08:05 Kurunegala, Bay 2", or "Balcony, row H".
func groupName(o *booking.Offer, g domain.PassengerGroup) string {
	if len(o.Stops) > 0 {
		x := o.Stops[g.Stop]
		return format.Clock(format.In(x.DepartsAt, x.TimeZone)) + " " + x.Place + commaIf(x.Address)
	}
	row := "Row " + g.Row
	if g.Row == "" {
		row = "Other places"
	}
	if g.Section != "" {
		row = g.Section + ", " + strings.ToLower(row[:1]) + row[1:]
	}
	return row
}

func (d *door) row(p domain.Passenger) views.DoorRow {
	o := d.list.Scene
	word := d.list.Worth(p)
	r := views.DoorRow{
		Ticket: strconv.FormatInt(p.TicketID, 10), Seat: seatRef(o.Layout, p.SeatNo), Start: d.s.Signer.TicketCodeStart(o.Event.ID, p.TicketID, p.CodeVersion),
		State: doorState(word), Name: p.Name, Text: p.TypeName + ", " + domain.ShowReference(p.Reference), Said: d.said(word, p),
	}
	if r.Name == "" {
		r.Name, r.Text = p.TypeName, domain.ShowReference(p.Reference)
	}
	if len(o.Stops) > 0 {
		r.Text += ", to " + o.Stops[p.ToStop].Place
	}
	r.Hidden = d.find != "" && !p.Found(d.find)
	return r
}

// doorState is a verdict as the list keeps it.
func doorState(word booking.DoorVerdict) string {
	if word == booking.DoorAgain {
		return "in"
	}
	return string(word)
}

func (d *door) said(word booking.DoorVerdict, p domain.Passenger) string {
	o := d.list.Scene
	switch word {
	case booking.DoorAgain:
		return onBoard(o, "In ", "On board ") + enteredWords(*p.EntryAt, o.Event.Now, d.zone(p), p.EntryPlace, p.EntryWho, p.EntryReason)
	case booking.DoorCancelled:
		if p.Exchanged {
			return "Exchanged for another ticket"
		}
		return "Cancelled"
	case booking.DoorOff:
		return "Not taking place"
	case booking.DoorUnpaid:
		return "Not paid"
	case booking.DoorRefunded:
		return "Refunded"
	case booking.DoorAsk:
		return "Ask the office"
	}
	return ""
}

// zone is the clock where a passenger comes in.
func (d *door) zone(p domain.Passenger) string {
	if o := d.list.Scene; len(o.Stops) > 0 {
		return o.Stops[p.FromStop].TimeZone
	}
	return d.list.Scene.Event.TimeZone
}

// stops are the choices of a trip's page, each with who gets on and off there.
func (d *door) stops() (out []views.DoorStop) {
	o := d.list.Scene
	if len(o.Stops) == 0 {
		return nil
	}
	for _, x := range o.Stops {
		on, off := 0, 0
		for _, p := range d.list.People {
			if p.Valid() && p.FromStop == x.StopNo {
				on++
			}
			if p.Valid() && p.ToStop == x.StopNo {
				off++
			}
		}
		at := x.DepartsAt
		if x.StopNo == o.Event.LastStop {
			at = x.ArrivesAt
		}
		out = append(out, views.DoorStop{
			Text: format.Clock(format.In(at, x.TimeZone)) + " " + x.Place, Small: fmt.Sprintf("%d on, %d off", on, off),
			URL: d.url() + "?stop=" + strconv.Itoa(x.StopNo), Current: d.stop == x.StopNo,
		})
	}
	return append(out, views.DoorStop{Text: "All stops", Small: format.Count(domain.CountPassengers(d.list.People).Sold, "passenger"), URL: d.url() + "?stop=all", Current: d.stop < 0})
}

// boarding is when people of the chosen stop get on.
func (d *door) boarding() string {
	o := d.list.Scene
	if d.stop < 0 || !o.Stops[d.stop].MayBoard {
		return ""
	}
	x := o.Stops[d.stop]
	leaves := format.In(x.DepartsAt, x.TimeZone)
	from := leaves.Add(-time.Duration(o.Settings.BoardingNoticeMin) * time.Minute)
	return "Boarding " + format.Clock(from) + " to " + format.Clock(leaves) + ", " + format.Zone(x.TimeZone) + "."
}

// getOff is who leaves at the chosen stop.
func (d *door) getOff() (out []string) {
	if d.stop < 0 {
		return nil
	}
	o := d.list.Scene
	var off []domain.Passenger
	for _, p := range d.list.People {
		if p.Valid() && p.ToStop == d.stop {
			off = append(off, p)
		}
	}
	inOrder(o.Layout, off, func(p domain.Passenger) string { return p.SeatNo })
	for _, p := range off {
		out = append(out, seatRef(o.Layout, p.SeatNo).Name+" "+strings.TrimSpace(p.Name+" "+map[bool]string{false: "(never got on)"}[p.In()]))
	}
	return slices.Clip(out)
}

func (d *door) conflicts() (out []views.DoorConflict) {
	o := d.list.Scene
	zone := placeZone(o)
	for _, c := range d.list.Conflicts {
		words := seatRef(o.Layout, c.SeatNo).Name + ": let in " + enteredWords(c.At, o.Event.Now, zone, c.Place, c.Who, "") + ", without a line. "
		switch {
		case c.FirstAt != nil:
			words += "It had come in " + enteredWords(*c.FirstAt, o.Event.Now, zone, c.FirstPlace, c.FirstWho, "") + "."
		case booking.DoorVerdict(c.Verdict) == booking.DoorAgain:
			words += "It had come in before; that was taken back."
		default:
			words += "The ticket was not valid."
		}
		out = append(out, views.DoorConflict{Seat: c.SeatNo, Words: words})
	}
	return out
}

// allowWasm lets this one page run the QR reader, which is WebAssembly, where the browser
// has none of its own. It lets nothing else in: no eval, no code from elsewhere.
func allowWasm(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Replace(h.Get("Content-Security-Policy"), "script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", 1))
}
