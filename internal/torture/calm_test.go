package torture

import (
	"context"
	"time"

	"holdfast/internal/apptest"
	"holdfast/internal/domain"
	"holdfast/internal/stripesim"
)

// open says what is unfinished now, the first few of each kind.
func (r *rig) open() []string { return apptest.Unfinished(r.t, r.db) }

// calm switches everything well and waits until it has come to rest, at most so long. The
// last kill is right before it, so that something is always left over. What passes is
// time and only time: the ends of holds, the retries of jobs, the five minutes after which
// River takes up the jobs of a dead process, the lease of a dead leader, and from then on
// the minute of the sweep and the hour of the comparison with Stripe's lists.
func (r *rig) calm(ctx context.Context, longest time.Duration) (rest []string, took time.Duration) {
	r.sim.SetChaos(stripesim.Chaos{})
	r.sim.SetFaults(nil)
	r.finishRefunds()
	r.mail.Sicken(false)
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
