package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focus names what has the focus: a seat's number, else an id or a tag with its words.
func (b *tab) focus() string {
	b.t.Helper()
	return eval[string](b, `(e => e.name === 'seat' ? e.value : e.id || e.tagName.toLowerCase() + ' ' + e.textContent.replace(/\s+/g, ' ').trim())(document.activeElement)`)
}

// seen checks that the focused thing is on the screen and not under what sticks to its
// edges: the countdown above, the total below.
func (b *tab) seen() {
	b.t.Helper()
	hidden := eval[string](b, `(() => {
		const e = document.activeElement, r = (e.closest('label') ?? e).getBoundingClientRect(), bar = document.querySelector('.bar')?.getBoundingClientRect();
		if (e.closest('.bar') || e === document.body || r.height > innerHeight / 2) return ''; // what is as high as the screen cannot be all on it
		if (r.bottom > innerHeight + .5 || r.top < -.5) return 'off the screen: ' + r.top + ' to ' + r.bottom;
		const strip = document.querySelector('.hold')?.getBoundingClientRect();
		if (strip && !e.closest('.hold, .skip') && r.top < strip.bottom - .5 && r.bottom > strip.top) return 'under the countdown: ' + r.top + ' < ' + strip.bottom;
		return bar && r.bottom > bar.top + .5 ? 'under the bar: ' + r.bottom + ' > ' + bar.top : '';
	})()`)
	if hidden != "" {
		b.t.Errorf("the focus on %s is %s", b.focus(), hidden)
	}
}

// The purchase by keyboard alone: one tab stop on the map, arrows go where they point to,
// also across the aisle, Space ticks, Enter on a seat sends nothing.
func TestBrowserKeyboard(t *testing.T) {
	t.Parallel()
	w, hall, trip := house(t)
	b := newTab(t, chromium(t), w)
	b.open(eventPath(trip.ID)+"?from=1&to=3", 200)
	if got := b.list(`[...document.querySelectorAll('input[name=seat]')].filter(e => e.tabIndex >= 0).map(e => e.value)`); !slices.Equal(got, []string{"1A"}) {
		t.Errorf("tab stops on the map: %v, want the first seat alone", got)
	}
	b.keys(kb.Tab)
	if got := b.focus(); got != "a Skip to content" {
		t.Errorf("the first tab stop is %q", got)
	}
	b.keys(kb.Tab)
	if got := b.focus(); got != "a Skip the seat map" {
		t.Errorf("the second tab stop is %q", got)
	}
	b.tabTo("1A")
	for _, step := range []struct{ key, want string }{
		{kb.ArrowRight, "1B"}, {kb.ArrowRight, "1C"}, {kb.ArrowDown, "2C"}, {kb.ArrowLeft, "2B"}, {kb.ArrowUp, "1B"}, {kb.ArrowUp, "1B"},
		{kb.End, "1D"}, {kb.ArrowRight, "1D"}, {kb.Home, "1A"}, {kb.ArrowDown, "2A"}, {kb.ArrowDown, "3A"}, {kb.ArrowDown, "4A"},
		{kb.ArrowDown, "5A"}, {kb.ArrowDown, "6A"}, {kb.ArrowDown, "6A"},
	} {
		b.keys(step.key)
		if got := b.focus(); got != step.want {
			t.Fatalf("%q leads to %s, want %s", step.key, got, step.want)
		}
		b.seen()
	}
	b.keys(" ")
	if got := b.ticked(); !slices.Equal(got, []string{"6A"}) {
		t.Errorf("Space ticks %v", got)
	}
	b.until("said once, in full", `document.querySelector('form[data-seats] [role=status]').textContent === '1 seat chosen: 6A. Total EUR 20.00.'`)
	b.keys(kb.Enter)
	b.keys(kb.ArrowRight)
	b.keys(" ")
	b.until("said once, in full", `document.querySelector('form[data-seats] [role=status]').textContent === '2 seats chosen: 6A, 6B. Total EUR 40.00.'`)
	if got := b.path(); !strings.HasPrefix(got, "/events/") || one[int](w, `SELECT count(*) FROM holds`) != 0 {
		t.Fatalf("Enter on a seat went to %s", got)
	}
	b.keys(kb.Tab)
	if got := b.focus(); got != "button Continue" {
		t.Errorf("after the map comes %q, want Continue", got)
	}
	b.keys(kb.Tab, chromedp.ModifierShift)
	if got := b.focus(); got != "6B" {
		t.Errorf("going back leads to %s, not to the seat", got)
	}
	b.keys(kb.Tab)
	b.goes(200, "Enter on Continue", chromedp.KeyEvent(kb.Enter))

	for _, f := range []struct{ field, text string }{
		{"p-6A", "Nimali Fernando"}, {"p-6B", "Ruwan Fernando"}, {"name", "Nimali Fernando"}, {"phone", "077 555 0119"}, {"email", "nimali@example.com"},
	} {
		b.tabTo(f.field)
		b.keys(f.text)
	}
	b.tabTo("button Review your order")
	b.goes(200, "Enter on Review", chromedp.KeyEvent(kb.Enter))
	b.tabTo("button Pay EUR 40.00")
	b.goes(200, "Enter on Pay", chromedp.KeyEvent(kb.Enter))
	b.tabTo("button Pay EUR 40.00")
	b.goes(200, "Enter on the payment page", chromedp.KeyEvent(kb.Enter))
	b.says("You are booked")
	b.tabEverywhere(t)

	b.open(eventPath(hall.ID), 200)
	b.tabEverywhere(t)
	eval[any](b, `(status => {
		window.said = [];
		new MutationObserver(() => said.push(status.textContent)).observe(status, {childList: true});
		for (const no of ['A1', 'A2', 'B1']) document.querySelector('input[value=' + no + ']').click();
	})(document.querySelector('form[data-seats] [role=status]')), 0`)
	b.until("said", `said.length > 0`)
	if got := b.list(`said`); !slices.Equal(got, []string{"3 seats chosen: A1, A2, B1. Total EUR 30.00."}) {
		t.Errorf("three quick choices are announced as %q", got)
	}
	w.clean()
}

