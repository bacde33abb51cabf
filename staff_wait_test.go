package main

import (
	"net/url"
	"testing"
)

// From the event's page an owner plans a room, lets it run, pauses it, goes on, changes
// its numbers and ends it; each leaves a line in the log, and nothing is overwritten.
func TestWaitroom_OwnerPage(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	path := "/staff" + eventPath(ev.ID) + "/waiting"
	b := w.as(t, "manager")
	if p := b.get(w.URL + "/staff" + eventPath(ev.ID)).want(200); len(p.all("a", "href", path)) != 1 {
		t.Error("the event's page does not lead to its waiting room")
	}
	p := b.get(w.URL + path).want(200).says("Plan a waiting room")
	f := p.form("/waiting")
	bad := b.submit(p, f, url.Values{"max": {"many"}, "rate": {"0"}, "opens_date": {""}, "opens_time": {"25:00"}, "turn": {"7"}}, "").want(422)
	bad.says("Nothing was saved", "Please write a whole number", "Please write a number, such as 30", "Please say on which day", "Please write a time like 18:00")
	if got := bad.form("/waiting").values; got.Get("max") != "many" || got.Get("opens_time") != "25:00" || got.Get("turn") != "7" {
		t.Errorf("what was typed is lost: %v", got)
	}
	order := b.submit(p, f, url.Values{"begins_date": {"2030-01-02"}, "begins_time": {"18:00"}, "opens_date": {"2030-01-02"}, "opens_time": {"17:00"}}, "").want(422)
	order.says("The opening cannot be before the line begins")
	b.submit(p, f, url.Values{"ends_date": {"2020-01-02"}, "ends_time": {"17:00"}}, "").want(422).says("The end must be after the opening")
	b.submit(p, f, url.Values{"begins_date": {"2030-03-31"}, "begins_time": {"02:30"}}, "").want(422).says("The clocks skip this time")
	b.submit(p, f, url.Values{"begins_date": {"2030-10-27"}, "begins_time": {"02:30"}}, "").want(422).says("twice that night")
	w.wantCount(t, 0, "waitrooms")

	saved := b.submit(p, f, url.Values{"opens_date": {"2030-01-02"}, "opens_time": {"18:00"}, "max": {"2"}, "rate": {"600"}, "turn": {"4"}}, "").want(303)
	p = b.follow(saved).want(200).says("The waiting room is saved", "People gather", "Change it")
	w.wantCount(t, 1, "waitrooms WHERE opens_at = timestamptz '2030-01-02 18:00 Europe/Rome' AND max_active = 2 AND per_second = 10 AND turn_seconds = 240 AND per_address = 20")
	w.known(ev.ID, "handed out in turn")
	stale := p
	c := w.on(t)
	c.waits(ev.ID, "A1")
	c.joins(ev.ID).says("You are in the draw")

	saved = b.submit(p, p.form("/waiting"), url.Values{"begins_date": {""}, "begins_time": {""}, "opens_date": {""}, "opens_time": {""}}, "").want(303)
	b.follow(saved).want(200).says("Handing out")
	c.sees(ev.ID, "It is your turn")
	p = b.get(w.URL + path).want(200).says("Have a turn 1 of 2")
	b.get(w.URL+path+"/counts").want(200).says("Have a turn 1 of 2", "In line 0")
	if late := b.submit(stale, stale.form("/waiting"), url.Values{"max": {"9"}}, "").want(409).says("Somebody else changed this meanwhile"); late.form("/waiting").values.Get("max") != "9" {
		t.Error("a stale form loses what was typed")
	}
	b.submit(stale, stale.form("/end"), nil, "").want(409)
	w.wantCount(t, 1, "waitrooms WHERE max_active = 2 AND state = 'on'")

	p = b.follow(b.submit(p, p.form("/pause"), nil, "").want(303)).want(200).says("Handing out is paused", "Paused")
	p = b.follow(b.submit(p, p.form("/resume"), nil, "").want(303)).want(200).says("It goes on where it stopped", "Handing out")
	saved = b.submit(p, p.form("/waiting"), url.Values{"max": {"3"}}, "").want(303)
	p = b.follow(saved).want(200)
	w.wantCount(t, 1, "waitrooms WHERE max_active = 3 AND opens_at <= now()") // and the opening stays
	w.wantCount(t, 1, "waitroom_entries")
	b.get(w.URL+"/staff/waiting").want(200).says("Salt Road", "Handing out", "1 of 3")
	p = b.follow(b.submit(p, p.form("/end"), nil, "").want(303)).want(200).says("There is no waiting room any more", "Plan a waiting room")
	b.submit(stale, stale.form("/end"), nil, "").want(303) // twice is once
	free := w.on(t)
	free.choose(eventPath(ev.ID), "A2").want(303)

	b.submit(p, p.form("/waiting"), nil, "").want(303) // anew, and empty
	w.wantCount(t, 0, "waitroom_entries")
	w.wantCount(t, 1, "waitrooms WHERE state = 'on' AND max_active = 3")
	w.wantCount(t, 7, "audit_log WHERE subject = 'event:"+itoa(ev.ID)+"' AND action LIKE 'waitroom%' AND actor LIKE 'staff:%'")
	b.get(w.URL+"/staff"+eventPath(ev.ID)).want(200).says("Waiting room planned", "Waiting room paused")
	b.get(w.URL + "/staff/log").want(200).says("Waiting room paused")
}

// Staff at the counter sell while everybody waits.
func TestWaitroom_CounterNeverWaits(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.room(ev.ID, 1)
	w.on(t).waits(ev.ID, "A1")
	w.today(ev.ID)
	b := w.as(t, "cashier")
	p, f := b.offers(w, "n.adult=1")
	b.submit(p, f, url.Values{"label": {"red jacket"}, "until": {"30"}}, "act=hold").want(303)
	w.wantCount(t, 1, "holds WHERE channel = 'counter'")
}

// A time for every event: planned, listed, ended with its rooms.
func TestWaitroom_WindowPage(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.as(t, "owner")
	p := b.get(w.URL + "/staff/waiting").want(200).says("No such time is planned")
	b.submit(p, p.form("/windows"), url.Values{"max": {"5"}}, "").want(422).says("Please say when it ends")
	b.follow(b.submit(p, p.form("/windows"), url.Values{"ends_date": {"2030-01-02"}, "ends_time": {"18:00"}, "max": {"5"}}, "").want(303)).says("The time is planned")
	w.known(ev.ID, "handed out in turn")
	w.on(t).waits(ev.ID, "A1")
	p = b.get(w.URL+"/staff/waiting").want(200).says("Runs now", "Salt Road")
	b.follow(b.submit(p, p.form("/end"), nil, "").want(303)).says("This time is over")
	b.submit(p, p.form("/end"), nil, "").want(409).says("has ended already")
	free := w.on(t)
	free.sees(ev.ID, "Everybody may choose")
	free.choose(eventPath(ev.ID), "A1").want(303)
	w.wantCount(t, 2, "audit_log WHERE subject LIKE 'waitroom_window:%'")
}
