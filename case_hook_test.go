package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"holdfast/internal/stripesim"
)

// hook posts a body to the webhook's address with a signature of its own.
func (w *world) hook(b *browser, body []byte, signature string) *page {
	w.t.Helper()
	return b.ask("POST", w.URL+"/hooks/stripe", string(body), map[string]string{"Content-Type": "application/json", "Stripe-Signature": signature})
}

// event is the body of a webhook about a session; version "" leaves api_version out.
func event(t *testing.T, id, kind, object, version string, livemode bool) []byte {
	t.Helper()
	m := map[string]any{"id": id, "object": "event", "type": kind, "livemode": livemode, "data": map[string]any{"object": map[string]any{"id": object}}}
	if version != "" {
		m["api_version"] = version
	}
	body, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// P3: 20 copies of one webhook and the return page at once: one booking, one set of
// tickets, one mail, every answer 200 or 303.
func TestP3_TwentyCopiesAndTheReturn(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookCopies, Copies: 20}})
	b := w.on(t)
	session := b.paying(eventPath(ev.ID), "A1", "A2", "A3")
	atOnce(6, func(i int) {
		if i == 0 {
			if err := w.Sim.Pay(session); err != nil {
				t.Error(err)
			}
			return
		}
		b.at("/return").want(303)
	})
	w.eventuallySim("20 copies arrive", func() bool {
		n := 0
		for _, e := range w.Sim.Events() {
			n += len(e.Sends)
		}
		return n >= 20
	})
	w.webhooksTaken(t)
	w.settledJobs()
	b.follow(b.at("/return").want(303)).want(200).says("You are booked")
	w.wantTickets(t, b.id(), "A1", "A2", "A3")
	w.wantCount(t, 1, "bookings")
	w.wantCount(t, 3, "tickets")
	w.wantCount(t, 1, "payments WHERE received = 3000")
	w.wantCount(t, 1, "ledger_entries WHERE kind = 'payment'")
	w.wantCount(t, 3, "ledger_entries WHERE kind = 'sale'")
	w.wantCount(t, 1, "mails")
	w.wantCount(t, 1, "stripe_events")
	w.clean()
}

// P22: the database fails inside the webhook: 5xx, nothing is remembered of it, and the
// same event is worked when it comes again. Both statements of the transaction.
func TestP22_DatabaseFailsInTheWebhook(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	w.exec(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END $$`)
	for i, c := range []struct{ table, when, seat string }{
		{"stripe_events", "true", "A1"}, {"river_job", "NEW.kind = 'settle'", "A2"},
	} {
		w.exec(`CREATE TRIGGER fail BEFORE INSERT ON ` + c.table + ` FOR EACH ROW WHEN (` + c.when + `) EXECUTE FUNCTION disk_full()`)
		b := w.on(t)
		session := b.paying(eventPath(ev.ID), c.seat)
		if err := w.Sim.Pay(session); err != nil {
			t.Fatal(err)
		}
		w.eventuallySim("all tries are used up", func() bool { return len(w.Sim.Events()[i].Sends) == 5 })
		for n, s := range w.Sim.Events()[i].Sends {
			if s.Status < 500 {
				t.Errorf("%s, try %d: answered %d %s", c.table, n+1, s.Status, s.Err)
			}
		}
		w.wantCount(t, i, "stripe_events")
		w.exec(`DROP TRIGGER fail ON ` + c.table)
		if err := w.Sim.Resend(w.Sim.Events()[i].ID); err != nil {
			t.Fatal(err)
		}
		w.eventually("booked after it came again", `SELECT EXISTS (SELECT 1 FROM bookings WHERE hold_id = $1)`, b.id())
		w.wantTickets(t, b.id(), c.seat)
	}
	w.settled()
	w.clean()
}

// P22, one step later: the job that settles cannot write. The money is not forgotten.
func TestP22_DatabaseFailsInTheJob(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	w.exec(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END $$`)
	w.exec(`CREATE TRIGGER fail BEFORE INSERT ON ledger_entries FOR EACH ROW EXECUTE FUNCTION disk_full()`)
	b := w.on(t)
	if err := w.Sim.Pay(b.paying(eventPath(ev.ID), "A1")); err != nil {
		t.Fatal(err)
	}
	w.eventually("the job failed", `SELECT EXISTS (SELECT 1 FROM river_job WHERE kind = 'settle' AND state IN ('retryable', 'available') AND attempt > 0)`)
	b.at("/return").want(503)
	b.state("paying")
	w.wantCount(t, 0, "tickets")
	w.exec(`DROP TRIGGER fail ON ledger_entries`)
	w.eventually("booked by the next try", `SELECT EXISTS (SELECT 1 FROM bookings)`)
	w.wantTickets(t, b.id(), "A1")
	w.settled()
	w.clean()
}

