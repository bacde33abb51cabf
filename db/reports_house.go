package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// EventRoom is how many seats an event has and how many tickets were let in.
type EventRoom struct {
	EventID int64
	Title   string
	Where   string // hall or coach, "" for none
	Day     time.Time
	StartsAt,
	Now time.Time
	TimeZone  string
	Kind      string
	Seats     int
	CheckedIn int
}

const eventRoomsSQL = `
SELECT e.id AS event_id, coalesce(f.title, u.name, '') AS title, coalesce(x.name, '') AS where, e.business_day AS day, e.starts_at, now() AS now, e.time_zone, e.kind,
       (SELECT count(*) FROM layout_cells c WHERE c.layout_version_id = e.layout_version_id AND c.seat_no IS NOT NULL)::int AS seats,
       (SELECT count(*) FROM checkins k WHERE k.event_id = e.id AND k.undone_at IS NULL)::int AS checked_in
  FROM events e
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes u ON u.id = e.route_id
  LEFT JOIN resources x ON x.id = e.resource_id
 WHERE e.business_day BETWEEN @from AND @to AND (@event::bigint = 0 OR e.id = @event)
   AND (e.status = 'published' OR EXISTS (SELECT 1 FROM ledger_entries l WHERE l.event_id = e.id))
 ORDER BY e.starts_at, e.id`

// EventRooms lists the events of business days that were on sale; eventID 0 is all.
func (q Queries) EventRooms(ctx context.Context, from, to time.Time, eventID int64) ([]EventRoom, error) {
	return rows[EventRoom](ctx, q.q, eventRoomsSQL, pgx.StrictNamedArgs{"from": from, "to": to, "event": eventID})
}

// CheckedIn is how many tickets of a type and channel were let in.
type CheckedIn struct {
	TicketType string
	Channel    string
	Count      int
}

const checkedInSQL = `
SELECT t.ticket_type, b.channel, count(*)::int AS count
  FROM checkins k
  JOIN tickets t ON t.event_id = k.event_id AND t.id = k.ticket_id
  JOIN bookings b ON b.id = t.booking_id
 WHERE k.event_id = @event AND k.undone_at IS NULL
 GROUP BY 1, 2`

// CheckedInOf counts who was let in to an event.
func (q Queries) CheckedInOf(ctx context.Context, eventID int64) ([]CheckedIn, error) {
	return rows[CheckedIn](ctx, q.q, checkedInSQL, pgx.StrictNamedArgs{"event": eventID})
}

// AgentSum is what one agent sold, from the ledger.
type AgentSum struct {
	Agent    string // the hold's holder: "agent:7"
	Currency string
	Sold     int
	Returned int
	Amount   int64
	Tax      int64
	Received int64 // by every tender
	Refunded int64 // positive
}

const agentSumsSQL = `
SELECT h.holder AS agent, l.currency, count(*) FILTER (WHERE l.kind = 'sale')::int AS sold, count(*) FILTER (WHERE l.kind = 'sale_reversal')::int AS returned,
       coalesce(sum(l.amount) FILTER (WHERE l.kind IN ('sale', 'sale_reversal')), 0)::bigint AS amount,
       coalesce(sum(l.tax) FILTER (WHERE l.kind IN ('sale', 'sale_reversal')), 0)::bigint AS tax,
       coalesce(sum(l.amount) FILTER (WHERE l.kind = 'payment' AND l.tender <> 'exchange'), 0)::bigint AS received,
       coalesce(-sum(l.amount) FILTER (WHERE l.kind = 'refund' AND l.tender <> 'exchange'), 0)::bigint AS refunded
  FROM ledger_entries l
  JOIN payments p ON p.id = l.payment_id
  JOIN holds h ON h.id = p.hold_id
 WHERE l.business_day BETWEEN @from AND @to AND h.channel = 'agent'
   AND (l.channel = 'agent' OR l.channel = '')
 GROUP BY 1, 2
 ORDER BY 1, 2`

// AgentSums adds up what agents sold and gave back on business days.
func (q Queries) AgentSums(ctx context.Context, from, to time.Time) ([]AgentSum, error) {
	return rows[AgentSum](ctx, q.q, agentSumsSQL, pgx.StrictNamedArgs{"from": from, "to": to})
}
