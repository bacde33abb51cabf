package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp/kb"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/booking"
)

// offline switches the tab's network off or on.
func (b *tab) offline(off bool) {
	b.t.Helper()
	tell(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Offline: off, DownloadThroughput: -1, UploadThroughput: -1}},
	})
	tell(b, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: off, DownloadThroughput: -1, UploadThroughput: -1})
}

// forgive forgets what the browser reported about a line that the test had cut.
func (b *tab) forgive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	var left []string
	for _, words := range b.bad {
		if !strings.Contains(words, "net::ERR_INTERNET_DISCONNECTED") {
			left = append(left, words)
		}
	}
	b.bad = left
}

// scans types a code as a scanner does: keys, then Enter.
func (b *tab) scans(code string) {
	b.t.Helper()
	b.keys(code)
	b.keys(kb.Enter)
}

const verdictWord = `document.querySelector('#answer h2')?.textContent`

// doorSays waits for the door's word.
func (b *tab) doorSays(word string) {
	b.t.Helper()
	b.until("the door says "+word, verdictWord+` === `+quoted(word))
}

// counted waits until the figures are these, and checks that the list says the same.
func (b *tab) counted(in, expected, sold int) {
	b.t.Helper()
	want := fmt.Sprint(in, " ", expected, " ", sold)
	b.until("the figures are "+want, `[...document.querySelectorAll('[data-count]')].map(e => e.textContent).join(' ') === `+quoted(want))
	listed := eval[string](b, `(r => { const i = r.filter(x => x.dataset.state === 'in').length; return i + ' ' + (r.length - i) + ' ' + r.length })([...document.querySelectorAll('tbody[data-scope] tr[data-ticket]')])`)
	if listed != want {
		b.t.Errorf("the figures say %s, the list %s", want, listed)
	}
}

func (b *tab) waiting() int { return eval[int](b, `+document.querySelector('#line').dataset.waiting`) }

