package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// SeatRow is one row of the seat table as it stands.
type SeatRow struct {
	SeatNo    string
	Leg       int
	State     string
	HoldID    *string
	HeldUntil *time.Time
	BookingID *int64
	BlockID   *int64
}

const seatRowsSQL = `
SELECT seat_no, leg, state::text AS state, hold_id::text AS hold_id, held_until, booking_id, block_id
  FROM event_seats WHERE event_id = @event ORDER BY seat_no, leg`

const lockSeatRowsSQL = seatRowsSQL + ` FOR UPDATE`

// SeatRows reads an event's whole inventory.
func (q Queries) SeatRows(ctx context.Context, eventID int64) ([]SeatRow, error) {
	return rows[SeatRow](ctx, q.q, seatRowsSQL, pgx.StrictNamedArgs{"event": eventID})
}

// LockSeatRows reads and locks it, after the event's row.
func (t *Tx) LockSeatRows(ctx context.Context, eventID int64) ([]SeatRow, error) {
	return rows[SeatRow](ctx, t.q, lockSeatRowsSQL, pgx.StrictNamedArgs{"event": eventID})
}

// SeatTaken is one seat of an event that is not free on some leg asked for.
type SeatTaken struct {
	SeatNo string
	HoldID *string // the hold that has it on some leg; nil when booked or blocked
	// Payer: that hold's end has come but a payment page may still take money for
	// it, so its holder has the first word.
	Payer     bool
	PaymentID *int64
	Until     *time.Time // when a hold, or a block, ends by itself; nil for never
}

const takenSeatsSQL = `
SELECT s.seat_no, h.id::text AS hold_id,
       coalesce(p.id IS NOT NULL AND h.expires_at <= now(), false) AS payer, p.id AS payment_id,
       least(s.held_until, CASE WHEN p.id IS NOT NULL THEN h.expires_at END) AS until
  FROM (SELECT DISTINCT ON (seat_no) seat_no, hold_id, held_until
          FROM event_seats
         WHERE event_id = @event AND leg BETWEEN @from_leg AND @to_leg
           AND state <> 'available' AND NOT (state = 'held' AND (held_until < now() OR hold_id::text = ANY(@mine::text[])))
           AND NOT (state = 'blocked' AND coalesce(held_until < now(), false))
         ORDER BY seat_no, (state = 'held'), leg) s
  LEFT JOIN holds h ON h.id = s.hold_id
  LEFT JOIN payments p ON p.hold_id = h.id AND p.state IN ('creating', 'open')
 ORDER BY s.seat_no`

// TakenSeats lists the seats of an event that cannot be claimed on the ride by
// the holder of the holds mine. A booked or blocked leg wins over a held one, so
// Payer is set only where asking the payer could free the seat.
func (q Queries) TakenSeats(ctx context.Context, eventID int64, ride domain.Ride, mine ...string) ([]SeatTaken, error) {
	if mine == nil {
		mine = []string{}
	}
	return rows[SeatTaken](ctx, q.q, takenSeatsSQL, pgx.StrictNamedArgs{
		"event": eventID, "from_leg": ride.FirstLeg(), "to_leg": ride.LastLeg(), "mine": mine,
	})
}
