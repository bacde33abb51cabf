package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// WaitRoom is an event's waiting room as stored.
type WaitRoom struct {
	EventID     int64
	Cause       string // staff, window or load
	WindowID    *int64
	State       string // on, paused or ended
	BeginsAt    time.Time
	OpensAt     time.Time
	EndsAt      *time.Time
	MaxActive   int
	PerSecond   float64
	TurnSeconds int
	PerAddress  int // 0: no limit
	Revision    int
	Now         time.Time
}

const roomColumns = `
       r.event_id, r.cause, r.window_id, r.state, r.begins_at, r.opens_at, r.ends_at, r.max_active, r.per_second::float8 AS per_second,
       r.turn_seconds, r.per_address, r.revision, now() AS now `

// A room that was ended counts as long as its window runs: it is the exception there.
const liveRoomsSQL = `
SELECT` + roomColumns + `
  FROM waitrooms r LEFT JOIN waitroom_windows w ON w.id = r.window_id AND NOT w.ended AND w.ends_at > now()
 WHERE r.state <> 'ended' AND (r.ends_at IS NULL OR r.ends_at > now()) OR w.id IS NOT NULL`

// LiveWaitRooms are the rooms that are planned or run, and those that were ended before
// their window.
func (q Queries) LiveWaitRooms(ctx context.Context) ([]WaitRoom, error) {
	return rows[WaitRoom](ctx, q.q, liveRoomsSQL, nil)
}

const waitRoomSQL = `SELECT` + roomColumns + ` FROM waitrooms r WHERE r.event_id = @event`

// WaitRoom reads one room in whatever state; domain.ErrNotFound.
func (q Queries) WaitRoom(ctx context.Context, eventID int64) (WaitRoom, error) {
	return row[WaitRoom](ctx, q.q, waitRoomSQL, pgx.StrictNamedArgs{"event": eventID})
}

const roomOfWindowSQL = `
INSERT INTO waitrooms AS r (event_id, cause, window_id, begins_at, opens_at, ends_at, max_active, per_second, turn_seconds, per_address)
SELECT @event, 'window', w.id, w.begins_at, w.opens_at, w.ends_at, w.max_active, w.per_second, w.turn_seconds, w.per_address
  FROM waitroom_windows w WHERE w.id = @window AND NOT w.ended AND w.begins_at <= now() AND w.ends_at > now()
    ON CONFLICT (event_id) DO UPDATE
   SET cause = 'window', window_id = EXCLUDED.window_id, state = 'on', begins_at = EXCLUDED.begins_at, opens_at = EXCLUDED.opens_at, ends_at = EXCLUDED.ends_at,
       max_active = EXCLUDED.max_active, per_second = EXCLUDED.per_second, turn_seconds = EXCLUDED.turn_seconds, per_address = EXCLUDED.per_address,
       tokens = 0, last_tick = NULL, revision = r.revision + 1
 WHERE (r.state = 'ended' OR r.ends_at <= now()) AND r.window_id IS DISTINCT FROM EXCLUDED.window_id`

// OpenRoomOfWindow gives an event the room that a running window wants for it; false when
// there was one already: a room that runs, or that was ended within this window, stays as
// it is.
func (t *Tx) OpenRoomOfWindow(ctx context.Context, eventID, windowID int64) (bool, error) {
	n, err := exec(ctx, t.q, roomOfWindowSQL, pgx.StrictNamedArgs{"event": eventID, "window": windowID})
	return n == 1, err
}

const crowdedEventsSQL = `
SELECT h.event_id FROM holds h JOIN events e ON e.id = h.event_id
 WHERE h.state = 'active' AND h.expires_at > now() AND h.channel = 'web' AND e.status = 'published'
   AND NOT EXISTS (SELECT 1 FROM waitrooms r WHERE r.event_id = h.event_id AND r.state <> 'ended' AND (r.ends_at IS NULL OR r.ends_at > now()))
 GROUP BY h.event_id HAVING count(*) >= @holders`

// CrowdedEvents are events without a waiting room of which at least so many visitors hold
// seats right now.
func (q Queries) CrowdedEvents(ctx context.Context, holders int) ([]int64, error) {
	return column[int64](ctx, q.q, crowdedEventsSQL, pgx.StrictNamedArgs{"holders": holders})
}

const roomByLoadSQL = `
INSERT INTO waitrooms AS r (event_id, cause, begins_at, opens_at, max_active, per_second, turn_seconds, per_address)
VALUES (@event, 'load', now(), now(), @max_active, @per_second, @turn, @per_address)
    ON CONFLICT (event_id) DO UPDATE
   SET cause = 'load', window_id = NULL, state = 'on', begins_at = now(), opens_at = now(), ends_at = NULL, max_active = EXCLUDED.max_active,
       per_second = EXCLUDED.per_second, turn_seconds = EXCLUDED.turn_seconds, per_address = EXCLUDED.per_address,
       tokens = 0, last_tick = NULL, revision = r.revision + 1
 WHERE r.state = 'ended' OR r.ends_at <= now()`

// OpenRoomByLoad gives an event a room at once; false when another process did.
func (t *Tx) OpenRoomByLoad(ctx context.Context, r WaitRoom) (bool, error) {
	n, err := exec(ctx, t.q, roomByLoadSQL, pgx.StrictNamedArgs{
		"event": r.EventID, "max_active": r.MaxActive, "per_second": r.PerSecond, "turn": r.TurnSeconds, "per_address": r.PerAddress,
	})
	return n == 1, err
}

const endQuietRoomsSQL = `
UPDATE waitrooms r SET state = 'ended', revision = r.revision + 1
 WHERE r.cause = 'load' AND r.state = 'on' AND r.opens_at < now() - interval '10 minutes'
   AND NOT EXISTS (SELECT 1 FROM waitroom_entries e WHERE e.event_id = r.event_id
                      AND (e.state = 'waiting' AND e.here_until > now() OR e.joined_at > now() - interval '10 minutes'))
RETURNING r.event_id`

// EndQuietRooms ends the rooms that load had opened and that nobody has needed for ten
// minutes.
func (t *Tx) EndQuietRooms(ctx context.Context) ([]int64, error) {
	return column[int64](ctx, t.q, endQuietRoomsSQL, nil)
}

const forgetEntriesSQL = `
DELETE FROM waitroom_entries e USING waitrooms r JOIN events v ON v.id = r.event_id
 WHERE e.event_id = r.event_id AND (r.state = 'ended' OR r.ends_at < now() OR v.ends_at < now()) AND e.joined_at < now() - interval '1 day'
   AND coalesce(r.ends_at, v.ends_at) < now() - interval '1 day'`

// ForgetWaiting deletes who waited in rooms that have been over for a day.
func (q Queries) ForgetWaiting(ctx context.Context) (int64, error) {
	return exec(ctx, q.q, forgetEntriesSQL, nil)
}
