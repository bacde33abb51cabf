package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"holdfast/db/dbtest"
)

// counterHouse is a house whose screening is today in two hours, with an open till for
// the cashier and for the manager.
func counterHouse(t *testing.T) (*world, dbtest.Event) {
	t.Helper()
	w, ev := office(t)
	w.today(ev.ID)
	w.till("cashier")
	w.till("manager")
	return w, ev
}

// today moves an event to this business day, two hours ahead.
func (w *world) today(event int64) {
	w.t.Helper()
	w.exec(`UPDATE events SET business_day = business_day_of(now()), starts_at = now() + interval '2 hours', ends_at = now() + interval '4 hours' WHERE id = $1`, event)
}

// sellForm is the counter's form on a page.
func (p *page) sellForm() *form {
	p.t.Helper()
	for _, n := range p.all("form", "data-sell", "") {
		return formOf(n)
	}
	p.t.Fatalf("%s (%d) has no form to sell by\n%s", p.url, p.status, p.text())
	return nil
}

// offers shows the best seats for so many adults.
func (b *browser) offers(w *world, query string) (*page, *form) {
	b.t.Helper()
	p := b.get(w.URL + "/staff/sell?" + query).want(200)
	return p, p.sellForm()
}

// sells follows a sale to its page.
func (b *browser) sells(p *page, f *form, change url.Values, act string) *page {
	b.t.Helper()
	return b.follow(b.submit(p, f, change, "act="+act).want(303)).want(200)
}

func ticked(f *form) []string { return f.values["seat"] }

// output is the change on a page.
func (p *page) output() string {
	p.t.Helper()
	for _, n := range p.all("output", "data-amount", "") {
		v, _ := attribute(n, "data-amount")
		return v
	}
	return ""
}

// The whole sale by plain forms: how many, the best seats, cash, the change.
func TestSellWithoutScripts(t *testing.T) {
	t.Parallel()
	w, ev := counterHouse(t)
	b := w.as(t, "cashier")
	p := b.get(w.URL+"/staff/sell").want(200).says("Today", "Salt Road", "Nothing is held at the counter")
	p = b.submit(p, p.sellForm(), url.Values{"n.adult": {"2"}, "n.child": {"1"}}, "act=look").want(200)
	f := p.sellForm()
	if len(ticked(f)) != 3 || f.values.Get("quoted") != "2600" {
		t.Fatalf("proposed %v for %s", ticked(f), f.values.Get("quoted"))
	}
	p = b.submit(p, f, url.Values{"n.adult": {"1"}, "n.child": {"0"}}, "act=look").want(200) // another number: other seats
	f = p.sellForm()
	if len(ticked(f)) != 1 || f.values.Get("quoted") != "1000" {
		t.Fatalf("proposed %v for %s", ticked(f), f.values.Get("quoted"))
	}
	sold := b.sells(p, f, url.Values{"given": {"50"}}, "cash").says("Sold", "EUR 50.00 given", "Next customer", "Adult")
	if sold.output() != "4000" {
		t.Errorf("the change is %q", sold.output())
	}
	for _, link := range []string{"/tickets", "/receipt"} {
		if len(sold.all("a", "href", sold.url.Path+link)) != 1 {
			t.Errorf("no link to …%s", link)
		}
	}
	again := b.submit(p, f, url.Values{"given": {"50"}}, "act=cash").want(303) // Back, and the same form once more
	if again.location != sold.url.Path {
		t.Errorf("the same form leads to %s, not to %s", again.location, sold.url.Path)
	}
	w.wantCount(t, 1, "bookings WHERE channel = 'counter' AND sold_by = (SELECT id FROM staff WHERE role = 'cashier') AND email = ''")
	w.wantCount(t, 1, "tickets WHERE event_id = $1", ev.ID)
	w.clean()
}

// B2: the customers' limits and rules never refuse the cashier; the house's rules are
// said once.
func TestB2_LimitsNeverCountAgainstTheCashier(t *testing.T) {
	t.Parallel()
	w, _ := counterHouse(t)
	w.exec(`INSERT INTO settings (key, value) VALUES ('seats_per_booking', '2'), ('lonely_seat_rule', 'on'), ('live_holds_per_visitor', '1') ON CONFLICT (key) DO UPDATE SET value = excluded.value`)
	b := w.as(t, "cashier")
	p, f := b.offers(w, "n.adult=5")
	if len(ticked(f)) != 5 {
		t.Fatalf("proposed %v", ticked(f))
	}
	b.sells(p, f, nil, "card").says("Sold", "Card")

	p, f = b.offers(w, "")
	lonely := url.Values{"seat": {"D2", "D3", "D4"}, "n.adult": {"3"}, "quoted": {"4500"}, "name": {"Nimali"}}
	p = b.submit(p, f, lonely, "act=cash").want(422).says("A rule of the house", "D1 would be left alone", "Nothing was sold", "Sell all the same")
	w.wantCount(t, 1, "bookings")
	f = p.sellForm()
	if !slices.Equal(ticked(f), []string{"D2", "D3", "D4"}) || f.values.Get("name") != "Nimali" {
		t.Errorf("after the question: %v", f.values)
	}
	b.sells(p, f, nil, "cash").says("Sold")
	w.wantCount(t, 8, "tickets")
	w.clean()
}

