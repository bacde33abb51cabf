package handlers

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// heldOffer reads the visitor's hold of the path and the event it is for.
func (s *site) heldOffer(r *http.Request) (*domain.Hold, *booking.Offer, error) {
	h, err := s.Booking.Look(r.Context(), s.visitor(r), r.PathValue("hold"))
	if err != nil {
		return nil, nil, err
	}
	o, err := s.Booking.Scene(r.Context(), h.EventID, &h.Ride)
	if err != nil {
		return nil, nil, err
	}
	inOrder(o.Layout, h.Seats, func(x domain.HoldSeat) string { return x.SeatNo })
	return h, o, nil
}

// inOrder sorts a list by its seats as the house is laid out: G9 before G10.
func inOrder[T any](l *domain.Layout, list []T, seat func(T) string) {
	nos := make([]string, len(list))
	for i, x := range list {
		nos[i] = seat(x)
	}
	l.SortSeats(nos)
	slices.SortStableFunc(list, func(a, b T) int { return slices.Index(nos, seat(a)) - slices.Index(nos, seat(b)) })
}

// phase sends a hold that is not to be worked on where it belongs; done says so.
func (s *site) phase(w http.ResponseWriter, r *http.Request, h *domain.Hold, o *booking.Offer) (done bool, err error) {
	switch p := h.Phase(); {
	case p == domain.PhaseBooked:
		return true, seeOther(w, r, s.bookingURL(h))
	case p == domain.PhaseLost: // money came: "nothing was charged" would be untrue
		return true, s.lostPage(w, r, http.StatusGone, h, o)
	case p.Ended():
		return true, s.endedPage(w, r, h, o)
	}
	return false, nil
}

func (s *site) bookingURL(h *domain.Hold) string {
	return "/bookings/" + s.Signer.BookingToken(h.BookingID, h.BookingVersion)
}

func (s *site) holdPage(w http.ResponseWriter, r *http.Request) error {
	h, o, err := s.heldOffer(r)
	if err != nil {
		return err
	}
	if h.Phase() == domain.PhaseLost {
		return s.lostPage(w, r, http.StatusOK, h, o)
	}
	if done, err := s.phase(w, r, h, o); done {
		return err
	}
	s.render(w, r, http.StatusOK, views.Hold(s.holdView(h, o, nil)))
	return nil
}

// saveDetails stores names, contact and ticket types; 422 with everything typed.
func (s *site) saveDetails(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	id := r.PathValue("hold")
	err := s.Booking.SetDetails(r.Context(), s.visitor(r), id, details(r))
	var wrong booking.InvalidDetails
	if err == nil {
		return seeOther(w, r, "/holds/"+id+"/review")
	}
	if errors.As(err, &wrong) {
		h, o, err := s.heldOffer(r)
		if err != nil {
			return err
		}
		v := s.holdView(h, o, wrong)
		v.Page.Title += ", please look again"
		s.render(w, r, http.StatusUnprocessableEntity, views.Hold(v))
		return nil
	}
	return s.onHold(w, r, err)
}

// onHold answers what every act on a hold can run into.
func (s *site) onHold(w http.ResponseWriter, r *http.Request, err error) error {
	if !errors.Is(err, domain.ErrHoldEnded) && !errors.Is(err, domain.ErrAlreadyPaid) {
		return err
	}
	h, o, readErr := s.heldOffer(r)
	if readErr != nil {
		return readErr
	}
	if done, phaseErr := s.phase(w, r, h, o); done {
		return phaseErr
	}
	return err
}

// extendHold gives more time and goes back to where it was asked for; what is typed
// on the details page travels along and is kept.
func (s *site) extendHold(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	id, review := r.PathValue("hold"), r.PostForm.Get("at") == "review"
	err := s.Booking.Extend(r.Context(), s.visitor(r), id)
	if err != nil && !errors.Is(err, domain.ErrNoExtensions) {
		return s.onHold(w, r, err)
	}
	if err := s.keepTyped(r, id); err != nil {
		return s.onHold(w, r, err)
	}
	if err != nil {
		return s.notExtended(w, r, review)
	}
	if review {
		return seeOther(w, r, "/holds/"+id+"/review")
	}
	return seeOther(w, r, "/holds/"+id)
}

