package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/stripesim"
)

// windowOf is how many events are on sale at a time.
const windowOf = 4

// onSale is one of the events of the window.
func (r *rig) onSale(d *rand.Rand) sale {
	return r.events[min(int(r.front.Load())+d.IntN(windowOf), len(r.events)-1)]
}

// boxOffice opens a further event when the first one is nearly full, or after a while.
func (r *rig) boxOffice(ctx context.Context) {
	opened := time.Now()
	for ; ctx.Err() == nil; pause(ctx, 300*time.Millisecond) {
		var left int
		i := r.front.Load()
		err := r.db.Pool().QueryRow(ctx, `SELECT count(*) FROM event_seats WHERE event_id = $1 AND state <> 'booked'`, r.events[i].ID).Scan(&left)
		if err == nil && (left < 2 || time.Since(opened) > 12*time.Second) && int(i) < len(r.events)-1 {
			r.front.Add(1)
			opened = time.Now()
		}
	}
}

// end brings a hold's countdown to its end, as time itself would: the seats of a hold
// without a live payment run out too.
func (r *rig) end(ctx context.Context, hold string) {
	err := pgx.BeginFunc(ctx, r.db.Pool(), func(tx pgx.Tx) error {
		var paying bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = h.id AND p.state IN ('creating', 'open'))
			FROM holds h WHERE h.id = $1 AND h.state = 'active' FOR UPDATE OF h`, hold).Scan(&paying)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE holds SET expires_at = now() - interval '1 second' WHERE id = $1`, hold); err != nil || paying {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE event_seats SET held_until = now() - interval '1 second'
			WHERE hold_id = $1 AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = $1 AND p.state IN ('creating', 'open'))`, hold)
		return err
	})
	if err == nil {
		r.tally.add("time of a hold ended")
	}
}

// clockmaker moves time for random rows. What is moved is what time itself moves.
func (r *rig) clockmaker(ctx context.Context) {
	d := r.dice(1)
	for ; ctx.Err() == nil; pause(ctx, between(d, 100*time.Millisecond, 500*time.Millisecond)) {
		switch n := d.IntN(12); {
		case n < 4:
			for _, hold := range r.some(ctx, 3, `SELECT id::text FROM holds WHERE state = 'active' AND event_id <> $1 ORDER BY random() LIMIT 3`, r.doomed.ID) {
				r.end(ctx, hold)
			}
		case n < 5:
			r.move(ctx, `UPDATE payments SET created_at = created_at - interval '3 minutes' WHERE state IN ('creating', 'open') AND random() < 0.5`)
		case n < 7:
			r.jobsLater(ctx)
		case n < 8:
			r.minute(ctx, domain.SweepJob{})
		case n < 9:
			r.minute(ctx, domain.ReconcileJob{})
		case n < 10:
			r.stripeEnds(d)
		default:
			r.longNight(ctx)
		}
	}
}

// some reads a column; nothing when the database is away.
func (r *rig) some(ctx context.Context, most int, sql string, args ...any) []string {
	rows, err := r.db.Pool().Query(ctx, sql, args...)
	if err != nil {
		return nil
	}
	out, _ := pgx.CollectRows(rows, pgx.RowTo[string])
	return out[:min(len(out), most)]
}

// longNight is a payment that nobody looked after for so long that all of its times are
// over: the program was down, or the webhook lost and Stripe away. Stripe ends its page
// first, as it would have; one that was paid before stays paid.
func (r *rig) longNight(ctx context.Context) {
	open := r.some(ctx, 20, `SELECT stripe_session_id FROM payments WHERE state = 'open' AND stripe_session_id IS NOT NULL AND event_id <> $1
		ORDER BY random() LIMIT 20`, r.doomed.ID)
	for i, id := range open {
		s, _ := r.sim.Session(id)
		if s.Status != "complete" && i < len(open)-1 {
			continue // rather one whose money waits
		}
		if r.sim.Expire(id) == nil {
			r.tally.add("session ended at Stripe")
		}
		_ = pgx.BeginFunc(ctx, r.db.Pool(), func(tx pgx.Tx) error {
			var hold string
			err := tx.QueryRow(ctx, `UPDATE payments SET created_at = created_at - interval '40 minutes', session_ends_at = session_ends_at - interval '40 minutes'
				WHERE stripe_session_id = $1 AND state = 'open' RETURNING hold_id::text`, id).Scan(&hold)
			if err != nil {
				return err
			}
			if _, err = tx.Exec(ctx, `UPDATE holds SET expires_at = expires_at - interval '40 minutes' WHERE id = $1`, hold); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, `UPDATE event_seats SET held_until = now() - interval '1 second' WHERE hold_id = $1`, hold)
			r.tally.add("left alone until all time was over")
			return err
		})
		return
	}
}

// weather makes Stripe unreachable for a while, or slow with refunds.
func (r *rig) weather(ctx context.Context) {
	d := r.dice(4)
	for ; ctx.Err() == nil; pause(ctx, between(d, time.Second, 6*time.Second)) {
		switch d.IntN(3) {
		case 0:
			r.sim.SetFaults(stripesim.Faults{{Kind: stripesim.NetworkDown}})
			r.tally.add("Stripe away")
			pause(ctx, between(d, time.Second, 3*time.Second))
			r.sim.SetFaults(nil)
		case 1:
			r.sim.SetFaults(stripesim.Faults{{Kind: stripesim.RefundPending}})
		default:
			r.sim.SetFaults(nil)
			r.finishRefunds()
		}
	}
}

// finishRefunds is the bank that at last gives back what was pending.
func (r *rig) finishRefunds() {
	for _, x := range r.sim.Refunds() {
		if x.Status == "pending" && r.sim.FinishRefund(x.ID, true) == nil {
			r.tally.add("refunds done later")
		}
	}
}

func (r *rig) move(ctx context.Context, sql string, args ...any) {
	_, _ = r.db.Pool().Exec(ctx, sql, args...) // the database may be away: time stands still then
}

// jobsLater lets the time of jobs come: retries, ends of countdowns, and the five minutes
// after which the jobs of a life that was killed are taken up again.
func (r *rig) jobsLater(ctx context.Context) {
	r.move(ctx, `UPDATE river_job SET scheduled_at = now() WHERE state IN ('scheduled', 'retryable') AND scheduled_at > now()`)
	r.move(ctx, `UPDATE river_job SET attempted_at = attempted_at - interval '6 minutes' WHERE state = 'running' AND attempted_at < $1`, r.shop.since())
}

// minute is one of the periodic jobs, which would run anyway a minute or an hour later.
func (r *rig) minute(ctx context.Context, job db.Job) {
	_ = r.db.InTx(ctx, func(t *db.Tx) error { return t.Enqueue(ctx, job, time.Time{}) })
}

// stripeEnds is a session whose time is over at Stripe.
func (r *rig) stripeEnds(d *rand.Rand) {
	all := r.sim.Sessions()
	if len(all) == 0 {
		return
	}
	s := all[max(0, len(all)-1-d.IntN(6))]
	if s.Metadata["event_id"] != fmt.Sprint(r.doomed.ID) && r.sim.Expire(s.ID) == nil {
		r.tally.add("session ended at Stripe")
	}
}

// killer ends the program at random moments.
func (r *rig) killer(ctx context.Context, lo, hi time.Duration) {
	d := r.dice(2)
	for pause(ctx, hi); ctx.Err() == nil; pause(ctx, between(d, lo, hi)) {
		r.shop.kill()
		if d.IntN(2) == 0 { // the lease of the dead leader runs out: periodic jobs begin at once
			r.move(ctx, `UPDATE river_leader SET expires_at = now() - interval '1 second'`)
		}
	}
}

// quake takes PostgreSQL away and brings it back; every other time it crashes.
func (r *rig) quake(ctx context.Context, every time.Duration) {
	d := r.dice(3)
	for n := d.IntN(2); ; n++ {
		pause(ctx, every)
		if ctx.Err() != nil {
			return
		}
		if err := r.cluster.restart(ctx, n%2 == 0, between(d, 200*time.Millisecond, 1500*time.Millisecond)); err != nil {
			r.tally.wrong("postgres", "restart: %v", err)
			return
		}
		r.tally.add("postgres restarts")
	}
}

// canceller cancels the doomed event. Nobody has paid for it yet: confirmed bookings of a
// cancelled event are for staff to work, not for settle.
func (r *rig) canceller(ctx context.Context, after time.Duration, cancelled chan<- struct{}) {
	pause(ctx, after)
	if err := r.try(ctx, `UPDATE events SET status = 'cancelled' WHERE id = $1`, r.doomed.ID); err == nil {
		r.tally.add("events cancelled")
	}
	close(cancelled)
}
