package main

import (
	"strings"
	"testing"

	"holdfast/db"
)

// E2: the oldest unsent mail turns health bad after five minutes, in words and with 200:
// a restart would mend nothing.
func TestE2_HealthTurnsBadWhenMailIsLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *db.DB) { hire(t, d) }, map[string]string{"SMTP_URL": "smtp://127.0.0.1:1?tls=none", "MAIL_FROM": "tickets@house.example"})
	says := func(when string, words ...string) {
		t.Helper()
		if body := w.browser().get(w.URL + "/healthz").want(200).body; !strings.Contains(body, words[0]) || !strings.Contains(body, words[1]) {
			t.Errorf("%s: %s, want %v", when, body, words)
		}
	}
	says("nothing waits", `"status":"ok"`, `"mail":"ok"`)
	w.exec(`INSERT INTO mails (kind, to_address, created_at) VALUES ('staff_note', 'x@example.com', now() - interval '4 minutes 50 seconds')`)
	says("it waits for less than five minutes", `"status":"ok"`, `"mail":"ok"`)
	w.exec(`UPDATE mails SET created_at = now() - interval '5 minutes 1 second'`)
	says("it waits for more", `"status":"bad"`, `"mail":"late"`)
	w.browser().get(w.URL + "/readyz").want(200)
	if got := toneOf(w.as(t, "cashier").get(w.URL+"/staff/status").want(200).says("not sent yet, the oldest for 5 min"), "Mail"); got != "bad" {
		t.Errorf("mail on the status page is %q", got)
	}
	w.exec(`UPDATE mails SET state = 'sent'`)
	says("it left", `"status":"ok"`, `"mail":"ok"`)

	off, _ := office(t) // no mail server at all
	off.exec(`INSERT INTO mails (kind, to_address, created_at) VALUES ('staff_note', 'x@example.com', now() - interval '1 day')`)
	if body := off.browser().get(off.URL + "/healthz").want(200).body; !strings.Contains(body, `"mail":"off"`) || !strings.Contains(body, `"status":"ok"`) {
		t.Errorf("without a mail server: %s", body)
	}
}

// Money that came in and neither bought anything nor goes back is told in red; with its
// refund it is not stranded any more.
func TestStaffStatusStranded(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.as(t, "cashier")
	p := b.get(w.URL+"/staff/status").want(200).says("test mode", "agree to the second")
	if toneOf(p, "Payments") != "ok" || toneOf(p, "Clock") != "ok" {
		t.Errorf("payments %q, clock %q", toneOf(p, "Payments"), toneOf(p, "Clock"))
	}
	w.on(t).buys(eventPath(ev.ID), "A1")
	if got := toneOf(b.get(w.URL+"/staff/status").want(200), "Payments"); got != "ok" {
		t.Errorf("a sale makes payments %q", got)
	}
	lost := w.on(t)
	lost.choose(eventPath(ev.ID), "A2").want(303)
	w.exec(`INSERT INTO payments (hold_id, event_id, tender, state, outcome, amount, received, currency, received_at) VALUES ($1, $2, 'cash', 'closed', NULL, 1000, 1000, 'EUR', now() - interval '1 hour')`, lost.id(), ev.ID)
	if got := toneOf(b.get(w.URL+"/staff/status").want(200).says("neither booked nor going back"), "Payments"); got != "bad" {
		t.Errorf("stranded money makes payments %q", got)
	}
	w.exec(`INSERT INTO refunds (payment_id, event_id, amount, currency, reason) SELECT id, event_id, 1000, 'EUR', 'staff' FROM payments WHERE tender = 'cash'`)
	if got := toneOf(b.get(w.URL+"/staff/status").want(200), "Payments"); got != "ok" {
		t.Errorf("once it goes back payments are %q", got)
	}
}
