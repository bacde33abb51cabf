package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const putRoomSQL = `
INSERT INTO waitrooms AS r (event_id, cause, begins_at, opens_at, ends_at, max_active, per_second, turn_seconds, per_address)
VALUES (@event, 'staff', @begins_at, @opens_at, @ends_at, @max_active, @per_second, @turn, @per_address)
    ON CONFLICT (event_id) DO UPDATE
   SET begins_at = EXCLUDED.begins_at, opens_at = EXCLUDED.opens_at, ends_at = EXCLUDED.ends_at, max_active = EXCLUDED.max_active,
       per_second = EXCLUDED.per_second, turn_seconds = EXCLUDED.turn_seconds, per_address = EXCLUDED.per_address, revision = r.revision + 1,
       cause = CASE WHEN @again THEN 'staff' ELSE r.cause END, window_id = CASE WHEN @again THEN NULL ELSE r.window_id END,
       state = CASE WHEN @again THEN 'on' ELSE r.state END, tokens = CASE WHEN @again THEN 0 ELSE r.tokens END,
       last_tick = CASE WHEN @again THEN NULL ELSE r.last_tick END
 WHERE r.revision = @revision`

// PutWaitRoom plans a room or changes its numbers; again begins one anew that was over.
// Revision 0 is for an event that never had one. domain.ErrStale.
func (t *Tx) PutWaitRoom(ctx context.Context, r WaitRoom, again bool) error {
	n, err := exec(ctx, t.q, putRoomSQL, pgx.StrictNamedArgs{
		"event": r.EventID, "begins_at": r.BeginsAt, "opens_at": r.OpensAt, "ends_at": r.EndsAt, "max_active": r.MaxActive, "per_second": r.PerSecond,
		"turn": r.TurnSeconds, "per_address": r.PerAddress, "again": again, "revision": r.Revision,
	})
	return staleUnlessOne(n, err)
}

const emptyRoomSQL = `DELETE FROM waitroom_entries WHERE event_id = @event`

// EmptyWaitRoom sends everybody out of a room that begins anew.
func (t *Tx) EmptyWaitRoom(ctx context.Context, eventID int64) error {
	_, err := exec(ctx, t.q, emptyRoomSQL, pgx.StrictNamedArgs{"event": eventID})
	return err
}

const setRoomStateSQL = `
UPDATE waitrooms SET state = @state, revision = revision + 1, last_tick = now()
 WHERE event_id = @event AND revision = @revision AND state <> 'ended'`

// SetWaitRoomState pauses, resumes or ends a room; domain.ErrStale.
func (t *Tx) SetWaitRoomState(ctx context.Context, eventID int64, revision int, state string) error {
	return staleUnlessOne(exec(ctx, t.q, setRoomStateSQL, pgx.StrictNamedArgs{"event": eventID, "revision": revision, "state": state}))
}

// RoomCount is how a room stands.
type RoomCount struct {
	WaitRoom
	Title    string // of the film or the route
	StartsAt time.Time
	TimeZone string
	Waiting  int // here now
	Away     int // waiting, but not seen lately
	Admitted int
	Done     int // booked
	Expired  int // let their turn pass
	LastMin  int // admitted in the last minute
}

const roomCountsSQL = `
SELECT` + roomColumns + `, coalesce(f.title, t.name, '') AS title, v.starts_at, v.time_zone,
       coalesce(c.waiting, 0)::int AS waiting, coalesce(c.away, 0)::int AS away, coalesce(c.admitted, 0)::int AS admitted, coalesce(c.done, 0)::int AS done,
       coalesce(c.expired, 0)::int AS expired, coalesce(c.last_min, 0)::int AS last_min
  FROM waitrooms r JOIN events v ON v.id = r.event_id LEFT JOIN films f ON f.id = v.film_id LEFT JOIN routes t ON t.id = v.route_id
  LEFT JOIN (SELECT event_id, count(*) FILTER (WHERE state = 'waiting' AND here_until > now()) AS waiting,
                    count(*) FILTER (WHERE state = 'waiting' AND here_until <= now()) AS away, count(*) FILTER (WHERE state = 'admitted') AS admitted,
                    count(*) FILTER (WHERE state = 'done') AS done, count(*) FILTER (WHERE state = 'expired') AS expired,
                    count(*) FILTER (WHERE admitted_at > now() - interval '1 minute') AS last_min
               FROM waitroom_entries GROUP BY event_id) c ON c.event_id = r.event_id
 WHERE @event::bigint IN (0, r.event_id) AND v.ends_at > now() - interval '1 day'
 ORDER BY (r.state = 'ended' OR r.ends_at <= now()), r.opens_at DESC, r.event_id LIMIT 200`

// RoomCounts lists the rooms of events that are not long over, running ones first; of
// one event alone when eventID is not 0.
func (q Queries) RoomCounts(ctx context.Context, eventID int64) ([]RoomCount, error) {
	return rows[RoomCount](ctx, q.q, roomCountsSQL, pgx.StrictNamedArgs{"event": eventID})
}

// WaitWindow is a time in which every event has a waiting room.
type WaitWindow struct {
	ID          int64
	BeginsAt    time.Time
	OpensAt     time.Time
	EndsAt      time.Time
	MaxActive   int
	PerSecond   float64
	TurnSeconds int
	PerAddress  int
	Revision    int
	Now         time.Time
}

const waitWindowsSQL = `
SELECT id, begins_at, opens_at, ends_at, max_active, per_second::float8 AS per_second, turn_seconds, per_address, revision, now() AS now
  FROM waitroom_windows WHERE NOT ended AND ends_at > now() ORDER BY begins_at, id`

// WaitWindows are the windows that run or are planned.
func (q Queries) WaitWindows(ctx context.Context) ([]WaitWindow, error) {
	return rows[WaitWindow](ctx, q.q, waitWindowsSQL, nil)
}

const insertWindowSQL = `
INSERT INTO waitroom_windows (begins_at, opens_at, ends_at, max_active, per_second, turn_seconds, per_address)
VALUES (@begins_at, @opens_at, @ends_at, @max_active, @per_second, @turn, @per_address) RETURNING id`

// InsertWaitWindow plans a window.
func (t *Tx) InsertWaitWindow(ctx context.Context, w WaitWindow) (int64, error) {
	return scalar[int64](ctx, t.q, insertWindowSQL, pgx.StrictNamedArgs{
		"begins_at": w.BeginsAt, "opens_at": w.OpensAt, "ends_at": w.EndsAt, "max_active": w.MaxActive, "per_second": w.PerSecond,
		"turn": w.TurnSeconds, "per_address": w.PerAddress,
	})
}

const endWindowSQL = `UPDATE waitroom_windows SET ended = true, revision = revision + 1 WHERE id = @window AND revision = @revision AND NOT ended`

const endRoomsOfWindowSQL = `UPDATE waitrooms SET state = 'ended', revision = revision + 1 WHERE window_id = @window AND cause = 'window' AND state <> 'ended'`

// EndWaitWindow ends a window and the rooms that came of it; domain.ErrStale.
func (t *Tx) EndWaitWindow(ctx context.Context, id int64, revision int) (rooms int64, err error) {
	if err := staleUnlessOne(exec(ctx, t.q, endWindowSQL, pgx.StrictNamedArgs{"window": id, "revision": revision})); err != nil {
		return 0, err
	}
	return exec(ctx, t.q, endRoomsOfWindowSQL, pgx.StrictNamedArgs{"window": id})
}
