package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const tasksForMailSQL = `
SELECT kind, words, booking_id, payment_id, event_id
  FROM staff_tasks
 WHERE state = 'open' AND (booking_id = @booking::bigint OR payment_id = @payment::bigint)
 ORDER BY id`

// TasksForMail lists what is open on the staff list about a booking or a payment;
// nil means about none.
func (q Queries) TasksForMail(ctx context.Context, bookingID, paymentID *int64) ([]StaffTask, error) {
	return rows[StaffTask](ctx, q.q, tasksForMailSQL, pgx.StrictNamedArgs{"booking": bookingID, "payment": paymentID})
}

const releaseMailsSQL = `UPDATE mails SET error = '' WHERE state = 'queued' AND error = @words RETURNING id`

// ReleaseMails takes the words off the queued mails that were put aside with exactly
// them and returns their ids: each is returned to one caller only, who makes the job.
func (t *Tx) ReleaseMails(ctx context.Context, words string) ([]int64, error) {
	return column[int64](ctx, t.q, releaseMailsSQL, pgx.StrictNamedArgs{"words": words})
}

// MailState is how far a mail is.
type MailState struct {
	State     string // queued, sent or failed
	Error     string
	ToAddress string
	SentAt    *time.Time
}

const ticketsMailSQL = `SELECT state, error, to_address, sent_at FROM mails WHERE booking_id = @booking AND kind = 'tickets'`

// TicketsMail is how far the mail with a booking's tickets is; domain.ErrNotFound when
// there is none.
func (q Queries) TicketsMail(ctx context.Context, bookingID int64) (MailState, error) {
	return row[MailState](ctx, q.q, ticketsMailSQL, pgx.StrictNamedArgs{"booking": bookingID})
}
