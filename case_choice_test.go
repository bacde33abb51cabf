package main

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
)

// H16: what a page would not send is refused by the server, in words, and nothing is held.
func TestH16_HandMadeChoices(t *testing.T) {
	t.Parallel()
	var hall, trip, closed dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		set(t, d, "seats_per_booking", "10")
		hall, trip, closed = dbtest.Screening(t, d, 3, 10), dbtest.Trip(t, d, 4, 3), dbtest.Screening(t, d, 1, 4)
		if _, err := d.Pool().Exec(t.Context(), `UPDATE event_stops SET may_board = false WHERE event_id = $1 AND stop_no = 1`, trip.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Pool().Exec(t.Context(), `UPDATE events SET starts_at = now() + interval '9 minutes' WHERE id = $1`, closed.ID); err != nil {
			t.Fatal(err)
		}
	}, nil)
	ride := func(from, to string) url.Values {
		return url.Values{"seat": {"1A"}, "from": {from}, "to": {to}}
	}
	for _, c := range []struct {
		name  string
		event int64
		form  url.Values
		words string
	}{
		{"eleven of ten", hall.ID, seatFields(hall.Seats[:11]...), "up to 10 seats"},
		{"none", hall.ID, nil, "Choose at least one seat"},
		{"unknown", hall.ID, seatFields("A1", "Z99"), "does not exist"},
		{"empty name", hall.ID, seatFields(""), "does not exist"},
		{"lower case", hall.ID, seatFields("a1"), "does not exist"},
		{"stops the wrong way", trip.ID, ride("2", "1"), "stops"},
		{"the same stop", trip.ID, ride("1", "1"), "stops"},
		{"a stop too far", trip.ID, ride("0", "4"), "stops"},
		{"a negative stop", trip.ID, ride("-1", "2"), "stops"},
		{"no number", trip.ID, ride("a", "b"), "get on"},
		{"half a ride", trip.ID, ride("0", ""), "get on"},
		{"no boarding there", trip.ID, ride("1", "3"), "does not take passengers"},
		{"stops of a screening", hall.ID, url.Values{"seat": {"A1"}, "from": {"0"}, "to": {"2"}}, "stops"},
		{"sales closed", closed.ID, seatFields("A1"), "closed"},
	} {
		p := w.on(t).seats(c.event, c.form)
		if p.status != 422 || !strings.Contains(p.text(), c.words) {
			t.Errorf("%s: %d, wants 422 and %q: %s", c.name, p.status, c.words, p.text())
		}
	}
	for _, q := range []url.Values{{"quantity": {"11"}}, {"quantity": {"0"}}, {"quantity": {"-1"}}, {"quantity": {"many"}}, {}, {"quantity": {"2"}, "zone": {"9"}}, {"quantity": {"2"}, "zone": {"x"}}} {
		w.on(t).post(w.URL+eventPath(hall.ID)+"/best", q).want(422)
	}
	w.wantCount(t, 0, "holds")
	w.wantCount(t, 0, "event_seats WHERE state <> 'available'")
	w.on(t).seats(hall.ID, seatFields(append(hall.Seats[:10], hall.Seats[:10]...)...)).want(303) // ten, each sent twice
}

// H16, two tabs: each within the limit, together beyond it: one hold, of the last one's
// seats. And two tabs of two events when one hold is allowed.
func TestH16_TwoTabs(t *testing.T) {
	t.Parallel()
	var evs [3]dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		set(t, d, "seats_per_booking", "4")
		set(t, d, "live_holds_per_visitor", "2")
		for i := range evs {
			evs[i] = dbtest.Screening(t, d, 2, 8)
		}
	}, nil)
	b := w.on(t)
	b.choose(eventPath(evs[0].ID), "A1").want(303)
	tabs := [2][]string{{"A1", "A2", "A3", "A4"}, {"A5", "A6", "A7", "A8"}}
	atOnce(2, func(i int) {
		if p := b.post(w.URL+eventPath(evs[0].ID)+"/holds", seatFields(tabs[i]...)); p.status != 303 {
			t.Errorf("tab %d: %d %s", i, p.status, p.text())
		}
	})
	w.wantCount(t, 1, "holds WHERE state = 'active'")
	w.wantCount(t, 4, "event_seats WHERE state = 'held'")
	w.wantCount(t, 4, "hold_seats")

	answers := [2]*page{}
	atOnce(2, func(i int) { answers[i] = b.post(w.URL+eventPath(evs[1+i].ID)+"/holds", seatFields("A1")) })
	refused := 0
	for _, p := range answers {
		if p.status == 422 {
			refused++
			p.says("already holding seats for 2 other bookings")
			if !slices.Equal(p.ticked(), []string{"A1"}) {
				t.Errorf("ticked after the refusal: %v", p.ticked())
			}
		}
	}
	if refused != 1 {
		t.Errorf("%d and %d: one of two holds over the limit must be refused", answers[0].status, answers[1].status)
	}
	w.wantCount(t, 2, "holds WHERE state = 'active'")
	w.over(b.id()) // one runs out: there is room again
	for i := range 2 {
		b.post(w.URL+eventPath(evs[1+i].ID)+"/holds", seatFields("A2")).want(303)
	}
	w.clean()
}

