package main

import (
	"slices"
	"testing"

	"holdfast/internal/stripesim"
)

// Others buy while the map is open: their seats become taken, and ticks, focus and
// scroll stay. A ticked seat that somebody else took stays ticked, says so, and the
// answer to Continue names it.
func TestBrowserLiveMap(t *testing.T) {
	t.Parallel()
	w, hall, _ := house(t)
	b := newTab(t, chromium(t), w)
	b.size(360, 500)
	b.open(eventPath(hall.ID), 200)
	b.tap(seatBox("B2"))
	b.tap(seatBox("C3"))
	b.tap(seatBox("D4"))
	state := `[scrollX, scrollY, document.querySelector('.scroll').scrollLeft, document.activeElement.value].join(' ')`
	before, bar := b.list(`[` + state + `]`)[0], b.text(".bar")
	if b.focus() != "D4" || eval[float64](b, `scrollY`) == 0 {
		t.Fatalf("the test needs a focused seat and a scrolled page, has %s", before)
	}
	other := w.on(t)
	other.choose(eventPath(hall.ID), "A1", "C3", "D4", "D5").want(303)

	b.wakes()
	b.until("A1 and D5 are taken", `['A1', 'D5'].every(no => !document.querySelector('#s-' + no + ' input') && document.querySelector('#s-' + no + '.taken'))`)
	if got := b.ticked(); !slices.Equal(got, []string{"B2", "C3", "D4"}) {
		t.Errorf("ticked: %v", got)
	}
	if got := b.list(`[` + state + `]`)[0]; got != before {
		t.Errorf("place and focus were %q, are %q", before, got)
	}
	if got := b.text(".bar"); got != bar {
		t.Errorf("the bar was %q, is %q", bar, got)
	}
	if got := b.list(`[...document.querySelectorAll('.seat.lost input:checked')].map(e => e.value)`); !slices.Equal(got, []string{"C3", "D4"}) {
		t.Errorf("marked as lost: %v", got)
	}
	b.until("said", `/was just taken by somebody else/.test(document.querySelector('form[data-seats] [role=status]').textContent)`)
	if got := b.text("#free"); got != "32 of 36 free" {
		t.Errorf("free: %q", got)
	}
	if got := b.named(`[role=group][data-row=D]`); got != "Row D, 7 free" {
		t.Errorf("row D says %q", got)
	}

	// It comes back: no longer lost. Then it is taken for good and given up here.
	other.choose(eventPath(hall.ID), "C3").want(303)
	b.wakes()
	b.until("D4 is free again", `document.querySelectorAll('.seat.lost').length === 1 && document.querySelector('#s-A1 input')`+` !== null`)
	b.tap(seatBox("C3"))
	b.tap(seatBox("B2"))
	b.until("C3 is taken once it is let go", `!document.querySelector('#s-C3 input')`)
	b.tap(seatBox("B2"))
	b.tap(seatBox("B3"))
	other.choose(eventPath(hall.ID), "B3").want(303)
	b.press(".bar .btn", 409)
	if got := b.attributes("data-lost"); !slices.Equal(got, []string{"B3"}) {
		t.Errorf("lost: %v", got)
	}
	if got := b.ticked(); !slices.Equal(got, []string{"B2", "D4"}) {
		t.Errorf("still ticked: %v", got)
	}
	if got := one[int](w, `SELECT count(*) FROM holds WHERE state = 'active'`); got != 1 {
		t.Errorf("%d holds: a part was held silently", got)
	}
	w.clean()
}

// Somebody pays after the time of the hold: the seat is neither free nor sold yet, and
// the page says just that.
func TestBrowserBeingPaidFor(t *testing.T) {
	t.Parallel()
	w, hall, _ := house(t)
	checker := axe(t)
	payer := w.on(t)
	b := newTab(t, chromium(t), w)
	b.open(eventPath(hall.ID), 200)
	b.tap(seatBox("B2"))
	b.tap(seatBox("B3"))
	payer.paying(eventPath(hall.ID), "B3")
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.NetworkDown}})
	w.exec(`UPDATE holds SET expires_at = now() - interval '2 minutes'`)
	b.press(".bar .btn", 409)
	b.says("Seat B3 is being paid for right now", "B2 is still free and still ticked", "Nothing is held and nothing was charged")
	if got := b.attributes("data-lost"); !slices.Equal(got, []string{"B3"}) {
		t.Errorf("lost: %v", got)
	}
	if got := b.ticked(); !slices.Equal(got, []string{"B2"}) {
		t.Errorf("still ticked: %v", got)
	}
	b.sound("being paid for", checker)
}
