package handlers

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// home is what's on and the search for trips.
func (s *site) home(w http.ResponseWriter, r *http.Request) error {
	v, status, err := s.homeView(r.Context(), homeKeyOf(r.URL.Query()))
	if err != nil {
		return err
	}
	s.render(w, r, status, views.Home(v))
	return nil
}

func (s *site) homeView(ctx context.Context, k homeKey) (views.HomeView, int, error) {
	searched := k.origin != "" || k.destination != ""
	set, err := s.Booking.ListSettings(ctx)
	if err != nil {
		return views.HomeView{}, 0, err
	}
	v := views.HomeView{Page: s.pages.frame("What’s on", domain.Screening, set), TripsFirst: searched}
	day, badDate := date(k.date)
	status := http.StatusOK
	if set.Kind != "bus" {
		films, err := s.Schedule.Films(ctx, day, set)
		if err != nil {
			return v, 0, err
		}
		v.Films = filmsPart(films, set)
		v.Page.Title = v.Films.Heading
	}
	if set.Kind != "cinema" {
		if v.Trips, err = s.tripsPart(ctx, k, set, day); err != nil {
			return v, 0, err
		}
		if v.Trips != nil && (searched || v.Films == nil) && v.Trips.Heading != "" {
			v.Page.Title, v.Page.Venue.Kind = v.Trips.Heading, "bus"
		}
	}
	if nothingOnSale(v, day == nil) {
		v.Page.Title = "Nothing is on sale yet"
		v.Films, v.Trips = nil, nil
		v.Nothing = &views.EmptyDay{Heading: "Nothing is on sale yet", Text: "Please come back soon. Tickets you bought before stay valid."}
	}
	if badDate != nil {
		status = http.StatusUnprocessableEntity
		note := &views.Note{Tone: "bad", Alert: true, Title: "We do not know that date", Text: []string{"Here is today. Days look like 2026-12-05."}}
		if v.Films != nil && !searched {
			v.Films.Note = note
		} else if v.Trips != nil {
			v.Trips.Note = note
		}
	}
	if v.Trips != nil && v.Trips.Note != nil {
		status = http.StatusUnprocessableEntity
	}
	return v, status, nil
}

// nothingOnSale: no film is planned on any day from the shown one, today, on, and no bus
// runs anywhere.
func nothingOnSale(v views.HomeView, today bool) bool {
	noFilms := v.Films == nil || today && v.Films.Empty != nil && v.Films.Empty.Next == nil
	if v.Films != nil {
		for _, d := range v.Films.Days {
			noFilms = noFilms && d.None
		}
	}
	return noFilms && v.Trips == nil
}

func filmsPart(d schedule.Day, set domain.Settings) *views.FilmsPart {
	f := &views.FilmsPart{Heading: d.Date.Format("Monday 2 January"), Days: dayLinks(d.Today, d.Date, d.Days, "")}
	var order []int64
	byFilm := map[int64]*views.Film{}
	for _, l := range d.Listings {
		film, known := byFilm[l.Event.FilmID]
		if !known {
			film = filmView(l.Event)
			byFilm[l.Event.FilmID] = film
			order = append(order, l.Event.FilmID)
		}
		film.Slots = append(film.Slots, slot(l, d.Date))
	}
	for _, id := range order {
		f.Films = append(f.Films, *byFilm[id])
	}
	if len(f.Films) == 0 {
		f.Empty = emptyFilms(d)
		return f
	}
	f.Summary = format.Count(len(f.Films), "film") + ", " + format.Count(len(d.Listings), "screening") + ". " + format.Zone(set.TimeZone) + "."
	return f
}

func filmView(e domain.Event) *views.Film {
	f := &views.Film{Title: e.Film, Certificate: e.Certificate, Meta: filmMeta(e), Blurb: e.Blurb}
	if e.HasPoster {
		f.PosterURL = posterURL(e.FilmID)
	}
	return f
}

