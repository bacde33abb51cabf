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
)

// H1: 1 seat left, two browsers at once, 50 rounds: one has it and pays, the other is
// told which seat it was and never charged.
func TestH1_OneSeatTwoBrowsers(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 5, 10)
	for _, seat := range ev.Seats {
		a, b := w.on(t), w.on(t)
		answers := [2]*page{}
		pair := [2]*buyer{a, b}
		atOnce(2, func(i int) { answers[i] = pair[i].seats(ev.ID, seatFields(seat)) })
		winner, loser := 0, 1
		if answers[1].status == 303 {
			winner, loser = 1, 0
		}
		answers[winner].want(303)
		answers[loser].refusal([]string{seat})
		pair[winner].paid(pair[winner].pay(pair[winner].details(nil)))
		w.wantTickets(t, pair[winner].id(), seat)
		if t.Failed() {
			t.Fatalf("seat %s: %d and %d", seat, answers[0].status, answers[1].status)
		}
	}
	w.wantCount(t, 50, "bookings")
	w.wantCount(t, 50, "holds")
	if n := len(w.Sim.Sessions()); n != 50 {
		t.Errorf("%d Stripe sessions for 50 buyers: a loser was sent to pay", n)
	}
	w.clean()
}

// H8 over HTTP: two sets that share one seat, 30 rounds: all of one set, nothing of the
// other, and the answer names the shared seat alone.
func TestH8_SharedSeatOverHTTP(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 6, 15) // 90 seats, three a round
	for round := range 30 {
		s := ev.Seats[3*round : 3*round+3]
		sets := [2][]string{{s[0], s[1]}, {s[1], s[2]}}
		pair := [2]*buyer{w.on(t), w.on(t)}
		answers := [2]*page{}
		atOnce(2, func(i int) { answers[i] = pair[i].seats(ev.ID, seatFields(sets[i]...)) })
		winner := 0
		if answers[1].status == 303 {
			winner = 1
		}
		answers[winner].want(303)
		kept := sets[1-winner][1-winner]
		answers[1-winner].refusal([]string{s[1]}, kept)
		w.wantCount(t, 2, "event_seats WHERE hold_id = $1", pair[winner].id())
		w.wantCount(t, 0, "event_seats WHERE seat_no = $1 AND state <> 'available'", kept)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	w.clean()
}

// X1 over HTTP: legs A-B-C-D, sold A→B and C→D: B→C sells, A→C is refused; and B→C
// against A→D at once, both ways around: one wins.
func TestX1_LegsOverHTTP(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Trip(t, d, 6, 3) }, nil)
	ride := func(from, to int, seat string) url.Values {
		return url.Values{"seat": {seat}, "from": {strconv.Itoa(from)}, "to": {strconv.Itoa(to)}}
	}
	path := func(from, to int) string { return fmt.Sprintf("%s?from=%d&to=%d", eventPath(ev.ID), from, to) }
	first, last, through := w.on(t), w.on(t), w.on(t)
	first.buys(path(0, 1), "1A")
	last.buys(path(2, 3), "1A")
	for _, c := range []struct {
		from, to int
		offered  bool
	}{{0, 1, false}, {0, 2, false}, {0, 3, false}, {1, 2, true}, {1, 3, false}, {2, 3, false}} {
		if got := slices.Contains(w.on(t).get(w.URL+path(c.from, c.to)).want(200).boxes(), "1A"); got != c.offered {
			t.Errorf("1A from %d to %d offered: %v, want %v", c.from, c.to, got, c.offered)
		}
		if !c.offered {
			w.on(t).seats(ev.ID, ride(c.from, c.to, "1A")).refusal([]string{"1A"})
		}
	}
	through.buys(path(1, 2), "1A")
	w.wantTickets(t, through.id(), "1A")
	w.wantCount(t, 3, "ticket_legs WHERE seat_no = '1A'")
	for round, seat := range ev.Seats[1:21] {
		pair := [2]*buyer{w.on(t), w.on(t)}
		answers := [2]*page{}
		atOnce(2, func(i int) {
			long := (i + round) % 2 // either way around
			answers[i] = pair[i].seats(ev.ID, ride(1-long, 2+long, seat))
		})
		if got := answers[0].status + answers[1].status; got != 303+409 {
			t.Fatalf("seat %s: %d and %d", seat, answers[0].status, answers[1].status)
		}
	}
	w.clean()
}

// A visitor who was refused a hold has no way to pay for it.
func TestH1_LoserHasNothing(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 1, 1)
	winner, loser := w.on(t), w.on(t)
	winner.choose(eventPath(ev.ID), "A1").want(303)
	loser.seats(ev.ID, seatFields("A1")).refusal([]string{"A1"}).says("Nothing is held and nothing was charged")
	for _, address := range []string{"", "/review", "/clock", "/return"} {
		loser.get(w.URL + winner.hold + address).want(404)
	}
	for _, address := range []string{"/details", "/pay", "/extend", "/release"} {
		loser.post(w.URL+winner.hold+address, url.Values{"name": {"x"}}).want(404)
	}
	if p := loser.get(w.URL + eventPath(ev.ID)).want(200); strings.Contains(strings.Join(p.boxes(), " "), "A1") {
		t.Error("the held seat is offered to somebody else")
	}
	winner.state("held")
}
