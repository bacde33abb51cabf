package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// endedPage is 410: what happened, that nothing was charged, the same seats again.
func (s *site) endedPage(w http.ResponseWriter, r *http.Request, h *domain.Hold, o *booking.Offer) error {
	head := eventHead(o)
	page := s.pages.frame("Your hold ended", o.Event.Kind, o.Settings)
	page.Narrow = true
	v := views.EndedView{
		Page: page, Title: head.Title, When: head.Day + ", " + head.Time + ", " + format.Zone(placeZone(o)),
		Seats: seatRefs(o.Layout, h.SeatNos()), OthersURL: seatsURL(h, o),
		Heading: "Your hold ended at " + format.Clock(format.In(h.ExpiresAt, o.Settings.TimeZone)), Lede: "Nothing was charged.",
	}
	if h.Email != "" {
		v.Lede = "Nothing was charged. The names and the address you typed are still here."
	}
	if h.Phase() == domain.PhaseReleased && h.ExpiresAt.After(h.Now) {
		v.Page.Title, v.Heading = "You let these seats go", "You let these seats go"
	}
	if !o.Open() {
		v.Closed = "Online sales for this one are closed now."
		s.render(w, r, http.StatusGone, views.Ended(v))
		return nil
	}
	x, err := s.Booking.Seats(r.Context(), o, s.visitor(r))
	if err != nil {
		return err
	}
	var gone []string
	for _, no := range h.SeatNos() {
		if x.Taken[no] {
			gone = append(gone, no)
		}
	}
	v.SeatNote = "Free a moment ago"
	if len(gone) > 0 {
		v.SeatNote = format.List(gone) + " taken meanwhile"
	}
	if len(gone) < len(h.Seats) {
		v.Again = again(h, o)
	}
	s.render(w, r, http.StatusGone, views.Ended(v))
	return nil
}

// lostPage: paid, the seats were gone, all of the money goes back.
func (s *site) lostPage(w http.ResponseWriter, r *http.Request, status int, h *domain.Hold, o *booking.Offer) error {
	refund, err := s.Booking.RefundOf(r.Context(), h.ID)
	if err != nil {
		return err
	}
	page := s.pages.frame("Paid, but the seats were gone", o.Event.Kind, o.Settings)
	page.Narrow = true
	zone := o.Settings.TimeZone
	v := views.LostView{
		Page: page, Noun: noun(o.Layout), Seats: seatRefs(o.Layout, h.SeatNos()), Refund: refund.State, Sum: money(refund.Amount, refund.Currency),
		Lede:       "Your hold ended at " + format.Clock(format.In(h.ExpiresAt, zone)) + " and somebody else took the " + places(o.Layout, len(h.Seats)) + " before your payment arrived.",
		RefundText: refundText(refund.State, format.Clock(format.In(refund.CreatedAt, zone))), Reference: "R-" + strconv.FormatInt(refund.ID, 10),
		OthersURL: seatsURL(h, o),
	}
	switch {
	case o.Event.Status == "cancelled":
		v.Heading, v.Lede = "This one was cancelled while you paid", "Your payment arrived after that. You keep no tickets and pay nothing."
	case h.PaymentOutcome == "mismatch":
		v.Heading, v.Lede = "We could not take this payment", "What arrived does not fit your order. You keep no tickets and pay nothing."
	}
	if o.Settings.Phone != "" {
		v.Phone = views.Link{Text: "Call " + o.Settings.Phone, URL: telURL(o.Settings.Phone)}
	}
	if o.Open() {
		if err := s.offerOthers(r, h, o, &v); err != nil {
			return err
		}
	}
	s.render(w, r, status, views.Lost(v))
	return nil
}

