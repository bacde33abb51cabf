package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/config"
)

// lowPool is how many connections the shop of these tests has.
const lowPool = 8

// withGates is cinema with two events whose gates divide a pool of another size than there is.
func withGates(t *testing.T, believed int) (w *world, hot, calm dbtest.Event) {
	t.Helper()
	w = newWorld(t, func(d *db.DB) { hot, calm = dbtest.Screening(t, d, 2, 8), dbtest.Screening(t, d, 2, 8) }, nil)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(func(k string) string { return w.env[k] })
	if err != nil {
		t.Fatal(err)
	}
	a := app{getenv: func(k string) string { return w.env[k] }, stdout: io.Discard, stderr: w.logs}
	d, err := db.Open(t.Context(), w.databaseURL, db.Options{MaxConns: lowPool})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	listener, err := listen(cfg.Port)
	if err != nil {
		t.Fatal(err)
	}
	cfg.DBPoolSize = believed
	s, err := a.assemble(cfg, d, a.logger(cfg), listener)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the shop ended with: %v", err)
		}
	})
	return w, hot, calm
}

// crowd sends claims for seats that nobody can have until release: each hangs until the
// lock's time is over. It comes back when n of them hang in the database.
func (w *world) crowd(event int64, n int) (answered *atomic.Int64, release func()) {
	w.t.Helper()
	tx, err := w.DB.Pool().Begin(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := tx.Exec(w.t.Context(), `SELECT 1 FROM event_seats WHERE event_id = $1 FOR UPDATE`, event); err != nil {
		w.t.Fatal(err)
	}
	answered = &atomic.Int64{}
	var all sync.WaitGroup
	for i := range 2 * lowPool { // people who were here before: they do not go together
		header := map[string]string{"Cookie": fmt.Sprintf("holdfast_visitor=%032x", i), "Content-Type": "application/x-www-form-urlencoded"}
		all.Go(func() {
			w.browser().ask("POST", w.URL+eventPath(event)+"/holds", "seat=A1", header)
			answered.Add(1)
		})
	}
	w.eventually("claims hang", stuckSQL+` >= $1`, n)
	return answered, sync.OnceFunc(func() {
		_ = tx.Rollback(context.Background())
		all.Wait()
	})
}

const stuckSQL = `SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`

// A payment is settled, by the return page and by the webhook alone, and its pages are
// there, while the pool is as full of claims that hang as the gates let it be.
func TestShed_MoneyPassesStuckClaims(t *testing.T) {
	t.Parallel()
	w, hot, calm := withGates(t, lowPool)
	back, away := w.on(t), w.on(t)
	atStripe := back.pay(back.chosen(eventPath(calm.ID), "A1"))
	gone := away.pay(away.chosen(eventPath(calm.ID), "A2"))
	answered, release := w.crowd(hot.ID, 3)
	defer release()

	booked := back.paid(atStripe)
	back.at("/clock").want(200)
	booked.want(200)
	if n := answered.Load(); n != 0 {
		t.Errorf("the payment waited until %d claims had their answer", n)
	}
	away.submit(gone, gone.form(gone.url.Path), nil, "action=pay") // and never comes back
	w.eventually("the webhook's job books", `SELECT count(*) = 2 FROM bookings WHERE event_id = $1`, calm.ID)
	if n := one[int](w, stuckSQL); n == 0 {
		t.Error("no claim hangs any more: nothing was shown")
	}
	release()
	w.clean()
}

// The control: with gates too wide for the pool the same payment waits for the claims.
func TestShed_ControlWaits(t *testing.T) {
	t.Parallel()
	w, hot, calm := withGates(t, 50*lowPool)
	back := w.on(t)
	atStripe := back.pay(back.chosen(eventPath(calm.ID), "A1"))
	answered, release := w.crowd(hot.ID, lowPool-1) // one hears of new jobs
	defer release()
	var through atomic.Bool
	var payment sync.WaitGroup
	payment.Go(func() {
		back.paid(atStripe)
		through.Store(true)
	})
	w.eventuallySim("a claim has its answer", func() bool { return answered.Load() > 0 || through.Load() })
	if through.Load() && answered.Load() == 0 {
		t.Error("the payment was through first: the gates are not what lets it pass")
	}
	release()
	payment.Wait()
}
