package main

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

// ruled is a world with one screening and settings.
func ruled(t *testing.T, rows, cols int, settings ...string) (*world, dbtest.Event) {
	t.Helper()
	var ev dbtest.Event
	return newWorld(t, func(d *db.DB) {
		ev = dbtest.Screening(t, d, rows, cols)
		for i := 0; i < len(settings); i += 2 {
			set(t, d, settings[i], settings[i+1])
		}
	}, nil), ev
}

// pressed sends the n-th button of the alert that offers seats, the first being 0.
func (b *buyer) pressed(p *page, n int) *page {
	b.t.Helper()
	for _, alert := range p.all("", "role", "alert") {
		for form := range alert.Descendants() {
			if form.Data != "form" {
				continue
			}
			if n--; n >= 0 {
				continue
			}
			action, _ := attribute(form, "action")
			fields := url.Values{}
			for c := range form.Descendants() {
				if name, _ := attribute(c, "name"); name != "" {
					v, _ := attribute(c, "value")
					fields.Add(name, v)
				}
			}
			answer := b.post(p.resolve(action), fields)
			if answer.status == 303 {
				b.hold = strings.TrimPrefix(answer.resolve(answer.location), b.w.URL)
			}
			return answer
		}
	}
	b.t.Fatalf("%s offers no such button: %s", p.url, p.text())
	return nil
}

func (b *buyer) holds(seats ...string) {
	b.t.Helper()
	if got := dedupe(b.at("").want(200).values("data-seat")); !slices.Equal(got, seats) {
		b.t.Errorf("%s holds %v, want %v", b.hold, got, seats)
	}
}

// S7: the rule of the single seat is checked on the server against other people's holds,
// names the seat and what to take instead, and gives way when no legal choice exists.
func TestS7_NoLonelySeat(t *testing.T) {
	t.Parallel()
	w, ev := ruled(t, 1, 8, "lonely_seat_rule", "on")
	b, other := w.on(t), w.on(t)
	p := b.seats(ev.ID, seatFields("A2")).want(422)
	p.says("That leaves A1 alone", "Hardly anybody buys a single seat", "Nothing is held", "nothing was charged", "Take instead:", "Or:")
	if !slices.Equal(p.ticked(), []string{"A2"}) {
		t.Errorf("ticked after the refusal: %v", p.ticked())
	}
	w.wantCount(t, 0, "holds")
	b.pressed(p, 1).want(303)
	b.holds("A3") // one press; A1 is offered first
	b.send("/release", nil).want(303)

	// Against what others hold: A4 is theirs, A3 would stand alone between them and us.
	other.seats(ev.ID, seatFields("A4")).want(303)
	p = b.seats(ev.ID, seatFields("A1", "A2")).want(422).says("That leaves A3 alone")
	b.pressed(p, 0).want(303)
	b.holds("A5", "A6")
	// What one holds may be sent again, and changed to what the rule allows, own seats counting as free.
	b.seats(ev.ID, seatFields("A5", "A6")).want(303)
	b.seats(ev.ID, seatFields("A6")).want(422).says("That leaves A5 alone")
	b.seats(ev.ID, seatFields("A5", "A6", "A7")).want(422).says("That leaves A8 alone")
	b.holds("A5", "A6")
	b.seats(ev.ID, seatFields("A5", "A6", "A7", "A8")).want(303)

	// Three are left, for two people: whatever they take leaves one. The rule gives way.
	third := w.on(t)
	third.seats(ev.ID, seatFields("A1", "A2")).want(303)
	last := w.on(t)
	last.seats(ev.ID, seatFields("A3")).want(303) // a single remaining seat is anybody's
	w.wantCount(t, 8, "event_seats WHERE state = 'held'")

	// Off: nobody is asked.
	w2, ev2 := cinema(t, 1, 8)
	w2.on(t).seats(ev2.ID, seatFields("A2")).want(303)
	w.clean()
}

// S7: what one holds may be sent again although others, by now, made a seat beside it one
// that stands alone.
func TestS7_TheSameSeatsAgain(t *testing.T) {
	t.Parallel()
	w, ev := ruled(t, 1, 8, "lonely_seat_rule", "on")
	b := w.on(t)
	b.seats(ev.ID, seatFields("A1")).want(303)
	w.exec(`UPDATE event_seats SET state = 'blocked' WHERE seat_no = 'A3'`)
	b.seats(ev.ID, seatFields("A1")).want(303)
	b.holds("A1")
	w.on(t).seats(ev.ID, seatFields("A5")).want(422).says("That leaves A4 alone")
}

