package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// doorPath is the door of an event.
func doorPath(event int64) string { return "/staff/door/" + itoa(event) }

// counts are the figures of a door's page and, beside them, what its list says.
func (p *page) counts() (shown, listed [3]int) {
	p.t.Helper()
	for i, name := range []string{"in", "expected", "sold"} {
		for _, n := range p.all("dd", "data-count", name) {
			shown[i], _ = strconv.Atoi(n.FirstChild.Data)
		}
	}
	for _, group := range p.all("tbody", "data-scope", "") {
		for n := range group.Descendants() {
			state, row := attribute(n, "data-state")
			switch {
			case !row:
			case state == "in":
				listed[0]++
				listed[2]++
			default:
				listed[1]++
				listed[2]++
			}
		}
	}
	return shown, listed
}

// counted checks the figures, and that they are the list's.
func (p *page) counted(in, expected, sold int) *page {
	p.t.Helper()
	want := [3]int{in, expected, sold}
	if shown, listed := p.counts(); shown != want || listed != want {
		p.t.Errorf("%s shows %v and lists %v, want %v", p.url, shown, listed, want)
	}
	return p
}

// row is a line of a door's list.
func (p *page) row(seat string) *html.Node {
	p.t.Helper()
	for _, n := range p.all("tr", "data-seat", seat) {
		return n
	}
	p.t.Fatalf("%s does not list %s: %s", p.url, seat, p.text())
	return nil
}

// tick presses "Let in" in the list.
func (b *browser) tick(p *page, seat string) *page {
	b.t.Helper()
	id, _ := attribute(p.row(seat), "data-ticket")
	return b.submit(p, p.form("/in"), url.Values{"ticket": {id}}, "")
}

// Without JavaScript: a code in the field, in whatever form a scanner gives it, and the
// list's buttons let in; each answer says why not; a mistake is undone.
func TestDoor_ByFormAndList(t *testing.T) {
	t.Parallel()
	var ev, next dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		ev, next = dbtest.Screening(t, d, 4, 8), dbtest.Screening(t, d, 4, 8)
		hire(t, d)
	}, nil)
	w.exec(`UPDATE events SET starts_at = now() + interval '20 minutes', ends_at = now() + interval '2 hours', business_day = business_day_of(now())`)
	codes := w.on(t).buys(eventPath(ev.ID), "A1", "A2", "B1", "B2", "C1").codes()
	other := w.on(t).buys(eventPath(next.ID), "A1").codes()
	door := w.as(t, "steward")
	door.get(w.URL + "/staff").want(http.StatusSeeOther) // stewards come in at the door
	if at := door.get(w.URL + "/staff").location; at != "/staff/door" {
		t.Errorf("a steward comes in at %q", at)
	}
	day := door.get(w.URL+"/staff/door").want(200).says("Salt Road", "0 of 5 in", "0 of 1 in")
	if len(day.all("a", "href", doorPath(ev.ID))) != 1 {
		t.Error("today's event has no door")
	}
	p := door.get(w.URL+doorPath(ev.ID)).want(200).counted(0, 5, 5)
	if strings.Contains(p.body, strings.TrimPrefix(codes[0], "/t/")) {
		t.Error("the list has a whole code")
	}
	p = door.submit(p, p.form("/staff/door/place"), url.Values{"place": {"Hall 2,  left"}}, "").want(303)
	p = door.follow(p).want(200).says("Hall 2, left")

	scan := func(text string) *page { // as a scanner with a key of its own
		return door.post(w.URL+doorPath(ev.ID)+"/in", url.Values{"code": {text}, "key": {text + fmt.Sprint(len(p.body))}})
	}
	in := door.follow(scan(" "+strings.ToUpper(w.URL+codes[0])+"\r").want(303)).verdict("done").says("Checked in", "A1", "Hall 2, left", "Steward Person").counted(1, 4, 5)
	door.follow(scan(strings.ToUpper(strings.TrimPrefix(codes[1], "/t/"))).want(303)).verdict("done").counted(2, 3, 5)
	scan(w.URL+codes[1]+"?utm=1").want(409).verdict("warn").says("Already in", "First scanned at", "Hall 2, left", "Steward Person").counted(2, 3, 5)
	scan(other[0]).want(409).verdict("bad").says("Wrong event", "Salt Road").counted(2, 3, 5)
	scan("nonsense").want(404).verdict("bad").says("Unknown")
	scan("  ").want(422).says("Please scan or type a code")

	p = door.get(w.URL + doorPath(ev.ID))
	door.follow(door.tick(p, "B1").want(303)).verdict("done").counted(3, 2, 5)
	door.tick(p, "A1").want(409).verdict("warn").says("Already in")
	undone := door.follow(door.submit(in, in.form("/undo"), nil, "").want(303)).counted(2, 3, 5)
	if state, _ := attribute(undone.row("A1"), "data-state"); state != "valid" {
		t.Errorf("undone, A1 is %s", state)
	}
	if found := door.get(w.URL+doorPath(ev.ID)+"?q=b2").counted(2, 3, 5); len(found.all("tr", "data-seat", "B2")) != 1 {
		t.Error("B2 is not found")
	} else if _, hidden := attribute(found.row("B1"), "hidden"); !hidden {
		t.Error("B1 is found by b2")
	}

	w.exec(`UPDATE tickets SET state = 'cancelled', cancelled_at = now() WHERE seat_no = 'B2'`)
	scan(codes[3]).want(409).verdict("bad").says("Cancelled").counted(2, 2, 4)
	w.exec(`UPDATE tickets SET exchanged_event = event_id, exchanged_ticket = (SELECT id FROM tickets WHERE seat_no = 'C1') WHERE seat_no = 'B2'`)
	scan(codes[3]+"?").want(409).verdict("bad").says("Exchanged", "C1").counted(2, 2, 4)
	door.get(w.URL + doorPath(999)).want(404)
	w.exec(`UPDATE events SET status = 'cancelled' WHERE id = $1`, ev.ID)
	scan(codes[4]).want(409).verdict("bad").says("Not taking place")
}

