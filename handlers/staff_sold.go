package handlers

import (
	"errors"
	"net/http"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// soldPage is the page of one sale: the change, what to print, the next customer.
func (s *site) soldPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	b, err := s.bookingFile(r)
	if err != nil {
		return err
	}
	page, set, err := s.staffPage(r, who, "Sold", sellURL)
	if err != nil {
		return err
	}
	parts, err := s.Booking.TakenParts(r.Context(), b.Booking.HoldID)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_sold.js"))
	head, url := eventHead(b.Scene), saleURL(b.Booking.ID)
	v := views.StaffSold{
		Page: page, Reference: domain.ShowReference(b.Booking.Reference), Heading: "Sold", Total: money(b.Booking.Total, b.Booking.Currency),
		Event: head.Title, When: strings.Join(facts(b.Scene), ", "), TicketsURL: url + "/tickets", ReceiptURL: url + "/receipt",
		BookingURL: bookingFileURL(b.Booking.ID), NextURL: sellURL, Mailed: b.Booking.Email,
	}
	if b.Booking.State == "cancelled" {
		v.Notes = append(v.Notes, views.Note{Tone: "bad", Title: "This booking was cancelled", Text: []string{"Its tickets are not valid any more."}})
	}
	if v.Till, err = s.tillOf(r, who, set); err != nil && !errors.Is(err, domain.ErrNoShift) {
		return err
	}
	for _, t := range b.Tickets {
		cell, _ := b.Scene.Layout.Seat(t.SeatNo)
		line := views.SaleLine{What: b.Scene.Layout.Where(cell), Detail: t.TypeName, Seat: seatRef(b.Scene.Layout, t.SeatNo), Sum: money(t.Price, b.Booking.Currency)}
		if t.Passenger != "" {
			line.Detail += ", " + t.Passenger
		}
		v.Tickets = append(v.Tickets, line)
	}
	paidLines(&v, parts, b.Booking.Currency)
	s.render(w, r, http.StatusOK, views.StaffSoldPage(v))
	return nil
}

// paidLines says how it was paid, and what goes back over the counter.
func paidLines(v *views.StaffSold, parts []booking.TakenPart, currency string) {
	names := map[string]string{"cash": "Cash", "terminal": "Card", "stripe": "Paid by phone", "comp": "Free of charge", "exchange": "From tickets given back", "free": "Free"}
	for _, p := range parts {
		line := views.SaleLine{What: names[p.Tender], Sum: money(p.Amount, currency)}
		if p.Tender == "comp" {
			line.Detail = p.Words
		}
		if p.Tendered > 0 {
			line.Detail = format.Money(p.Tendered, currency) + " given"
			v.Change, v.Given = ptr(money(p.Tendered-p.Amount, currency)), line.Detail
		}
		v.Paid = append(v.Paid, line)
	}
}
