package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"holdfast/internal/access"
)

const managersPIN = "290718"

// withPIN gives the manager of the office a PIN and answers the account's number.
func withPIN(t *testing.T, w *world) string {
	t.Helper()
	m := w.as(t, "manager")
	p := m.get(w.URL + "/staff/me").want(200)
	m.submit(p, p.form("/staff/me/pin"), url.Values{"pin": {managersPIN}, "password": {staffPassword}}, "").want(303)
	return itoa(one[int64](w, `SELECT id FROM staff WHERE role = 'manager'`))
}

// counterSale is a sale for cash by the office's cashier, whose till is open, with the
// browser of that cashier.
func counterSale(t *testing.T, w *world, seats ...string) (b *browser, sale string) {
	t.Helper()
	b = w.as(t, "cashier")
	openTill(b, w)
	id := sellCash(t, w, one[int64](w, `SELECT id FROM staff WHERE role = 'cashier'`), seats...)
	return b, w.URL + "/staff/sales/" + itoa(id)
}

func marks(p *page) (out []string) {
	for _, n := range p.all("p", "class", "copy") {
		if _, hidden := attribute(n, "hidden"); !hidden {
			out = append(out, n.FirstChild.Data)
		}
	}
	return out
}

// The first printing is the original, printed by whoever sells; it is the only one
// without a mark, and no page but a printing's own has a code on it.
func TestPrintOriginalThenCopies(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	manager := withPIN(t, w)
	b, sale := counterSale(t, w, "A1", "A2")
	for _, kind := range []string{"/tickets", "/receipt"} {
		p := b.get(sale + kind).want(200)
		if len(p.all("img", "class", "qr")) > 0 {
			t.Errorf("%s shows a code before anything was printed", kind)
		}
		f := p.form(kind)
		sheet := b.follow(b.submit(p, f, nil, "paper=80").want(303)).want(200).says("The original")
		if len(marks(sheet)) > 0 {
			t.Errorf("%s: the original is marked %v", kind, marks(sheet))
		}
		if again := b.follow(b.submit(p, f, nil, "paper=80").want(303)); len(marks(again)) > 0 { // Enter twice
			t.Errorf("%s: the same form twice made a copy", kind)
		}
		if kind == "/tickets" && len(sheet.all("img", "class", "qr")) != 2 {
			t.Error("not a code for each ticket")
		}
		if html := sheet.all("html", "data-paper", "80"); len(html) != 1 {
			t.Error("the sheet is not for the roll")
		}

		// A second tab that still offers the original, and a copy without a reason.
		f.values.Set("key", "second tab")
		b.submit(p, f, nil, "paper=80").want(422).says("printed already")
		p = b.get(sale+kind).want(200).says("Why a copy", "The original", "Cashier Person")
		b.submit(p, p.form(kind), url.Values{"supervisor": {manager}, "supervisor_secret": {managersPIN}}, "paper=80").want(422).says("Please say why")
		sheet = b.follow(b.submit(p, p.form(kind), url.Values{"reason": {"paper jam"}, "supervisor": {manager}, "supervisor_secret": {managersPIN}}, "paper=a4").want(303)).want(200).says("Copy 2")
		want := []string{"COPY 2", "COPY 2"}
		if kind == "/receipt" {
			want = want[:1]
		}
		if !slices.Equal(marks(sheet), want) {
			t.Errorf("%s: the copy is marked %v", kind, marks(sheet))
		}
		w.exec(`ALTER TABLE prints DISABLE TRIGGER ALL`)
		w.exec(`UPDATE prints SET at = at - interval '3 minutes'`)
		w.exec(`ALTER TABLE prints ENABLE TRIGGER ALL`)
		if late := b.get(sheet.url.String()).want(200); len(late.all("img", "class", "qr")) > 0 || len(marks(late)) > 0 {
			t.Errorf("%s: the sheet opens for ever", kind)
		}
	}
	w.wantCount(t, 2, `audit_log WHERE action = 'print'`)
	w.wantCount(t, 2, `audit_log WHERE action = 'reprint' AND after ->> 'reason' = 'paper jam' AND after ->> 'confirmed_by' = 'staff:`+manager+`' AND subject LIKE 'booking:%'`)
	b.get(w.URL+b.get(w.URL+"/staff/shifts/new").location).want(200).says("Reprint", "paper jam", "Confirmed by Manager Person")

	other := w.as(t, "manager") // nobody opens the sheet of another's printing
	id := one[int64](w, `SELECT max(id) FROM prints WHERE kind = 'tickets'`)
	if p := other.get(sale + "/tickets?print=" + itoa(id)).want(200); len(p.all("img", "class", "qr")) > 0 {
		t.Error("another's printing can be opened")
	}
}

