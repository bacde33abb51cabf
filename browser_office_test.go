package main

import "testing"

// The office in a browser: axe finds nothing in light and dark, nothing scrolls sideways
// on a phone, what is pressed is big enough, the menu opens and closes by keyboard.
func TestBrowserOffice(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	w.exec(`UPDATE events SET business_day = business_day_of(now()), time_zone = 'UTC', starts_at = now() + interval '2 hours', ends_at = now() + interval '4 hours'`)
	w.on(t).buys(eventPath(ev.ID), "A1", "A2")
	w.exec(`INSERT INTO staff_tasks (kind, words, booking_id) SELECT 'mail_failed', 'No such address: nimali.with-a-very-long-name@mail.example.', id FROM bookings`)
	w.exec(`INSERT INTO mails (kind, to_address, state, error) VALUES ('test', 'owner@house.example', 'failed', '550 5.1.1 no such user here')`)
	w.exec(`UPDATE event_seats SET state = 'blocked' WHERE seat_no = 'B1'`)
	id := one[int64](w, `SELECT id FROM bookings`)
	checker := axe(t)
	b := newTab(t, chromium(t), w)
	b.signIn("owner")
	looks := func(name, path string, status int64, words ...string) {
		t.Helper()
		b.open(path, status)
		b.says(words...)
		b.sound(name, checker)
		b.big(name)
	}
	looks("today", "/staff/today", 200, "2 of 32", "steps to your first sale")
	looks("a day without events", "/staff/today?date=2031-01-01", 200, "Nothing is planned")
	looks("settings", "/staff/settings", 200, "Holding seats")
	looks("start", "/staff/start", 200, "550 5.1.1")
	looks("log", "/staff/log", 200, "Sign in")
	looks("bookings", "/staff/bookings?seat=A1&day=2031-01-01", 200, "No booking fits")
	looks("bookings, seat alone", "/staff/bookings?seat=A1", 422, "give the day too")
	looks("history", "/staff/bookings/"+itoa(id), 200, "Booked, tickets made")
	looks("status", "/staff/status", 200, "agree to the second")

	// By keyboard alone: the menu is a sheet of the browser's own.
	b.open("/staff/today", 200)
	b.size(360, 740)
	b.tap(`.rail .split [popovertarget]`)
	b.until("the menu is open", `document.querySelector('#menu').matches(':popover-open')`)
	b.sound("the open menu", checker)
	b.keys("\x1b")
	b.until("the menu is closed", `!document.querySelector('#menu').matches(':popover-open')`)

	// A refusal and the question of the two times.
	b.open("/staff/settings", 200)
	b.size(360, 740)
	b.fill("#venue_name", "Marigold")
	b.fill("#seats_per_booking", "999")
	b.press("main form .btn", 422)
	b.says("Nothing is saved yet", "whole number from 1 to 100")
	b.sound("settings refused", checker)
	b.fill("#seats_per_booking", "9")
	eval[any](b, `document.querySelector('#time_zone').value = 'Asia/Colombo'; 0`)
	b.press("main form .btn", 200)
	b.says("Which time stays?", "Colombo time")
	b.sound("which time stays", checker)
	b.press(`button[value="instant"]`, 200)
	b.says("Saved: ")
	b.sound("settings saved", checker)
	w.wantCount(t, 3, "settings WHERE (key, value) IN (('venue_name', 'Marigold'), ('seats_per_booking', '9'), ('time_zone', 'Asia/Colombo'))")
}

// Without JavaScript on a phone: the menu leads to the settings, which are saved.
func TestBrowserOfficeWithoutScripts(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := newTab(t, chromium(t), w)
	b.scripts(false)
	b.size(360, 740)
	b.signIn("owner")
	b.open("/staff/today", 200)
	b.tap(`.rail .split [popovertarget]`)
	b.press(`#menu a[href="/staff/settings"]`, 200)
	b.fill("#phone", "040 555")
	b.press("main form .btn", 200)
	b.says("Saved: Phone")
	b.open("/staff/log?q=settings", 200)
	b.says("040 555")
	w.wantCount(t, 1, "settings WHERE key = 'phone' AND value = '040 555'")
}
