package handlers

import (
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/ticket"
	"holdfast/views"
)

// printTickets are the valid tickets as they go on paper.
func (s *site) printTickets(p *booking.Paper, x booking.Printing, set domain.Settings) (out []views.PrintTicket, err error) {
	for _, t := range p.Tickets {
		if t.State != "valid" {
			continue
		}
		v := views.PrintTicket{
			ID: strconv.FormatInt(t.ID, 10), SeatNo: t.SeatNo, House: paperHouse(set, false), Reference: domain.ShowReference(p.Booking.Reference),
			Price: money(t.Price, p.Booking.Currency), Foot: "Ticket " + strconv.FormatInt(t.ID, 10) + ", printed " + shortMoment(x.At, set) + " by " + x.Staff,
		}
		if t.Tax > 0 {
			v.Tax = "VAT " + taxRateOf(p) + "in it: " + format.Money(t.Tax, p.Booking.Currency)
		}
		qr, err := ticket.DataURI(s.BaseURL + s.ticketURL(t))
		if err != nil {
			return nil, err
		}
		v.QR = templ.SafeURL(qr)
		paperEvent(&v, p.Scene)
		paperPlace(&v, p.Scene.Layout, t)
		out = append(out, v)
	}
	return out, nil
}

// taxRateOf is "22 % ", "" when it is not known.
func taxRateOf(p *booking.Paper) string {
	if len(p.Paid) == 0 || p.Paid[0].TaxBP == 0 {
		return ""
	}
	return format.TaxRate(p.Paid[0].TaxBP) + " "
}

// paperHouse stands on top of every paper; invoice adds what a tax office wants.
func paperHouse(set domain.Settings, invoice bool) []string {
	out := []string{set.VenueName, set.Address}
	if invoice {
		out = append(out, set.Phone, set.TaxNumber)
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// paperEvent says what the ticket is for, each time with its zone.
func paperEvent(v *views.PrintTicket, o *booking.Offer) {
	v.Title, v.Zone = eventHead(o).Title, format.Zone(placeZone(o))
	at := format.In(o.Boards, placeZone(o))
	v.When = format.Day(at) + ", " + format.Clock(at)
	if o.Event.Kind == domain.Screening {
		v.Meta = filmMeta(o.Event)
		if o.Event.Certificate != "" {
			v.Meta = append([]string{"Certificate " + o.Event.Certificate}, v.Meta...)
		}
		if o.Event.Resource != "" {
			v.Meta = append(v.Meta, o.Event.Resource)
		}
		return
	}
	from, to := o.Stops[o.Ride.From], o.Stops[o.Ride.To]
	off := format.In(o.Arrives, to.TimeZone)
	v.Way = []views.Fact{
		{Name: "From", Text: contact(from.Place, from.Address)},
		{Name: "To", Text: contact(to.Place, format.Clock(off)+" "+format.Zone(to.TimeZone))},
	}
	if o.Event.Resource != "" {
		v.Facts = append(v.Facts, views.Fact{Name: "Coach", Text: o.Event.Resource})
	}
}

// paperPlace says where the seat is, in figures that are read in the dark.
func paperPlace(v *views.PrintTicket, l *domain.Layout, t booking.Ticket) {
	c, ok := l.Seat(t.SeatNo)
	add := func(list *[]views.Fact, name, text string) {
		if text != "" {
			*list = append(*list, views.Fact{Name: name, Text: text})
		}
	}
	switch {
	case !ok:
		add(&v.Places, "Seat", t.SeatNo)
	case l.Vehicle:
		add(&v.Places, "Section", c.Section)
		add(&v.Places, seatWord(c), t.SeatNo)
		if len(l.Decks) > 1 && c.Deck < len(l.Decks) {
			add(&v.Facts, "Deck", l.Decks[c.Deck])
		}
	default:
		add(&v.Places, "Section", c.Section)
		add(&v.Places, "Row", c.RowLabel)
		add(&v.Places, seatWord(c), c.Number)
	}
	if ok && c.Printed != "" && c.Printed != c.Number {
		add(&v.Facts, "On the seat", c.Printed)
	}
	add(&v.Facts, "Ticket", t.TypeName)
	if ok && len(l.Zones) > 1 {
		add(&v.Facts, "Zone", zoneName(l, c.Zone))
	}
	add(&v.Facts, "Passenger", t.Passenger)
}

func seatWord(c domain.Cell) string {
	switch c.Kind {
	case domain.CellBerth:
		return "Berth"
	case domain.CellWheelchair:
		return "Wheelchair space"
	}
	return "Seat"
}
