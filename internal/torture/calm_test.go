package torture

import (
	"context"
	"strings"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/stripesim"
)

// unfinished are questions that must have no answer once all has come to rest.
var unfinished = []struct{ what, sql string }{
	{"live payment", `SELECT id::text, state, outcome, stripe_session_id IS NULL, created_at::text FROM payments WHERE state IN ('creating', 'open')`},
	{"payment on its way back", `SELECT id::text, state, outcome FROM payments WHERE state = 'refunding'`},
	{"refund", `SELECT id::text, state, error FROM refunds WHERE state <> 'succeeded'`},
	{"webhook", `SELECT id, type, object_id FROM stripe_events WHERE processed_at IS NULL`},
	{"mail", `SELECT id::text, kind, state, error FROM mails WHERE state <> 'sent'`},
	{"hold", `SELECT id::text, expires_at::text FROM holds WHERE state = 'active'`},
	{"held seat", `SELECT event_id::text, seat_no, leg::text, hold_id::text FROM event_seats WHERE state = 'held'`},
	{"job", `SELECT id::text, kind, state::text, attempt::text, args::text, errors[array_upper(errors, 1)]::text FROM river_job
		WHERE state NOT IN ('completed', 'cancelled', 'discarded') AND kind NOT IN ('sweep', 'reconcile', 'audit')`},
	{"job given up", `SELECT id::text, kind, args::text, errors[array_upper(errors, 1)]::text FROM river_job
		WHERE state = 'discarded' AND kind NOT IN ('sweep', 'reconcile', 'audit')`},
}

// open says what is unfinished now, the first few of each kind.
func (r *rig) open() (out []string) {
	for _, u := range unfinished {
		for i, row := range r.ask(u.sql) {
			if i < 3 {
				out = append(out, u.what+": "+strings.Join(row, " "))
			}
		}
	}
	return out
}

// calm switches everything well and waits until it has come to rest, at most so long. The
// last kill is right before it, so that something is always left over. What passes is
// time and only time: the ends of holds, the retries of jobs, the five minutes after which
// River takes up the jobs of a dead process, the lease of a dead leader, and from then on
// the minute of the sweep and the hour of the comparison with Stripe's lists.
func (r *rig) calm(ctx context.Context, longest time.Duration) (rest []string, took time.Duration) {
	r.sim.SetChaos(stripesim.Chaos{})
	r.sim.SetFaults(nil)
	r.finishRefunds()
	r.mail.set(false)
	began := time.Now()
	r.exec(`UPDATE river_leader SET expires_at = now() - interval '1 second'`)
	if err := r.shop.calm(ctx); err != nil {
		r.t.Fatal(err)
	}
	r.exec(`UPDATE holds SET expires_at = now() - interval '3 minutes' WHERE state = 'active'`)
	r.exec(`UPDATE event_seats s SET held_until = now() - interval '1 second' WHERE state = 'held'
		AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = s.hold_id AND p.state IN ('creating', 'open'))`)
	r.exec(`UPDATE payments SET created_at = created_at - interval '4 minutes' WHERE state IN ('creating', 'open')`)
	r.exec(`UPDATE refunds SET created_at = created_at - interval '4 minutes', updated_at = updated_at - interval '4 minutes' WHERE state <> 'succeeded'`)
	for n := 0; ; n++ {
		r.jobsLater(ctx)
		if n%10 == 0 {
			r.minute(ctx, domain.SweepJob{})
		}
		if n == 20 {
			r.minute(ctx, domain.ReconcileJob{})
		}
		rest = r.open()
		if took = time.Since(began); len(rest) == 0 || took > longest {
			return rest, took
		}
		pause(ctx, 500*time.Millisecond) // polling; the time of the rows was moved
	}
}
