package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/stripesim"
)

// Seats kept under a name: listed, resumed with everything, sold or let go.
func TestSellNamedHold(t *testing.T) {
	t.Parallel()
	w, ev := office(t) // holding needs no shift
	w.today(ev.ID)
	b := w.as(t, "cashier")
	p, f := b.offers(w, "n.adult=1&n.child=1")
	seats := slices.Clone(ticked(f))
	p = b.follow(b.submit(p, f, url.Values{"label": {"red jacket"}, "phone": {"077 555 0119"}, "until": {"30"}}, "act=hold").want(303)).want(200)
	p.says("Held", "red jacket", "077 555 0119", seats[0]+" and "+seats[1])
	w.wantCount(t, 1, "holds WHERE label = 'red jacket' AND expires_at BETWEEN now() + interval '29 minutes' AND now() + interval '31 minutes'")
	id := one[string](w, `SELECT id::text FROM holds`)

	w.till("manager") // a colleague goes on
	m := w.as(t, "manager")
	p = m.get(w.URL + "/staff/sell?hold=" + id).want(200)
	f = p.sellForm()
	if !slices.Equal(ticked(f), seats) || f.values.Get("phone") != "077 555 0119" || f.values.Get("n.child") != "1" || f.values.Get("quoted") != "1600" {
		t.Errorf("resumed with %v", f.values)
	}
	m.sells(p, f, nil, "cash").says("Sold")
	m.get(w.URL + "/staff/sell?hold=" + id).want(303)

	p, f = b.offers(w, "n.adult=1")
	b.submit(p, f, url.Values{"label": {"caller"}, "until": {"phone"}}, "act=hold").want(303)
	w.wantCount(t, 1, "holds h JOIN events e ON e.id = h.event_id WHERE h.label = 'caller' AND h.expires_at = e.starts_at - interval '30 minutes'")
	id = one[string](w, `SELECT id::text FROM holds WHERE label = 'caller'`)
	p = b.get(w.URL + "/staff/sell").want(200)
	b.follow(b.submit(p, p.form(id+"/release"), nil, "").want(303)).says("Let go", "Nothing is held at the counter")
	b.get(w.URL + "/staff/sell?hold=" + id).want(410).says("This hold is over")
	b.follow(b.submit(p, p.form(id+"/release"), nil, "").want(303)).says("over already")
	w.on(t).choose(eventPath(ev.ID), "A1").want(303)
	web := one[string](w, `SELECT id::text FROM holds WHERE channel = 'web'`)
	for _, path := range []string{"/staff/sell?hold=" + web, "/staff/sell/holds/" + web + "/link", "/staff/sell/holds/" + web + "/clock"} {
		b.get(w.URL + path).want(404) // the counter's list is not a way into customers' holds
	}
	b.post(w.URL+"/staff/sell/holds/"+web+"/release", nil).want(404)
	w.clean()
}

// A customer at the counter pays by phone: the phone learns nothing but "paid", the till
// goes on to the sale; the link is closed before the seats are let go.
func TestSellByPaymentLink(t *testing.T) {
	t.Parallel()
	w, _ := counterHouse(t)
	b, phone := w.as(t, "cashier"), w.on(t)
	p, f := b.offers(w, "n.adult=2")
	b.follow(b.submit(p, f, nil, "act=link").want(303)).want(200).says("Pay by phone", "EUR 20.00")
	id := one[string](w, `SELECT id::text FROM holds`)
	back := w.URL + "/holds/" + id + "/return"
	phone.get(back).want(200).says("Please ask at the counter")
	phone.get(w.URL + "/holds/" + id).want(404)
	phone.get(w.URL + "/holds/" + id + "/clock").want(404)
	w.wantCount(t, 1, "payments WHERE tender = 'stripe' AND staff_id = (SELECT id FROM staff WHERE role = 'cashier')")
	w.paysLink(t)
	text := phone.get(back).want(200).says("Paid, thank you", "printed at the counter").text()
	if strings.Contains(text, "Salt Road") || strings.Contains(text, "EUR") || strings.Contains(text, one[string](w, `SELECT reference FROM bookings`)) {
		t.Errorf("the phone learns of the sale:\n%s", text)
	}
	clock := b.get(w.URL + "/staff/sell/holds/" + id + "/clock").want(200).body
	if !strings.Contains(clock, `"state":"booked"`) || !strings.Contains(clock, "/staff/sales/") {
		t.Errorf("the clock says %s", clock)
	}
	b.follow(b.get(w.URL+"/staff/sell/holds/"+id+"/link").want(303)).want(200).says("Sold", "Paid by phone")
	w.wantCount(t, 1, "bookings WHERE sold_by IS NOT NULL AND channel = 'counter'")

	p, f = b.offers(w, "n.adult=1")
	p = b.follow(b.submit(p, f, nil, "act=link").want(303)).want(200)
	p = b.follow(b.submit(p, p.form("/close"), nil, "").want(303)).want(200)
	w.wantCount(t, 1, "payments WHERE tender = 'stripe' AND state = 'closed'")
	b.sells(p, p.sellForm(), nil, "cash").says("Sold", "Cash")

	p, f = b.offers(w, "n.adult=1")
	p = b.follow(b.submit(p, f, nil, "act=link").want(303)).want(200)
	b.follow(b.submit(p, p.form("/release"), nil, "").want(303)).says("Let go")
	w.wantCount(t, 0, "payments WHERE state IN ('creating', 'open')")
	w.wantCount(t, 0, "event_seats WHERE state = 'held'")
	w.clean()
}

