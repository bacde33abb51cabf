package main

import (
	"net/url"
	"strings"
	"testing"

	"holdfast/internal/stripesim"
)

// The seat-lost case of H2 as staff see it: the task with what became of the money, Done
// with a reason, and a failed refund that is tried again.
func TestStaffStatusShowsALostSeat(t *testing.T) {
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
	w.eventually("refund under way", `SELECT EXISTS (SELECT 1 FROM refunds WHERE state = 'pending')`)

	b := w.as(t, "manager")
	p := b.get(w.URL+"/staff/status").want(200).says("Paid after the seats were gone", "Nimali Fernando", "1 thing")
	task := p.values("data-task")
	if len(task) != 1 {
		t.Fatalf("tasks %v", task)
	}
	if links := p.all("a", "href", ""); len(links) == 0 || !strings.Contains(p.body, "https://dashboard.stripe.com/test/payments/pi_") {
		t.Error("no link to the payment at Stripe")
	}

	// The bank sends it back after all.
	if err := w.Sim.FinishRefund(one[string](w, `SELECT stripe_refund_id FROM refunds`), false); err != nil {
		t.Fatal(err)
	}
	w.eventually("failed", `SELECT state = 'failed' FROM refunds`)
	p = b.get(w.URL+"/staff/status").want(200).says("could not be sent back", "2 things")
	refund := p.values("data-refund")
	if len(refund) != 1 {
		t.Fatalf("refunds %v", refund)
	}
	if tone := toneOf(p, "Refunds"); tone != "bad" {
		t.Errorf("refunds are %q", tone)
	}
	b.submit(p, p.form("/staff/refunds/"+refund[0]+"/retry"), nil, "").want(303)
	b.get(w.URL + "/staff/status").want(200).says("asked for again")
	w.wantCount(t, 1, "audit_log WHERE action = 'refund_retry' AND subject = 'refund:"+refund[0]+"'")
	w.eventually("tried again", `SELECT state = 'succeeded' FROM refunds`)
	w.exec(`UPDATE staff_tasks SET state = 'done', done_at = now() WHERE kind = 'refund_failed'`)
	b.get(w.URL+"/staff/status").want(200).says("EUR 10.00 is back", "All money that was to go back is back")

	p = b.get(w.URL + "/staff/status").want(200)
	b.submit(p, p.form("/staff/tasks/"+task[0]+"/done"), url.Values{"reason": {"Called her, she took C8."}}, "").want(303)
	b.get(w.URL+"/staff/status").want(200).says("off the list", "Nothing waits for you")
	b.post(w.URL+"/staff/tasks/"+task[0]+"/done", nil).want(303) // a second tab
	w.wantCount(t, 1, "audit_log WHERE action = 'task_done' AND subject = 'task:"+task[0]+"' AND after->>'reason' = 'Called her, she took C8.'")
}

func toneOf(p *page, part string) string {
	for _, n := range p.all("tr", "data-part", part) {
		tone, _ := attribute(n, "data-tone")
		return tone
	}
	return "missing"
}

func TestStaffStatusParts(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "cashier")
	p := b.get(w.URL+"/staff/status").want(200).says("No payment is under way", "mail is off: SMTP_URL is not set", "as expected")
	for part, want := range map[string]string{"Payments": "ok", "Refunds": "ok", "Webhooks": "", "Mail": "warn", "Database": "ok", "Configuration": "warn", "Program": "ok"} {
		if got := toneOf(p, part); got != want {
			t.Errorf("%s is %q, want %q", part, got, want)
		}
	}
	w.exec(`INSERT INTO mails (kind, to_address, error, created_at) VALUES ('staff_note', 'x@example.com', '535 refused', now() - interval '6 minutes')`)
	w.exec(`INSERT INTO stripe_events (id, type, object_id, livemode, received_at) VALUES ('evt_1', 'x', 'y', false, now() - interval '20 minutes')`)
	w.exec(`DELETE FROM audit_runs`)
	w.exec(`INSERT INTO audit_runs (checks, findings) VALUES (9, '[{"Invariant":"4","Table":"payments","Key":"7","Words":"money is missing"}]')`)
	p = b.get(w.URL+"/staff/status").want(200).says("535 refused", "1 not worked yet", "What the audit found", "money is missing", "payments 7", "9 checks")
	for part, want := range map[string]string{"Webhooks": "bad", "Self-audit": "bad"} {
		if got := toneOf(p, part); got != want {
			t.Errorf("%s is %q, want %q", part, got, want)
		}
	}
	w.exec(`INSERT INTO audit_runs (checks) VALUES (9)`)
	if got := toneOf(b.get(w.URL+"/staff/status"), "Self-audit"); got != "ok" {
		t.Errorf("a clean audit is %q", got)
	}
}
