package domain

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Sentinels. Everything below wraps them with %w; handlers/errors.go maps them
// to a status and public words.
var (
	// ErrNotFound: no such thing, or one that this caller may not see.
	ErrNotFound = errors.New("not found")
	// ErrHoldEnded: the hold ran out or was released; nothing was charged.
	ErrHoldEnded = errors.New("hold ended")
	// ErrBusy: another transaction fights for the same seats right now; try again.
	ErrBusy = errors.New("busy")
	// ErrUnavailable: the database could not be read or written. It says nothing
	// about holds or seats and never becomes "your hold expired".
	ErrUnavailable = errors.New("database unavailable")
	// ErrSalesClosed: the event's sales on this channel are over.
	ErrSalesClosed = errors.New("sales closed")
	// ErrNoExtensions: the hold's extensions are used up or switched off.
	ErrNoExtensions = errors.New("no extensions left")
	// ErrDetailsMissing: names or contact are asked for before review and payment.
	ErrDetailsMissing = errors.New("details missing")
	// ErrAlreadyPaid: the money of this hold is recorded; show the booking.
	ErrAlreadyPaid = errors.New("already paid")
	// ErrPaymentsOff: no payment key is configured; never a free ticket.
	ErrPaymentsOff = errors.New("online payment is off")
	// ErrGateway: the payment provider did not answer, or not usefully. What it
	// did is unknown; ask again with the same idempotency key.
	ErrGateway = errors.New("payment provider unreachable")
	// ErrGatewayRefused: the payment provider understood and said no; nothing was done.
	ErrGatewayRefused = errors.New("payment provider refused")
	// ErrGatewayBalance, always beside ErrGatewayRefused: money cannot go back before
	// our balance at the provider covers it; try again later under a new key.
	ErrGatewayBalance = errors.New("provider balance too low")
	// ErrSessionNotOpen: the session can no longer be expired: it is paid or over.
	ErrSessionNotOpen = errors.New("payment session is not open")
	// ErrConflict: a unique or state constraint said no.
	ErrConflict = errors.New("conflict")
	// ErrOverlap: the hall or coach is in use at that time, turnaround included.
	ErrOverlap = errors.New("hall or coach is in use")
	// ErrNoShift: money was to be taken or paid out by somebody whose till is not open.
	ErrNoShift = errors.New("no open shift")
	// ErrStale: somebody else changed the same thing since the form was opened;
	// nothing was overwritten.
	ErrStale = errors.New("changed meanwhile")
)

// RuleError is a refusal that the visitor can act on: 422 with the words as they stand.
type RuleError struct {
	Code  string // stable, for tests and clients: "none", "too_many", "unknown_seat", …
	Words string // a full sentence for people
	Seats []string
	// Instead are sets of seats that would do, the nearest first.
	Instead [][]string
	// Until is when it will be allowed at the latest; zero when time does not help.
	Until time.Time
}

func (e *RuleError) Error() string { return e.Code + ": " + e.Words }

// SeatConflict says which of the wanted seats somebody else has. Nothing changed.
type SeatConflict struct {
	Lost []string // seat_no in map order
	// Paying names those of Lost whose holder is paying for them right now: they
	// may come back, their holder has the first word.
	Paying []string
}

func (e *SeatConflict) Error() string {
	return fmt.Sprintf("seats taken: %s", strings.Join(e.Lost, ", "))
}