func filmMeta(e domain.Event) []string {
	meta := []string{format.Span(time.Duration(e.RuntimeMin) * time.Minute)}
	for _, x := range []string{e.Genre, e.Language} {
		if x != "" {
			meta = append(meta, x)
		}
	}
	return meta
}

func posterURL(film int64) string { return "/films/" + strconv.FormatInt(film, 10) + "/poster" }

// slot is a time chip; a show after midnight says which day it really is.
func slot(l schedule.Listing, day time.Time) views.Slot {
	at := format.In(l.Boards, l.Event.TimeZone)
	v := views.Slot{Time: format.Clock(at), DateTime: at.Format("2006-01-02T15:04"), Place: l.Event.Resource, URL: eventURL(l.Event.ID)}
	if format.DayOff(day, at) != 0 {
		v.Place += ", " + at.Format("Mon 2 Jan")
	}
	if l.Priced {
		v.Price = "from " + format.Money(l.PriceFrom, l.Event.Currency)
	}
	closes := format.In(l.ClosesAt, l.Event.TimeZone)
	switch left := l.ClosesAt.Sub(l.Event.Now); {
	case l.Closed():
		v.Stock, v.URL = "Sales closed", ""
	case l.Free == 0:
		v.Stock, v.URL = "Sold out", ""
	case left < time.Hour:
		v.Stock, v.Closing = "Closes "+format.Clock(closes), true
	case l.Free < 10:
		v.Stock, v.Few = strconv.Itoa(l.Free)+" left", true
	default:
		v.Stock = strconv.Itoa(l.Free) + " free"
	}
	return v
}

func emptyFilms(d schedule.Day) *views.EmptyDay {
	e := &views.EmptyDay{Heading: "No films on " + d.Date.Format("Monday 2 January"), Text: "Nothing is sold out: nothing is planned for this day."}
	if d.Date.Equal(d.Today) {
		e.Heading, e.Text = "No more films today", "Everything planned for today is over."
	}
	if n := d.NextDay; n != nil {
		e.Text += " The next films are on " + n.Day.Format("Monday 2 January") + ": " + format.Count(n.Films, "film") + ", " + format.Count(n.Count, "screening") + "."
		e.Next = &views.Link{Text: "See " + n.Day.Format("Monday 2 January"), URL: "/?date=" + n.Day.Format("2006-01-02")}
	}
	return e
}

// dayLinks is the strip of a week from today, moved so that the shown day is on it.
func dayLinks(today, shown time.Time, some []schedule.DayCount, more string) []views.DayLink {
	has := map[string]bool{}
	for _, d := range some {
		has[d.Day.Format("2006-01-02")] = true
	}
	first := today
	if n := format.DayOff(today, shown); n > 6 {
		first = shown.AddDate(0, 0, -3)
	}
	var out []views.DayLink
	for i := range 7 {
		d := first.AddDate(0, 0, i)
		l := views.DayLink{URL: "/?date=" + d.Format("2006-01-02") + more, Word: d.Format("Mon"), Number: d.Format("2"), Rest: d.Format("January"),
			Current: d.Equal(shown), None: !has[d.Format("2006-01-02")]}
		if d.Equal(today) {
			l.Word = "Today"
		}
		out = append(out, l)
	}
	return out
}

func (s *site) tripsPart(ctx context.Context, k homeKey, set domain.Settings, day *time.Time) (*views.TripsPart, error) {
	ask := schedule.Search{Date: day}
	var bad bool
	for _, place := range []struct {
		text string
		id   *int64
	}{{k.origin, &ask.Origin}, {k.destination, &ask.Destination}} {
		if place.text != "" {
			var err error
			*place.id, err = strconv.ParseInt(place.text, 10, 64)
			bad = bad || err != nil || *place.id < 1
		}
	}
	if bad {
		ask = schedule.Search{Date: day}
	}
	found, err := s.Schedule.Trips(ctx, ask, set)
	if errors.Is(err, domain.ErrNotFound) {
		bad = true
		found, err = s.Schedule.Trips(ctx, schedule.Search{Date: day}, set)
	}
	if err != nil || len(found.Places) < 2 {
		return nil, err
	}
	t := tripsView(found, set)
	switch {
	case bad:
		t.Note = &views.Note{Tone: "bad", Alert: true, Title: "We do not know that stop", Text: []string{"Here are the departures of the whole line. Please choose your stops from the lists."}}
	case found.Origin.ID == found.Destination.ID:
		t.Note = &views.Note{Tone: "bad", Alert: true, Title: "Both stops are the same", Text: []string{"Choose a stop to get off that is not the one you get on at."}}
	}
	return t, nil
}