// S7: the house's own choice minds the rule, and staff may decide otherwise knowingly.
func TestS7_BestAndStaff(t *testing.T) {
	t.Parallel()
	w, ev := ruled(t, 1, 6, "lonely_seat_rule", "on")
	first := w.on(t)
	first.seats(ev.ID, seatFields("A1", "A2")).want(303)
	for range 2 {
		b := w.on(t)
		answer := b.post(w.URL+eventPath(ev.ID)+"/best", url.Values{"quantity": {"2"}}).want(303)
		b.hold = strings.TrimPrefix(answer.resolve(answer.location), w.URL)
		got := dedupe(b.at("").values("data-seat"))
		if slices.Equal(got, []string{"A4", "A5"}) {
			t.Errorf("the best two are %v, which leaves two alone", got)
		}
	}
	w.wantCount(t, 6, "event_seats WHERE state = 'held'")
	w.exec(`UPDATE event_seats SET state = 'available', hold_id = NULL, held_until = NULL`)
	w.exec(`UPDATE holds SET state = 'released'`)
	s := w.service()
	o, err := s.Offer(t.Context(), ev.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rule *domain.RuleError
	if _, err := s.Choose(t.Context(), o, booking.Visitor{Holder: "web:a"}, []string{"A2"}); !errors.As(err, &rule) || rule.Code != "lonely_seat" {
		t.Errorf("a visitor: %v", err)
	}
	if _, err := s.Choose(t.Context(), o, booking.Visitor{Holder: "staff:1", Knowing: true}, []string{"A2"}); err != nil {
		t.Errorf("staff: %v", err)
	}
}

// On a trip the rule looks at the ride's own legs.
func TestS7_OverTheRidesLegs(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Trip(t, d, 2, 3); set(t, d, "lonely_seat_rule", "on") }, nil)
	early := w.on(t)
	early.seats(ev.ID, url.Values{"seat": {"1A"}, "from": {"0"}, "to": {"1"}}).want(303) // no pair is broken yet: gives way
	b := w.on(t)
	later := url.Values{"seat": {"2A"}, "from": {"1"}, "to": {"3"}}
	b.seats(ev.ID, later).want(303) // on these legs the coach is empty
	c := w.on(t)
	p := c.seats(ev.ID, url.Values{"seat": {"1C"}, "from": {"0"}, "to": {"3"}}).want(422).says("That leaves 1D alone")
	c.pressed(p, 0).want(303)
	if got := dedupe(c.at("").values("data-seat")); !slices.Equal(got, []string{"1B"}) && !slices.Equal(got, []string{"2B"}) {
		t.Errorf("beside somebody: %v", got)
	}
	w.clean()
}

// wheels makes the last row D1 a wheelchair space, D2 its companion seat.
func wheels(t *testing.T, d *db.DB, ev dbtest.Event, space, companion string) {
	t.Helper()
	_, err := d.Pool().Exec(t.Context(), `UPDATE layout_cells SET kind = CASE seat_no WHEN $2 THEN 'wheelchair' ELSE 'companion' END
		WHERE layout_version_id = $1 AND seat_no IN ($2, $3)`, ev.Layout.VersionID, space, companion)
	if err != nil {
		t.Fatal(err)
	}
}

