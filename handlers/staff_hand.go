package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// handOver records that somebody gave money back out of the own till.
func (s *site) handOver(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	payment, err := pathID(r, "payment")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	shown, err := strconv.ParseInt(r.PostForm.Get("amount"), 10, 64)
	if err != nil {
		return errors.Join(errBadRequest, err)
	}
	booked, err := s.Booking.HandOver(r.Context(), payment, shown, s.seller(r, who))
	switch {
	case errors.Is(err, domain.ErrNoShift):
		return s.notHanded(w, r, who, err, "Your till is not open. Open your shift with its float first: the money goes out of it and stands in its report. Nothing was recorded.",
			views.Link{Text: "Open your till", URL: "/staff/shifts/new?next=" + url.QueryEscape("/staff/status")})
	case errors.Is(err, domain.ErrConflict):
		return s.notHanded(w, r, who, err, "This money was given back already, or it is another amount now. Please do not hand it over a second time: look at the booking first. Nothing was recorded.",
			views.Link{Text: "What needs a person", URL: "/staff/status"})
	case err != nil:
		return err
	}
	return s.toBookingFile(w, r, booked, "handed over")
}

func (s *site) notHanded(w http.ResponseWriter, r *http.Request, who access.Staff, why error, words string, next views.Link) error {
	s.note(r, http.StatusConflict, why)
	page, _, err := s.staffPage(r, who, "Not handed over", "/staff/status")
	if err != nil {
		return err
	}
	s.render(w, r, http.StatusConflict, views.StaffNoticePage(views.StaffNotice{Page: page, Heading: "Nothing was recorded", Lede: words, Links: []views.Link{next}}))
	return nil
}

// handForm is the press for money that waits for a hand; nil when there is none.
func handForm(payment, amount int64, currency string) *views.HandOver {
	if amount <= 0 {
		return nil
	}
	return &views.HandOver{
		URL: "/staff/payments/" + strconv.FormatInt(payment, 10) + "/handed", Amount: strconv.FormatInt(amount, 10), Words: format.Money(amount, currency),
	}
}

// handSums adds up what waits for a hand, by payment: all of a payment is handed over at
// once. Take gives each sum once.
type handSums map[int64]int64

// add is for refunds of money that did not come through Stripe.
func (h handSums) add(payment, amount int64, state string) {
	if state == string(domain.RefundPending) {
		h[payment] += amount
	}
}

func (h handSums) take(payment int64, currency string) *views.HandOver {
	sum := h[payment]
	delete(h, payment)
	return handForm(payment, sum, currency)
}