// send is a page's own way: scans as JSON.
func (b *browser) send(address string, scans ...map[string]any) []map[string]any {
	b.t.Helper()
	body, _ := json.Marshal(map[string]any{"scans": scans})
	p := b.ask("POST", address, string(body), map[string]string{"Content-Type": "application/json"}).want(200)
	var out struct{ Answers []map[string]any }
	if err := json.Unmarshal([]byte(p.body), &out); err != nil {
		b.t.Fatal(err)
	}
	return out.Answers
}

// Two doors scan the same tickets at the same moment: each ticket is in once, and what
// both pages count is what they list.
func TestDoor_CountsAfterARace(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	codes := w.on(t).buys(eventPath(ev.ID), ev.Seats[:8]...).codes()
	doors := []*browser{w.as(t, "steward"), w.as(t, "cashier")}
	words := make([][]map[string]any, 2)
	atOnce(2, func(i int) {
		var scans []map[string]any
		for n, c := range codes {
			scans = append(scans, map[string]any{"code": c, "key": fmt.Sprint(i, "-", n), "place": fmt.Sprint("Door ", i)})
		}
		words[i] = doors[i].send(w.URL+doorPath(ev.ID)+"/scans", scans...)
		words[i] = append(words[i], doors[i].send(w.URL+doorPath(ev.ID)+"/scans", scans...)...) // the line broke before the answer
	})
	for n := range codes {
		a, b := words[0][n]["Word"], words[1][n]["Word"]
		if !(a == "Checked in" && b == "Already in" || a == "Already in" && b == "Checked in") {
			t.Errorf("ticket %d: %v and %v", n, a, b)
		}
		if words[0][n+len(codes)]["Word"] != a || words[1][n+len(codes)]["Word"] != b {
			t.Errorf("ticket %d: another answer to the same keys", n)
		}
	}
	w.wantCount(t, 8, "checkins")
	w.wantCount(t, 0, "door_conflicts") // nobody was let in without a line
	for _, b := range doors {
		b.get(w.URL+doorPath(ev.ID)).counted(8, 0, 8)
	}
	w.clean()
}

// A trip's door shows those of one stop, with who gets off there.
func TestDoor_ByBoardingStop(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		ev = dbtest.Trip(t, d, 4, 3)
		hire(t, d)
	}, nil)
	b := w.on(t)
	first := b.buys(eventPath(ev.ID)+"?from=0&to=2", "1A", "1B").codes()
	second := w.on(t).buys(eventPath(ev.ID)+"?from=1&to=3", "2A").codes()
	driver := w.as(t, "steward")
	at := w.URL + doorPath(ev.ID)
	driver.get(at).want(200).counted(0, 2, 2).says("2 on, 0 off", "1 on, 0 off", "Boarding")
	driver.get(at+"?stop=1").counted(0, 1, 1)
	driver.get(at+"?stop=all").counted(0, 3, 3)
	driver.get(at+"?stop=2").counted(0, 0, 0).says("Get off here", "1A")
	driver.get(at+"?stop=9").counted(0, 2, 2)
	w.exec(`UPDATE event_stops SET departs_at = now() - interval '1 hour' WHERE stop_no = 0`)
	driver.get(at).counted(0, 1, 1) // it has left: the next one's passengers
	in := driver.post(at+"/in", url.Values{"code": {first[0]}, "key": {"a"}, "stop": {"1"}}).want(303)
	driver.follow(in).verdict("done").says("On board", "not here").counted(0, 1, 1)
	driver.follow(driver.post(at+"/in", url.Values{"code": {second[0]}, "key": {"b"}, "stop": {"1"}}).want(303)).verdict("done").counted(1, 0, 1)
	w.clean()
}
