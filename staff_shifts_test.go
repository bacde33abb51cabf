package main

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"holdfast/db"
)

// openTill opens the browser's till with a float of 2 × 50.00 and answers its address.
func openTill(b *browser, w *world) string {
	b.t.Helper()
	p := b.get(w.URL + "/staff/shifts/new").want(200)
	in := b.submit(p, p.form("/staff/shifts/new"), url.Values{"till": {"Counter 1"}, "n.5000": {"2"}}, "").want(303)
	if !strings.HasPrefix(in.location, "/staff/shifts/") {
		b.t.Fatalf("opening leads to %q", in.location)
	}
	return w.URL + in.location
}

// closeTill counts pieces, given as "5000=2", and closes.
func closeTill(b *browser, till string, pieces ...string) *page {
	b.t.Helper()
	typed := url.Values{}
	for _, x := range pieces {
		value, n, _ := strings.Cut(x, "=")
		typed.Set("n."+value, n)
	}
	p := b.get(till + "/close").want(200)
	p = b.submit(p, p.form("/close"), typed, "").want(200).says("Is that all?")
	return b.follow(b.submit(p, p.form("/close"), nil, "").want(303)).want(200)
}

func TestTillOpensWithItsFloat(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "cashier")
	b.get(w.URL+"/staff/shifts").want(200).says("You have not opened one yet", "Open your till")
	p := b.get(w.URL + "/staff/shifts/new?next=%2Fstaff%2Ftoday").want(200)
	for _, bad := range []string{"x", "-1", "1.5", "99999999"} {
		again := b.submit(p, p.form("/staff/shifts/new"), url.Values{"till": {"Bar"}, "n.5000": {bad}, "n.200": {"7"}}, "").want(422).says("how many", "The till is not open yet")
		if f := again.form("/staff/shifts/new"); f.values.Get("n.5000") != bad || f.values.Get("n.200") != "7" || f.values.Get("till") != "Bar" || f.values.Get("next") != "/staff/today" {
			t.Errorf("typed %q comes back as %v", bad, f.values)
		}
	}
	in := b.submit(p, p.form("/staff/shifts/new"), url.Values{"till": {"Bar"}, "n.5000": {"2"}, "n.50": {"10"}}, "").want(303)
	if in.location != "/staff/today" {
		t.Errorf("opened, sent to %q", in.location)
	}
	if got := one[int64](w, "SELECT float_amount FROM shifts"); got != 10500 {
		t.Errorf("the float is %d", got)
	}
	w.wantCount(t, 1, `audit_log WHERE action = 'shift_opened'`)

	// Sent twice, asked again: the same till.
	b.submit(p, p.form("/staff/shifts/new"), url.Values{"till": {"Bar"}}, "").want(303)
	w.wantCount(t, 1, "shifts")
	till := b.get(w.URL + "/staff/shifts/new").want(303).location
	b.get(w.URL+till).want(200).says("Bar", "Cashier Person", "Open")
	for _, next := range []string{"https://evil.example/", "//evil.example"} {
		if got := b.get(w.URL + "/staff/shifts/new?next=" + url.QueryEscape(next)).want(303).location; got != till {
			t.Errorf("next %q leads to %q", next, got)
		}
	}
	closeTill(b, w.URL+till, "5000=2", "50=10").says("Z report 1", "exact")
	if got := b.get(w.URL + "/staff/shifts/new").want(200).form("/new").values.Get("till"); got != "Bar" {
		t.Errorf("the till's name comes back as %q", got)
	}
}

// Money that moves without a sale needs an amount that can be, a pay-out a reason; a form
// that is sent twice counts once.
func TestTillMovesCash(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "cashier")
	till := openTill(b, w)
	send := func(kind, amount, reason string) *page {
		p := b.get(till).want(200)
		if found := p.all("form", "id", kind); len(found) > 0 {
			n := found[0]
			f := &form{action: strings.TrimPrefix(till, w.URL) + "/cash", method: "post", values: url.Values{}}
			for c := range n.Descendants() {
				f.add(c)
			}
			f.values.Set("amount", amount)
			f.values.Set("reason", reason)
			got := b.submit(p, f, nil, "")
			b.submit(p, f, nil, "") // the same form again
			return got
		}
		t.Fatalf("no form %s", kind)
		return nil
	}
	for _, c := range []struct{ kind, amount, reason, says string }{
		{"drop", "", "", "Please write an amount"}, {"drop", "x", "", "Please write the amount like"}, {"drop", "0", "", "above zero"}, {"drop", "100.01", "", "more than this till can have"},
		{"pay_out", "5", "", "Please say what was paid"}, {"pay_in", "-4", "", "Please write the amount like"},
	} {
		p := send(c.kind, c.amount, c.reason).want(422).says(c.says, "Nothing was entered")
		if !strings.Contains(p.body, `value="`+c.amount+`"`) {
			t.Errorf("%v: the amount is not kept", c)
		}
	}
	w.wantCount(t, 0, "shift_moves")
	b.follow(send("drop", "60", "night safe").want(303)).want(200).says("It is entered", "To the safe", "night safe")
	send("pay_in", "20.50", "").want(303)
	send("pay_out", "3.25", "window cleaner").want(303)
	w.wantCount(t, 3, "shift_moves")
	b.post(till+"/cash", url.Values{"kind": {"gift"}, "amount": {"1"}, "key": {"k"}}).want(400)

	m := w.as(t, "manager")
	m.post(till+"/cash", url.Values{"kind": {"drop"}, "amount": {"1"}, "key": {"other"}}).want(404) // another's till
	p := m.get(till).want(200).says("57.25", "Expected in the till")
	if len(p.all("form", "id", "drop")) > 0 {
		t.Error("a manager can enter cash of another's till")
	}
	closeTill(b, till, "5000=1", "200=3", "5=25").says("57.25", "exact")
	b.post(till+"/cash", url.Values{"kind": {"drop"}, "amount": {"1"}, "key": {"late"}}).want(409)
	w.clean()
}

