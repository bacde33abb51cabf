package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// SeatBlock is why some seats of an event are not for sale, and until when.
type SeatBlock struct {
	ID      int64 // filled by InsertBlock
	EventID int64
	Reason  string
	EndsAt  *time.Time // nil: until it is lifted
	Actor   string
}

const insertBlockSQL = `
INSERT INTO seat_blocks (event_id, reason, ends_at, actor) VALUES (@event, @reason, @ends_at, @actor) RETURNING id`

// InsertBlock stores the reason; the seats are BlockSeats's, in the same transaction.
func (t *Tx) InsertBlock(ctx context.Context, b SeatBlock) (int64, error) {
	return scalar[int64](ctx, t.q, insertBlockSQL, pgx.StrictNamedArgs{"event": b.EventID, "reason": b.Reason, "ends_at": b.EndsAt, "actor": b.Actor})
}

// LiveBlock is a block that keeps seats off sale now.
type LiveBlock struct {
	ID        int64
	Reason    string
	EndsAt    *time.Time
	Who       string
	CreatedAt time.Time
	Seats     []string
}

const liveBlocksSQL = `
SELECT b.id, b.reason, b.ends_at, coalesce(f.name, b.actor) AS who, b.created_at, s.seats
  FROM (SELECT block_id, array_agg(DISTINCT seat_no ORDER BY seat_no) AS seats
          FROM event_seats
         WHERE event_id = @event AND state = 'blocked' AND (held_until IS NULL OR held_until >= now())
         GROUP BY block_id) s
  JOIN seat_blocks b ON b.id = s.block_id
  LEFT JOIN staff f ON b.actor = 'staff:' || f.id
 ORDER BY b.created_at, b.id`

// LiveBlocks lists the blocks of an event that have not ended.
func (q Queries) LiveBlocks(ctx context.Context, eventID int64) ([]LiveBlock, error) {
	return rows[LiveBlock](ctx, q.q, liveBlocksSQL, pgx.StrictNamedArgs{"event": eventID})
}

// SeatLook is what staff see of a seat: the worst of its legs, of all its event's.
type SeatLook struct {
	SeatNo string
	State  string // available, held, booked or blocked; what has ended is available
}

const seatLooksSQL = `
SELECT seat_no, max(CASE WHEN state = 'available' OR held_until < now() THEN 'available' ELSE state::text END) AS state
  FROM event_seats WHERE event_id = @event
 GROUP BY seat_no`

// SeatLooks reads every seat of an event for staff.
func (q Queries) SeatLooks(ctx context.Context, eventID int64) ([]SeatLook, error) {
	return rows[SeatLook](ctx, q.q, seatLooksSQL, pgx.StrictNamedArgs{"event": eventID})
}
