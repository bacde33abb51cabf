package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// Claim names seat rows: the seats of one event on one ride's legs. Seats must be
// without repeats; every statement here locks rows ORDER BY seat_no, leg.
type Claim struct {
	EventID int64
	HoldID  string
	Seats   []string
	Ride    domain.Ride
}

// Rows is how many event_seats rows the claim covers.
func (c Claim) Rows() int { return len(c.Seats) * c.Ride.Legs() }

func (c Claim) args() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"event": c.EventID, "hold": c.HoldID, "seats": c.Seats,
		"from_leg": c.Ride.FirstLeg(), "to_leg": c.Ride.LastLeg(), "n": c.Rows(),
	}
}

// The claim: a new hold, the take-over of one that ran out or of a block that
// ended, and the repeat of one's own, in one conditional statement. Nobody reads
// first and writes later.
const claimSeatsSQL = `
WITH locked AS (
  SELECT 1 FROM event_seats
   WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg
     AND (state = 'available' OR (state = 'held' AND (hold_id = @hold OR held_until < now())) OR (state = 'blocked' AND held_until < now()))
   ORDER BY seat_no, leg FOR NO KEY UPDATE)
UPDATE event_seats SET state = 'held', hold_id = @hold, held_until = @held_until, block_id = NULL
 WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg
   AND (SELECT count(*) FROM locked) = @n`

// ClaimSeats holds every seat of the claim on every leg until heldUntil, or
// changes nothing and returns domain.ErrConflict. domain.ErrBusy: a fight for
// these rows outlasted lock_timeout.
func (q Queries) ClaimSeats(ctx context.Context, c Claim, heldUntil time.Time) error {
	args := c.args()
	args["held_until"] = heldUntil
	n, err := exec(ctx, q.q, claimSeatsSQL, args)
	return allOrNothing(n, err, c)
}

const lockSeatsSQL = `
SELECT 1 FROM event_seats WHERE event_id = @event AND seat_no = ANY(@seats) ORDER BY seat_no, leg FOR NO KEY UPDATE`

// LockSeats locks every leg of some seats whoever has them, in the one order: for what
// frees and claims in one transaction.
func (t *Tx) LockSeats(ctx context.Context, eventID int64, seats []string) error {
	_, err := exec(ctx, t.q, lockSeatsSQL, pgx.StrictNamedArgs{"event": eventID, "seats": seats})
	return err
}

// Staff may sell a seat that staff blocked, knowingly: its rows are made available
// first, in the same transaction, and only those that are blocked.
const openBlockedSQL = `
WITH locked AS (
  SELECT seat_no, leg FROM event_seats
   WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg AND state = 'blocked'
   ORDER BY seat_no, leg FOR NO KEY UPDATE)
UPDATE event_seats s SET state = 'available', block_id = NULL, held_until = NULL
  FROM locked l
 WHERE s.event_id = @event AND s.seat_no = l.seat_no AND s.leg = l.leg`

// OpenBlocked puts blocked seats of the claim on sale for this transaction's claim and
// answers how many rows that were.
func (t *Tx) OpenBlocked(ctx context.Context, c Claim) (int64, error) {
	args := c.args()
	delete(args, "n")
	delete(args, "hold")
	return exec(ctx, t.q, openBlockedSQL, args)
}

// Rows of the old choice and of the new one are locked in one order before
// ClaimSeats and ReleaseSeats touch either, so two changes cannot deadlock.
const lockChangeSQL = `
SELECT 1 FROM event_seats
 WHERE event_id = @event
   AND ((seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg
         AND (state = 'available' OR (state IN ('held', 'blocked') AND held_until < now())))
     OR (seat_no = ANY(@mine) AND state = 'held' AND hold_id = @hold))
 ORDER BY seat_no, leg FOR NO KEY UPDATE`

// LockChange locks what a change from the seats mine to the claim will write.
func (t *Tx) LockChange(ctx context.Context, c Claim, mine []string) error {
	args := c.args()
	delete(args, "n")
	args["mine"] = append(append([]string{}, mine...), c.Seats...)
	_, err := exec(ctx, t.q, lockChangeSQL, args)
	return err
}

const keepOnlySQL = `
WITH locked AS (
  SELECT seat_no, leg FROM event_seats
   WHERE event_id = @event AND seat_no = ANY(@mine) AND state = 'held' AND hold_id = @hold
     AND NOT (seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg)
   ORDER BY seat_no, leg FOR NO KEY UPDATE)
UPDATE event_seats s SET state = 'available', hold_id = NULL, held_until = NULL
  FROM locked l
 WHERE s.event_id = @event AND s.seat_no = l.seat_no AND s.leg = l.leg`

