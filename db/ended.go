package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// EndedHold is a hold that ran out or was let go, with the contact that was typed.
type EndedHold struct {
	ID        string
	EventID   int64
	Title     string // film, or route
	StartsAt  time.Time
	TimeZone  string
	Seats     []string
	Name      string
	Email     string
	Phone     string
	Total     int64
	Currency  string
	ExpiresAt time.Time
}

const endedHoldsSQL = `
SELECT h.id::text, h.event_id, coalesce(f.title, o.name, '') AS title, e.starts_at, e.time_zone,
       (SELECT array_agg(s.seat_no ORDER BY s.seat_no) FROM hold_seats s WHERE s.event_id = h.event_id AND s.hold_id = h.id) AS seats,
       h.name, h.email, h.phone, h.total, h.currency, h.expires_at
  FROM holds h
  JOIN events e ON e.id = h.event_id AND e.status = 'published' AND e.ends_at > now()
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes o ON o.id = e.route_id
 WHERE h.state <> 'converted' AND h.expires_at <= now() AND h.expires_at > now() - interval '7 days'
   AND (h.email <> '' OR h.phone <> '')
   AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = h.id AND (p.state IN ('creating', 'open') OR p.received > 0))
   AND NOT EXISTS (SELECT 1 FROM holds later JOIN bookings b ON b.hold_id = later.id
                    WHERE later.holder = h.holder AND later.event_id = h.event_id AND later.created_at > h.created_at)
 ORDER BY h.expires_at DESC LIMIT 200`

// EndedHolds lists what people wanted and did not finish, newest first: staff may call
// them and revive the hold.
func (q Queries) EndedHolds(ctx context.Context) ([]EndedHold, error) {
	return rows[EndedHold](ctx, q.q, endedHoldsSQL, nil)
}

const reviveHoldSQL = `
UPDATE holds SET state = 'active', expires_at = @expires_at WHERE id = @id AND state <> 'converted'`

// ReviveHold makes an ended hold run again; its seats are claimed in the same transaction.
func (t *Tx) ReviveHold(ctx context.Context, id string, expiresAt time.Time) error {
	return one(exec(ctx, t.q, reviveHoldSQL, pgx.StrictNamedArgs{"id": id, "expires_at": expiresAt}))
}