// keepTyped stores what a form brings along; what is missing is asked for later.
func (s *site) keepTyped(r *http.Request, holdID string) error {
	if !r.PostForm.Has("email") && !r.PostForm.Has("name") {
		return nil
	}
	var wrong booking.InvalidDetails
	err := s.Booking.SetDetails(r.Context(), s.visitor(r), holdID, details(r))
	if errors.As(err, &wrong) {
		return nil
	}
	return err
}

// notExtended is 409 with the page on which more time was asked for.
func (s *site) notExtended(w http.ResponseWriter, r *http.Request, review bool) error {
	h, o, err := s.heldOffer(r)
	if err != nil {
		return err
	}
	note := &views.Note{Tone: "warn", Alert: true, Title: "No more time can be added", Text: []string{
		"This hold was extended as often as the house allows. Your seats are held until " + untilWords(h, o) + "."}}
	if review && h.Detailed {
		v := s.reviewView(h, o)
		v.Note = note
		s.render(w, r, http.StatusConflict, views.Review(v))
		return nil
	}
	v := s.holdView(h, o, nil)
	v.Note = note
	s.render(w, r, http.StatusConflict, views.Hold(v))
	return nil
}

// releaseHold lets the seats go and shows the map of the same stops.
func (s *site) releaseHold(w http.ResponseWriter, r *http.Request) error {
	event, err := s.Booking.Release(r.Context(), s.visitor(r), r.PathValue("hold"))
	if err != nil {
		return s.onHold(w, r, err)
	}
	h, o, err := s.heldOffer(r)
	if err != nil { // the seats are free all the same
		return seeOther(w, r, eventURL(event))
	}
	return seeOther(w, r, seatsURL(h, o))
}

// holdClock is what the countdown asks.
func (s *site) holdClock(w http.ResponseWriter, r *http.Request) error {
	h, err := s.Booking.Look(r.Context(), s.visitor(r), r.PathValue("hold"))
	if err != nil {
		return err
	}
	p := h.Phase()
	left := int64(0)
	if p == domain.PhaseHeld || p == domain.PhasePaying {
		left = int64((h.ExpiresAt.Sub(h.Now) + time.Second - 1) / time.Second)
	}
	writeJSON(w, http.StatusOK, struct {
		SecondsLeft int64  `json:"seconds_left"`
		ExpiresAt   string `json:"expires_at"`
		State       string `json:"state"`
	}{left, h.ExpiresAt.UTC().Format(time.RFC3339), string(p)})
	return nil
}

// placeZone is the zone of the place where the event begins for the ride.
func placeZone(o *booking.Offer) string {
	if len(o.Stops) > 0 {
		return o.Stops[o.Ride.From].TimeZone
	}
	return o.Event.TimeZone
}

func untilWords(h *domain.Hold, o *booking.Offer) string {
	return format.Clock(format.In(h.ExpiresAt, o.Settings.TimeZone)) + ", " + format.Zone(o.Settings.TimeZone)
}

// strip is the countdown under the masthead.
func strip(h *domain.Hold, o *booking.Offer) *views.HoldStrip {
	end := format.In(h.ExpiresAt, o.Settings.TimeZone)
	v := &views.HoldStrip{
		Deadline: end.Format(time.RFC3339), Now: format.In(h.Now, o.Settings.TimeZone).Format(time.RFC3339),
		Until: format.Clock(end), Zone: format.Zone(o.Settings.TimeZone), ClockURL: "/holds/" + h.ID + "/clock", PageURL: "/holds/" + h.ID,
		Again: again(h, o), WarnSeconds: 120,
	}
	if h.Extended < o.Settings.MaxExtensions {
		v.ExtendURL = "/holds/" + h.ID + "/extend"
	}
	return v
}

