package handlers

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// chooseSeats makes the visitor's hold exactly the ticked seats.
func (s *site) chooseSeats(w http.ResponseWriter, r *http.Request) error {
	if wait, err := s.mustWait(w, r); wait || err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	seats := slices.Clone(r.PostForm["seat"])
	if s.refuse(w, r, slices.Clone(seats)) {
		return nil
	}
	o, err := s.offer(r, r.PostForm.Get)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		return s.wrongStops(w, r, rule)
	}
	if err != nil {
		return err
	}
	id, err := s.Booking.Choose(r.Context(), o, s.chooser(r), seats)
	s.claimed(err)
	if err != nil {
		return s.notChosen(w, r, o, id, seats, err)
	}
	s.remember(w, r)
	// "The same seats again" brings along what was typed.
	if err := s.keepTyped(r, id); err != nil {
		return err
	}
	return seeOther(w, r, "/holds/"+id)
}

// chooseBest lets the house choose.
func (s *site) chooseBest(w http.ResponseWriter, r *http.Request) error {
	if wait, err := s.mustWait(w, r); wait || err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	o, err := s.offer(r, r.PostForm.Get)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		return s.wrongStops(w, r, rule)
	}
	if err != nil {
		return err
	}
	want := wish(r)
	id, err := s.Booking.ChooseBest(r.Context(), o, s.chooser(r), want)
	s.claimed(err)
	var none *booking.NoBest
	if errors.As(err, &none) {
		return s.showSeats(w, r, http.StatusConflict, o, ticks{}, noBest(o, want, none))
	}
	if errors.As(err, &rule) && rule.Code == "quantity" && want.Quantity < 1 {
		return s.showSeats(w, r, http.StatusUnprocessableEntity, o, ticks{}, &views.SeatAlert{
			Heading: "How many " + noun(o.Layout) + "s?",
			Text:    "Please ask for 1 to " + format.Count(o.Settings.SeatsPerBooking, noun(o.Layout)) + ". Nothing is held and nothing was charged.",
		})
	}
	if err != nil {
		return s.notChosen(w, r, o, id, nil, err)
	}
	s.remember(w, r)
	return seeOther(w, r, "/holds/"+id)
}

func noBest(o *booking.Offer, want domain.BestWish, none *booking.NoBest) *views.SeatAlert {
	what := noun(o.Layout)
	alert := &views.SeatAlert{
		Heading: "There are no " + format.Count(want.Quantity, what) + " side by side",
		Text:    "Nothing is held. " + format.Count(none.Free, what) + " are free there.",
	}
	switch {
	case none.ApartHelp:
		alert.Apart = &views.ApartForm{
			Action: eventURL(o.Event.ID) + "/best", Quantity: strconv.Itoa(want.Quantity), Accessible: want.Accessible,
			From: stopNo(o, o.Ride.From), To: stopNo(o, o.Ride.To), Text: "Hold " + format.Count(want.Quantity, what) + " apart",
		}
		if want.Zone > 0 {
			alert.Apart.Zone = strconv.Itoa(want.Zone)
		}
	case want.Accessible:
		alert.Heading = "No wheelchair space with its companion seat is free"
	case none.Free < want.Quantity:
		alert.Heading = "There are not " + format.Count(want.Quantity, what) + " free"
		alert.Text = "Nothing is held. " + format.Count(none.Free, what) + " free there, you can choose on the map."
		if none.Free == 0 {
			alert.Text = "Nothing is held. Every " + what + " there is sold or held by somebody else."
		}
	}
	if want.Quantity == 1 && !want.Accessible {
		alert.Heading = "No " + what + " is free there"
		alert.Text = "Nothing is held. Please try another part of the house."
	}
	return alert
}

// notChosen answers a refused choice with the whole page: what happened, what is
// safe, and everything still ticked that can be.
func (s *site) notChosen(w http.ResponseWriter, r *http.Request, o *booking.Offer, holdID string, seats []string, err error) error {
	t := ticks{chosen: map[string]bool{}}
	for _, no := range seats {
		t.chosen[no] = true
	}
	var conflict *domain.SeatConflict
	var rule *domain.RuleError
	switch {
	case errors.As(err, &conflict) && s.refuseAlike(w, r, seats, conflict):
		return nil
	case errors.As(err, &conflict):
		x, err := s.Booking.Seats(r.Context(), o, s.visitor(r))
		if err != nil {
			return err
		}
		return s.showMap(w, r, http.StatusConflict, o, x, lostTicks(seats, conflict), conflictAlert(o, x, seats, conflict))
	case errors.As(err, &rule):
		return s.showSeats(w, r, http.StatusUnprocessableEntity, o, t, ruleAlert(rule, o))
	case errors.Is(err, domain.ErrBusy):
		return s.showSeats(w, r, http.StatusConflict, o, t, &views.SeatAlert{
			Heading: "Very busy right now", Waiting: true,
			Text: "Many people are choosing seats at the same moment. Yours are still ticked: please press Continue again. Nothing was charged.",
		})
	case errors.Is(err, domain.ErrGateway):
		return s.showSeats(w, r, http.StatusConflict, o, t, &views.SeatAlert{
			Heading: "Your seats are being paid for right now", Waiting: true,
			Text: "You have a payment page open and we cannot close it just now. Finish there, or try again in a minute. Your seats are kept.",
		})
	case errors.Is(err, domain.ErrAlreadyPaid):
		return s.toBooking(w, r, holdID)
	case errors.Is(err, domain.ErrSalesClosed):
		return s.closedPage(w, r, http.StatusUnprocessableEntity, o)
	}
	return err
}