// UX 11: a wheelchair space and its companion seat are booked online, together; the
// companion seat alone only when the house releases it.
func TestRules_CompanionSeat(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		ev = dbtest.Screening(t, d, 2, 6)
		wheels(t, d, ev, "B1", "B2")
		if _, err := d.Pool().Exec(t.Context(), `UPDATE events SET starts_at = now() + interval '30 hours', ends_at = now() + interval '32 hours'`); err != nil {
			t.Fatal(err)
		}
	}, nil)
	alone := w.on(t)
	p := alone.seats(ev.ID, seatFields("B2")).want(422).says("That goes with a wheelchair space", "Seat B2 is for the companion", "they are sold together", "Nothing is held")
	w.wantCount(t, 0, "holds")
	alone.pressed(p, 1).want(303) // another seat
	if got := dedupe(alone.at("").values("data-seat")); len(got) != 1 || got[0] == "B2" || got[0] == "B1" {
		t.Errorf("instead of the companion seat: %v", got)
	}
	alone.seats(ev.ID, seatFields("B2", "B3")).want(422)
	both := w.on(t)
	both.pressed(both.seats(ev.ID, seatFields("B2")), 0).want(303)
	both.holds("B1", "B2")
	both.seats(ev.ID, seatFields("B2")).want(422) // the space may not be let go alone
	both.paid(both.pay(both.details(nil))).says("B1", "B2")
	w.wantTickets(t, both.id(), "B1", "B2")

	w.exec(`UPDATE event_seats SET state = 'available', booking_id = NULL WHERE seat_no = 'B2' AND $1 > 0`, ev.ID)
	w.exec(`DELETE FROM ticket_legs WHERE seat_no = 'B2'`)
	w.exec(`UPDATE tickets SET state = 'cancelled', cancelled_at = now() WHERE seat_no = 'B2'`)
	one := w.on(t).seats(ev.ID, seatFields("B2")).want(422) // the space is sold: only others are offered
	if strings.Contains(one.text(), "B1 and B2") {
		t.Errorf("a sold space is offered: %s", one.text())
	}
	w.exec(`UPDATE events SET starts_at = now() + interval '23 hours', ends_at = now() + interval '25 hours'`)
	w.on(t).seats(ev.ID, seatFields("B2")).want(303) // released a day before
}

// ladiesTrip is a coach whose seat 1B is marked for women.
func ladiesTrip(t *testing.T, rule string) (*world, dbtest.Event) {
	t.Helper()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		ev = dbtest.Trip(t, d, 3, 3)
		if _, err := d.Pool().Exec(t.Context(), `UPDATE layout_cells SET ladies = true WHERE layout_version_id = $1 AND seat_no = '1B'`, ev.Layout.VersionID); err != nil {
			t.Fatal(err)
		}
		if rule != "" {
			set(t, d, "ladies_rule", rule)
		}
	}, nil)
	return w, ev
}

// forWomen are the seats that a seat page shows as kept for women.
func (p *page) forWomen() (out []string) {
	for _, n := range p.all("label", "class", "") {
		if class, _ := attribute(n, "class"); slices.Contains(strings.Fields(class), "ladies") {
			id, _ := attribute(n, "id")
			out = append(out, strings.TrimPrefix(id, "s-"))
		}
	}
	return out
}

// A seat that the plan marks for women: shown, asked about where the details are given,
// refused in words without, never chosen by the house, and nothing of it printed.
func TestRules_LadiesSeat(t *testing.T) {
	t.Parallel()
	w, ev := ladiesTrip(t, "seats")
	b := w.on(t)
	if got := b.get(w.URL + eventPath(ev.ID)).want(200).forWomen(); !slices.Equal(got, []string{"1B"}) {
		t.Errorf("for women: %v", got)
	}
	b.choose(eventPath(ev.ID), "1B", "2A").want(303)
	hold := b.at("").want(200).says("A woman travels here", "not printed")
	if n := len(hold.all("input", "name", "woman.2A")); n != 0 {
		t.Error("asked about an ordinary seat")
	}
	form := url.Values{"name": {"Ruwan"}, "email": {"r@example.com"}, "passenger.1B": {"Ruwan Silva"}, "passenger.2A": {"Kamal"}}
	b.submit(hold, hold.form("/details"), form, "").want(422).says("1B is kept for women", "or change your seats", "Your seats are still held")
	b.at("/review").want(303) // not without
	form.Set("woman.1B", "1")
	form.Set("woman.2A", "1") // nobody asked: not kept
	b.follow(b.submit(hold, hold.form("/details"), form, "").want(303)).says("for women")
	w.wantCount(t, 1, "hold_seats WHERE woman")
	back := b.at("").want(200)
	if len(back.all("input", "checked", "")) != 1 {
		t.Error("what was said is not there on coming back")
	}
	booked := b.paid(b.pay(b.at("/review")))
	if strings.Contains(strings.ToLower(booked.text()), "wom") {
		t.Errorf("the ticket tells: %s", booked.text())
	}
	w.wantCount(t, 0, "tickets WHERE women_beside") // two travel
	for range 3 {
		x := w.on(t)
		answer := x.post(w.URL+eventPath(ev.ID)+"/best", url.Values{"quantity": {"2"}}).want(303)
		x.hold = strings.TrimPrefix(answer.resolve(answer.location), w.URL)
		if slices.Contains(x.at("").values("data-seat"), "1B") {
			t.Error("the house chose a seat for women")
		}
	}
	w.clean()
}

