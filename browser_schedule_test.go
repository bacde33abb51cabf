package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The timetable's pages: axe finds nothing in light and dark, nothing scrolls sideways at
// 320 px, buttons are big enough; empty, refused and full alike.
func TestBrowserScheduleLook(t *testing.T) {
	t.Parallel()
	w, hall, trip := timetableHouse(t)
	w.exec(`UPDATE events SET starts_at = '2030-06-07T17:30Z', ends_at = '2030-06-07T19:40Z', business_day = '2030-06-07',
		resource_id = (SELECT id FROM resources WHERE name = 'Hall 1') WHERE id = $1`, hall.ID)
	w.exec(`UPDATE event_seats SET state = 'held', hold_id = '00000000-0000-4000-8000-00000000000a', held_until = now() + interval '1 hour' WHERE event_id = $1 AND seat_no = 'B1'`, hall.ID)
	checker := axe(t)
	b := newTab(t, chromium(t), w)
	b.signsIn()
	film, first := one[int64](w, `SELECT film_id FROM events WHERE id = $1`, hall.ID), one[int64](w, `SELECT id FROM resources WHERE name = 'Hall 1'`)
	plan := "/staff/schedule/new?kind=screening&look=1&film=" + itoa(film) + "&resource=" + itoa(first) + "&tariff=" + itoa(one[int64](w, `SELECT tariff_id FROM events WHERE id = $1`, hall.ID))
	for _, x := range []struct {
		name, path string
		status     int64
	}{
		{"a week", "/staff/schedule?week=2030-06-03", 200},
		{"an empty week", "/staff/schedule?week=2031-06-03", 200},
		{"new screenings", "/staff/schedule/new", 200},
		{"new trips", "/staff/schedule/new?kind=trip", 200},
		{"all fields wrong", "/staff/schedule/new?look=1&times=x&ends=y&last=2000-01-01&days=1", 422},
		{"a plan with clashes", plan + "&first=2030-06-07&times=19:00+23:50&days=5&last=2030-06-14", 200},
		{"a double hour", plan + "&first=2030-10-27&times=02:30", 200},
		{"a copied week", "/staff/schedule/copy?kind=screening&week=2030-06-03&what=week&to=2030-06-10", 200},
		{"a change", "/staff/events/" + itoa(hall.ID) + "/edit", 200},
		{"a change of a trip", "/staff/events/" + itoa(trip.ID) + "/edit", 200},
		{"blocked seats", "/staff/events/" + itoa(hall.ID) + "/blocks", 200},
		{"blocked seats of a coach", "/staff/events/" + itoa(trip.ID) + "/blocks", 200},
		{"an event", "/staff/events/" + itoa(hall.ID), 200},
	} {
		b.size(360, 740)
		b.open(x.path, x.status)
		b.sound(x.name, checker)
		b.big(x.name)
		b.size(1280, 900)
		b.open(x.path, x.status) // anew: colours that are on their way to another scheme are not looked at
		b.sound(x.name+", wide", checker)
	}
	b.size(360, 740)
	b.open("/staff/events/"+itoa(hall.ID)+"/blocks", 200)
	b.tap("#s-A2 input")
	b.fill("#reason", "House seats")
	b.press(".blocks .btn", 200)
	b.says("1 seat blocked", "House seats")
	b.sound("a blocked seat", checker)
	w.wantCount(t, 1, "event_seats WHERE state = 'blocked' AND seat_no = 'A2'")
}

// A screening is put on sale by keyboard alone and without scripts: the day's plus in the
// week, the time, Enter, and the button under the preview.
func TestBrowserScheduleByKeyboard(t *testing.T) {
	t.Parallel()
	w, _, _ := timetableHouse(t)
	b := newTab(t, chromium(t), w)
	b.size(1280, 900)
	b.signsIn()
	b.scripts(false)
	b.open("/staff/schedule?week=2030-06-03", 200)
	b.tabTo("a +Add to Hall 1 on Monday 3 June")
	b.goes(200, "Enter on the plus", chromedp.KeyEvent(kb.Enter))
	b.tabTo("times")
	b.keys("19:30")
	b.goes(200, "Enter in the form", chromedp.KeyEvent(kb.Enter))
	b.says("1 screening", "All can be made")
	b.tabTo("button Put on sale")
	b.goes(200, "Enter on the button", chromedp.KeyEvent(kb.Enter))
	b.says("1 event now on sale")
	w.wantCount(t, 1, "events WHERE status = 'published' AND starts_at = '2030-06-03T17:30Z'")
}

// With scripts the plan of blocked seats is one tab stop with arrows; Enter sends nothing.
func TestBrowserBlocksByKeyboard(t *testing.T) {
	t.Parallel()
	w, hall, _ := timetableHouse(t)
	b := newTab(t, chromium(t), w)
	b.size(1280, 900)
	b.signsIn()
	b.open("/staff/events/"+itoa(hall.ID)+"/blocks", 200)
	b.tabTo("A1")
	b.keys(kb.ArrowRight)
	b.keys(" ")
	b.keys(kb.ArrowDown)
	b.keys(" ")
	b.keys(kb.Enter)
	if got := b.focus(); got != "B2" {
		t.Errorf("the focus is on %q", got)
	}
	b.tabTo("reason")
	b.keys("Broken")
	b.goes(200, "Enter in the reason", chromedp.KeyEvent(kb.Enter))
	b.says("2 seats blocked", "Broken")
	w.wantCount(t, 2, "event_seats WHERE state = 'blocked' AND seat_no IN ('A2', 'B2')")
}
