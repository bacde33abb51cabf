package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
)

// exchanging is an exchange on its way: which tickets, to which event, which seats. Each
// step's choices travel in the address, so that Back works and nothing is lost.
type exchanging struct {
	f     *booking.File
	typed url.Values
	given []booking.Ticket // back, in the order of the plan
	o     *booking.Offer   // nil: no event is chosen yet
	seats []string         // chosen, in the order of the plan
	quote *booking.Quote   // nil: not all is chosen yet
	lost  map[string]bool
	alert string // why it cannot be done yet, "" for nothing
	head  string // the alert's heading
	till  bool   // the person's till is open
	super *superRefusal
}

// exchangePage leads from the tickets to the difference in price.
func (s *site) exchangePage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	x, err := s.exchanging(r, r.URL.Query())
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		return s.exchangeRefused(w, r, who, x, http.StatusUnprocessableEntity, "That is not possible", rule.Words, err)
	}
	if err != nil {
		return err
	}
	return s.showExchange(w, r, who, http.StatusOK, x)
}

// exchanging reads what was chosen so far. On a *domain.RuleError the exchange is there as
// far as it could be read.
func (s *site) exchanging(r *http.Request, typed url.Values) (*exchanging, error) {
	f, err := s.bookingFile(r)
	if err != nil {
		return nil, err
	}
	x := &exchanging{f: f, typed: typed}
	for _, t := range f.Tickets {
		if t.State == "valid" && (!typed.Has("ticket") || slices.Contains(typed["ticket"], strconv.FormatInt(t.ID, 10))) {
			x.given = append(x.given, t)
		}
	}
	if typed.Get("at") == "" {
		return x, nil
	}
	if len(x.given) == 0 {
		return x, &domain.RuleError{Code: "none", Words: "Please tick the tickets that are given back. Nothing was exchanged."}
	}
	if x.o, err = s.exchangeOffer(r, f, typed.Get("at")); err != nil {
		return x, err
	}
	x.seats = seatsTyped(x.o, typed["seat"])
	if len(x.seats) == 0 || typed.Has("choose") {
		return x, nil
	}
	x.quote, err = s.Booking.QuoteExchange(r.Context(), f, x.o, x.exchange())
	return x, err
}

// seatsTyped are the seats of a form that exist, once each, in the order of the plan.
func seatsTyped(o *booking.Offer, typed []string) (out []string) {
	for _, no := range typed {
		if _, ok := o.Layout.Seat(no); ok && !slices.Contains(out, no) {
			out = append(out, no)
		}
	}
	o.Layout.SortSeats(out)
	return out
}

// exchangeOffer reads "12" or, of a trip, "12.0.3": the event and the stops.
func (s *site) exchangeOffer(r *http.Request, f *booking.File, at string) (*booking.Offer, error) {
	parts := strings.Split(at, ".")
	id, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || len(parts) != 1 && len(parts) != 3 {
		return nil, &domain.RuleError{Code: "event", Words: "Please choose one of the events of the list. Nothing was exchanged."}
	}
	var stops *domain.Ride
	if len(parts) == 3 {
		from, fromErr := strconv.Atoi(parts[1])
		to, toErr := strconv.Atoi(parts[2])
		if fromErr != nil || toErr != nil {
			return nil, &domain.RuleError{Code: "event", Words: "Please choose one of the events of the list. Nothing was exchanged."}
		}
		stops = &domain.Ride{From: from, To: to}
	}
	o, err := s.Booking.Offer(r.Context(), id, stops)
	if err != nil {
		return nil, err
	}
	if o.Event.Kind != f.Scene.Event.Kind || o.Event.Status != "published" {
		return nil, &domain.RuleError{Code: "event", Words: "This event takes no exchange: it is not on sale, or of another kind. Nothing was exchanged."}
	}
	return o, nil
}

// atOf is how an event on its ride stands in the form.
func atOf(e domain.Event, ride domain.Ride) string {
	if e.Kind == domain.Screening {
		return strconv.FormatInt(e.ID, 10)
	}
	return strconv.FormatInt(e.ID, 10) + "." + strconv.Itoa(ride.From) + "." + strconv.Itoa(ride.To)
}

// exchange is what the service is asked for. A seat without a type gets that of the ticket
// it stands for, where the zone sells it.
func (x *exchanging) exchange() booking.Exchange {
	e := booking.Exchange{BookingID: x.f.Booking.ID, Seats: map[string]string{}, Words: x.typed.Get("reason"), Key: x.typed.Get("key")}
	for _, t := range x.given {
		e.Tickets = append(e.Tickets, t.ID)
	}
	for i, no := range x.seats {
		e.Seats[no] = x.typed.Get("type." + no)
		if e.Seats[no] == "" && i < len(x.given) && x.sells(no, x.given[i].TicketType) {
			e.Seats[no] = x.given[i].TicketType
		}
	}
	if n, err := strconv.ParseInt(x.typed.Get("shown"), 10, 64); err == nil {
		e.Shown = &n
	}
	return e
}

// sells says whether a seat can be had with a ticket type: it is on sale, or what was paid
// for it stays.
func (x *exchanging) sells(seat, kind string) bool {
	c, _ := x.o.Layout.Seat(seat)
	if _, ok := x.o.Fares.Price(c.Zone, kind); ok {
		return true
	}
	return slices.ContainsFunc(x.given, func(t booking.Ticket) bool {
		was, ok := x.o.Layout.Seat(t.SeatNo)
		return ok && t.EventID == x.o.Event.ID && was.Zone == c.Zone && t.TicketType == kind
	})
}

