package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// what staff find by what they type.
func TestStaffBookingsSearch(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	var ids []int64
	for i, name := range []string{"Nimali Fernando", "Ruwan Fernando", "Åsa Öberg"} {
		b := w.on(t)
		b.choose(eventPath(ev.ID), ev.Seats[i]).want(303)
		b.paid(b.pay(b.details(url.Values{"name": {name}, "email": {strings.ToLower(strings.Fields(name)[0]) + "@Example.com"}, "phone": {"077 555-01" + itoa(int64(10+i))}})))
		ids = append(ids, w.bookingOf(b))
	}
	w.exec(`UPDATE bookings SET email = 'asa@example.org' WHERE id = $1`, ids[2])
	w.exec(`UPDATE bookings SET reference = 'ASHRAF' WHERE id = $1`, ids[0]) // also a name
	w.exec(`UPDATE bookings SET name = 'Banker Öberg' WHERE id = $1`, ids[2])
	all := []int64{ids[2], ids[1], ids[0]}
	reference := one[string](w, `SELECT reference FROM bookings WHERE id = $1`, ids[1])
	ticket := one[int64](w, `SELECT id FROM tickets WHERE booking_id = $1`, ids[2])
	w.exec(`INSERT INTO payments (hold_id, event_id, tender, state, amount, currency) SELECT hold_id, event_id, 'stripe', 'closed', 1000, 'EUR' FROM bookings WHERE id = $1`, ids[0])
	payment := one[int64](w, `SELECT max(id) FROM payments`)
	intent := one[string](w, `SELECT stripe_payment_intent_id FROM payments p JOIN bookings b ON b.hold_id = p.hold_id WHERE b.id = $1 AND stripe_payment_intent_id IS NOT NULL`, ids[1])
	code := ""
	for _, a := range w.on(t).get(w.URL+"/bookings/"+w.token(ids[1])).want(200).all("a", "href", "") {
		if href, _ := attribute(a, "href"); strings.HasPrefix(href, "/t/") {
			code = href
		}
	}
	staff := w.as(t, "cashier")
	for typed, want := range map[string][]int64{
		"":                         all,
		"  ":                       all,
		reference:                  {ids[1]},
		strings.ToLower(reference): {ids[1]},
		" " + reference[:3] + "-" + reference[3:]: {ids[1]},
		"ashraf":                  {ids[0]},
		"banker":                  {ids[2]}, // reads like a reference, but none is
		"fernando":                {ids[1], ids[0]},
		"ÖBERG":                   {ids[2]},
		"RUWAN@example.COM":       {ids[1]},
		"@example.com":            {ids[1], ids[0]},
		"0112":                    {ids[2]},
		"077-555 0111":            {ids[1]},
		itoa(payment):             {ids[0]},
		itoa(ticket):              {ids[2]},
		intent:                    {ids[1]},
		w.URL + code:              {ids[1]},
		strings.ToUpper(code[3:]): {ids[1]},
		"%":                       nil,
		"_":                       nil,
		"'; DROP TABLE":           nil,
		"nobody":                  nil,
		"\x00\xff":                all,
	} {
		p := staff.get(w.URL + "/staff/bookings?q=" + url.QueryEscape(typed)).want(200)
		var got []int64
		for _, id := range p.values("data-booking") {
			got = append(got, one[int64](w, `SELECT $1::bigint`, id))
		}
		// a small number is a booking's, a payment's and a ticket's
		if typed == itoa(payment) || typed == itoa(ticket) {
			if !slices.Contains(got, want[0]) {
				t.Errorf("%q finds %v, not %v", typed, got, want)
			}
			continue
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", typed, got, want)
		}
		if len(want) == 0 {
			p.says("No booking fits", "Ended holds")
		}
	}
}

// token is the secret of a booking's link, as the staff page shows it.
func (w *world) token(booking int64) string {
	w.t.Helper()
	for _, a := range w.as(w.t, "owner").get(w.file(booking)).want(200).all("a", "href", "") {
		if href, _ := attribute(a, "href"); strings.HasPrefix(href, "/bookings/") {
			return strings.TrimPrefix(href, "/bookings/")
		}
	}
	w.t.Fatalf("the page of booking %d does not lead to the customer's", booking)
	return ""
}

