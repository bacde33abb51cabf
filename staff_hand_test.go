package main

import (
	"net/url"
	"sync/atomic"
	"testing"
)

// A cancelled event's cash and terminal money is handed over from the tills of those who
// press: once each, however many press, and it stands in that shift's report.
func TestStaffHand_CancelledEventFromMyTill(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.till("cashier")
	w.exec(`UPDATE shifts SET opened_at = now() - interval '1 hour'`)
	id := w.soldAtCounter(ev.ID, "cashier", map[string]string{"A1": "adult", "A2": "adult"}, 1200, 800)
	w.exec(`UPDATE shifts SET closed_at = now(), closed_by = staff_id, counted = 6200, counts = '[]', expected = 6200, z_number = 1, report = '{}'`)
	w.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, ev.ID)
	if err := w.service().WorkCancelledEvent(t.Context(), ev.ID); err != nil {
		t.Fatal(err)
	}
	w.wantCount(t, 2, "staff_tasks WHERE kind = 'refund_by_hand' AND state = 'open'")
	cash := one[int64](w, `SELECT id FROM payments WHERE tender = 'cash'`)
	card := one[int64](w, `SELECT id FROM payments WHERE tender = 'terminal'`)
	handed := func(payment int64) string { return "/staff/payments/" + itoa(payment) + "/handed" }

	cashier, manager := w.as(t, "cashier"), w.as(t, "manager")
	status := cashier.get(w.URL+"/staff/status").want(200).says("Money to give back by hand", "EUR 12.00 handed over from my till", "EUR 8.00 handed over from my till")
	cashier.submit(status, status.form(handed(cash)), nil, "").want(409).says("Your till is not open", "Nothing was recorded")
	w.wantCount(t, 2, "refunds WHERE state = 'pending'")

	w.till("cashier")
	w.till("manager")
	cashier.post(w.URL+handed(cash), url.Values{"amount": {"1199"}}).want(409).says("given back already")
	cashier.post(w.URL+handed(cash), url.Values{"amount": {"x"}}).want(400)
	cashier.post(w.URL+handed(999), url.Values{"amount": {"1200"}}).want(404)
	w.as(t, "steward").post(w.URL+handed(cash), url.Values{"amount": {"1200"}}).want(403)

	page := manager.get(w.URL + "/staff/events/" + itoa(ev.ID)).want(200).says("EUR 12.00 handed over from my till")
	var won, lost atomic.Int32
	atOnce(6, func(i int) { // two people press for the same money
		p, b := status, cashier
		if i%2 == 0 {
			p, b = page, manager
		}
		switch got := b.submit(p, p.form(handed(cash)), nil, ""); got.status {
		case 303:
			won.Add(1)
		case 409:
			lost.Add(1)
		default:
			t.Errorf("status %d", got.status)
		}
	})
	if won.Load() != 1 || lost.Load() != 5 {
		t.Errorf("%d presses won, %d were refused", won.Load(), lost.Load())
	}
	w.wantCount(t, 1, "refunds WHERE state = 'succeeded' AND tender = 'cash' AND shift_id IS NOT NULL")
	w.wantCount(t, 1, "staff_tasks WHERE kind = 'refund_by_hand' AND state = 'open'")

	file := manager.get(w.file(id)).want(200).says("EUR 8.00 handed over from my till", "EUR 12.00 handed over from a till, cash")
	manager.follow(manager.submit(file, file.form(handed(card)), nil, "").want(303)).says("Handed over from your till", "card at the counter")
	w.wantCount(t, 0, "staff_tasks WHERE state = 'open'")
	w.wantCount(t, 2, "audit_log WHERE action = 'hand over refund'")

	// The ledger has each once, in the shift that paid it out, and that shift's report says so.
	for tender, want := range map[string]int64{"cash": -1200, "terminal": -800} {
		if n := one[int64](w, `SELECT sum(amount)::bigint FROM ledger_entries WHERE kind = 'refund' AND tender = $1`, tender); n != want {
			t.Errorf("%s: %d went back, want %d", tender, n, want)
		}
		if n := one[int64](w, `SELECT sum(l.amount)::bigint FROM ledger_entries l JOIN shifts s ON s.id = l.shift_id WHERE l.kind = 'refund' AND l.tender = $1 AND s.closed_at IS NULL`, tender); n != want {
			t.Errorf("%s: the shift has %d, want %d", tender, n, want)
		}
	}
	shift := one[int64](w, `SELECT s.id FROM shifts s JOIN staff p ON p.id = s.staff_id WHERE p.role = 'manager'`)
	manager.get(w.URL + "/staff/shifts/" + itoa(shift)).want(200).says("8.00")
	w.clean()
}

// Done on the list says that the money went back another way: then no till pays it too.
func TestStaffHand_DoneAndHandedOverAtOnce(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.till("manager")
	w.soldAtCounter(ev.ID, "manager", map[string]string{"A1": "adult"}, 1000, 0)
	w.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, ev.ID)
	if err := w.service().WorkCancelledEvent(t.Context(), ev.ID); err != nil {
		t.Fatal(err)
	}
	payment, task := one[int64](w, `SELECT id FROM payments`), one[int64](w, `SELECT id FROM staff_tasks WHERE kind = 'refund_by_hand'`)
	manager := w.as(t, "manager")
	var handed atomic.Int32
	atOnce(8, func(i int) {
		if i%2 == 0 {
			manager.post(w.URL+"/staff/tasks/"+itoa(task)+"/done", nil).want(303)
		} else if manager.post(w.URL+"/staff/payments/"+itoa(payment)+"/handed", url.Values{"amount": {"1000"}}).status == 303 {
			handed.Add(1)
		}
	})
	w.wantCount(t, int(handed.Load()), "refunds WHERE state = 'succeeded' AND shift_id IS NOT NULL")
	w.wantCount(t, 1, "refunds WHERE state = 'succeeded'")
	if n := one[int64](w, `SELECT sum(amount)::bigint FROM ledger_entries WHERE kind = 'refund'`); n != -1000 || handed.Load() > 1 {
		t.Errorf("the ledger has %d going back, %d handed over", n, handed.Load())
	}
	w.clean()
}
