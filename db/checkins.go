package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Entry is one letting-in of a ticket.
type Entry struct {
	ID        int64
	Key       string
	Place     string // the door or the stop, in words
	Who       string // the name of the staff member
	Reason    string
	At        time.Time // when it was scanned
	EnteredAt time.Time // when it was written down
	UndoneAt  *time.Time
}

// DoorFacts is what decides whether a ticket is let in.
type DoorFacts struct {
	BookingID    int64
	TicketState  string
	BookingState string
	EventStatus  string
	SeatNo       string
	CodeVersion  int
	IsIn         bool
	Paid         bool
	// MoneyBack: all the money was refunded in Stripe by hand and nobody has decided
	// about the tickets yet.
	MoneyBack bool
	Disputed  bool // a chargeback that was not won and that nobody decided about
	Now       time.Time
}

// What stops a ticket until the office decides, of a booking b: Paid, MoneyBack and
// Disputed of DoorFacts. An inquiry of a bank is no dispute.
const (
	isPaid = `EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = b.hold_id AND p.outcome = 'booked')`

	// Of its own payment, or of the one that its tickets were exchanged from.
	isMoneyBack = `EXISTS (
  SELECT 1 FROM payments p JOIN payments o ON o.id = p.id OR o.stripe_payment_intent_id = p.stripe_payment_intent_id
    JOIN staff_tasks k ON k.payment_id = o.id AND k.kind = 'dashboard_refund' AND k.state = 'open'
   WHERE p.hold_id = b.hold_id AND p.outcome = 'booked' AND o.received > 0
     AND o.received <= (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = o.id AND r.state <> 'failed'))`

	isDisputed = `EXISTS (
  SELECT 1 FROM payments p JOIN payments o ON o.id = p.id OR o.stripe_payment_intent_id = p.stripe_payment_intent_id
    JOIN disputes d ON d.payment_id = o.id
   WHERE p.hold_id = b.hold_id AND NOT d.inquiry AND d.status <> 'won' AND d.decided_at IS NULL)`
)

const doorFactsSQL = `
SELECT b.id AS booking_id, t.state AS ticket_state, b.state AS booking_state, e.status AS event_status, t.seat_no, t.code_version,
       t.checked_in_at IS NOT NULL AS is_in, ` + isPaid + ` AS paid, ` + isMoneyBack + ` AS money_back, ` + isDisputed + ` AS disputed,
       now() AS now
  FROM tickets t JOIN bookings b ON b.id = t.booking_id JOIN events e ON e.id = t.event_id
 WHERE t.event_id = @event AND t.id = @ticket`

// DoorFacts reads them; domain.ErrNotFound.
func (q Queries) DoorFacts(ctx context.Context, eventID, ticketID int64) (DoorFacts, error) {
	return row[DoorFacts](ctx, q.q, doorFactsSQL, pgx.StrictNamedArgs{"event": eventID, "ticket": ticketID})
}

const entryColumns = `
SELECT c.id, c.key, c.place, s.name AS who, c.reason, c.at, c.entered_at, c.undone_at
  FROM checkins c JOIN staff s ON s.id = c.staff_id
 WHERE c.event_id = @event AND c.ticket_id = @ticket `

const entrySQL = entryColumns + `AND c.undone_at IS NULL`

// Entry is the letting-in of a ticket that stands; domain.ErrNotFound when it is not in.
func (q Queries) Entry(ctx context.Context, eventID, ticketID int64) (Entry, error) {
	return row[Entry](ctx, q.q, entrySQL, pgx.StrictNamedArgs{"event": eventID, "ticket": ticketID})
}

const entryByKeySQL = entryColumns + `AND c.key = @key`

// EntryByKey is the letting-in that a press made, undone or not; domain.ErrNotFound.
func (q Queries) EntryByKey(ctx context.Context, eventID, ticketID int64, key string) (Entry, error) {
	return row[Entry](ctx, q.q, entryByKeySQL, pgx.StrictNamedArgs{"event": eventID, "ticket": ticketID, "key": key})
}

// NewEntry is what CheckIn stores.
type NewEntry struct {
	EventID, TicketID int64
	Key               string
	StaffID           int64
	Place, Reason     string
	Knowing           bool // in spite of what stops a ticket until the office decides
	At                time.Time
}

// Two doors fight for the ticket's row: the second one waits, looks again at
// checked_in_at and changes nothing.
const checkInSQL = `
WITH let_in AS (
  UPDATE tickets t SET checked_in_at = @at
    FROM bookings b, events e
   WHERE t.event_id = @event AND t.id = @ticket AND t.state = 'valid' AND t.checked_in_at IS NULL
     AND b.id = t.booking_id AND b.state = 'confirmed' AND e.id = t.event_id AND e.status <> 'cancelled'
     AND (@knowing OR ` + isPaid + ` AND NOT ` + isMoneyBack + ` AND NOT ` + isDisputed + `)
  RETURNING t.event_id, t.id)
INSERT INTO checkins (event_id, ticket_id, key, staff_id, place, reason, at)
SELECT event_id, id, @key, @staff, @place, @reason, @at FROM let_in
RETURNING id`

// CheckIn lets a ticket in, or changes nothing and returns domain.ErrNotFound: it is in
// already, or may not come in. domain.ErrConflict: this key let it in before.
func (t *Tx) CheckIn(ctx context.Context, e NewEntry) (int64, error) {
	return scalar[int64](ctx, t.q, checkInSQL, pgx.StrictNamedArgs{
		"event": e.EventID, "ticket": e.TicketID, "key": e.Key, "staff": e.StaffID, "place": e.Place, "reason": e.Reason, "knowing": e.Knowing, "at": e.At,
	})
}

const undoCheckInSQL = `
WITH back AS (
  UPDATE checkins SET undone_at = now()
   WHERE event_id = @event AND ticket_id = @ticket AND id = @entry AND undone_at IS NULL
     AND (@late OR entered_at > now() - make_interval(secs => @seconds::int))
  RETURNING event_id, ticket_id)
UPDATE tickets t SET checked_in_at = NULL FROM back WHERE t.event_id = back.event_id AND t.id = back.ticket_id`

// UndoCheckIn takes one letting-in back that is at most so many seconds old, or of any
// age when late; domain.ErrConflict when there is none that can be.
func (t *Tx) UndoCheckIn(ctx context.Context, eventID, ticketID, entryID int64, seconds int, late bool) error {
	return one(exec(ctx, t.q, undoCheckInSQL, pgx.StrictNamedArgs{"event": eventID, "ticket": ticketID, "entry": entryID, "seconds": seconds, "late": late}))
}

const doorCountSQL = `
SELECT count(*) FILTER (WHERE checked_in_at IS NOT NULL)::int AS in_now, count(*)::int AS of
  FROM tickets WHERE event_id = @event AND state = 'valid'`

// DoorCount is how many of an event's valid tickets are in.
type DoorCount struct{ InNow, Of int }

// DoorCount counts them.
func (q Queries) DoorCount(ctx context.Context, eventID int64) (DoorCount, error) {
	return row[DoorCount](ctx, q.q, doorCountSQL, pgx.StrictNamedArgs{"event": eventID})
}
