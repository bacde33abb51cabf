package main

import (
	"net/url"
	"slices"
	"testing"
)

// B3: one of four seats is taken off a phone hold that nobody paid: it is free at once,
// the total is worked out anew, and the hold keeps its name, phone and the other seats.
func TestB3_OneSeatOffAnUnpaidHold(t *testing.T) {
	t.Parallel()
	w, ev := counterHouse(t)
	b := w.as(t, "cashier")
	p, f := b.offers(w, "n.adult=4")
	seats := slices.Sorted(slices.Values(ticked(f)))
	b.submit(p, f, url.Values{"label": {"caller"}, "phone": {"077 555 0119"}, "until": {"phone"}}, "act=hold").want(303)
	id := one[string](w, `SELECT id::text FROM holds`)
	w.wantCount(t, 4, "event_seats WHERE event_id = $1 AND state = 'held'", ev.ID)
	w.wantCount(t, 1, "holds WHERE total = 4000")

	p = b.get(w.URL + "/staff/sell").want(200)
	links := p.all("a", "href", "/staff/sell?hold="+id)
	if len(links) != 1 {
		t.Fatalf("the list of holds leads to it %d times", len(links))
	}
	p = b.get(w.URL + "/staff/sell?hold=" + id).want(200)
	f = p.sellForm()
	drop := url.Values{"seat": seats[:3], "n.adult": {"3"}}
	p = b.submit(p, f, drop, "act=look").want(200).says("EUR 30.00")
	f = p.sellForm()
	if got := slices.Sorted(slices.Values(ticked(f))); !slices.Equal(got, seats[:3]) || f.values.Get("hold") != id || f.values.Get("quoted") != "3000" {
		t.Fatalf("goes on with %v", f.values)
	}
	w.wantCount(t, 4, "event_seats WHERE event_id = $1 AND state = 'held'", ev.ID) // a look changes nothing
	for range 2 {                                                                  // pressed twice
		b.submit(p, f, url.Values{"label": {"caller"}, "until": {"phone"}}, "act=hold").want(303)
	}
	w.wantCount(t, 3, "event_seats WHERE event_id = $1 AND state = 'held'", ev.ID)
	w.wantCount(t, 1, "holds WHERE state = 'active'")
	w.wantCount(t, 1, "holds WHERE id = $1 AND total = 3000 AND label = 'caller' AND phone = '077 555 0119'", id)
	w.wantCount(t, 1, "audit_log WHERE action = 'counter_hold' AND subject = $1 AND (after->'seats')::text NOT LIKE '%' || $2 || '%'", "hold:"+id, seats[3])

	// The web sells the seat at once; the rest of the hold is sold for the new total.
	w.on(t).choose(eventPath(ev.ID), seats[3]).want(303)
	p = b.get(w.URL + "/staff/sell?hold=" + id).want(200)
	b.sells(p, p.sellForm(), nil, "cash").says("Sold", "EUR 30.00")
	w.wantCount(t, 1, "bookings WHERE total = 3000")
	w.wantCount(t, 3, "tickets WHERE state = 'valid'")
	w.clean()
}
