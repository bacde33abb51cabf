package handlers

import (
	"cmp"
	"errors"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/internal/waitroom"
	"holdfast/views"
)

// waitForm is what was typed about a room or a window, and what it means.
type waitForm struct {
	plan     waitroom.Plan
	typed    map[string]string // by field; nil for nothing yet
	revision string
	opened   bool
	wrong    map[string]string // words by field
}

// defaultWait suits a house of some hundred seats.
func defaultWait() waitForm {
	return waitForm{typed: map[string]string{
		"max": "30", "rate": "30", "turn": strconv.Itoa(int(waitroom.DefaultTurn / time.Minute)), "address": strconv.Itoa(waitroom.DefaultPerAddress),
	}}
}

// waitOf is the form as a room fills it; one that is over lends its numbers alone.
func waitOf(c waitroom.Count, p waitroom.Phase) waitForm {
	f := defaultWait()
	if c.MaxActive == 0 {
		return f
	}
	f.typed["max"], f.typed["rate"] = strconv.Itoa(c.MaxActive), perMinute(c.PerSecond)
	f.typed["turn"], f.typed["address"] = strconv.Itoa(c.TurnSeconds/60), strconv.Itoa(c.PerAddress)
	if p == waitroom.Over {
		return f
	}
	f.opened = !c.Now.Before(c.OpensAt)
	put := func(name string, t time.Time) {
		at := format.In(t, c.TimeZone)
		f.typed[name+"_date"], f.typed[name+"_time"] = at.Format(time.DateOnly), format.Clock(at)
	}
	put("begins", c.BeginsAt)
	put("opens", c.OpensAt)
	if c.EndsAt != nil {
		put("ends", *c.EndsAt)
	}
	return f
}

// perMinute is a pace as people say it, "30" or "0.5".
func perMinute(perSecond float64) string {
	return strconv.FormatFloat(math.Round(perSecond*600)/10, 'f', -1, 64)
}

func readWait(typed url.Values, zone string) waitForm {
	f := waitForm{typed: map[string]string{}, wrong: map[string]string{}, revision: typed.Get("revision"), opened: typed.Get("opens_date") == "" && !typed.Has("opens_date")}
	for _, name := range []string{"begins_date", "begins_time", "opens_date", "opens_time", "ends_date", "ends_time", "max", "rate", "turn", "address"} {
		f.typed[name] = strings.TrimSpace(typed.Get(name))
	}
	f.plan.Revision = revision(typed)
	f.plan.BeginsAt, f.plan.OpensAt = f.moment("begins", zone), f.moment("opens", zone)
	if at := f.moment("ends", zone); !at.IsZero() {
		f.plan.EndsAt = &at
	}
	f.plan.MaxActive, f.plan.PerAddress = f.whole("max"), f.whole("address")
	f.plan.Turn = time.Duration(f.whole("turn")) * time.Minute
	rate, err := strconv.ParseFloat(strings.Replace(f.typed["rate"], ",", ".", 1), 64)
	if err != nil || rate < 0.1 || rate > 60000 || math.IsNaN(rate) {
		f.wrong["rate"] = "Please write a number, such as 30."
	}
	f.plan.PerSecond = rate / 60
	return f
}

func (f *waitForm) whole(name string) int {
	n, err := strconv.ParseInt(f.typed[name], 10, 32)
	if err != nil || n < 0 || n > 100000 {
		f.wrong[name] = "Please write a whole number."
		return 0
	}
	return int(n)
}

// moment reads a day and a time on the place's own clock; zero for neither.
func (f *waitForm) moment(name, zone string) time.Time {
	day, clock := f.typed[name+"_date"], f.typed[name+"_time"]
	if day == "" && clock == "" {
		return time.Time{}
	}
	on, err := date(day)
	if err != nil || on == nil {
		f.wrong[name+"_date"] = "Please say on which day."
	}
	m, ok := schedule.ParseClock(clock)
	if !ok {
		f.wrong[name+"_time"] = "Please write a time like 18:00."
	}
	if f.wrong[name+"_date"] != "" || f.wrong[name+"_time"] != "" {
		return time.Time{}
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		loc = time.UTC
	}
	switch at := domain.WallClock(*on, m, loc); len(at) {
	case 0:
		f.wrong[name+"_time"] = "The clocks skip this time that night. Please choose another."
	case 1:
		return at[0]
	default:
		f.wrong[name+"_time"] = "The clocks show this time twice that night. Please choose one before or after."
	}
	return time.Time{}
}

// refused takes a rule's words to their field, and tells whether anything is wrong.
func (f *waitForm) refused(err error) bool {
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		field := rule.Code
		if _, is := f.typed[field+"_time"]; is {
			field += "_time"
		}
		f.wrong[field] = rule.Words
	}
	return len(f.wrong) > 0
}

func (f *waitForm) view(zone string) views.WaitForm {
	field := func(name string) views.Field { return views.Field{Value: f.typed[name], Error: f.wrong[name]} }
	return views.WaitForm{
		Revision: cmp.Or(f.revision, "0"), Zone: zone, Opened: f.opened,
		BeginsDate: field("begins_date"), BeginsTime: field("begins_time"), OpensDate: field("opens_date"), OpensTime: field("opens_time"),
		EndsDate: field("ends_date"), EndsTime: field("ends_time"), Most: field("max"), Rate: field("rate"), Turn: field("turn"), Limit: field("address"),
	}
}