// Pages follow one another without a gap or a repeat, also while bookings come in.
func TestStaffBookingsPages(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.bookingsByHand(ev.ID, 60)
	staff := w.as(t, "cashier")
	p := staff.get(w.URL + "/staff/bookings").want(200)
	var seen []string
	for range 5 {
		seen = append(seen, p.values("data-booking")...)
		w.bookingsByHand(ev.ID, 1)
		next := p.all("a", "rel", "next")
		if len(next) == 0 {
			break
		}
		href, _ := attribute(next[0], "href")
		p = staff.get(p.resolve(href)).want(200)
	}
	// Those that came in meanwhile stand on a first page that nobody looked at again.
	if sorted := slices.Compact(slices.Sorted(slices.Values(seen))); len(seen) != 60 || len(sorted) != 60 {
		t.Errorf("%d bookings seen, %d different, want 60", len(seen), len(sorted))
	}
	staff.get(w.URL + "/staff/bookings?before=1").want(200).says("No older bookings")
	staff.get(w.URL + "/staff/bookings?before=x").want(200).says("Newest first")
}

// bookingsByHand puts n bookings in by hand, each of one ticket that is cancelled, for lists.
func (w *world) bookingsByHand(event int64, n int) {
	w.t.Helper()
	w.exec(`WITH h AS (INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, state, expires_at, total, currency, fares, name, email, phone)
			SELECT gen_random_uuid(), $1, 0, 1, 'web', 'web:x', 'converted', now(), 1000, 'EUR', '[]', 'Person ' || n, 'p' || n || '@example.com', '077 ' || n FROM generate_series(1, $2::int) n RETURNING *),
		b AS (INSERT INTO bookings (hold_id, event_id, reference, name, email, phone, state, total, currency, channel)
			SELECT id, event_id, translate(upper(substr(md5(id::text), 1, 12)), '0123456789', 'XGHJKLMNPQ')::varchar(6), name, email, phone, 'cancelled', total, currency, channel FROM h ON CONFLICT (reference) DO NOTHING RETURNING *)
		INSERT INTO tickets (booking_id, event_id, seat_no, from_stop, to_stop, ticket_type, price, state, cancelled_at) SELECT id, event_id, 'A1', 0, 1, 'adult', 1000, 'cancelled', now() FROM b`, event, n)
}

func TestStaffBookingFile(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.on(t)
	b.buys(eventPath(ev.ID), "A1", "D2")
	id := w.bookingOf(b)
	cashier, manager := w.as(t, "cashier"), w.as(t, "manager")
	reference := one[string](w, `SELECT substr(reference, 1, 3) || '-' || substr(reference, 4) FROM bookings`)
	intent := one[string](w, `SELECT stripe_payment_intent_id FROM payments WHERE received > 0`)
	p := cashier.get(w.file(id)).want(200).says(reference, "Nimali Fernando", "Salt Road", "nimali@example.com", "Confirmed", "EUR 25.00", "with VAT EUR 4.51",
		"Adult, Premium", "Paid online", intent, "The tickets", "Sale, seat A1", "Payment", "Nothing went back")
	if got := p.values("data-seat"); !slices.Equal(got, []string{"A1", "D2"}) {
		t.Errorf("seats %v", got)
	}
	if !strings.Contains(p.body, "https://dashboard.stripe.com/test/payments/"+intent) {
		t.Error("no link to the payment at Stripe")
	}
	if strings.Contains(p.body, "/staff/events/") {
		t.Error("a cashier is offered what a manager may")
	}
	cashier.post(w.file(id)+"/cancel", url.Values{"ticket": {w.ticketOn(ev.ID, "A1")}, "reason": {"x"}}).want(422).says("This needs a supervisor")
	manager.get(w.URL + "/staff/bookings/999").want(404)
	manager.get(w.URL + "/staff/bookings/x").want(404)

	w.exec(`INSERT INTO disputes (id, payment_id, event_id, amount, currency, status, inquiry, closed) SELECT 'dp_1', id, event_id, 2500, 'EUR', 'needs_response', false, false FROM payments`)
	w.exec(`INSERT INTO staff_tasks (kind, words, booking_id) VALUES ('mail_failed', 'A mail did not reach her.', $1)`, id)
	w.exec(`UPDATE mails SET state = 'failed', error = '550 no such domain' WHERE kind = 'tickets'`)
	p = manager.get(w.file(id)).want(200).says("This payment is disputed", "needs response", "The door asks staff", "A mail did not reach her.", "The ticket mail did not arrive", "550 no such domain")
	w.exec(`DELETE FROM disputes`)

	var resend *form
	for _, n := range p.all("input", "id", "bounced-email") {
		if v, _ := attribute(n, "value"); v != "nimali@example.com" {
			t.Errorf("the address offered is %q", v)
		}
		resend = p.form("/resend")
	}
	if resend == nil {
		t.Fatal("nothing offers to correct the address")
	}
	cashier.submit(p, resend, url.Values{"email": {"nimali"}}, "").want(422).says("An @ is missing")
	cashier.follow(cashier.submit(p, resend, url.Values{"email": {"nimali@example.lk"}}, "").want(303)).says("The mail is on its way", "nimali@example.lk", "e-mail is now nimali@example.lk")
	w.wantCount(t, 1, "mails WHERE kind = 'tickets' AND state = 'queued' AND to_address = 'nimali@example.lk'")
	w.wantCount(t, 1, "bookings WHERE email = 'nimali@example.lk'")
	w.wantCount(t, 0, "mails WHERE kind = 'booking_link'")
	atOnce(3, func(int) { cashier.post(w.file(id)+"/resend", nil).want(303) })
	w.wantCount(t, 1, "mails WHERE kind = 'booking_link' AND booking_id = $1", id)
	w.wantCount(t, 1, "mails WHERE kind = 'tickets'")
	w.clean()
}