// Every refusal says what is wrong and keeps what was typed; nothing is sold.
func TestSellRefusals(t *testing.T) {
	t.Parallel()
	w, ev := counterHouse(t)
	b := w.as(t, "cashier")
	for name, c := range map[string]struct {
		change url.Values
		act    string
		status int
		says   string
	}{
		"nothing chosen":        {url.Values{"seat": nil, "n.adult": {"0"}}, "cash", 422, "Choose at least one seat"},
		"more than are free":    {url.Values{"seat": nil, "n.adult": {"99"}}, "cash", 422, "There are not 99 seats free"},
		"seats not looked at":   {url.Values{"seat": nil}, "cash", 422, "Please look at the seats first"},
		"more tickets":          {url.Values{"n.adult": {"3"}, "proposed": {""}}, "cash", 422, "Choose 1 more on the map"},
		"more seats":            {url.Values{"seat": {"A1", "A2", "A3"}}, "cash", 422, "leave 1 out"},
		"another price":         {url.Values{"quoted": {"1999"}}, "cash", 422, "The price is EUR 20.00"},
		"too little cash":       {url.Values{"given": {"19.99"}}, "cash", 422, "EUR 0.01 less than the price"},
		"no amount":             {url.Values{"given": {"a lot"}}, "cash", 422, "Please write the amount like"},
		"split without a part":  {nil, "split", 422, "Please write the amount like"},
		"split of all":          {url.Values{"split": {"20"}}, "split", 422, "less than EUR 20.00"},
		"split, given too few":  {url.Values{"split": {"10"}, "given": {"5"}}, "split", 422, "EUR 5.00 less"},
		"free without a reason": {nil, "comp", 422, "Please say why"},
		"hold without a name":   {nil, "hold", 422, "Give the hold a name"},
		"a time that is none":   {url.Values{"label": {"x"}, "until": {"time"}, "until_time": {"noon"}}, "hold", 422, "Please write the time like 14:30"},
		"an address":            {url.Values{"email": {"nimali"}}, "cash", 422, "An @ is missing"},
		"an act of nobody":      {nil, "give", 200, "To pay"},
	} {
		p, f := b.offers(w, "n.adult=2")
		if c.change == nil {
			c.change = url.Values{}
		}
		c.change.Set("phone", "077 555")
		p = b.submit(p, f, c.change, "act="+c.act)
		if p.status != c.status || !strings.Contains(p.text(), c.says) {
			t.Errorf("%s: %d, want %d and %q:\n%s", name, p.status, c.status, c.says, p.text())
			continue
		}
		now := p.sellForm()
		if now.values.Get("phone") != "077 555" || now.values.Get("given") != c.change.Get("given") || now.values.Get("key") != f.values.Get("key") {
			t.Errorf("%s: what was typed is gone: %v", name, now.values)
		}
	}
	b.get(w.URL + "/staff/sell?event=999999").want(404)
	b.post(w.URL+"/staff/sell", url.Values{"event": {"999999"}, "act": {"cash"}, "key": {"k"}}).want(404)
	b.get(w.URL + "/staff/sell?hold=nonsense").want(404)
	b.get(w.URL + "/staff/sales/999999").want(404)
	w.wantCount(t, 0, "bookings")
	w.wantCount(t, 0, "event_seats WHERE event_id = $1 AND state <> 'available'", ev.ID)
}