// S3: A1 to A4 wanted, A3 is gone: says A3, keeps the others ticked, offers neighbours.
func TestS3_OneOfFourIsGone(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 8)
	fast, slow := w.on(t), w.on(t)
	seen := slow.get(w.URL + eventPath(ev.ID)).want(200)
	fast.choose(eventPath(ev.ID), "A3").want(303)
	p := slow.submit(seen, seen.form("/holds"), seatFields("A1", "A2", "A3", "A4"), "")
	p.refusal([]string{"A3"}, "A1", "A2", "A4").says("A3 was just taken", "Nothing is held and nothing was charged")
	w.wantCount(t, 1, "holds")
	four := p.offer(4)
	only := p.offer(3)
	if !slices.Equal(only, []string{"A1", "A2", "A4"}) {
		t.Errorf("the rest is offered as %v", only)
	}
	row := four[0][:1]
	for i, s := range four {
		n, _ := strconv.Atoi(s[1:])
		first, _ := strconv.Atoi(four[0][1:])
		if s[:1] != row || n != first+i {
			t.Errorf("instead of four together: %v", four)
		}
	}
	slow.seats(ev.ID, seatFields(four...)).want(303)
	slow.at("").want(200)
	w.clean()
}

// offer is what a button with n hidden seats sends.
func (p *page) offer(n int) []string {
	p.t.Helper()
	for _, f := range p.all("form", "action", "") {
		var seats []string
		for c := range f.Descendants() {
			name, _ := attribute(c, "name")
			kind, _ := attribute(c, "type")
			if v, _ := attribute(c, "value"); name == "seat" && kind == "hidden" {
				seats = append(seats, v)
			}
		}
		if len(seats) == n {
			return seats
		}
	}
	p.t.Fatalf("%s has no button for %d seats: %s", p.url, n, p.text())
	return nil
}

// H19: the four best are asked for and paid: the four on the tickets are the four shown.
// Also apart, and a wheelchair space with its companion.
func TestH19_BestSeats(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		ev = dbtest.Screening(t, d, 4, 8)
		if _, err := d.Pool().Exec(t.Context(), `UPDATE layout_cells SET kind = CASE seat_no WHEN 'D1' THEN 'wheelchair' ELSE 'companion' END
			WHERE layout_version_id = $1 AND seat_no IN ('D1', 'D2')`, ev.Layout.VersionID); err != nil {
			t.Fatal(err)
		}
	}, nil)
	best := func(b *buyer, fields url.Values) *page {
		p := b.get(w.URL + eventPath(ev.ID)).want(200)
		answer := b.submit(p, p.form("/best"), fields, "")
		if answer.status == 303 {
			b.hold = strings.TrimPrefix(answer.resolve(answer.location), w.URL)
		}
		return answer
	}
	pay := func(b *buyer, want int) []string {
		shown := dedupe(b.at("").want(200).values("data-seat"))
		if len(shown) != want {
			t.Errorf("shown: %v", shown)
		}
		b.paid(b.pay(b.details(nil)))
		w.wantTickets(t, b.id(), shown...)
		return shown
	}
	four := w.on(t)
	best(four, url.Values{"quantity": {"4"}}).want(303)
	together := pay(four, 4)
	if together[0][0] != together[3][0] {
		t.Errorf("four together are %v", together)
	}
	chair := w.on(t)
	best(chair, url.Values{"quantity": {"2"}, "accessible": {"1"}}).want(303)
	if got := pay(chair, 2); !slices.Equal(got, []string{"D1", "D2"}) {
		t.Errorf("a wheelchair space and its companion are %v", got)
	}
	best(w.on(t), url.Values{"quantity": {"2"}, "accessible": {"1"}}).want(409).says("wheelchair")

	blocker := w.on(t) // leaves no six side by side
	blocker.choose(eventPath(ev.ID), "A4", "C4", "D5").want(303)
	blocker.details(nil)
	apart := w.on(t)
	no := best(apart, url.Values{"quantity": {"6"}}).want(409).says("There are no 6 seats side by side")
	again := apart.submit(no, no.apart(), nil, "").want(303)
	apart.hold = strings.TrimPrefix(again.resolve(again.location), w.URL)
	pay(apart, 6)
	w.clean()
}

