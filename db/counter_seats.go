package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// CounterSeat is one seat of an event that is not simply free on some leg asked for, as
// the counter sees it.
type CounterSeat struct {
	SeatNo string
	State  string     // booked, held or blocked
	Until  *time.Time // when a hold ends, or a block that has an end
	Label  string     // of a hold of the counter
	Reason string     // of a block
	// Payer: the hold's end has come, but its payment page may still take money: asking
	// for the seat closes the page, or learns that it was paid.
	Payer bool
}

const counterSeatsSQL = `
SELECT DISTINCT ON (s.seat_no) s.seat_no, s.state::text AS state, coalesce(h.expires_at, s.held_until) AS until, coalesce(h.label, '') AS label,
       coalesce(b.reason, '') AS reason,
       s.state = 'held' AND h.expires_at <= now() AND EXISTS (
         SELECT 1 FROM payments p WHERE p.hold_id = h.id AND p.state IN ('creating', 'open')) AS payer
  FROM event_seats s
  LEFT JOIN holds h ON h.id = s.hold_id
  LEFT JOIN seat_blocks b ON b.id = s.block_id
 WHERE s.event_id = @event AND s.leg BETWEEN @from_leg AND @to_leg
   AND s.state <> 'available' AND NOT (s.state = 'held' AND (s.held_until < now() OR s.hold_id::text = @mine))
   AND NOT (s.state = 'blocked' AND coalesce(s.held_until < now(), false))
 ORDER BY s.seat_no, CASE s.state WHEN 'booked' THEN 1 WHEN 'held' THEN 2 ELSE 3 END, s.leg`

// CounterSeats lists them; mine is the hold that is being sold, "" for none: its seats
// count as free. A booked leg wins over a held one, and that over a blocked one.
func (q Queries) CounterSeats(ctx context.Context, eventID int64, ride domain.Ride, mine string) ([]CounterSeat, error) {
	return rows[CounterSeat](ctx, q.q, counterSeatsSQL, pgx.StrictNamedArgs{
		"event": eventID, "from_leg": ride.FirstLeg(), "to_leg": ride.LastLeg(), "mine": mine,
	})
}
