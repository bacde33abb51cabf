package gtfs

import (
	"fmt"

	"holdfast/internal/csvfile"
)

// frequency says that a trip departs every headway seconds from start to before end.
type frequency struct {
	start, end, headway int32
	row                 int32
	exact               bool
}

// readFrequencies turns trips of frequencies.txt into patterns that depart many times a
// day. Headways without exact times are no departures that a seat can be sold on.
func (f *reading) readFrequencies() {
	const name = "frequencies.txt"
	repeated := map[int32]bool{}
	f.table(name, []string{"trip_id", "start_time", "end_time", "headway_secs"}, maxFreqRows, func(t *csvfile.Reader) {
		at, ok := f.trips[t.Get("trip_id")]
		if !ok {
			f.Report.Add(csvfile.LeftOut, name, t.Row(), "Rows of a trip that trips.txt does not have are left out.", "trip "+short(t.Get("trip_id")))
			return
		}
		repeated[at] = true
		trip := &f.Trips[at]
		x := frequency{row: int32(t.Row()), exact: t.Get("exact_times") == "1"}
		var okStart, okEnd bool
		x.start, okStart = parseTime(t.Get("start_time"))
		x.end, okEnd = parseTime(t.Get("end_time"))
		var err error
		x.headway, err = headway(t.Get("headway_secs"))
		switch {
		case err != nil:
			f.Report.Add(csvfile.LeftOut, name, t.Row(), "A headway must be a number of seconds above 0: the row is left out.", fmt.Sprintf("trip %s, headway_secs %s", short(trip.ID), short(t.Get("headway_secs"))))
		case !okStart || !okEnd || x.start == blank || x.end == blank:
			f.Report.Add(csvfile.LeftOut, name, t.Row(), "A time is not like 08:15:00: the row is left out.", fmt.Sprintf("trip %s, %s to %s", short(trip.ID), short(t.Get("start_time")), short(t.Get("end_time"))))
		case x.end <= x.start:
			f.Report.Add(csvfile.LeftOut, name, t.Row(), "A row ends before it begins: it is left out.", fmt.Sprintf("trip %s, %s to %s", short(trip.ID), t.Get("start_time"), t.Get("end_time")))
		case trip.out:
		case !x.exact:
			f.Report.Add(csvfile.LeftOut, name, t.Row(), "Headways without exact times are not departures that seats can be sold on: left out.", fmt.Sprintf("trip %s, every %d s", short(trip.ID), x.headway))
		case len(trip.frequencies) >= maxHeadways:
			f.Report.Add(csvfile.LeftOut, name, t.Row(), fmt.Sprintf("A trip has more than %d rows; those beyond are left out.", maxHeadways), "trip "+short(trip.ID))
		default:
			trip.frequencies = append(trip.frequencies, x)
		}
	})
	for at := range repeated {
		if trip := &f.Trips[at]; len(trip.frequencies) == 0 {
			trip.out = true
		}
	}
}

func headway(text string) (int32, error) {
	var n int32
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil || n <= 0 || fmt.Sprint(n) != text {
		return 0, fmt.Errorf("headway %q", text)
	}
	return min(n, latest), nil // more is once
}

// starts calls each with the seconds of every departure on a service day, in order of
// the rows and without repeats, until it returns false.
func (t *Trip) starts(first int32, each func(int32) bool) {
	if len(t.frequencies) == 0 {
		each(first)
		return
	}
	for i, x := range t.frequencies {
		for at := x.start; at < x.end; at += x.headway {
			if !t.before(i, at) && !each(at) {
				return
			}
		}
	}
}

// before says whether an earlier row departs then too.
func (t *Trip) before(i int, at int32) bool {
	for _, y := range t.frequencies[:i] {
		if at >= y.start && at < y.end && (at-y.start)%y.headway == 0 {
			return true
		}
	}
	return false
}