// exchangeTickets does it.
func (s *site) exchangeTickets(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	x, err := s.exchanging(r, r.PostForm)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		switch id, done, doneErr := s.Booking.ExchangeDone(r.Context(), s.seller(r, who), r.PostForm.Get("key")); {
		case doneErr != nil:
			return doneErr
		case done: // the same form, sent again
			return s.toBookingFile(w, r, id, "exchanged")
		}
		return s.exchangeRefused(w, r, who, x, http.StatusUnprocessableEntity, "Nothing was exchanged yet", rule.Words, err)
	}
	if err != nil {
		return err
	}
	if x.quote == nil {
		return s.exchangeRefused(w, r, who, x, http.StatusUnprocessableEntity, "Nothing was exchanged yet", "Please choose the new seats.", errBadRequest)
	}
	e := x.exchange()
	if err = x.pay(&e); err != nil {
		return s.notExchanged(w, r, who, x, err)
	}
	seller := s.seller(r, who)
	if seller.Confirmed, x.super, err = s.supervised(r, who, access.Manager); err != nil {
		return err
	}
	if x.super != nil {
		waits(w, x.super.status)
		return s.exchangeRefused(w, r, who, x, x.super.status, "Nothing was exchanged yet", x.super.words, x.super.cause)
	}
	id, err := s.Booking.Exchange(r.Context(), x.o, seller, e)
	if err != nil {
		return s.notExchanged(w, r, who, x, err)
	}
	if x.till, err = s.tillOpen(r, who); err != nil {
		return err
	}
	if x.till && len(x.quote.Back) > 0 { // else a task has the money
		return s.toBookingFile(w, r, id, exchangedBack+backWords(handed(x.quote.Back), x.f.Booking.Currency))
	}
	return s.toBookingFile(w, r, id, "exchanged")
}

// exchangedBack starts what the booking's page says after an exchange for cheaper seats.
const exchangedBack = "exchanged, handed back: "

// pay reads how the difference is paid, and looks at the reason before anybody types a
// secret.
func (x *exchanging) pay(e *booking.Exchange) (err error) {
	if strings.TrimSpace(e.Words) == "" {
		return &domain.RuleError{Code: "reason", Words: "Please say why: it stays in the log with your name. Nothing was exchanged."}
	}
	if x.quote.Difference <= 0 {
		return nil
	}
	t := booking.Tender{Kind: x.typed.Get("tender"), Amount: x.quote.Difference}
	if given := strings.TrimSpace(x.typed.Get("tendered")); t.Kind == "cash" && given != "" {
		t.Tendered, err = typedAmount(given, x.quoteCurrency())
	}
	e.Tenders = []booking.Tender{t}
	return err
}

func (x *exchanging) quoteCurrency() string { return x.o.Event.Currency }

// notExchanged answers what stood in the way with the page and everything typed.
func (s *site) notExchanged(w http.ResponseWriter, r *http.Request, who access.Staff, x *exchanging, err error) error {
	var rule *domain.RuleError
	var conflict *domain.SeatConflict
	status, head, words := http.StatusConflict, "Nothing was exchanged", ""
	switch {
	case errors.As(err, &conflict):
		x.lost, x.quote = map[string]bool{}, nil
		for _, no := range conflict.Lost {
			x.lost[no] = true
		}
		head, words = "These seats were just taken", x.goneWords(conflict.Lost)
	case errors.As(err, &rule):
		status, head, words = http.StatusUnprocessableEntity, "Nothing was exchanged yet", rule.Words
	case errors.Is(err, booking.ErrAmountChanged):
		words = "The price changed while you looked. This is how it stands now."
	case errors.Is(err, domain.ErrNoShift):
		words = "Your till is not open: open your shift first, then money can be taken."
	case errors.Is(err, domain.ErrSalesClosed):
		status, words = http.StatusUnprocessableEntity, "This event is not on sale any more. Please choose another."
		x.o, x.quote = nil, nil
	case errors.Is(err, domain.ErrBusy):
		words = "Somebody else works on the same seats this very moment. Please press again."
	case errors.Is(err, domain.ErrConflict):
		words = "The booking changed while you looked: a ticket was cancelled or exchanged by somebody else. This is how it stands now."
		x.o, x.quote = nil, nil
		x.typed.Del("ticket")
		if x.f, err = s.bookingFile(r); err != nil {
			return err
		}
	default:
		return err
	}
	return s.exchangeRefused(w, r, who, x, status, head, words, err)
}

func (x *exchanging) goneWords(lost []string) string {
	var gone, stay []string
	for _, no := range x.seats {
		if slices.Contains(lost, no) {
			gone = append(gone, seatRef(x.o.Layout, no).Name)
		} else {
			stay = append(stay, seatRef(x.o.Layout, no).Name)
		}
	}
	words := format.List(gone) + " " + wereOrWas(len(gone)) + " taken a moment ago; the customer still has the old seats."
	if len(stay) > 0 {
		words += " " + format.List(stay) + " " + toBe(len(stay)) + " still ticked."
	}
	return words
}

func wereOrWas(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func (s *site) exchangeRefused(w http.ResponseWriter, r *http.Request, who access.Staff, x *exchanging, status int, head, words string, err error) error {
	x.head, x.alert = head, words
	s.note(r, status, err)
	return s.showExchange(w, r, who, status, x)
}
