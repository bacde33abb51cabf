package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/stripesim"
)

// built is the program as it is deployed, built once for the tests that kill it.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "holdfast-built-")
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "holdfast")
	words, err := exec.Command("go", "build", "-o", out, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, words)
	}
	return out, nil
})

// child is the program as a process of its own, on the world's database and port.
type child struct {
	w   *world
	cmd *exec.Cmd
}

// spawn replaces the world's program by a process that can be killed.
func (w *world) spawn() *child {
	w.t.Helper()
	bin, err := built()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.stop(); err != nil {
		w.t.Fatal(err)
	}
	c := &child{w: w, cmd: exec.Command(bin, "serve")}
	for k, v := range w.env {
		c.cmd.Env = append(c.cmd.Env, k+"="+v)
	}
	c.cmd.Stderr, c.cmd.Stdout = w.logs, w.logs
	if err := c.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.kill() })
	w.eventuallySim("the child is ready", func() bool {
		res, err := (&browser{t: w.t}).Get(w.URL + "/readyz")
		if err == nil {
			res.Body.Close()
		}
		return err == nil && res.StatusCode == 200
	})
	return c
}

// kill is kill −9; a second time it does nothing.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// P8: killed between Stripe's success and our commit, at several places, with the
// webhooks lost: after the next start all are booked or refunded without the buyer.
func TestP8_KilledBeforeTheCommit(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 2, 8) }, nil)
	var all []*buyer
	for i, c := range []struct {
		name string
		lock string // what the settling transaction runs into; "": it waits for Stripe
		lost bool   // the seat goes to somebody else meanwhile
	}{
		{"while asking Stripe", "", false},
		{"at the payment's row", `SELECT 1 FROM payments WHERE hold_id = $1 FOR UPDATE`, false},
		{"at the seat's row", `SELECT 1 FROM event_seats WHERE hold_id = $1 FOR UPDATE`, false},
		{"before the commit", `SELECT 1 FROM (SELECT pg_advisory_xact_lock(77)) x WHERE $1::uuid IS NOT NULL`, false},
		{"with the seat lost", "", true},
	} {
		if i == 3 { // the mail is the last row of the transaction
			w.exec(`CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NEW; END $$`)
			w.exec(`CREATE TRIGGER wait_here BEFORE INSERT ON mails FOR EACH ROW EXECUTE FUNCTION wait_here()`)
		}
		b := killedWhileSettling(t, w, ev, ev.Seats[i], c.lock, c.lost)
		all = append(all, b)
		w.wantCount(t, i, "payments WHERE received > 0") // the one of this round is not among them
		w.Sim.SetFaults(nil)
		w.exec(`UPDATE payments SET created_at = now() - interval '3 minutes' WHERE state = 'open'`)
		w.leaderless()
		if i == 3 {
			w.exec(`DROP TRIGGER wait_here ON mails`)
		}
		w.start()
		w.eventually(c.name+": an end without the buyer", `SELECT state IN ('applied', 'closed') FROM payments WHERE hold_id = $1`, b.id())
		if c.lost {
			w.wantTaken(t, b.id(), 0)
			b.state("lost")
		} else {
			w.wantTaken(t, b.id(), 1000)
			w.wantTickets(t, b.id(), ev.Seats[i])
		}
		w.clean()
	}
	w.wantCount(t, len(all)-1, "mails WHERE kind = 'tickets'")
	w.wantCount(t, 1, "mails WHERE kind = 'seats_lost'")
}

// killedWhileSettling pays at Stripe, lets the program begin to settle, and kills it there.
func killedWhileSettling(t *testing.T, w *world, ev dbtest.Event, seat, lock string, lost bool) *buyer {
	t.Helper()
	c := w.spawn()
	b := w.on(t)
	session := b.paying(eventPath(ev.ID), seat)
	faults := stripesim.Faults{{Kind: stripesim.WebhookLost}}
	if lock == "" {
		faults = append(faults, stripesim.Fault{Kind: stripesim.Slow, Op: stripesim.OpGetSession, Delay: 3e9})
	}
	if lost {
		faults = append(faults, deaf...)
		w.over(b.id())
		x := w.on(t)
		x.choose(eventPath(ev.ID), seat).want(303)
	}
	w.Sim.SetFaults(faults)
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	asked := w.asked(stripesim.OpGetSession)
	tx, err := w.DB.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if lock != "" {
		if _, err := tx.Exec(t.Context(), lock, b.id()); err != nil {
			t.Fatal(err)
		}
	}
	gone := make(chan struct{})
	go func() { // the buyer comes back from Stripe; nobody answers any more
		defer close(gone)
		if res, err := b.Get(w.URL + b.hold + "/return"); err == nil {
			res.Body.Close()
			t.Errorf("answered %d before it was killed", res.StatusCode)
		}
	}()
	w.eventuallySim("Stripe is asked", func() bool { return w.asked(stripesim.OpGetSession) > asked })
	if lock != "" {
		w.eventually("it waits in its transaction", `SELECT EXISTS (SELECT 1 FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid())`)
	}
	c.kill()
	<-gone
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

// P8 for refunds: killed while Stripe works on the refund. After the start it is finished,
// once, within minutes.
func TestP8_KilledDuringTheRefund(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 1, 4) }, nil)
	c := w.spawn()
	b := w.on(t)
	session := b.paying(eventPath(ev.ID), "A1")
	w.Sim.SetFaults(append(stripesim.Faults{{Kind: stripesim.Slow, Op: stripesim.OpCreateRefund, Delay: 3e9}}, deaf...))
	w.over(b.id())
	w.held(t, ev.ID, "A1")
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	w.eventuallySim("the refund is asked for", func() bool { return w.asked(stripesim.OpCreateRefund) == 1 })
	c.kill()
	w.wantCount(t, 1, "refunds WHERE state = 'requested'")
	w.Sim.SetFaults(nil)
	w.exec(`UPDATE refunds SET created_at = created_at - interval '6 minutes', updated_at = updated_at - interval '6 minutes'`) // minutes later
	w.exec(`UPDATE river_job SET attempted_at = attempted_at - interval '6 minutes' WHERE state = 'running'`)
	w.leaderless()
	w.start()
	w.eventually("refunded without the buyer", `SELECT state = 'succeeded' FROM refunds`)
	if n := len(w.Sim.Refunds()); n != 1 {
		t.Errorf("%d refunds at Stripe", n)
	}
	w.wantTaken(t, b.id(), 0)
	w.clean()
}
