package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Seated is a seat of an event that somebody has: by a valid ticket, or held now.
type Seated struct {
	TicketID    int64  // 0 of a hold
	HoldID      string // "" of a ticket
	BookingID   int64  // 0 of a hold
	Reference   string
	SeatNo      string
	FromStop    int
	ToStop      int
	Woman       bool // who holds it said so
	WomenBeside bool
	Passenger   string
	Name, Phone string
	Email       string
	Label       string // of a hold of the counter
}

const seatedSQL = `
SELECT t.id AS ticket_id, '' AS hold_id, b.id AS booking_id, b.reference, t.seat_no, t.from_stop, t.to_stop, t.women_beside AS woman, t.women_beside,
       t.passenger, b.name, b.phone, b.email, '' AS label
  FROM tickets t JOIN bookings b ON b.id = t.booking_id
 WHERE t.event_id = @event AND t.state = 'valid'
UNION ALL
SELECT 0, h.id::text, 0, '', x.seat_no, h.from_stop, h.to_stop, x.woman, false, x.passenger, h.name, h.phone, h.email, h.label
  FROM holds h JOIN hold_seats x ON x.event_id = h.event_id AND x.hold_id = h.id
 WHERE h.event_id = @event AND h.state = 'active'
   AND EXISTS (SELECT 1 FROM event_seats s
                WHERE s.event_id = h.event_id AND s.seat_no = x.seat_no AND s.hold_id = h.id AND s.held_until >= now())
 ORDER BY booking_id, hold_id, ticket_id, seat_no`

// Seated lists who has a seat of an event now.
func (q Queries) Seated(ctx context.Context, eventID int64) ([]Seated, error) {
	return rows[Seated](ctx, q.q, seatedSQL, pgx.StrictNamedArgs{"event": eventID})
}

const dropLegsOfSQL = `DELETE FROM ticket_legs WHERE event_id = @event`

const reseatTicketsSQL = `
UPDATE tickets t SET seat_no = u.seat_no
  FROM unnest(@tickets::bigint[], @seats::text[]) AS u(id, seat_no)
 WHERE t.event_id = @event AND t.id = u.id AND t.state = 'valid'`

// ReseatTickets writes other seats on tickets of a locked event and takes the legs of all
// its tickets away: PutTicketLegs makes them again once the seats are there. Codes stay.
func (t *Tx) ReseatTickets(ctx context.Context, eventID int64, tickets []int64, seats []string) error {
	if _, err := exec(ctx, t.q, dropLegsOfSQL, pgx.StrictNamedArgs{"event": eventID}); err != nil {
		return err
	}
	_, err := exec(ctx, t.q, reseatTicketsSQL, pgx.StrictNamedArgs{"event": eventID, "tickets": tickets, "seats": seats})
	return err
}

const putTicketLegsSQL = `
INSERT INTO ticket_legs (ticket_id, event_id, seat_no, leg)
SELECT t.id, t.event_id, t.seat_no, l.leg
  FROM tickets t, generate_series(t.from_stop + 1, t.to_stop) AS l(leg)
 WHERE t.event_id = @event AND t.state = 'valid'
 ORDER BY t.seat_no, l.leg`

// PutTicketLegs makes the legs of all valid tickets of an event. domain.ErrConflict: two
// would have a seat on a leg.
func (t *Tx) PutTicketLegs(ctx context.Context, eventID int64) error {
	_, err := exec(ctx, t.q, putTicketLegsSQL, pgx.StrictNamedArgs{"event": eventID})
	return err
}

const swapEventSQL = `
UPDATE events SET resource_id = @resource, layout_version_id = @version, revision = revision + 1 WHERE id = @id RETURNING revision`

// SwapEvent gives a locked event another hall or coach and version, and answers its new
// revision. domain.ErrOverlap: that one is in use then.
func (t *Tx) SwapEvent(ctx context.Context, id int64, resourceID *int64, versionID int64) (int, error) {
	return scalar[int](ctx, t.q, swapEventSQL, pgx.StrictNamedArgs{"id": id, "resource": resourceID, "version": versionID})
}

// EventSwap is an event that went to another hall, coach or version with its people.
type EventSwap struct {
	ID            int64
	EventID       int64
	At            time.Time
	Who           string
	FromResource  *int64
	ToResource    *int64
	FromName      string // of the resource, "" for none
	ToName        string
	FromVersion   int64
	ToVersion     int64
	EventRevision int
	UndoneAt      *time.Time
	ToldAt        *time.Time
}

const insertSwapSQL = `
INSERT INTO event_swaps (event_id, actor, from_resource, to_resource, from_version, to_version, event_revision)
VALUES (@event, @actor, @from_resource, @to_resource, @from_version, @to_version, @revision) RETURNING id`

// InsertSwap stores one; Who is the actor.
func (t *Tx) InsertSwap(ctx context.Context, x EventSwap) (int64, error) {
	return scalar[int64](ctx, t.q, insertSwapSQL, pgx.StrictNamedArgs{
		"event": x.EventID, "actor": x.Who, "from_resource": x.FromResource, "to_resource": x.ToResource,
		"from_version": x.FromVersion, "to_version": x.ToVersion, "revision": x.EventRevision,
	})
}