// KeepOnly frees what the hold has among the seats mine beyond the claim.
func (t *Tx) KeepOnly(ctx context.Context, c Claim, mine []string) error {
	t.free(c.EventID)
	args := c.args()
	delete(args, "n")
	args["mine"] = mine
	_, err := exec(ctx, t.q, keepOnlySQL, args)
	return err
}

const releaseSeatsSQL = `
WITH locked AS (
  SELECT seat_no, leg FROM event_seats
   WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg
     AND state = 'held' AND hold_id = @hold
   ORDER BY seat_no, leg FOR NO KEY UPDATE)
UPDATE event_seats s SET state = 'available', hold_id = NULL, held_until = NULL
  FROM locked l
 WHERE s.event_id = @event AND s.seat_no = l.seat_no AND s.leg = l.leg`

// ReleaseSeats frees what the hold still has of the claim; rows that went to
// somebody else stay theirs.
func (t *Tx) ReleaseSeats(ctx context.Context, c Claim) error {
	t.free(c.EventID)
	args := c.args()
	delete(args, "n")
	_, err := exec(ctx, t.q, releaseSeatsSQL, args)
	return err
}

const extendSeatsSQL = `
WITH locked AS (
  SELECT 1 FROM event_seats
   WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg
     AND state = 'held' AND hold_id = @hold AND held_until > now()
   ORDER BY seat_no, leg FOR NO KEY UPDATE)
UPDATE event_seats SET held_until = greatest(held_until, @held_until)
 WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg
   AND (SELECT count(*) FROM locked) = @n`

// ExtendSeats moves held_until, never to an earlier time. domain.ErrConflict:
// the hold no longer has all of its seats, nothing changed.
func (t *Tx) ExtendSeats(ctx context.Context, c Claim, heldUntil time.Time) error {
	args := c.args()
	args["held_until"] = heldUntil
	n, err := exec(ctx, t.q, extendSeatsSQL, args)
	return allOrNothing(n, err, c)
}

const shortenSeatsSQL = `
WITH locked AS (
  SELECT seat_no, leg FROM event_seats
   WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg
     AND state = 'held' AND hold_id = @hold
   ORDER BY seat_no, leg FOR NO KEY UPDATE)
UPDATE event_seats s SET held_until = @held_until
  FROM locked l
 WHERE s.event_id = @event AND s.seat_no = l.seat_no AND s.leg = l.leg`

// SetHeldUntil puts the hold's seats back to an ordinary end. It may shorten: only
// for a hold whose payment page is closed for certain.
func (t *Tx) SetHeldUntil(ctx context.Context, c Claim, heldUntil time.Time) error {
	t.free(c.EventID)
	args := c.args()
	delete(args, "n")
	args["held_until"] = heldUntil
	_, err := exec(ctx, t.q, shortenSeatsSQL, args)
	return err
}

// Own hold (its end does not matter while nobody took it), or claimable again:
// the payment came after the hold was released or ran out.
const confirmSeatsSQL = `
WITH locked AS (
  SELECT 1 FROM event_seats
   WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg
     AND (state = 'available' OR (state = 'held' AND (hold_id = @hold OR held_until < now())) OR (state = 'blocked' AND held_until < now()))
   ORDER BY seat_no, leg FOR NO KEY UPDATE)
UPDATE event_seats SET state = 'booked', booking_id = @booking, hold_id = NULL, held_until = NULL, block_id = NULL
 WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg
   AND (SELECT count(*) FROM locked) = @n`

// ConfirmSeats turns the claim into booked seats, or changes nothing and returns
// domain.ErrConflict: somebody else has one of them, the money must go back.
func (t *Tx) ConfirmSeats(ctx context.Context, c Claim, bookingID int64) error {
	args := c.args()
	args["booking"] = bookingID
	n, err := exec(ctx, t.q, confirmSeatsSQL, args)
	return allOrNothing(n, err, c)
}

const freeBookedSQL = `
WITH locked AS (
  SELECT seat_no, leg FROM event_seats
   WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg
     AND state = 'booked' AND booking_id = @booking
   ORDER BY seat_no, leg FOR NO KEY UPDATE)
UPDATE event_seats s SET state = 'available', booking_id = NULL
  FROM locked l
 WHERE s.event_id = @event AND s.seat_no = l.seat_no AND s.leg = l.leg`

