package demo

import (
	"testing"
	"time"
)

func runtime(t *testing.T) func(int) time.Duration {
	t.Helper()
	list, err := films()
	if err != nil {
		t.Fatal(err)
	}
	return func(i int) time.Duration { return time.Duration(list[i].RuntimeMin) * time.Minute }
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// moments are every ten minutes of ordinary days and of those with a change of
// summer time.
func moments(t *testing.T, z *time.Location) []time.Time {
	t.Helper()
	var out []time.Time
	for _, day := range []string{"2026-12-05", "2026-03-28", "2026-03-29", "2026-10-24", "2026-10-25", "2027-12-31"} {
		start, err := time.ParseInLocation(time.DateOnly, day, z)
		if err != nil {
			t.Fatal(err)
		}
		for m := 0; m < 24*60; m += 10 {
			out = append(out, start.Add(time.Duration(m)*time.Minute+17*time.Second))
		}
	}
	return out
}

func TestShowsAtEveryHour(t *testing.T) {
	t.Parallel()
	z, length := zone(t, houseZone), runtime(t)
	for _, now := range moments(t, z) {
		shows := planShows(now, z, length)
		today, perDay, midnight := businessDay(now, z), map[time.Time]int{}, 0
		for i, s := range shows {
			if !s.start.After(now.Add(20 * time.Minute)) {
				t.Fatalf("%v: a show at %v", now, s.start)
			}
			perDay[businessDay(s.start, z)]++
			if c := s.start.In(z); c.Hour() == 0 && c.Minute() == 30 && businessDay(s.start, z).Equal(today.AddDate(0, 0, 1)) {
				midnight++
			}
			for j, o := range shows {
				if i != j && s.hall == o.hall && !s.start.After(o.start) && s.start.Add(length(s.film)+turnaround).After(o.start) {
					t.Fatalf("%v: hall %d at %v and %v", now, s.hall+1, s.start, o.start)
				}
			}
		}
		soon := perDay[today]
		if at(today, 24+dayStart, 0, z).Sub(now) < 5*time.Hour { // too late for six more: the next day's count
			soon += perDay[today.AddDate(0, 0, 1)]
		}
		if soon < 6 {
			t.Fatalf("%v: only %d shows today", now, soon)
		}
		for d := 1; d < 7; d++ {
			if n := perDay[today.AddDate(0, 0, d)]; (n == 0) != (d == 4) {
				t.Fatalf("%v: %d shows on day %d", now, n, d)
			}
		}
		if midnight != 1 {
			t.Fatalf("%v: %d shows at 00:30 tomorrow night", now, midnight)
		}
	}
}

func TestTripsAtEveryHour(t *testing.T) {
	t.Parallel()
	zones := []*time.Location{zone(t, "Europe/Rome"), zone(t, "Europe/Athens")}
	for _, now := range moments(t, zones[0]) {
		trips := planTrips(now, zones)
		fleet := assign(trips)
		if len(fleet) > 20 {
			t.Fatalf("%v: %d coaches", now, len(fleet))
		}
		for way, z := range zones {
			days := map[string]int{}
			today := 0
			for _, x := range trips {
				if x.way != way {
					continue
				}
				days[x.start.In(z).Format(time.DateOnly)]++
				if x.start.After(now.Add(30*time.Minute)) && x.start.In(z).YearDay() == now.In(z).YearDay() {
					today++
				}
				if late := x.start.In(z); late.Sub(now) > 24*time.Hour && !clockOf(way, late) {
					t.Fatalf("%v: a trip at %v", now, late)
				}
			}
			if left := now.In(z).Hour()*60 + now.In(z).Minute(); today == 0 && left < 23*60 {
				t.Fatalf("%v: nothing more today from %v", now, z)
			}
			if len(days) < 7 {
				t.Fatalf("%v: only %d days", now, len(days))
			}
		}
	}
}

func clockOf(way int, t time.Time) bool {
	for _, c := range directions()[way].clocks {
		if t.Hour() == c[0] && t.Minute() == c[1] {
			return true
		}
	}
	return false
}
