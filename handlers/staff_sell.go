package handlers

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/internal/seatmap"
	"holdfast/views"
)

const sellURL = "/staff/sell"

// sellPage is the counter: ?event=&from=&to= choose what is sold, n or n.<type> how many,
// hold resumes what is kept for somebody.
func (s *site) sellPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	f := readSell(r.URL.Query())
	if f.hold != "" {
		x, err := s.Booking.Link(r.Context(), f.hold)
		if err != nil {
			return err
		}
		if x.Hold.Phase() == domain.PhasePaying {
			return seeOther(w, r, linkURL(f.hold))
		}
		if x.Hold.Phase() != domain.PhaseHeld {
			return s.holdOver(w, r, who, x)
		}
		f.resume(x.Hold)
	}
	return s.showSell(w, r, who, http.StatusOK, f, nil)
}

// holdOver tells that a hold of the counter cannot be sold any more.
func (s *site) holdOver(w http.ResponseWriter, r *http.Request, who access.Staff, x *booking.Link) error {
	if x.Hold.Phase() == domain.PhaseBooked {
		return seeOther(w, r, saleURL(x.Hold.BookingID))
	}
	f := readSell(nil)
	f.event, f.ride = x.Hold.EventID, &x.Hold.Ride
	return s.showSell(w, r, who, http.StatusGone, f, &views.SellAlert{Tone: "warn", Heading: "This hold is over", Text: []string{
		"Its time ran out or it was let go; " + format.List(x.Hold.SeatNos()) + " went back on sale. Nothing was charged. Take them again on the map if they are free."}})
}

// sellScene is what a form is about.
type sellScene struct {
	o     *booking.Offer
	hold  *domain.Hold // that is being sold, nil for none
	fares domain.Fares // of the hold where it has its own
	x     *booking.CounterMap
	apart bool
}

// sellScene reads it. nil without an error: there is nothing that could be sold.
func (s *site) sellScene(r *http.Request, f *sellForm) (*sellScene, error) {
	o, err := s.counterOffer(r, f)
	if err != nil {
		return nil, err
	}
	c := &sellScene{o: o, fares: o.Fares}
	if f.hold != "" {
		h, _, err := s.Booking.LookForStaff(r.Context(), f.hold)
		if err != nil {
			return nil, err
		}
		if h.Channel != domain.ChannelCounter || h.EventID != o.Event.ID {
			return nil, domain.ErrNotFound
		}
		c.hold = h
		if h.Ride == o.Ride {
			c.fares = h.Fares
		}
	}
	if c.x, err = s.Booking.CounterMap(r.Context(), o, c.hold); err != nil {
		return nil, err
	}
	f.seats = slices.DeleteFunc(f.seats, func(no string) bool { _, known := o.Layout.Seat(no); return !known })
	o.Layout.SortSeats(f.seats)
	c.apart = f.choose(o, c.fares, c.x)
	return c, nil
}

// counterOffer is the event on the ride asked for; without one, a trip is boarded at the
// first stop that the counter still sells.
func (s *site) counterOffer(r *http.Request, f *sellForm) (*booking.Offer, error) {
	if f.rideWrong != nil {
		return nil, f.rideWrong
	}
	o, err := s.Booking.Offer(r.Context(), f.event, f.ride)
	if err != nil || f.ride != nil || o.Event.Kind == domain.Screening || o.OpenAtCounter() {
		return o, err
	}
	for from := 1; from < o.Event.LastStop; from++ {
		later, err := s.Booking.Offer(r.Context(), f.event, &domain.Ride{From: from, To: o.Event.LastStop})
		if err == nil && later.OpenAtCounter() {
			return later, nil
		}
	}
	return o, nil
}

// showSell draws the counter in any of its states.
func (s *site) showSell(w http.ResponseWriter, r *http.Request, who access.Staff, status int, f *sellForm, alert *views.SellAlert) error {
	page, set, err := s.staffPage(r, who, "Sell", sellURL)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_money.js"), s.Assets.URL("js/staff_sell.js"))
	v := views.StaffSell{Page: page, TodayURL: sellURL, Alert: alert, Said: sellSaid(s.Sessions.PopString(r.Context(), saidKey))}
	if err := s.tillWords(r, who, set, &v); err != nil {
		return err
	}
	day, err := s.Schedule.CounterDay(r.Context(), f.date, set)
	if err != nil {
		return err
	}
	if first, ok := day.First(); f.event == 0 && ok {
		f.event = first.ID
	}
	c, err := s.sellEvent(r, f, &v)
	if err != nil {
		return err
	}
	if v.Alert != alert {
		status = http.StatusUnprocessableEntity
	}
	if c != nil && f.date == nil && !c.o.Event.BusinessDay.Equal(day.Date) {
		if day, err = s.Schedule.CounterDay(r.Context(), &c.o.Event.BusinessDay, set); err != nil {
			return err
		}
	}
	v.Day = sellDay(day, f.event)
	if err := s.sellAround(r, f, set, day, &v); err != nil {
		return err
	}
	s.sellMiddle(f, c, day, &v)
	if v.Sale != nil {
		if v.Sale.Supervised, err = s.superviseFields(r, who, access.Manager, "", f.super); err != nil {
			return err
		}
	}
	if v.Sale != nil && c != nil {
		s.counterMaps.Remember(seatmap.Key{EventID: c.o.Event.ID, Ride: c.o.Ride}, c.x.Version, c.x.Marks())
	}
	if v.Sale == nil && v.Alert != nil {
		v.Said = &views.Note{Tone: v.Alert.Tone, Alert: true, Title: v.Alert.Heading, Text: v.Alert.Text}
	}
	s.render(w, r, status, views.StaffSellPage(v))
	return nil
}

