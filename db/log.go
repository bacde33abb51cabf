package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// LogLine is one line of the log of changes as staff read it.
type LogLine struct {
	ID      int64
	At      time.Time
	Actor   string // staff:7, system, web, command line
	Who     string // the name of a staff member, else ""
	Address string
	Action  string
	Subject string // booking:9
	About   string // what the subject is called: a reference, a title, a name; "" when not known
	Before  []byte
	After   []byte
}

// LogSearch says which lines. Zero fields ask nothing.
type LogSearch struct {
	Text      string // in small letters, words apart by one space: part of the action, the subject or the name
	Reference string // of a booking
	Actor     string
	From, To  *time.Time // To is not included
	Below     int64      // ids below
}

// The page is cut out first, walking the key down; names are looked up for it alone.
const searchLogSQL = `
WITH page AS MATERIALIZED (
  SELECT a.id, a.at, a.actor, coalesce(s.name, '') AS who, a.address, a.action, a.subject, a.before, a.after
    FROM audit_log a LEFT JOIN staff s ON a.actor = 'staff:' || s.id
   WHERE a.id < @below
     AND (@actor = '' OR a.actor = @actor)
     AND (@from_at::timestamptz IS NULL OR a.at >= @from_at) AND (@to_at::timestamptz IS NULL OR a.at < @to_at)
     AND (@text = ''
          OR strpos(a.words, @text) > 0
          OR a.actor = ANY (ARRAY(SELECT 'staff:' || x.id FROM staff x WHERE strpos(lower(x.name), @text) > 0))
          OR a.subject = 'booking:' || (SELECT b.id FROM bookings b WHERE b.reference = @reference))
   ORDER BY a.id DESC LIMIT @n)
SELECT p.id, p.at, p.actor, p.who, p.address, p.action, p.subject, coalesce(b.reference, f.title, o.name, x.name, '') AS about, p.before, p.after
  FROM page p
  LEFT JOIN bookings b ON b.id = CASE WHEN p.subject ~ '^booking:[0-9]{1,18}$' THEN substr(p.subject, 9)::bigint END
  LEFT JOIN events e ON e.id = CASE WHEN p.subject ~ '^event:[0-9]{1,18}$' THEN substr(p.subject, 7)::bigint END
  LEFT JOIN films f ON f.id = e.film_id
  LEFT JOIN routes o ON o.id = e.route_id
  LEFT JOIN staff x ON x.id = CASE WHEN p.subject ~ '^staff:[0-9]{1,18}$' THEN substr(p.subject, 7)::bigint END
 ORDER BY p.id DESC`

// SearchLog lists n lines, newest first.
func (q Queries) SearchLog(ctx context.Context, s LogSearch, n int) ([]LogLine, error) {
	return rows[LogLine](ctx, q.q, searchLogSQL, pgx.StrictNamedArgs{
		"text": s.Text, "reference": s.Reference, "actor": s.Actor, "from_at": s.From, "to_at": s.To, "below": s.Below, "n": n,
	})
}

// Person is a staff member as a list to choose from shows them.
type Person struct {
	Actor string // staff:7
	Name  string
}

const peopleSQL = `SELECT 'staff:' || id AS actor, name FROM staff ORDER BY name, id`

// People lists everybody who has or had an account.
func (q Queries) People(ctx context.Context) ([]Person, error) {
	return rows[Person](ctx, q.q, peopleSQL, nil)
}