// The cashier counts blind: neither what is expected nor what leads to it is on any page
// before the count; the manager sees it.
func TestTillIsCountedBlind(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "cashier")
	till := openTill(b, w)
	staff := one[int64](w, `SELECT id FROM staff WHERE role = 'cashier'`)
	sellCash(t, w, staff, "A1", "A2")
	for _, address := range []string{till, till + "/close", w.URL + "/staff/shifts", till + "?paper=80"} {
		text := b.get(address).want(200).text()
		for _, secret := range []string{"20.00", "120.00", "Expected in"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s tells the cashier %q:\n%s", address, secret, text)
			}
		}
	}
	w.as(t, "manager").get(till).want(200).says("120.00", "Expected in the till")

	z := closeTill(b, till, "5000=2", "1000=1", "500=1").says("Z report 1", "-5.00", "missing", "120.00", "115.00", "50 × 2 100.00")
	// Closed is closed: again is the same report, and it can be printed by whoever may see it.
	form := url.Values{"sum": {"0"}}
	again := b.follow(b.post(till+"/close", form).want(303)).want(200).says("closed already")
	if reportOf(t, z) != reportOf(t, again) {
		t.Error("the reprint differs")
	}
	w.exec(`UPDATE settings SET value = 'Another name' WHERE key = 'venue_name'`)
	w.exec(`INSERT INTO settings (key, value) VALUES ('venue_name', 'Another name'), ('time_zone', 'Asia/Tokyo') ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`)
	if m := w.as(t, "manager").get(till).want(200); reportOf(t, z) != reportOf(t, m) {
		t.Errorf("the manager's reprint differs:\n%s\n%s", reportOf(t, z), reportOf(t, m))
	}
	b.get(till + "/close").want(303)
	w.clean()
}

// reportOf is the text of a page's report.
func reportOf(t *testing.T, p *page) string {
	t.Helper()
	for _, n := range p.all("article", "aria-labelledby", "report-head") {
		return (&page{t: t, root: n}).text()
	}
	t.Fatalf("no report on %s", p.url)
	return ""
}

// A cashier sees no other's till; a manager counts a forgotten one, and the log says who.
func TestTillForgottenIsClosedByManager(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "cashier")
	till := openTill(b, w)
	id, _ := strconv.ParseInt(till[strings.LastIndexByte(till, '/')+1:], 10, 64)
	w.exec(`UPDATE shifts SET business_day = business_day - 1`)
	w.exec(`INSERT INTO staff (email, name, role, password_hash) SELECT 'second@house.example', 'Second Person', 'cashier', password_hash FROM staff WHERE role = 'owner'`)
	second := w.browser()
	second.t = t
	second.login(w, "second@house.example", staffPassword).want(303)
	for _, path := range []string{"", "/close"} {
		second.get(till + path).want(404)
	}
	second.post(till+"/close", url.Values{"sum": {"0"}}).want(404)
	if strings.Contains(second.get(w.URL+"/staff/shifts").want(200).text(), "Counter 1") {
		t.Error("another's till is listed")
	}
	m := w.as(t, "manager")
	m.get(w.URL+"/staff/shifts").want(200).says("Still open from another day", "Counter 1", "Cashier Person")
	m.get(till + "/close").want(200).says("the till of Cashier Person")
	closeTill(m, till, "5000=2").says("Counted by", "Manager Person", "exact")
	w.wantCount(t, 1, `audit_log a JOIN staff s ON a.actor = 'staff:' || s.id AND s.role = 'manager' WHERE a.action = 'shift_closed'`)
	b.get(till).want(200).says("Z report 1")
	if x, err := w.DB.Shift(t.Context(), id); err != nil || x.ClosedBy != "Manager Person" {
		t.Errorf("closed by %q, %v", x.ClosedBy, err)
	}
}

// Yen have no decimals, dinars three, and what is in no table is one sum.
func TestTillCountsEveryCurrency(t *testing.T) {
	t.Parallel()
	for code, c := range map[string]struct {
		typed url.Values
		float int64
		says  string
	}{
		"JPY": {url.Values{"n.10000": {"3"}, "n.1": {"7"}}, 30007, "30,007"},
		"KWD": {url.Values{"n.20000": {"1"}, "n.5": {"3"}}, 20015, "20.015"},
		"LKR": {url.Values{"n.500000": {"2"}}, 1000000, "10,000"},
		"VND": {url.Values{"cash": {"2,500,000"}}, 2500000, "2,500,000"},
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(d *db.DB) { hire(t, d) }, nil)
			w.exec(`INSERT INTO settings (key, value) VALUES ('currency', $1) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`, code)
			b := w.as(t, "cashier")
			p := b.get(w.URL + "/staff/shifts/new").want(200)
			in := b.submit(p, p.form("/staff/shifts/new"), c.typed, "").want(303)
			if got := one[int64](w, "SELECT float_amount FROM shifts"); got != c.float {
				t.Errorf("the float is %d, want %d", got, c.float)
			}
			till := w.URL + in.location
			p = b.get(till + "/close").want(200)
			p = b.submit(p, p.form("/close"), c.typed, "").want(200).says(code + " " + c.says)
			b.follow(b.submit(p, p.form("/close"), nil, "").want(303)).want(200).says(c.says, "exact")
		})
	}
}
