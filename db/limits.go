package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

const lockAddressSQL = `SELECT pg_advisory_xact_lock(hashtextextended('address ' || @address, 0))`

// LockAddress makes the choices that come from one address follow one another, so that
// many at once cannot all be within its limit. Taken after the visitor's own lock and
// before every other.
func (t *Tx) LockAddress(ctx context.Context, key string) error {
	_, err := exec(ctx, t.q, lockAddressSQL, pgx.StrictNamedArgs{"address": key})
	return err
}

// HeldNow is one running hold as limits count it.
type HeldNow struct {
	ExpiresAt time.Time
	Seats     int
}

const heldByAddressSQL = `
SELECT h.expires_at, (SELECT count(*) FROM hold_seats s WHERE s.event_id = h.event_id AND s.hold_id = h.id) AS seats
  FROM holds h
 WHERE h.address_key = @address AND h.state = 'active' AND h.expires_at > now() AND h.id IS DISTINCT FROM @but::uuid
 ORDER BY h.expires_at`

// HeldByAddress are the running holds that came from an address, the first to end first.
// but leaves one out: nil for none.
func (q Queries) HeldByAddress(ctx context.Context, key string, but *string) ([]HeldNow, error) {
	return rows[HeldNow](ctx, q.q, heldByAddressSQL, pgx.StrictNamedArgs{"address": key, "but": but})
}

const heldByVisitorSQL = `
SELECT h.expires_at, (SELECT count(*) FROM hold_seats s WHERE s.event_id = h.event_id AND s.hold_id = h.id) AS seats
  FROM holds h
 WHERE h.holder = @holder AND h.state = 'active' AND h.expires_at > now() AND h.id IS DISTINCT FROM @but::uuid
 ORDER BY h.expires_at`

// HeldByVisitor are a holder's running holds, the first to end first, without but.
func (q Queries) HeldByVisitor(ctx context.Context, holder domain.Holder, but *string) ([]HeldNow, error) {
	return rows[HeldNow](ctx, q.q, heldByVisitorSQL, pgx.StrictNamedArgs{"holder": string(holder), "but": but})
}

const holdAddressSQL = `UPDATE holds SET address_key = @address WHERE id = @id AND state = 'active'`

// SetHoldAddress says where an active hold came from; the hold's end forgets it.
func (t *Tx) SetHoldAddress(ctx context.Context, id, key string) error {
	return one(exec(ctx, t.q, holdAddressSQL, pgx.StrictNamedArgs{"id": id, "address": key}))
}

const letGoSQL = `
INSERT INTO seats_let_go (event_id, holder, seat_no)
SELECT @event, @holder, u.seat_no FROM unnest(@seats::text[]) AS u(seat_no) ORDER BY u.seat_no
    ON CONFLICT (event_id, holder, seat_no) DO UPDATE SET let_go_at = now()`

// LetGo notes that a visitor gave seats back before the end. Their holder's hold is
// locked, and the seats are free already.
func (t *Tx) LetGo(ctx context.Context, eventID int64, holder domain.Holder, seats []string) error {
	_, err := exec(ctx, t.q, letGoSQL, pgx.StrictNamedArgs{"event": eventID, "holder": string(holder), "seats": seats})
	return err
}

// Pausing asks which of some seats a visitor must leave to others for now.
type Pausing struct {
	EventID int64
	Holder  domain.Holder
	Seats   []string      // asked about
	Choice  []string      // the whole choice they are part of
	Pause   time.Duration // whole seconds
}

// Paused is a seat that its former holder may not have yet.
type Paused struct {
	SeatNo string
	Until  time.Time
}

// A seat that went with the end of its hold is not paused when the choice is that hold
// again, or what is left of it. A seat of such a hold that was let go before the end is no
// part of its end.
const pausedSQL = `
SELECT seat_no, let_go_at + make_interval(secs => @pause::int) AS until
  FROM seats_let_go
 WHERE event_id = @event AND holder = @holder AND seat_no = ANY(@seats) AND let_go_at + make_interval(secs => @pause::int) > now()
 UNION ALL
SELECT s.seat_no, h.expires_at + make_interval(secs => @pause::int)
  FROM holds h JOIN hold_seats s ON s.event_id = h.event_id AND s.hold_id = h.id
 WHERE h.event_id = @event AND h.holder = @holder AND h.state <> 'converted' AND s.seat_no = ANY(@seats)
   AND h.expires_at <= now() AND h.expires_at + make_interval(secs => @pause::int) > now()
   AND NOT @choice::text[] <@ ARRAY(SELECT x.seat_no FROM hold_seats x WHERE x.event_id = h.event_id AND x.hold_id = h.id)
   AND NOT EXISTS (SELECT 1 FROM seats_let_go g
                    WHERE g.event_id = h.event_id AND g.holder = h.holder AND g.seat_no = s.seat_no
                      AND g.let_go_at BETWEEN h.created_at AND h.expires_at)`

// PausedSeats are those of the asked seats that are not the visitor's again yet; a seat
// may be named twice.
func (q Queries) PausedSeats(ctx context.Context, p Pausing) ([]Paused, error) {
	return rows[Paused](ctx, q.q, pausedSQL, pgx.StrictNamedArgs{
		"event": p.EventID, "holder": string(p.Holder), "seats": p.Seats, "choice": p.Choice, "pause": int(p.Pause.Seconds()),
	})
}

// No pause is longer than an hour.
const forgetLetGoSQL = `DELETE FROM seats_let_go WHERE let_go_at < now() - interval '2 hours'`

// ForgetLetGo drops what no pause can ask about any more.
func (q Queries) ForgetLetGo(ctx context.Context) error {
	_, err := exec(ctx, q.q, forgetLetGoSQL, nil)
	return err
}