// P48: a body changed by a byte, a foreign, missing or old signature → 400; 2 MB → 413;
// P7: an unknown newer api_version and none → worked.
func TestP48_Bodies(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLost}})
	b := w.on(t)
	session := b.paying(eventPath(ev.ID), "A1")
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	good := w.Sim.Events()[0].Payload
	changed := bytes.Replace(good, []byte(`"paid"`), []byte(`"paiD"`), 1)
	big := append(bytes.Repeat([]byte(" "), 2<<20), good...)
	now := time.Now()
	for _, c := range []struct {
		name string
		body []byte
		sig  string
		want int
	}{
		{"changed by a byte", changed, w.Sim.Sign(good), 400},
		{"one byte more", append(bytes.Clone(good), '\n'), w.Sim.Sign(good), 400},
		{"another secret", good, stripesim.Signature(good, "whsec_foreign", now), 400},
		{"no signature", good, "", 400},
		{"nonsense", good, "t=abc,v1=zz", 400},
		{"an hour old", good, stripesim.Signature(good, testSecret, now.Add(-time.Hour)), 400},
		{"an hour ahead", good, stripesim.Signature(good, testSecret, now.Add(time.Hour)), 400},
		{"2 MB", big, w.Sim.Sign(big), 413},
		{"signed, but no event", []byte(`[]`), w.Sim.Sign([]byte(`[]`)), 500},
	} {
		if p := w.hook(b.browser, c.body, c.sig); p.status != c.want {
			t.Errorf("%s: %d, want %d: %s", c.name, p.status, c.want, p.body)
		}
	}
	w.wantCount(t, 0, "stripe_events")
	w.wantCount(t, 0, "bookings")
	b.get(w.URL + "/hooks/stripe").want(405)

	w.hook(b.browser, good, "t=1,v1=00,"+w.Sim.Sign(good)) // several signatures, one of them good
	w.hook(b.browser, good, w.Sim.Sign(good)).want(200)
	w.eventually("booked", `SELECT EXISTS (SELECT 1 FROM bookings)`)
	w.clean()
}

func TestP7_ApiVersions(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	for i, version := range []string{"2031-12-24.marzipan", ""} {
		w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookVersion, Version: version}})
		b := w.on(t)
		if err := w.Sim.Pay(b.paying(eventPath(ev.ID), ev.Seats[i])); err != nil {
			t.Fatal(err)
		}
		w.eventually("booked", `SELECT EXISTS (SELECT 1 FROM bookings WHERE hold_id = $1)`, b.id())
	}
	w.webhooksTaken(t)
	for i, c := range []struct {
		kind, object string
		live         bool
	}{
		{"charge.refunded", "ch_nobody", false}, {"invoice.paid", "in_1", false}, {"checkout.session.completed", "cs_test_foreign", false},
		{"checkout.session.completed", w.Sim.Sessions()[0].ID, true}, {"made.up", "", false},
	} {
		body := event(t, fmt.Sprint("evt_made_up_", i), c.kind, c.object, "", c.live)
		w.hook(w.browser(), body, w.Sim.Sign(body)).want(200) // unknown and foreign: stored and answered
	}
	w.settled()
	w.wantCount(t, 2, "bookings")
	w.wantCount(t, 0, "refunds")
	w.clean()
}

