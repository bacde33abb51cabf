package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// typist counts the keys that are pressed.
type typist struct {
	*tab
	count int
}

func (k *typist) press(keys string, with ...chromedp.Modifier) {
	k.t.Helper()
	k.count += utf8.RuneCountInString(keys)
	k.keys(keys, with...)
}

// to goes on by Tab until the focus is on an element.
func (k *typist) to(css string) {
	k.t.Helper()
	for range 80 {
		if eval[bool](k.tab, `document.activeElement.matches(`+quoted(css)+`)`) {
			return
		}
		k.press(kb.Tab)
	}
	k.t.Fatalf("Tab does not come to %s on %s, it is at %s", css, k.url(), k.focus())
}

// enter presses Enter on what leads to another page.
func (k *typist) enter(status int64) {
	k.t.Helper()
	k.count++
	k.goes(status, "Enter", chromedp.KeyEvent(kb.Enter))
}

// drawing is a tab of a manager.
func (w *world) drawing(t *testing.T) *tab {
	t.Helper()
	b := newTab(t, chromium(t), w)
	b.signsIn()
	return b
}

// S1: a room of 12 × 16 with an aisle, from the list of plans to a published plan, by
// keyboard alone on a phone's width. The plan shows while it is typed.
func TestS1_RoomByKeyboard(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.drawing(t)
	b.open("/staff/layouts", 200)
	k := &typist{tab: b}
	k.to("main a[href='/staff/layouts/new']")
	k.enter(200)
	k.to("#name")
	k.press("Hall 1")
	for _, f := range [][2]string{{"#s0-rows", "12"}, {"#s0-seats", "16"}, {"#s0-aisles", "8"}} {
		k.to(f[0])
		k.press(f[1])
		b.seen()
	}
	b.until("the plan is shown as it is typed", `document.querySelectorAll('#look label.seat').length === 192 && document.querySelectorAll('#look .aisle').length === 12`)
	if got := b.text("#look [role=status]"); got != "192 places" {
		t.Errorf("the form says %q", got)
	}
	k.enter(200)
	if !strings.HasSuffix(b.path(), "/draft") {
		t.Fatalf("the form leads to %s", b.path())
	}
	k.to("main a[href$='/publish']")
	k.enter(200)
	k.to("main form .btn")
	k.enter(200)
	b.says("Version 1 is in use", "192 places")
	t.Logf("from the list of plans to a published plan: %d keys", k.count)
	if k.count > 80 {
		t.Errorf("it took %d keys", k.count)
	}
	w.wantCount(t, 1, "layout_versions v JOIN layouts l ON l.id = v.layout_id WHERE l.name = 'Hall 1'")
}

// Cells by keyboard: arrows, Space, Shift; letters change them, the page stays, and the
// customers' map follows.
func TestBrowserPlanByKeyboard(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	p := w.planner(t)
	plan := p.create(t, sections("Keys", map[string]string{"rows": "3", "seats": "4|4"}))
	b := w.drawing(t)
	b.open(plan+"/draft", 200)
	eval[any](b, `window.same = true`)
	if got := b.list(`[...document.querySelectorAll('#grid input')].filter(e => e.tabIndex >= 0).map(e => e.value)`); !slices.Equal(got, []string{"0-1-0"}) {
		t.Fatalf("tab stops in the grid: %v, want the first place alone", got)
	}
	at := func() string { return eval[string](b, `document.activeElement.value ?? ''`) }
	eval[any](b, `document.querySelector('#grid [tabindex="0"]:not(.scroll)').focus()`)
	b.keys(kb.ArrowRight)
	b.keys(kb.ArrowDown)
	b.keys(" ")
	b.keys(kb.ArrowRight, chromedp.ModifierShift)
	if got := at(); got != "0-2-2" {
		t.Fatalf("the focus is on %q", got)
	}
	if got := b.text("#ticked"); got != "2 cells ticked" {
		t.Errorf("it says %q", got)
	}
	b.seen()
	b.keys("w")
	b.until("two wheelchair spaces on the customers' map", `document.querySelectorAll('#look .seat.space').length === 2`)
	if got := at(); got != "0-2-2" {
		t.Errorf("after the change the focus is on %q", got)
	}
	b.keys(kb.Escape)
	b.keys(kb.End)
	b.keys("e")
	b.until("a place less", `document.querySelector('#facts').innerText.includes('23 places')`)
	b.keys(kb.Enter) // sends nothing
	b.keys("s")
	b.until("and back", `document.querySelector('#facts').innerText.includes('24 places')`)
	if !eval[bool](b, `window.same`) {
		t.Error("the page was loaded anew")
	}
	// A label that is there already: both places are marked, nothing is lost.
	b.keys(kb.Escape)
	eval[any](b, `document.querySelector('#grid input[value="0-3-0"]').focus()`)
	b.keys(" ")
	b.fill("#l-first", "2")
	b.tap("#ed .card .btn")
	b.until("refused with both places", `/row C, seat 2.*line 4, column 1.*line 4, column 2/.test(document.querySelector('#said').innerText) && document.querySelectorAll('#grid .lost').length === 2`)
	w.wantCount(t, 3, "audit_log WHERE action = 'plan_edited'")
	b.mu.Lock() // the refusal is an answer to a script here, and meant
	b.bad = slices.DeleteFunc(b.bad, func(words string) bool { return strings.HasSuffix(words, "/draft answered 422") })
	b.mu.Unlock()
}

