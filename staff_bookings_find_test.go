package main

import (
	"net/url"
	"slices"
	"testing"
)

// A seat with its day, a phone's last digits, both with a name, and what is refused.
func TestStaffBookingsBySeatAndPhone(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.exec(`UPDATE events SET business_day = '2031-07-04'`)
	w.exec(`UPDATE event_seats SET seat_no = 'BALC-C1' WHERE seat_no = 'C1'`)
	var ids []int64
	for i, x := range [][2]string{{"Nimali Fernando", "+94 77 555-0119"}, {"Ruwan Perera", "077 555 0120"}} {
		b := w.on(t)
		b.choose(eventPath(ev.ID), ev.Seats[i]).want(303)
		b.paid(b.pay(b.details(url.Values{"name": {x[0]}, "email": {"p@example.com"}, "phone": {x[1]}})))
		ids = append(ids, w.bookingOf(b))
	}
	w.exec(`UPDATE tickets SET seat_no = 'BALC-C1' WHERE booking_id = $1`, ids[1])
	w.exec(`UPDATE ticket_legs SET seat_no = 'BALC-C1' WHERE ticket_id = (SELECT id FROM tickets WHERE booking_id = $1)`, ids[1])
	staff := w.as(t, "cashier")
	for name, x := range map[string]struct {
		q    url.Values
		want []int64
	}{
		"the end of a phone":    {url.Values{"q": {"0119"}}, ids[:1]},
		"with the country":      {url.Values{"q": {"0094 77 555 0119"}}, ids[:1]},
		"at home":               {url.Values{"q": {"077/5550119"}}, ids[:1]},
		"not the end":           {url.Values{"q": {"5559"}}, nil},
		"seat and day":          {url.Values{"seat": {" a1 "}, "day": {"2031-07-04"}}, ids[:1]},
		"a seat of a section":   {url.Values{"seat": {"c 1"}, "day": {"2031-07-04"}}, ids[1:]},
		"its whole name":        {url.Values{"seat": {"BALC-C1"}, "event": {itoa(ev.ID)}}, ids[1:]},
		"another day":           {url.Values{"seat": {"A1"}, "day": {"2031-07-05"}}, nil},
		"no such seat":          {url.Values{"seat": {"%"}, "day": {"2031-07-04"}}, nil},
		"a whole day":           {url.Values{"day": {"2031-07-04"}}, []int64{ids[1], ids[0]}},
		"the day and a name":    {url.Values{"day": {"2031-07-04"}, "q": {"perera"}}, ids[1:]},
		"the day and a phone":   {url.Values{"day": {"2031-07-04"}, "q": {"0120"}}, ids[1:]},
		"the event and no name": {url.Values{"event": {itoa(ev.ID)}, "q": {"nobody"}}, nil},
	} {
		var got []int64
		for _, id := range staff.get(w.URL + "/staff/bookings?" + x.q.Encode()).want(200).values("data-booking") {
			got = append(got, one[int64](w, `SELECT $1::bigint`, id))
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
	}
	p := staff.get(w.URL + "/staff/bookings?seat=A1&q=kept").want(422).says("Please give the day too")
	if f := p.form("/staff/bookings"); f.values.Get("seat") != "A1" || f.values.Get("q") != "kept" {
		t.Errorf("what was typed is gone: %v", f.values)
	}
	staff.get(w.URL + "/staff/bookings?day=soon").want(422).says("Please write the day like")
}
