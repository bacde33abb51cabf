package handlers

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// cancelForm is what was chosen in the form that cancels tickets, as typed.
type cancelForm struct {
	tickets []string
	refund  string
	reason  string
	shown   string // the exact amount that the person saw, in minor units
	how     string // "later": the money is not handed over now although the till is open
	till    bool   // the person's till is open
	super   *superRefusal
	asked   bool // the exact amount is to be shown

	ids   []int64
	back  *int64 // nil: what the terms say
	sure  bool   // it was worked out and can be done
	alert *views.Note
}

// read turns the typed into ids and an amount; *domain.RuleError in words.
func (c *cancelForm) read(f *booking.File) error {
	c.ids, c.back = nil, nil
	for _, text := range c.tickets {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || !slices.ContainsFunc(f.Tickets, func(t booking.Ticket) bool { return t.ID == id }) {
			return &domain.RuleError{Code: "ticket", Words: "One of these tickets is not of this booking. Nothing was cancelled."}
		}
		c.ids = append(c.ids, id)
	}
	if len(c.ids) == 0 {
		return &domain.RuleError{Code: "none", Words: "Please tick at least one ticket. Nothing was cancelled."}
	}
	if strings.TrimSpace(c.refund) == "" {
		return nil
	}
	back, err := typedAmount(c.refund, f.Booking.Currency)
	c.back = &back
	return err
}

// work gets the exact amount ready to be shown and answers the page's status.
func (c *cancelForm) work(f *booking.File) int {
	err := c.read(f)
	if err == nil && c.amount(f) > f.Left {
		err = &domain.RuleError{Words: "That is more than this payment has left, " + format.Money(f.Left, f.Booking.Currency) + ". Nothing was cancelled."}
	}
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		c.alert = refusal("That is not possible yet", rule.Words)
		return http.StatusUnprocessableEntity
	}
	c.sure = true
	return http.StatusOK
}

func refusal(title, words string) *views.Note {
	return &views.Note{Tone: "bad", Alert: true, Title: title, Text: []string{words}}
}

// amount is what goes back.
func (c *cancelForm) amount(f *booking.File) int64 {
	if c.back != nil {
		return *c.back
	}
	sum, _ := f.Back(c.ids)
	return sum
}

