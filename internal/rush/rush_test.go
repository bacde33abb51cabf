package rush

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// TestL1_ReleaseDay: see the package comment.
func TestL1_ReleaseDay(t *testing.T) {
	if os.Getenv("RUSH_BROWSERS") == "" {
		t.Parallel()
		p := shortPlan()
		p.seed = uint64(time.Now().UnixNano() % 1e9)
		if w := rush(t, p); !t.Failed() {
			w.canFail(t)
		}
		return
	}
	plans := []plan{longPlan(t)}
	if os.Getenv("RUSH_PROCESSES") == "" && os.Getenv("RUSH_KILL") == "" {
		three, killed := plans[0], plans[0]
		three.processes, killed.processes, killed.kill = 3, 3, true
		plans = append(plans, three, killed)
	}
	for _, p := range plans {
		p.seed = uint64(number(t, "RUSH_SEED", int(time.Now().UnixNano()%1e9)))
		t.Run(p.String(), func(t *testing.T) { rush(t, p) })
	}
}

// rush is one evening with its verdict.
func rush(t *testing.T, p plan) *world {
	t.Helper()
	t.Logf("seed %d", p.seed)
	w := newWorld(t, p)
	ready := time.Now()
	w.evening()
	over := time.Now()
	rest, took := w.calm()
	w.morning()
	found := w.judge()
	t.Logf("verdict\n%s  started in %s, evening of %s, all at rest after %s, judged by %s", w.table(found), seconds(ready.Sub(w.began)),
		seconds(over.Sub(ready)), seconds(took), seconds(time.Since(over)))
	for _, f := range found {
		t.Errorf("%s: %s", f.check, f.words)
	}
	if len(rest) > 0 {
		t.Logf("unfinished: %q", rest)
	}
	w.enough(t)
	return w
}

func seconds(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// enough: an evening on which nothing happened proves nothing.
func (w *world) enough(t *testing.T) {
	t.Helper()
	wanted := []string{"claim won", "claim lost", "pressed Pay at Stripe"}
	if w.p.durable { // a small crowd may throw the dice so that nobody does these
		wanted = append(wanted, "let go", "first of two clicks", "time of a hold ended", "reloaded before it was open")
	}
	if w.p.kill {
		wanted = append(wanted, "killed")
	}
	for _, what := range wanted {
		if w.count(what) == 0 {
			t.Errorf("this never happened: %s", what)
		}
	}
	if n := w.perSecond(false, func(r request) bool { return r.route == "claim" }); n < w.p.peak {
		t.Errorf("at most %d claims were tried in a second, want %d: that is no rush", n, w.p.peak)
	}
	sold, _ := strconv.Atoi(w.ask(`SELECT count(*)::text FROM tickets WHERE event_id = $1 AND state = 'valid'`, w.hot.ID)[0][0]) // it is a number
	if sold < w.p.seats/2 {
		t.Errorf("only %d of %d seats were sold", sold, w.p.seats)
	}
}
