package domain

import "time"

// While people queue for an event these count where the owner's own setting is 0. They
// are wide, because many people may share one connection (a household, a school, the
// phones of one network), and narrow enough that one machine with a hundred cookies
// cannot empty a hall. Whoever books makes room at once.
const (
	RushHoldsPerAddress = 10
	RushSeatsPerAddress = 30
	RushPauseSeconds    = 60
)

// Limits are what a choice of seats is measured against besides the size of one booking.
// Zero of any is no limit; the zero value limits nothing.
type Limits struct {
	SeatsPerVisitor int           // held at one time, over all events
	HoldsPerAddress int           // running at one time, over all events
	SeatsPerAddress int           // of those holds
	Pause           time.Duration // before a visitor has a seat again that they let go
}

// ByAddress says whether it matters where a visitor comes from.
func (l Limits) ByAddress() bool { return l.HoldsPerAddress > 0 || l.SeatsPerAddress > 0 }

// Limits are those that count for a choice: the owner's, and while people queue for the
// event the house's own where the owner has none. shared says that the address may be a
// proxy's with everybody behind it: then only the owner can mean it to be counted.
func (s Settings) Limits(queued, shared bool) Limits {
	l := Limits{
		SeatsPerVisitor: s.SeatsPerVisitor, HoldsPerAddress: s.HoldsPerAddress, SeatsPerAddress: s.SeatsPerAddress,
		Pause: time.Duration(s.ReholdPauseSeconds) * time.Second,
	}
	if !queued {
		return l
	}
	l.SeatsPerVisitor = firstSet(l.SeatsPerVisitor, s.SeatsPerBooking)
	l.Pause = firstSet(l.Pause, RushPauseSeconds*time.Second)
	if !shared {
		l.HoldsPerAddress = firstSet(l.HoldsPerAddress, RushHoldsPerAddress)
		l.SeatsPerAddress = firstSet(l.SeatsPerAddress, RushSeatsPerAddress)
	}
	return l
}

func firstSet[T int | time.Duration](a, b T) T {
	if a != 0 {
		return a
	}
	return b
}
