package gtfs

import (
	"fmt"
	"strings"
	"time"

	"holdfast/internal/csvfile"
)

// service is a pattern of days: weekdays between two dates, and exceptions.
type service struct {
	id         string
	row        int32
	days       uint8 // bit 0 Sunday … 6 Saturday, as time.Weekday
	start, end int32 // days since 1970, both included; start > end: none
	other      map[int32]bool
	broken     bool // a date of it cannot be read: its trips are left out
}

// dayNumber counts days since 1970 for a date at midnight UTC.
func dayNumber(t time.Time) int32 { return int32(t.Unix() / 86400) }

func dateOf(day int32) time.Time { return time.Unix(int64(day)*86400, 0).UTC() }

// active says whether the service runs on a day.
func (s *service) active(day int32) bool {
	if runs, ok := s.other[day]; ok {
		return runs
	}
	return day >= s.start && day <= s.end && s.days&(1<<dateOf(day).Weekday()) != 0
}

// span is the first and the last day it can run; false when never.
func (s *service) span() (first, last int32, ok bool) {
	if s.start <= s.end && s.days != 0 {
		first, last, ok = s.start, s.end, true
	}
	for day, runs := range s.other {
		if !runs {
			continue
		}
		if !ok {
			first, last, ok = day, day, true
		}
		first, last = min(first, day), max(last, day)
	}
	return first, last, ok
}

// parseDay reads YYYYMMDD.
func parseDay(text string) (int32, bool) {
	t, err := time.Parse("20060102", text)
	if err != nil || len(text) != 8 || t.Year() < 1900 || t.Year() > 2300 {
		return 0, false
	}
	return dayNumber(t), true
}

func (f *reading) serviceOf(id string, row int) int32 {
	if at, ok := f.services[id]; ok {
		return at
	}
	at := int32(len(f.services))
	id = strings.Clone(id)
	f.services[id] = at
	f.Feed.services = append(f.Feed.services, service{id: id, row: int32(row), start: 1, end: 0})
	return at
}

func (f *reading) readCalendar() {
	const name = "calendar.txt"
	week := []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
	f.table(name, append([]string{"service_id", "start_date", "end_date"}, week...), maxServices, func(t *csvfile.Reader) {
		row := t.Row()
		if _, ok := f.name(f.services, name, row, "service_id", t.Get("service_id"), func(at int32) int32 { return f.Feed.services[at].row }); !ok {
			return
		}
		s := service{id: strings.Clone(t.Get("service_id")), row: int32(row)}
		for day, column := range week {
			switch t.Get(column) {
			case "1":
				s.days |= 1 << day
			case "0":
			default:
				s.broken = true
				f.Report.Add(csvfile.LeftOut, name, row, "A weekday is neither 1 nor 0. The service’s trips are left out.", "service "+short(s.id)+", "+column+" "+short(t.Get(column)))
			}
		}
		s.start = f.day(t, name, "start_date", &s)
		s.end = f.day(t, name, "end_date", &s)
		if !s.broken && s.start > s.end {
			f.Report.Add(csvfile.Note, name, row, "A service ends before it begins: it runs on no day but its exceptions.", fmt.Sprintf("service %s, %s to %s", short(s.id), t.Get("start_date"), t.Get("end_date")))
		}
		f.Feed.services = append(f.Feed.services, s)
	})
}

// day reads a date of a service; one that cannot be read breaks the service.
func (f *reading) day(t *csvfile.Reader, file, column string, s *service) int32 {
	day, ok := parseDay(t.Get(column))
	if !ok {
		s.broken = true
		f.Report.Add(csvfile.LeftOut, file, t.Row(), "A date is not like 20261224. The service’s trips are left out.", "service "+short(s.id)+", "+column+" "+short(t.Get(column)))
	}
	return day
}

func (f *reading) readDates() {
	const name = "calendar_dates.txt"
	f.table(name, []string{"service_id", "date", "exception_type"}, maxDates, func(t *csvfile.Reader) {
		id := t.Get("service_id")
		if id == "" {
			f.Report.Add(csvfile.LeftOut, name, t.Row(), "Rows without service_id are left out.", t.Get("date"))
			return
		}
		if len(f.services) >= maxServices {
			f.Report.Add(csvfile.Stops, name, t.Row(), "The feed has more services than one company’s can have.", "")
			return
		}
		s := &f.Feed.services[f.serviceOf(id, t.Row())]
		day := f.day(t, name, "date", s)
		kind := t.Get("exception_type")
		if kind != "1" && kind != "2" {
			s.broken = true
			f.Report.Add(csvfile.LeftOut, name, t.Row(), "An exception is neither 1 (runs) nor 2 (does not run). The service’s trips are left out.", "service "+short(id)+", exception_type "+short(kind))
			return
		}
		if s.other == nil {
			s.other = map[int32]bool{}
		}
		if was, twice := s.other[day]; twice && was != (kind == "1") {
			s.broken = true
			f.Report.Add(csvfile.LeftOut, name, t.Row(), "A day is said to run and not to run. The service’s trips are left out.", "service "+short(id)+", "+t.Get("date"))
			return
		}
		s.other[day] = kind == "1"
	})
}