// P29: a session whose amount or metadata are another order's: refused, refunded in
// full, an entry for staff, no ticket, and the seats are free.
func TestP29_AnotherOrdersSession(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLost}})
	amount, currency, one, other := w.on(t), w.on(t), w.on(t), w.on(t)
	paid := map[*buyer]string{}
	for b, seat := range map[*buyer]string{amount: "A1", currency: "A2", one: "A3", other: "A4"} {
		paid[b] = b.paying(eventPath(ev.ID), seat)
	}
	w.exec(`UPDATE payments SET amount = 4000 WHERE hold_id = $1`, amount.id())
	w.exec(`UPDATE payments SET currency = 'USD' WHERE hold_id = $1`, currency.id())
	w.exec(`UPDATE payments SET stripe_session_id = 'cs_moved' WHERE hold_id = $1`, one.id())
	w.exec(`UPDATE payments SET stripe_session_id = $2 WHERE hold_id = $1`, other.id(), paid[one])
	w.exec(`UPDATE payments SET stripe_session_id = $2 WHERE hold_id = $1`, one.id(), paid[other])
	for _, session := range paid {
		if err := w.Sim.Pay(session); err != nil {
			t.Fatal(err)
		}
	}
	for b := range paid {
		b.at("/return").want(303)
		p := b.at("").want(200).says("does not fit your order")
		if strings.Contains(p.text(), "somebody else took the seats") {
			t.Errorf("a wrong payment is explained as a lost seat: %s", p.text())
		}
	}
	w.eventually("all of it is back", `SELECT count(*) = 4 FROM refunds WHERE state = 'succeeded'`)
	for b := range paid {
		w.wantTaken(t, b.id(), 0)
		w.wantTickets(t, b.id())
	}
	w.wantCount(t, 4, "staff_tasks WHERE kind = 'mismatch' AND state = 'open'")
	w.wantCount(t, 0, "bookings")
	w.wantCount(t, 0, "event_seats WHERE state <> 'available'")
	w.clean()
}

// P32: the refund is done and the answer lost, in every way: exactly one at Stripe.
func TestP32_RefundAnswerLost(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 8)
	for i, c := range []struct {
		name  string
		fault stripesim.Fault
	}{
		{"connection dropped once", stripesim.Fault{Kind: stripesim.DropAfter, Times: 1}},
		{"a whole call without answer", stripesim.Fault{Kind: stripesim.FailAfter, Times: 3}},
		{"500 for good under that key", stripesim.Fault{Kind: stripesim.FailSaved, Times: 1}},
		{"refused before, three times", stripesim.Fault{Kind: stripesim.FailBefore, Times: 3}},
	} {
		c.fault.Op = stripesim.OpCreateRefund
		late, next := w.on(t), w.on(t)
		w.Sim.SetFaults(deaf)
		session := late.paying(eventPath(ev.ID), ev.Seats[i])
		w.over(late.id())
		next.choose(eventPath(ev.ID), ev.Seats[i]).want(303)
		w.Sim.SetFaults(append(stripesim.Faults{c.fault}, deaf...))
		if err := w.Sim.Pay(session); err != nil {
			t.Fatal(err)
		}
		w.eventually(c.name+": refunded", `SELECT count(*) = $1 FROM refunds WHERE state = 'succeeded'`, i+1)
		if n := len(w.Sim.Refunds()); n != i+1 {
			t.Fatalf("%s: %d refunds at Stripe, want %d", c.name, n, i+1)
		}
		w.wantTaken(t, late.id(), 0)
	}
	w.wantCount(t, 0, "staff_tasks WHERE kind = 'refund_failed'")
	w.clean()
}

// A webhook that is not a POST from Stripe cannot be forged through a form.
func TestP48_FormPost(t *testing.T) {
	t.Parallel()
	w, _ := cinema(t, 1, 1)
	w.browser().post(w.URL+"/hooks/stripe", url.Values{"id": {"evt_1"}}).want(400)
	w.wantCount(t, 0, "stripe_events")
}

// A webhook of the other livemode, signed as it should be, is stored, answered and
// ignored: no job, nothing settled, a line in the log.
func TestP7_OtherLivemode(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLost}})
	b := w.on(t)
	session := b.paying(eventPath(ev.ID), "A1")
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	jobs := w.count("river_job WHERE kind = 'settle'")
	body := event(t, "evt_live", "checkout.session.completed", session, "2023-10-16", true)
	for range 2 {
		w.hook(w.browser(), body, w.Sim.Sign(body)).want(200)
	}
	w.wantCount(t, 1, "stripe_events WHERE id = 'evt_live' AND livemode AND processed_at IS NOT NULL AND note = 'other livemode'")
	w.wantCount(t, jobs, "river_job WHERE kind = 'settle'")
	w.wantCount(t, 0, "payments WHERE received > 0")
	w.wantCount(t, 0, "bookings")
	if log := w.logs.tail(1 << 20); !strings.Contains(log, "webhook of the other mode ignored") || !strings.Contains(log, "evt_live") {
		t.Error("the log does not tell of it")
	}
	same := event(t, "evt_test", "checkout.session.completed", session, "2023-10-16", false) // the control
	w.hook(w.browser(), same, w.Sim.Sign(same)).want(200)
	w.eventually("booked", `SELECT EXISTS (SELECT 1 FROM bookings)`)
	w.wantTickets(t, b.id(), "A1")
	w.clean()
}