// A brush draws with the pointer; a drag without one ticks.
func TestBrowserPlanByPointer(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	p := w.planner(t)
	plan := p.create(t, sections("Brush", map[string]string{"rows": "3", "seats": "8"}))
	b := w.drawing(t)
	b.size(1280, 900)
	b.open(plan+"/draft", 200)
	drag := func(from, to string) {
		t.Helper()
		x, y := b.reach(`#grid input[value="` + from + `"]`)
		x2, y2 := b.reach(`#grid input[value="` + to + `"]`)
		for _, m := range []struct {
			kind input.DispatchMouseEventType
			x, y float64
		}{{input.DispatchMouseEventTypeMousePressed, x, y}, {input.DispatchMouseEventTypeMouseMoved, (x + x2) / 2, y2}, {input.DispatchMouseEventTypeMouseMoved, x2, y2}, {input.DispatchMouseEventTypeMouseReleased, x2, y2}} {
			ctx, cancel := context.WithTimeout(b.ctx, patience)
			_, err := chromedp.Call(ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: m.kind, X: m.x, Y: m.y, Button: input.MouseButtonLeft, ClickCount: 1})
			cancel()
			b.must(err)
		}
	}
	drag("0-1-2", "0-1-4")
	b.until("three cells are ticked", `document.querySelector('#ticked').textContent === '3 cells ticked'`)
	b.tap(`#tools [value="make:companion"]`)
	b.until("three companion seats", `document.querySelectorAll('#look .letter').length === 3`)
	b.keys(kb.Escape)
	drag("0-1-2", "0-1-4")
	drag("0-1-2", "0-1-4") // ticked cells are unticked the same way
	b.until("none is ticked", `document.querySelector('#ticked').textContent === ''`)
	b.tap(`#tools [value="make:gap"]`)
	b.until("the button is a brush", `document.querySelector('#tools [value="make:gap"]').getAttribute('aria-pressed') === 'true'`)
	drag("0-3-1", "0-3-3")
	b.until("three places less", `document.querySelector('#facts').innerText.includes('21 places')`)
	drag("0-2-0", "0-2-2")
	b.until("and three more", `document.querySelector('#facts').innerText.includes('18 places')`)
	// A finger with the brush draws too, and does not scroll the plan meanwhile.
	b.size(360, 740)
	x, y := b.reach(`#grid input[value="0-1-0"]`)
	x2, _ := b.reach(`#grid input[value="0-1-1"]`)
	for _, m := range []struct {
		kind input.DispatchTouchEventType
		at   []*input.TouchPoint
	}{{input.DispatchTouchEventTypeTouchStart, []*input.TouchPoint{{X: x, Y: y}}}, {input.DispatchTouchEventTypeTouchMove, []*input.TouchPoint{{X: x2, Y: y}}}, {input.DispatchTouchEventTypeTouchEnd, nil}} {
		tell(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: m.kind, TouchPoints: m.at})
	}
	b.until("two more by finger", `document.querySelector('#facts').innerText.includes('16 places')`)
	if got := b.list(`[...document.querySelectorAll('#grid input:checked')].map(e => e.value)`); len(got) != 0 {
		t.Errorf("ticked after the brush: %v", got)
	}
}

// The pages are sound: axe, no sideways scroll, large targets, light and dark.
func TestBrowserPlanPages(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	checker := axe(t)
	p := w.planner(t)
	five := p.create(t, realPlans()[0].form)
	sleeper := p.create(t, realPlans()[4].form)
	p.publish(t, sleeper, nil).want(303)
	buyer := w.on(t)
	buyer.buys(eventPath(ev.ID), "A1")
	hall := w.planOf(ev)
	p.change(t, hall, 1, "make:gap", "0-0-0")
	p.publish(t, hall, nil).want(303)
	p.change(t, hall, 2, "view:on", "0-0-1")
	b := w.drawing(t)
	for _, path := range []string{
		"/staff/layouts", "/staff/layouts/new", "/staff/layouts/new?start=sleeper", five + "/draft", five + "/form", five + "/publish", sleeper, hall, hall + "/publish", hall + "/versions/1",
	} {
		b.open(path, 200)
		b.big(path)
		b.sound(path, checker)
	}
}