// cancel takes the ticket of a seat back.
func (w *world) cancel(seat string) {
	w.t.Helper()
	err := w.service().CancelTickets(w.t.Context(), booking.Cancel{
		BookingID: one[int64](w, `SELECT booking_id FROM tickets WHERE seat_no = $1`, seat), Tickets: []int64{one[int64](w, `SELECT id FROM tickets WHERE seat_no = $1`, seat)},
		Reason: "customer", Words: "ill", By: "staff:1",
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// atDoor opens the door of an event on a desk with a scanner.
func (b *tab) atDoor(role string, event int64) {
	b.t.Helper()
	b.signIn(role)
	b.size(1280, 900)
	b.open(doorPath(event), 200)
}

// A scanner that types: the field has the focus and keeps it, capitals and whole addresses
// are read, the same code at once again is nothing, and every answer is a word, a picture
// and a colour.
func TestBrowserDoorScanner(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	codes := w.on(t).buys(eventPath(ev.ID), "A1", "A2", "A3").codes()
	b := newTab(t, chromium(t), w)
	b.atDoor("steward", ev.ID)
	b.counted(0, 3, 3)
	b.scans(strings.ToUpper(w.URL + codes[0]))
	b.doorSays("Checked in")
	b.counted(1, 2, 3)
	b.scans(w.URL + codes[0])
	b.scans(strings.TrimPrefix(codes[1], "/t/"))
	b.until("A2 is in", `document.querySelector('#answer .door-seat')?.textContent === 'A2'`)
	if got := eval[string](b, verdictWord); got != "Checked in" {
		t.Errorf("the same code at once again, then A2: %q", got)
	}
	b.counted(2, 1, 3)
	eval[any](b, `document.activeElement.blur()`)
	b.scans(codes[0]) // typed into nothing: the page takes it
	b.doorSays("Already in")
	b.says("First scanned at", "Steward Person")
	b.scans("HTTPS://ELSEWHERE.EXAMPLE/T/XYZ")
	b.doorSays("Unknown")
	w.cancel("A3")
	b.scans(codes[2])
	b.doorSays("Cancelled") // B5
	if got := b.attributes("data-verdict"); len(got) != 1 || got[0] != "bad" {
		t.Errorf("a cancelled ticket is %v", got)
	}
	b.until("the list knows", `document.querySelector('[data-count=sold]').textContent === '2'`)
	w.clean()
}

// B10: the line goes away under the page. The list it has goes on judging, the page says
// that and how many wait, and leaving it asks first.
func TestB10_DoorWithoutALine(t *testing.T) {
	t.Parallel()
	var ev, next dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		ev, next = dbtest.Screening(t, d, 4, 8), dbtest.Screening(t, d, 4, 8)
		hire(t, d)
	}, nil)
	w.exec(`UPDATE events SET business_day = business_day_of(now())`)
	codes := w.on(t).buys(eventPath(ev.ID), "A1", "A2", "A3", "A4", "B1").codes()
	other := w.on(t).buys(eventPath(next.ID), "C1").codes()
	w.cancel("A4")
	b := newTab(t, chromium(t), w)
	b.atDoor("steward", ev.ID)
	b.scans(codes[0])
	b.doorSays("Checked in")
	b.counted(1, 3, 4)

	late := w.on(t).buys(eventPath(ev.ID), "D1").codes()
	b.offline(true)
	for i, c := range []struct{ code, word string }{
		{codes[1], "Checked in"}, {codes[0], "Already in"}, {codes[3], "Cancelled"}, {other[0], "Wrong event"}, {codes[1], "Already in"}, {"nonsense", "Unknown"}, {late[0], "Not in the list"},
	} {
		b.scans(strings.ToUpper(w.URL + "/t/" + strings.TrimPrefix(c.code, "/t/")))
		b.until(fmt.Sprint(i, ": ", c.word), verdictWord+` === `+quoted(c.word))
	}
	b.tap(`tr[data-seat="B1"] button`)
	b.until("by the list", `document.querySelector('tr[data-seat="B1"]').dataset.state === 'in'`)
	b.counted(3, 1, 4)
	b.until("says so", `/^No line\. The list of \d\d:\d\d counts\. 2 scans wait/.test(document.querySelector('#line').textContent)`)
	if !eval[bool](b, `!dispatchEvent(new Event('beforeunload', {cancelable: true}))`) {
		t.Error("leaving with scans that wait asks nothing")
	}
	w.wantCount(t, 1, "checkins")
	b.tap("#answer button") // undone before it was sent: it never was
	b.counted(2, 2, 4)

	b.offline(false)
	b.until("all is sent", `document.querySelector('#line').dataset.waiting === '0' && document.querySelector('#line').textContent.startsWith('Connected')`)
	w.wantCount(t, 2, "checkins")
	w.wantCount(t, 0, "door_conflicts")
	b.counted(2, 3, 5)
	if !eval[bool](b, `dispatchEvent(new Event('beforeunload', {cancelable: true}))`) {
		t.Error("leaving with nothing that waits asks")
	}
	b.forgive()
	w.clean()
}

// B11: 30 scans at two doors without a line, one ticket at both. All 30 arrive, each once
// and in order; the ticket that was let in twice is shown on both pages and kept.
func TestB11_ThirtyScansAtTwoDoors(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.exec(`UPDATE settings SET value = '29' WHERE key = 'seats_per_booking'`)
	w.exec(`INSERT INTO settings (key, value) VALUES ('seats_per_booking', '29') ON CONFLICT DO NOTHING`)
	codes := w.on(t).buys(eventPath(ev.ID), ev.Seats[:29]...).codes()
	chrome := chromium(t)
	left, right := newTab(t, chrome, w), newTab(t, chrome, w)
	doors := []*tab{left, right}
	for i, b := range doors {
		b.atDoor([]string{"steward", "cashier"}[i], ev.ID)
		b.tap(".door-settings summary")
		b.fill("#place", []string{"Left door", "Right door"}[i])
		b.press(".door-settings .btn", 200)
		b.counted(0, 29, 29)
		b.offline(true)
	}
	var mine [2][]string
	for i, c := range codes { // the last one of the left door is the first one of the right
		if i < 15 {
			mine[0] = append(mine[0], c)
		}
		if i >= 14 {
			mine[1] = append(mine[1], c)
		}
	}
	for i, b := range doors {
		for n, c := range mine[i] {
			b.scans(w.URL + c)
			b.until("waits", `document.querySelector('#line').dataset.waiting === `+quoted(fmt.Sprint(n+1)))
		}
		if n := b.waiting(); n != 15 {
			t.Fatalf("door %d: %d scans wait", i, n)
		}
	}
	w.wantCount(t, 0, "checkins")
	left.offline(false)
	left.until("the left door is done", `document.querySelector('#line').dataset.waiting === '0'`)
	w.wantCount(t, 15, "checkins")
	w.wantCount(t, 0, "door_conflicts")
	right.offline(false)
	right.doorSays("Let in twice?")
	for _, b := range doors {
		b.until("the conflict is shown", `document.querySelectorAll('[data-conflict]').length === 1`)
		b.until("all arrived", `document.querySelector('#line').dataset.waiting === '0'`)
		b.counted(29, 0, 29)
		b.says("let in", "Right door", "by Cashier Person", "Left door", "by Steward Person")
		b.forgive()
	}
	w.wantCount(t, 29, "checkins")
	w.wantCount(t, 29, "checkins WHERE undone_at IS NULL AND entered_at > at")
	w.wantCount(t, 1, "door_conflicts WHERE verdict = 'again' AND place = 'Right door'")
	w.wantCount(t, 1, "staff_tasks WHERE kind = 'door_conflict' AND state = 'open'")
	w.wantCount(t, 1, "audit_log WHERE action = 'door conflict'")
	if got := one[int](w, `SELECT count(*) FROM (SELECT at < lag(at) OVER (ORDER BY id) AS bad FROM checkins WHERE place = 'Left door') x WHERE bad`); got != 0 {
		t.Errorf("%d scans are out of order", got)
	}
	w.clean()
}
