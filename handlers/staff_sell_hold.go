package handlers

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/ticket"
	"holdfast/views"
)

// sellSaid answers what was done on the page before.
func sellSaid(said string) *views.Note {
	switch {
	case strings.HasPrefix(said, "kept "):
		return &views.Note{Tone: "ok", Alert: true, Title: "Held", Text: []string{"The seats stand under “On hold here”, with their end."}}
	case said == "let go":
		return &views.Note{Tone: "ok", Alert: true, Title: "Let go", Text: []string{"The seats are for sale again."}}
	case said == "over":
		return &views.Note{Tone: "warn", Alert: true, Title: "That hold was over already", Text: []string{"Nothing was changed."}}
	case said == "link open":
		return &views.Note{Tone: "warn", Alert: true, Title: "The payment page cannot be closed just now", Text: []string{
			"Stripe does not answer, and the customer may still pay. The seats stay held. Please try again in a minute."}}
	}
	return nil
}

// releaseKept lets a hold of the counter go; its payment page is closed first.
func (s *site) releaseKept(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id := r.PathValue("hold")
	settled, err := s.Booking.CloseLink(r.Context(), id)
	switch {
	case errors.Is(err, domain.ErrGateway):
		s.note(r, http.StatusSeeOther, err)
		s.Sessions.Put(r.Context(), saidKey, "link open")
		return seeOther(w, r, sellURL)
	case err != nil:
		return err
	case settled == booking.Booked:
		return s.toSale(w, r, id)
	}
	said := "let go"
	if err := s.Booking.LetGo(r.Context(), id, s.by(r, who)); errors.Is(err, domain.ErrHoldEnded) {
		said = "over"
	} else if err != nil {
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, said)
	return seeOther(w, r, sellURL)
}

// toSale leads to what a hold of the counter became.
func (s *site) toSale(w http.ResponseWriter, r *http.Request, hold string) error {
	x, err := s.Booking.Link(r.Context(), hold)
	if err != nil {
		return err
	}
	if x.Hold.BookingID == 0 {
		return seeOther(w, r, sellURL)
	}
	return seeOther(w, r, saleURL(x.Hold.BookingID))
}

// payLinkPage shows the QR code of a payment page while it is open.
func (s *site) payLinkPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	x, err := s.Booking.Link(r.Context(), r.PathValue("hold"))
	if err != nil {
		return err
	}
	if p := x.Hold.Phase(); p == domain.PhaseBooked {
		return seeOther(w, r, saleURL(x.Hold.BookingID))
	} else if p != domain.PhasePaying || x.URL == "" {
		return seeOther(w, r, sellURL+"?hold="+x.Hold.ID)
	}
	page, set, err := s.staffPage(r, who, "Pay by phone", sellURL)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_sold.js"))
	base := sellURL + "/holds/" + x.Hold.ID
	v := views.StaffLink{
		Page: page, URL: x.URL, Total: money(x.Hold.Total, x.Hold.Currency), Seats: format.List(x.Hold.SeatNos()), Event: eventHead(x.Scene).Title,
		Until: untilClock(x.Hold.ExpiresAt, set), ClockURL: base + "/clock", CloseURL: base + "/close", ReleaseURL: base + "/release",
		Said: sellSaid(s.Sessions.PopString(r.Context(), saidKey)),
	}
	if v.Till, err = s.tillOf(r, who, set); err != nil && !errors.Is(err, domain.ErrNoShift) {
		return err
	}
	if v.QR, err = ticket.DataURI(x.URL); err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.StaffLinkPage(v))
	return nil
}

// payLinkClock is what the page with the code asks until the money is here.
func (s *site) payLinkClock(w http.ResponseWriter, r *http.Request, _ access.Staff) error {
	x, err := s.Booking.Link(r.Context(), r.PathValue("hold"))
	if err != nil {
		return err
	}
	out := struct {
		SecondsLeft int64  `json:"seconds_left"`
		State       string `json:"state"`
		Next        string `json:"next,omitempty"` // where to go now
	}{max(0, int64(x.Hold.ExpiresAt.Sub(x.Hold.Now)/time.Second)), string(x.Hold.Phase()), ""}
	switch x.Hold.Phase() {
	case domain.PhaseBooked:
		out.Next = saleURL(x.Hold.BookingID)
	case domain.PhasePaying:
	default:
		out.Next = sellURL + "?hold=" + x.Hold.ID
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// closePayLink closes the payment page, so that the customer can pay otherwise.
func (s *site) closePayLink(w http.ResponseWriter, r *http.Request, _ access.Staff) error {
	id := r.PathValue("hold")
	settled, err := s.Booking.CloseLink(r.Context(), id)
	switch {
	case errors.Is(err, domain.ErrGateway):
		s.note(r, http.StatusSeeOther, err)
		s.Sessions.Put(r.Context(), saidKey, "link open")
		return seeOther(w, r, linkURL(id))
	case err != nil:
		return err
	case settled == booking.Booked:
		return s.toSale(w, r, id)
	}
	return seeOther(w, r, sellURL+"?hold="+id)
}

// returnByLink is what a phone sees that paid by the counter's link. It is nobody's
// session: it learns that the money is here, and nothing else.
func (s *site) returnByLink(w http.ResponseWriter, r *http.Request) error {
	settled, err := s.Booking.ReturnByLink(r.Context(), r.PathValue("hold"))
	if err != nil && !errors.Is(err, domain.ErrGateway) && !errors.Is(err, domain.ErrPaymentsOff) {
		return err
	}
	page, _, pageErr := s.pages.page(r.Context(), "Your payment", domain.Screening)
	if pageErr != nil {
		return pageErr
	}
	page.Narrow = true
	v := views.LinkPaid{Page: page, Heading: "Please ask at the counter", Lede: "The screen there shows whether your payment has arrived. Please do not pay a second time."}
	if err != nil {
		s.note(r, http.StatusAccepted, err)
	}
	if settled == booking.Booked {
		v.Heading, v.Lede, v.Page.Title = "Paid, thank you", "Your tickets are printed at the counter.", "Paid"
	}
	s.render(w, r, http.StatusOK, views.LinkPaidPage(v))
	return nil
}
