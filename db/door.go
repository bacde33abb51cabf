package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

const passengersSQL = `
SELECT t.id AS ticket_id, t.booking_id, t.code_version, t.seat_no, t.from_stop, t.to_stop,
       coalesce(nullif(t.passenger, ''), b.name) AS name, b.phone, y.name AS type_name, b.reference, b.channel, h.label,
       t.state AS ticket_state, b.state AS booking_state, ` + isPaid + ` AS paid, ` + isMoneyBack + ` AS money_back, ` + isDisputed + ` AS disputed,
       t.exchanged_ticket IS NOT NULL AS exchanged, b.staff_note,
       coalesce(c.id, 0) AS entry_id, coalesce(c.place, '') AS entry_place, coalesce(s.name, '') AS entry_who, coalesce(c.reason, '') AS entry_reason,
       c.at AS entry_at
  FROM tickets t
  JOIN bookings b ON b.id = t.booking_id
  JOIN holds h ON h.id = b.hold_id
  JOIN ticket_types y ON y.code = t.ticket_type
  LEFT JOIN checkins c ON c.event_id = t.event_id AND c.ticket_id = t.id AND c.undone_at IS NULL
  LEFT JOIN staff s ON s.id = c.staff_id
 WHERE t.event_id = @event
 ORDER BY t.id`

// Passengers lists every ticket of an event, the cancelled ones too.
func (q Queries) Passengers(ctx context.Context, eventID int64) ([]domain.Passenger, error) {
	return rows[domain.Passenger](ctx, q.q, passengersSQL, pgx.StrictNamedArgs{"event": eventID})
}

// DoorEvent is an event that people come in to.
type DoorEvent struct {
	ID               int64
	Kind             string
	Status           string
	StartsAt, EndsAt time.Time
	TimeZone         string
	Title            string // film, or route
	Resource         string
	Sold, InNow      int
	Now              time.Time
}

const doorEventsSQL = `
SELECT e.id, e.kind, e.status, e.starts_at, e.ends_at, e.time_zone, coalesce(f.title, o.name, '') AS title, coalesce(r.name, '') AS resource,
       n.sold, n.in_now, now() AS now
  FROM events e
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes o ON o.id = e.route_id
  LEFT JOIN resources r ON r.id = e.resource_id
 CROSS JOIN LATERAL (
       SELECT count(*) AS sold, count(t.checked_in_at) AS in_now FROM tickets t WHERE t.event_id = e.id AND t.state = 'valid') n
 WHERE e.status <> 'draft' AND (e.business_day = business_day_of(now()) OR e.starts_at <= now() AND e.ends_at > now())
 ORDER BY e.starts_at, e.id`

// DoorEvents lists the events of the house's day and those that still run, no drafts.
func (q Queries) DoorEvents(ctx context.Context) ([]DoorEvent, error) {
	return rows[DoorEvent](ctx, q.q, doorEventsSQL, nil)
}

// DoorConflict is somebody let in by a door without a line with a ticket that was not
// good any more, and who came in with it.
type DoorConflict struct {
	ID, TicketID int64
	SeatNo       string
	Verdict      string
	Place, Who   string
	At           time.Time
	FirstPlace   string // of the letting-in that stands, "" when there is none
	FirstWho     string
	FirstAt      *time.Time
}

const doorConflictsSQL = `
SELECT k.id, k.ticket_id, t.seat_no, k.verdict, k.place, s.name AS who, k.at,
       coalesce(c.place, '') AS first_place, coalesce(f.name, '') AS first_who, c.at AS first_at
  FROM door_conflicts k
  JOIN tickets t ON t.event_id = k.event_id AND t.id = k.ticket_id
  JOIN staff s ON s.id = k.staff_id
  LEFT JOIN checkins c ON c.event_id = k.event_id AND c.ticket_id = k.ticket_id AND c.undone_at IS NULL
  LEFT JOIN staff f ON f.id = c.staff_id
 WHERE k.event_id = @event
 ORDER BY k.at, k.id`

// DoorConflicts lists those of an event, the oldest first.
func (q Queries) DoorConflicts(ctx context.Context, eventID int64) ([]DoorConflict, error) {
	return rows[DoorConflict](ctx, q.q, doorConflictsSQL, pgx.StrictNamedArgs{"event": eventID})
}

const insertConflictSQL = `
INSERT INTO door_conflicts (event_id, ticket_id, key, verdict, staff_id, place, at)
SELECT t.event_id, t.id, @key, @verdict, @staff, @place, @at FROM tickets t WHERE t.event_id = @event AND t.id = @ticket
ON CONFLICT DO NOTHING
RETURNING id`

// InsertConflict keeps one; domain.ErrNotFound when it is kept already, or when there is
// no such ticket.
func (t *Tx) InsertConflict(ctx context.Context, e NewEntry, verdict string) (int64, error) {
	return scalar[int64](ctx, t.q, insertConflictSQL, pgx.StrictNamedArgs{
		"event": e.EventID, "ticket": e.TicketID, "key": e.Key, "verdict": verdict, "staff": e.StaffID, "place": e.Place, "at": e.At,
	})
}

// LegSeats is how many seats of a leg are free.
type LegSeats struct{ Leg, Free, Seats int }

const legSeatsSQL = `
SELECT leg, count(*) FILTER (WHERE state = 'available' OR state IN ('held', 'blocked') AND held_until < now()) AS free, count(*) AS seats
  FROM event_seats WHERE event_id = @event GROUP BY leg ORDER BY leg`

// LegSeats counts them for each leg of an event.
func (q Queries) LegSeats(ctx context.Context, eventID int64) ([]LegSeats, error) {
	return rows[LegSeats](ctx, q.q, legSeatsSQL, pgx.StrictNamedArgs{"event": eventID})
}