func tripsView(found schedule.Trips, set domain.Settings) *views.TripsPart {
	more := "&origin=" + strconv.FormatInt(found.Origin.ID, 10) + "&destination=" + strconv.FormatInt(found.Destination.ID, 10)
	t := &views.TripsPart{
		Search: views.TripSearch{
			Origins: placeOptions(found.Places, found.Origin.ID), Destinations: placeOptions(found.Places, found.Destination.ID),
			Date: found.Date.Format("2006-01-02"), Min: found.Today.Format("2006-01-02"),
		},
		Terms: closeTerms(set),
	}
	if found.Origin.ID == found.Destination.ID {
		return t
	}
	t.Heading = found.Origin.Name + " to " + found.Destination.Name
	t.Days = dayLinks(found.Today, found.Date, found.Days, more)
	if len(found.Listings) == 0 {
		t.Empty = emptyTrips(found, more)
		return t
	}
	t.Summary = format.LongDay(found.Date) + ", " + format.Count(len(found.Listings), "departure") + ". " + zonesWords(found)
	for _, l := range found.Listings {
		t.Trips = append(t.Trips, tripView(l, found.Origin.TimeZone != found.Destination.TimeZone))
	}
	return t
}

func closeTerms(set domain.Settings) string {
	switch n := set.SalesCloseMinutes; {
	case n > 0:
		return "Online sales close " + format.Span(time.Duration(n)*time.Minute) + " before each departure at your stop."
	case n == 0:
		return "Online sales close with each departure at your stop."
	}
	return ""
}

func zonesWords(found schedule.Trips) string {
	if found.Origin.TimeZone == found.Destination.TimeZone {
		return format.Zone(found.Origin.TimeZone) + "."
	}
	return "Each time is the local time of the stop."
}

func placeOptions(places []schedule.Place, chosen int64) []views.Option {
	var out []views.Option
	for _, p := range places {
		out = append(out, views.Option{Value: strconv.FormatInt(p.ID, 10), Text: p.Name, Selected: p.ID == chosen})
	}
	return out
}

func emptyTrips(found schedule.Trips, more string) *views.EmptyDay {
	e := &views.EmptyDay{
		Heading: "No buses on " + found.Date.Format("Monday 2 January"),
		Text:    "We do not run from " + found.Origin.Name + " to " + found.Destination.Name + " on this day. Nothing is sold out: there is no bus.",
	}
	if found.Date.Equal(found.Today) {
		e.Heading = "No more buses today"
		e.Text = "The last bus from " + found.Origin.Name + " to " + found.Destination.Name + " has left, or none runs today."
	}
	if n := found.NextDay; n != nil {
		e.Text += " The next one is on " + n.Day.Format("Monday 2 January") + "."
		e.Next = &views.Link{Text: "See " + n.Day.Format("Monday 2 January"), URL: "/?date=" + n.Day.Format("2006-01-02") + more}
	}
	return e
}

