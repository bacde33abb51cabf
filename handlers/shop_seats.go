package handlers

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/seatmap"
	"holdfast/views"
)

// seatPage is the map; 422 with the whole line's map when the stops do not work.
func (s *site) seatPage(w http.ResponseWriter, r *http.Request) error {
	o, err := s.offer(r, r.URL.Query().Get)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		return s.wrongStops(w, r, rule)
	}
	if err != nil {
		return err
	}
	if !o.Open() {
		return s.closedPage(w, r, http.StatusOK, o)
	}
	return s.showSeats(w, r, http.StatusOK, o, ticks{}, nil)
}

func (s *site) wrongStops(w http.ResponseWriter, r *http.Request, rule *domain.RuleError) error {
	id, err := pathID(r, "event")
	if err != nil {
		return err
	}
	o, err := s.Booking.Offer(r.Context(), id, nil)
	if err != nil {
		return rule
	}
	if !o.Open() {
		return s.closedPage(w, r, http.StatusUnprocessableEntity, o)
	}
	return s.showSeats(w, r, http.StatusUnprocessableEntity, o, ticks{}, &views.SeatAlert{
		Heading: "These stops do not work", Text: rule.Words + " The map below is for the whole trip.",
	})
}

// showSeats draws the seat page in any of its states.
func (s *site) showSeats(w http.ResponseWriter, r *http.Request, status int, o *booking.Offer, t ticks, alert *views.SeatAlert) error {
	x, err := s.Booking.Seats(r.Context(), o, s.visitor(r))
	if err != nil {
		return err
	}
	return s.showMap(w, r, status, o, x, t, alert)
}

// showMap is showSeats with what was read of the seats.
func (s *site) showMap(w http.ResponseWriter, r *http.Request, status int, o *booking.Offer, x *booking.Seats, t ticks, alert *views.SeatAlert) error {
	s.history.Remember(seatmap.Key{EventID: o.Event.ID, Ride: o.Ride}, x.Version, x.Marks())
	t.turn = r.Method == http.MethodPost || r.URL.Query().Has("turn")
	s.render(w, r, status, views.Seats(s.seatsView(o, x, t, alert)))
	return nil
}

func (s *site) seatsView(o *booking.Offer, x *booking.Seats, t ticks, alert *views.SeatAlert) views.SeatsView {
	head := eventHead(o)
	page := s.pages.frame(head.Title+", choose seats", o.Event.Kind, o.Settings)
	page.Step, page.Wide, page.Htmx = 1, !o.Layout.Vehicle, s.Assets.URL("vendor/htmx.min.js")
	free := 0
	for _, yes := range x.Free(o.Layout) {
		if yes {
			free++
		}
	}
	head.Free = freeWords(free, o.Layout)
	v := views.SeatsView{
		Page: page, Event: head, Alert: alert, Legend: legend(o), Map: mapView(o, x, t), Action: eventURL(o.Event.ID) + "/holds",
		From: stopNo(o, o.Ride.From), To: stopNo(o, o.Ride.To), Currency: currencyView(o.Event.Currency), Noun: noun(o.Layout),
		PollURL: pollURL(o, x.Version), Best: bestForm(o), Stops: stopsForm(o),
		Hint: "Up to " + format.Count(o.Settings.SeatsPerBooking, noun(o.Layout)) + ". We hold them for " + strconv.Itoa(int(o.Settings.Window()/time.Minute)) + " minutes when you continue.",
	}
	if o.Event.Kind == domain.Trip {
		v.Way = wayOf(o.Stops, o.Ride, crossesZones(o))
		v.Good = []string{closeTerms(o.Settings)}
	}
	v.Wait = s.waitNote(o, t.turn)
	v.Picked, v.Total = picked(o, v.Map)
	if free == 0 && alert == nil {
		what := noun(o.Layout)
		v.SoldOut = &views.Note{Title: "All " + format.Count(o.Layout.Capacity(), what) + " are sold or held", Text: []string{
			"A " + what + " that somebody lets go shows up here by itself.",
		}, Links: []views.Link{{Text: "See what else is on", URL: "/"}}}
	}
	return v
}

func freeWords(free int, l *domain.Layout) string {
	return strconv.Itoa(free) + " of " + strconv.Itoa(l.Capacity()) + " free"
}