// A woman travelling alone asks that the seat beside her be kept: from then on only a
// woman may take it, on the legs of her trip, and the map does not tell who asked.
func TestRules_SeatBesideAWomanAlone(t *testing.T) {
	t.Parallel()
	w, ev := ladiesTrip(t, "seats_and_neighbours")
	at := func(from, to string, seats ...string) url.Values {
		return url.Values{"seat": seats, "from": {from}, "to": {to}}
	}
	page := func(from, to string) *page {
		return w.on(t).get(w.URL + eventPath(ev.ID) + "?from=" + from + "&to=" + to).want(200)
	}
	early := w.on(t) // holds the neighbour before she books
	early.seats(ev.ID, at("0", "2", "3D")).want(303)
	her := w.on(t)
	her.seats(ev.ID, at("0", "2", "3C")).want(303)
	her.at("").says("I am a woman travelling alone", "As you like", "Nobody sees who asked")
	her.paid(her.pay(her.details(url.Values{"woman.3C": {"1"}})))
	w.wantCount(t, 1, "tickets WHERE women_beside AND seat_no = '3C'")
	if got := page("0", "2").forWomen(); !slices.Equal(got, []string{"1B"}) { // 3D is held
		t.Errorf("for women while the neighbour is held: %v", got)
	}
	early.at("").says("A woman travels here")
	early.send("/details", url.Values{"name": {"Ruwan"}, "email": {"r@example.com"}, "passenger.3D": {"Ruwan"}}).want(422).says("3D is kept for women")
	early.send("/release", nil).want(303)
	if got := page("1", "3").forWomen(); !slices.Equal(got, []string{"1B", "3D"}) {
		t.Errorf("for women on a leg of hers: %v", got)
	}
	if got := page("2", "3").forWomen(); !slices.Equal(got, []string{"1B"}) {
		t.Errorf("for women after she got off: %v", got)
	}
	man := w.on(t)
	man.seats(ev.ID, at("2", "3", "3D")).want(303)
	man.details(nil)

	other := w.on(t) // who does not ask keeps nothing
	other.seats(ev.ID, at("0", "3", "2A")).want(303)
	other.paid(other.pay(other.details(nil)))
	w.wantCount(t, 1, "tickets WHERE women_beside")
	two := w.on(t)
	two.seats(ev.ID, at("0", "3", "2C", "2D")).want(303)
	if strings.Contains(two.at("").text(), "travelling alone") {
		t.Error("two travellers are asked whether one is alone")
	}
	w.exec(`UPDATE tickets SET state = 'cancelled', cancelled_at = now() WHERE women_beside`)
	w.exec(`DELETE FROM ticket_legs WHERE seat_no = '3C'`)
	if got := page("0", "2").forWomen(); !slices.Equal(got, []string{"1B"}) {
		t.Errorf("for women after she cancelled: %v", got)
	}
}

// The rule is off unless the house wants it: nothing is shown and nothing asked.
func TestRules_LadiesOff(t *testing.T) {
	t.Parallel()
	w, ev := ladiesTrip(t, "")
	b := w.on(t)
	if got := b.get(w.URL + eventPath(ev.ID)).forWomen(); len(got) > 0 {
		t.Errorf("for women: %v", got)
	}
	b.choose(eventPath(ev.ID), "1B").want(303)
	if strings.Contains(strings.ToLower(b.at("").text()), "woman") {
		t.Error("asked although the rule is off")
	}
	b.paid(b.pay(b.details(url.Values{"woman.1B": {"1"}})))
	w.wantCount(t, 0, "hold_seats WHERE woman")
	w.wantCount(t, 0, "tickets WHERE women_beside")
	w.clean()
}