// Stripe does not answer: the seats stay held, and cash is still possible.
func TestSellLinkWithoutStripe(t *testing.T) {
	t.Parallel()
	w, _ := counterHouse(t)
	b := w.as(t, "cashier")
	p, f := b.offers(w, "n.adult=1")
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore, Op: stripesim.OpCreateSession}})
	p = b.submit(p, f, nil, "act=link").want(503).says("The payment page does not answer", "Nothing was charged")
	if got := p.sellForm().values; got.Get("hold") == "" || got.Get("key") == f.values.Get("key") {
		t.Errorf("goes on with %v", got)
	}
	w.wantCount(t, 0, "bookings")
}

// paysLink pays the newest session at Stripe.
func (w *world) paysLink(t *testing.T) {
	t.Helper()
	all := w.Sim.Sessions()
	if err := w.Sim.Pay(all[len(all)-1].ID); err != nil {
		t.Fatal(err)
	}
}

// The open map is told of changed seats alone, in the dress for staff.
func TestSellLiveMap(t *testing.T) {
	t.Parallel()
	w, ev := counterHouse(t)
	b := w.as(t, "cashier")
	p, _ := b.offers(w, "")
	poll, _ := attribute(p.all("form", "data-poll", "")[0], "data-poll")
	b.get(w.URL + poll).want(204)
	w.on(t).choose(eventPath(ev.ID), "A1").want(303)
	w.exec(`UPDATE event_seats SET state = 'blocked' WHERE seat_no = 'A2'`)
	now := b.get(w.URL + poll).want(200)
	var seats []string
	for _, n := range now.all("", "class", "") {
		if id, ok := attribute(n, "id"); ok && strings.HasPrefix(id, "s-") {
			class, _ := attribute(n, "class")
			seats = append(seats, id+" "+class)
		}
	}
	if !slices.Equal(seats, []string{"s-A1 seat held", "s-A2 seat blocked"}) {
		t.Errorf("changed: %v", seats)
	}
	next, _ := attribute(now.all("div", "data-poll", "")[0], "data-poll")
	b.get(w.URL + next).want(204)
}

// A trip is found by its stops and sold between them, with names where they are wanted.
func TestSellTripByStops(t *testing.T) {
	t.Parallel()
	var trip dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		trip = dbtest.Trip(t, d, 3, 3)
		hire(t, d)
	}, nil)
	w.exec(`INSERT INTO settings (key, value) VALUES ('kind', 'bus'), ('time_zone', 'Europe/Rome')`)
	w.till("cashier")
	day := one[string](w, `SELECT to_char(departs_at AT TIME ZONE 'Europe/Rome', 'YYYY-MM-DD') FROM event_stops WHERE stop_no = 1`)
	b := w.as(t, "cashier")
	p := b.get(w.URL + "/staff/sell?date=" + day + "&origin=" + itoa(trip.Places[1]) + "&destination=" + itoa(trip.Places[3])).want(200).says("Departures")
	link := ""
	for _, n := range p.all("a", "href", "") {
		if href, _ := attribute(n, "href"); strings.HasSuffix(href, "&from=1&to=3") {
			link = href
		}
	}
	p = b.get(p.resolve(link)).want(200)
	p = b.submit(p, p.sellForm(), url.Values{"n.adult": {"1"}}, "act=look").want(200)
	f := p.sellForm()
	seat := ticked(f)[0]
	b.sells(p, f, url.Values{"passenger." + seat: {"Nimali Fernando"}, "given": {"20"}}, "cash").says("Nimali Fernando")
	w.wantCount(t, 1, "tickets WHERE from_stop = 1 AND to_stop = 3 AND passenger = 'Nimali Fernando' AND price = 2000")
	b.get(w.URL + "/staff/sell?event=" + itoa(trip.ID) + "&from=2&to=1").want(422).says("These stops do not work")

	// The bus has left its first stop: the page goes on at the next.
	w.exec(`UPDATE event_stops SET departs_at = departs_at - interval '25 hours', arrives_at = arrives_at - interval '25 hours'`)
	w.exec(`UPDATE events SET starts_at = starts_at - interval '25 hours', business_day = business_day_of(now())`)
	f = b.get(w.URL + "/staff/sell?event=" + itoa(trip.ID)).want(200).sellForm()
	if f.values.Get("from") != "1" || f.values.Get("to") != "3" {
		t.Errorf("sells from %s to %s", f.values.Get("from"), f.values.Get("to"))
	}
	w.clean()
}
