package main

import (
	"net/url"
	"strings"
	"testing"

	"holdfast/internal/stripesim"
)

// intent is the payment intent of the one payment that took money.
func (w *world) intent() string {
	return one[string](w, `SELECT stripe_payment_intent_id FROM payments WHERE received > 0`)
}

// P5: charge.refunded, charge.refund.updated and refund.updated, alone and in any order:
// the refund is recorded once. A refund made in Stripe by hand never kills a ticket.
func TestP5_RefundNewsInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, lost := range [][]string{
		nil,
		{"charge.refunded"},
		{"refund.created"},
	} {
		t.Run("without "+strings.Join(lost, " "), func(t *testing.T) {
			t.Parallel()
			w, ev := cinema(t, 1, 4)
			b := w.on(t)
			b.buys(eventPath(ev.ID), "A1", "A2")
			faults := stripesim.Faults{{Kind: stripesim.WebhookCopies, Copies: 2}, {Kind: stripesim.WebhookReordered}}
			for _, kind := range lost {
				faults = append(faults, stripesim.Fault{Kind: stripesim.WebhookLost, Op: kind})
			}
			w.Sim.SetFaults(faults)
			id, err := w.Sim.DashboardRefund(w.intent(), 400)
			if err != nil {
				t.Fatal(err)
			}
			w.Sim.SetFaults(nil)
			w.eventually("recorded", `SELECT EXISTS (SELECT 1 FROM refunds WHERE stripe_refund_id = $1 AND state = 'succeeded')`, id)
			w.eventually("all news worked", `SELECT count(*) = 0 FROM stripe_events WHERE processed_at IS NULL`)
			w.wantCount(t, 1, `refunds WHERE reason = 'dashboard' AND amount = 400`)
			w.wantCount(t, 1, `staff_tasks WHERE kind = 'dashboard_refund' AND state = 'open'`)
			w.wantCount(t, 2, `tickets WHERE state = 'valid'`)
			w.clean()
		})
	}
}

// P33: a refund is pending and succeeds days later: "on its way", not failed, not done.
func TestP33_RefundPendingForDays(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	late, other := w.on(t), w.on(t)
	session := late.paying(eventPath(ev.ID), "A1")
	w.Sim.SetFaults(append(stripesim.Faults{{Kind: stripesim.RefundPending, Times: 1}}, deaf...))
	w.over(late.id())
	other.buys(eventPath(ev.ID), "A1")
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	w.eventually("pending", `SELECT EXISTS (SELECT 1 FROM refunds WHERE state = 'pending')`)
	late.at("").want(200).says("on its way")
	w.exec(`UPDATE refunds SET created_at = created_at - interval '3 days', updated_at = updated_at - interval '3 days'`)
	w.clean()
	if err := w.Sim.FinishRefund(one[string](w, `SELECT stripe_refund_id FROM refunds`), true); err != nil {
		t.Fatal(err)
	}
	w.eventually("done", `SELECT state = 'succeeded' FROM refunds`)
	w.eventually("told", `SELECT EXISTS (SELECT 1 FROM mails WHERE kind = 'refund_done')`)
	late.at("").want(200).says("was sent back")
	w.wantCount(t, 1, `payments WHERE state = 'closed' AND outcome = 'seat_lost'`)
	w.clean()
}

// P36: a refund succeeds and fails days later: the money adds up at every moment, staff
// get a task, and the customer's page does not say that it is done.
func TestP36_RefundFailsAfterItSucceeded(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 4)
	late, other := w.on(t), w.on(t)
	session := late.paying(eventPath(ev.ID), "A1")
	w.Sim.SetFaults(append(stripesim.Faults{{Kind: stripesim.RefundFailsLater, Times: 1, Delay: 300e6}}, deaf...))
	w.over(late.id())
	other.buys(eventPath(ev.ID), "A1")
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	w.eventually("failed after all", `SELECT EXISTS (SELECT 1 FROM refunds WHERE state = 'failed')`)
	w.eventually("a task", `SELECT EXISTS (SELECT 1 FROM staff_tasks WHERE kind = 'refund_failed' AND state = 'open')`)
	w.eventually("told", `SELECT EXISTS (SELECT 1 FROM mails WHERE kind = 'refund_failed')`)
	late.at("").want(200).says("has not worked yet")
	w.wantCount(t, 1, `payments WHERE state = 'refunding'`)
	w.wantTaken(t, late.id(), 1000)
	w.clean()
}

// P45: an inquiry leaves the ticket valid; a chargeback makes the door ask staff until
// they decide.
func TestP45_Disputes(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.on(t)
	done := b.buys(eventPath(ev.ID), ev.Seats[0])
	code := ""
	for _, a := range done.all("a", "href", "") {
		if href, _ := attribute(a, "href"); strings.HasPrefix(href, "/t/") {
			code = href
		}
	}
	door := w.as(t, "steward")
	asks := func() bool {
		t.Helper()
		p := door.get(w.URL + code).want(200)
		if strings.Contains(p.text(), "Ask the office first") {
			return true
		}
		p.says("Valid")
		return false
	}
	if b.get(w.URL + code).want(200); strings.Contains(b.get(w.URL+code).text(), "Valid ") {
		t.Error("the customer sees the door's verdict")
	}
	inquiry, err := w.Sim.Dispute(w.intent(), "warning_needs_response")
	if err != nil {
		t.Fatal(err)
	}
	w.eventually("inquiry stored", `SELECT EXISTS (SELECT 1 FROM disputes WHERE id = $1 AND inquiry)`, inquiry)
	if asks() {
		t.Error("an inquiry stops the door")
	}
	if err := w.Sim.UpdateDispute(inquiry, "needs_response"); err != nil {
		t.Fatal(err)
	}
	w.eventually("chargeback stored", `SELECT NOT inquiry FROM disputes WHERE id = $1`, inquiry)
	if !asks() {
		t.Error("a chargeback does not make the door ask")
	}
	w.wantCount(t, 1, `tickets WHERE state = 'valid'`)
	w.wantCount(t, 1, `staff_tasks WHERE kind = 'dispute' AND state = 'open'`)
	office := w.as(t, "manager")
	status := office.get(w.URL + "/staff/status").want(200)
	task := one[int64](w, `SELECT id FROM staff_tasks WHERE kind = 'dispute'`)
	office.submit(status, status.form("/staff/tasks/"+itoa(task)+"/done"), url.Values{"reason": {"Her bank was wrong."}}, "").want(303)
	if asks() {
		t.Error("staff decided and the door still asks")
	}
	w.clean()
}

// The staff button settles what is under way at once: a payment whose webhook was lost
// and whose buyer never came back.
func TestP4_StaffAskStripe(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.on(t)
	session := b.paying(eventPath(ev.ID), ev.Seats[0])
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLost}})
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	boss := w.as(t, "manager")
	page := boss.get(w.URL + "/staff/status").want(200)
	boss.submit(page, page.form("/staff/payments/ask"), nil, "").want(303)
	boss.get(w.URL + "/staff/status").want(200).says("Stripe was asked about every payment")
	w.wantCount(t, 1, `bookings WHERE state = 'confirmed'`)
	w.wantCount(t, 1, `audit_log WHERE action = 'ask_stripe'`)
	if p := w.as(t, "cashier").post(w.URL+"/staff/payments/ask", nil); p.status != 403 {
		t.Errorf("a cashier asked: %d", p.status)
	}
	w.clean()
}
