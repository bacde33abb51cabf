package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// OpenTask is an entry of the staff list with what it is about. What is not known is
// zero or empty.
type OpenTask struct {
	ID            int64
	Kind          string
	Words         string
	CreatedAt     time.Time
	BookingID     *int64
	Reference     string
	LinkVersion   int
	PaymentID     *int64
	PaymentIntent string
	Received      int64
	Currency      string
	Name          string
	Email         string
	Phone         string
	Title         string // of the event
	StartsAt      *time.Time
	TimeZone      string
	GoingBack     int64 // asked for, not there yet
	SentBack      int64
	Failed        int64
	All           int // how many are open
}

// A refund that was asked for again is one row; one that another replaced stays failed.
const openTasksSQL = `
SELECT t.id, t.kind, t.words, t.created_at, b.id AS booking_id, coalesce(b.reference, '') AS reference, coalesce(b.link_version, 0) AS link_version,
       p.id AS payment_id, coalesce(p.stripe_payment_intent_id, '') AS payment_intent, coalesce(p.received, 0) AS received, coalesce(p.currency, '') AS currency,
       coalesce(nullif(b.name, ''), h.name, '') AS name, coalesce(nullif(b.email, ''), h.email, '') AS email, coalesce(nullif(b.phone, ''), h.phone, '') AS phone,
       coalesce(f.title, r.name, '') AS title, e.starts_at, coalesce(e.time_zone, '') AS time_zone,
       x.going_back, x.sent_back, x.failed, count(*) OVER () AS all
  FROM staff_tasks t
  LEFT JOIN payments p ON p.id = t.payment_id
  LEFT JOIN bookings b ON b.id = coalesce(t.booking_id, (SELECT o.id FROM bookings o WHERE o.hold_id = p.hold_id))
  LEFT JOIN holds h ON h.id = coalesce(p.hold_id, b.hold_id)
  LEFT JOIN events e ON e.id = coalesce(t.event_id, p.event_id, b.event_id)
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes r ON r.id = e.route_id
 CROSS JOIN LATERAL (
       SELECT coalesce(sum(amount) FILTER (WHERE state IN ('requested', 'pending')), 0)::bigint AS going_back,
              coalesce(sum(amount) FILTER (WHERE state = 'succeeded'), 0)::bigint AS sent_back,
              coalesce(sum(amount) FILTER (WHERE state = 'failed'), 0)::bigint AS failed
         FROM refunds WHERE payment_id = t.payment_id) x
 WHERE t.state = 'open'
 ORDER BY t.created_at, t.id
 LIMIT 100`

// OpenTasks lists what a person must look at, oldest first, at most 100.
func (q Queries) OpenTasks(ctx context.Context) ([]OpenTask, error) {
	return rows[OpenTask](ctx, q.q, openTasksSQL, nil)
}

// PaymentsIn counts the payments of one state that are not over.
type PaymentsIn struct {
	State  string
	Count  int
	Oldest time.Time
}

const unfinishedPaymentsSQL = `
SELECT state, count(*) AS count, min(CASE WHEN state = 'refunding' THEN coalesce(received_at, created_at) ELSE created_at END) AS oldest
  FROM payments WHERE state IN ('creating', 'open', 'refunding')
 GROUP BY state ORDER BY state`

// UnfinishedPayments counts attempts whose money may still come or is going back.
func (q Queries) UnfinishedPayments(ctx context.Context) ([]PaymentsIn, error) {
	return rows[PaymentsIn](ctx, q.q, unfinishedPaymentsSQL, nil)
}

// UnfinishedRefund is money that is not back yet.
type UnfinishedRefund struct {
	ID            int64
	PaymentID     int64
	PaymentIntent string
	Amount        int64
	Currency      string
	Reason        string
	State         string // requested, pending, failed
	Attempt       int
	Error         string
	CreatedAt     time.Time
	UpdatedAt     time.Time
	Name          string
	Email         string
	Reference     string
	All           int
}

const unfinishedRefundsSQL = `
SELECT r.id, r.payment_id, coalesce(p.stripe_payment_intent_id, '') AS payment_intent, r.amount, r.currency, r.reason, r.state, r.attempt, r.error,
       r.created_at, r.updated_at, h.name, h.email, coalesce(b.reference, '') AS reference, count(*) OVER () AS all
  FROM refunds r JOIN payments p ON p.id = r.payment_id JOIN holds h ON h.id = p.hold_id LEFT JOIN bookings b ON b.hold_id = p.hold_id
 WHERE r.state IN ('requested', 'pending')
    OR r.state = 'failed' AND r.updated_at > now() - interval '60 days'
       AND r.amount <= p.received - (SELECT coalesce(sum(o.amount), 0) FROM refunds o WHERE o.payment_id = p.id AND o.state <> 'failed')
 ORDER BY r.state = 'failed' DESC, r.created_at, r.id
 LIMIT 50`

