package main

import (
	"strings"
	"testing"
	"time"
)

// The line in a real browser: sound in light and dark on a phone in each state, it looks
// again by itself and says aloud what changed, another tab and a reload are the same
// place, and it works with scripts off.
func TestBrowserWaitingRoom(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.exec(`INSERT INTO waitrooms (event_id, cause, begins_at, opens_at, max_active, per_second, turn_seconds, per_address)
	        VALUES ($1, 'staff', now(), now() + interval '1 hour', 1, 1000, 600, 20)`, ev.ID)
	w.known(ev.ID, "handed out in turn")
	axe := axe(t)
	b := newTab(t, chromium(t), w)
	path := eventPath(ev.ID) + "/wait"
	b.open(eventPath(ev.ID), 200)
	b.sound("seat page with a room", axe)
	b.open(path, 200)
	b.sound("outside", axe)
	if small := b.small("main .btn", 48, 48); len(small) > 0 {
		t.Errorf("small buttons %v", small)
	}
	b.press("main form .btn", 200)
	b.says("You are in the draw", "looks again by itself")
	b.sound("draw", axe)

	// Somebody else is first: this one waits, and then has its turn without a reload.
	w.exec(`INSERT INTO waitroom_entries (event_id, token_hash, rank, state, here_until, admitted_at, expires_at)
	        VALUES ($1, '\x01', 0, 'admitted', now(), now(), now() + interval '1 hour')`, ev.ID)
	w.exec(`UPDATE waitrooms SET opens_at = now()`)
	b.until("it is in line, by itself", `document.querySelector('h1').textContent === 'You are next'`)
	b.sound("line", axe)
	second := b.second()
	second.open(path, 200)
	second.says("You are next")
	w.exec(`UPDATE waitroom_entries SET expires_at = now() WHERE token_hash = '\x01'`)
	b.until("its turn comes by itself", `document.querySelector('#place [data-state]').dataset.state === 'turn'`)
	if got := b.text(".wait [role=status]"); got == "" || got[:15] != "It is your turn" {
		t.Errorf("said aloud: %q", got)
	}
	if got := eval[string](b, `document.title`); got[:15] != "It is your turn" {
		t.Errorf("the tab is called %q", got)
	}
	b.sound("turn", axe)
	b.press("main a.btn", 200)
	b.says("It is your turn", "Choose your seats")
	b.sound("seat page of a turn", axe)
	w.exec(`UPDATE waitroom_entries SET expires_at = now() WHERE state = 'admitted'`)
	w.eventually("the turn is over", `SELECT bool_and(state = 'expired') FROM waitroom_entries`)
	b.becomes(path, "Your turn is over") // a process tells from a copy that is a second old or two
	b.sound("over", axe)

	plain := newTab(t, chromium(t), w)
	plain.scripts(false)
	plain.open(path, 200)
	plain.press("main form .btn", 200)
	plain.becomes(path, "It is your turn")
	w.exec(`UPDATE waitrooms SET state = 'paused'`)
	w.exec(`UPDATE waitroom_entries SET state = 'waiting', admitted_at = NULL, expires_at = NULL WHERE state = 'admitted'`)
	plain.becomes(path, "The house has paused handing out")
	plain.says("You are next", "Please look again before")
	plain.press("main form .btn", 200) // Look again now
	plain.says("You are next")
	b.blameless()
}

// becomes loads a page until it says something.
func (b *tab) becomes(path, words string) {
	b.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		b.open(path, 200)
		text := b.text("main")
		if strings.Contains(text, words) {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("%s never says %q: %s", path, words, text)
		}
	}
}

// The owner's pages, in each state a room can have.
func TestBrowserWaitingRoomStaff(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	axe := axe(t)
	b := newTab(t, chromium(t), w)
	b.signIn("owner")
	path := "/staff" + eventPath(ev.ID) + "/waiting"
	b.open(path, 200)
	b.sound("plan", axe)
	b.fill("#max", "many")
	b.press("section[aria-labelledby=plan-head] .btn", 422)
	b.sound("refused", axe)
	b.fill("#max", "2")
	b.press("section[aria-labelledby=plan-head] .btn", 200)
	b.says("Handing out")
	b.sound("running", axe)
	w.known(ev.ID, "handed out in turn")
	w.on(t).joins(ev.ID)
	b.until("the figures come by themselves", `document.querySelector('#counts dd:has(small)')?.textContent.trim().startsWith('1')`)
	b.size(1280, 900)
	b.sound("running, desk", axe)
	b.open("/staff/waiting", 200)
	b.sound("list", axe)
	b.press("section[aria-labelledby=plan-head] .btn", 422)
	b.sound("list, refused", axe)
	b.blameless()
}
