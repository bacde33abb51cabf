package handlers

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

func (s *site) showExchange(w http.ResponseWriter, r *http.Request, who access.Staff, status int, x *exchanging) error {
	b := x.f.Booking
	page, set, err := s.staffPage(r, who, "Exchange, booking "+domain.ShowReference(b.Reference), "/staff/bookings")
	if err != nil {
		return err
	}
	if x.till, err = s.tillOpen(r, who); err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_timetable.js"), s.Assets.URL("js/staff_desk.js"))
	v := views.StaffExchange{Page: page, Reference: domain.ShowReference(b.Reference), Name: b.Name, BackURL: bookingFileURL(b.ID), Action: bookingFileURL(b.ID) + "/exchange"}
	if x.alert != "" {
		v.Alert = refusal(x.head, x.alert)
	}
	for _, t := range x.f.Tickets {
		if t.State == "valid" {
			v.Tickets = append(v.Tickets, x.ticketChoice(t))
		}
	}
	switch {
	case len(v.Tickets) == 0:
		v.Nothing = &views.Note{Title: "No ticket of this booking is valid", Text: []string{"There is nothing to exchange."}}
	case x.quote != nil:
		v.Quote = x.quoteView()
		if v.Quote.Supervised, err = s.superviseFields(r, who, access.Manager, "", x.super); err != nil {
			return err
		}
	case x.o != nil:
		if v.Map, err = s.exchangeMap(r, x); err != nil {
			return err
		}
		if !who.Role.Covers(access.Manager) { // a supervisor confirms beside the price
			v.Map.Move = ""
		}
	default:
		if v.Where, err = s.exchangeWhere(r, x, set); err != nil {
			return err
		}
	}
	s.render(w, r, status, views.StaffExchangePage(v))
	return nil
}

func (x *exchanging) ticketChoice(t booking.Ticket) views.CancelChoice {
	return views.CancelChoice{
		ID: strconv.FormatInt(t.ID, 10), Chosen: slices.ContainsFunc(x.given, func(g booking.Ticket) bool { return g.ID == t.ID }),
		Text: contact(seatRef(x.f.Scene.Layout, t.SeatNo).Name, t.TypeName, t.Passenger) + ": " + format.Money(t.Price, x.f.Booking.Currency),
	}
}

// exchangeWhere lists where the tickets may go: this event, the same film later or the
// same way, and a day of one's choice.
func (s *site) exchangeWhere(r *http.Request, x *exchanging, set domain.Settings) (*views.ExchangeWhere, error) {
	o := x.f.Scene
	v := &views.ExchangeWhere{Day: strings.TrimSpace(x.typed.Get("day"))}
	day, err := date(v.Day)
	if err != nil {
		v.DayError = "Please write the day like 2026-12-05."
	}
	var later, found []schedule.Listing
	if o.Event.Kind == domain.Screening {
		list, err := s.Schedule.Films(r.Context(), day, set)
		if err != nil {
			return nil, err
		}
		found, v.Day = list.Listings, list.Date.Format("2006-01-02")
		if later, err = s.Schedule.Later(r.Context(), o.Event, set); err != nil {
			return nil, err
		}
	} else {
		from, to := o.Stops[o.Ride.From], o.Stops[o.Ride.To]
		trips, err := s.Schedule.Trips(r.Context(), schedule.Search{Origin: from.PlaceID, Destination: to.PlaceID, Date: day}, set)
		if err != nil {
			return nil, err
		}
		found, v.Day = trips.Listings, trips.Date.Format("2006-01-02")
	}
	if o.Event.Status == "published" {
		v.Here = atOf(o.Event, o.Ride)
	}
	v.Later = exchangeRows(later, o.Event.ID)
	v.Found = exchangeRows(found, o.Event.ID)
	return v, nil
}

func exchangeRows(list []schedule.Listing, but int64) (out []views.ExchangeEvent) {
	for _, l := range list {
		if l.Event.ID == but || l.Event.Status != "published" {
			continue
		}
		zone := l.Event.TimeZone
		if len(l.Stops) > 0 {
			zone = l.Stops[l.Ride.From].TimeZone
		}
		at := format.In(l.Boards, zone)
		v := views.ExchangeEvent{At: atOf(l.Event, l.Ride), Day: format.ShortDay(at), Time: format.Clock(at), Title: eventName(l.Event), Detail: l.Event.Resource, Free: strconv.Itoa(l.Free) + " free"}
		if len(l.Stops) > 0 {
			v.Title = l.Stops[l.Ride.From].Place + " to " + l.Stops[l.Ride.To].Place
		}
		if v.None = l.Free == 0; v.None {
			v.Free = "Full"
		}
		out = append(out, v)
	}
	return out
}