func (s *site) offerOthers(r *http.Request, h *domain.Hold, o *booking.Offer, v *views.LostView) error {
	x, err := s.Booking.Seats(r.Context(), o, s.visitor(r))
	if err != nil {
		return err
	}
	free := x.Free(o.Layout)
	others := o.Layout.Instead(h.SeatNos(), free, o.Rules())
	if others == nil {
		others = o.Layout.Best(domain.BestWish{Quantity: len(h.Seats), Apart: true, RowPercent: o.Settings.BestSeatRowFromFront, Rules: o.Rules()}, free)
	} else if len(others) > 1 {
		v.OthersWords = "together"
	}
	if others == nil {
		return nil
	}
	v.Others = &views.SeatsForm{Action: eventURL(h.EventID) + "/holds", From: stopNo(o, h.Ride.From), To: stopNo(o, h.Ride.To), Seats: seatRefs(o.Layout, others)}
	v.OthersNote = "Names and contact are kept. This would be a new payment."
	return nil
}

func refundText(state, at string) string {
	switch state {
	case "succeeded":
		return "It reaches your card in 5 to 10 days, depending on your bank."
	case "failed":
		return "It has not worked. We have been told and will send the money another way."
	case "pending":
		return "Asked for at " + at + ". Banks take 5 to 10 days."
	}
	return "Asked for at " + at + ". It reaches your card in 5 to 10 days."
}

// checkingPage is 202: nobody knows yet, do not pay again.
func (s *site) checkingPage(w http.ResponseWriter, r *http.Request, h *domain.Hold, o *booking.Offer) error {
	page := s.pages.frame("Your payment is being checked", o.Event.Kind, o.Settings)
	page.Narrow = true
	v := views.CheckingView{
		Page: page, Seats: seatRefs(o.Layout, h.SeatNos()), ReturnURL: "/holds/" + h.ID + "/return", Seconds: 4,
		LookedAt: format.In(h.Now, o.Settings.TimeZone).Format("15:04:05"),
	}
	if !s.MailOff {
		v.MailTo = h.Email
	}
	s.render(w, r, http.StatusAccepted, views.Checking(v))
	return nil
}

// startPayment sends the visitor to Stripe's page.
func (s *site) startPayment(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("hold")
	url, err := s.Booking.Pay(r.Context(), s.visitor(r), id)
	switch {
	case err == nil && url != "":
		return seeOther(w, r, url)
	case err == nil, errors.Is(err, domain.ErrAlreadyPaid):
		h, _, err := s.heldOffer(r)
		if err != nil {
			return err
		}
		if h.Phase() != domain.PhaseBooked {
			return seeOther(w, r, "/holds/"+id)
		}
		return seeOther(w, r, s.bookingURL(h))
	case errors.Is(err, domain.ErrDetailsMissing):
		return seeOther(w, r, "/holds/"+id)
	case errors.Is(err, domain.ErrPaymentsOff), errors.Is(err, domain.ErrGateway), errors.Is(err, domain.ErrGatewayRefused):
		return s.payDown(w, r, err)
	}
	return s.onHold(w, r, err)
}

// payDown is 503: the payment page cannot be reached, the seats are kept.
func (s *site) payDown(w http.ResponseWriter, r *http.Request, why error) error {
	h, o, err := s.heldOffer(r)
	if err != nil {
		return err
	}
	if done, err := s.phase(w, r, h, o); done {
		return err
	}
	s.note(r, http.StatusServiceUnavailable, why)
	page := s.pages.frame("The payment page does not answer", o.Event.Kind, o.Settings)
	page.Narrow, page.Step, page.Hold = true, 4, strip(h, o)
	page.Hold.At = "review"
	v := views.PayDownView{
		Page: page, Heading: page.Title, Lede: "Our payment provider cannot be reached just now. Nothing was charged.", Seats: seatRefs(o.Layout, h.SeatNos()),
		PayURL: "/holds/" + h.ID + "/pay", BackURL: "/holds/" + h.ID + "/review", Sum: money(h.Total, h.Currency),
	}
	if errors.Is(why, domain.ErrPaymentsOff) {
		v.Page.Title, v.Heading, v.PayURL = "Online payment is not set up", "Online payment is not set up", ""
		v.Lede = "This house cannot take payments online at the moment. Nothing was charged."
	}
	if o.Settings.Phone != "" {
		v.Phone = views.Link{Text: "Call " + o.Settings.Phone, URL: telURL(o.Settings.Phone)}
	}
	w.Header().Set("Retry-After", "10")
	s.render(w, r, http.StatusServiceUnavailable, views.PayDown(v))
	return nil
}

