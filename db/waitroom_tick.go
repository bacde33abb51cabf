package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

type tickRow struct {
	Admits      bool
	MaxActive   int
	PerSecond   float64
	TurnSeconds int
	Tokens      float64
	Seconds     float64 // since the last tick, not counting the time before the opening
	At          time.Time
}

// NO KEY UPDATE: those who join reference the row, and must neither wait nor keep the
// tick away. A second process that comes meanwhile gets no row and leaves. The statement's
// time counts, not the transaction's: it may have begun before another tick that went first.
const lockTickSQL = `
SELECT state = 'on' AND opens_at <= now() AND (ends_at IS NULL OR ends_at > now()) AS admits, max_active, per_second::float8 AS per_second, turn_seconds, tokens,
       greatest(0, extract(epoch FROM statement_timestamp() - greatest(coalesce(last_tick, opens_at), opens_at)))::float8 AS seconds,
       greatest(last_tick, statement_timestamp()) AS at
  FROM waitrooms WHERE event_id = @event AND state <> 'ended'
   FOR NO KEY UPDATE SKIP LOCKED`

// A booking is looked for here and not reported by whoever books: it cannot be forgotten.
const endTurnsSQL = `
UPDATE waitroom_entries e SET state = CASE WHEN x.booked THEN 'done' ELSE 'expired' END
  FROM (SELECT a.token_hash, a.expires_at <= now() AS over,
               EXISTS (SELECT 1 FROM holds h JOIN bookings b ON b.hold_id = h.id
                        WHERE h.holder = a.holder AND h.event_id = a.event_id AND b.created_at >= a.admitted_at) AS booked
          FROM waitroom_entries a WHERE a.event_id = @event AND a.state = 'admitted') x
 WHERE e.event_id = @event AND e.token_hash = x.token_hash AND e.state = 'admitted' AND (x.over OR x.booked)`

// Only whoever has the room's lock admits, and this statement begins after the lock was
// taken: what it counts is all there is.
const admitSQL = `
UPDATE waitroom_entries e SET state = 'admitted', admitted_at = statement_timestamp(), expires_at = statement_timestamp() + make_interval(secs => @turn)
  FROM (SELECT w.token_hash FROM waitroom_entries w
         WHERE w.event_id = @event AND w.state = 'waiting' AND w.here_until > now()
         ORDER BY w.rank, w.token_hash
         LIMIT greatest(0, least(@tokens::int, @max_active - (SELECT count(*) FROM waitroom_entries a WHERE a.event_id = @event AND a.state = 'admitted')))) n
 WHERE e.event_id = @event AND e.token_hash = n.token_hash AND e.state = 'waiting'`

const saveTickSQL = `UPDATE waitrooms SET tokens = @tokens, last_tick = @at WHERE event_id = @event`

// TickWaitRoom ends turns that are over or used, and admits who is next, at most
// max_active at a time and per_second on average. It returns how many; nothing happens
// while another process is at it. The transaction must be this call's own and short.
func (t *Tx) TickWaitRoom(ctx context.Context, eventID int64) (int, error) {
	r, err := row[tickRow](ctx, t.q, lockTickSQL, pgx.StrictNamedArgs{"event": eventID})
	if errors.Is(err, domain.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if _, err := exec(ctx, t.q, endTurnsSQL, pgx.StrictNamedArgs{"event": eventID}); err != nil {
		return 0, err
	}
	var admitted int64
	if r.Admits {
		r.Tokens = min(float64(r.MaxActive), r.Tokens+r.PerSecond*r.Seconds)
		admitted, err = exec(ctx, t.q, admitSQL, pgx.StrictNamedArgs{"event": eventID, "turn": r.TurnSeconds, "tokens": int(r.Tokens), "max_active": r.MaxActive})
		if err != nil {
			return 0, err
		}
	}
	_, err = exec(ctx, t.q, saveTickSQL, pgx.StrictNamedArgs{"event": eventID, "at": r.At, "tokens": max(0, r.Tokens-float64(admitted))})
	return int(admitted), err
}
