package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// H7: the house is full, staff rename a passenger: it works, the seat is as it was, the
// log has a line.
func TestH7_RenameInAFullHouse(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Trip(t, d, 2, 2); hire(t, d) }, nil)
	b := w.on(t)
	b.buys(eventPath(ev.ID), ev.Seats...)
	w.exec(`UPDATE events SET starts_at = now() - interval '5 minutes' WHERE id = $1`, ev.ID)
	w.exec(`UPDATE event_stops SET departs_at = departs_at - interval '25 hours', arrives_at = arrives_at - interval '25 hours' WHERE event_id = $1`, ev.ID)
	id, ticket := w.bookingOf(b), w.ticketOn(ev.ID, "1C")
	before := one[string](w, `SELECT (to_jsonb(t) - 'passenger')::text FROM tickets t WHERE id = $1`, ticket)
	legs := one[string](w, `SELECT jsonb_agg(to_jsonb(l) ORDER BY leg)::text FROM ticket_legs l WHERE ticket_id = $1`, ticket)

	staff := w.as(t, "cashier")
	staff.get(w.file(id)).want(200).says("Passenger 1C", "Town 0")
	done := staff.post(w.file(id)+"/passenger", url.Values{"ticket": {ticket}, "passenger": {" Asha\n Perera "}}).want(303)
	staff.follow(done).want(200).says("The name is changed", "Asha Perera", "Passenger 1C became Asha Perera", "Cashier Person")
	if got := one[string](w, `SELECT (to_jsonb(t) - 'passenger')::text FROM tickets t WHERE id = $1`, ticket); got != before {
		t.Errorf("more than the name changed: %s, was %s", got, before)
	}
	if got := one[string](w, `SELECT jsonb_agg(to_jsonb(l) ORDER BY leg)::text FROM ticket_legs l WHERE ticket_id = $1`, ticket); got != legs {
		t.Errorf("the seat changed: %s, was %s", got, legs)
	}
	staff.post(w.file(id)+"/passenger", url.Values{"ticket": {ticket}, "passenger": {"Asha Perera"}}).want(303) // the same again
	w.wantCount(t, 1, `audit_log WHERE action = 'rename passenger' AND subject = $1 AND actor LIKE 'staff:%' AND address = '127.0.0.1'
		AND before->>'passenger' = 'Passenger 1C' AND after->>'passenger' = 'Asha Perera' AND after->>'seat' = '1C'`, "booking:"+itoa(id))
	w.wantCount(t, 1, "audit_log WHERE action = 'rename passenger'")
	staff.post(w.file(id)+"/passenger", url.Values{"ticket": {ticket}, "passenger": {"  "}}).want(422).says("name of the passenger")
	staff.post(w.file(id)+"/passenger", url.Values{"ticket": {"999"}, "passenger": {"X"}}).want(404)
	staff.post(w.file(id)+"/passenger", url.Values{"ticket": {"x"}, "passenger": {"X"}}).want(400)
	if p := b.follow(b.at("")); !strings.Contains(p.text(), "Asha Perera") {
		t.Error("the customer's page has the old name")
	}
	w.clean()
}

// H17: ended holds stand in a list with contact and seats; reviving takes the seats if
// they are free, else it says which are gone.
func TestH17_ReviveEndedHold(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	path := eventPath(ev.ID)
	hold := func(seats ...string) *buyer {
		b := w.on(t)
		b.choose(path, seats...).want(303)
		b.details(url.Values{"phone": {"077 555 0119"}})
		w.over(b.id())
		return b
	}
	staff := w.as(t, "cashier")
	staff.get(w.URL + "/staff/holds").want(200).says("Nothing here")
	free, part := hold("A1", "A2"), hold("B1", "B2", "B3")
	w.on(t).buys(path, "B2")
	p := staff.get(w.URL+"/staff/holds").want(200).says("Nimali Fernando", "077 555 0119", "nimali@example.com", "Salt Road")
	if got := p.values("data-hold"); len(got) != 2 {
		t.Fatalf("holds listed: %v", got)
	}
	if got := p.values("data-seat"); !slices.Equal(got, []string{"B1", "B2", "B3", "A1", "A2"}) {
		t.Errorf("seats listed: %v", got)
	}

	gone := staff.submit(p, p.form("/holds/"+part.id()+"/revive"), nil, "").want(409).says("B2 is gone", "Still free: B1 and B3", "Nothing was changed")
	if got := gone.lost(); !slices.Equal(got, []string{"B2"}) {
		t.Errorf("named as gone: %v", got)
	}
	w.wantCount(t, 0, "event_seats WHERE state = 'held' AND held_until > now()")
	part.state("ended")

	done := staff.submit(p, p.form("/holds/"+free.id()+"/revive"), nil, "").want(303)
	staff.follow(done).want(200).says("Held again until")
	free.state("held")
	w.wantCount(t, 2, "event_seats WHERE hold_id = $1 AND state = 'held' AND held_until > now() + interval '9 minutes'", free.id())
	w.wantCount(t, 1, "audit_log WHERE action = 'revive hold' AND actor LIKE 'staff:%'")
	if left := free.clock().SecondsLeft; left < 590 || left > 600 {
		t.Errorf("%d seconds left, want a full window", left)
	}
	staff.submit(p, p.form("/holds/"+free.id()+"/revive"), nil, "").want(409).says("cannot be revived")
	free.paid(free.pay(free.at("/review"))).says("You are booked")
	w.wantTickets(t, free.id(), "A1", "A2")
	staff.post(w.URL+"/staff/holds/no-such-hold/revive", nil).want(404)

	again := hold("C1") // the customer has the same seats in another hold meanwhile
	old := again.id()
	w.exec(`UPDATE event_seats SET state = 'available', hold_id = NULL, held_until = NULL WHERE hold_id = $1`, old)
	w.exec(`UPDATE holds SET state = 'released' WHERE id = $1`, old)
	again.choose(path, "C1").want(303)
	if again.id() == old {
		t.Fatal("the old hold came back by itself")
	}
	staff.post(w.URL+"/staff/holds/"+old+"/revive", nil).want(409).says("newer hold")

	closed := hold("D1")
	w.exec(`UPDATE events SET starts_at = now() + interval '1 minute' WHERE id = $1`, ev.ID)
	staff.post(w.URL+"/staff/holds/"+closed.id()+"/revive", nil).want(422).says("closed")
	w.clean()
}