func (p *page) apart() *form {
	p.t.Helper()
	for _, n := range p.all("input", "name", "apart") {
		f := &form{method: "post", values: url.Values{}}
		for up := n.Parent; up != nil; up = up.Parent {
			if up.Data == "form" {
				f.action, _ = attribute(up, "action")
				for c := range up.Descendants() {
					f.add(c)
				}
				return f
			}
		}
	}
	p.t.Fatalf("no button for seats apart: %s", p.text())
	return nil
}

func dedupe(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// H20: held at 10.00, staff sets 12.00, the buyer changes the ticket type afterwards and
// pays: the old prices on screen, at Stripe, on the tickets and in the ledger.
func TestH20_PriceOfTheHold(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 2, 4)
	b := w.on(t)
	b.choose(eventPath(ev.ID), "A1", "A2").want(303)
	w.exec(`UPDATE fares SET price = price + 200`)
	hold := b.at("").want(200)
	if got := hold.values("data-price"); !slices.Equal(got, []string{"1000", "600", "1000", "600"}) {
		t.Errorf("prices to choose from: %v", got)
	}
	review := b.details(url.Values{"type.A2": {"child"}})
	if got := dedupe(review.says("10.00", "6.00", "16.00").values("data-amount")); !slices.Contains(got, "1600") || slices.Contains(got, "2000") {
		t.Errorf("amounts on the review page: %v", got)
	}
	stripe := b.pay(review)
	if s := w.session(t, b.id()); s.AmountTotal != 1600 || s.Currency != "eur" {
		t.Errorf("Stripe received %d %s", s.AmountTotal, s.Currency)
	}
	booked := b.paid(stripe)
	booked.says("10.00", "6.00")
	for _, p := range []*page{hold, review, stripe, booked} {
		if text := p.text(); strings.Contains(text, "12.00") || strings.Contains(text, "8.00") {
			t.Errorf("%s knows the new prices: %s", p.url, text)
		}
	}
	w.wantCount(t, 1, "tickets WHERE seat_no = 'A1' AND price = 1000 AND ticket_type = 'adult'")
	w.wantCount(t, 1, "tickets WHERE seat_no = 'A2' AND price = 600 AND ticket_type = 'child'")
	w.wantTaken(t, b.id(), 1600)
	w.wantCount(t, 1, "bookings WHERE total = 1600")
	if got := one[int64](w, `SELECT sum(amount)::bigint FROM ledger_entries WHERE kind = 'sale'`); got != 1600 {
		t.Errorf("the ledger sold for %d", got)
	}
	if tax := one[int64](w, `SELECT sum(tax)::bigint FROM tickets`); tax != domain.TaxIncluded(1600, 2200) {
		t.Errorf("tax of the tickets adds up to %d", tax)
	}
	next := w.on(t)
	next.choose(eventPath(ev.ID), "A3").want(303)
	if got := next.at("").values("data-price"); !slices.Equal(got, []string{"1200", "800"}) {
		t.Errorf("the next customer's prices: %v", got)
	}
	b.choose(eventPath(ev.ID), "A4").want(303) // a new order of the same visitor: new prices
	if got := one[int64](w, `SELECT total FROM holds WHERE id = $1`, b.id()); got != 1200 {
		t.Errorf("a new hold costs %d", got)
	}
	w.clean()
}

// T7: yen have no minor unit: what Stripe received is what the page said.
func TestT7_AmountsThatStripeReceived(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		currency  string
		price, at int64
	}{{"JPY", 1500, 1500}, {"EUR", 999, 999}, {"KWD", 1500, 1500}, {"ISK", 1500, 150000}, {"UGX", 20000, 2000000}} {
		t.Run(c.currency, func(t *testing.T) {
			t.Parallel()
			var ev dbtest.Event
			w := newWorld(t, func(d *db.DB) {
				ev = dbtest.Screening(t, d, 1, 2)
				for _, sql := range []string{`UPDATE tariffs SET currency = '` + c.currency + `'`, fmt.Sprintf(`UPDATE fares SET price = %d`, c.price)} {
					if _, err := d.Pool().Exec(t.Context(), sql); err != nil {
						t.Fatal(err)
					}
				}
			}, nil)
			b := w.on(t)
			b.buys(eventPath(ev.ID), "A1")
			if s := w.session(t, b.id()); s.AmountTotal != c.at || !strings.EqualFold(s.Currency, c.currency) {
				t.Errorf("Stripe received %d %s, want %d", s.AmountTotal, s.Currency, c.at)
			}
			w.wantCount(t, 1, "payments WHERE received = $1", c.price)
			w.clean()
		})
	}
}
