package domain

import "time"

// EventKind is screening or trip.
type EventKind string

const (
	Screening EventKind = "screening"
	Trip      EventKind = "trip"
)

// The channels that seats are sold on, as holds.channel has them.
const (
	ChannelWeb     = "web"
	ChannelCounter = "counter"
	ChannelAgent   = "agent"
	ChannelPartner = "partner"
)

// Event is what selling needs to know about one screening or trip.
type Event struct {
	ID                int64
	Kind              EventKind
	Status            string // draft, published, cancelled
	StartsAt, EndsAt  time.Time
	TimeZone          string // IANA name of the hall, or of the first stop
	BusinessDay       time.Time
	LastStop          int // stops 0..LastStop, legs 1..LastStop
	LayoutVersionID   int64
	TariffID          int64
	Currency          string
	TaxBP             int // tax included in prices, basis points
	FilmID            int64
	Film              string
	Certificate       string
	RuntimeMin        int
	Genre             string
	Language          string // and how it is shown: "Tamil, English subtitles, 3D"
	Blurb             string
	HasPoster         bool
	Resource          string // "Hall 1", "Coach UL 27"
	ResourceNote      string // "2+2 seats, air-conditioned"
	Route             string
	ResourceID        int64 // 0: no hall or coach yet
	RouteID           int64 // 0: a screening
	SeriesID          int64 // 0: of no series
	Revision          int   // grows with each change by staff
	SalesCloseMinutes *int  // nil: the setting; this and the next two as ClosesOn reads them
	SalesCloseCounter *int
	SalesCloseAgent   *int
	Now               time.Time
}

// EventStop is one stop of a trip.
type EventStop struct {
	EventID              int64
	StopNo               int
	PlaceID              int64
	Place, Address       string
	TimeZone             string
	ArrivesAt, DepartsAt time.Time
	MayBoard, MayAlight  bool
	Note                 string
}

// Ride is the part of an event somebody asks for: stops From to To, legs
// From+1 to To. A screening is 0 to 1.
type Ride struct{ From, To int }

// FirstLeg and LastLeg are the legs the ride covers, both included.
func (r Ride) FirstLeg() int { return r.From + 1 }

// LastLeg is the last leg covered.
func (r Ride) LastLeg() int { return r.To }

// Legs counts them.
func (r Ride) Legs() int { return r.To - r.From }

// Overlaps says whether two rides have a leg in common.
func (r Ride) Overlaps(o Ride) bool { return r.From < o.To && o.From < r.To }

// ClosesAt is when web sales of the ride end: so many minutes before the start,
// or before the departure of the boarding stop. Holds begun before still count.
func ClosesAt(e Event, boarding time.Time, s Settings) time.Time {
	return ClosesOn(ChannelWeb, e, boarding, s)
}

// ClosesOn is ClosesAt for any channel: what the event says of the channel, else the
// house's setting. Partners are treated as agents.
func ClosesOn(channel string, e Event, boarding time.Time, s Settings) time.Time {
	minutes, own := s.SalesCloseMinutes, e.SalesCloseMinutes
	switch channel {
	case ChannelCounter:
		minutes, own = s.SalesCloseCounter, e.SalesCloseCounter
	case ChannelAgent, ChannelPartner:
		minutes, own = s.SalesCloseAgent, e.SalesCloseAgent
	}
	if own != nil {
		minutes = *own
	}
	return boarding.Add(-time.Duration(minutes) * time.Minute)
}

// Fare is one price: (zone, ticket type) of a ride.
type Fare struct {
	Zone     int    `json:"zone"`
	Type     string `json:"type"`
	TypeName string `json:"name"`
	Price    int64  `json:"price"` // minor units
}

// Fares are the prices of one ride, by zone and then by the ticket types' position.
type Fares []Fare

// Price finds a price; false when the tariff does not offer it.
func (f Fares) Price(zone int, ticketType string) (Fare, bool) {
	for _, x := range f {
		if x.Zone == zone && x.Type == ticketType {
			return x, true
		}
	}
	return Fare{}, false
}

// Default is what a seat of the zone costs before anybody chose a type.
func (f Fares) Default(zone int) (Fare, bool) {
	for _, x := range f {
		if x.Zone == zone {
			return x, true
		}
	}
	return Fare{}, false
}

// OfZone lists the ticket types of a zone, in order.
func (f Fares) OfZone(zone int) []Fare {
	var out []Fare
	for _, x := range f {
		if x.Zone == zone {
			out = append(out, x)
		}
	}
	return out
}
