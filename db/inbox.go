package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

const insertStripeEventSQL = `
INSERT INTO stripe_events (id, type, object_id, livemode) VALUES (@id, @type, @object, @livemode)
ON CONFLICT (id) DO NOTHING`

// InsertStripeEvent stores a webhook's ids; false when it came before.
func (t *Tx) InsertStripeEvent(ctx context.Context, id, kind, object string, livemode bool) (bool, error) {
	n, err := exec(ctx, t.q, insertStripeEventSQL, pgx.StrictNamedArgs{"id": id, "type": kind, "object": object, "livemode": livemode})
	return n == 1, err
}

const doneStripeEventSQL = `
UPDATE stripe_events SET processed_at = now(), note = @note WHERE id = @id AND processed_at IS NULL`

// DoneStripeEvent marks an event as worked, with a note for staff.
func (q Queries) DoneStripeEvent(ctx context.Context, id, note string) error {
	_, err := exec(ctx, q.q, doneStripeEventSQL, pgx.StrictNamedArgs{"id": id, "note": note})
	return err
}

const stripeEventTimeSQL = `
SELECT extract(epoch FROM processed_at - received_at)::float8 FROM stripe_events WHERE id = @id AND processed_at IS NOT NULL`

// StripeEventTime is how long an event took from its arrival until it was worked;
// domain.ErrNotFound while it is not.
func (q Queries) StripeEventTime(ctx context.Context, id string) (time.Duration, error) {
	seconds, err := scalar[float64](ctx, q.q, stripeEventTimeSQL, pgx.StrictNamedArgs{"id": id})
	return time.Duration(seconds * float64(time.Second)), err
}

// StripeEvent is one webhook of the inbox.
type StripeEvent struct {
	ID       string
	Type     string
	ObjectID string
}

const idleEventsSQL = `
SELECT s.id, s.type, s.object_id FROM stripe_events s
 WHERE s.processed_at IS NULL AND s.received_at < now() - interval '2 minutes'
   AND NOT EXISTS (SELECT 1 FROM river_job j WHERE j.args ->> 'event_id' = s.id ` + liveJob + `
 ORDER BY s.received_at LIMIT 200`

// IdleStripeEvents are webhooks that are not worked and that no job works on any more.
func (q Queries) IdleStripeEvents(ctx context.Context) ([]StripeEvent, error) {
	return rows[StripeEvent](ctx, q.q, idleEventsSQL, nil)
}

// StaffTask is something a person must look at.
type StaffTask struct {
	Kind      string
	Words     string
	BookingID *int64
	PaymentID *int64
	EventID   *int64
}

const insertTaskSQL = `
INSERT INTO staff_tasks (kind, words, booking_id, payment_id, event_id) VALUES (@kind, @words, @booking, @payment, @event)
ON CONFLICT DO NOTHING`

// InsertTask puts an entry on the staff list; false when the same one is open already.
func (t *Tx) InsertTask(ctx context.Context, s StaffTask) (bool, error) {
	n, err := exec(ctx, t.q, insertTaskSQL, pgx.StrictNamedArgs{
		"kind": s.Kind, "words": s.Words, "booking": s.BookingID, "payment": s.PaymentID, "event": s.EventID,
	})
	return n == 1, err
}

const insertAuditSQL = `
INSERT INTO audit_log (actor, address, action, subject, before, after) VALUES (@actor, @address, @action, @subject, @before, @after)`

// Audit is one line of the log of changes. Before and After are JSON or nil.
type Audit struct {
	Actor, Address, Action, Subject string
	Before, After                   []byte
}

// Log puts a change of by into the audit log, in the change's own transaction.
// subject is "event:12"; before and after are anything that JSON can say, nil for
// nothing; no passwords, no secrets.
func (t *Tx) Log(ctx context.Context, by domain.By, action, subject string, before, after any) error {
	a := Audit{Actor: by.Actor, Address: by.Address, Action: action, Subject: subject}
	for _, x := range []struct {
		from any
		to   *[]byte
	}{{before, &a.Before}, {after, &a.After}} {
		if x.from == nil {
			continue
		}
		text, err := json.Marshal(x.from)
		if err != nil {
			return fmt.Errorf("log %s of %s: %w", action, subject, err)
		}
		*x.to = text
	}
	return t.InsertAudit(ctx, a)
}

// InsertAudit appends to the log of changes.
func (q Queries) InsertAudit(ctx context.Context, a Audit) error {
	_, err := exec(ctx, q.q, insertAuditSQL, pgx.StrictNamedArgs{
		"actor": a.Actor, "address": a.Address, "action": a.Action, "subject": a.Subject, "before": a.Before, "after": a.After,
	})
	return err
}
