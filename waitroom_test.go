package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// room gives an event a waiting room that hands out now, so many turns at a time and as
// fast as it may; the program knows of it when this returns.
func (w *world) room(event int64, most int) {
	w.t.Helper()
	w.exec(`INSERT INTO waitrooms (event_id, cause, begins_at, opens_at, max_active, per_second, turn_seconds, per_address)
	        VALUES ($1, 'staff', now(), now(), $2, 1000, 600, 20)`, event, most)
	w.known(event, "handed out in turn")
}

// known waits until the program, which looks each second, shows what it knows of a room.
func (w *world) known(event int64, words string) {
	w.t.Helper()
	w.eventuallySim("the program knows of the room", func() bool {
		return strings.Contains(w.browser().get(w.URL+eventPath(event)).text(), words)
	})
}

// joins gets a place by the page's form.
func (b *buyer) joins(event int64) *page {
	b.t.Helper()
	p := b.get(b.w.URL + eventPath(event) + "/wait").want(200)
	return b.follow(b.submit(p, p.form("/wait"), nil, "").want(303)).want(200)
}

// sees loads the line's page until it says something: others hand out beside us.
func (b *buyer) sees(event int64, words string) *page {
	b.t.Helper()
	var p *page
	b.w.eventuallySim("the line says "+words, func() bool {
		p = b.get(b.w.URL + eventPath(event) + "/wait")
		return strings.Contains(p.text(), words)
	})
	return p
}

// waits checks that a choice of seats leads to the line.
func (b *buyer) waits(event int64, seats ...string) {
	b.t.Helper()
	if p := b.seats(event, seatFields(seats...)).want(303); p.location != eventPath(event)+"/wait" {
		b.t.Errorf("a choice without a turn leads to %q", p.location)
	}
}

// Join, wait, have a turn, hold, pay; and the slot goes to the next one. All by a client
// without scripts.
func TestWaitroom_JoinTurnHoldBooking(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 6)
	w.room(ev.ID, 1)
	first, second := w.on(t), w.on(t)
	first.waits(ev.ID, "A1")
	best := first.post(w.URL+eventPath(ev.ID)+"/best", url.Values{"quantity": {"1"}}).want(303)
	if best.location != eventPath(ev.ID)+"/wait" {
		t.Errorf("the best seats without a turn lead to %q", best.location)
	}
	w.wantCount(t, 0, "holds")

	first.joins(ev.ID)
	turn := first.sees(ev.ID, "It is your turn").says("Choose your seats until")
	second.joins(ev.ID).says("In line now")
	second.sees(ev.ID, "You are next")
	second.waits(ev.ID, "A2")

	link := ""
	for _, a := range turn.values("href") {
		if strings.HasPrefix(a, eventPath(ev.ID)) {
			link = a
		}
	}
	if link != eventPath(ev.ID)+"?turn=1" {
		t.Errorf("the turn leads to %q", link)
	}
	first.get(w.URL + link).want(200).says("It is your turn")
	first.choose(link, "A1").want(303)
	second.waits(ev.ID, "A2") // a hold is not a booking

	stripe := first.pay(first.details(nil))
	first.paid(stripe)
	first.sees(ev.ID, "You have booked")
	second.sees(ev.ID, "It is your turn")
	second.choose(eventPath(ev.ID), "A2").want(303)
	w.wantCount(t, 1, "waitroom_entries WHERE state = 'done'")
	w.clean()
}

// One turn serves one visitor, whoever knows its cookie; who holds seats changes them
// without a turn.
func TestWaitroom_OneTurnOneVisitor(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 6)
	before := w.on(t)
	before.choose(eventPath(ev.ID), "C1").want(303)
	w.room(ev.ID, 5)
	b := w.on(t)
	b.joins(ev.ID)
	b.sees(ev.ID, "It is your turn")
	place := b.cookie("holdfast_wait")
	b.seats(ev.ID, seatFields("C1")).want(409) // a choice that fails does not use the turn up
	b.choose(eventPath(ev.ID), "A1").want(303)

	friend := w.on(t)
	p := friend.ask("POST", w.URL+eventPath(ev.ID)+"/holds", "seat=A2", map[string]string{"Content-Type": formType, "Cookie": "holdfast_wait=" + place})
	if p.want(303).location != eventPath(ev.ID)+"/wait" {
		t.Errorf("with another's place a stranger gets to %q", p.location)
	}
	w.exec(`UPDATE waitroom_entries SET expires_at = now() - interval '1 second'`)
	b.choose(eventPath(ev.ID), "A1", "A2").want(303)      // its own hold, changed after the turn
	before.choose(eventPath(ev.ID), "C1", "C2").want(303) // held before there was a room
	w.wantCount(t, 2, "holds WHERE state = 'active'")
}

