package main

import (
	"testing"

	"holdfast/internal/stripesim"
)

// P36, its rest: staff ask for a failed refund again; news of the failure that comes
// only now is about the earlier try and must not fail this one.
func TestP36_OldNewsAfterAnotherTry(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	late, other := w.on(t), w.on(t)
	session := late.paying(eventPath(ev.ID), "C7")
	w.Sim.SetFaults(append(stripesim.Faults{{Kind: stripesim.RefundPending, Times: 1}}, deaf...))
	w.over(late.id())
	other.buys(eventPath(ev.ID), "C7")
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	w.eventually("under way", `SELECT EXISTS (SELECT 1 FROM refunds WHERE state = 'pending')`)
	first := one[string](w, `SELECT stripe_refund_id FROM refunds`)
	if err := w.Sim.FinishRefund(first, false); err != nil {
		t.Fatal(err)
	}
	w.eventually("failed", `SELECT state = 'failed' FROM refunds`)
	w.eventually("all news worked", `SELECT count(*) = 0 FROM stripe_events WHERE processed_at IS NULL`)

	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.RateLimit, Op: stripesim.OpCreateRefund}})
	b := w.as(t, "manager")
	p := b.get(w.URL + "/staff/status").want(200)
	b.submit(p, p.form("/staff/refunds/"+p.values("data-refund")[0]+"/retry"), nil, "").want(303)
	w.exec(`UPDATE stripe_events SET processed_at = NULL`)
	w.exec(`INSERT INTO river_job (state, queue, kind, args, max_attempts, priority)
	        VALUES ('available', 'default', 'refund_news', jsonb_build_object('object_id', $1::text, 'event_id', (SELECT min(id) FROM stripe_events)), 25, 1)`, first)
	w.eventually("the old news is worked", `SELECT processed_at IS NOT NULL FROM stripe_events ORDER BY id LIMIT 1`)
	w.wantCount(t, 1, `refunds WHERE state = 'requested' AND earlier_ids = ARRAY[$1::text]`, first)
	w.Sim.SetFaults(nil)
	w.eventually("tried again", `SELECT state = 'succeeded' FROM refunds`)
	w.clean()
}
