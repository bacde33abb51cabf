package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const lockBookingSQL = bookingColumns + `WHERE id = @id FOR UPDATE`

// LockBooking reads and locks a booking, after its payment and hold.
func (t *Tx) LockBooking(ctx context.Context, id int64) (Booking, error) {
	return row[Booking](ctx, t.q, lockBookingSQL, pgx.StrictNamedArgs{"id": id})
}

const bookedPaymentSQL = paymentColumns + `WHERE hold_id = @hold AND outcome = 'booked' ORDER BY id LIMIT 1`

// BookedPayment is the attempt that paid a booking; domain.ErrNotFound.
func (q Queries) BookedPayment(ctx context.Context, holdID string) (Payment, error) {
	return row[Payment](ctx, q.q, bookedPaymentSQL, pgx.StrictNamedArgs{"hold": holdID})
}

const lockBookedSQL = paymentColumns + `WHERE hold_id = @hold AND outcome = 'booked' ORDER BY id FOR UPDATE`

// LockBooked reads and locks what paid for a booking: one attempt, or the parts of a
// split tender.
func (t *Tx) LockBooked(ctx context.Context, holdID string) ([]Payment, error) {
	return rows[Payment](ctx, t.q, lockBookedSQL, pgx.StrictNamedArgs{"hold": holdID})
}

const dropTicketLegsSQL = `DELETE FROM ticket_legs WHERE event_id = @event AND ticket_id = ANY(@tickets)`

const cancelTicketsSQL = `
UPDATE tickets SET state = 'cancelled', cancelled_at = now()
 WHERE event_id = @event AND id = ANY(@tickets) AND booking_id = @booking AND state = 'valid'`

const cancelBookingSQL = `
UPDATE bookings b SET state = 'cancelled'
 WHERE b.id = @booking AND NOT EXISTS (SELECT 1 FROM tickets t WHERE t.event_id = b.event_id AND t.booking_id = b.id AND t.state = 'valid')`

const ledgerReversalSQL = `
INSERT INTO ledger_entries (kind, amount, currency, tax, channel, ticket_type, event_id, booking_id, payment_id, ticket_id, shift_id, staff_id)
SELECT 'sale_reversal', -t.price, b.currency, -t.tax, b.channel, t.ticket_type, t.event_id, b.id, @payment, t.id, @shift, @staff
  FROM bookings b JOIN tickets t ON t.booking_id = b.id AND t.event_id = b.event_id
 WHERE b.id = @booking AND t.id = ANY(@tickets)
 ORDER BY t.id`

// CancelTickets makes tickets of a booking invalid, the booking too when none is left,
// and takes them out of the ledger's sales. It returns how many were valid; their
// seats are freed by FreeBooked in the same transaction. shiftID and staffID are nil
// when no till is behind it.
func (t *Tx) CancelTickets(ctx context.Context, b Booking, ticketIDs []int64, paymentID int64, shiftID, staffID *int64) (int64, error) {
	args := pgx.StrictNamedArgs{"event": b.EventID, "tickets": ticketIDs}
	if _, err := exec(ctx, t.q, dropTicketLegsSQL, args); err != nil {
		return 0, err
	}
	n, err := exec(ctx, t.q, cancelTicketsSQL, pgx.StrictNamedArgs{"event": b.EventID, "tickets": ticketIDs, "booking": b.ID})
	if err != nil {
		return 0, err
	}
	if _, err := exec(ctx, t.q, ledgerReversalSQL, pgx.StrictNamedArgs{"booking": b.ID, "tickets": ticketIDs, "payment": paymentID, "shift": shiftID, "staff": staffID}); err != nil {
		return 0, err
	}
	_, err = exec(ctx, t.q, cancelBookingSQL, pgx.StrictNamedArgs{"booking": b.ID})
	return n, err
}

const ledgerFeeSQL = `
INSERT INTO ledger_entries (kind, amount, tax, currency, tender, channel, event_id, booking_id, payment_id)
SELECT 'fee', @amount, @tax, p.currency, p.tender, b.channel, b.event_id, b.id, p.id
  FROM bookings b JOIN payments p ON p.id = @payment
 WHERE b.id = @booking`

// LedgerFee enters what a cancellation kept, with the tax in it: the tickets' price less
// the refund. It may be negative when more goes back than the tickets cost.
func (t *Tx) LedgerFee(ctx context.Context, bookingID, paymentID, amount, tax int64) error {
	_, err := exec(ctx, t.q, ledgerFeeSQL, pgx.StrictNamedArgs{"booking": bookingID, "payment": paymentID, "amount": amount, "tax": tax})
	return err
}

const cancelEventSQL = `UPDATE events SET status = 'cancelled' WHERE id = @id AND status = 'published'`

// CancelEvent ends an event's sale for good; false when it was not published.
func (t *Tx) CancelEvent(ctx context.Context, id int64) (bool, error) {
	n, err := exec(ctx, t.q, cancelEventSQL, pgx.StrictNamedArgs{"id": id})
	return n == 1, err
}

const confirmedBookingsSQL = `SELECT id FROM bookings WHERE event_id = @event AND state = 'confirmed' ORDER BY id`

// ConfirmedBookings lists the bookings of an event that stand.
func (q Queries) ConfirmedBookings(ctx context.Context, eventID int64) ([]int64, error) {
	return column[int64](ctx, q.q, confirmedBookingsSQL, pgx.StrictNamedArgs{"event": eventID})
}

const activeHoldsOfEventSQL = `SELECT id::text FROM holds WHERE event_id = @event AND state = 'active' ORDER BY id`

// ActiveHoldsOfEvent lists the holds of an event that nobody converted or released.
func (q Queries) ActiveHoldsOfEvent(ctx context.Context, eventID int64) ([]string, error) {
	return column[string](ctx, q.q, activeHoldsOfEventSQL, pgx.StrictNamedArgs{"event": eventID})
}

// Progress is how far the refunds of a cancelled event are.
type Progress struct {
	Bookings  int // cancelled with the event
	Left      int // still confirmed
	Requested int // refunds that wait, with their reason in the row
	Pending   int // at the bank
	ByHand    int // somebody has to give it back at the counter
	Succeeded int
	Failed    int
}

const progressSQL = `
SELECT (SELECT count(*) FROM bookings b WHERE b.event_id = @event AND b.state = 'cancelled') AS bookings,
       (SELECT count(*) FROM bookings b WHERE b.event_id = @event AND b.state = 'confirmed') AS left,
       count(*) FILTER (WHERE r.state = 'requested') AS requested, count(*) FILTER (WHERE r.state = 'pending' AND p.stripe_payment_intent_id IS NOT NULL) AS pending,
       count(*) FILTER (WHERE r.state = 'pending' AND p.stripe_payment_intent_id IS NULL) AS by_hand,
       count(*) FILTER (WHERE r.state = 'succeeded') AS succeeded, count(*) FILTER (WHERE r.state = 'failed') AS failed
  FROM refunds r JOIN payments p ON p.id = r.payment_id WHERE r.event_id = @event AND r.reason = 'event_cancelled'`

// CancelProgress counts what is done of a cancelled event.
func (q Queries) CancelProgress(ctx context.Context, eventID int64) (Progress, error) {
	return row[Progress](ctx, q.q, progressSQL, pgx.StrictNamedArgs{"event": eventID})
}