// Money in parts: cash with change and card, and a free ticket with its reason.
func TestSellSplitAndFree(t *testing.T) {
	t.Parallel()
	w, _ := counterHouse(t)
	b := w.as(t, "cashier")
	p, f := b.offers(w, "n.adult=2")
	sold := b.sells(p, f, url.Values{"split": {"7.50"}, "given": {"10"}}, "split").says("Cash", "EUR 7.50", "Card", "EUR 12.50")
	if sold.output() != "250" {
		t.Errorf("the change is %q", sold.output())
	}
	manager := withPIN(t, w)
	p, f = b.offers(w, "n.child=1")
	p = b.submit(p, f, url.Values{"reason": {"press"}}, "act=comp").want(422).says("Free tickets need a supervisor", "Nothing was sold")
	p = b.submit(p, p.sellForm(), url.Values{"supervisor": {manager}, "supervisor_secret": {"0000"}}, "act=comp").want(422).says("not right", "Nothing was sold")
	w.wantCount(t, 0, "payments WHERE tender = 'comp'")
	if f = p.sellForm(); f.values.Get("reason") != "press" || f.values.Get("supervisor_secret") != "" {
		t.Errorf("after a wrong PIN the form has %v", f.values)
	}
	b.sells(p, f, url.Values{"supervisor": {manager}, "supervisor_secret": {managersPIN}}, "comp").says("Free of charge", "press")
	w.wantCount(t, 1, "audit_log WHERE action = 'counter_sale' AND after->>'confirmed_by' LIKE 'staff:%'")
	m := w.as(t, "manager")
	p, f = m.offers(w, "n.adult=1")
	m.sells(p, f, url.Values{"reason": {"a guest"}}, "comp").says("Free of charge", "a guest")
	w.wantCount(t, 1, "payments WHERE tender = 'cash' AND amount = 750 AND tendered = 1000 AND shift_id IS NOT NULL")
	w.wantCount(t, 1, "payments WHERE tender = 'comp' AND amount = 0 AND description = 'press'")
	w.clean()
}

// Change and totals are exact where the currency has no decimals or three.
func TestSellInEveryCurrencysDigits(t *testing.T) {
	t.Parallel()
	for currency, c := range map[string]struct{ price, given, change string }{
		"JPY": {"1000", "5,000", "4000"}, "KWD": {"1000", "1.005", "5"}, "LKR": {"1000", "15", "500"},
	} {
		w, _ := counterHouse(t)
		w.exec(`INSERT INTO settings (key, value) VALUES ('currency', $1) ON CONFLICT (key) DO UPDATE SET value = $1`, currency)
		w.exec(`UPDATE tariffs SET currency = $1`, currency)
		w.exec(`UPDATE shifts SET currency = $1`, currency)
		b := w.as(t, "cashier")
		p, f := b.offers(w, "n.adult=1")
		if f.values.Get("quoted") != c.price {
			t.Errorf("%s: quoted %s", currency, f.values.Get("quoted"))
		}
		if got := b.sells(p, f, url.Values{"given": {c.given}}, "cash").output(); got != c.change {
			t.Errorf("%s: %s given for %s: change %s, want %s", currency, c.given, c.price, got, c.change)
		}
		w.clean()
	}
}

// A web customer was faster: 409 names the seat, the other stays chosen, all is kept.
func TestSellConflict(t *testing.T) {
	t.Parallel()
	w, ev := counterHouse(t)
	b := w.as(t, "cashier")
	p, f := b.offers(w, "n.adult=2")
	seats := slices.Clone(ticked(f))
	w.on(t).choose(eventPath(ev.ID), seats[0]).want(303)
	p = b.submit(p, f, url.Values{"given": {"50"}, "name": {"Ruwan"}}, "act=cash").want(409).
		says("Seat "+seats[0]+" was just taken", seats[1]+" stays chosen", "Nothing was sold and no money was taken", "instead")
	if got := p.values("data-lost"); !slices.Equal(got, seats[:1]) {
		t.Errorf("lost %v", got)
	}
	now := p.sellForm()
	if !slices.Equal(ticked(now), seats[1:]) || now.values.Get("n.adult") != "2" || now.values.Get("given") != "50" || now.values.Get("name") != "Ruwan" {
		t.Errorf("kept %v", now.values)
	}
	instead := ""
	for _, n := range p.all("button", "name", "instead") {
		instead, _ = attribute(n, "value")
	}
	p = b.submit(p, now, nil, "instead="+instead).want(200)
	if now = p.sellForm(); !slices.Equal(ticked(now), strings.Fields(instead)) || len(ticked(now)) != 2 {
		t.Fatalf("instead %q: %v", instead, ticked(now))
	}
	b.sells(p, now, nil, "cash").says("Sold")
	w.clean()
}

