package main

import (
	"net/url"
	"testing"

	"holdfast/db"
)

// stepsDone are the titles of the start page's steps that are done.
func stepsDone(p *page) map[string]bool {
	out := map[string]bool{}
	for _, n := range p.all("li", "data-step", "") {
		title, _ := attribute(n, "data-step")
		if _, done := attribute(n, "data-done"); done {
			out[title] = true
		}
	}
	return out
}

// Each step is what the database says, and the day's page leads there until all are done.
func TestStaffStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *db.DB) { hire(t, d) }, nil)
	b := w.as(t, "manager")
	p := b.get(w.URL + "/staff/start").want(200).says("1 of 8 steps")
	if got := stepsDone(p); len(got) != 1 || !got["Online payment"] {
		t.Errorf("in an empty house these are done: %v", got)
	}
	b.get(w.URL+"/staff/today").want(200).says("1 of 8 steps", "Next: A seat plan")
	if len(w.as(t, "cashier").get(w.URL+"/staff/today").want(200).all("a", "href", "/staff/start")) != 0 {
		t.Error("a cashier is led to the start page")
	}
	w.exec(`INSERT INTO layouts (name, vehicle) VALUES ('Hall', false)`)
	w.exec(`INSERT INTO films (title, runtime_min) VALUES ('Salt Road', 100)`)
	w.exec(`INSERT INTO routes (name) VALUES ('Line 1')`)
	if got := stepsDone(b.get(w.URL + "/staff/start")); len(got) != 2 || !got["A film"] {
		t.Errorf("with a film, and a plan that nobody published: %v", got)
	}
	w.as(t, "cashier").get(w.URL + "/staff/start").want(403)
}

// A test mail takes the way of every mail: mail off, sent and refused are told in the
// server's words.
func TestStaffTestMail(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "manager")
	p := b.get(w.URL + "/staff/start").want(200)
	b.submit(p, p.form("/staff/start/mail"), nil, "").want(303)
	b.post(w.URL+"/staff/start/mail", nil).want(303) // the same press, twice
	w.wantCount(t, 1, "mails WHERE kind = 'test' AND to_address = 'manager@house.example'")
	w.wantCount(t, 1, "audit_log WHERE action = 'test_mail'")
	w.eventually("the job ran", `SELECT error <> '' FROM mails WHERE kind = 'test'`)
	b.get(w.URL+"/staff/start").want(200).says("Not yet", "mail is off", "on its way")
	w.exec(`UPDATE mails SET state = 'failed', error = '550 no such user here' WHERE kind = 'test'`)
	b.get(w.URL+"/staff/start").want(200).says("Failed", "550 no such user here")
	if len(w.as(t, "owner").get(w.URL+"/staff/start").want(200).all("div", "data-mail", "")) != 0 {
		t.Error("another's test mail is shown")
	}

	demo := newWorld(t, func(d *db.DB) { hire(t, d) }, map[string]string{"DEMO": "1"})
	b = demo.as(t, "owner")
	p = b.get(demo.URL + "/staff/start").want(200)
	b.submit(p, p.form("/staff/start/mail"), nil, "").want(303)
	demo.eventually("it left", `SELECT state = 'sent' FROM mails WHERE kind = 'test'`)
	if got := stepsDone(b.get(demo.URL + "/staff/start").want(200).says("The mail server took it")); !got["A test mail"] {
		t.Errorf("done: %v", got)
	}
	b.get(demo.URL+"/demo/outbox").want(200).says("A test", "owner@house.example", "Mail works: a test from")
}

// The demo comes into an empty house, is gone again with the password, and stays away
// from a house that has events.
func TestStaffDemo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *db.DB) { hire(t, d) }, nil)
	owner := w.as(t, "owner")
	p := owner.get(w.URL + "/staff/start").want(200)
	owner.submit(p, p.form("/demo/load"), nil, "").want(303)
	p = owner.get(w.URL + "/staff/start").want(200).says("The demo is loaded")
	if got := stepsDone(p); !got["Publish"] || !got["Prices"] || !got["An event"] {
		t.Errorf("done: %v", got)
	}
	w.wantCount(t, 4, "staff")
	w.wantCount(t, 1, "audit_log WHERE action = 'demo_loaded' AND actor LIKE 'staff:%'")
	events := w.count("events")
	clear := p.form("/demo/clear")
	owner.submit(p, clear, url.Values{"password": {"wrong"}}, "").want(422).says("The password is not right", "Nothing was removed")
	w.as(t, "manager").post(w.URL+"/staff/start/demo/clear", url.Values{"password": {staffPassword}}).want(403)
	if got := w.count("events"); got != events || got == 0 {
		t.Fatalf("%d events after refusals, want %d", got, events)
	}
	w.exec(`INSERT INTO demo_rows (table_name, row_key) SELECT 'staff', id::text FROM staff WHERE role = 'owner'`)
	owner.submit(p, clear, url.Values{"password": {staffPassword}}, "").want(422).says("an account of the demo")
	w.exec(`DELETE FROM demo_rows WHERE table_name = 'staff'`)
	owner.submit(p, clear, url.Values{"password": {staffPassword}}, "").want(303)
	owner.get(w.URL+"/staff/start").want(200).says("The demo is gone", "Load the demo")
	w.wantCount(t, 0, "events")
	w.wantCount(t, 0, "demo_rows")
	w.wantCount(t, 1, "audit_log WHERE action = 'demo_cleared'")

	real, _ := office(t)
	owner = real.as(t, "owner")
	if p := owner.get(real.URL + "/staff/start").want(200); len(p.all("form", "action", "/staff/start/demo/load")) != 0 {
		t.Error("a house with events is offered the demo")
	}
	owner.post(real.URL+"/staff/start/demo/load", nil).want(422).says("events of its own")
	real.wantCount(t, 1, "events")
}
