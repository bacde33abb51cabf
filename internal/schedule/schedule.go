// Package schedule reads what is on: a day's screenings, the departures between two
// places, and what is free and what it costs from. It also keeps what that is made of:
// films, places, routes, halls and coaches. It sells nothing.
package schedule

import (
	"context"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/poster"
)

// DayCount is a day with so many screenings or departures.
type DayCount = db.DayCount

// Place is a stop's place.
type Place = db.Place

// Service is safe for concurrent use.
type Service struct {
	db      *db.DB
	posters poster.Maker
	reading chan struct{} // one feed is read at a time
}

// New makes the service.
func New(d *db.DB) *Service { return &Service{db: d, reading: make(chan struct{}, 1)} }

// Listing is one event in a list, on one ride, with what is free now.
type Listing struct {
	Event     domain.Event
	Stops     []domain.EventStop // of a trip
	Ride      domain.Ride
	Boards    time.Time // start, or departure at the boarding stop
	Arrives   time.Time
	ClosesAt  time.Time
	Capacity  int
	Free      int
	Berths    bool
	PriceFrom int64 // minor units; 0 with Priced false when no fare is set
	Priced    bool
}

// Open says whether seats can be bought online now.
func (l Listing) Open() bool {
	return l.Event.Status == "published" && l.Event.Now.Before(l.ClosesAt) && l.Free > 0 && l.Priced
}

// Closed says whether online sales are over.
func (l Listing) Closed() bool { return !l.Event.Now.Before(l.ClosesAt) }

// Day is one business day of the cinema, with the days around it.
type Day struct {
	Date     time.Time // midnight UTC of the calendar date
	Listings []Listing
	Days     []DayCount // the days from today on that have something
	Today    time.Time
	NextDay  *DayCount // the next day after Date with something, nil when none
}

// Today is the business day it is now: before the day's start it is still yesterday.
func Today(now time.Time, s domain.Settings) (time.Time, error) {
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		return time.Time{}, err
	}
	local := now.In(zone)
	start, err := time.Parse("15:04", s.BusinessDayStart)
	if err != nil {
		return time.Time{}, err
	}
	if local.Hour()*60+local.Minute() < start.Hour()*60+start.Minute() {
		local = local.AddDate(0, 0, -1)
	}
	return time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC), nil
}

// Films lists a day's screenings that are not over, in order of their start. date nil
// means today.
func (s *Service) Films(ctx context.Context, date *time.Time, set domain.Settings) (day Day, err error) {
	err = s.db.Lists(ctx, func(q db.Queries) (err error) {
		day, err = films(ctx, q, date, set)
		return err
	})
	return day, err
}

func films(ctx context.Context, q db.Queries, date *time.Time, set domain.Settings) (Day, error) {
	now, err := q.Now(ctx)
	if err != nil {
		return Day{}, err
	}
	day := Day{}
	if day.Today, err = Today(now, set); err != nil {
		return Day{}, err
	}
	day.Date = day.Today
	if date != nil {
		day.Date = *date
	}
	if day.Days, err = q.ScreeningDays(ctx, day.Today); err != nil {
		return Day{}, err
	}
	for i := range day.Days {
		if day.Days[i].Day.After(day.Date) {
			day.NextDay = &day.Days[i]
			break
		}
	}
	events, err := q.Screenings(ctx, day.Date)
	if err != nil {
		return Day{}, err
	}
	day.Listings, err = list(ctx, q, events, screeningRides(events), set)
	return day, err
}

func screeningRides(events []domain.Event) []domain.Ride {
	rides := make([]domain.Ride, len(events))
	for i := range rides {
		rides[i] = domain.Ride{From: 0, To: 1}
	}
	return rides
}

// Later lists coming screenings of the same film that can be bought.
func (s *Service) Later(ctx context.Context, e domain.Event, set domain.Settings) ([]Listing, error) {
	if e.Kind != domain.Screening {
		return nil, nil
	}
	events, err := s.db.LaterScreenings(ctx, e.FilmID, e.ID)
	if err != nil {
		return nil, err
	}
	all, err := list(ctx, s.db.Queries, events, screeningRides(events), set)
	var open []Listing
	for _, l := range all {
		if l.Open() {
			open = append(open, l)
		}
	}
	return open, err
}

// Trips is what a search from one place to another found.
type Trips struct {
	Places              []Place
	Origin, Destination Place
	Date                time.Time // midnight UTC of the calendar date at the origin
	Today               time.Time
	Listings            []Listing
	Days                []DayCount // coming days with departures
	NextDay             *DayCount
}

// Search is what somebody asks for; zero ids mean the line's ends.
type Search struct {
	Origin, Destination int64
	Date                *time.Time
}

