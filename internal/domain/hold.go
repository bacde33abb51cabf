package domain

import "time"

// Holder says who holds seats, as stored: "web:<hash>", "staff:7", "agent:3".
type Holder string

// HoldPhase is a hold's state for people and for GET /holds/{hold}/clock.
type HoldPhase string

const (
	PhaseHeld     HoldPhase = "held"
	PhasePaying   HoldPhase = "paying"   // a payment page waits
	PhaseEnded    HoldPhase = "ended"    // the time ran out
	PhaseReleased HoldPhase = "released" // given back
	PhaseBooked   HoldPhase = "booked"
	PhaseLost     HoldPhase = "lost" // paid, seats gone, money on its way back
)

// Hold is one holder's claim with its seats and everything typed so far.
type Hold struct {
	ID        string // uuid
	EventID   int64
	Ride      Ride
	Channel   string
	Holder    Holder
	State     string // active, converted, released
	ExpiresAt time.Time
	Now       time.Time // database time when this was read
	Extended  int       // extensions used
	Total     int64     // minor units
	Currency  string
	TaxBP     int
	Fares     Fares
	Name      string
	Email     string
	Phone     string
	Detailed  bool // details were given and passed the checks
	Seats     []HoldSeat
	SeatsHeld int // seat rows (seats × legs) that are really held by it now
	// Of the newest payment, zero values when there is none.
	PaymentID      int64
	PaymentState   PaymentState
	PaymentOutcome string
	BookingID      int64
	BookingVersion int
}

// HoldSeat is one seat of a hold.
type HoldSeat struct {
	SeatNo    string
	Zone      int
	Type      string
	Price     int64 // minor units
	Passenger string
	Woman     bool // the buyer said that a woman travels here
}

// SeatNos lists the seats in the hold's order.
func (h *Hold) SeatNos() []string {
	out := make([]string, len(h.Seats))
	for i, s := range h.Seats {
		out[i] = s.SeatNo
	}
	return out
}

// Rows is how many event_seats rows the hold claims.
func (h *Hold) Rows() int { return len(h.Seats) * h.Ride.Legs() }

// Phase derives what people are told. Database time decides, and so does the
// seat table: a hold whose seats somebody else took after its end has ended.
func (h *Hold) Phase() HoldPhase {
	switch {
	case h.State == "converted":
		return PhaseBooked
	case h.PaymentOutcome != "" && h.PaymentOutcome != "booked":
		return PhaseLost
	case h.State == "released":
		return PhaseReleased
	case !h.ExpiresAt.After(h.Now) || h.SeatsHeld < h.Rows():
		return PhaseEnded
	case h.PaymentState.Live():
		return PhasePaying
	}
	return PhaseHeld
}

// Ended says whether nothing can be done with the hold any more.
func (p HoldPhase) Ended() bool { return p == PhaseEnded || p == PhaseReleased || p == PhaseLost }
