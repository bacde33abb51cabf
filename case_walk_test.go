package main

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/stripesim"
)

// H12: no seat state without a live hold or a booking, whatever people do: several
// browsers choose, change, release, extend, pay, run out of time and come back, all at
// once. Checked after every round and by the audit.
func TestH12_RandomWalk(t *testing.T) {
	t.Parallel()
	var hall, trip dbtest.Event
	w := newWorld(t, func(d *db.DB) { hall, trip = dbtest.Screening(t, d, 2, 5), dbtest.Trip(t, d, 2, 3) }, nil)
	seed := rand.Uint64()
	walkers := make([]*walker, 4)
	for i := range walkers {
		walkers[i] = &walker{buyer: w.on(t), rng: rand.New(rand.NewPCG(seed, uint64(i))), hall: hall, trip: trip}
	}
	for round := range 12 {
		atOnce(len(walkers), func(i int) {
			for range 4 {
				walkers[i].step()
			}
		})
		strays := one[int](w, `SELECT count(*)::int FROM event_seats s
			 WHERE s.state = 'held' AND NOT EXISTS (SELECT 1 FROM holds h JOIN hold_seats x ON x.hold_id = h.id AND x.event_id = h.event_id AND x.seat_no = s.seat_no
			                                         WHERE h.id = s.hold_id AND h.state = 'active' AND h.event_id = s.event_id AND s.leg BETWEEN h.from_stop + 1 AND h.to_stop)
			    OR s.state = 'booked' AND NOT EXISTS (SELECT 1 FROM bookings b JOIN tickets t ON t.booking_id = b.id AND t.state = 'valid' AND t.seat_no = s.seat_no
			                                           WHERE b.id = s.booking_id AND b.event_id = s.event_id AND s.leg BETWEEN t.from_stop + 1 AND t.to_stop)
			    OR s.state = 'available' AND EXISTS (SELECT 1 FROM ticket_legs l WHERE l.event_id = s.event_id AND l.seat_no = s.seat_no AND l.leg = s.leg)`)
		if strays > 0 {
			t.Fatalf("round %d, seed %d: %d seats without a live hold or booking", round, seed, strays)
		}
		if w.clean(); t.Failed() {
			t.Fatalf("round %d, seed %d", round, seed)
		}
	}
	w.settled()
	done := map[string]int{}
	for _, x := range walkers {
		for k, n := range x.did {
			done[k] += n
		}
	}
	t.Logf("seed %d: %v", seed, done)
	for _, s := range w.Sim.Sessions() { // nobody paid for nothing
		if s.PaymentStatus == "paid" {
			w.eventually("a paid session has an end", `SELECT EXISTS (SELECT 1 FROM payments WHERE stripe_session_id = $1 AND (outcome = 'booked' OR state = 'closed'))`, s.ID)
		}
	}
	w.clean()
}

type walker struct {
	*buyer
	rng        *rand.Rand
	hall, trip dbtest.Event
	did        map[string]int
}

// step does one thing a person could do; every answer but a 5xx is fine.
func (x *walker) step() {
	if x.did == nil {
		x.did = map[string]int{}
	}
	acts := []struct {
		name string
		do   func() *page
	}{
		{"choose", x.chooseSome}, {"choose", x.chooseSome}, {"best", x.best}, {"details", x.fill}, {"pay", x.payNow}, {"pay", x.payNow},
		{"return", func() *page { return x.at("/return") }}, {"extend", func() *page { return x.send("/extend", nil) }},
		{"release", func() *page { return x.send("/release", nil) }}, {"look", func() *page { return x.at("") }}, {"run out", x.runOut},
	}
	act := acts[x.rng.IntN(len(acts))]
	if x.hold == "" {
		act = acts[0]
	}
	p := act.do()
	if p.status >= 500 {
		x.t.Errorf("%s: %d %s", act.name, p.status, p.text())
	}
	x.did[act.name+" "+strconv.Itoa(p.status)]++
}

func (x *walker) chooseSome() *page {
	ev, form := x.hall, url.Values{}
	if x.rng.IntN(2) == 0 {
		from := x.rng.IntN(3)
		ev = x.trip
		form.Set("from", strconv.Itoa(from))
		form.Set("to", strconv.Itoa(from+1+x.rng.IntN(3-from)))
	}
	for _, i := range x.rng.Perm(len(ev.Seats))[:1+x.rng.IntN(3)] {
		form.Add("seat", ev.Seats[i])
	}
	return x.seats(ev.ID, form)
}

