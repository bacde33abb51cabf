package schedule

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/domain"
)

// Dates as spreadsheets write them. What could mean two days is refused and never
// guessed: 03/04/2026 is March in one country and April in the next.
var (
	isoDate    = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})$`)
	dottedDate = regexp.MustCompile(`^(\d{1,2})\.(\d{1,2})\.(\d{4})$`) // always day first
	slashDate  = regexp.MustCompile(`^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$`)
)

// parseDate reads a calendar date, midnight UTC. The error is a rowProblem.
func parseDate(text string) (time.Time, error) {
	var y, m, d string
	if p := isoDate.FindStringSubmatch(text); p != nil {
		y, m, d = p[1], p[2], p[3]
	} else if p := dottedDate.FindStringSubmatch(text); p != nil {
		d, m, y = p[1], p[2], p[3]
	} else if p := slashDate.FindStringSubmatch(text); p != nil {
		a, b := number(p[1]), number(p[2])
		switch {
		case a == b, a > 12:
			d, m = p[1], p[2]
		case b > 12:
			m, d = p[1], p[2]
		default:
			return time.Time{}, wrong("A date could mean two days. Please write it like 2026-12-05.", cut(text, 40))
		}
		y = p[3]
	}
	day := time.Date(number(y), time.Month(number(m)), number(d), 0, 0, 0, 0, time.UTC)
	if y == "" || day.Day() != number(d) || int(day.Month()) != number(m) || day.Year() < 2000 || day.Year() > 2100 {
		return time.Time{}, wrong("A date is not one, or not between 2000 and 2100. Please write it like 2026-12-05.", cut(text, 40))
	}
	return day, nil
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

var clockTime = regexp.MustCompile(`^(\d{1,2})[:.](\d{2})(?:[:.]00)?$`)

// parseStart reads a date and the wall clock of a place, "2026-12-05 19:30", or one with
// its distance from UTC, "2026-10-25T02:30+02:00". A time that the clocks skip is
// refused, one that comes twice has to say which. The error is a rowProblem.
func parseStart(text string, zone *time.Location) (time.Time, error) {
	for _, form := range []string{"2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00"} {
		if t, err := time.Parse(form, text); err == nil && t.Second() == 0 {
			return t, nil
		}
	}
	date, clock, ok := strings.Cut(strings.Replace(text, "T", " ", 1), " ")
	at := clockTime.FindStringSubmatch(strings.TrimSpace(clock))
	if !ok || at == nil || number(at[1]) > 23 || number(at[2]) > 59 {
		return time.Time{}, wrong("A start is not a date and a time. Please write it like 2026-12-05 19:30.", cut(text, 40))
	}
	day, err := parseDate(date)
	if err != nil {
		return time.Time{}, err
	}
	switch all := domain.WallClock(day, number(at[1])*60+number(at[2]), zone); len(all) {
	case 0:
		return time.Time{}, wrong("A start does not exist: the clocks go forward over it in "+zone.String()+".", cut(text, 40))
	case 2:
		return time.Time{}, wrong("A start comes twice in "+zone.String()+", because the clocks go back. Please write which, like "+all[0].In(zone).Format("2006-01-02 15:04Z07:00")+".", cut(text, 40))
	default:
		return all[0], nil
	}
}

// startText is what parseStart reads back: the distance from UTC is there where the wall
// clock alone would mean two moments.
func startText(at time.Time, zone *time.Location) string {
	local := at.In(zone)
	day := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	if len(domain.WallClock(day, local.Hour()*60+local.Minute(), zone)) == 1 {
		return local.Format("2006-01-02 15:04")
	}
	return local.Format("2006-01-02 15:04Z07:00")
}