// Two cashiers and a web customer want the last seats at once: one has them.
func TestSellLastSeatsAtOnce(t *testing.T) {
	t.Parallel()
	w, ev := counterHouse(t)
	w.exec(`UPDATE event_seats SET state = 'blocked' WHERE event_id = $1 AND seat_no NOT IN ('B1', 'B2')`, ev.ID)
	var got [3]*page
	one, two := w.as(t, "cashier"), w.as(t, "manager")
	p1, f1 := one.offers(w, "n.adult=2")
	p2, f2 := two.offers(w, "n.adult=2")
	web := w.on(t)
	atOnce(3, func(i int) {
		switch i {
		case 0:
			got[0] = one.submit(p1, f1, nil, "act=cash")
		case 1:
			got[1] = two.submit(p2, f2, nil, "act=card")
		case 2:
			got[2] = web.choose(eventPath(ev.ID), "B1", "B2")
		}
	})
	won := 0
	for i, p := range got {
		switch p.status {
		case 303:
			won++
		case 409:
		default:
			t.Errorf("%d: %d\n%s", i, p.status, p.text())
		}
	}
	if won != 1 {
		t.Errorf("%d have the last seats", won)
	}
	w.exec(`UPDATE event_seats SET state = 'available' WHERE state = 'blocked'`)
	w.clean()
}

// A blocked seat is sold after a question that names it and why it was blocked.
func TestSellBlockedSeat(t *testing.T) {
	t.Parallel()
	w, ev := counterHouse(t)
	w.exec(`WITH b AS (INSERT INTO seat_blocks (event_id, reason, actor) VALUES ($1, 'Broken armrest', 'test') RETURNING id)
		UPDATE event_seats SET state = 'blocked', block_id = b.id FROM b WHERE event_id = $1 AND seat_no IN ('C1', 'C2')`, ev.ID)
	b := w.as(t, "cashier")
	p, f := b.offers(w, "")
	if !slices.Contains(f.boxes, "C1") {
		t.Fatal("a blocked seat cannot be ticked by staff")
	}
	p = b.submit(p, f, url.Values{"seat": {"C1"}, "n.adult": {"1"}, "quoted": {"1000"}}, "act=cash").want(422).says("C1 is blocked: Broken armrest", "Sell all the same", "Nothing was sold yet")
	w.wantCount(t, 0, "bookings")
	f = p.sellForm()
	p = b.submit(p, f, url.Values{"seat": {"C1", "C2"}, "n.adult": {"2"}, "quoted": {"2000"}}, "act=cash").want(422).says("C2 is blocked")
	b.sells(p, p.sellForm(), nil, "cash").says("Sold")
	w.wantCount(t, 2, "event_seats WHERE event_id = $1 AND state = 'booked'", ev.ID)
	w.clean()
}

// Without an open shift nothing is sold, and the page leads to opening one.
func TestSellWithoutShift(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.today(ev.ID)
	b := w.as(t, "cashier")
	p, f := b.offers(w, "n.adult=2")
	p.says("Your till is not open")
	if got := p.all("a", "href", "/staff/shifts/new?next=%2Fstaff%2Fsell%3Fn.adult%3D2"); len(got) != 1 {
		t.Error("no way to open the shift and come back")
	}
	p = b.submit(p, f, nil, "act=cash").want(409).says("Your till is not open", "Nothing was sold and no money was taken")
	w.till("cashier")
	b.sells(p, p.sellForm(), nil, "cash").says("Sold")
	w.clean()
}

// The counter sells after the start until its own close; other days carry a banner.
func TestSellWhen(t *testing.T) {
	t.Parallel()
	w, ev := counterHouse(t)
	b := w.as(t, "cashier")
	w.exec(`UPDATE events SET starts_at = now() - interval '10 minutes'`)
	p, f := b.offers(w, "n.adult=1")
	w.exec(`UPDATE events SET starts_at = now() - interval '16 minutes'`)
	b.get(w.URL + "/staff/sell").want(200).says("Nothing more is for sale today")
	b.get(w.URL + "/staff/sell?event=" + itoa(ev.ID)).want(200).says("The counter’s sales closed at")
	b.submit(p, f, nil, "act=cash").want(422).says("The counter’s sales for this one are closed", "Nothing was sold")
	w.exec(`UPDATE events SET sales_close_counter = -30`)
	p, f = b.offers(w, "n.adult=1")
	b.sells(p, f, nil, "cash").says("Sold")

	w.exec(`UPDATE events SET business_day = business_day_of(now()) + 1, starts_at = now() + interval '1 day', ends_at = now() + interval '26 hours'`)
	b.get(w.URL+"/staff/sell").want(200).says("Nothing more is for sale today", "Go to")
	b.get(w.URL+"/staff/sell?event="+itoa(ev.ID)).want(200).says("SELLING FOR TOMORROW, ", "Back to today")
	w.exec(`UPDATE events SET status = 'draft'`)
	b.get(w.URL + "/staff/sell?event=" + itoa(ev.ID)).want(404)
}
