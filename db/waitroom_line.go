package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// WaitEntry is one browser's place in line.
type WaitEntry struct {
	TokenHash []byte
	Rank      int64
	State     string // waiting, admitted, done or expired
	Here      bool
	Holder    string // who used the turn, "" for nobody yet
	ExpiresAt *time.Time
	Now       time.Time
}

const lockWaitAddressSQL = `SELECT pg_advisory_xact_lock(hashtextextended('wait:' || @event::bigint || ':' || encode(@address, 'hex'), 0))`

// LockWaitAddress makes the joins of one address follow one another, so that many at
// once cannot all be within the limit.
func (t *Tx) LockWaitAddress(ctx context.Context, eventID int64, address []byte) error {
	_, err := exec(ctx, t.q, lockWaitAddressSQL, pgx.StrictNamedArgs{"event": eventID, "address": address})
	return err
}

// NewWaiter is who joins.
type NewWaiter struct {
	EventID     int64
	TokenHash   []byte
	AddressHash []byte        // nil: no limit by address
	Here        time.Duration // counts as present for so long
}

// Everything is decided by the database's clock in one statement: a join that crosses the
// opening is on one side of it or on the other.
const joinLineSQL = `
INSERT INTO waitroom_entries AS e (event_id, token_hash, address_hash, rank, here_until)
SELECT r.event_id, @token, @address,
       CASE WHEN now() < r.opens_at THEN floor(random() * 1000000000)::bigint ELSE 1000000000 + nextval('waitroom_late_seq') END,
       now() + make_interval(secs => @here)
  FROM waitrooms r
 WHERE r.event_id = @event AND r.state <> 'ended' AND r.begins_at <= now() AND (r.ends_at IS NULL OR r.ends_at > now())
   AND (r.per_address = 0 OR @address::bytea IS NULL OR r.per_address >
        (SELECT count(*) FROM waitroom_entries o WHERE o.event_id = r.event_id AND o.address_hash = @address AND o.state IN ('waiting', 'admitted')))
    ON CONFLICT (event_id, token_hash) DO UPDATE
   SET state = 'waiting', rank = EXCLUDED.rank, joined_at = now(), here_until = EXCLUDED.here_until, address_hash = EXCLUDED.address_hash,
       holder = NULL, admitted_at = NULL, expires_at = NULL
 WHERE e.state IN ('done', 'expired') OR e.state = 'admitted' AND e.expires_at <= now()`

// JoinLine gives a browser its place: by lot before the opening, at the end of the line
// afterwards. Whoever waits or has a turn keeps it; whose turn is over begins again at
// the end. false: nothing was changed. With an AddressHash its address is locked before.
func (q Queries) JoinLine(ctx context.Context, w NewWaiter) (bool, error) {
	n, err := exec(ctx, q.q, joinLineSQL, pgx.StrictNamedArgs{"event": w.EventID, "token": w.TokenHash, "address": w.AddressHash, "here": w.Here.Seconds()})
	return n == 1, err
}

const waitEntrySQL = `
SELECT token_hash, rank, state, here_until > now() AS here, coalesce(holder, '') AS holder, expires_at, now() AS now
  FROM waitroom_entries WHERE event_id = @event AND token_hash = @token`

// WaitEntry reads one place in line; domain.ErrNotFound.
func (q Queries) WaitEntry(ctx context.Context, eventID int64, token []byte) (WaitEntry, error) {
	return row[WaitEntry](ctx, q.q, waitEntrySQL, pgx.StrictNamedArgs{"event": eventID, "token": token})
}

const waitLineSQL = `
SELECT token_hash, rank, state, here_until > now() AS here, coalesce(holder, '') AS holder, expires_at, now() AS now
  FROM waitroom_entries WHERE event_id = @event AND state IN ('waiting', 'admitted')
 ORDER BY rank, token_hash`

// WaitLine is everybody who waits or has a turn, in the order of the line.
func (q Queries) WaitLine(ctx context.Context, eventID int64) ([]WaitEntry, error) {
	return rows[WaitEntry](ctx, q.q, waitLineSQL, pgx.StrictNamedArgs{"event": eventID})
}

// LineFacts is what is said of a line besides places.
type LineFacts struct {
	TimeZone string // of the event
	Recent   int    // admitted in the last five minutes
	Seats    int
	Free     int // not taken on at least one leg
	Coming   int // held now: may come back
}

const lineFactsSQL = `
SELECT e.time_zone,
       (SELECT count(*) FROM waitroom_entries w WHERE w.event_id = e.id AND w.admitted_at > now() - interval '5 minutes')::int AS recent,
       s.seats, s.free, s.coming
  FROM events e, LATERAL (
       SELECT count(*)::int AS seats, count(*) FILTER (WHERE x.free)::int AS free, count(*) FILTER (WHERE x.held AND NOT x.free)::int AS coming
         FROM (SELECT seat_no, bool_or(state = 'available' OR state IN ('held', 'blocked') AND held_until < now()) AS free, bool_or(state = 'held') AS held
                 FROM event_seats WHERE event_id = e.id GROUP BY seat_no) x) s
 WHERE e.id = @event`

// LineFacts reads them; domain.ErrNotFound.
func (q Queries) LineFacts(ctx context.Context, eventID int64) (LineFacts, error) {
	return row[LineFacts](ctx, q.q, lineFactsSQL, pgx.StrictNamedArgs{"event": eventID})
}

const useTurnSQL = `
UPDATE waitroom_entries SET holder = @holder
 WHERE event_id = @event AND token_hash = @token AND state = 'admitted' AND expires_at > now() AND (holder IS NULL OR holder = @holder)`

// UseTurn ties a running turn to the visitor who holds seats with it; false when there
// is none, or another visitor used it.
func (q Queries) UseTurn(ctx context.Context, eventID int64, token []byte, holder string) (bool, error) {
	n, err := exec(ctx, q.q, useTurnSQL, pgx.StrictNamedArgs{"event": eventID, "token": token, "holder": holder})
	return n == 1, err
}

// Seen is a sign of life of somebody in line.
type Seen struct {
	EventID   int64
	TokenHash []byte
	Here      time.Duration // counts as present for so long from now
}

// Rows that somebody is changing are passed over, so that this never waits and never
// takes part in a deadlock: the next sign of life comes in seconds.
const seenInLineSQL = `
WITH live AS (
  SELECT e.event_id, e.token_hash, u.here
    FROM unnest(@events::bigint[], @tokens::bytea[], @heres::float8[]) AS u(event_id, token_hash, here)
    JOIN waitroom_entries e ON e.event_id = u.event_id AND e.token_hash = u.token_hash AND e.state = 'waiting'
     FOR UPDATE OF e SKIP LOCKED)
UPDATE waitroom_entries e SET here_until = greatest(e.here_until, now() + make_interval(secs => live.here))
  FROM live WHERE e.event_id = live.event_id AND e.token_hash = live.token_hash`

// SeenInLine stores signs of life of many at once.
func (q Queries) SeenInLine(ctx context.Context, list []Seen) error {
	var events []int64
	var tokens [][]byte
	var heres []float64
	for _, s := range list {
		events, tokens, heres = append(events, s.EventID), append(tokens, s.TokenHash), append(heres, s.Here.Seconds())
	}
	_, err := exec(ctx, q.q, seenInLineSQL, pgx.StrictNamedArgs{"events": events, "tokens": tokens, "heres": heres})
	return err
}