// exchangeMap is the plan of the chosen event with as many seats proposed.
func (s *site) exchangeMap(r *http.Request, x *exchanging) (*views.ExchangeMap, error) {
	seats, err := s.Booking.ExchangeSeats(r.Context(), x.o, x.given)
	if err != nil {
		return nil, err
	}
	chosen := x.seats
	if len(chosen) == 0 {
		chosen = x.proposed(seats.Free(x.o.Layout))
	}
	t := ticks{chosen: map[string]bool{}, lost: x.lost}
	for _, no := range chosen {
		t.chosen[no] = !x.lost[no]
	}
	v := &views.ExchangeMap{
		At: atOf(x.o.Event, x.o.Ride), Event: x.eventWords(), Map: mapView(x.o, seats, t), Legend: legend(x.o),
		Count: format.Count(len(x.given), noun(x.o.Layout)), Reason: x.typed.Get("reason"), Key: x.key(), Tickets: x.ids(),
		AgainURL: bookingFileURL(x.f.Booking.ID) + "/exchange?" + x.again().Encode(),
	}
	if len(chosen) == 0 {
		v.None = "No " + v.Count + " side by side are free. Choose yourself, or another event."
	}
	if x.o.Event.ID == x.f.Scene.Event.ID {
		v.Move = "Move now, at the same price"
	}
	return v, nil
}

// proposed are the best free seats in the zone of what is given back, else anywhere; within
// the same event never the old ones.
func (x *exchanging) proposed(free map[string]bool) []string {
	zone := 0
	for _, t := range x.given {
		c, ok := x.f.Scene.Layout.Seat(t.SeatNo)
		if !ok || zone != 0 && c.Zone != zone {
			zone = 0
			break
		}
		zone = c.Zone
		if x.o.Event.ID == t.EventID {
			free[t.SeatNo] = false
		}
	}
	for _, z := range slices.Compact([]int{zone, 0}) {
		w := domain.BestWish{Quantity: len(x.given), Zone: z, RowPercent: x.o.Settings.BestSeatRowFromFront, Rules: x.o.Rules()}
		if set := x.o.Layout.Best(w, free); set != nil {
			return set
		}
	}
	return nil
}

// again are the choices that lead back to the list of events.
func (x *exchanging) again() url.Values {
	return url.Values{"ticket": x.ids(), "day": x.typed["day"]}
}

func (x *exchanging) eventWords() []string {
	head := eventHead(x.o)
	return append([]string{head.Title}, slices.DeleteFunc(facts(x.o), func(s string) bool { return s == "" })...)
}

func (x *exchanging) ids() (out []string) {
	for _, t := range x.given {
		out = append(out, strconv.FormatInt(t.ID, 10))
	}
	return out
}

func (x *exchanging) key() string {
	if key := x.typed.Get("key"); key != "" {
		return key
	}
	return rand.Text()
}

// quoteView says old worth, new price and the difference, and asks for the rest.
func (x *exchanging) quoteView() *views.ExchangeQuote {
	q, currency := x.quote, x.quoteCurrency()
	v := &views.ExchangeQuote{
		At: atOf(x.o.Event, x.o.Ride), Event: x.eventWords(), Tickets: x.ids(), Key: x.key(), Shown: strconv.FormatInt(q.Difference, 10),
		Worth: money(q.Worth, currency), Price: money(q.Price, currency), Reason: x.typed.Get("reason"), Currency: currency,
		Tendered: x.typed.Get("tendered"), Button: "Exchange, no money changes hands", Till: x.till,
		Terminal: x.typed.Get("tender") == "terminal", Exponent: exponentOf(currency),
	}
	for i, line := range q.Lines {
		v.Seats = append(v.Seats, x.quoteSeat(q.Given[i], line))
	}
	back := x.again()
	back["at"], back["seat"], back["choose"] = []string{v.At}, x.seats, []string{"1"}
	v.AgainURL = bookingFileURL(x.f.Booking.ID) + "/exchange?" + back.Encode()
	switch {
	case q.Difference > 0:
		v.Head, v.Difference, v.Button = "To pay", money(q.Difference, currency), "Exchange, take "+format.Money(q.Difference, currency)
		v.Pays = true
	case q.Difference < 0:
		v.Head, v.Difference, v.Button = "To give back", money(-q.Difference, currency), "Exchange, give back "+format.Money(-q.Difference, currency)
		v.Parts = partLines(q.Back, currency, x.till)
	default:
		v.Head, v.Difference = "Nothing to pay", money(0, currency)
	}
	return v
}

func exponentOf(code string) string {
	c, err := domain.CurrencyOf(code)
	if err != nil {
		return "0"
	}
	return strconv.Itoa(c.Exponent)
}

func (x *exchanging) quoteSeat(t booking.Ticket, line domain.HoldSeat) views.ExchangeSeat {
	v := views.ExchangeSeat{
		Was: seatRef(x.f.Scene.Layout, t.SeatNo).Name, WasPrice: format.Money(t.Price, x.f.Booking.Currency), WasType: t.TypeName,
		Seat: seatRef(x.o.Layout, line.SeatNo), Price: money(line.Price, x.quoteCurrency()), Passenger: line.Passenger, Type: line.Type,
	}
	known := false
	for _, f := range x.o.Fares.OfZone(line.Zone) {
		v.Types = append(v.Types, views.Option{Value: f.Type, Text: f.TypeName, Selected: f.Type == line.Type})
		known = known || f.Type == line.Type
	}
	if !known { // not sold any more, and still what was paid for
		v.Types = append(v.Types, views.Option{Value: line.Type, Text: t.TypeName, Selected: true})
	}
	return v
}
