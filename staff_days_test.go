package main

import (
	"strings"
	"testing"
	"time"
)

// X5 through the pages: the day names the tills that are open and closes when none is;
// then nothing opens on it, and its report is what it was.
func TestX5_DayThroughItsPages(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "cashier")
	till := openTill(b, w)
	staff := one[int64](w, `SELECT id FROM staff WHERE role = 'cashier'`)
	sellCash(t, w, staff, "A1")
	m := w.as(t, "manager")
	today := one[time.Time](w, `SELECT business_day_of(now())`).Format(time.DateOnly)
	day := w.URL + "/staff/days/" + today

	p := m.get(day).want(200).says("The day can be closed when these tills are", "Counter 1, Cashier Person", "Open: Counter 1", "Counter, cash", "10.00")
	for _, n := range p.all("form", "action", "") {
		if a, _ := attribute(n, "action"); strings.HasSuffix(a, "/close") {
			t.Error("the day offers its close over an open till")
		}
	}
	m.post(day+"/close", nil).want(422).says("The till of Cashier Person is still open")
	w.wantCount(t, 0, "business_days")
	b.get(day).want(403)
	m.get(w.URL + "/staff/days").want(200).says("1 till, 1 open")

	closeTill(b, till, "5000=2", "1000=1")
	p = m.get(day).want(200)
	done := m.submit(p, p.form("/close"), nil, "").want(303)
	first := m.follow(done).want(200).says("The day is closed", "Z 1: Counter 1", "110.00", "Closed by", "Manager Person")
	m.follow(m.submit(p, p.form("/close"), nil, "").want(303)).want(200).says("closed already")
	w.wantCount(t, 1, `audit_log WHERE action = 'day_closed' AND subject = 'day:`+today+`'`)
	q := b.get(w.URL + "/staff/shifts/new").want(200)
	b.submit(q, q.form("/staff/shifts/new"), nil, "").want(422).says("This business day is closed")
	m.get(w.URL+"/staff/days").want(200).says("Closed", "by Manager Person")

	// Money that moves after the close is told, and the report stays.
	w.exec(`INSERT INTO ledger_entries (kind, amount, currency, tender, channel, event_id) SELECT 'payment', 500, 'EUR', 'stripe', 'web', id FROM events`)
	w.exec(`INSERT INTO settings (key, value) VALUES ('venue_name', 'Another name'), ('time_zone', 'UTC') ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`)
	again := m.get(day).want(200).says("Money came or went after the close")
	if reportOf(t, first) != reportOf(t, again) {
		t.Errorf("the reprint differs:\n%s\n%s", reportOf(t, first), reportOf(t, again))
	}
	for _, bad := range []string{"2026-13-01", "yesterday", "2026-1-1", "1999-01-01"} {
		m.get(w.URL + "/staff/days/" + bad).want(404)
	}
	later := w.URL + "/staff/days/2099-01-01"
	m.get(later).want(200).says("To come")
	m.post(later+"/close", nil).want(422).says("has not begun")
}

// The day's page reminds of a day with a till that nobody closed: managers, and only then.
func TestTodayRemindsOfTheDayBefore(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "cashier")
	till := openTill(b, w)
	m := w.as(t, "manager")
	if strings.Contains(m.get(w.URL+"/staff/today").want(200).text(), "still to be closed") {
		t.Error("today itself is said to be late")
	}
	w.exec(`UPDATE shifts SET business_day = business_day - 1`)
	yesterday := one[time.Time](w, `SELECT business_day_of(now()) - 1`)
	m.get(w.URL + "/staff/today").want(200).says(yesterday.Format("Monday 2 January 2006") + " is still to be closed")
	if strings.Contains(b.get(w.URL+"/staff/today").want(200).text(), "still to be closed") {
		t.Error("a cashier is told to close the day")
	}
	closeTill(b, till, "5000=2")
	day := w.URL + "/staff/days/" + yesterday.Format(time.DateOnly)
	p := m.get(day).want(200)
	m.submit(p, p.form("/close"), nil, "").want(303)
	if strings.Contains(m.get(w.URL+"/staff/today").want(200).text(), "still to be closed") {
		t.Error("a closed day is still late")
	}
}

// Half an hour away from the desk ends a sign-in, but never one whose till is open; twelve
// hours end every one.
func TestOpenTillKeepsItsCashierSignedIn(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "cashier")
	till := openTill(b, w)
	w.exec(`UPDATE staff_sessions SET seen_at = now() - interval '31 minutes'`)
	b.get(till).want(200)
	w.exec(`UPDATE staff_sessions SET seen_at = now() - interval '31 minutes', signed_in_at = now() - interval '721 minutes'`)
	b.get(till).want(303)
	b = w.as(t, "cashier")
	closeTill(b, till, "5000=2")
	w.exec(`UPDATE staff_sessions SET seen_at = now() - interval '31 minutes'`)
	b.get(till).want(303)
}