// picked puts what is ticked into words, as the script does it later.
func picked(o *booking.Offer, m views.SeatMap) (string, views.Money) {
	var names []string
	var total int64
	for _, d := range m.Decks {
		for _, row := range d.Rows {
			for _, c := range row.Cells {
				if c.Checked && (c.State == "free" || c.State == "mine") {
					names, total = append(names, c.No), total+c.Price
				}
			}
		}
	}
	if len(names) == 0 {
		return "", money(0, o.Event.Currency)
	}
	return format.Count(len(names), noun(o.Layout)) + ": " + joinComma(names), money(total, o.Event.Currency)
}

func joinComma(names []string) string {
	out := ""
	for i, n := range names {
		if i > 0 {
			out += ", "
		}
		out += n
	}
	return out
}

func currencyView(code string) views.Currency {
	c, err := domain.CurrencyOf(code)
	if err != nil {
		return views.Currency{Code: code}
	}
	return views.Currency{Code: code, Exponent: c.Exponent, Whole: c.Whole}
}

func pollURL(o *booking.Offer, version uint32) string {
	url := eventURL(o.Event.ID) + "/seats?v=" + strconv.FormatUint(uint64(version), 10)
	if o.Event.Kind == domain.Trip {
		url += "&from=" + strconv.Itoa(o.Ride.From) + "&to=" + strconv.Itoa(o.Ride.To)
	}
	return url
}

// crossesZones says whether the ride's ends keep different clocks.
func crossesZones(o *booking.Offer) bool {
	return len(o.Stops) > 0 && o.Stops[o.Ride.From].TimeZone != o.Stops[o.Ride.To].TimeZone
}

// eventHead says which event, when and where, each time in its place's own zone.
func eventHead(o *booking.Offer) views.EventHead {
	e := o.Event
	if e.Kind == domain.Screening {
		at := format.In(o.Boards, e.TimeZone)
		h := views.EventHead{Title: e.Film, Day: format.LongDay(at), Time: format.Clock(at), Certificate: e.Certificate,
			Meta: []string{format.Span(time.Duration(e.RuntimeMin) * time.Minute)}}
		for _, x := range []string{e.Language, e.Resource} {
			if x != "" {
				h.Meta = append(h.Meta, x)
			}
		}
		if e.HasPoster {
			h.PosterURL = posterURL(e.FilmID)
		}
		return h
	}
	from, to := o.Stops[o.Ride.From], o.Stops[o.Ride.To]
	a, b := format.In(o.Boards, from.TimeZone), format.In(o.Arrives, to.TimeZone)
	h := views.EventHead{Title: from.Place + " to " + to.Place, Day: format.Day(a), Time: format.Clock(a), Arrive: format.Clock(b),
		Meta: []string{format.Span(o.Arrives.Sub(o.Boards))}}
	if format.DayOff(a, b) != 0 {
		h.ArriveDay = format.ShortDay(b)
	}
	if e.ResourceNote != "" {
		h.Meta = append(h.Meta, e.ResourceNote)
	}
	if crossesZones(o) {
		h.Meta = append(h.Meta, format.Zone(from.TimeZone)+" to "+format.Zone(to.TimeZone))
	} else {
		h.Meta = append(h.Meta, format.Zone(from.TimeZone))
	}
	return h
}

func bestForm(o *booking.Offer) *views.BestForm {
	what := noun(o.Layout)
	f := &views.BestForm{
		Action: eventURL(o.Event.ID) + "/best", Title: "Best " + what + "s", Label: "Seats", Quantity: "2", Max: o.Settings.SeatsPerBooking,
		Zones: []views.Option{{Value: "", Text: "Anywhere", Selected: true}}, From: stopNo(o, o.Ride.From), To: stopNo(o, o.Ride.To),
	}
	if what == "berth" {
		f.Label = "Berths"
	}
	for _, z := range o.Layout.Zones {
		if fare, ok := o.Fares.Default(z.No); ok && len(o.Layout.Zones) > 1 {
			f.Zones = append(f.Zones, views.Option{Value: strconv.Itoa(z.No), Text: z.Name + ", " + format.Money(fare.Price, o.Event.Currency)})
		}
	}
	for _, c := range o.Layout.Cells {
		f.Accessible = f.Accessible || c.Kind == domain.CellWheelchair
	}
	return f
}

