package torture

import (
	"context"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"holdfast/internal/stripesim"
)

// plan is how long and how hard.
type plan struct {
	seed      uint64
	customers int
	events    int           // more than can be sold out
	last      time.Duration // at least so long
	kills     int           // and until so many kills
	longest   time.Duration // but never longer
	lo, hi    time.Duration // between two random kills
	quake     time.Duration // between two restarts of PostgreSQL
	rest      time.Duration // the longest that everything may take to come to rest
	wrath     float64       // times the chance of each fail point
	every     bool          // every fail point must have killed
}

func shortPlan() plan {
	return plan{seed: uint64(time.Now().UnixNano() % 1e9), customers: 5, events: 12, last: 10 * time.Second, kills: 5, longest: 25 * time.Second,
		lo: 1500 * time.Millisecond, hi: 4 * time.Second, quake: 6 * time.Second, rest: 60 * time.Second, wrath: 0.4}
}

// longPlan is asked for by TORTURE_MINUTES.
func longPlan(t *testing.T) plan {
	minutes, kills := number(t, "TORTURE_MINUTES", 4), number(t, "TORTURE_KILLS", 100)
	last := time.Duration(minutes) * time.Minute
	return plan{seed: uint64(time.Now().UnixNano() % 1e9), customers: 10, events: 30 * minutes, last: last, kills: kills, longest: 3*last + time.Minute,
		lo: 500 * time.Millisecond, hi: 4 * time.Second, quake: 40 * time.Second, rest: 3 * time.Minute, wrath: 1, every: kills >= 100}
}

func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is not a whole number above 0", name, text)
	}
	return n
}

// TestTorture: see the package comment.
func TestTorture(t *testing.T) {
	t.Parallel()
	p := shortPlan()
	if os.Getenv("TORTURE_MINUTES") != "" {
		p = longPlan(t)
	}
	p.seed = uint64(number(t, "TORTURE_SEED", int(p.seed)))
	t.Logf("seed %d", p.seed)
	r := newRig(t, p.seed, p.events)
	r.torture(t.Context(), p)
	rest, took := r.calm(t.Context(), p.rest)
	found := r.judge()
	r.shop.stop()
	t.Logf("verdict\n%s  all at rest after               %s", r.table(found), took.Round(100*time.Millisecond))
	for _, f := range found {
		t.Errorf("%s: %s", f.check, f.words)
	}
	if t.Failed() {
		t.Logf("unfinished: %q\nerrors in the program's log: %v", rest, r.shop.alarms)
	}
	r.enough(t, p)
}

// enough: a run in which nothing happened proves nothing.
func (r *rig) enough(t *testing.T, p plan) {
	t.Helper()
	if _, n := r.tally.all("kill "); n < p.kills {
		t.Errorf("only %d kills, want %d", n, p.kills)
	}
	for _, what := range []string{"events cancelled", "postgres restarts", "hold won", "stripe pay", "paid after the event was cancelled"} {
		if r.tally.count(what) == 0 {
			t.Errorf("this never happened: %s", what)
		}
	}
	for name := range points {
		if p.every && r.tally.count("kill "+name) == 0 {
			t.Errorf("no life ended at %s", name)
		}
	}
}

// torture lets everything go wrong at once, and returns when it is over.
func (r *rig) torture(ctx context.Context, p plan) {
	r.sim.SetChaos(stripesim.Chaos{Seed: p.seed, API: 0.25, Webhooks: 0.3, Slow: 1500 * time.Millisecond, Late: 2 * time.Second, Saved: true})
	r.mail.Sicken(true)
	r.shop.wrath = p.wrath
	go r.shop.keep()
	r.t.Cleanup(r.shop.stop)
	if err := r.shop.ready(ctx); err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cancelled := make(chan struct{})
	var all sync.WaitGroup
	for n := range p.customers {
		all.Go(func() { r.crowd(ctx, uint64(n)) })
	}
	for n := range 5 {
		all.Go(func() { r.late(ctx, uint64(n), cancelled) })
	}
	all.Go(func() { r.clockmaker(ctx) })
	all.Go(func() { r.boxOffice(ctx) })
	all.Go(func() { r.weather(ctx) })
	all.Go(func() { r.killer(ctx, p.lo, p.hi) })
	all.Go(func() { r.quake(ctx, p.quake) })
	all.Go(func() { r.canceller(ctx, p.last/2, cancelled) })
	began := time.Now()
	for pause(ctx, p.last); time.Since(began) < p.longest && ctx.Err() == nil; pause(ctx, 200*time.Millisecond) {
		if _, kills := r.tally.all("kill "); kills >= p.kills {
			break
		}
	}
	cancel()
	all.Wait()
}
