package gtfs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"holdfast/internal/csvfile"
)

const timesFile = "stop_times.txt"

// readTimes reads stop_times.txt twice: first to count each trip's rows, then into one
// piece of memory of exactly that size, trip after trip. Nothing has to be sorted but a
// trip's own few rows.
func (f *reading) readTimes() {
	needs := []string{"trip_id", "stop_sequence", "arrival_time", "departure_time"}
	counts := make([]int32, len(f.Trips))
	f.table(timesFile, needs, maxTimes, func(t *csvfile.Reader) {
		if at, ok := f.trips[t.Get("trip_id")]; ok {
			counts[at]++
			return
		}
		f.Report.Add(csvfile.LeftOut, timesFile, t.Row(), "Rows of a trip that trips.txt does not have are left out.", "trip "+short(t.Get("trip_id")))
	})
	if f.Report.Stopped() || f.ctx.Err() != nil {
		return
	}
	var total int32
	for i, n := range counts {
		f.Trips[i].first, f.Trips[i].last = total, total
		total += n
	}
	f.times = make([]stopTime, total)
	var reread csvfile.Report // the first reading told what is wrong with the file
	f.Report, reread = reread, f.Report
	f.table(timesFile, needs, maxTimes, f.timeRow())
	f.Report = reread
	for _, x := range f.lost {
		f.Report.Add(csvfile.LeftOut, timesFile, int(x.row), "Trips that call at a stop which stops.txt does not have are left out.", "trip "+short(f.Trips[x.trip].ID)+", stop "+x.stop)
	}
	for i := range f.Trips {
		f.settleTrip(&f.Trips[i])
	}
}

// timeRow keeps one row. Its columns are looked up once.
func (f *reading) timeRow() func(*csvfile.Reader) {
	var trip, stop, arrive, depart, sequence, pickup, drop, distance int
	first := true
	return func(t *csvfile.Reader) {
		if first {
			first = false
			trip, stop, arrive, depart, sequence = t.Column("trip_id"), t.Column("stop_id"), t.Column("arrival_time"), t.Column("departure_time"), t.Column("stop_sequence")
			pickup, drop, distance = t.Column("pickup_type"), t.Column("drop_off_type"), t.Column("shape_dist_traveled")
		}
		at, ok := f.trips[t.At(trip)]
		if !ok {
			return
		}
		x := stopTime{row: int32(t.Row()), stop: -1, distance: -1, sequence: -1}
		if n, err := strconv.ParseInt(t.At(sequence), 10, 32); err == nil {
			x.sequence = int32(n)
		}
		var okArrive, okDepart bool
		x.arrive, okArrive = parseTime(t.At(arrive))
		x.depart, okDepart = parseTime(t.At(depart))
		if !okArrive || !okDepart {
			x.kind |= badTime
		}
		if d, err := strconv.ParseFloat(t.At(distance), 32); err == nil && d >= 0 {
			x.distance = float32(d)
		}
		x.kind |= calls(t.At(pickup), noBoarding) | calls(t.At(drop), noAlighting)
		if id := t.At(stop); id == "" {
			f.Trips[at].flex = true
		} else if s, known := f.stops[id]; known {
			x.stop = s
		} else if !f.Trips[at].out {
			f.lost = append(f.lost, lostStop{at, int32(t.Row()), short(id)})
			f.Trips[at].out = true
		}
		f.times[f.Trips[at].last] = x
		f.Trips[at].last++
	}
}

// calls reads pickup_type or drop_off_type.
func calls(text string, none uint8) uint8 {
	switch text {
	case "1":
		return none
	case "2":
		return callAhead
	case "3":
		return askDriver
	}
	return 0
}

// parseTime reads H:MM:SS, hours beyond 24 included, as seconds; blank for an empty cell.
func parseTime(text string) (int32, bool) {
	if text == "" {
		return blank, true
	}
	n := len(text)
	if n < 7 || n > 8 || text[n-3] != ':' || text[n-6] != ':' {
		return blank, false
	}
	var part [3]int
	for i, s := range []string{text[:n-6], text[n-5 : n-3], text[n-2:]} {
		for _, c := range []byte(s) {
			if c < '0' || c > '9' {
				return blank, false
			}
			part[i] = part[i]*10 + int(c-'0')
		}
	}
	at := int32(part[0]*3600 + part[1]*60 + part[2])
	return at, part[1] < 60 && part[2] < 60 && at < latest
}

// settleTrip sorts a trip's stops, fills in times and leaves it out where it cannot be
// sold.
func (f *reading) settleTrip(t *Trip) {
	if t.out {
		return
	}
	list := f.times[t.first:t.last]
	slices.SortFunc(list, func(a, b stopTime) int { return cmp.Or(cmp.Compare(a.sequence, b.sequence), cmp.Compare(a.row, b.row)) })
	if words, row, text := f.fault(t, list); words != "" {
		t.out = true
		if text != "" {
			text = ", " + text
		}
		f.Report.Add(csvfile.LeftOut, timesFile, int(row), words, "trip "+short(t.ID)+text)
	}
}

// fault is why a trip cannot be sold by seat, "" when it can; times are filled in.
func (f *reading) fault(t *Trip, list []stopTime) (words string, row int32, text string) {
	switch {
	case t.flex:
		return "Trips on demand, with rows without a stop, are not sellable by seat: left out.", list[0].row, ""
	case len(list) < 2:
		return "Trips of fewer than two stops are left out.", t.rowOf(list), fmt.Sprintf("%d stops", len(list))
	case len(list) > maxCalls:
		return fmt.Sprintf("Trips of more than %d stops are left out.", maxCalls), list[0].row, ""
	}
	for i, x := range list {
		s := &f.Stops[x.stop]
		switch {
		case x.sequence < 0:
			return "A stop_sequence is no whole number from 0: the trip is left out.", x.row, ""
		case i > 0 && x.sequence == list[i-1].sequence:
			return "A stop_sequence occurs twice in a trip: the trip is left out.", x.row, strconv.Itoa(int(x.sequence))
		case x.kind&badTime != 0:
			return "A time is not like 08:15:00 (hours may go beyond 24): the trip is left out.", x.row, "stop " + short(s.ID)
		case !s.usable:
			return "Trips that call at a stop which cannot be used are left out.", x.row, "stop " + short(s.ID) + ", " + s.why
		}
	}
	return f.fillTimes(list)
}

func (t *Trip) rowOf(list []stopTime) int32 {
	if len(list) > 0 {
		return list[0].row
	}
	return 0
}