func (x *walker) best() *page {
	p := x.post(x.w.URL+eventPath(x.hall.ID)+"/best", url.Values{"quantity": {strconv.Itoa(1 + x.rng.IntN(3))}, "apart": {"1"}})
	if p.status == 303 && p.location[:7] == "/holds/" {
		x.hold = p.location
	}
	return p
}

func (x *walker) fill() *page {
	form := url.Values{"name": {"W"}, "email": {"w@example.com"}}
	for _, s := range slices.Concat(x.hall.Seats, x.trip.Seats) {
		form.Set("passenger."+s, "P")
		form.Set("type."+s, []string{"adult", "child"}[x.rng.IntN(2)])
	}
	return x.send("/details", form)
}

func (x *walker) payNow() *page {
	x.fill()
	p := x.send("/pay", nil)
	if id, ok := sessionIn(p.location); ok {
		switch x.rng.IntN(3) {
		case 0:
			_ = x.w.Sim.Pay(id) // too late is fine
		case 1:
			_ = x.w.Sim.Expire(id)
		}
	}
	return p
}

func sessionIn(location string) (string, bool) {
	const at = "/pay/cs_"
	for i := 0; i+len(at) < len(location); i++ {
		if location[i:i+len(at)] == at {
			return location[i+5:], true
		}
	}
	return "", false
}

// runOut ends the countdown, and the seats' time as well when nobody can be paying.
func (x *walker) runOut() *page {
	x.w.late(x.id(), 200)
	x.w.exec(`UPDATE event_seats SET held_until = now() - interval '1 second'
		WHERE hold_id = $1 AND NOT EXISTS (SELECT 1 FROM payments WHERE hold_id = $1 AND state IN ('creating', 'open'))`, x.id())
	return x.at("/clock")
}

// H12 against a Stripe that fails in every way now and then.
func TestH12_RandomWalkWithFaults(t *testing.T) {
	t.Parallel()
	var hall, trip dbtest.Event
	w := newWorld(t, func(d *db.DB) { hall, trip = dbtest.Screening(t, d, 1, 4), dbtest.Trip(t, d, 1, 3) }, nil)
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 99))
	kinds := []stripesim.Kind{stripesim.FailBefore, stripesim.FailAfter, stripesim.DropBefore, stripesim.DropAfter, stripesim.RateLimit, stripesim.WebhookLost, stripesim.WebhookCopies}
	walkers := make([]*walker, 3)
	for i := range walkers {
		walkers[i] = &walker{buyer: w.on(t), rng: rand.New(rand.NewPCG(seed, uint64(i))), hall: hall, trip: trip}
	}
	for range 8 {
		w.Sim.SetFaults(stripesim.Faults{{Kind: kinds[rng.IntN(len(kinds))], Times: 1 + rng.IntN(5), Copies: 5}, {Kind: kinds[rng.IntN(len(kinds))], Times: 1, Copies: 2}})
		atOnce(len(walkers), func(i int) {
			for range 3 {
				walkers[i].stepOrDown()
			}
		})
		if w.clean(); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	w.Sim.SetFaults(nil)
	w.exec(`UPDATE payments SET created_at = now() - interval '3 minutes' WHERE state IN ('creating', 'open')`)
	w.exec(`UPDATE holds SET expires_at = now() - interval '1 minute' WHERE state = 'active'`)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.leaderless()
	w.start()
	w.eventually("the sweep ended every payment", `SELECT NOT EXISTS (SELECT 1 FROM payments WHERE state NOT IN ('applied', 'closed'))`)
	var kept, sold int64
	for _, s := range w.Sim.Sessions() {
		if s.PaymentIntent != "" {
			took, back := w.Sim.Paid(s.PaymentIntent)
			kept += took - back
		}
	}
	if sold = one[int64](w, `SELECT coalesce(sum(price), 0)::bigint FROM tickets WHERE state = 'valid'`); sold != kept {
		t.Errorf("seed %d: Stripe keeps %d for tickets of %d", seed, kept, sold)
	}
	w.clean()
}

// stepOrDown is step where 503 is an honest answer.
func (x *walker) stepOrDown() {
	switch x.rng.IntN(4) {
	case 0:
		x.chooseSome()
	case 1:
		if x.hold != "" {
			x.runOut()
		}
	default:
		if x.hold == "" {
			x.chooseSome()
			return
		}
		if p := x.payNow(); p.status >= 500 && p.status != 503 {
			x.t.Errorf("pay: %d %s", p.status, p.text())
		}
	}
}