// Amounts as people type them, by currency.
func TestStaffCancelAmounts(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.on(t)
	b.buys(eventPath(ev.ID), "A1")
	id, ticket := w.bookingOf(b), w.ticketOn(ev.ID, "A1")
	staff := w.as(t, "manager")
	for _, c := range []struct {
		currency string
		price    int64 // of the ticket, set by hand
		typed    string
		want     string // minor units, "" refused
	}{
		{"EUR", 1000, "", "1000"}, {"EUR", 1000, " EUR 7.50 ", "750"}, {"EUR", 1000, "7,5", "750"}, {"EUR", 1000, "0", "0"}, {"EUR", 1000, "10.", "1000"}, {"EUR", 1000, ".5", "50"},
		{"EUR", 1000, "7.505", ""}, {"EUR", 1000, "-1", ""}, {"EUR", 1000, "1e2", ""}, {"EUR", 1000, "10.01", ""}, {"EUR", 1000, "1 0", "1000"}, {"EUR", 1000, "٣", ""}, {"EUR", 1000, ",", ""},
		{"EUR", 1000, "99999999999999999999", ""}, {"LKR", 240000, "1,200", "120000"}, {"LKR", 240000, "1,200.50", "120050"}, {"LKR", 240000, "1.200,50", "120050"}, {"LKR", 240000, "12,00", "1200"}, {"LKR", 240000, "1,20,000", ""},
		{"JPY", 1500, "1,500", "1500"}, {"JPY", 1500, "1500.0", ""}, {"KWD", 12340, "12.34", "12340"}, {"KWD", 12340, "12.345", ""}, {"KWD", 12340, "1,200", ""},
	} {
		w.exec(`UPDATE bookings SET currency = $1`, c.currency)
		w.exec(`UPDATE payments SET currency = $1, received = $2`, c.currency, c.price)
		w.exec(`UPDATE tickets SET price = $1`, c.price)
		p := staff.get(w.file(id) + "?" + url.Values{"ticket": {ticket}, "refund": {c.typed}}.Encode())
		if c.want == "" {
			if p.status != 422 || p.form("/cancel").values.Get("refund") != c.typed {
				t.Errorf("%s %q: %d", c.currency, c.typed, p.status)
			}
			continue
		}
		if got := p.want(200).values("data-amount"); !slices.Contains(got, c.want) {
			t.Errorf("%s %q: the page names %v, want %s", c.currency, c.typed, got, c.want)
		}
	}
	w.wantCount(t, 0, "refunds")
}

