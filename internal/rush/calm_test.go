package rush

import (
	"holdfast/db"
	"holdfast/internal/domain"
	"sync"
	"time"
)

// calm waits until everything has come to rest, at most so long. What passes is time and
// only time: the ends of holds, the retries of jobs, the minutes after which the jobs of
// a dead process are taken up, and the minute of the sweep.
func (w *world) calm() (rest []string, took time.Duration) {
	began := time.Now()
	ctx := w.t.Context()
	w.exec(`UPDATE holds SET expires_at = now() - interval '3 minutes' WHERE state = 'active'`)
	w.exec(`UPDATE event_seats s SET held_until = now() - interval '1 second' WHERE state = 'held'
		AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = s.hold_id AND p.state IN ('creating', 'open'))`)
	w.exec(`UPDATE payments SET created_at = created_at - interval '4 minutes' WHERE state IN ('creating', 'open')`)
	if !w.killed.IsZero() {
		w.exec(`UPDATE river_leader SET expires_at = now() - interval '1 second'`) // perhaps the dead one's
	}
	for n := 0; ; n++ {
		w.exec(`UPDATE river_job SET scheduled_at = now() WHERE state IN ('scheduled', 'retryable') AND scheduled_at > now()`)
		if !w.killed.IsZero() {
			w.exec(`UPDATE river_job SET attempted_at = attempted_at - interval '6 minutes' WHERE state = 'running' AND attempted_at < $1`, w.killed)
		}
		if n%10 == 0 {
			err := w.db.InTx(ctx, func(t *db.Tx) error { return t.Enqueue(ctx, domain.SweepJob{}, time.Time{}) })
			if err != nil {
				w.t.Fatal(err)
			}
			w.sweeps++
		}
		rest = w.unfinished()
		if took = time.Since(began); len(rest) == 0 || took > w.p.rest {
			return rest, took
		}
		pause(ctx, 300*time.Millisecond) // polling; the time of the rows was moved
	}
}

// morning: everybody who ever held seats looks once more what became of them.
func (w *world) morning() {
	queue := make(chan *browser)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for b := range queue {
				b.open(w.t.Context(), w.url+"/holds/"+b.hold)
			}
		})
	}
	for _, b := range w.browsers {
		if b.hold != "" && !b.booked() {
			queue <- b
		}
	}
	close(queue)
	all.Wait()
}