// sawAmount is the amount that was shown; nil when the form came without.
func (c *cancelForm) sawAmount() *int64 {
	n, err := strconv.ParseInt(c.shown, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// seller hands the money over now; nil leaves it to a task, or nothing is paid by hand.
func (c *cancelForm) seller(f *booking.File, who booking.Seller) *booking.Seller {
	if c.how != "till" {
		return nil
	}
	for _, p := range f.Parts(c.amount(f)) {
		if !p.Online {
			return &who
		}
	}
	return nil
}

// view is nil when nothing is left to cancel.
func (c *cancelForm) view(f *booking.File) *views.StaffCancel {
	b, o := f.Booking, f.Scene
	v := &views.StaffCancel{
		Action: bookingFileURL(b.ID) + "/cancel", Back: bookingFileURL(b.ID), Alert: c.alert, Currency: b.Currency, Refund: c.refund, Reason: c.reason,
		Hint: "Empty: " + c.byTerms(f) + ". At most " + format.Money(f.Left, b.Currency) + ", what this payment has left. What is less is kept as a fee.",
	}
	var seats []views.SeatRef
	for _, t := range f.Tickets {
		if t.State != "valid" {
			continue
		}
		id := strconv.FormatInt(t.ID, 10)
		x := views.CancelChoice{ID: id, Chosen: slices.Contains(c.tickets, id), Text: contact(seatRef(o.Layout, t.SeatNo).Name, t.TypeName, t.Passenger) + ": " + format.Money(t.Price, b.Currency)}
		if x.Chosen {
			seats = append(seats, seatRef(o.Layout, t.SeatNo))
		}
		v.Tickets = append(v.Tickets, x)
	}
	if len(v.Tickets) == 0 {
		return nil
	}
	if c.sure && len(seats) > 0 {
		v.Sure = c.sureView(f, seats)
	}
	return v
}

// byTerms says what goes back unless an amount is typed.
func (c *cancelForm) byTerms(f *booking.File) string {
	if len(f.Terms()) == 0 {
		return "the full price of the tickets"
	}
	_, percent := f.Back(nil)
	return "what the terms of this booking say, now " + strconv.Itoa(percent) + " % of the price"
}

func (c *cancelForm) sureView(f *booking.File, seats []views.SeatRef) *views.CancelSure {
	back, currency := c.amount(f), f.Booking.Currency
	price, _ := f.Price(c.ids)
	v := &views.CancelSure{Seats: seats, Back: money(back, currency), Where: "goes back", Button: "Cancel " + format.Count(len(seats), "ticket")}
	if back > 0 {
		v.Button += ", send back " + format.Money(back, currency)
	} else {
		v.Button += ", send nothing back"
	}
	parts := f.Parts(back)
	v.Parts = partLines(parts, currency, c.till)
	v.Ways = c.ways(parts)
	switch {
	case back < price:
		v.Kept = format.Money(price-back, currency) + " is kept as a fee."
	case back > price:
		v.Kept = format.Money(back-price, currency) + " more than their price goes back."
	}
	if c.back == nil && len(f.Terms()) > 0 {
		_, percent := f.Back(c.ids)
		v.Kept = strings.TrimSpace("By the terms of this booking: " + strconv.Itoa(percent) + " % of the price. " + v.Kept)
	}
	return v
}

// partLines says how much goes where, a line for each way.
func partLines(parts []booking.BackPart, currency string, till bool) (out []string) {
	var ways []string
	sums := map[string]int64{}
	for _, p := range parts {
		way := partWhere(p, till)
		if sums[way] == 0 {
			ways = append(ways, way)
		}
		sums[way] += p.Amount
	}
	for _, way := range ways {
		out = append(out, format.Money(sums[way], currency)+" "+way)
	}
	return out
}

// partWhere says where a part of the money goes.
func partWhere(p booking.BackPart, till bool) string {
	switch {
	case p.Online:
		return "goes to the card or account that paid online"
	case !till:
		return "is to be given back at the counter: a task says so"
	case p.Tender == "terminal":
		return "goes back on the card terminal"
	}
	return "in cash"
}

// ways are the choices of when money of the counter is handed over; none without a till
// or where all of it goes back online.
func (c *cancelForm) ways(parts []booking.BackPart) []views.Option {
	byHand := slices.ContainsFunc(parts, func(p booking.BackPart) bool { return !p.Online })
	if !c.till || !byHand {
		return nil
	}
	return []views.Option{
		{Value: "till", Text: "I hand it over now, from my till", Selected: c.how != "later"},
		{Value: "later", Text: "The customer is not here: a task keeps it for them", Selected: c.how == "later"},
	}
}

// tillOpen says whether somebody's own till is open.
func (s *site) tillOpen(r *http.Request, who access.Staff) (bool, error) {
	_, err := s.Counter.Mine(r.Context(), who.ID)
	if errors.Is(err, domain.ErrNoShift) {
		return false, nil
	}
	return err == nil, err
}

func (s *site) seller(r *http.Request, who access.Staff) booking.Seller {
	return booking.Seller{StaffID: who.ID, By: s.by(r, who)}
}

// cancelTickets cancels what was ticked.
func (s *site) cancelTickets(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	f, err := s.bookingFile(r)
	if err != nil {
		return err
	}
	get := r.PostForm.Get
	c := &cancelForm{tickets: r.PostForm["ticket"], refund: get("refund"), reason: get("reason"), shown: get("shown"), how: get("how")}
	if err = c.read(f); err == nil && strings.TrimSpace(c.reason) == "" {
		err = &domain.RuleError{Code: "reason", Words: "Please say why: it stays in the log with your name."}
	}
	by := ""
	if err == nil {
		if by, c.super, err = s.supervised(r, who, access.Manager); err == nil && c.super != nil {
			c.sure, c.alert = true, refusal("Nothing was cancelled yet", c.super.words)
			waits(w, c.super.status)
			s.note(r, c.super.status, c.super.cause)
			return s.showBooking(w, r, who, c.super.status, f, c, nil)
		}
	}
	if err == nil {
		err = s.Booking.DeskCancel(r.Context(), booking.Cancel{
			BookingID: f.Booking.ID, Tickets: c.ids, Refund: c.back, Reason: "staff", By: who.Actor(), Words: c.reason, From: s.clientAddress(r),
			Seller: c.seller(f, s.seller(r, who)), Confirmed: by,
		}, c.sawAmount())
	}
	if parts := f.Parts(c.amount(f)); err == nil && c.how == "till" && len(parts) > 0 {
		return s.toBookingFile(w, r, f.Booking.ID, handedBack+backWords(handed(parts), f.Booking.Currency))
	}
	if err == nil {
		return s.toBookingFile(w, r, f.Booking.ID, "cancelled")
	}
	return s.notCancelled(w, r, who, f, c, err)
}

// notCancelled answers a refusal with the booking's page and everything typed.
func (s *site) notCancelled(w http.ResponseWriter, r *http.Request, who access.Staff, f *booking.File, c *cancelForm, err error) error {
	var rule *domain.RuleError
	status := http.StatusConflict
	switch {
	case errors.Is(err, booking.ErrTicketsGone):
		return s.toBookingFile(w, r, f.Booking.ID, "cancelled before")
	case errors.As(err, &rule):
		status, c.sure = http.StatusUnprocessableEntity, rule.Code == "reason"
		c.alert = refusal("Nothing was cancelled yet", rule.Words)
	case errors.Is(err, booking.ErrAmountChanged):
		c.sure = true
		c.alert = refusal("Nothing was cancelled: the amount is another one now", "A step of the terms passed while you looked. This is what goes back now.")
	case errors.Is(err, domain.ErrNoShift):
		c.sure = true
		c.alert = refusal("Nothing was cancelled: your till is not open", "Open your shift to hand the money over, or cancel now and let a task keep it for the customer.")
	case errors.Is(err, domain.ErrConflict):
		var readErr error
		if f, readErr = s.bookingFile(r); readErr != nil {
			return readErr
		}
		c.alert = refusal("Nothing was cancelled", "The booking changed while you looked: a ticket was cancelled by somebody else, or money went back meanwhile. This is how it stands now.")
	default:
		return err
	}
	s.note(r, status, err)
	return s.showBooking(w, r, who, status, f, c, nil)
}

func (s *site) toBookingFile(w http.ResponseWriter, r *http.Request, id int64, said string) error {
	s.Sessions.Put(r.Context(), saidKey, said)
	return seeOther(w, r, bookingFileURL(id))
}

// renamePassenger changes who travels on a ticket.
func (s *site) renamePassenger(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "booking")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	ticket, err := strconv.ParseInt(r.PostForm.Get("ticket"), 10, 64)
	if err != nil {
		return errors.Join(errBadRequest, err)
	}
	err = s.Booking.RenamePassenger(r.Context(), id, ticket, r.PostForm.Get("passenger"), who.Actor(), s.clientAddress(r))
	if err != nil {
		return s.deskRefusal(w, r, who, err, "This ticket is not valid any more, so its name cannot change.")
	}
	return s.toBookingFile(w, r, id, "renamed")
}

// resendTickets mails the way to the tickets again.
func (s *site) resendTickets(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "booking")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	if err := s.Booking.Resend(r.Context(), id, r.PostForm.Get("email"), who.Actor(), s.clientAddress(r)); err != nil {
		return s.deskRefusal(w, r, who, err, "The booking changed meanwhile.")
	}
	return s.toBookingFile(w, r, id, "mailed")
}

// deskRefusal answers a refused change with the booking's page; conflict is said where
// the booking was not as the form thought.
func (s *site) deskRefusal(w http.ResponseWriter, r *http.Request, who access.Staff, err error, conflict string) error {
	status, words := http.StatusUnprocessableEntity, conflict
	var rule *domain.RuleError
	switch {
	case errors.As(err, &rule):
		words = rule.Words
	case errors.Is(err, domain.ErrConflict):
		status = http.StatusConflict
	default:
		return err
	}
	s.note(r, status, err)
	page, _, pageErr := s.staffPage(r, who, "Nothing was changed", "/staff/bookings")
	if pageErr != nil {
		return pageErr
	}
	s.render(w, r, status, views.StaffNoticePage(views.StaffNotice{
		Page: page, Heading: "Nothing was changed", Lede: words, Links: []views.Link{{Text: "Back to the booking", URL: "/staff/bookings/" + r.PathValue("booking")}},
	}))
	return nil
}