func (b *buyer) cookie(name string) string {
	u, err := url.Parse(b.w.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range b.Jar.Cookies(u) {
		if c.Name == name {
			return c.Value
		}
	}
	b.t.Fatalf("no cookie %s", name)
	return ""
}

// A reload, another tab, Back and a new process keep the place; so does a kill −9.
func TestWaitroom_PlaceSurvives(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 6)
	c := w.spawn()
	w.room(ev.ID, 1)
	first, second, third := w.on(t), w.on(t), w.on(t)
	first.joins(ev.ID)
	first.sees(ev.ID, "It is your turn")
	second.joins(ev.ID)
	third.joins(ev.ID)
	ranks := `SELECT string_agg(rank::text, ' ' ORDER BY rank) FROM waitroom_entries`
	was := one[string](w, ranks)
	for range 3 {
		third.get(w.URL + eventPath(ev.ID) + "/wait").want(200)
		third.post(w.URL+eventPath(ev.ID)+"/wait", nil).want(303) // the form again
	}
	third.sees(ev.ID, "One person is ahead of you")
	c.kill()
	w.start()
	if now := one[string](w, ranks); now != was {
		t.Errorf("ranks were %s, are %s", was, now)
	}
	first.sees(ev.ID, "It is your turn")
	third.sees(ev.ID, "One person is ahead of you")
	w.exec(`UPDATE waitroom_entries SET expires_at = now() WHERE state = 'admitted'`)
	second.sees(ev.ID, "It is your turn")
	third.sees(ev.ID, "You are next")
	first.sees(ev.ID, "Your turn is over")
	first.waits(ev.ID, "A1")
	p := first.joins(ev.ID) // again, at the end
	p.says("In line now")
	first.sees(ev.ID, "One person is ahead of you")
}

// Before the opening everybody is in the draw and nobody chooses; who sleeps keeps the
// rank and is passed over.
func TestWaitroom_BeforeTheOpening(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 6)
	w.exec(`INSERT INTO waitrooms (event_id, cause, begins_at, opens_at, max_active, per_second, turn_seconds, per_address)
	        VALUES ($1, 'staff', now(), now() + interval '1 hour', 1, 1000, 600, 20)`, ev.ID)
	w.known(ev.ID, "handed out in turn")
	a, b := w.on(t), w.on(t)
	a.get(w.URL+eventPath(ev.ID)+"/wait").want(200).says("Seats are handed out in turn", "by lot")
	a.joins(ev.ID).says("You are in the draw", "by lot")
	b.joins(ev.ID)
	a.waits(ev.ID, "A1")
	w.wantCount(t, 2, "waitroom_entries WHERE state = 'waiting' AND rank < 1000000000")

	w.exec(`UPDATE waitroom_entries SET rank = 1, here_until = now() WHERE token_hash = (SELECT token_hash FROM waitroom_entries LIMIT 1)`)
	w.exec(`UPDATE waitrooms SET opens_at = now()`)
	w.eventually("the one who is here comes in", `SELECT count(*) = 1 FROM waitroom_entries WHERE state = 'admitted' AND rank <> 1`)
	w.exec(`UPDATE waitroom_entries SET expires_at = now() WHERE state = 'admitted'`)
	if one[bool](w, `SELECT EXISTS (SELECT 1 FROM waitroom_entries WHERE rank = 1 AND state <> 'waiting')`) {
		t.Error("somebody who was away came in")
	}
	a.get(w.URL + eventPath(ev.ID) + "/wait").want(200) // both look again: one of them wakes
	b.get(w.URL + eventPath(ev.ID) + "/wait").want(200)
	w.eventually("who woke comes in with the old rank", `SELECT count(*) = 1 FROM waitroom_entries WHERE state = 'admitted' AND rank = 1`)
}

