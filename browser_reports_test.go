package main

import (
	"testing"
)

// The reports in a browser: axe finds nothing in light and dark, wide tables scroll in
// their own box on a phone, and everything is there without JavaScript.
func TestBrowserReports(t *testing.T) {
	t.Parallel()
	w, hall, trip := depot(t)
	w.on(t).buys(eventPath(hall.ID), "A1", "A2", "C3")
	w.on(t).buys(eventPath(trip.ID)+"?from=0&to=2", "1A")
	w.exec(`UPDATE events SET business_day = business_day_of(now())`)
	w.exec(`INSERT INTO ledger_entries (kind, amount, currency, tender, channel, event_id) VALUES ('payment', 1234, 'CHF', 'cash', 'counter', $1)`, hall.ID)
	day := one[string](w, `SELECT business_day_of(now())::text`)
	checker := axe(t)
	b := newTab(t, chromium(t), w)
	b.signIn("manager")
	looks := func(name, path string, status int64, words ...string) {
		t.Helper()
		b.open(path, status)
		b.says(words...)
		b.sound(name, checker)
		b.big(name)
		b.open(path, status) // colours are still on their way back
		b.size(1280, 900)
		b.sound(name+", desk", checker)
	}
	looks("list", "/staff/reports", 200, "Last film week", "Yesterday")
	looks("day", "/staff/reports/day?from="+day, 200, "Takings by tender", "In CHF", "These days are not over")
	looks("week", "/staff/reports/day?from="+one[string](w, `SELECT (business_day_of(now()) - 20)::text`)+"&to="+day, 200, "Day by day")
	looks("films", "/staff/reports/films?day="+day, 200, "Salt Road", "Corrections of earlier weeks")
	looks("events", "/staff/reports/events?from="+day, 200, "Filled")
	looks("event", "/staff/reports/events/"+itoa(hall.ID), 200, "By ticket type", "Entered later")
	looks("routes", "/staff/reports/routes?from="+day, 200, "Leg by leg")
	looks("agents", "/staff/reports/agents", 200, "No agent sold anything")
	looks("stripe", "/staff/reports/stripe?from="+day, 200, "Stripe’s books", "What does not fit")
	looks("refused", "/staff/reports/day?from="+day+"&to=2020-01-01", 422, "before the first")
	b.blameless()
	b.scripts(false)
	b.open("/staff/reports", 200)
	b.press(`a[href*="/reports/day"]`, 200)
	b.says("Takings by tender")
}
