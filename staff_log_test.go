package main

import (
	"net/url"
	"strings"
	"testing"
)

func TestStaffLog(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.exec(`INSERT INTO settings (key, value) VALUES ('time_zone', 'Europe/Rome') ON CONFLICT (key) DO UPDATE SET value = 'Europe/Rome'`)
	w.on(t).buys(eventPath(ev.ID), "A1")
	booking := one[int64](w, `SELECT max(id) FROM bookings`)
	reference := one[string](w, `SELECT reference FROM bookings`)
	boss := w.as(t, "manager")
	boss.get(w.URL+"/staff/log").want(200).says("Sign in", "Manager Person", "127.0.0.1")
	w.exec(`INSERT INTO audit_log (at, actor, action, subject, before, after) VALUES
		('2031-03-30 21:59Z', 'staff:' || (SELECT id FROM staff WHERE role = 'cashier'), 'rename_passenger', 'booking:' || $1::bigint, '{"passenger":"Ada","seat":"A1"}', '{"passenger":"Grace","seat":"A1"}'),
		('2031-03-30 22:01Z', 'system', 'price_set', 'tariff:3', '{"price":1200}', '{"price":1400,"note":"<b>"}')`, booking)

	find := func(q url.Values) *page { return boss.get(w.URL + "/staff/log?" + q.Encode()).want(200) }
	for name, x := range map[string]struct {
		q    url.Values
		want int
	}{
		"the name":          {url.Values{"q": {"cashier pers"}}, 1},
		"the act in words":  {url.Values{"q": {"Rename Passenger"}}, 1},
		"as it is stored":   {url.Values{"q": {"price_set"}}, 1},
		"the subject":       {url.Values{"q": {"tariff:3"}}, 1},
		"a reference":       {url.Values{"q": {reference[:3] + "-" + reference[3:]}}, 1},
		"no pattern":        {url.Values{"q": {"%"}}, 0},
		"who":               {url.Values{"who": {"system"}, "q": {"price"}}, 1},
		"another's":         {url.Values{"who": {"system"}, "q": {"rename"}}, 0},
		"the house's day":   {url.Values{"from": {"2031-03-30"}, "to": {"2031-03-30"}}, 1},
		"the day after":     {url.Values{"from": {"2031-03-31"}}, 1},
		"both days":         {url.Values{"from": {"2031-03-30"}, "to": {"2031-03-31"}}, 2},
		"letters that none": {url.Values{"q": {"\x00\xff price"}}, 1},
	} {
		if got := len(find(x.q).values("data-line")); got != x.want {
			t.Errorf("%s: %d lines, want %d", name, got, x.want)
		}
	}
	p := find(url.Values{"q": {"rename"}}).says("Passenger was Ada → now Grace", "Cashier Person", "Booking "+reference[:3]+"-"+reference[3:], "Sun 30 Mar 2031, 23:59:00")
	if len(p.all("a", "href", "/staff/bookings/"+itoa(booking))) != 1 || strings.Contains(p.text(), "Seat A1") {
		t.Error("the subject is no link, or what did not change is shown")
	}
	if p := find(url.Values{"q": {"price"}}).says("Price was 1200 → now 1400", "The program"); strings.Contains(p.body, "<b>") && !strings.Contains(p.body, "&lt;b&gt;") {
		t.Error("a value is not escaped")
	}
	bad := boss.get(w.URL + "/staff/log?from=soon&q=kept").want(422).says("Please write the day like")
	if bad.form("/staff/log").values.Get("q") != "kept" {
		t.Error("what was typed is gone")
	}
	find(url.Values{"q": {"nobody did this"}}).says("No change fits")

	// Pages go by the key: what comes in meanwhile moves nothing.
	w.exec(`INSERT INTO audit_log (actor, action, subject) SELECT 'system', 'bulk', 'event:' || n FROM generate_series(1, 120) n`)
	seen := map[string]bool{}
	p = find(url.Values{"q": {"bulk"}})
	for pages := 1; ; pages++ {
		for _, id := range p.values("data-line") {
			if seen[id] {
				t.Fatalf("line %s twice", id)
			}
			seen[id] = true
		}
		w.exec(`INSERT INTO audit_log (actor, action, subject) VALUES ('system', 'bulk', 'event:0')`)
		older := p.all("a", "rel", "next")
		if len(older) == 0 {
			if pages != 3 {
				t.Errorf("%d pages", pages)
			}
			break
		}
		href, _ := attribute(older[0], "href")
		p = boss.get(w.URL + href).want(200)
	}
	if len(seen) != 120 {
		t.Errorf("%d lines on all pages, want 120", len(seen))
	}
	w.as(t, "cashier").get(w.URL + "/staff/log").want(403)
}