// So many places per address and no more, a house's whole /64 counting as one.
func TestWaitroom_AddressLimit(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 3, 6) }, map[string]string{"TRUSTED_PROXY_HOPS": "1"})
	w.room(ev.ID, 1)
	w.exec(`UPDATE waitrooms SET per_address = 3`)
	from := func(address string) int {
		return w.on(t).ask("POST", w.URL+eventPath(ev.ID)+"/wait", "", map[string]string{"Content-Type": formType, "X-Forwarded-For": address}).status
	}
	got := make([]int, 12)
	atOnce(len(got), func(i int) { got[i] = from("203.0.113.9") })
	in := 0
	for _, status := range got {
		if status == http.StatusSeeOther {
			in++
		} else if status != http.StatusTooManyRequests {
			t.Errorf("answered %d", status)
		}
	}
	if in != 3 {
		t.Errorf("%d of 12 at once from one address came in, want 3", in)
	}
	for i, want := range []int{303, 303, 303, 429} {
		if got := from(fmt.Sprintf("2001:db8:1:2::%d", i)); got != want {
			t.Errorf("the %d. of one IPv6 network: %d, want %d", i+1, got, want)
		}
	}
	w.wantCount(t, 0, "waitroom_entries x WHERE x::text LIKE '%203.0.113%' OR convert_from(address_hash, 'UTF8') LIKE '%203.0.113%'")
	p := w.on(t).ask("POST", w.URL+eventPath(ev.ID)+"/wait", "", map[string]string{"Content-Type": formType, "X-Forwarded-For": "203.0.113.9"})
	p.says("No more places from your connection", "keep their turn")
	w.exec(`UPDATE waitroom_entries SET state = 'expired', admitted_at = now(), expires_at = now() WHERE address_hash IS NOT NULL AND state = 'waiting'`)
	if got := from("203.0.113.9"); got != 303 {
		t.Errorf("after the others: %d", got)
	}
}

// A pause lets nobody in and takes no turn away; an end opens the door to everybody.
func TestWaitroom_PauseAndEnd(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 6)
	w.room(ev.ID, 1)
	first, second := w.on(t), w.on(t)
	first.joins(ev.ID)
	first.sees(ev.ID, "It is your turn")
	second.joins(ev.ID)
	w.exec(`UPDATE waitrooms SET state = 'paused'`)
	second.sees(ev.ID, "paused handing out")
	w.exec(`UPDATE waitroom_entries SET expires_at = now() + interval '1 minute' WHERE state = 'admitted'`)
	first.choose(eventPath(ev.ID), "A1").want(303) // the turn is still good
	w.exec(`UPDATE waitroom_entries SET expires_at = now() WHERE state = 'admitted'`)
	w.eventually("the turn ends all the same", `SELECT count(*) = 1 FROM waitroom_entries WHERE state = 'expired'`)
	second.sees(ev.ID, "You are next")
	second.waits(ev.ID, "A2")
	w.exec(`UPDATE waitrooms SET state = 'on'`)
	second.sees(ev.ID, "It is your turn")
	w.exec(`UPDATE waitrooms SET state = 'ended'`)
	third := w.on(t)
	third.sees(ev.ID, "Everybody may choose")
	third.choose(eventPath(ev.ID), "A3").want(303)
}

// A room begins and ends by the clock of the database, with nothing running it.
func TestWaitroom_ByTheClock(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 6)
	w.exec(`INSERT INTO waitrooms (event_id, cause, begins_at, opens_at, ends_at, max_active, per_second, turn_seconds, per_address)
	        VALUES ($1, 'staff', now() + interval '1 hour', now() + interval '2 hours', now() + interval '3 hours', 1, 1, 600, 20)`, ev.ID)
	early := w.on(t)
	early.sees(ev.ID, "The line has not begun")
	early.choose(eventPath(ev.ID), "A1").want(303)
	w.exec(`UPDATE waitrooms SET begins_at = now() - interval '3 hours', opens_at = now() - interval '2 hours', ends_at = now() + interval '1 hour'`)
	w.known(ev.ID, "handed out in turn")
	w.on(t).waits(ev.ID, "A2")
	w.exec(`UPDATE waitrooms SET ends_at = now()`)
	late := w.on(t)
	late.sees(ev.ID, "Everybody may choose")
	late.choose(eventPath(ev.ID), "A2").want(303)
}

