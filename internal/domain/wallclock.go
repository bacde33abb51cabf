package domain

import "time"

// WallClock lists the instants at which the wall clock of a place shows so many minutes
// after midnight on a date, earliest first: one nearly always, none in the hour that
// summer time skips, two in the hour that it repeats. Minutes from 1440 on are of the
// days after. Only the date of date is read.
func WallClock(date time.Time, minutes int, zone *time.Location) []time.Time {
	y, m, d := date.Date()
	want := time.Date(y, m, d, 0, minutes, 0, 0, time.UTC)
	var out []time.Time
	for _, around := range []time.Duration{-36 * time.Hour, 36 * time.Hour} { // no zone changes twice in three days
		_, offset := want.Add(around).In(zone).Zone()
		at := want.Add(-time.Duration(offset) * time.Second)
		if shows(at, want, zone) && (len(out) == 0 || !out[0].Equal(at)) {
			out = append(out, at)
		}
	}
	if len(out) == 2 && out[1].Before(out[0]) {
		out[0], out[1] = out[1], out[0]
	}
	return out
}

func shows(at, want time.Time, zone *time.Location) bool {
	local := at.In(zone)
	return local.Day() == want.Day() && local.Hour() == want.Hour() && local.Minute() == want.Minute()
}

// BusinessDay is the calendar date, at midnight UTC, that an instant counts to: one
// before the day's start belongs to the day before.
func BusinessDay(at time.Time, zone *time.Location, s Settings) time.Time {
	local := at.In(zone)
	y, m, d := local.Date()
	if start, err := time.Parse("15:04", s.BusinessDayStart); err == nil && local.Hour()*60+local.Minute() < start.Hour()*60+start.Minute() {
		d--
	}
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
