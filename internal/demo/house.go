package demo

import (
	"context"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

const (
	currency  = "EUR"
	houseZone = "Europe/Rome"
	dayStart  = 5 // o'clock: an earlier show counts to the evening before
)

func settings() map[string]string {
	return map[string]string{
		"venue_name":         "Marigold",
		"kind":               "both",
		"address":            "Via dei Calicanti 14, 34121 Trieste",
		"phone":              "+39 040 555 0142",
		"currency":           currency,
		"time_zone":          houseZone,
		"ladies_rule":        "seats_and_neighbours",
		"business_day_start": fmt.Sprintf("%02d:00", dayStart),
	}
}

func (l *loader) settings(ctx context.Context) error {
	for key, value := range settings() {
		if err := domain.CheckSetting(key, value); err != nil {
			return fmt.Errorf("setting %s: %w", key, err)
		}
	}
	return l.tx.SetDemoSettings(ctx, settings())
}

func (l *loader) ticketTypes(ctx context.Context) error {
	return l.tx.AddDemoTypes(ctx, []db.DemoType{
		{Code: "adult", Name: "Adult", Position: 1},
		{Code: "child", Name: "Child under 12", Position: 2},
		{Code: "senior", Name: "Senior 65+", Position: 3},
		{Code: "student", Name: "Student", Position: 4},
	})
}

// businessDay is the calendar date an instant counts to, at midnight UTC.
func businessDay(t time.Time, zone *time.Location) time.Time {
	local := t.In(zone)
	y, m, d := local.Date()
	if local.Hour() < dayStart {
		d--
	}
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// at is a wall clock of the place on a date. Hours from 24 on are of the next day.
func at(date time.Time, hour, minute int, zone *time.Location) time.Time {
	return time.Date(date.Year(), date.Month(), date.Day(), hour, minute, 0, 0, zone)
}

// roundUp moves an instant to the next multiple of so many minutes.
func roundUp(t time.Time, minutes int) time.Time {
	step := time.Duration(minutes) * time.Minute
	if r := t.Truncate(step); !r.Before(t) {
		return r
	}
	return t.Truncate(step).Add(step)
}
