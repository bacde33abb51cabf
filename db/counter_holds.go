package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// CounterHold is what the counter keeps for somebody.
type CounterHold struct {
	ID        string
	EventID   int64
	FromStop  int
	ToStop    int
	Label     string
	Name      string
	Phone     string
	Seats     []string
	Total     int64
	Currency  string
	ExpiresAt time.Time
	Holder    string // staff:7
	Paying    bool   // a payment page is open for it
	Title     string // film or route
	StartsAt  time.Time
	TimeZone  string // of StartsAt
}

const counterHoldsSQL = `
SELECT h.id::text, h.event_id, h.from_stop, h.to_stop, h.label, h.name, h.phone,
       (SELECT coalesce(array_agg(s.seat_no ORDER BY s.seat_no), '{}') FROM hold_seats s WHERE s.hold_id = h.id AND s.event_id = h.event_id) AS seats,
       h.total, h.currency, h.expires_at, h.holder,
       EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = h.id AND p.state IN ('creating', 'open')) AS paying,
       coalesce(f.title, o.name, '') AS title, coalesce(d.departs_at, e.starts_at) AS starts_at, e.time_zone
  FROM holds h
  JOIN events e ON e.id = h.event_id
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes o ON o.id = e.route_id
  LEFT JOIN event_stops d ON d.event_id = h.event_id AND d.stop_no = h.from_stop
 WHERE h.channel = 'counter' AND h.state = 'active' AND h.expires_at > now()
 ORDER BY h.expires_at, h.id LIMIT 200`

// CounterHolds lists the running holds of the counter, whoever made them, the first
// that ends first.
func (q Queries) CounterHolds(ctx context.Context) ([]CounterHold, error) {
	return rows[CounterHold](ctx, q.q, counterHoldsSQL, nil)
}

const labelHoldSQL = `UPDATE holds SET label = @label WHERE id = @id AND state = 'active'`

// LabelHold gives a hold the name that the counter calls it by.
func (t *Tx) LabelHold(ctx context.Context, id, label string) error {
	return one(exec(ctx, t.q, labelHoldSQL, pgx.StrictNamedArgs{"id": id, "label": label}))
}

const holdUntilSQL = `UPDATE holds SET expires_at = @until WHERE id = @id AND state = 'active'`

// HoldUntil sets the end of a hold of the counter, earlier or later.
func (t *Tx) HoldUntil(ctx context.Context, id string, until time.Time) error {
	return one(exec(ctx, t.q, holdUntilSQL, pgx.StrictNamedArgs{"id": id, "until": until}))
}
