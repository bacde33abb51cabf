package schedule

import (
	"time"

	"github.com/teambition/rrule-go"

	"holdfast/internal/domain"
)

// mostAtOnce is how many events one form may make or change.
const mostAtOnce = 500

// Pattern says on which dates: First alone, or every week on Weekdays until Last.
type Pattern struct {
	First    time.Time // midnight UTC of the calendar date, as Last
	Weekdays []time.Weekday
	Last     *time.Time
}

// dates are the pattern's dates, at midnight UTC, and its rule as RFC 5545 writes it, ""
// for a single date. They are dates and no instants: each place puts its own wall clock
// on them, so that no change of summer time can move it.
func (p Pattern) dates() ([]time.Time, string, error) {
	if len(p.Weekdays) == 0 {
		if p.Last != nil && !p.Last.Equal(p.First) {
			return nil, "", &domain.RuleError{Code: "days", Words: "Please tick the days of the week on which it repeats, or leave the last day empty."}
		}
		return []time.Time{p.First}, "", nil
	}
	if p.Last == nil {
		return nil, "", &domain.RuleError{Code: "last", Words: "Please say until which day it repeats."}
	}
	if p.Last.Before(p.First) {
		return nil, "", &domain.RuleError{Code: "last", Words: "The last day is before the first."}
	}
	option := rrule.ROption{Freq: rrule.WEEKLY, Dtstart: p.First, Until: *p.Last, Byweekday: ruleDays(p.Weekdays)}
	rule, err := rrule.NewRRule(option)
	if err != nil {
		return nil, "", err
	}
	var out []time.Time
	for next := rule.Iterator(); ; {
		day, ok := next()
		if !ok {
			break
		}
		if out = append(out, day); len(out) > mostAtOnce {
			return nil, "", tooMany()
		}
	}
	if len(out) == 0 {
		return nil, "", &domain.RuleError{Code: "days", Words: "None of these days of the week is between the first and the last day."}
	}
	return out, option.RRuleString(), nil
}

func tooMany() error {
	return &domain.RuleError{Code: "many", Words: "These are more than 500 events. Please make fewer at a time."}
}

func ruleDays(days []time.Weekday) []rrule.Weekday {
	names := [...]rrule.Weekday{rrule.SU, rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA}
	out := make([]rrule.Weekday, len(days))
	for i, d := range days {
		out[i] = names[d]
	}
	return out
}
