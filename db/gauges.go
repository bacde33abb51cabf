package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// Gauge is one figure for a monitor.
type Gauge struct {
	Name, Help   string
	Label, Value string // "" for none
	Number       float64
}

// Every state of a list is there, also with nothing in it: a monitor cannot tell a
// figure that is missing from one that is none.
const gaugesSQL = `
SELECT 'holds_live' AS name, 'Holds that run.' AS help, 'channel' AS label, c.channel AS value, count(h.id)::float8 AS number
  FROM (VALUES ('web'), ('counter'), ('agent'), ('partner')) c(channel)
  LEFT JOIN holds h ON h.channel = c.channel AND h.state = 'active' AND h.expires_at > now()
 GROUP BY c.channel
UNION ALL
SELECT 'payments_live', 'Payments that may still bring money, by state.', 'state', s.state, count(p.id)
  FROM (VALUES ('creating'), ('open')) s(state) LEFT JOIN payments p ON p.state = s.state GROUP BY s.state
UNION ALL
SELECT 'payment_oldest_seconds', 'Age of the oldest payment that may still bring money.', '', '', coalesce(extract(epoch FROM now() - min(created_at)), 0)
  FROM payments WHERE state IN ('creating', 'open')
UNION ALL
SELECT 'waitroom_visitors', 'Visitors of waiting rooms: in line, and with their turn.', 'state', s.state, count(e.event_id)
  FROM (VALUES ('waiting'), ('admitted')) s(state)
  LEFT JOIN waitroom_entries e ON e.state = s.state AND CASE e.state WHEN 'waiting' THEN e.here_until > now() ELSE e.expires_at > now() END
 GROUP BY s.state
UNION ALL
SELECT 'waitrooms', 'Waiting rooms by state.', 'state', s.state, count(w.event_id)
  FROM (VALUES ('on'), ('paused')) s(state) LEFT JOIN waitrooms w ON w.state = s.state AND w.begins_at <= now() AND (w.ends_at IS NULL OR w.ends_at > now())
 GROUP BY s.state
UNION ALL
SELECT 'payments_settled_day', 'Payments that brought money in the last 24 hours, by what became of it.', 'outcome', o.outcome, count(p.id)
  FROM (VALUES ('booked'), ('seat_lost'), ('event_cancelled'), ('duplicate'), ('mismatch')) o(outcome)
  LEFT JOIN payments p ON p.outcome = o.outcome AND p.received > 0 AND p.received_at > now() - interval '24 hours' GROUP BY o.outcome
UNION ALL
SELECT 'refunds_unfinished', 'Refunds by state that are not back.', 'state', s.state, count(r.id)
  FROM (VALUES ('requested'), ('pending')) s(state) LEFT JOIN refunds r ON r.state = s.state GROUP BY s.state
UNION ALL
SELECT 'webhooks_waiting', 'Webhooks that are not worked.', '', '', count(*) FROM stripe_events WHERE processed_at IS NULL
UNION ALL
SELECT 'mails_queued', 'Mails that have not left.', '', '', count(*) FROM mails WHERE state = 'queued'
UNION ALL
SELECT 'mail_oldest_seconds', 'Age of the oldest mail that has not left.', '', '', coalesce(extract(epoch FROM now() - min(created_at)), 0) FROM mails WHERE state = 'queued'
UNION ALL
SELECT 'jobs', 'Jobs by state.', 'state', s.state, count(j.id)
  FROM (VALUES ('available'), ('running'), ('retryable'), ('scheduled'), ('discarded')) s(state)
  LEFT JOIN river_job j ON j.state = s.state::river_job_state GROUP BY s.state
UNION ALL
SELECT 'staff_tasks_open', 'Tasks that wait for a person.', '', '', count(*) FROM staff_tasks WHERE state = 'open'
UNION ALL
SELECT 'audit_findings', 'What the last audit found.', '', '', coalesce((SELECT jsonb_array_length(findings) FROM audit_runs ORDER BY id DESC LIMIT 1), 0)
UNION ALL
SELECT 'audit_age_seconds', 'Time since the last audit.', '', '', coalesce((SELECT extract(epoch FROM now() - max(at)) FROM audit_runs), 0)
UNION ALL
SELECT 'sweep_age_seconds', 'Time since the sweep last ended well; it runs each minute.', '', '',
       coalesce((SELECT extract(epoch FROM now() - max(finalized_at)) FROM river_job WHERE kind = @sweep AND state = 'completed'), 0)`

// Gauges reads what a monitor is told of the shop.
func (q Queries) Gauges(ctx context.Context) ([]Gauge, error) {
	return rows[Gauge](ctx, q.q, gaugesSQL, pgx.StrictNamedArgs{"sweep": domain.SweepJob{}.Kind()})
}