// What an unhappy printing says: no such booking, cancelled tickets, a key of another act.
func TestPrintRefusals(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b, sale := counterSale(t, w, "A1")
	b.get(w.URL + "/staff/sales/999999/tickets").want(404)
	b.post(w.URL+"/staff/sales/999999/receipt", url.Values{"key": {"k"}}).want(404)
	b.get(sale + "/poster").want(404)
	p := b.get(sale + "/tickets").want(200)
	b.submit(p, p.form("/tickets"), url.Values{"key": {""}}, "paper=80").want(400)
	b.submit(p, p.form("/tickets"), url.Values{"key": {"sale [A1]"}}, "paper=80").want(400) // of another act
	w.wantCount(t, 0, "prints")
	m := w.as(t, "manager")
	booking := strings.Replace(sale, "/sales/", "/bookings/", 1)
	ticket := itoa(one[int64](w, "SELECT id FROM tickets"))
	m.post(booking+"/cancel", url.Values{"ticket": {ticket}, "reason": {"ill"}}).want(303)
	b.get(sale + "/tickets").want(200).says("No ticket of this booking is valid")
	b.submit(p, p.form("/tickets"), nil, "paper=80").want(422).says("no ticket of it is valid")
	b.follow(m.submit(p, m.get(sale+"/receipt").want(200).form("/receipt"), nil, "paper=a4").want(303))
	m.get(sale + "/receipt").want(200)
}

// A receipt has what a simple tax invoice needs, and its lines add up.
func TestReceiptAddsUp(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	w.exec(`INSERT INTO settings (key, value) VALUES ('tax_number', 'VAT IT01234567890'), ('address', 'Via Uno 1, Trieste') ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`)
	w.exec(`UPDATE tariffs SET tax_bp = 2200`)
	b, sale := counterSale(t, w, "A1", "A2", "D1")
	p := b.get(sale + "/receipt").want(200)
	sheet := b.follow(b.submit(p, p.form("/receipt"), nil, "paper=80").want(303)).want(200)
	sheet.says("VAT IT01234567890", "Via Uno 1, Trieste", "2 ×", "10.00 20.00", "15.00 15.00", "Total, EUR 35.00", "Without tax 28.69", "VAT 22 % in it 6.31",
		"Cash 35.00", "Given 40.00", "Change 5.00", "Counter 1, shift", "Served by Cashier Person")
	if got := sheet.values("data-amount"); !slices.Equal(got, []string{"3500"}) {
		t.Errorf("the total is %v", got)
	}
	p = b.get(sale + "/tickets").want(200)
	b.follow(b.submit(p, p.form("/tickets"), nil, "paper=80").want(303)).want(200).says("Row A", "Seat 1", "VAT 22 % in it: EUR 1.80", "EUR 10.00", " time")
}

// reprint asks for a copy as somebody, with what a supervisor typed.
func reprint(b *browser, sale, whom, secret string) *page {
	b.t.Helper()
	p := b.get(sale + "/tickets").want(200)
	return b.submit(p, p.form("/tickets"), url.Values{"reason": {"lost"}, "supervisor": {whom}, "supervisor_secret": {secret}}, "paper=80")
}