// FreeBooked puts seats of a booking on sale again; domain.ErrConflict unless it frees
// every row of the claim.
func (t *Tx) FreeBooked(ctx context.Context, c Claim, bookingID int64) error {
	t.free(c.EventID)
	args := c.args()
	delete(args, "n")
	delete(args, "hold")
	args["booking"] = bookingID
	n, err := exec(ctx, t.q, freeBookedSQL, args)
	return allOrNothing(n, err, c)
}

const blockSeatsSQL = `
WITH locked AS (
  SELECT 1 FROM event_seats
   WHERE event_id = @event AND seat_no = ANY(@seats)
     AND (state = 'available' OR (state IN ('held', 'blocked') AND held_until < now()))
   ORDER BY seat_no, leg FOR NO KEY UPDATE)
UPDATE event_seats SET state = 'blocked', block_id = @block, held_until = @ends_at, hold_id = NULL
 WHERE event_id = @event AND seat_no = ANY(@seats) AND (SELECT count(*) FROM locked) = @n`

// BlockSeats takes seats off sale on every leg until the block ends, nil: until it is
// lifted. It changes nothing and returns domain.ErrConflict when one of them is sold,
// held or blocked on some leg, or is no seat of the event.
func (t *Tx) BlockSeats(ctx context.Context, b SeatBlock, seats []string, legs int) error {
	n := int64(len(seats) * legs)
	got, err := exec(ctx, t.q, blockSeatsSQL, pgx.StrictNamedArgs{"event": b.EventID, "block": b.ID, "ends_at": b.EndsAt, "seats": seats, "n": n})
	if err == nil && (got == 0 || got != n) {
		return domain.ErrConflict
	}
	return err
}

const unblockSeatsSQL = `
WITH locked AS (
  SELECT seat_no, leg FROM event_seats
   WHERE event_id = @event AND state = 'blocked' AND block_id = @block
   ORDER BY seat_no, leg FOR NO KEY UPDATE)
UPDATE event_seats s SET state = 'available', block_id = NULL, held_until = NULL
  FROM locked l
 WHERE s.event_id = @event AND s.seat_no = l.seat_no AND s.leg = l.leg`

// UnblockSeats puts the seats that the block still has on sale; it tells how many rows.
func (t *Tx) UnblockSeats(ctx context.Context, eventID, blockID int64) (int64, error) {
	t.free(eventID)
	return exec(ctx, t.q, unblockSeatsSQL, pgx.StrictNamedArgs{"event": eventID, "block": blockID})
}

const putSeatRowsSQL = `
INSERT INTO event_seats (event_id, seat_no, leg, state, hold_id, held_until, booking_id, block_id)
SELECT @event, r.seat_no, r.leg, r.state::seat_state, r.hold_id, r.held_until, r.booking_id, r.block_id
  FROM jsonb_to_recordset(@rows::jsonb)
       AS r(seat_no text, leg smallint, state text, hold_id uuid, held_until timestamptz, booking_id bigint, block_id bigint)
 ORDER BY r.seat_no, r.leg
    ON CONFLICT (event_id, seat_no, leg) DO UPDATE
   SET state = EXCLUDED.state, hold_id = EXCLUDED.hold_id, held_until = EXCLUDED.held_until, booking_id = EXCLUDED.booking_id, block_id = EXCLUDED.block_id`

// ReplaceSeats makes an event's inventory that of another layout, everything free but the
// given rows. The event and its rows are locked, and no ticket's legs point to them.
func (t *Tx) ReplaceSeats(ctx context.Context, eventID, layoutVersionID int64, lastLeg int, taken []SeatRow) error {
	t.free(eventID)
	if err := t.dropSeatsOf(ctx, []int64{eventID}); err != nil {
		return err
	}
	if err := t.AddSeats(ctx, eventID, layoutVersionID, lastLeg); err != nil {
		return err
	}
	list := make([]map[string]any, len(taken))
	for i, r := range taken {
		list[i] = map[string]any{"seat_no": r.SeatNo, "leg": r.Leg, "state": r.State, "hold_id": r.HoldID, "held_until": r.HeldUntil, "booking_id": r.BookingID, "block_id": r.BlockID}
	}
	_, err := exec(ctx, t.q, putSeatRowsSQL, pgx.StrictNamedArgs{"event": eventID, "rows": list})
	return err
}

func allOrNothing(n int64, err error, c Claim) error {
	if err == nil && (n == 0 || n != int64(c.Rows())) {
		return domain.ErrConflict
	}
	return err
}