// toBooking sends a visitor whose hold was paid meanwhile to its tickets.
func (s *site) toBooking(w http.ResponseWriter, r *http.Request, holdID string) error {
	h, err := s.Booking.Look(r.Context(), s.visitor(r), holdID)
	if err != nil {
		return err
	}
	if h.Phase() != domain.PhaseBooked {
		h, err := s.Booking.Look(r.Context(), s.visitor(r), holdID)
		if err != nil {
			return err
		}
		return seeOther(w, r, s.bookingURL(h))
	}
	return seeOther(w, r, s.bookingURL(h))
}

func ruleAlert(rule *domain.RuleError, o *booking.Offer) *views.SeatAlert {
	if rule.Code == "none" {
		return &views.SeatAlert{Heading: "Choose at least one " + noun(o.Layout), Text: "Tick one on the map, then press Continue. Nothing is held and nothing was charged."}
	}
	alert := &views.SeatAlert{Heading: ruleHeading(rule), Text: rule.Words + whatNow(rule, o)}
	for i, set := range rule.Instead {
		before := "Take instead:"
		if i > 0 {
			before = "Or:"
		}
		alert.Offers = append(alert.Offers, views.SeatOffer{Before: before, Seats: seatRefs(o.Layout, set), Main: i == 0})
	}
	if len(rule.Instead) > 0 {
		why := rule.Words + companionUntil(rule, o)
		if rule.Code == "lonely_seat" { // the heading names it
			why = "Hardly anybody buys a single seat, so please leave none between taken ones or beside an aisle."
		}
		alert.Text = why + " Nothing is held for this choice and nothing was charged."
		alert.Text += " Take one of these, or choose others on the map."
	}
	return alert
}

// companionUntil says when the seats that are kept for companions are for anybody.
func companionUntil(rule *domain.RuleError, o *booking.Offer) string {
	if rule.Code != "companion" {
		return ""
	}
	if o.Settings.CompanionHours == 0 {
		return " They are sold together."
	}
	at := format.In(o.Boards.Add(-time.Duration(o.Settings.CompanionHours)*time.Hour), placeZone(o))
	return " Until " + format.Day(at) + ", " + format.Clock(at) + ", " + format.Zone(placeZone(o)) + ", they are sold together."
}

func ruleHeading(rule *domain.RuleError) string {
	switch rule.Code {
	case "too_many", "quantity":
		return "That is too many"
	case "too_many_holds", "held_by_visitor":
		return "You hold other seats already"
	case "held_by_address":
		return "Too many seats for one connection"
	case "paused":
		return "Not yours again just yet"
	case "lonely_seat":
		return "That leaves " + format.List(rule.Seats) + " alone"
	case "companion":
		return "That goes with a wheelchair space"
	case "unknown_seat", "no_fare", "zone":
		return "That seat is not on sale"
	}
	return "That is not possible"
}

// conflictAlert names each lost seat, what is still ticked, and neighbours to take instead.
func conflictAlert(o *booking.Offer, x *booking.Seats, wanted []string, c *domain.SeatConflict) *views.SeatAlert {
	free := x.Free(o.Layout)
	var kept []string
	for _, no := range wanted {
		if !slices.Contains(c.Lost, no) && free[no] && !slices.Contains(kept, no) {
			kept = append(kept, no)
		}
	}
	o.Layout.SortSeats(kept)
	alert := &views.SeatAlert{Lost: seatRefs(o.Layout, c.Lost), Kept: seatRefs(o.Layout, kept), Text: "Nothing is held and nothing was charged."}
	if x.Hold != nil {
		alert.Text = "Nothing was changed: you still hold what you held before. Nothing was charged."
	}
	if len(c.Paying) == len(c.Lost) {
		alert.Heading, alert.Waiting = "Being paid for right now", true
		alert.Text = "Somebody has the payment page open for " + format.List(c.Paying) + ". It may come back in a minute, or be sold. " + alert.Text
	}
	if instead := o.Layout.Instead(wanted, free, o.Rules()); instead != nil {
		before := "Take instead:"
		if len(instead) == 2 {
			before = "Two together:"
		} else if len(instead) > 2 {
			before = strconv.Itoa(len(instead)) + " together:"
		}
		alert.Offers = append(alert.Offers, views.SeatOffer{Before: before, Seats: seatRefs(o.Layout, instead), Main: true})
	}
	if len(kept) > 0 {
		alert.Offers = append(alert.Offers, views.SeatOffer{Before: "Take", Seats: seatRefs(o.Layout, kept), After: "only"})
	}
	return alert
}
