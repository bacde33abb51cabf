package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const paymentsOfHoldSQL = paymentColumns + `WHERE hold_id = @hold ORDER BY id`

// PaymentsOfHold lists every attempt to pay a hold.
func (q Queries) PaymentsOfHold(ctx context.Context, holdID string) ([]Payment, error) {
	return rows[Payment](ctx, q.q, paymentsOfHoldSQL, pgx.StrictNamedArgs{"hold": holdID})
}

const mailsAboutSQL = mailColumns + `
 WHERE booking_id = @booking
    OR payment_id IN (SELECT id FROM payments WHERE hold_id = @hold)
    OR refund_id IN (SELECT r.id FROM refunds r JOIN payments p ON p.id = r.payment_id WHERE p.hold_id = @hold)
 ORDER BY id`

// MailsAbout lists the mails about a booking, its payments and its refunds.
func (q Queries) MailsAbout(ctx context.Context, b Booking) ([]Mail, error) {
	return rows[Mail](ctx, q.q, mailsAboutSQL, pgx.StrictNamedArgs{"booking": b.ID, "hold": b.HoldID})
}

// LedgerLine is one money line.
type LedgerLine struct {
	ID        int64
	EnteredAt time.Time
	Kind      string
	Amount    int64
	Currency  string
	Tax       int64
	Tender    string
	PaymentID *int64
	RefundID  *int64
	TicketID  *int64
}

// As an array, so that both sides of OR are looked up in their index.
const ledgerOfBookingSQL = `
SELECT id, entered_at, kind, amount, currency, tax, tender, payment_id, refund_id, ticket_id
  FROM ledger_entries
 WHERE booking_id = @booking OR payment_id = ANY(ARRAY(SELECT id FROM payments WHERE hold_id = @hold))
 ORDER BY id`

// LedgerOfBooking lists the money lines of a booking and of all attempts to pay it.
func (q Queries) LedgerOfBooking(ctx context.Context, b Booking) ([]LedgerLine, error) {
	return rows[LedgerLine](ctx, q.q, ledgerOfBookingSQL, pgx.StrictNamedArgs{"booking": b.ID, "hold": b.HoldID})
}

// TaskLine is an open entry of the staff list.
type TaskLine struct {
	ID        int64
	Kind      string
	Words     string
	CreatedAt time.Time
}

const tasksOfBookingSQL = `
SELECT id, kind, words, created_at FROM staff_tasks
 WHERE state = 'open' AND (booking_id = @booking OR payment_id IN (SELECT id FROM payments WHERE hold_id = @hold))
 ORDER BY id`

// TasksOfBooking lists what a person must still look at about a booking.
func (q Queries) TasksOfBooking(ctx context.Context, b Booking) ([]TaskLine, error) {
	return rows[TaskLine](ctx, q.q, tasksOfBookingSQL, pgx.StrictNamedArgs{"booking": b.ID, "hold": b.HoldID})
}

// DisputeLine is a cardholder's complaint about a payment.
type DisputeLine struct {
	ID        string
	PaymentID int64
	Amount    int64
	Currency  string
	Status    string
	Inquiry   bool
	Closed    bool
	DecidedAt *time.Time
	CreatedAt time.Time
}

const disputesOfBookingSQL = `
SELECT d.id, d.payment_id, d.amount, d.currency, d.status, d.inquiry, d.closed, d.decided_at, d.created_at
  FROM disputes d JOIN payments p ON p.id = d.payment_id
 WHERE p.hold_id = @hold
 ORDER BY d.created_at, d.id`

// DisputesOfBooking lists the complaints about what was paid for a booking.
func (q Queries) DisputesOfBooking(ctx context.Context, b Booking) ([]DisputeLine, error) {
	return rows[DisputeLine](ctx, q.q, disputesOfBookingSQL, pgx.StrictNamedArgs{"hold": b.HoldID})
}

// AuditLine is one line of the log of changes with who it was in words.
type AuditLine struct {
	At     time.Time
	Who    string // a name, "system" or "web"
	Action string
	Before []byte
	After  []byte
}

const auditOfSQL = `
SELECT a.at, coalesce(s.name, a.actor) AS who, a.action, a.before, a.after
  FROM audit_log a LEFT JOIN staff s ON a.actor = 'staff:' || s.id
 WHERE a.subject = @subject
 ORDER BY a.at, a.id`

// AuditOf lists what was changed about a subject, oldest first.
func (q Queries) AuditOf(ctx context.Context, subject string) ([]AuditLine, error) {
	return rows[AuditLine](ctx, q.q, auditOfSQL, pgx.StrictNamedArgs{"subject": subject})
}

const renamePassengerSQL = `
UPDATE tickets SET passenger = @name WHERE event_id = @event AND id = @ticket AND booking_id = @booking AND state = 'valid'`

// RenamePassenger changes who travels on a valid ticket and nothing else of it;
// domain.ErrConflict when it is not valid or not of this booking.
func (t *Tx) RenamePassenger(ctx context.Context, b Booking, ticketID int64, name string) error {
	return one(exec(ctx, t.q, renamePassengerSQL, pgx.StrictNamedArgs{"event": b.EventID, "ticket": ticketID, "booking": b.ID, "name": name}))
}

const setBookingContactSQL = `
UPDATE bookings SET name = @name, email = @email, phone = @phone, staff_note = @note, revision = revision + 1
 WHERE id = @id AND revision = @revision`

