package schedule

import (
	"context"
	"slices"
	"time"

	"holdfast/internal/domain"
)

// WeekPart is a piece of a business day in which tickets cost the same.
type WeekPart struct {
	From, To string // "05:00"; the day's last piece ends where the next day begins
	Band     string // "" for the list itself
	Prices   domain.Fares
}

// Week tells for each weekday from Monday what a ticket of the first type costs when, end
// to end and by zone: by the same rule that decides for events.
func (s *Service) Week(ctx context.Context, x *Sheet) ([7][]WeekPart, error) {
	var week [7][]WeekPart
	set, err := houseSettings(ctx, s.db.Queries)
	if err != nil {
		return week, err
	}
	start, err := time.Parse("15:04", set.BusinessDayStart)
	if err != nil {
		return week, err
	}
	points := breaks(x.Bands, start.Hour()*60+start.Minute())
	var starts, days []time.Time
	for d := range 7 {
		day := time.Date(2001, 1, 1+d, 0, 0, 0, 0, time.UTC) // the first was a Monday
		for _, p := range points {
			starts, days = append(starts, day.Add(time.Duration(p)*time.Minute)), append(days, day)
		}
	}
	bands, err := s.db.BandsAt(ctx, x.List.ID, starts, days)
	if err != nil {
		return week, err
	}
	names, prices, err := s.firstPrices(ctx, x)
	if err != nil {
		return week, err
	}
	for i, band := range bands {
		d, n := i/len(points), i%len(points)
		if n > 0 && bands[i-1] == band {
			continue
		}
		if n > 0 {
			week[d][len(week[d])-1].To = starts[i].Format("15:04")
		}
		week[d] = append(week[d], WeekPart{
			From: starts[i].Format("15:04"), To: set.BusinessDayStart, Band: names[band], Prices: prices[band],
		})
	}
	return week, nil
}

// breaks are the minutes after a business day's midnight at which another band may
// begin, from the start of the day for 24 hours.
func breaks(bands []Band, start int) []int {
	points := []int{start}
	for _, b := range bands {
		for _, m := range []*int{b.FromMinute, b.ToMinute} {
			if m == nil {
				continue
			}
			at := *m
			if at < start {
				at += 1440
			}
			points = append(points, at)
		}
	}
	slices.Sort(points)
	return slices.Compact(points)
}

// firstPrices are what the first ticket type costs end to end in each band and the list
// itself, by zone, with the bands' names.
func (s *Service) firstPrices(ctx context.Context, x *Sheet) (map[int64]string, map[int64]domain.Fares, error) {
	names, fares := map[int64]string{0: ""}, map[int64]domain.Fares{}
	for _, b := range x.Bands {
		names[b.ID] = b.Name
	}
	for id := range names {
		prices, err := readPrices(ctx, s.db.Queries, x.List.ID, id)
		if err != nil {
			return nil, nil, err
		}
		for _, z := range x.Zones {
			for _, y := range x.Types {
				if p, ok := prices[PriceKey{z.No, y.Code, 0, x.List.LastStop}]; ok {
					fares[id] = append(fares[id], domain.Fare{Zone: z.No, Type: y.Code, TypeName: y.Name, Price: p})
					break
				}
			}
		}
	}
	return names, fares, nil
}

// CustomerView is what customers see of one event's prices.
type CustomerView struct {
	Event domain.Event
	Stops []domain.EventStop
	Zones []domain.Zone
	Ride  domain.Ride
	Band  string // "" for the list itself
	Fares domain.Fares
}

// ListEvents are the next events that have a list, drafts too.
func (s *Service) ListEvents(ctx context.Context, tariff int64) ([]domain.Event, error) {
	return s.db.TariffEvents(ctx, tariff)
}

// CustomerView reads an event's prices for a ride, as booking does; ride nil means end to
// end. domain.ErrNotFound.
func (s *Service) CustomerView(ctx context.Context, eventID int64, ride *domain.Ride) (v CustomerView, err error) {
	if v.Event, err = s.db.Event(ctx, eventID); err != nil {
		return v, err
	}
	v.Ride = domain.Ride{To: v.Event.LastStop}
	if ride != nil && ride.From >= 0 && ride.From < ride.To && ride.To <= v.Event.LastStop {
		v.Ride = *ride
	}
	if v.Stops, err = s.db.EventStops(ctx, eventID); err != nil {
		return v, err
	}
	layout, err := s.db.Layout(ctx, v.Event.LayoutVersionID)
	if err != nil {
		return v, err
	}
	v.Zones = layout.Zones
	if v.Band, err = s.db.EventBand(ctx, eventID); err != nil {
		return v, err
	}
	v.Fares, err = s.db.Fares(ctx, eventID, v.Ride)
	return v, err
}