// A window gives every event a room when somebody wants seats of it, trips keep their
// stops, and staff at the counter never wait.
func TestWaitroom_Window(t *testing.T) {
	t.Parallel()
	w, hall, trip := depot(t)
	w.exec(`INSERT INTO waitroom_windows (begins_at, opens_at, ends_at, max_active, per_second, turn_seconds, per_address)
	        VALUES (now(), now(), now() + interval '1 hour', 1, 1000, 600, 20)`)
	w.known(hall.ID, "handed out in turn")
	w.wantCount(t, 0, "waitrooms") // nobody wants anything yet
	b := w.on(t)
	p := b.seats(trip.ID, url.Values{"seat": {"1A"}, "from": {"1"}, "to": {"2"}}).want(303)
	if p.location != eventPath(trip.ID)+"/wait?from=1&to=2" {
		t.Errorf("the stops are lost: %q", p.location)
	}
	w.wantCount(t, 1, "waitrooms WHERE cause = 'window'")
	wait := b.follow(p).want(200)
	b.follow(b.submit(wait, wait.form("/wait"), nil, "").want(303)).want(200)
	b.sees(trip.ID, "It is your turn")
	turn := b.get(w.URL + eventPath(trip.ID) + "/wait?from=1&to=2").want(200)
	if len(turn.all("a", "href", eventPath(trip.ID)+"?from=1&to=2&turn=1")) != 1 {
		t.Errorf("the turn forgets the stops: %v", turn.values("href"))
	}
	b.choose(eventPath(trip.ID)+"?from=1&to=2&turn=1", "1A").want(303)

	w.exec(`UPDATE waitrooms SET state = 'ended'`) // for the trip alone
	free := w.on(t)
	free.sees(trip.ID, "Everybody may choose")
	free.choose(eventPath(trip.ID), "2A").want(303)
	free.waits(hall.ID, "A1")
}

// As many visitors with seats as the setting says open a room; ten quiet minutes end it.
func TestWaitroom_ByLoad(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 6)
	set(t, w.DB, "waitroom_holders", "2")
	a, b := w.on(t), w.on(t)
	a.choose(eventPath(ev.ID), "A1").want(303)
	b.choose(eventPath(ev.ID), "A2").want(303)
	w.eventually("the room opens", `SELECT count(*) = 1 FROM waitrooms WHERE cause = 'load' AND state = 'on' AND max_active = 2`)
	w.known(ev.ID, "handed out in turn")
	c := w.on(t)
	c.waits(ev.ID, "B1")
	c.joins(ev.ID)
	c.sees(ev.ID, "It is your turn")
	a.choose(eventPath(ev.ID), "A1", "B2").want(303)
	w.exec(`UPDATE settings SET value = '0' WHERE key = 'waitroom_holders'`)
	w.exec(`UPDATE waitrooms SET begins_at = now() - interval '1 hour', opens_at = now() - interval '1 hour'`)
	w.exec(`UPDATE waitroom_entries SET joined_at = now() - interval '1 hour'`)
	w.eventually("nobody waits, it ends", `SELECT count(*) = 1 FROM waitrooms WHERE state = 'ended'`)
	w.wantCount(t, 2, "audit_log WHERE subject = 'event:"+itoa(ev.ID)+"' AND action IN ('waitroom_started', 'waitroom_ended') AND actor = 'system'")
}

// The database goes away: everybody waits, the page says that nothing is lost, and the
// place is there when it is back.
func TestWaitroom_DatabaseAway(t *testing.T) {
	t.Parallel()
	w, ev := cinema(t, 3, 6)
	w.room(ev.ID, 1)
	a := w.on(t)
	a.joins(ev.ID)
	a.sees(ev.ID, "It is your turn")
	b := w.on(t)
	b.joins(ev.ID)
	release := w.lock("waitroom_entries")
	began := time.Now()
	p := b.get(w.URL + eventPath(ev.ID) + "/wait/place")
	if p.status != 200 && p.status != 503 || !strings.Contains(p.text(), "keep your place") {
		t.Errorf("answered %d: %s", p.status, p.text())
	}
	if took := time.Since(began); took > 6*time.Second {
		t.Errorf("the line answers after %v", took)
	}
	a.waits(ev.ID, "A1") // it has a turn, which nobody can check now: nobody skips
	release()
	a.choose(eventPath(ev.ID), "A1").want(303)
	b.sees(ev.ID, "You are next")
}

// lock keeps everybody from a table until release.
func (w *world) lock(table string) (release func()) {
	w.t.Helper()
	tx, err := w.DB.Pool().Begin(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := tx.Exec(w.t.Context(), "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		w.t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(w.t.Context()); err != nil {
			w.t.Error(err)
		}
	}
}