// sellEvent reads what is sold. Stops that do not work are said, and the map is for the
// whole way; nil when nothing can be sold.
func (s *site) sellEvent(r *http.Request, f *sellForm, v *views.StaffSell) (*sellScene, error) {
	if f.event == 0 {
		return nil, nil
	}
	c, err := s.sellScene(r, f)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		v.Alert = &views.SellAlert{Tone: "bad", Heading: "These stops do not work", Text: []string{rule.Words + " The map is for the whole trip."}}
		f.ride, f.rideWrong = nil, nil
		c, err = s.sellScene(r, f)
	}
	if errors.As(err, &rule) {
		v.Nothing = &views.Note{Tone: "warn", Title: "No tickets are sold for this one", Text: []string{rule.Words}}
		return nil, nil
	}
	return c, err
}

// sellMiddle is the form, or why there is none.
func (s *site) sellMiddle(f *sellForm, c *sellScene, day schedule.CounterDay, v *views.StaffSell) {
	switch {
	case c == nil && v.Nothing == nil:
		v.Nothing = &views.Note{Title: "Nothing to sell on this day", Text: []string{"Choose another day, or plan events in the schedule."}}
		return
	case c == nil:
		return
	}
	v.Banner = banner(c.o.Event.BusinessDay, day.Today)
	if c.hold == nil && !c.o.OpenAtCounter() {
		at := format.In(c.o.CounterClosesAt(), placeZone(c.o))
		v.Nothing = &views.Note{Tone: "warn", Title: "The counter’s sales closed at " + format.Clock(at), Text: []string{
			eventHead(c.o).Title + " cannot be sold any more. Tickets that were bought are valid. Choose another one."}}
		if c.o.Event.Status == "cancelled" {
			v.Nothing.Title = eventHead(c.o).Title + " was cancelled"
		}
		return
	}
	sale := s.sellView(f, c)
	v.Sale = &sale
}

// banner warns of every day but today.
func banner(day, today time.Time) string {
	words := strings.ToUpper(day.Format("Monday 2 January"))
	switch days := int(day.Sub(today).Hours() / 24); {
	case days == 0:
		return ""
	case days == 1:
		return "SELLING FOR TOMORROW, " + words
	case days < 0:
		return "SELLING FOR A DAY THAT IS OVER, " + words
	}
	return "SELLING FOR " + words
}

// tillWords says whose till is open since when, or leads to opening it.
func (s *site) tillWords(r *http.Request, who access.Staff, set domain.Settings, v *views.StaffSell) error {
	words, err := s.tillOf(r, who, set)
	if errors.Is(err, domain.ErrNoShift) {
		back := sellURL
		if r.Method == http.MethodGet && r.URL.RawQuery != "" {
			back += "?" + r.URL.RawQuery
		}
		v.OpenShiftURL = "/staff/shifts/new?next=" + url.QueryEscape(back)
		return nil
	}
	v.Till = words
	return err
}

func (s *site) tillOf(r *http.Request, who access.Staff, set domain.Settings) (string, error) {
	shift, err := s.Counter.Mine(r.Context(), who.ID)
	if err != nil {
		return "", err
	}
	return shift.Till + ", open since " + format.Clock(format.In(shift.OpenedAt, set.TimeZone)), nil
}

// sellDay is the list of a day's events.
func sellDay(d schedule.CounterDay, current int64) views.SellDay {
	v := views.SellDay{
		Heading: format.ShortDay(d.Date), Date: d.Date.Format(time.DateOnly), Empty: "Nothing is for sale.",
		Before: sellDayURL(d.Date.AddDate(0, 0, -1)), After: sellDayURL(d.Date.AddDate(0, 0, 1)),
	}
	if d.Date.Equal(d.Today) {
		v.Heading, v.Empty = "Today", "Nothing more is for sale today."
	}
	if d.Next != nil {
		v.NextURL, v.NextDay = sellDayURL(*d.Next), "Go to "+format.ShortDay(*d.Next)
	}
	for _, e := range d.Events {
		at := format.In(e.StartsAt, e.TimeZone)
		x := views.SellEvent{URL: sellEventURL(e.ID), Time: format.Clock(at), Title: e.Title, Current: e.ID == current}
		var detail []string
		if e.Resource != "" {
			detail = append(detail, e.Resource)
		}
		if format.DayOff(d.Date, at) != 0 {
			detail = append(detail, format.ShortDay(at))
		}
		x.Detail = strings.Join(append(detail, stockWords(e)), ", ")
		v.Events = append(v.Events, x)
	}
	return v
}

