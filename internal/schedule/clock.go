package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/domain"
)

// Which of the two a time means in the hour that the end of summer time repeats.
const (
	FirstOfTwo  = "first"
	SecondOfTwo = "second"
)

// ParseClock reads a time of day as people type it, "19:30", "19.30", "1930" or "9", in
// minutes after midnight.
func ParseClock(text string) (int, bool) {
	text = strings.ReplaceAll(strings.TrimSpace(text), ".", ":")
	hour, minute, cut := strings.Cut(text, ":")
	if !cut && len(text) > 2 {
		hour, minute = text[:len(text)-2], text[len(text)-2:]
	} else if !cut {
		minute = "00"
	}
	h, errH := strconv.Atoi(hour)
	m, errM := strconv.Atoi(minute)
	if errH != nil || errM != nil || strings.ContainsAny(text, "+-") || len(hour) > 2 || len(minute) != 2 || h < 0 || h > 23 || m < 0 || m > 59 {
		return 0, false
	}
	return h*60 + m, true
}

const mostClocks = 24 // of one day

// ParseClocks reads several, parted by spaces, commas or semicolons, without repeats.
func ParseClocks(text string) ([]int, bool) {
	var out []int
	seen := map[int]bool{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == '\t' }) {
		m, ok := ParseClock(word)
		if !ok {
			return nil, false
		}
		if !seen[m] {
			out, seen[m] = append(out, m), true
		}
	}
	return out, len(out) > 0 && len(out) <= mostClocks
}

// ShowClock is "19:30".
func ShowClock(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60%24, minutes%60) }

// localKey names a wall clock on a date for the form: "2026-03-29T02:30".
func localKey(date time.Time, minutes int) string {
	return date.AddDate(0, 0, minutes/1440).Format("2006-01-02") + "T" + ShowClock(minutes)
}

// occasion turns a wall clock into the instant it means. twice: it means two, and fold
// says which; the first is answered while nobody said. A time in the hour that summer
// time skips is refused in words that name the date.
func occasion(date time.Time, minutes int, zoneName, fold string) (at time.Time, twice bool, err error) {
	zone, err := time.LoadLocation(zoneName)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("time zone %q: %w", zoneName, err)
	}
	switch all := domain.WallClock(date, minutes, zone); {
	case len(all) == 0:
		return time.Time{}, false, &domain.RuleError{Code: "missing_hour", Words: fmt.Sprintf(
			"On %s there is no %s in %s: the clocks go forward over it. Please choose another time for that day, or leave it out.",
			date.AddDate(0, 0, minutes/1440).Format("Monday 2 January 2006"), ShowClock(minutes), city(zoneName))}
	case len(all) == 2 && fold == SecondOfTwo:
		return all[1], true, nil
	default:
		return all[0], len(all) == 2, nil
	}
}

// city is what people call a zone: "New York".
func city(zoneName string) string {
	return strings.ReplaceAll(zoneName[strings.LastIndexByte(zoneName, '/')+1:], "_", " ")
}

// wall is the date and the minutes after midnight that a place's clock shows.
func wall(at time.Time, zoneName string) (date time.Time, minutes int, err error) {
	zone, err := time.LoadLocation(zoneName)
	if err != nil {
		return time.Time{}, 0, fmt.Errorf("time zone %q: %w", zoneName, err)
	}
	local := at.In(zone)
	y, m, d := local.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC), local.Hour()*60 + local.Minute(), nil
}