// Who may do what at the counter, alone and with a supervisor: a copy, a void, a refund.
func TestCounterActsByRole(t *testing.T) {
	t.Parallel()
	if !access.Manager.Covers(access.Cashier) {
		t.Fatal("roles are upside down")
	}
	for _, c := range []struct {
		name, role, whom, secret string
		status                   int
		says                     string
	}{
		{"cashier alone", "cashier", "", "", 422, "This needs a supervisor"},
		{"cashier, nobody typed", "cashier", "manager", "", 422, "This needs a supervisor"},
		{"cashier, wrong PIN", "cashier", "manager", "290719", 422, "not right"},
		{"cashier, the own password", "cashier", "cashier", staffPassword, 422, "may not confirm"},
		{"cashier, nobody's number", "cashier", "9999", managersPIN, 422, "not right"},
		{"cashier with a PIN", "cashier", "manager", managersPIN, 303, ""},
		{"cashier with a password", "cashier", "manager", staffPassword, 303, ""},
		{"manager", "manager", "", "", 303, ""},
		{"owner", "owner", "", "", 303, ""},
		{"steward", "steward", "manager", managersPIN, 403, "not for your role"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, _ := office(t)
			manager := withPIN(t, w)
			whom := map[string]string{"manager": manager, "cashier": itoa(one[int64](w, `SELECT id FROM staff WHERE role = 'cashier'`))}[c.whom]
			if whom == "" {
				whom = c.whom
			}
			seller := c.role // sells what is taken back
			if c.role == "steward" {
				seller = "cashier"
			}
			at := w.as(t, seller)
			openTill(at, w)
			staff := one[int64](w, `SELECT id FROM staff WHERE role = $1`, seller)
			b := w.as(t, c.role)
			for i, act := range []string{"tickets", "void", "cancel"} {
				id := sellCash(t, w, staff, []string{"A1", "B1", "C1"}[i], []string{"A2", "B2", "C2"}[i])
				sale := w.URL + "/staff/sales/" + itoa(id)
				if act == "cancel" {
					sale = w.URL + "/staff/bookings/" + itoa(id)
				}
				if act == "tickets" {
					p := at.get(sale + "/tickets").want(200)
					at.submit(p, p.form("/tickets"), nil, "paper=80").want(303)
				}
				typed := url.Values{"key": {"copy"}, "again": {"1"}, "reason": {"lost"}, "paper": {"80"}, "supervisor": {whom}, "supervisor_secret": {c.secret}}
				ticket := itoa(one[int64](w, `SELECT min(id) FROM tickets WHERE booking_id = $1`, id))
				typed.Set("ticket", ticket)
				typed.Set("how", "till")
				got := b.post(sale+"/"+act, typed)
				check(t, act, got, c.status, c.says)
				if c.status == 422 {
					if f := got.form("/" + act); f.values.Get("reason") != "lost" || f.values.Get("supervisor_secret") != "" || act == "cancel" && !slices.Equal(f.values["ticket"], []string{ticket}) {
						t.Errorf("%s: the form comes back with %v", act, f.values)
					}
				}
				valid, papers := 2, 0
				if act == "tickets" {
					papers = 1
				}
				if c.status == 303 {
					valid, papers = map[string]int{"tickets": 2, "void": 0, "cancel": 1}[act], papers*2
				}
				w.wantCount(t, valid, "tickets WHERE state = 'valid' AND booking_id = "+itoa(id))
				w.wantCount(t, papers, "prints WHERE booking_id = "+itoa(id))
				if act == "void" && c.status == 303 {
					b.follow(got).want(200).says("Taken back. Hand over EUR 20.00 in cash")
				}
				if c.status == 303 && c.role == "cashier" {
					w.wantCount(t, 1, `audit_log WHERE subject = 'booking:`+itoa(id)+`' AND after ->> 'confirmed_by' = 'staff:`+manager+`' AND after ->> 'reason' = 'lost'`)
				}
			}
			w.clean()
		})
	}
}

func check(t *testing.T, what string, p *page, status int, says string) {
	t.Helper()
	if p.status != status || !strings.Contains(p.text(), says) {
		t.Errorf("%s: %d, want %d saying %q\n%s", what, p.status, status, says, p.text())
	}
}

// Ten wrong PINs are the end of the PIN, and the door's limits hold here too.
func TestSupervisorsPINHasItsLimit(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	manager := withPIN(t, w)
	b, sale := counterSale(t, w, "A1")
	p := b.get(sale + "/tickets").want(200)
	b.submit(p, p.form("/tickets"), nil, "paper=80").want(303)
	for range 10 {
		reprint(b, sale, manager, "111222").want(422)
	}
	late := reprint(b, sale, manager, managersPIN).want(429).says("Too many tries")
	if late.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.wantCount(t, 1, "prints")
	w.exec("DELETE FROM login_failures")
	reprint(b, sale, manager, managersPIN).want(422).says("not right") // the PIN is off
	reprint(b, sale, manager, staffPassword).want(303)
}

