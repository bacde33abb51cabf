package torture

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/stripesim"
)

// TestNets are states that a torture run meets too seldom to count on: jobs that were
// given up after hours, and answers that Stripe keeps for a day. In each the sweep alone,
// of a program that runs all the time, must bring everything to rest.
func TestNets(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2, 2)
	r.shop.gentle = true
	go r.shop.keep()
	t.Cleanup(r.shop.stop)
	if err := r.shop.ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Run("a refund whose job was given up", func(t *testing.T) {
		r.sim.SetFaults(append(silent, stripesim.Fault{Kind: stripesim.FailBefore, Op: stripesim.OpCreateRefund}))
		r.refundWanted(t)
		r.until(t, "nobody is at it", `SELECT NOT EXISTS (SELECT 1 FROM river_job WHERE kind = 'refund' AND state = 'running')`)
		r.exec(`DELETE FROM river_job WHERE kind = 'refund'`)
		r.swept(t, "refund without a job")
	})
	t.Run("a refund that was made while its key says failed", func(t *testing.T) {
		r.sim.SetFaults(append(silent, stripesim.Fault{Kind: stripesim.FailSaved, Op: stripesim.OpCreateRefund, Times: 1}))
		r.refundWanted(t)
		r.swept(t, "refund behind a saved failure")
		if n := len(r.sim.Refunds()); n != 2 {
			t.Errorf("%d refunds at Stripe, want one for each case", n)
		}
	})
	t.Run("a webhook whose job was given up", func(t *testing.T) {
		address := r.paying(t, r.events[0])
		r.sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore, Op: stripesim.OpGetSession}})
		r.pays(t, address)
		r.until(t, "the webhook is stored", `SELECT EXISTS (SELECT 1 FROM stripe_events WHERE processed_at IS NULL)`)
		r.exec(`DELETE FROM river_job WHERE kind = 'settle'`)
		r.swept(t, "webhook without a job")
	})
	t.Run("a page that was made while its key says failed", func(t *testing.T) {
		r.sim.SetFaults(append(silent, stripesim.Fault{Kind: stripesim.FailSaved, Op: stripesim.OpCreateSession, Times: 1}))
		b := &customer{r: r, c: r.client(), at: r.events[1]}
		b.choose(r.dice(1))
		if p := r.pressPay(t, b); p.Status != 503 {
			t.Errorf("answered %d, want 503", p.Status)
		}
		r.exec(`UPDATE payments SET created_at = created_at - interval '1 minute' WHERE state = 'creating'`)
		p := r.pressPay(t, b) // a minute later the page is found
		if p.Status != 303 {
			t.Fatalf("answered %d, want the page", p.Status)
		}
		r.pays(t, p.Location)
		r.swept(t, "paid on a page that was found in the list")
	})
	t.Run("a page that nobody saw and whose time is over", func(t *testing.T) {
		r.sim.SetFaults(append(silent, stripesim.Fault{Kind: stripesim.FailSaved, Op: stripesim.OpCreateSession, Times: 1}))
		b := &customer{r: r, c: r.client(), at: r.events[1]}
		b.choose(r.dice(1))
		r.pressPay(t, b)
		r.exec(`UPDATE payments SET created_at = created_at - interval '40 minutes', session_ends_at = session_ends_at - interval '40 minutes' WHERE state = 'creating'`)
		all := r.sim.Sessions()
		if err := r.sim.Expire(all[len(all)-1].ID); err != nil {
			t.Fatal(err)
		}
		r.swept(t, "page behind a saved failure")
	})
	r.sim.SetFaults(nil)
	for _, f := range r.judge() {
		t.Errorf("%s: %s", f.check, f.words)
	}
}

// silent: no webhook may help.
var silent = stripesim.Faults{{Kind: stripesim.WebhookLost}}

// pressPay goes to the review page and presses the button.
func (r *rig) pressPay(t *testing.T, b *customer) *page {
	t.Helper()
	p, err := b.details(r.dice(1), b.held())
	if err == nil {
		p, err = b.c.submit(p, "/pay", nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refundWanted has somebody pay for an event that is cancelled, and come back.
func (r *rig) refundWanted(t *testing.T) {
	t.Helper()
	r.exec(`UPDATE events SET status = 'published' WHERE id = $1`, r.doomed.ID)
	b := &customer{r: r, c: r.client(), at: r.doomed}
	b.choose(r.dice(3))
	p := r.pressPay(t, b)
	r.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, r.doomed.ID)
	if _, err := b.c.follow(b.c.post(p.Location, url.Values{"action": {"pay"}})); err != nil {
		t.Fatal(err)
	}
	r.until(t, "Stripe was asked for the refund", `SELECT EXISTS (SELECT 1 FROM river_job WHERE kind = 'refund' AND errors IS NOT NULL)`)
}

// swept lets minutes pass, with sweeps and without anything else, until all is at rest.
func (r *rig) swept(t *testing.T, what string) {
	t.Helper()
	r.sim.SetFaults(silent)
	r.exec(`UPDATE refunds SET created_at = created_at - interval '3 minutes', updated_at = updated_at - interval '3 minutes' WHERE state = 'requested'`)
	r.exec(`UPDATE stripe_events SET received_at = received_at - interval '3 minutes' WHERE processed_at IS NULL`)
	r.exec(`UPDATE payments SET created_at = created_at - interval '3 minutes' WHERE state IN ('creating', 'open')`)
	r.exec(`UPDATE holds SET expires_at = now() - interval '3 minutes' WHERE state = 'active'`)
	end := time.Now().Add(20 * time.Second)
	for n := 0; len(r.open()) > 0; n++ {
		if time.Now().After(end) {
			t.Fatalf("%s: not at rest: %q", what, r.open())
		}
		if n%20 == 0 {
			r.exec(`UPDATE river_job SET state = 'available', scheduled_at = now() WHERE state IN ('retryable', 'scheduled')`) // as River does every 5 s
			r.minute(t.Context(), domain.SweepJob{})
		}
		pause(t.Context(), 100*time.Millisecond) // polling
	}
}

// until waits for a state of the database.
func (r *rig) until(t *testing.T, what, sql string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); fmt.Sprint(r.ask(sql)) != "[[true]]"; pause(t.Context(), 50*time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in 20 s: %s", what)
		}
	}
}