// again asks for the same seats on the same stops.
func again(h *domain.Hold, o *booking.Offer) *views.SeatsForm {
	return &views.SeatsForm{
		Action: eventURL(h.EventID) + "/holds", From: stopNo(o, h.Ride.From), To: stopNo(o, h.Ride.To), Seats: seatRefs(o.Layout, h.SeatNos()),
	}
}

// seatsURL is the seat page on the hold's stops.
func seatsURL(h *domain.Hold, o *booking.Offer) string {
	if o.Event.Kind == domain.Screening {
		return eventURL(h.EventID)
	}
	return rideURL(h.EventID, h.Ride)
}

func (s *site) holdView(h *domain.Hold, o *booking.Offer, wrong booking.InvalidDetails) views.HoldView {
	trip := o.Event.Kind == domain.Trip
	what := noun(o.Layout)
	page := s.pages.frame("Your seats", o.Event.Kind, o.Settings)
	v := views.HoldView{
		Page: page, Heading: "Tickets and contact", Lede: "Choose the tickets and tell us where to send them.", SeatsHeading: "Your seats",
		Action: "/holds/" + h.ID + "/details", ChangeURL: seatsURL(h, o), ReleaseURL: "/holds/" + h.ID + "/release",
		Name: views.Field{Value: h.Name}, Email: views.Field{Value: h.Email}, Phone: views.Field{Value: h.Phone},
		Count: format.Count(len(h.Seats), what), Currency: currencyView(h.Currency), Order: order(h, o),
	}
	if trip {
		v.Page.Title, v.Heading, v.Lede = "Who travels?", "Who travels?", "Names are printed on the tickets."
		v.SeatsHeading, v.Passengers, v.PhoneHint = "Passengers", true, "The driver calls this number if you are not at the stop."
	}
	v.Page.Step, v.Page.Hold = 2, strip(h, o)
	v.Page.Hold.Form = views.DetailsForm
	for _, seat := range h.Seats {
		v.Seats = append(v.Seats, heldSeat(h, o, seat))
	}
	for _, e := range wrong {
		place(&v, e)
	}
	v.SortErrors()
	return v
}

func heldSeat(h *domain.Hold, o *booking.Offer, seat domain.HoldSeat) views.HoldSeat {
	c, _ := o.Layout.Seat(seat.SeatNo)
	v := views.HoldSeat{SeatRef: seatRef(o.Layout, seat.SeatNo), Title: o.Layout.Where(c), Passenger: views.Field{Value: seat.Passenger}, Detail: seatDetail(o, c), Woman: womanField(h, o, seat)}
	for _, f := range h.Fares.OfZone(seat.Zone) {
		v.Types = append(v.Types, views.TypeOption{
			Value: f.Type, Name: f.TypeName, Text: f.TypeName + ", " + format.Money(f.Price, h.Currency), Price: f.Price, Selected: f.Type == seat.Type,
		})
	}
	return v
}

const forWomen = "for women"

// womanField asks for what the rule for women's seats needs, and nil where it needs
// nothing.
func womanField(h *domain.Hold, o *booking.Offer, seat domain.HoldSeat) *views.WomanField {
	beside := o.MayKeepBeside(h)
	switch {
	case o.ForWomen[seat.SeatNo]:
		f := &views.WomanField{Text: "A woman travels here", Hint: "This place is kept for women. It is not printed.", Checked: seat.Woman}
		if beside {
			f.Hint = "This place is kept for women, and then the one beside it too. It is not printed."
		}
		return f
	case beside:
		return &views.WomanField{Text: "I am a woman travelling alone: please keep the place beside me for women", Hint: "As you like. Nobody sees who asked, and it is not printed.", Checked: seat.Woman}
	}
	return nil
}