func stockWords(e schedule.CounterEvent) string {
	switch {
	case e.Free == 0 && e.Kind == string(domain.Screening):
		return "full"
	case e.Free == 0:
		return "full on the whole way"
	case e.Free < 10:
		return strconv.Itoa(e.Free) + " left"
	}
	return strconv.Itoa(e.Free) + " free"
}

func sellDayURL(day time.Time) string { return sellURL + "?date=" + day.Format(time.DateOnly) }

func sellEventURL(id int64) string { return sellURL + "?event=" + strconv.FormatInt(id, 10) }

func sellRideURL(id int64, r domain.Ride) string {
	return sellEventURL(id) + "&from=" + strconv.Itoa(r.From) + "&to=" + strconv.Itoa(r.To)
}

func saleURL(booking int64) string { return "/staff/sales/" + strconv.FormatInt(booking, 10) }

func linkURL(hold string) string { return sellURL + "/holds/" + hold + "/link" }

// sellAround is what stands beside the form: the search for trips and what is kept.
func (s *site) sellAround(r *http.Request, f *sellForm, set domain.Settings, day schedule.CounterDay, v *views.StaffSell) error {
	kept, err := s.Booking.CounterHolds(r.Context())
	if err != nil {
		return err
	}
	for _, h := range kept {
		v.Holds = append(v.Holds, keptView(h, set))
	}
	if set.Kind == "cinema" {
		return nil
	}
	v.Search, err = s.tripSearch(r, set, day)
	return err
}

func keptView(h booking.CounterHold, set domain.Settings) views.SellHold {
	at := format.In(h.StartsAt, h.TimeZone)
	v := views.SellHold{
		ID: h.ID, Label: h.Label, Seats: format.List(h.Seats), Event: h.Title + ", " + format.ShortDay(at) + ", " + format.Clock(at),
		Until: untilClock(h.ExpiresAt, set), Paying: h.Paying, ResumeURL: sellURL + "?hold=" + h.ID, ReleaseURL: sellURL + "/holds/" + h.ID + "/release",
	}
	v.Who = strings.TrimPrefix(strings.Join([]string{h.Name, h.Phone}, ", "), ", ")
	v.Who = strings.TrimSuffix(v.Who, ", ")
	if v.Who == h.Label {
		v.Who = ""
	}
	if h.Paying {
		v.ResumeURL = linkURL(h.ID)
	}
	v.Label = cmp.Or(h.Label, h.Name, "No name")
	return v
}

// untilClock is an end on the house's clock, with its day when it is far away.
func untilClock(t time.Time, set domain.Settings) string {
	at := format.In(t, set.TimeZone)
	if time.Until(t) > 18*time.Hour {
		return format.ShortDay(at) + ", " + format.Clock(at)
	}
	return format.Clock(at)
}

// tripSearch finds departures by their stops.
func (s *site) tripSearch(r *http.Request, set domain.Settings, day schedule.CounterDay) (*views.SellSearch, error) {
	q := r.URL.Query()
	origin, _ := strconv.ParseInt(q.Get("origin"), 10, 64)           // what is no place is the line's end
	destination, _ := strconv.ParseInt(q.Get("destination"), 10, 64) // the same
	trips, err := s.Schedule.Trips(r.Context(), schedule.Search{Origin: origin, Destination: destination, Date: &day.Date}, set)
	if err != nil || len(trips.Places) < 2 {
		return nil, err
	}
	v := &views.SellSearch{Date: day.Date.Format(time.DateOnly), Open: origin != 0 || set.Kind == "bus"}
	for _, p := range trips.Places {
		id := strconv.FormatInt(p.ID, 10)
		v.Origins = append(v.Origins, views.Option{Value: id, Text: p.Name, Selected: p.ID == trips.Origin.ID})
		v.Destinations = append(v.Destinations, views.Option{Value: id, Text: p.Name, Selected: p.ID == trips.Destination.ID})
	}
	if origin == 0 && destination == 0 {
		return v, nil
	}
	for _, l := range trips.Listings {
		if !l.Event.Now.Before(domain.ClosesOn(domain.ChannelCounter, l.Event, l.Boards, set)) {
			continue
		}
		at := format.In(l.Boards, l.Stops[l.Ride.From].TimeZone)
		x := views.SellEvent{URL: sellRideURL(l.Event.ID, l.Ride), Time: format.Clock(at), Title: l.Event.Route, Detail: strconv.Itoa(l.Free) + " free"}
		if l.Priced {
			x.Detail += ", from " + format.Money(l.PriceFrom, l.Event.Currency)
		}
		v.Found = append(v.Found, x)
	}
	if len(v.Found) == 0 {
		v.Empty = "No bus goes there on that day."
	}
	return v, nil
}