// returnFromPayment settles at once and sends the visitor on.
func (s *site) returnFromPayment(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("hold")
	settled, err := s.Booking.Return(r.Context(), s.visitor(r), id)
	if errors.Is(err, domain.ErrNotFound) { // not this visitor's: perhaps a phone at the counter
		return s.returnByLink(w, r)
	}
	if err != nil && !errors.Is(err, domain.ErrGateway) && !errors.Is(err, domain.ErrPaymentsOff) {
		return err
	}
	h, o, readErr := s.heldOffer(r)
	if readErr != nil {
		return readErr
	}
	switch {
	case err != nil:
		s.note(r, http.StatusAccepted, err)
		return s.checkingPage(w, r, h, o)
	case h.Phase() == domain.PhaseBooked:
		return seeOther(w, r, s.bookingURL(h))
	case h.Phase() == domain.PhaseLost:
		return seeOther(w, r, "/holds/"+id)
	}
	back := "/holds/" + id + "/review"
	if h.PaymentID > 0 { // else nobody was sent to pay: there is nothing to tell
		back += "?back=" + string(settled)
	}
	return seeOther(w, r, back)
}

// reviewPage is the last look before paying.
func (s *site) reviewPage(w http.ResponseWriter, r *http.Request) error {
	h, o, err := s.heldOffer(r)
	if err != nil {
		return err
	}
	if done, err := s.phase(w, r, h, o); done {
		return err
	}
	if !h.Detailed {
		return seeOther(w, r, "/holds/"+h.ID)
	}
	v := s.reviewView(h, o)
	switch r.URL.Query().Get("back") {
	case string(booking.Open):
		v.Note = &views.Note{Tone: "warn", Alert: true, Title: "You came back without paying", Text: []string{"Nothing was charged. Your seats are still held until " + untilWords(h, o) + "."}}
	case string(booking.Closed):
		v.Note = &views.Note{Tone: "warn", Alert: true, Title: "Your payment did not go through", Text: []string{"Nothing was charged. Your seats are still held until " + untilWords(h, o) + "."}}
	}
	s.render(w, r, http.StatusOK, views.Review(v))
	return nil
}

func (s *site) reviewView(h *domain.Hold, o *booking.Offer) views.ReviewView {
	page := s.pages.frame("Check your order", o.Event.Kind, o.Settings)
	page.Step, page.Hold = 3, strip(h, o)
	page.Hold.At = "review"
	v := views.ReviewView{
		Page: page, Rows: reviewRows(h, o), Order: order(h, o),
		Pay: views.PayForm{Action: "/holds/" + h.ID + "/pay", Hint: "You pay on Stripe’s page and come back here. Your seats stay yours while you pay."},
	}
	prices := make([]int64, len(h.Seats))
	for i, seat := range h.Seats {
		prices[i] = seat.Price
	}
	v.Refunds = refundSteps(o, o.Terms(prices), h.Currency)
	if !s.Booking.PaysOnline() && h.Total > 0 {
		v.Pay.Off = &views.PayOff{Text: "This house cannot take payments online at the moment. Your seats are held until " + untilWords(h, o) + ".", Phone: o.Settings.Phone, PhoneURL: telURL(o.Settings.Phone)}
	}
	return v
}

