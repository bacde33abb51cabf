package handlers

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/format"
	"holdfast/views"
)

// history is everything that happened to a booking in one line of time, on the clock of
// the place: what came by itself, and what staff changed.
func (d dossier) history() []views.StaffHistory {
	type entry struct {
		at        time.Time
		what, who string
	}
	var all []entry
	for _, m := range d.f.Moments {
		all = append(all, entry{m.At, d.moment(m), whoDid(m)})
	}
	for _, a := range d.f.Log {
		all = append(all, entry{a.At, d.change(a), actorName(a.Who, "")})
	}
	slices.SortStableFunc(all, func(a, b entry) int { return a.at.Compare(b.at) })
	out := make([]views.StaffHistory, len(all))
	for i, e := range all {
		at := format.In(e.at, placeZone(d.f.Scene))
		out[i] = views.StaffHistory{When: format.ShortDay(at) + ", " + at.Format("15:04:05"), What: e.what, Who: e.who}
	}
	return out
}

// whoDid is who a moment was the doing of.
func whoDid(m booking.Moment) string {
	switch {
	case m.Who != "":
		return m.Who
	case m.Kind == "hold" && m.Words == "web", m.Kind == "asked":
		return "The customer"
	case m.Kind == "received" && m.Words == "stripe", strings.HasPrefix(m.Kind, "refund_"), strings.HasPrefix(m.Kind, "dispute"):
		return "Stripe"
	case m.Kind == "received":
		return "Staff"
	case m.Kind == "hold":
		return spoken(m.Words)
	}
	return "The program"
}

func (d dossier) moment(m booking.Moment) string {
	amount := format.Money(m.Amount, m.Currency)
	switch m.Kind {
	case "hold":
		return "Seats held, " + amount
	case "asked":
		return "Went to pay " + amount
	case "received":
		return amount + " came in" + commaIf(lower(tenderWords(m.Words)))
	case "booked":
		return "Booked, tickets made"
	case "mail":
		return "Mail queued: " + lower(mailWords(m.Words)) + ", to " + m.More
	case "sent":
		return "Mail left: " + lower(mailWords(m.Words)) + ", to " + m.More
	case "refund":
		return amount + " is to go back: " + lower(refundWhy(m.Words))
	case "refund_done":
		return amount + " is back"
	case "refund_failed":
		return amount + " could not go back" + commaIf(m.More)
	case "dispute":
		return "The payment is disputed, " + amount
	case "dispute_closed":
		return "The dispute is closed: " + strings.ReplaceAll(m.Words, "_", " ")
	case "checked_in":
		return "Seat " + cmp.Or(seatRef(d.f.Scene.Layout, m.Words).Name, m.Words) + ": checked in"
	}
	return spoken(m.Kind)
}

func lower(words string) string {
	if words == "" {
		return words
	}
	return strings.ToLower(words[:1]) + words[1:]
}
