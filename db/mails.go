package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Mail is one row of the outbox.
type Mail struct {
	ID        int64
	Kind      string // tickets, seats_lost, refund_started, refund_done, refund_failed, booking_link, contact_changed, staff_note, manifest, manifest_again, test
	BookingID *int64
	PaymentID *int64
	RefundID  *int64
	EventID   *int64     // of a manifest
	TicketIDs []int64    // of a mail about a cancellation
	WasAt     *time.Time // of a mail about a moved event: its start before
	SwapID    *int64     // of a mail about changed seats
	ToAddress string
	State     string
	Error     string
	Subject   string
	TextBody  string
	HTMLBody  string
	CreatedAt time.Time
	SentAt    *time.Time
}

const insertMailSQL = `
INSERT INTO mails (kind, booking_id, payment_id, refund_id, event_id, ticket_ids, was_at, swap_id, to_address)
VALUES (@kind, @booking, @payment, @refund, @event, @tickets, @was_at, @swap, @to)
ON CONFLICT DO NOTHING
RETURNING id`

// InsertMail queues a mail with the outcome it tells of; domain.ErrNotFound when
// that mail exists already.
func (t *Tx) InsertMail(ctx context.Context, m Mail) (int64, error) {
	return scalar[int64](ctx, t.q, insertMailSQL, pgx.StrictNamedArgs{
		"kind": m.Kind, "booking": m.BookingID, "payment": m.PaymentID, "refund": m.RefundID, "event": m.EventID, "tickets": m.TicketIDs, "was_at": m.WasAt, "swap": m.SwapID, "to": m.ToAddress,
	})
}

const mailColumns = `
SELECT id, kind, booking_id, payment_id, refund_id, event_id, ticket_ids, was_at, swap_id, to_address, state, error, subject, text_body, html_body, created_at, sent_at
  FROM mails `

const mailSQL = mailColumns + `WHERE id = @id`

// Mail reads one; domain.ErrNotFound.
func (q Queries) Mail(ctx context.Context, id int64) (Mail, error) {
	return row[Mail](ctx, q.q, mailSQL, pgx.StrictNamedArgs{"id": id})
}

const recentMailsSQL = mailColumns + `ORDER BY id DESC LIMIT @n`

// RecentMails lists the newest n, for the demo's outbox page.
func (q Queries) RecentMails(ctx context.Context, n int) ([]Mail, error) {
	return rows[Mail](ctx, q.q, recentMailsSQL, pgx.StrictNamedArgs{"n": n})
}

const mailSentSQL = `
UPDATE mails SET state = 'sent', error = '', sent_at = now(), subject = @subject, text_body = @text, html_body = @html
 WHERE id = @id AND state <> 'sent'`

// MailSent records that the mail left; what it said is kept.
func (q Queries) MailSent(ctx context.Context, m Mail) error {
	_, err := exec(ctx, q.q, mailSentSQL, pgx.StrictNamedArgs{"id": m.ID, "subject": m.Subject, "text": m.TextBody, "html": m.HTMLBody})
	return err
}

const mailFailedSQL = `
UPDATE mails SET state = CASE WHEN @final THEN 'failed' ELSE state END, error = @error WHERE id = @id AND state = 'queued'`

// MailFailed records why it did not leave; final ends the tries.
func (q Queries) MailFailed(ctx context.Context, id int64, words string, final bool) error {
	_, err := exec(ctx, q.q, mailFailedSQL, pgx.StrictNamedArgs{"id": id, "error": words, "final": final})
	return err
}

const linkMailWaitsSQL = `
SELECT EXISTS (SELECT 1 FROM mails WHERE booking_id = @booking AND kind = 'booking_link' AND created_at > now() - interval '5 minutes')`

// LinkMailWaits tells whether the booking's link was asked for in the last five
// minutes: the find page must not become a way to flood somebody's mailbox.
func (t *Tx) LinkMailWaits(ctx context.Context, bookingID int64) (bool, error) {
	return scalar[bool](ctx, t.q, linkMailWaitsSQL, pgx.StrictNamedArgs{"booking": bookingID})
}
