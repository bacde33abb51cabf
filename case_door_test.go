package main

import (
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

// codes are the addresses of a booking page's tickets, in order.
func (p *page) codes() []string {
	p.t.Helper()
	var out []string
	for _, a := range p.all("a", "href", "") {
		if href, _ := attribute(a, "href"); strings.HasPrefix(href, "/t/") {
			out = append(out, href)
		}
	}
	if len(out) == 0 {
		p.t.Fatalf("%s has no ticket: %s", p.url, p.text())
	}
	return out
}

// service is the rules behind the pages, on the same database and without a provider.
func (w *world) service() *booking.Service {
	return booking.New(w.DB, booking.Config{Log: slog.New(slog.DiscardHandler)})
}

// verdict is the tone of the door's answer.
func (p *page) verdict(want string) *page {
	p.t.Helper()
	if got := p.values("data-verdict"); !slices.Equal(got, []string{want}) {
		p.t.Errorf("%s: verdict %v, want %s: %s", p.url, got, want, p.text())
	}
	return p
}

// scan opens a ticket and presses Check in.
func (w *world) scan(b *browser, code string) *page {
	b.t.Helper()
	p := b.get(w.URL + code).want(200)
	return b.submit(p, p.form("/staff/checkin"), nil, "")
}

// has says whether the page has a form to the address.
func (p *page) has(suffix string) bool {
	for _, n := range p.all("form", "", "") {
		if action, _ := attribute(n, "action"); strings.HasSuffix(action, suffix) {
			return true
		}
	}
	return false
}

// B7: a second scan shows the first: when, where and by whom. Pressed twice it is one.
func TestB7_SecondScanShowsTheFirst(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	codes := w.on(t).buys(eventPath(ev.ID), "A1", "A2").codes()
	door, other := w.as(t, "steward"), w.as(t, "cashier")
	seen := door.get(w.URL+codes[0]).want(200).verdict("ok").says("Valid", "Not in yet", "0 of 2 in")
	in := door.submit(seen, seen.form("/staff/checkin"), url.Values{"place": {"Left door"}}, "").want(303)
	again := door.submit(seen, seen.form("/staff/checkin"), url.Values{"place": {"Left door"}}, "").want(303) // the finger was too quick
	if in.location != again.location {
		t.Errorf("the same press leads to %q and %q", in.location, again.location)
	}
	door.follow(in).verdict("done").says("Checked in", "Left door", "Steward Person", "1 of 2 in")
	p := other.get(w.URL+codes[0]).want(200).verdict("warn").says("Already in", "First scanned at", "Left door", "by Steward Person", "A1", "Adult", "Salt Road")
	if p.has("/staff/checkin") || p.has("/undo") {
		t.Error("who is in can be checked in again, or out by a cashier")
	}
	late := other.submit(seen, seen.form("/staff/checkin"), url.Values{"key": {"another press"}}, "").want(409)
	late.verdict("warn").says("Already in", "Left door")
	w.wantCount(t, 1, "checkins")
	w.wantCount(t, 1, "tickets WHERE checked_in_at IS NOT NULL AND seat_no = 'A1'")
	w.wantCount(t, 1, "audit_log WHERE action = 'check in' AND actor = 'staff:4'")

	if p := w.browser().post(w.URL+"/staff/checkin", url.Values{"code": {codes[1]}, "key": {"k"}}); p.status != 303 || !strings.HasPrefix(p.location, "/staff/login") {
		t.Errorf("nobody checked in: %d %q", p.status, p.location)
	}
	w.wantCount(t, 1, "checkins")
	if strings.Contains(w.browser().get(w.URL+codes[0]).want(200).text(), "Left door") {
		t.Error("a customer sees the door's page")
	}
	other.post(w.URL+"/staff/checkin", url.Values{"code": {w.URL + codes[1]}, "key": {"k2"}}).want(303) // a scanner's whole address
	other.post(w.URL+"/staff/checkin", url.Values{"code": {"/t/nonsense"}, "key": {"k2"}}).want(404)
	other.post(w.URL+"/staff/checkin", url.Values{"code": {codes[1]}, "key": {"k3"}, "event": {"-1"}}).want(400)
	w.as(t, "manager").get(w.URL+"/staff/bookings/1").want(200).says("Seat A1: checked in, Left door", "Steward Person")
	w.clean()
}

// Two doors at the same moment: one lets in, the other is told of it.
func TestB7_TwoDoorsAtOnce(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	codes := w.on(t).buys(eventPath(ev.ID), "A1", "A2", "A3").codes()
	doors := []*browser{w.as(t, "steward"), w.as(t, "cashier"), w.as(t, "manager")}
	for _, code := range codes {
		answers := make([]*page, 6)
		atOnce(len(answers), func(i int) {
			answers[i] = doors[i%3].post(w.URL+"/staff/checkin", url.Values{"code": {code}, "key": {"press " + itoa(int64(i))}})
		})
		in := 0
		for _, p := range answers {
			switch p.status {
			case 303:
				in++
			case 409:
				p.verdict("warn").says("Already in")
			default:
				t.Errorf("a door was told %d: %s", p.status, p.text())
			}
		}
		if in != 1 {
			t.Errorf("%d doors let the same ticket in", in)
		}
		same := make([]*page, 4) // the same press from one queue, sent again while it was under way
		w.exec(`UPDATE tickets SET checked_in_at = NULL`)
		w.exec(`DELETE FROM checkins`)
		atOnce(len(same), func(i int) {
			same[i] = doors[0].post(w.URL+"/staff/checkin", url.Values{"code": {code}, "key": {"one"}}).want(303)
		})
		w.wantCount(t, 1, "checkins")
	}
	w.clean()
}

// B5: a cancelled ticket is red at the door, also when somebody came in with it before;
// so is one of an event that was cancelled.
func TestB5_CancelledIsRed(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	codes := w.on(t).buys(eventPath(ev.ID), "A1", "A2", "A3").codes()
	door := w.as(t, "steward")
	opened := door.get(w.URL + codes[0]).want(200)
	w.scan(door, codes[0]).want(303)
	booking1 := one[int64](w, `SELECT id FROM bookings`)
	err := w.service().CancelTickets(t.Context(), booking.Cancel{BookingID: booking1, Tickets: []int64{one[int64](w, `SELECT id FROM tickets WHERE seat_no = 'A1'`)}, Reason: "customer", Words: "ill", By: "staff:1"})
	if err != nil {
		t.Fatal(err)
	}
	p := door.get(w.URL+codes[0]).want(200).verdict("bad").says("Cancelled", "Do not let in")
	if p.has("/staff/checkin") {
		t.Error("a cancelled ticket can be checked in")
	}
	door.submit(opened, opened.form("/staff/checkin"), nil, "").want(409).verdict("bad").says("Cancelled")
	door.submit(opened, opened.form("/staff/checkin"), url.Values{"key": {"later"}}, "").want(409).verdict("bad").says("Cancelled")

	third := door.get(w.URL + codes[2]).want(200).verdict("ok") // cancelled while its page is open, never in
	w.exec(`UPDATE tickets SET state = 'cancelled', cancelled_at = now() WHERE seat_no = 'A3'`)
	door.submit(third, third.form("/staff/checkin"), nil, "").want(409).verdict("bad").says("Cancelled")
	w.wantCount(t, 0, "tickets WHERE seat_no = 'A3' AND checked_in_at IS NOT NULL")

	second := door.get(w.URL + codes[1]).want(200).verdict("ok")
	w.exec(`UPDATE events SET status = 'cancelled'`)
	door.submit(second, second.form("/staff/checkin"), nil, "").want(409).verdict("bad").says("Not taking place", "Do not let in")
	w.wantCount(t, 1, "checkins")
}

// P45 at the door: a bank's question lets in, a chargeback stops until staff decide; a
// manager may let in with a reason, and it stays in the log.
func TestP45_DisputeAtTheDoor(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	codes := w.on(t).buys(eventPath(ev.ID), "A1", "A2", "A3").codes()
	door, boss := w.as(t, "steward"), w.as(t, "manager")
	inquiry, err := w.Sim.Dispute(w.intent(), "warning_needs_response")
	if err != nil {
		t.Fatal(err)
	}
	w.eventually("inquiry stored", `SELECT EXISTS (SELECT 1 FROM disputes WHERE inquiry)`)
	w.scan(door, codes[0]).want(303)
	opened := door.get(w.URL + codes[1]).want(200).verdict("ok")
	if err := w.Sim.UpdateDispute(inquiry, "needs_response"); err != nil {
		t.Fatal(err)
	}
	w.eventually("chargeback stored", `SELECT NOT inquiry FROM disputes`)
	door.submit(opened, opened.form("/staff/checkin"), nil, "").want(409).verdict("warn").says("Ask the office first")
	// A steward's reason is worth nothing.
	door.submit(opened, opened.form("/staff/checkin"), url.Values{"key": {"k"}, "reason": {"I know them"}}, "").want(409).says("Ask the office first")
	if door.get(w.URL + codes[1]).has("/staff/checkin") {
		t.Error("a steward is offered to let in a disputed ticket")
	}
	p := boss.get(w.URL + codes[1]).want(200).verdict("warn").says("Let in all the same")
	p = boss.submit(p, p.form("/staff/checkin"), nil, "").want(422).says("Please say why")
	boss.follow(boss.submit(p, p.form("/staff/checkin"), url.Values{"reason": {"She showed her bank’s letter"}}, "").want(303)).verdict("done").says("She showed her bank’s letter")
	w.wantCount(t, 1, "audit_log WHERE action = 'check in' AND after ->> 'why' = 'She showed her bank’s letter'")

	task := one[int64](w, `SELECT id FROM staff_tasks WHERE kind = 'dispute'`)
	status := boss.get(w.URL + "/staff/status").want(200)
	boss.submit(status, status.form("/staff/tasks/"+itoa(task)+"/done"), url.Values{"reason": {"Her bank was wrong."}}, "").want(303)
	w.scan(door, codes[2]).want(303)
	w.clean()
}

// All the money went back in Stripe by hand: the door asks until staff decided about the
// tickets; then they are a courtesy.
func TestDoor_MoneyWentBack(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	codes := w.on(t).buys(eventPath(ev.ID), "A1", "A2").codes()
	door := w.as(t, "steward")
	if _, err := w.Sim.DashboardRefund(w.intent(), 400); err != nil {
		t.Fatal(err)
	}
	w.eventually("a part went back", `SELECT EXISTS (SELECT 1 FROM staff_tasks WHERE kind = 'dashboard_refund')`)
	door.get(w.URL + codes[0]).verdict("ok")
	if _, err := w.Sim.DashboardRefund(w.intent(), 1600); err != nil {
		t.Fatal(err)
	}
	w.eventually("all went back", `SELECT sum(amount) = 2000 FROM refunds`)
	door.get(w.URL+codes[0]).verdict("warn").says("Refunded", "Ask the office")
	door.post(w.URL+"/staff/checkin", url.Values{"code": {codes[0]}, "key": {"k"}}).want(409).verdict("warn")
	w.exec(`UPDATE staff_tasks SET state = 'done' WHERE kind = 'dashboard_refund'`)
	w.scan(door, codes[0]).want(303)
	w.clean()
}

// The wrong door, the wrong day, and what was pressed by mistake.
func TestDoor_WrongEventAndUndo(t *testing.T) {
	t.Parallel()
	var ev, next dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		ev, next = dbtest.Screening(t, d, 2, 8), dbtest.Screening(t, d, 2, 8)
		hire(t, d)
	}, nil)
	codes := w.on(t).buys(eventPath(ev.ID), "A1", "A2").codes()
	door, boss := w.as(t, "steward"), w.as(t, "manager")
	form := func(key string, event int64) url.Values {
		return url.Values{"code": {codes[0]}, "key": {key}, "event": {itoa(event)}}
	}
	door.get(w.URL + codes[0]).says("Not now: this ticket is for") // tomorrow's
	w.exec(`UPDATE events SET starts_at = now() + interval '20 minutes', ends_at = now() + interval '2 hours'`)
	if strings.Contains(door.get(w.URL+codes[0]).text(), "Not now") {
		t.Error("a show in 20 minutes is not now")
	}
	door.post(w.URL+"/staff/checkin", form("k1", next.ID)).want(409).verdict("bad").says("Wrong event", "Salt Road")
	door.get(w.URL + codes[0] + "?event=" + itoa(next.ID)).verdict("bad").says("Wrong event")
	w.wantCount(t, 0, "checkins")
	in := door.follow(door.post(w.URL+"/staff/checkin", form("k2", ev.ID)).want(303)).verdict("done")

	out := door.follow(door.submit(in, in.form("/undo"), nil, "").want(303)).verdict("ok").says("Valid")
	door.submit(in, in.form("/undo"), nil, "").want(303)                         // twice is once
	door.post(w.URL+"/staff/checkin", form("k2", ev.ID)).want(409).verdict("ok") // an old press that is sent again does nothing
	w.wantCount(t, 0, "tickets WHERE checked_in_at IS NOT NULL")
	door.follow(door.submit(out, out.form("/staff/checkin"), nil, "").want(303)).verdict("done")
	door.submit(in, in.form("/undo"), nil, "").want(409) // another entry stands now
	w.wantCount(t, 1, "tickets WHERE checked_in_at IS NOT NULL")

	w.exec(`UPDATE checkins SET entered_at = entered_at - interval '31 seconds'`)
	entry := itoa(one[int64](w, `SELECT id FROM checkins WHERE undone_at IS NULL`))
	late := url.Values{"code": {codes[0]}, "entry": {entry}}
	door.post(w.URL+"/staff/checkin/undo", late).want(409).says("too late to undo", "a manager can")
	w.wantCount(t, 1, "tickets WHERE checked_in_at IS NOT NULL")
	p := boss.get(w.URL + codes[0]).verdict("warn")
	boss.submit(p, p.form("/undo"), nil, "").want(303)
	w.wantCount(t, 0, "tickets WHERE checked_in_at IS NOT NULL")
	w.wantCount(t, 2, "audit_log WHERE action = 'undo check-in'")
	w.clean()
}

