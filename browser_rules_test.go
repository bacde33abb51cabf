package main

import (
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// A choice that the house refuses, on a phone: the words come first, one press takes what
// is offered, without sideways scrolling and without a script, and axe finds nothing.
func TestBrowserHouseRules(t *testing.T) {
	t.Parallel()
	var hall, coach dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		hall, coach = dbtest.Screening(t, d, 3, 10), dbtest.Trip(t, d, 4, 3)
		set(t, d, "lonely_seat_rule", "on")
		set(t, d, "ladies_rule", "seats_and_neighbours")
		if _, err := d.Pool().Exec(t.Context(), `UPDATE layout_cells SET ladies = true WHERE layout_version_id = $1 AND seat_no = '1B'`, coach.Layout.VersionID); err != nil {
			t.Fatal(err)
		}
	}, nil)
	checker := axe(t)
	b := newTab(t, chromium(t), w)
	for _, script := range []bool{true, false} {
		b.scripts(script)
		b.size(360, 740)
		b.open(eventPath(hall.ID), 200)
		b.tap(seatBox("B2"))
		b.press(".bar .btn", 422)
		b.says("That leaves B1 alone", "Take instead:")
		if script {
			b.sound("a seat left alone", checker)
		}
		if y := eval[float64](b, `document.querySelector('[role=alert] form .btn').getBoundingClientRect().bottom`); y > 640 {
			t.Errorf("script %v: the first offer ends %v px down a screen of 740", script, y)
		}
		b.press("[role=alert] form .btn", 200)
		b.says("B1")
		b.press(".release button", 200)
	}
	b.scripts(true)
	b.open(eventPath(coach.ID), 200)
	b.tap(seatBox("1B"))
	b.press(".bar .btn", 200)
	b.says("A woman travels here")
	b.fill("#p-1B", "Ruwan")
	b.fill("#name", "Ruwan")
	b.fill("#email", "ruwan@example.com")
	b.press("form[data-details] .btn.big", 422)
	b.says("1B is kept for women")
	b.sound("a seat for women", checker)
	b.tap("#w-1B")
	b.press("form[data-details] .btn.big", 200)
	b.says("for women")
}

// The door on a phone: every verdict is sound, and the button is there to press.
func TestBrowserDoor(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	codes := w.on(t).buys(eventPath(ev.ID), "A1", "A2", "A3").codes()
	checker := axe(t)
	b := newTab(t, chromium(t), w)
	b.size(360, 740)
	b.open("/staff/login", 200)
	b.fill("#email", "manager@house.example")
	b.fill("#password", staffPassword)
	b.press("main .btn", 200)
	b.open(codes[0], 200)
	b.says("Valid")
	b.sound("valid", checker)
	b.press(`form[action="/staff/checkin"] .btn`, 200)
	b.says("Checked in", "Undo the check-in")
	b.sound("checked in", checker)
	b.open(codes[0], 200)
	b.says("Already in", "First scanned at")
	b.sound("already in", checker)
	w.exec(`UPDATE tickets SET state = 'cancelled', cancelled_at = now() WHERE seat_no = 'A2'`)
	b.open(codes[1], 200)
	b.says("Cancelled", "Do not let in")
	b.sound("cancelled", checker)
	w.exec(`INSERT INTO disputes (id, payment_id, event_id, amount, currency, status, inquiry, closed) SELECT 'dp_1', id, event_id, 3000, 'EUR', 'needs_response', false, false FROM payments`)
	b.open(codes[2], 200)
	b.press(".at-door .btn.quiet", 422)
	b.says("Ask the office first", "Please say why")
	b.sound("ask the office", checker)
	if low := b.list(`[...document.querySelectorAll('.btn.big')].filter(e => e.getBoundingClientRect().height < 48).map(e => e.outerHTML)`); len(low) > 0 {
		t.Errorf("low buttons: %v", low)
	}
}