func tripView(l schedule.Listing, zones bool) views.Trip {
	from, to := l.Stops[l.Ride.From], l.Stops[l.Ride.To]
	noun := "seat"
	if l.Berths {
		noun = "berth"
	}
	v := views.Trip{
		Depart: views.TripEnd{Time: format.Clock(format.In(l.Boards, from.TimeZone)), Place: from.Place, Detail: from.Address},
		Arrive: tripArrival(l.Boards, l.Arrives, from, to, zones), Duration: format.Span(l.Arrives.Sub(l.Boards)),
		StopCount: stopCount(l.Ride), Vehicle: l.Event.ResourceNote, Detail: strconv.Itoa(l.Capacity) + " " + noun + "s",
		Price: money(l.PriceFrom, l.Event.Currency), From: true, Choose: "Choose " + noun + "s",
		URL: rideURL(l.Event.ID, l.Ride), Stops: wayOf(l.Stops, l.Ride, zones),
	}
	if v.Vehicle == "" {
		v.Vehicle = l.Event.Resource
	}
	if zones {
		v.Depart.Detail = format.ShortDay(format.In(l.Boards, from.TimeZone)) + ", " + format.Zone(from.TimeZone)
	}
	switch {
	case l.Closed():
		v.URL, v.Gone = "", "Online sales closed at "+format.Clock(format.In(l.ClosesAt, from.TimeZone))+"."
	case l.Free == 0:
		v.URL, v.Gone = "", "All "+strconv.Itoa(l.Capacity)+" "+noun+"s are sold."
	case !l.Priced:
		v.URL, v.Gone = "", "Not sold between these stops."
	case l.Free < 10:
		v.Left, v.Few = format.Count(l.Free, noun)+" left", true
	default:
		v.Left = format.Count(l.Free, noun) + " left"
	}
	return v
}

func stopCount(r domain.Ride) string {
	if n := r.Legs() - 1; n > 0 {
		return format.Count(n, "stop")
	}
	return "no stops"
}

// tripArrival is the end of a ride in the stop's own time: "06:10 (+1)".
func tripArrival(boards, arrives time.Time, from, to domain.EventStop, zones bool) views.TripEnd {
	a, b := format.In(boards, from.TimeZone), format.In(arrives, to.TimeZone)
	e := views.TripEnd{Time: format.Clock(b), Place: to.Place, Detail: to.Address}
	if n := format.DayOff(a, b); n > 0 {
		e.Plus, e.PlusWords = "+"+strconv.Itoa(n), "next day"
		if n > 1 {
			e.PlusWords = strconv.Itoa(n) + " days later"
		}
		e.Detail = format.ShortDay(b)
	}
	if zones {
		e.Detail = format.ShortDay(b) + ", " + format.Zone(to.TimeZone)
	}
	return e
}

// wayOf lists the stops of a trip; those in between are marked, those outside the ride left out.
func wayOf(stops []domain.EventStop, ride domain.Ride, zones bool) []views.TripStop {
	var out []views.TripStop
	for _, st := range stops {
		if st.StopNo < ride.From || st.StopNo > ride.To {
			continue
		}
		at := st.DepartsAt
		if st.StopNo == ride.To {
			at = st.ArrivesAt
		}
		v := views.TripStop{Time: format.Clock(format.In(at, st.TimeZone)), Place: st.Place, Detail: st.Note, Pass: st.StopNo > ride.From && st.StopNo < ride.To}
		if !v.Pass {
			v.Detail = st.Address
		}
		if zones {
			words := format.ShortDay(format.In(at, st.TimeZone)) + ", " + format.Zone(st.TimeZone)
			if v.Detail != "" {
				words = v.Detail + ". " + words
			}
			v.Detail = words
		}
		out = append(out, v)
	}
	return out
}

func money(amount int64, code string) views.Money {
	return views.Money{Amount: amount, Currency: code, Text: format.Number(amount, code)}
}

func eventURL(id int64) string { return "/events/" + strconv.FormatInt(id, 10) }

func rideURL(id int64, r domain.Ride) string {
	return eventURL(id) + "?from=" + strconv.Itoa(r.From) + "&to=" + strconv.Itoa(r.To)
}

// poster serves a film's picture.
func (s *site) poster(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "film")
	if err != nil {
		return err
	}
	body, kind, err := s.Records.Poster(r.Context(), id)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	_, _ = w.Write(body) // a reader that went away is nobody's error
	return nil
}