// seatDetail is what else one wants to know of a place: "Premium, aisle".
func seatDetail(o *booking.Offer, c domain.Cell) string {
	l := o.Layout
	var parts []string
	if c.Kind == domain.CellWheelchair {
		parts = append(parts, "wheelchair space")
	}
	if c.Kind == domain.CellCompanion {
		parts = append(parts, "companion seat")
	}
	if zone := zoneName(l, c.Zone); len(l.Zones) > 1 && (!l.Vehicle || c.Deck >= len(l.Decks) || !strings.EqualFold(zone, l.Decks[c.Deck])) {
		parts = append(parts, zone) // a berth's place names the deck already
	}
	window, aisle := l.Edge(c)
	if window {
		parts = append(parts, "window")
	} else if aisle {
		parts = append(parts, "aisle")
	}
	if o.ForWomen[c.SeatNo] {
		parts = append(parts, forWomen)
	}
	if c.Restricted {
		parts = append(parts, "restricted view")
	}
	text := strings.Join(parts, ", ")
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

// place puts a problem at its field and into the summary.
func place(v *views.HoldView, e booking.FieldError) {
	id := e.Field
	switch e.Field {
	case "name":
		v.Name.Error = e.Words
	case "email":
		v.Email.Error = e.Words
	case "phone":
		v.Phone.Error = e.Words
	}
	for i := range v.Seats {
		seat := &v.Seats[i]
		switch e.Field {
		case "passenger." + seat.No:
			seat.Passenger.Error, id = e.Words, "p-"+seat.No
		case "type." + seat.No:
			seat.TypeError, id = e.Words, "t-"+seat.No
		case "woman." + seat.No:
			if seat.Woman != nil {
				seat.Woman.Error, id = e.Words, "w-"+seat.No
			}
		}
	}
	v.Errors = append(v.Errors, views.FieldError{ID: id, Text: e.Words})
}

// order is the bill beside the forms.
func order(h *domain.Hold, o *booking.Offer) views.Order {
	v := views.Order{Title: eventHead(o).Title, Facts: facts(o), Total: money(h.Total, h.Currency), Terms: "No other fees."}
	for _, seat := range h.Seats {
		fare, _ := h.Fares.Price(seat.Zone, seat.Type)
		what := "Seat"
		if noun(o.Layout) == "berth" {
			what = "Berth"
		}
		line := views.OrderLine{Noun: what, Seat: seatRef(o.Layout, seat.SeatNo), Type: strings.ToLower(fare.TypeName), Sum: money(seat.Price, h.Currency)}
		if o.ForWomen[seat.SeatNo] {
			line.Note = forWomen
		}
		v.Lines = append(v.Lines, line)
	}
	if h.TaxBP > 0 && h.Total > 0 {
		v.Tax, v.TaxBP = "with VAT "+format.TaxRate(h.TaxBP)+", ", h.TaxBP
		v.TaxSum = money(domain.TaxIncluded(h.Total, h.TaxBP), h.Currency)
	}
	return v
}

// facts say when and where, each time with its zone.
func facts(o *booking.Offer) []string {
	if o.Event.Kind == domain.Screening {
		at := format.In(o.Boards, o.Event.TimeZone)
		return []string{format.Day(at) + ", " + format.Clock(at) + ", " + format.Zone(o.Event.TimeZone), o.Event.Resource}
	}
	from, to := o.Stops[o.Ride.From], o.Stops[o.Ride.To]
	a, b := format.In(o.Boards, from.TimeZone), format.In(o.Arrives, to.TimeZone)
	on, off := format.Day(a)+", "+format.Clock(a), format.Clock(b)
	if format.DayOff(a, b) != 0 {
		off = format.ShortDay(b) + ", " + off
	}
	var out []string
	if crossesZones(o) {
		out = []string{"On " + on + ", " + format.Zone(from.TimeZone), "Off " + off + ", " + format.Zone(to.TimeZone)}
	} else {
		out = []string{on + " to " + off + ", " + format.Zone(from.TimeZone)}
	}
	if from.Address != "" {
		out = append(out, from.Place+", "+from.Address)
	}
	return out
}