func reviewRows(h *domain.Hold, o *booking.Offer) []views.ReviewRow {
	head := eventHead(o)
	hold := "/holds/" + h.ID
	var rows []views.ReviewRow
	if o.Event.Kind == domain.Trip {
		from, to := o.Stops[o.Ride.From], o.Stops[o.Ride.To]
		notice := time.Duration(o.Settings.BoardingNoticeMin) * time.Minute
		be := format.Clock(format.In(o.Boards.Add(-notice), from.TimeZone))
		rows = append(rows,
			views.ReviewRow{Title: "Trip", Lines: append([]views.ReviewLine{{Bold: head.Title}}, textLines(facts(o)[:1+boolInt(crossesZones(o))])...), EditURL: "/?origin=" + strconv.FormatInt(from.PlaceID, 10) + "&destination=" + strconv.FormatInt(to.PlaceID, 10), EditWhat: "trip"},
			views.ReviewRow{Title: "Get on", Lines: []views.ReviewLine{{Text: from.Place + commaIf(from.Address) + ". Be there by " + be + ", " + format.Zone(from.TimeZone) + "."}}, EditURL: seatsURL(h, o), EditWhat: "stops"})
	} else {
		rows = append(rows, views.ReviewRow{Title: "Film", Lines: append([]views.ReviewLine{{Bold: head.Title}}, textLines(facts(o))...), EditURL: "/", EditWhat: "film"})
	}
	what := noun(o.Layout)
	seats := views.ReviewRow{Title: strings.ToUpper(what[:1]) + what[1:] + "s", EditURL: hold, EditWhat: what + "s and tickets"}
	for _, seat := range h.Seats {
		fare, _ := h.Fares.Price(seat.Zone, seat.Type)
		ref := seatRef(o.Layout, seat.SeatNo)
		text := fare.TypeName
		if seat.Passenger != "" {
			text = seat.Passenger + ", " + fare.TypeName
		}
		if o.ForWomen[seat.SeatNo] {
			text += ", " + forWomen
		}
		seats.Lines = append(seats.Lines, views.ReviewLine{Seat: &ref, Text: text})
	}
	contact := []views.ReviewLine{{Bold: h.Name}, {Text: h.Email}}
	if h.Phone != "" {
		contact = append(contact, views.ReviewLine{Text: h.Phone})
	}
	return append(rows, seats, views.ReviewRow{Title: "Tickets go to", Lines: contact, EditURL: hold + "#email", EditWhat: "contact"})
}

func textLines(list []string) []views.ReviewLine {
	out := make([]views.ReviewLine, len(list))
	for i, t := range list {
		out[i] = views.ReviewLine{Text: t}
	}
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func commaIf(s string) string {
	if s == "" {
		return ""
	}
	return ", " + s
}

// places is "seat" or "berths": what so many of them are called.
func places(l *domain.Layout, n int) string {
	if n == 1 {
		return noun(l)
	}
	return noun(l) + "s"
}

// wrongMethod is 405 for an address that only takes a form: with the way back to the
// page the form is on.
func (s *site) wrongMethod(w http.ResponseWriter, r *http.Request) {
	back := views.Link{}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) == 3 {
		switch parts[0] {
		case "holds":
			back = views.Link{Text: "Back to your seats", URL: "/holds/" + url.PathEscape(parts[1])}
			if parts[2] == "pay" {
				back = views.Link{Text: "Back to your order", URL: back.URL + "/review"}
			}
		case "events":
			back = views.Link{Text: "Back to the seat map", URL: "/events/" + url.PathEscape(parts[1])}
		}
	}
	if back.URL == "" {
		s.fail(w, r, errMethod)
		return
	}
	s.note(r, http.StatusMethodNotAllowed, errMethod)
	page, _ := s.pages.quiet(r)
	page.Title = "Nothing to see at this address"
	s.render(w, r, http.StatusMethodNotAllowed, views.Error(views.ErrorView{
		Page: page, Status: http.StatusMethodNotAllowed, Heading: page.Title, Lede: "It takes what is sent by a button, and shows nothing by itself.",
		Safe: "Nothing was changed. Seats you hold stay held.", Next: []views.Link{back, {Text: "See what’s on", URL: "/"}}, RequestID: requestID(r),
	}))
}