// UnfinishedRefunds lists refunds on their way and those that failed in the last 60
// days, unless the money went back another way; failed first, at most 50.
func (q Queries) UnfinishedRefunds(ctx context.Context) ([]UnfinishedRefund, error) {
	return rows[UnfinishedRefund](ctx, q.q, unfinishedRefundsSQL, nil)
}

// Pulse is how the parts of the program that work by themselves are getting on.
type Pulse struct {
	Now time.Time

	MailsQueued   int
	OldestMail    *time.Time // of those
	MailsFailed   int        // in the last seven days
	MailError     string     // the newest reason why one has not left
	LastMail      *time.Time // that left
	EventsWaiting int
	OldestEvent   *time.Time
	LastEvent     *time.Time // webhook that came in
	JobsLate      int        // due for five minutes
	JobsGivenUp   int        // in the last day
	LastSweep     *time.Time
}

const pulseSQL = `
SELECT now() AS now,
       (SELECT count(*) FROM mails WHERE state = 'queued') AS mails_queued,
       (SELECT min(created_at) FROM mails WHERE state = 'queued') AS oldest_mail,
       (SELECT count(*) FROM mails WHERE state = 'failed' AND created_at > now() - interval '7 days') AS mails_failed,
       coalesce((SELECT error FROM mails WHERE state IN ('queued', 'failed') AND error <> '' AND created_at > now() - interval '7 days' ORDER BY id DESC LIMIT 1), '') AS mail_error,
       (SELECT max(sent_at) FROM mails WHERE created_at > now() - interval '7 days') AS last_mail,
       (SELECT count(*) FROM stripe_events WHERE processed_at IS NULL) AS events_waiting,
       (SELECT min(received_at) FROM stripe_events WHERE processed_at IS NULL) AS oldest_event,
       (SELECT max(received_at) FROM stripe_events) AS last_event,
       (SELECT count(*) FROM river_job WHERE state IN ('available', 'retryable', 'scheduled') AND scheduled_at < now() - interval '5 minutes') AS jobs_late,
       (SELECT count(*) FROM river_job WHERE state = 'discarded' AND kind <> @sweep AND finalized_at > now() - interval '1 day') AS jobs_given_up,
       (SELECT max(finalized_at) FROM river_job WHERE kind = @sweep AND state = 'completed') AS last_sweep`

// Pulse reads it.
func (q Queries) Pulse(ctx context.Context) (Pulse, error) {
	return row[Pulse](ctx, q.q, pulseSQL, pgx.StrictNamedArgs{"sweep": domain.SweepJob{}.Kind()})
}

// AuditRun is the result of one audit.
type AuditRun struct {
	At       time.Time
	Checks   int
	Findings []Finding
	Error    string // why it could not look
}

const lastAuditSQL = `SELECT at, checks, findings, error FROM audit_runs ORDER BY id DESC LIMIT 1`

// LastAudit is the newest run; domain.ErrNotFound when there was none yet.
func (q Queries) LastAudit(ctx context.Context) (AuditRun, error) {
	var a AuditRun
	var findings []byte
	if err := q.q.QueryRow(ctx, lastAuditSQL).Scan(&a.At, &a.Checks, &findings, &a.Error); err != nil {
		return a, classify(err)
	}
	return a, json.Unmarshal(findings, &a.Findings)
}

// Stranded is money that came in and neither bought tickets nor is on its way back.
type Stranded struct {
	Count  int
	Oldest *time.Time
}

const strandedSQL = `
SELECT count(*) AS count, min(p.received_at) AS oldest FROM payments p
 WHERE p.received > 0 AND p.outcome IS DISTINCT FROM 'booked'
   AND p.received > (SELECT coalesce(sum(r.amount), 0) FROM refunds r WHERE r.payment_id = p.id AND r.state <> 'failed')`

// Stranded counts it.
func (q Queries) Stranded(ctx context.Context) (Stranded, error) {
	return row[Stranded](ctx, q.q, strandedSQL, nil)
}

const oldestUnsentSQL = `SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 FROM mails WHERE state = 'queued'`

// OldestUnsent is how long the oldest mail has waited to leave, 0 when none waits.
func (q Queries) OldestUnsent(ctx context.Context) (time.Duration, error) {
	seconds, err := scalar[float64](ctx, q.q, oldestUnsentSQL, nil)
	return time.Duration(seconds * float64(time.Second)), err
}