// tabTo presses Tab until something has the focus, and looks at each stop.
func (b *tab) tabTo(what string) {
	b.t.Helper()
	var stops []string
	for range 40 {
		b.keys(kb.Tab)
		b.seen()
		stops = append(stops, b.focus())
		if stops[len(stops)-1] == what {
			return
		}
	}
	b.t.Fatalf("Tab does not come to %q on %s, but to %q", what, b.url(), stops)
}

// tabEverywhere walks once through all stops of a page.
func (b *tab) tabEverywhere(t *testing.T) {
	t.Helper()
	eval[any](b, `document.activeElement.blur(), 0`)
	stops := 0
	for b.keys(kb.Tab); stops < 60 && b.focus() != "body"; b.keys(kb.Tab) {
		if eval[bool](b, `document.activeElement === document.body`) {
			break
		}
		b.seen()
		stops++
	}
	if stops < 4 {
		t.Errorf("%s has %d tab stops", b.url(), stops)
	}
}

// Every seat says its row, its number and what it costs; a row says how many are free.
func TestBrowserSeatNames(t *testing.T) {
	t.Parallel()
	w, hall, trip := house(t)
	b := newTab(t, chromium(t), w)
	w.on(t).choose(eventPath(hall.ID), "B2").want(303)
	for _, c := range []struct{ path, seat, name, row string }{
		{eventPath(hall.ID), "D5", "Row D, seat 5, Premium, EUR 15.00", "Row D, 9 free"},
		{eventPath(hall.ID), "B9", "Row B, seat 9, Standard, EUR 10.00", "Row B, 8 free"},
		{eventPath(trip.ID) + "?from=1&to=3", "2B", "Seat 2B, aisle, EUR 20.00", "Row 2, 4 free"},
		{eventPath(trip.ID) + "?from=1&to=3", "2D", "Seat 2D, window, EUR 20.00", "Row 2, 4 free"},
	} {
		b.open(c.path, 200)
		name, row := b.named(seatBox(c.seat)), b.named(`[role=group]:has(`+seatBox(c.seat)+`)`)
		if !strings.HasPrefix(name, c.name) || row != c.row {
			t.Errorf("seat %s is called %q in %q, want %q in %q", c.seat, name, row, c.name, c.row)
		}
	}
}

// S4: D5 and D6 by keyboard alone, without colours, at 400 % of a desk's screen and without
// JavaScript: every seat is a tab stop then, and the skip link passes the map.
func TestS4_KeyboardGreyscaleZoomNoScripts(t *testing.T) {
	t.Parallel()
	w, hall, _ := house(t)
	b := newTab(t, chromium(t), w)
	b.scripts(false)
	b.size(320, 256) // 1280 × 1024 at 400 %
	b.must(chromedp.Do(b.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedVisionDeficiency, emulation.SetEmulatedVisionDeficiencyParams{Type: emulation.SetEmulatedVisionDeficiencyTypeAchromatopsia})
		return err
	})))
	b.open(eventPath(hall.ID), 200)
	b.tabTo("D5")
	b.keys(" ")
	b.keys(kb.Tab)
	if got := b.focus(); got != "D6" {
		t.Fatalf("after D5 comes %s", got)
	}
	b.keys(" ")
	if got := b.ticked(); !slices.Equal(got, []string{"D5", "D6"}) {
		t.Fatalf("ticked %v", got)
	}
	b.upright("the map at 400 %")
	b.tabTo("button Continue")
	b.goes(200, "Enter on Continue", chromedp.KeyEvent(kb.Enter))
	b.tabTo("name")
	b.keys("Nimali Fernando")
	b.tabTo("email")
	b.keys("nimali@example.com")
	b.tabTo("button Review your order")
	b.goes(200, "Enter on Review", chromedp.KeyEvent(kb.Enter))
	b.tabTo("button Pay EUR 30.00")
	b.goes(200, "Enter on Pay", chromedp.KeyEvent(kb.Enter))
	b.tabTo("button Pay EUR 30.00")
	b.goes(200, "Enter on the payment page", chromedp.KeyEvent(kb.Enter))
	b.says("You are booked")
	w.wantCount(t, 2, "tickets WHERE state = 'valid' AND seat_no IN ('D5', 'D6')")
	w.clean()
}
