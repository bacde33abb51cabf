package booking

import (
	"context"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

func withinVisitor(ctx context.Context, t *db.Tx, who Visitor, own *domain.Hold, seats []string) error {
	most := who.limits.SeatsPerVisitor
	if most == 0 {
		return nil
	}
	held, err := t.HeldByVisitor(ctx, who.Holder, idOf(own))
	if err != nil {
		return err
	}
	until, ok := room(held, func(_, n int) bool { return n+len(seats) <= most })
	if ok {
		return nil
	}
	if until.IsZero() {
		return &domain.RuleError{Code: "too_many", Seats: seats, Words: fmt.Sprintf("At one time you can hold %s. You chose %d.", few(most, "seat"), len(seats))}
	}
	return &domain.RuleError{Code: "held_by_visitor", Seats: seats, Until: until, Words: fmt.Sprintf(
		"You are holding %s for other bookings already, and at one time it can be %d. Please finish one of them or let it go first.", few(sumSeats(held), "seat"), most)}
}

// withinAddress tells how many seats are held from the visitor's connection, never which.
func withinAddress(ctx context.Context, q db.Queries, who Visitor, own *domain.Hold, seats []string) error {
	if !who.counted() {
		return nil
	}
	held, err := q.HeldByAddress(ctx, who.Address.Key, idOf(own))
	if err != nil {
		return err
	}
	l := who.limits
	until, ok := room(held, func(holds, n int) bool {
		return (l.HoldsPerAddress == 0 || own != nil || holds < l.HoldsPerAddress) && (l.SeatsPerAddress == 0 || n+len(seats) <= l.SeatsPerAddress)
	})
	if ok {
		return nil
	}
	if until.IsZero() {
		return &domain.RuleError{Code: "too_many", Seats: seats, Words: fmt.Sprintf(
			"From one internet connection %s can be held at one time. You chose %d.", few(l.SeatsPerAddress, "seat"), len(seats))}
	}
	rule := &domain.RuleError{Code: "held_by_address", Seats: seats, Until: until}
	const finish = " If one of those bookings is yours, in another window or on another phone, please finish it or let it go."
	if n := sumSeats(held); l.SeatsPerAddress > 0 && n+len(seats) > l.SeatsPerAddress {
		rule.Words = fmt.Sprintf("From your connection %s held already, and at one time it can be %d.", fewAre(n, "seat"), l.SeatsPerAddress) + finish
	} else {
		rule.Words = fmt.Sprintf("From your connection %s under way already, with %s held, and more cannot be at one time.",
			fewAre(len(held), "booking"), few(n, "seat")) + finish
	}
	return rule
}

// room says whether a wish fits beside what is held, and if not, when it will at the
// latest because holds end; the zero time when it never will.
func room(held []db.HeldNow, fits func(holds, seats int) bool) (until time.Time, ok bool) {
	n := sumSeats(held)
	if fits(len(held), n) {
		return time.Time{}, true
	}
	for i, h := range held {
		if n -= h.Seats; fits(len(held)-i-1, n) {
			return h.ExpiresAt, false
		}
	}
	return time.Time{}, false
}

func idOf(h *domain.Hold) *string {
	if h == nil {
		return nil
	}
	return &h.ID
}

func sumSeats(held []db.HeldNow) (n int) {
	for _, h := range held {
		n += h.Seats
	}
	return n
}

// few is "1 seat" or "4 seats".
func few(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func fewAre(n int, what string) string {
	if n == 1 {
		return few(n, what) + " is"
	}
	return few(n, what) + " are"
}