// Who may see and do what; a cross-site post does nothing.
func TestStaffBookingRoles(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.on(t)
	b.buys(eventPath(ev.ID), "A1")
	file, event := "/staff/bookings/"+itoa(w.bookingOf(b)), "/staff/events/"+itoa(ev.ID)
	for i, role := range []string{"", "steward", "cashier", "manager"} {
		x := w.browser()
		if role != "" {
			x = w.as(t, role)
		}
		for _, c := range []struct {
			method, path string
			want         [4]int
		}{
			{"GET", "/staff/bookings", [4]int{303, 403, 200, 200}}, {"GET", file, [4]int{303, 403, 200, 200}}, {"POST", file + "/cancel", [4]int{303, 403, 422, 422}},
			{"GET", file + "/exchange", [4]int{303, 403, 200, 200}}, {"POST", file + "/exchange", [4]int{303, 403, 422, 422}},
			{"POST", file + "/passenger", [4]int{303, 403, 400, 400}}, {"POST", file + "/resend", [4]int{303, 403, 303, 303}}, {"GET", "/staff/holds", [4]int{303, 403, 200, 200}},
			{"POST", "/staff/holds/" + b.id() + "/revive", [4]int{303, 403, 409, 409}}, {"GET", event, [4]int{303, 403, 403, 200}},
			{"POST", event + "/cancel", [4]int{303, 403, 403, 422}}, {"POST", event + "/resume", [4]int{303, 403, 403, 409}}, {"GET", file + "/cancel", [4]int{405, 405, 405, 405}},
			{"GET", "/staff/events/999", [4]int{303, 403, 403, 404}}, {"POST", "/staff/events/999/cancel", [4]int{303, 403, 403, 404}},
		} {
			if got := x.ask(c.method, w.URL+c.path, "", map[string]string{"Content-Type": formType}).status; got != c.want[i] {
				t.Errorf("%s %s as %q: %d, want %d", c.method, c.path, role, got, c.want[i])
			}
			if c.method == "POST" {
				if got := x.ask("POST", w.URL+c.path, "title=Salt+Road&reason=x&password="+staffPassword, map[string]string{"Content-Type": formType, "Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}).status; got != 403 {
					t.Errorf("%s from another site: %d", c.path, got)
				}
			}
		}
	}
	w.wantCount(t, 1, "tickets WHERE state = 'valid'")
}

// The password that a cancellation asks for has the door's limits.
func TestStaffConfirmLimits(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	staff := w.as(t, "manager")
	address := w.URL + "/staff/events/" + itoa(ev.ID) + "/cancel"
	try := func(password string) int {
		return staff.post(address, url.Values{"title": {"Salt Road"}, "reason": {"x"}, "password": {password}}).status
	}
	for range 10 {
		if got := try("wrong"); got != 422 {
			t.Fatalf("a wrong password: %d", got)
		}
	}
	if got := try(staffPassword); got != 429 {
		t.Errorf("after ten failures: %d, want 429", got)
	}
	w.wantCount(t, 0, "events WHERE status = 'cancelled'")
	w.exec(`UPDATE login_failures SET at = at - interval '16 minutes'`)
	if got := try(staffPassword); got != 303 {
		t.Errorf("the right password: %d", got)
	}
	if got := try("wrong"); got != 303 { // the same button again
		t.Errorf("again: %d", got)
	}
	w.wantCount(t, 1, "audit_log WHERE action = 'cancel event'")
	w.wantCount(t, 0, "audit_log x WHERE x::text LIKE '%tomato%'")
}

// The pages in a browser: axe finds nothing in light and dark, nothing scrolls sideways,
// and a manager cancels by touch, led from the choice to the exact amount.
func TestBrowserStaffBookings(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	sold, ended := w.on(t), w.on(t)
	sold.buys(eventPath(ev.ID), "A1", "A2", "D3")
	ended.choose(eventPath(ev.ID), "B1").want(303)
	ended.details(url.Values{"phone": {"077 555 0119"}})
	w.over(ended.id())
	id := w.bookingOf(sold)
	w.exec(`UPDATE mails SET state = 'failed', error = '550 no such domain' WHERE kind = 'tickets'`)
	checker := axe(t)
	b := newTab(t, chromium(t), w)
	b.open("/staff/login", 200)
	b.fill("#email", "manager@house.example")
	b.fill("#password", staffPassword)
	b.press("main .btn", 200)
	looks := func(name, path string) {
		t.Helper()
		b.open(path, 200)
		b.sound(name, checker)
		b.big(name)
	}
	looks("bookings", "/staff/bookings")
	looks("no bookings", "/staff/bookings?q=nobody")
	looks("ended holds", "/staff/holds")
	looks("event", "/staff/events/"+itoa(ev.ID))
	looks("booking", "/staff/bookings/"+itoa(id))
	b.tap("#cancel input[value='" + w.ticketOn(ev.ID, "A2") + "']")
	b.fill("#refund", "7.50")
	b.press("#cancel .btn", 200)
	b.says("EUR 7.50 goes back", "EUR 2.50 is kept as a fee")
	b.sound("the exact amount", checker)
	b.fill("#reason", "She called.")
	b.press("#cancel .btn.danger", 200)
	b.says("The seats are for sale again")
	b.sound("cancelled in part", checker)
	w.wantTickets(t, sold.id(), "A1", "D3")
	w.wantCount(t, 1, "refunds WHERE amount = 750")
	looks("the customer's page", "/bookings/"+w.token(id))
	w.eventually("the money is back", `SELECT state = 'succeeded' FROM refunds`)
}
