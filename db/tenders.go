package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

const shareShiftSQL = `SELECT id FROM shifts WHERE staff_id = @staff AND closed_at IS NULL FOR SHARE`

// ShareShift is the open shift of somebody, which nobody can close before the
// transaction ends; domain.ErrNoShift when there is none.
func (t *Tx) ShareShift(ctx context.Context, staffID int64) (int64, error) {
	ids, err := column[int64](ctx, t.q, shareShiftSQL, pgx.StrictNamedArgs{"staff": staffID})
	if err != nil {
		return 0, err
	}
	if len(ids) == 0 {
		return 0, domain.ErrNoShift
	}
	return ids[0], nil
}

// Tender is money that staff took themselves for a hold.
type Tender struct {
	Kind     string // cash, terminal, comp, exchange
	Amount   int64  // minor units of the hold's currency; 0 for comp
	Tendered int64  // cash put on the counter; 0 when it was not typed
	Words    string // the reason of a comp; of an exchange, the tender that the money came by first
	Intent   string // of exchange: the payment intent that the money came by, "" for none
}

const insertTenderSQL = `
INSERT INTO payments (hold_id, event_id, tender, state, outcome, amount, currency, received, received_at, description, email, shift_id, staff_id,
                      tendered, stripe_payment_intent_id)
VALUES (@hold, @event, @tender, 'applied', 'booked', @amount, @currency, @amount, now(), @words, @email, @shift, @staff,
        nullif(@tendered::bigint, 0), nullif(@intent, ''))
RETURNING id`

// InsertTender records money that is there already: the payment is applied from its
// first moment. The hold's row must be locked or new.
// shiftID is nil when no money went through a till.
func (t *Tx) InsertTender(ctx context.Context, h *domain.Hold, x Tender, shiftID *int64, staffID int64) (int64, error) {
	return scalar[int64](ctx, t.q, insertTenderSQL, pgx.StrictNamedArgs{
		"hold": h.ID, "event": h.EventID, "tender": x.Kind, "amount": x.Amount, "currency": h.Currency, "words": x.Words, "email": h.Email,
		"shift": shiftID, "staff": staffID, "tendered": x.Tendered, "intent": x.Intent,
	})
}

const refundByTillSQL = `
UPDATE refunds SET state = 'succeeded', tender = @tender, shift_id = @shift, staff_id = @staff, updated_at = now()
 WHERE id = @id AND state = 'requested'`

// RefundByTill records that a refund was handed over at the counter. Before
// LedgerRefund, which enters it in that shift.
func (t *Tx) RefundByTill(ctx context.Context, id int64, tender string, shiftID, staffID int64) error {
	return one(exec(ctx, t.q, refundByTillSQL, pgx.StrictNamedArgs{"id": id, "tender": tender, "shift": shiftID, "staff": staffID}))
}

const refundTenderSQL = `UPDATE refunds SET tender = CASE WHEN @online THEN 'stripe' ELSE 'cash' END WHERE id = @id AND state = 'requested'`

// SetRefundTender says how a refund of what came by way of an exchange goes back: through
// Stripe to the card that paid first, or in cash. Before LedgerRefund.
func (t *Tx) SetRefundTender(ctx context.Context, id int64, online bool) error {
	return one(exec(ctx, t.q, refundTenderSQL, pgx.StrictNamedArgs{"id": id, "online": online}))
}

const exchangeRefundSQL = `UPDATE refunds SET state = 'succeeded', tender = 'exchange', updated_at = now() WHERE id = @id AND state = 'requested'`

// RefundByExchange records that a refund became part of another payment in the same
// transaction. Before LedgerRefund.
func (t *Tx) RefundByExchange(ctx context.Context, id int64) error {
	return one(exec(ctx, t.q, exchangeRefundSQL, pgx.StrictNamedArgs{"id": id}))
}

const exchangedSQL = `UPDATE bookings SET exchanged_from = @from WHERE id = @id`

// Exchanged notes which booking's tickets were given back for this one.
func (t *Tx) Exchanged(ctx context.Context, bookingID, from int64) error {
	return one(exec(ctx, t.q, exchangedSQL, pgx.StrictNamedArgs{"id": bookingID, "from": from}))
}

const exchangeTicketsSQL = `
UPDATE tickets o SET exchanged_event = n.event_id, exchanged_ticket = n.id
  FROM unnest(@tickets::bigint[], @seats::text[]) AS u(id, seat_no)
  JOIN tickets n ON n.event_id = @to_event AND n.booking_id = @to_booking AND n.seat_no = u.seat_no
 WHERE o.event_id = @event AND o.id = u.id`

// ExchangeTickets notes for each ticket of a booking which seat of the new one it became.
func (t *Tx) ExchangeTickets(ctx context.Context, old Booking, tickets []int64, eventID, bookingID int64, seats []string) error {
	_, err := exec(ctx, t.q, exchangeTicketsSQL, pgx.StrictNamedArgs{
		"event": old.EventID, "tickets": tickets, "to_event": eventID, "to_booking": bookingID, "seats": seats,
	})
	return err
}

const exchangedToSQL = bookingColumns + `WHERE exchanged_from = @id ORDER BY id`

// ExchangedTo lists the bookings that tickets of this one were given back for.
func (q Queries) ExchangedTo(ctx context.Context, bookingID int64) ([]Booking, error) {
	return rows[Booking](ctx, q.q, exchangedToSQL, pgx.StrictNamedArgs{"id": bookingID})
}

const soldBySQL = `UPDATE bookings SET sold_by = @staff WHERE id = @id`

// SoldBy notes who sold a booking.
func (t *Tx) SoldBy(ctx context.Context, bookingID, staffID int64) error {
	return one(exec(ctx, t.q, soldBySQL, pgx.StrictNamedArgs{"id": bookingID, "staff": staffID}))
}

// A person has one open shift at a time, so what they sold since it was opened is of it.
const soldInShiftSQL = `
SELECT EXISTS (SELECT 1 FROM bookings b JOIN shifts h ON h.staff_id = b.sold_by
                WHERE b.id = @booking AND h.id = @shift AND h.closed_at IS NULL AND b.created_at >= h.opened_at)`

// SoldInShift tells whether a booking was sold by the person whose open shift it is, in
// that shift; false for a shift that is closed.
func (q Queries) SoldInShift(ctx context.Context, bookingID, shiftID int64) (bool, error) {
	return scalar[bool](ctx, q.q, soldInShiftSQL, pgx.StrictNamedArgs{"booking": bookingID, "shift": shiftID})
}

// HandedBack is what went back by one tender.
type HandedBack struct {
	Tender string
	Amount int64
}

const handedBackSQL = `
SELECT coalesce(r.tender, p.tender) AS tender, sum(r.amount)::bigint AS amount
  FROM payments p JOIN refunds r ON r.payment_id = p.id
 WHERE p.hold_id = @hold AND r.id > @after
 GROUP BY 1 ORDER BY 1`

// HandedBack adds up the refunds of a hold that came after one, by tender.
func (q Queries) HandedBack(ctx context.Context, holdID string, after int64) ([]HandedBack, error) {
	return rows[HandedBack](ctx, q.q, handedBackSQL, pgx.StrictNamedArgs{"hold": holdID, "after": after})
}
