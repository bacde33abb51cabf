// Package gtfs reads a static GTFS feed, the zip in which bus companies publish their
// timetables, and works out the departures that seats can be sold on. What it cannot use
// it leaves out and reports, row by row and grouped; it never guesses a time. Memory
// stays bounded whatever the zip holds.
package gtfs

import (
	"holdfast/internal/csvfile"
	"time"
)

// Feed is what was read. Indexes in it count from 0 in the order of the files.
type Feed struct {
	Agencies []Agency
	Stops    []Stop
	Routes   []Route
	Trips    []Trip // those that seats can be sold on
	TripRows int    // trips in the feed, those left out too
	Unused   int    // stops to board at that no trip of Trips calls at
	Report   csvfile.Report

	services []service
	times    []stopTime    // of the trips, one after another
	dropped  []droppedTrip // left out, though their days are known
}

// droppedTrip is what is still known of a trip that was left out.
type droppedTrip struct{ route, service int32 }

// Agency is a company of the feed.
type Agency struct {
	ID, Name, URL string
	TimeZone      string // IANA name; times of stop_times.txt are this zone's
	zone          *time.Location
}

// Stop is a row of stops.txt.
type Stop struct {
	ID, Code, Name, Desc, Platform string
	FareZone                       string // zone_id
	TimeZone                       string // its parent's, its own, or "" for the agency's
	Lat, Lon                       float64
	Located                        bool

	parent   string
	row      int32
	usable   bool // somebody can board here and we know the zone
	why      string
	boarding bool // location_type 0
}

// Route is a row of routes.txt.
type Route struct {
	ID, Short, Long string
	Agency          int
}

// Name is what people call the route: its number and its name.
func (r Route) Name() string {
	switch {
	case r.Short == "" || r.Short == r.Long:
		return r.Long
	case r.Long == "":
		return r.Short
	}
	return r.Short + " " + r.Long
}

// Trip is a row of trips.txt with at least two stops.
type Trip struct {
	ID, Headsign, Short string
	Route               int

	service     int32
	first, last int32 // in Feed.times, last not included
	row         int32
	flex        bool // has rows without a stop
	out         bool
	dated       bool // its days are known
	frequencies []frequency
}

// stopTime is one row of stop_times.txt. A big feed has millions: it stays small.
type stopTime struct {
	sequence       int32
	stop           int32 // -1 unknown
	arrive, depart int32 // seconds after the service day's beginning, blank when not given
	row            int32
	distance       float32 // < 0: not given
	kind           uint8
}

// Bits of stopTime.kind.
const (
	noBoarding uint8 = 1 << iota
	noAlighting
	callAhead
	askDriver
	badTime
)

const blank = int32(-1)

// Departures of one service day start and end at most this late.
const latest = 100 * 3600

// Limits of what is read. A whole country's feed is larger; one company's is not.
const (
	maxEntries   = 1000
	maxDirectory = 2 << 20 // bytes of the zip's list of its entries
	maxFile      = 400 << 20
	maxRatio     = 200
	ratioFrom    = 8 << 20 // smaller files may be packed as well as they can
	maxStops     = 200_000
	maxRoutes    = 20_000
	maxServices  = 200_000
	maxTrips     = 400_000
	maxTimes     = 3_000_000
	maxDates     = 2_000_000
	maxCalls     = 100 // stops of one trip
	maxHeadways  = 200 // rows of frequencies.txt for one trip
	maxFreqRows  = 200_000
)