func stopsForm(o *booking.Offer) *views.StopsForm {
	if o.Event.Kind == domain.Screening {
		return nil
	}
	f := &views.StopsForm{Action: eventURL(o.Event.ID), Summary: "Your stops", Noun: noun(o.Layout)}
	for _, st := range o.Stops {
		option := views.Option{Value: strconv.Itoa(st.StopNo)}
		if st.MayBoard && st.StopNo < o.Event.LastStop {
			option.Text, option.Selected = format.Clock(format.In(st.DepartsAt, st.TimeZone))+" "+st.Place, st.StopNo == o.Ride.From
			f.From = append(f.From, option)
		}
		if st.MayAlight && st.StopNo > 0 {
			option.Text, option.Selected = format.Clock(format.In(st.ArrivesAt, st.TimeZone))+" "+st.Place, st.StopNo == o.Ride.To
			f.To = append(f.To, option)
		}
	}
	return f
}

// seatUpdates answers a page that is open: 204 when nothing changed, else the changed
// seats alone.
func (s *site) seatUpdates(w http.ResponseWriter, r *http.Request) error {
	o, err := s.offer(r, r.URL.Query().Get)
	if err != nil {
		return err
	}
	x, err := s.Booking.Seats(r.Context(), o, s.visitor(r))
	if err != nil {
		return err
	}
	old, err := strconv.ParseUint(r.URL.Query().Get("v"), 10, 32)
	if err == nil && uint32(old) == x.Version {
		unchanged(w, r)
		return nil
	}
	w.Header().Set("Vary", "HX-Request")
	w.Header().Set("Cache-Control", "no-store")
	v := s.updatesView(o, x, uint32(old))
	s.history.Remember(seatmap.Key{EventID: o.Event.ID, Ride: o.Ride}, x.Version, x.Marks())
	s.render(w, r, http.StatusOK, views.SeatUpdates(v))
	return nil
}

// closedPage is an event that cannot be booked online any more.
func (s *site) closedPage(w http.ResponseWriter, r *http.Request, status int, o *booking.Offer) error {
	head := eventHead(o)
	page := s.pages.frame(head.Title+": online sales are closed", o.Event.Kind, o.Settings)
	page.Narrow = true
	zone := o.Event.TimeZone
	if len(o.Stops) > 0 {
		zone = o.Stops[o.Ride.From].TimeZone
	}
	v := views.ClosedView{Page: page, Event: head, HomeURL: "/", Note: views.Note{
		Title: "Online sales closed at " + format.Clock(format.In(o.ClosesAt, zone)),
		Text:  []string{"Seats for this one cannot be booked online any more. Tickets that were bought are valid."},
	}}
	switch {
	case o.Event.Status == "cancelled":
		v.Page.Title = head.Title + ": cancelled"
		v.Note = views.Note{Tone: "bad", Title: "This one was cancelled", Text: []string{"Nothing can be booked for it."}}
	case !o.Event.Now.Before(o.Boards):
		v.Note.Text = []string{"It has begun or left already. Tickets that were bought are valid."}
	case o.Settings.Phone != "":
		v.Note.Text = append(v.Note.Text, "You may still get a seat at the counter, or call "+o.Settings.Phone+".")
	}
	if err := s.later(r.Context(), o, &v); err != nil {
		return err
	}
	s.render(w, r, status, views.Closed(v))
	return nil
}

// later offers what can still be bought: the same film, or the next departures.
func (s *site) later(ctx context.Context, o *booking.Offer, v *views.ClosedView) error {
	if o.Event.Kind == domain.Screening {
		coming, err := s.Schedule.Later(ctx, o.Event, o.Settings)
		if err != nil || len(coming) == 0 {
			return err
		}
		v.LaterHeading = "The next times of " + o.Event.Film
		for _, l := range coming[:min(len(coming), 6)] {
			at := format.In(l.Boards, l.Event.TimeZone)
			x := slot(l, at)
			x.Place = format.ShortDay(at) + ", " + x.Place
			v.LaterSlots = append(v.LaterSlots, x)
		}
		return nil
	}
	from, to := o.Stops[o.Ride.From], o.Stops[o.Ride.To]
	coming, err := s.Schedule.NextTrips(ctx, from.PlaceID, to.PlaceID, o.Settings)
	if err != nil || len(coming) == 0 {
		return err
	}
	v.LaterHeading = "The next departures"
	for _, l := range coming {
		v.LaterTrips = append(v.LaterTrips, tripView(l, true))
	}
	return nil
}
