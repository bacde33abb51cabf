package gtfs

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"time"
)

// Pattern is a route's trips that call at the same stops in the same way.
type Pattern struct {
	Route int
	Key   string // of the stops and how they are called at; the same in every edition
	Calls []PatternCall
	Trips []int
}

// PatternCall is a stop of a pattern. Seconds count from the first departure of the
// pattern's first trip.
type PatternCall struct {
	Stop                     int
	Board, Alight            bool
	Note                     string
	ArriveAfter, DepartAfter int
}

// Departure is a trip on a service day. Start is in seconds of the service day.
type Departure struct {
	Trip, Pattern int
	Day           time.Time // midnight UTC of the calendar date
	Start         int32
	Repeated      bool // of frequencies.txt: the trip departs more than once a day
}

// Plan is what an agency's trips are between two days.
type Plan struct {
	Patterns   []Pattern
	Departures []Departure // by day, then by start; at most as many as asked for
	Days       []DayCount  // each day from the first to the last
	Count      int         // of departures, those beyond the limit too
	First      time.Time   // the days on which the agency's trips can run at all
	Last       time.Time
}

// DayCount is a service day with its departures.
type DayCount struct {
	Day        time.Time // midnight UTC
	Departures int
	LeftOut    int // trips that the feed has on this day and that cannot be sold
}

// countTo bounds the work of counting departures.
const countTo = 100_000

// Patterns groups an agency's trips, in the order of the feed.
func (f *Feed) Patterns(agency int) []Pattern {
	var out []Pattern
	index := map[string]int{}
	for i := range f.Trips {
		t := &f.Trips[i]
		if f.Routes[t.Route].Agency != agency {
			continue
		}
		key := f.patternKey(t)
		at, ok := index[key]
		if !ok {
			at = len(out)
			index[key] = at
			out = append(out, Pattern{Route: t.Route, Key: key, Calls: f.patternCalls(t)})
		}
		out[at].Trips = append(out[at].Trips, i)
	}
	slices.SortStableFunc(out, func(a, b Pattern) int { return a.Route - b.Route })
	return out
}

// patternKey is made of ids alone: it is the same when times, names or the order of the
// file change.
func (f *Feed) patternKey(t *Trip) string {
	h := sha256.New()
	part := func(s string) {
		_ = binary.Write(h, binary.BigEndian, uint32(len(s))) // a hash never fails
		h.Write([]byte(s))
	}
	part(f.Routes[t.Route].ID)
	for _, x := range f.times[t.first:t.last] {
		part(f.Stops[x.stop].ID)
		h.Write([]byte{x.kind})
	}
	return hex.EncodeToString(h.Sum(nil)[:10])
}

func (f *Feed) patternCalls(t *Trip) []PatternCall {
	list := f.times[t.first:t.last]
	out := make([]PatternCall, len(list))
	for i, x := range list {
		out[i] = PatternCall{
			Stop: int(x.stop), Board: x.kind&noBoarding == 0, Alight: x.kind&noAlighting == 0, Note: noteOf(x.kind),
			ArriveAfter: int(x.arrive - list[0].depart), DepartAfter: int(x.depart - list[0].depart),
		}
	}
	out[0].ArriveAfter = 0
	return out
}

func noteOf(kind uint8) string {
	switch {
	case kind&callAhead != 0:
		return "By arrangement: please phone before"
	case kind&askDriver != 0:
		return "By arrangement with the driver"
	}
	return ""
}

// Plan lists an agency's departures on the service days from one date to another, both
// included, midnight UTC.
func (f *Feed) Plan(agency int, from, until time.Time, limit int) Plan {
	p := Plan{Patterns: f.Patterns(agency)}
	f.span(agency, &p)
	for day := from; !day.After(until); day = day.AddDate(0, 0, 1) {
		runs := make([]bool, len(f.services))
		for i := range f.services {
			runs[i] = f.services[i].active(dayNumber(day))
		}
		began := len(p.Departures)
		p.Days = append(p.Days, DayCount{Day: day})
		for _, x := range f.dropped {
			if runs[x.service] && f.Routes[x.route].Agency == agency {
				p.Days[len(p.Days)-1].LeftOut++
			}
		}
		for at, pattern := range p.Patterns {
			for _, i := range pattern.Trips {
				if runs[f.Trips[i].service] {
					f.depart(&p, Departure{Trip: i, Pattern: at, Day: day}, limit)
				}
			}
		}
		slices.SortStableFunc(p.Departures[began:], func(a, b Departure) int { return int(a.Start - b.Start) })
		if p.Count >= countTo {
			break
		}
	}
	return p
}

func (f *Feed) depart(p *Plan, d Departure, limit int) {
	t := &f.Trips[d.Trip]
	d.Repeated = len(t.frequencies) > 0
	t.starts(f.times[t.first].depart, func(at int32) bool {
		p.Count++
		p.Days[len(p.Days)-1].Departures++
		if len(p.Departures) < limit {
			d.Start = at
			p.Departures = append(p.Departures, d)
		}
		return p.Count < countTo
	})
}

func (f *Feed) span(agency int, p *Plan) {
	for i := range f.Trips {
		t := &f.Trips[i]
		if f.Routes[t.Route].Agency != agency {
			continue
		}
		first, last, ok := f.services[t.service].span()
		if !ok {
			continue
		}
		if p.First.IsZero() || dateOf(first).Before(p.First) {
			p.First = dateOf(first)
		}
		if dateOf(last).After(p.Last) {
			p.Last = dateOf(last)
		}
	}
}

// Call is a departure's stop at its instants.
type Call struct {
	Stop             int
	Arrives, Departs time.Time
	Board, Alight    bool
	Note             string
}

// Calls are a departure's stops. Times count from noon minus twelve hours of the service
// day in the agency's zone: midnight, but for the two nights when clocks change.
func (f *Feed) Calls(d Departure) []Call {
	t := &f.Trips[d.Trip]
	zone := f.Agencies[f.Routes[t.Route].Agency].zone
	noon := time.Date(d.Day.Year(), d.Day.Month(), d.Day.Day(), 12, 0, 0, 0, zone)
	list := f.times[t.first:t.last]
	at := func(seconds int32) time.Time {
		return noon.Add(time.Duration(seconds-list[0].depart+d.Start)*time.Second - 12*time.Hour)
	}
	out := make([]Call, len(list))
	for i, x := range list {
		out[i] = Call{Stop: int(x.stop), Arrives: at(x.arrive), Departs: at(x.depart), Board: x.kind&noBoarding == 0, Alight: x.kind&noAlighting == 0, Note: noteOf(x.kind)}
	}
	out[0].Arrives, out[len(out)-1].Departs = out[0].Departs, out[len(out)-1].Arrives
	return out
}

// ZoneOf is the zone that a stop's times are shown in, for an agency's trips.
func (f *Feed) ZoneOf(stop, agency int) string {
	if zone := f.Stops[stop].TimeZone; zone != "" {
		return zone
	}
	return f.Agencies[agency].TimeZone
}