// SetBookingContact stores who a booking is for and what staff note on it;
// domain.ErrConflict when it is not as b any more.
func (t *Tx) SetBookingContact(ctx context.Context, b Booking, name, email, phone, note string) error {
	return one(exec(ctx, t.q, setBookingContactSQL, pgx.StrictNamedArgs{
		"id": b.ID, "revision": b.Revision, "name": name, "email": email, "phone": phone, "note": note,
	}))
}

const mailsFailSQL = `
SELECT coalesce((SELECT state = 'failed' FROM mails WHERE booking_id = @booking AND to_address = @to ORDER BY id DESC LIMIT 1), false)`

// MailsFail tells whether the last mail about a booking to an address was given up.
func (t *Tx) MailsFail(ctx context.Context, bookingID int64, to string) (bool, error) {
	return scalar[bool](ctx, t.q, mailsFailSQL, pgx.StrictNamedArgs{"booking": bookingID, "to": to})
}

const refundAddressSQL = `
SELECT coalesce((SELECT b.email FROM bookings b WHERE b.hold_id = p.hold_id), p.email) FROM payments p WHERE p.id = @payment`

// RefundAddress is where mails about a payment's money go: to the booking's address as it
// is now, or to the one that was typed when there is no booking.
func (t *Tx) RefundAddress(ctx context.Context, paymentID int64) (string, error) {
	return scalar[string](ctx, t.q, refundAddressSQL, pgx.StrictNamedArgs{"payment": paymentID})
}

const requeueTicketsMailSQL = `
UPDATE mails SET state = 'queued', error = '', to_address = @to WHERE booking_id = @booking AND kind = 'tickets' AND state = 'failed' RETURNING id`

// RequeueTicketsMail puts a ticket mail that was given up into the queue again;
// domain.ErrNotFound when there is none.
func (t *Tx) RequeueTicketsMail(ctx context.Context, bookingID int64, to string) (int64, error) {
	return scalar[int64](ctx, t.q, requeueTicketsMailSQL, pgx.StrictNamedArgs{"booking": bookingID, "to": to})
}

const mailJustMadeSQL = `
SELECT EXISTS (SELECT 1 FROM mails WHERE booking_id = @booking AND kind = 'booking_link' AND to_address = @to AND created_at > now() - interval '15 seconds')`

// MailJustMade tells whether the same press of a button came before.
func (t *Tx) MailJustMade(ctx context.Context, bookingID int64, to string) (bool, error) {
	return scalar[bool](ctx, t.q, mailJustMadeSQL, pgx.StrictNamedArgs{"booking": bookingID, "to": to})
}

// EventSales is what an event sold, by ticket type.
type EventSales struct {
	TypeName  string
	Count     int
	Amount    int64
	Cancelled int
}

const eventSalesSQL = `
SELECT y.name AS type_name, count(*) FILTER (WHERE t.state = 'valid') AS count,
       coalesce(sum(t.price) FILTER (WHERE t.state = 'valid'), 0)::bigint AS amount, count(*) FILTER (WHERE t.state = 'cancelled') AS cancelled
  FROM tickets t JOIN ticket_types y ON y.code = t.ticket_type
 WHERE t.event_id = @event
 GROUP BY y.code, y.name, y.position ORDER BY y.position, y.code`

// EventSales counts an event's tickets.
func (q Queries) EventSales(ctx context.Context, eventID int64) ([]EventSales, error) {
	return rows[EventSales](ctx, q.q, eventSalesSQL, pgx.StrictNamedArgs{"event": eventID})
}

// EventMoney is what an event's ledger says in one currency.
type EventMoney struct {
	Currency string
	Received int64
	Refunded int64
	Kept     int64 // fees of cancellations
}

const eventMoneySQL = `
SELECT currency, coalesce(sum(amount) FILTER (WHERE kind = 'payment'), 0)::bigint AS received,
       coalesce(-sum(amount) FILTER (WHERE kind = 'refund'), 0)::bigint AS refunded, coalesce(sum(amount) FILTER (WHERE kind = 'fee'), 0)::bigint AS kept
  FROM ledger_entries WHERE event_id = @event
 GROUP BY currency ORDER BY currency`

// EventMoney sums an event's money lines.
func (q Queries) EventMoney(ctx context.Context, eventID int64) ([]EventMoney, error) {
	return rows[EventMoney](ctx, q.q, eventMoneySQL, pgx.StrictNamedArgs{"event": eventID})
}

const refundsToFinishSQL = `
SELECT r.id, r.payment_id, coalesce(p.stripe_payment_intent_id, '') AS payment_intent, r.amount, r.currency, r.reason, r.state, r.attempt, r.error,
       r.created_at, r.updated_at, h.name, h.email, coalesce(b.reference, '') AS reference, count(*) OVER () AS all
  FROM refunds r JOIN payments p ON p.id = r.payment_id JOIN holds h ON h.id = p.hold_id LEFT JOIN bookings b ON b.hold_id = p.hold_id
 WHERE r.event_id = @event
   AND (r.state IN ('requested', 'pending')
        OR r.state = 'failed' AND r.amount <= p.received - (SELECT coalesce(sum(o.amount), 0) FROM refunds o WHERE o.payment_id = p.id AND o.state <> 'failed'))
 ORDER BY r.state = 'failed' DESC, r.error <> '' DESC, r.id
 LIMIT @n`

// RefundsToFinish lists an event's money that is not back yet: what failed first, then
// what waits with a reason.
func (q Queries) RefundsToFinish(ctx context.Context, eventID int64, n int) ([]UnfinishedRefund, error) {
	return rows[UnfinishedRefund](ctx, q.q, refundsToFinishSQL, pgx.StrictNamedArgs{"event": eventID, "n": n})
}