// Scans of a door without a line arrive later with the time they were made at, but never
// one from the future or from long ago.
func TestDoor_ScansThatArriveLater(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.on(t).buys(eventPath(ev.ID), ev.Seats[:4]...)
	s := w.service()
	now := one[int64](w, `SELECT extract(epoch FROM now())::bigint`)
	for i, c := range []struct{ at, want int64 }{{now - 600, now - 600}, {now + 3600, now}, {now - 72*3600, now}, {0, now}} {
		a := booking.Admission{EventID: ev.ID, TicketID: int64(i + 1), Key: "q1", By: domain.By{Actor: "staff:1"}}
		if c.at != 0 {
			a.At = time.Unix(c.at, 0)
		}
		for range 2 {
			v, err := s.CheckIn(t.Context(), a)
			if err != nil || v.Word != booking.DoorIn {
				t.Fatalf("%v %v", v.Word, err)
			}
			if got := v.Entry.At.Unix(); got < c.want-1 || got > c.want+5 {
				t.Errorf("scan at %d counts as %d, want %d", c.at-now, got-now, c.want-now)
			}
		}
	}
	for _, by := range []string{"web", "system", "staff:x"} {
		if _, err := s.CheckIn(t.Context(), booking.Admission{EventID: ev.ID, TicketID: 1, Key: "z", By: domain.By{Actor: by}}); err == nil {
			t.Errorf("%s let somebody in", by)
		}
	}
	w.wantCount(t, 4, "checkins")
}
