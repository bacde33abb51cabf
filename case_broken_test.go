package main

import (
	"net"
	"net/url"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// An address emptied on the details page while the payment page is open never becomes a
// booking without a ticket mail: the page is closed, and paying it is refused.
func TestBroken_DetailsClearedWhilePaying(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 8)
	b := w.on(t)
	session := b.paying(eventPath(ev.ID), "A1")
	b.send("/details", url.Values{"name": {"N"}, "email": {""}, "type.A1": {"adult"}}).want(422)
	if err := w.Sim.Pay(session); err == nil {
		t.Error("the old page still takes money")
	}
	if p := b.send("/pay", nil); p.status != 303 || p.resolve(p.location) != w.URL+b.hold {
		t.Errorf("pay without an address: %d to %q", p.status, p.location)
	}
	b.paid(b.pay(b.details(nil)))
	if mail := one[string](w, `SELECT email FROM bookings`); mail != "nimali@example.com" {
		t.Errorf("booked for %q", mail)
	}
	w.wantCount(t, 1, `mails WHERE kind = 'tickets'`)
	w.clean()
}

// A session that Stripe does not know any more (another account's key) traps nobody: once
// its end is over the visitor gets on.
func TestBroken_UnknownSession(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 8)
	b := w.on(t)
	b.paying(eventPath(ev.ID), "A1")
	w.exec(`UPDATE payments SET stripe_session_id = 'cs_test_otheraccount'`)
	b.at("/return").want(202)
	w.exec(`UPDATE payments SET created_at = now() - interval '1 hour', session_ends_at = now() - interval '20 minutes'`)
	w.over(b.id())
	b.seats(ev.ID, seatFields("A2")).want(303)
	w.eventually("closed", `SELECT NOT EXISTS (SELECT 1 FROM payments WHERE state IN ('creating', 'open'))`)
	w.clean()
}

// Letters that PostgreSQL or JSON cannot hold are a clear answer, never a 500.
func TestBroken_ControlLetters(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	boss := w.as(t, "manager")
	w.exec(`INSERT INTO staff_tasks (kind, words) VALUES ('x', 'y')`)
	cancel := func(reason string) *page {
		return boss.post(w.URL+"/staff/events/"+itoa(ev.ID)+"/cancel", url.Values{"title": {"Salt Road"}, "password": {staffPassword}, "reason": {reason}})
	}
	for name, p := range map[string]*page{
		"sign-in":      w.browser().post(w.URL+"/staff/login", url.Values{"email": {"a\x00@example.com"}, "password": {"nope"}}),
		"bytes":        w.browser().post(w.URL+"/staff/login", url.Values{"email": {"a\xff@example.com"}, "password": {"nope"}}),
		"task":         boss.post(w.URL+"/staff/tasks/1/done", url.Values{"reason": {"a\x00b"}}),
		"search":       boss.get(w.URL + "/staff/bookings?q=%00%ff"),
		"vertical tab": cancel("rain\x0bstorm"),
		"delete":       cancel("rain\x7fstorm"),
	} {
		if p.status >= 500 {
			t.Errorf("%s: %d", name, p.status)
		}
	}
}

// A mail server that says nothing keeps mails waiting, not money: the payment is booked
// while every worker of the mails hangs.
func TestBroken_HungMailDelaysNoMoney(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() // connections are taken by the kernel and never answered
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 2, 12) }, map[string]string{
		"SMTP_URL": "smtp://" + silent.Addr().String() + "?tls=none", "MAIL_FROM": "tickets@example.com"})
	for _, seat := range ev.Seats[:6] {
		w.on(t).buys(eventPath(ev.ID), seat)
	}
	w.eventually("the mails hang", `SELECT count(*) = 2 FROM river_job WHERE kind = 'mail' AND state = 'running'`)
	b := w.on(t)
	if err := w.Sim.Pay(b.paying(eventPath(ev.ID), ev.Seats[10])); err != nil {
		t.Fatal(err)
	}
	w.eventually("booked meanwhile", `SELECT EXISTS (SELECT 1 FROM bookings WHERE hold_id = $1)
		AND (SELECT count(*) > 0 FROM river_job WHERE kind = 'mail' AND state = 'running')`, b.id())
}

// The seat of a payer whose time is over can be clicked: asking for it ends the page.
func TestBroken_PayersSeatIsOffered(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 3)
	payer, next := w.on(t), w.on(t)
	payer.paying(eventPath(ev.ID), "A2")
	w.late(payer.id(), 1)
	next.choose(eventPath(ev.ID), "A2").want(303)
	payer.at("").want(410)
	w.clean()
}