const swapColumns = `
SELECT w.id, w.event_id, w.at, coalesce(s.name, w.actor) AS who, w.from_resource, w.to_resource, coalesce(f.name, '') AS from_name,
       coalesce(o.name, '') AS to_name, w.from_version, w.to_version, w.event_revision, w.undone_at, w.told_at
  FROM event_swaps w
  LEFT JOIN staff s ON w.actor = 'staff:' || s.id
  LEFT JOIN resources f ON f.id = w.from_resource
  LEFT JOIN resources o ON o.id = w.to_resource `

const lastSwapSQL = swapColumns + `WHERE w.event_id = @event AND w.undone_at IS NULL ORDER BY w.id DESC LIMIT 1`

// LastSwap is the newest swap of an event that stands; domain.ErrNotFound.
func (q Queries) LastSwap(ctx context.Context, eventID int64) (EventSwap, error) {
	return row[EventSwap](ctx, q.q, lastSwapSQL, pgx.StrictNamedArgs{"event": eventID})
}

const swapSQL = swapColumns + `WHERE w.id = @id`

// Swap reads one; domain.ErrNotFound.
func (q Queries) Swap(ctx context.Context, id int64) (EventSwap, error) {
	return row[EventSwap](ctx, q.q, swapSQL, pgx.StrictNamedArgs{"id": id})
}

// Elsewhere tells whether the event went to another hall or coach, and not only to
// another version of its plan.
func (x EventSwap) Elsewhere() bool {
	return x.ToResource != nil && (x.FromResource == nil || *x.FromResource != *x.ToResource)
}

// SeatMove is whose seat became which.
type SeatMove struct {
	TicketID *int64
	HoldID   *string
	FromSeat string
	ToSeat   string
}

const insertMovesSQL = `
INSERT INTO seat_moves (swap_id, event_id, ticket_id, hold_id, from_seat, to_seat)
SELECT @swap, @event, nullif(u.ticket, 0), nullif(u.hold, '')::uuid, u.from_seat, u.to_seat
  FROM unnest(@tickets::bigint[], @holds::text[], @from::text[], @to::text[]) AS u(ticket, hold, from_seat, to_seat)`

// InsertMoves stores the moves of a swap.
func (t *Tx) InsertMoves(ctx context.Context, swapID, eventID int64, list []SeatMove) error {
	var tickets []int64
	var holds, from, to []string
	for _, m := range list {
		ticket, hold := int64(0), ""
		if m.TicketID != nil {
			ticket = *m.TicketID
		}
		if m.HoldID != nil {
			hold = *m.HoldID
		}
		tickets, holds, from, to = append(tickets, ticket), append(holds, hold), append(from, m.FromSeat), append(to, m.ToSeat)
	}
	_, err := exec(ctx, t.q, insertMovesSQL, pgx.StrictNamedArgs{"swap": swapID, "event": eventID, "tickets": tickets, "holds": holds, "from": from, "to": to})
	return err
}

const movesOfSQL = `SELECT ticket_id, hold_id::text AS hold_id, from_seat, to_seat FROM seat_moves WHERE swap_id = @swap ORDER BY id`

// MovesOf lists the moves of a swap.
func (q Queries) MovesOf(ctx context.Context, swapID int64) ([]SeatMove, error) {
	return rows[SeatMove](ctx, q.q, movesOfSQL, pgx.StrictNamedArgs{"swap": swapID})
}

const undoSwapSQL = `UPDATE event_swaps SET undone_at = now() WHERE id = @id AND undone_at IS NULL AND told_at IS NULL`

// UndoneSwap marks a swap undone; domain.ErrConflict when it was, or people were told.
func (t *Tx) UndoneSwap(ctx context.Context, id int64) error {
	return one(exec(ctx, t.q, undoSwapSQL, pgx.StrictNamedArgs{"id": id}))
}

const toldSwapSQL = `UPDATE event_swaps SET told_at = now() WHERE id = @id AND undone_at IS NULL AND told_at IS NULL`

// ToldSwap marks that people are told; domain.ErrConflict when they were, or it was undone.
func (t *Tx) ToldSwap(ctx context.Context, id int64) error {
	return one(exec(ctx, t.q, toldSwapSQL, pgx.StrictNamedArgs{"id": id}))
}

const swapPeopleSQL = `
SELECT b.event_id, b.id AS booking_id, b.email
  FROM event_swaps w JOIN bookings b ON b.event_id = w.event_id
 WHERE w.id = @swap AND b.email <> '' AND b.state = 'confirmed'
   AND EXISTS (SELECT 1 FROM tickets t LEFT JOIN seat_moves m ON m.swap_id = w.id AND m.ticket_id = t.id AND m.to_seat = t.seat_no
                WHERE t.event_id = w.event_id AND t.booking_id = b.id AND t.state = 'valid' AND t.seat_no NOT LIKE 'NOSEAT-%'
                  AND (m.id IS NOT NULL OR w.to_resource IS DISTINCT FROM w.from_resource))
 ORDER BY b.id`

// SwapPeople lists the bookings that a swap is news for and that have an address: their
// seats changed, or the hall or coach did. Who has no seat is called instead.
func (q Queries) SwapPeople(ctx context.Context, swapID int64) ([]Addressee, error) {
	return rows[Addressee](ctx, q.q, swapPeopleSQL, pgx.StrictNamedArgs{"swap": swapID})
}