// A void is the seller's own, in the shift that is still open; afterwards there is only
// the refund. The report tells them apart, with the reason and who confirmed.
func TestVoidIsOfOnesOwnOpenShift(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	manager := withPIN(t, w)
	b, sale := counterSale(t, w, "A1", "A2")
	staff := one[int64](w, `SELECT id FROM staff WHERE role = 'cashier'`)
	confirm := url.Values{"reason": {"wrong show"}, "supervisor": {manager}, "supervisor_secret": {managersPIN}}

	p := b.get(sale+"/void").want(200).says("A1 and A2", "cash EUR 20.00", "A supervisor confirms")
	b.submit(p, p.form("/void"), url.Values{"supervisor": {manager}, "supervisor_secret": {managersPIN}}, "").want(422).says("Please say why", "A reason is missing")
	w.wantCount(t, 0, `audit_log WHERE action = 'supervised'`) // nobody was asked in vain
	m := w.as(t, "manager")
	m.get(sale+"/void").want(200).says("cannot be voided", "Refund its tickets")
	m.post(sale+"/void", confirm).want(409) // no till
	openTill(m, w)
	m.post(sale+"/void", confirm).want(422).says("Only a sale of your own open till")
	done := b.submit(p, p.form("/void"), confirm, "").want(303)
	b.follow(done).want(200).says("Hand over EUR 20.00 in cash", "Cancelled")
	b.follow(b.submit(p, p.form("/void"), confirm, "").want(303)).want(200).says("cancelled already") // sent twice
	w.wantCount(t, 1, "refunds WHERE reason = 'void' AND amount = 2000 AND tender = 'cash'")
	b.get(sale + "/void").want(200).says("cancelled already")
	w.wantCount(t, 0, "event_seats WHERE state = 'booked'") // for sale at once

	second := sellCash(t, w, staff, "B1")
	other := w.URL + "/staff/sales/" + itoa(second)
	till := w.URL + "/staff/shifts/" + itoa(one[int64](w, `SELECT id FROM shifts WHERE staff_id = $1`, staff))
	closeTill(b, till, "5000=2", "1000=1").says("Void", "wrong show", "Confirmed by Manager Person", "-20.00", "exact")

	b.get(other + "/void").want(200).says("cannot be voided")
	next := openTill(b, w)
	b.post(other+"/void", confirm).want(422).says("Only a sale of your own open till") // sold in an earlier shift
	confirm.Set("reason", "ill")
	confirm.Set("ticket", itoa(one[int64](w, `SELECT id FROM tickets WHERE booking_id = $1`, second)))
	confirm.Set("how", "till")
	b.post(w.URL+"/staff/bookings/"+itoa(second)+"/cancel", confirm).want(303)
	m.get(next).want(200).says("Refund", "ill", "Confirmed by Manager Person", "-10.00", "90.00")
	m.get(till).want(200).says("Z report 1", "exact") // as it was
	w.clean()
}

// A free ticket and one paid by card come back as they went.
func TestVoidGoesBackAsItCame(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	m := w.as(t, "manager")
	openTill(m, w)
	staff := one[int64](w, `SELECT id FROM staff WHERE role = 'manager'`)
	for _, c := range []struct{ tender, words, seat, says string }{
		{"terminal", "", "A1", "Send EUR 10.00 back on the card terminal"}, {"comp", "press", "B1", "Nothing was paid"}, {"cash", "", "C1", "Hand over EUR 10.00 in cash"},
	} {
		sale := w.URL + "/staff/sales/" + itoa(sell(t, w, staff, c.tender, c.words, c.seat))
		p := m.get(sale + "/void").want(200)
		m.follow(m.submit(p, p.form("/void"), url.Values{"reason": {"mistake"}}, "").want(303)).want(200).says(c.says)
	}
	w.clean()
}