// Trips lists the departures of a day in the origin's own zone. Unknown places are
// domain.ErrNotFound; a house without routes has no Places.
func (s *Service) Trips(ctx context.Context, ask Search, set domain.Settings) (t Trips, err error) {
	err = s.db.Lists(ctx, func(q db.Queries) (err error) {
		t, err = trips(ctx, q, ask, set)
		return err
	})
	return t, err
}

func trips(ctx context.Context, q db.Queries, ask Search, set domain.Settings) (Trips, error) {
	var t Trips
	var err error
	if t.Places, err = q.ServedPlaces(ctx); err != nil || len(t.Places) < 2 {
		return t, err
	}
	if t.Origin, err = place(t.Places, ask.Origin, t.Places[0]); err != nil {
		return t, err
	}
	if t.Destination, err = place(t.Places, ask.Destination, other(t.Places, t.Origin)); err != nil {
		return t, err
	}
	now, err := q.Now(ctx)
	if err != nil {
		return t, err
	}
	zone, err := time.LoadLocation(t.Origin.TimeZone)
	if err != nil {
		return t, err
	}
	local := now.In(zone)
	t.Today = time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	t.Date = t.Today
	if ask.Date != nil {
		t.Date = *ask.Date
	}
	if t.Origin.ID == t.Destination.ID {
		return t, nil
	}
	return t, departures(ctx, q, &t, set)
}

func departures(ctx context.Context, q db.Queries, t *Trips, set domain.Settings) error {
	var err error
	if t.Days, err = q.TripDays(ctx, t.Origin.ID, t.Destination.ID); err != nil {
		return err
	}
	for i := range t.Days {
		if t.Days[i].Day.After(t.Date) {
			t.NextDay = &t.Days[i]
			break
		}
	}
	found, err := q.Departures(ctx, t.Origin.ID, t.Destination.ID, t.Date)
	if err != nil || len(found) == 0 {
		return err
	}
	ids, rides := make([]int64, len(found)), make([]domain.Ride, len(found))
	for i, d := range found {
		ids[i], rides[i] = d.EventID, domain.Ride{From: d.FromStop, To: d.ToStop}
	}
	byID, err := q.EventsByID(ctx, ids)
	if err != nil {
		return err
	}
	events := make([]domain.Event, 0, len(ids))
	for _, id := range ids { // in the order of departure at the origin
		for _, e := range byID {
			if e.ID == id {
				events = append(events, e)
			}
		}
	}
	t.Listings, err = list(ctx, q, events, rides, set)
	return err
}

// place finds a served place; id 0 means the default.
func place(all []Place, id int64, otherwise Place) (Place, error) {
	if id == 0 {
		return otherwise, nil
	}
	for _, p := range all {
		if p.ID == id {
			return p, nil
		}
	}
	return Place{}, domain.ErrNotFound
}

func other(all []Place, not Place) Place {
	if last := all[len(all)-1]; last.ID != not.ID {
		return last
	}
	return all[0]
}

// list joins events with their stops, stock and prices.
func list(ctx context.Context, q db.Queries, events []domain.Event, rides []domain.Ride, set domain.Settings) ([]Listing, error) {
	if len(events) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	stops, err := q.EventStops(ctx, ids...)
	if err != nil {
		return nil, err
	}
	stock, err := q.Stocks(ctx, ids, rides)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]db.Stock, len(stock))
	for _, x := range stock {
		byID[x.EventID] = x
	}
	out := make([]Listing, 0, len(events))
	for i, e := range events {
		l := Listing{Event: e, Ride: rides[i], Boards: e.StartsAt, Arrives: e.EndsAt}
		for _, st := range stops {
			if st.EventID == e.ID {
				l.Stops = append(l.Stops, st)
			}
		}
		if rides[i].To < len(l.Stops) {
			l.Boards, l.Arrives = l.Stops[rides[i].From].DepartsAt, l.Stops[rides[i].To].ArrivesAt
		}
		l.ClosesAt = domain.ClosesAt(e, l.Boards, set)
		x := byID[e.ID]
		l.Capacity, l.Free, l.Berths = x.Capacity, x.Free, x.Berths
		if x.PriceFrom != nil {
			l.PriceFrom, l.Priced = *x.PriceFrom, true
		}
		out = append(out, l)
	}
	return out, nil
}

// NextTrips lists up to three coming departures between two places that can be bought.
func (s *Service) NextTrips(ctx context.Context, origin, destination int64, set domain.Settings) ([]Listing, error) {
	days, err := s.db.TripDays(ctx, origin, destination)
	if err != nil {
		return nil, err
	}
	var out []Listing
	for _, d := range days[:min(len(days), 3)] {
		t := Trips{Origin: Place{ID: origin}, Destination: Place{ID: destination}, Date: d.Day}
		if err := departures(ctx, s.db.Queries, &t, set); err != nil {
			return nil, err
		}
		for _, l := range t.Listings {
			if l.Open() && len(out) < 3 {
				out = append(out, l)
			}
		}
	}
	return out, nil
}
