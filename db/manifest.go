package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// ManifestDue is an event whose list of passengers is to be mailed now.
type ManifestDue struct {
	EventID int64
	Address string
}

const manifestsDueSQL = `
SELECT e.id AS event_id, coalesce(nullif(r.manifest_email, ''), @usual) AS address
  FROM events e LEFT JOIN resources r ON r.id = e.resource_id
 WHERE e.status = 'published' AND e.starts_at > now() AND e.starts_at <= now() + make_interval(mins => @minutes::int)
   AND coalesce(nullif(r.manifest_email, ''), @usual) <> ''
   AND NOT EXISTS (SELECT 1 FROM mails m WHERE m.event_id = e.id AND m.kind = 'manifest')
 ORDER BY e.starts_at, e.id`

// ManifestsDue lists the events that start within so many minutes and whose list was not
// mailed; usual is the address of those whose hall or coach has none, "" for none.
func (q Queries) ManifestsDue(ctx context.Context, minutes int, usual string) ([]ManifestDue, error) {
	return rows[ManifestDue](ctx, q.q, manifestsDueSQL, pgx.StrictNamedArgs{"minutes": minutes, "usual": usual})
}

const manifestAddressSQL = `
SELECT coalesce(nullif(r.manifest_email, ''), @usual)
  FROM events e LEFT JOIN resources r ON r.id = e.resource_id
 WHERE e.id = @event`

// ManifestAddress is where the list of an event goes, "" for nowhere; domain.ErrNotFound.
func (q Queries) ManifestAddress(ctx context.Context, eventID int64, usual string) (string, error) {
	return scalar[string](ctx, q.q, manifestAddressSQL, pgx.StrictNamedArgs{"event": eventID, "usual": usual})
}

// ManifestMail is one mail with an event's list.
type ManifestMail struct {
	ToAddress string
	State     string
	Error     string
	CreatedAt time.Time
	SentAt    *time.Time
}

const manifestMailsSQL = `
SELECT to_address, state, error, created_at, sent_at
  FROM mails WHERE event_id = @event AND kind IN ('manifest', 'manifest_again') ORDER BY id DESC LIMIT 5`

// ManifestMails lists the newest of an event, the newest first.
func (q Queries) ManifestMails(ctx context.Context, eventID int64) ([]ManifestMail, error) {
	return rows[ManifestMail](ctx, q.q, manifestMailsSQL, pgx.StrictNamedArgs{"event": eventID})
}
