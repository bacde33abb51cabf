package schedule

import (
	"context"
	"slices"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// What the timetable's pages read, as the database has it.
type (
	TimetableEvent = db.TimetableEvent
	Resource       = db.Resource
	RouteLine      = db.RouteLine
	FilmLine       = db.FilmLine
	TariffChoice   = db.TariffChoice
)

// Timetable is a business week, Monday to Sunday, as staff see it: drafts and cancelled
// events too.
type Timetable struct {
	Monday    time.Time // midnight UTC of the calendar date
	Today     time.Time // the business day it is now
	Events    []TimetableEvent
	Resources []Resource // halls and coaches in use
	Routes    []RouteLine
	Settings  domain.Settings
}

// Timetable reads the week that a date is in; nil means today.
func (s *Service) Timetable(ctx context.Context, date *time.Time, set domain.Settings) (Timetable, error) {
	now, err := s.db.Now(ctx)
	if err != nil {
		return Timetable{}, err
	}
	w := Timetable{Settings: set}
	if w.Today, err = Today(now, set); err != nil {
		return Timetable{}, err
	}
	day := w.Today
	if date != nil {
		day = *date
	}
	w.Monday = day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	for _, read := range []func() error{
		func() (err error) {
			w.Events, err = s.db.Timetable(ctx, w.Monday, w.Monday.AddDate(0, 0, 6))
			return err
		},
		func() (err error) { w.Resources, err = s.db.Resources(ctx, "", false); return err },
		func() (err error) { w.Routes, err = s.db.Routes(ctx, "", false); return err },
	} {
		if err := read(); err != nil {
			return Timetable{}, err
		}
	}
	return w, nil
}

// Choices are what an event can be made of.
type Choices struct {
	Films     []FilmLine
	Routes    []RouteLine
	Resources []Resource // halls or coaches, by the kind asked for
	Tariffs   []TariffChoice
}

const filmsOffered = 500

// Choices lists them for a kind of event, what was put away left out.
func (s *Service) Choices(ctx context.Context, kind domain.EventKind) (c Choices, err error) {
	all, err := s.db.Resources(ctx, "", false)
	if err != nil {
		return c, err
	}
	for _, r := range all {
		if (r.Kind == "hall") == (kind == domain.Screening) {
			c.Resources = append(c.Resources, r)
		}
	}
	if kind == domain.Trip {
		if c.Routes, err = s.db.Routes(ctx, "", false); err != nil {
			return c, err
		}
		return c, s.offerTariffs(ctx, &c, func(t TariffChoice) bool {
			return slices.ContainsFunc(c.Routes, func(r RouteLine) bool { return fits(t, r.ID, len(r.Places)-1) })
		})
	}
	if c.Films, err = s.db.Films(ctx, "", false, 0, filmsOffered); err != nil {
		return c, err
	}
	return c, s.offerTariffs(ctx, &c, func(t TariffChoice) bool { return fits(t, 0, 1) })
}

// offerTariffs lists the price lists in use that would do.
func (s *Service) offerTariffs(ctx context.Context, c *Choices, would func(TariffChoice) bool) error {
	all, err := s.db.TariffChoices(ctx)
	c.Tariffs = nil
	for _, t := range all {
		if !t.Archived && would(t) {
			c.Tariffs = append(c.Tariffs, t)
		}
	}
	return err
}
