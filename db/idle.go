package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

const idleMailsSQL = `
SELECT m.id FROM mails m
 WHERE m.state = 'queued' AND m.error <> 'mail is off' AND m.created_at < now() - interval '2 minutes'
   AND NOT EXISTS (SELECT 1 FROM river_job j WHERE j.kind = @kind AND j.args ->> 'mail_id' = m.id::text ` + liveJob + `
 ORDER BY m.id LIMIT 200`

// IdleMails are mails of the outbox that no job works on any more; those put aside while
// mail is off (mail.OffWords) wait for its start.
func (q Queries) IdleMails(ctx context.Context) ([]int64, error) {
	return column[int64](ctx, q.q, idleMailsSQL, pgx.StrictNamedArgs{"kind": domain.MailJob{}.Kind()})
}

const idleCancelledEventsSQL = `
SELECT e.id FROM events e
 WHERE e.status = 'cancelled' AND e.ends_at > now() - interval '90 days'
   AND (EXISTS (SELECT 1 FROM bookings b WHERE b.event_id = e.id AND b.state = 'confirmed')
        OR EXISTS (SELECT 1 FROM holds h WHERE h.event_id = e.id AND h.state = 'active'))
   AND NOT EXISTS (SELECT 1 FROM river_job j WHERE j.kind = @kind AND j.args ->> 'event_id' = e.id::text ` + liveJob + `
 ORDER BY e.id LIMIT 50`

// IdleCancelledEvents are cancelled events that still have bookings or holds and no job
// that ends them.
func (q Queries) IdleCancelledEvents(ctx context.Context) ([]int64, error) {
	return column[int64](ctx, q.q, idleCancelledEventsSQL, pgx.StrictNamedArgs{"kind": domain.CancelEventJob{}.Kind()})
}
