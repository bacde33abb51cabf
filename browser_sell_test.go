package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tillTab is a tab at the counter, signed in, on a desk.
func (w *world) tillTab(t *testing.T) *tab {
	t.Helper()
	b := newTab(t, chromium(t), w)
	b.signIn("cashier")
	b.size(1280, 900)
	return b
}

// press counts the keys that a person strikes.
type strokes struct {
	*tab
	n int
}

func (k *strokes) key(key string, with ...chromedp.Modifier) {
	k.n++
	k.keys(key, with...)
}

// B1: two adults in cash for the next event, no personal data, by at most six keys, each a
// real one, struck without waiting. The change stands in digits of 40 px and more.
func TestB1_TwoAdultsInSixKeys(t *testing.T) {
	t.Parallel()
	w, ev := counterHouse(t)
	k := &strokes{tab: w.tillTab(t)}
	k.open("/staff/sell", 200)
	k.key("2")
	k.key(kb.F1)
	k.key(kb.Enter)
	k.n++
	k.goes(200, "Enter sells", chromedp.KeyEvent(kb.Enter))
	if k.n > 6 {
		t.Errorf("%d keys, want 6 at most", k.n)
	}
	t.Logf("%d keys", k.n)
	k.says("Sold", "EUR 20.00", "Next customer")
	w.wantCount(t, 1, "bookings WHERE name = '' AND email = '' AND phone = '' AND total = 2000")
	w.wantCount(t, 2, "tickets WHERE event_id = $1 AND ticket_type = 'adult'", ev.ID)

	// The next customer by one key: a fresh form. Three children, one taken off, and cash.
	k.goes(200, "N is the next customer", chromedp.KeyEvent("n"))
	if got := k.ticked(); len(got) != 0 {
		t.Errorf("the next customer finds %v", got)
	}
	k.keys("3")
	k.keys(kb.F2)
	k.keys(kb.F2, chromedp.ModifierShift)
	if got := k.ticked(); len(got) != 2 {
		t.Errorf("two children sit on %v", got)
	}
	k.keys(kb.Enter)
	k.keys("50")
	k.until("the change is worked out", `document.querySelector('.due output').textContent === '38.00'`)
	if px := eval[float64](k.tab, `parseFloat(getComputedStyle(document.querySelector('.due output')).fontSize)`); px < 40 {
		t.Errorf("the change is %v px high", px)
	}
	k.goes(200, "Enter in the amount sells", chromedp.KeyEvent(kb.Enter))
	k.says("EUR 50.00 given", "38.00")
	if high := eval[float64](k.tab, `document.querySelector('.till-bar').offsetHeight`); high > 64 {
		t.Errorf("the bar above a sale is %v px high", high)
	}
	if px := eval[float64](k.tab, `parseFloat(getComputedStyle(document.querySelector('.due output')).fontSize)`); px < 40 {
		t.Errorf("the change on the sale's page is %v px high", px)
	}
	w.clean()
}

// A double Enter, Back and a second tab with the same form sell once.
func TestBrowserSellsOnce(t *testing.T) {
	t.Parallel()
	w, _ := counterHouse(t)
	b := w.tillTab(t)
	b.open("/staff/sell", 200)
	b.keys("2")
	b.keys(kb.F1)
	b.keys(kb.Enter)
	// Two Enters in the same moment, and the form a third time, past the script's guard.
	form := eval[string](b, `new URLSearchParams(new FormData(document.querySelector('form.sale'))).toString() + '&act=cash'`)
	b.goes(200, "two Enters at once", chromedp.KeyEvent(kb.Enter+kb.Enter))
	b.says("Sold")
	at := b.path()
	if got := eval[string](b, `fetch('/staff/sell', {method: 'POST', body: new URLSearchParams(`+quoted(form)+`)}).then(r => new URL(r.url).pathname)`); got != at {
		t.Errorf("the same form again leads to %s, want %s", got, at)
	}
	w.wantCount(t, 1, "bookings")
	eval[any](b, `history.back(); 0`)
	b.until("the counter again", `document.querySelector('form.sale') !== null && document.readyState === 'complete' && !document.querySelector('input[name=seat]:checked')`)
	b.keys(kb.Enter)
	b.keys(kb.Enter)
	b.until("nothing is chosen", `document.querySelector('[data-problem]').textContent.includes('How many?')`)

	// A second tab with the same choice: its seats are gone, and it says so.
	b.open("/staff/sell", 200)
	b.keys("1")
	b.keys(kb.F1)
	other := b.second()
	other.size(1280, 900)
	other.open("/staff/sell", 200)
	other.keys("1")
	other.keys(kb.F1)
	b.keys(kb.Enter)
	b.goes(200, "the first tab sells", chromedp.KeyEvent(kb.Enter))
	eval[any](other, `document.querySelector('form.sale').dataset.poll = '/staff/sell/seats?event=0'; 0`) // it did not look since
	other.keys(kb.Enter)
	other.goes(409, "the second tab does not", chromedp.KeyEvent(kb.Enter))
	other.says("was just taken", "Nothing was sold")
	w.wantCount(t, 2, "bookings")
	w.clean()
}

// The map by keyboard alone: one tab stop, arrows, Space; a ticket comes and goes with its
// seat. F8, F9, F10, Alt+S, Esc and ? do what the overlay says.
func TestBrowserSellKeys(t *testing.T) {
	t.Parallel()
	w, _ := counterHouse(t)
	b := w.tillTab(t)
	b.open("/staff/sell", 200)
	if got := b.list(`[...document.querySelectorAll('input[name=seat]')].filter(e => e.tabIndex >= 0).map(e => e.value)`); len(got) != 1 {
		t.Errorf("tab stops on the map: %v", got)
	}
	b.keys(kb.ArrowRight)
	for _, step := range []struct{ key, want string }{{kb.ArrowRight, "A2"}, {kb.ArrowDown, "B2"}, {kb.End, "B8"}, {kb.Home, "B1"}, {kb.ArrowUp, "A1"}} {
		b.keys(step.key)
		if got := b.focus(); got != step.want {
			t.Fatalf("%q leads to %s, want %s", step.key, got, step.want)
		}
	}
	b.keys(" ")
	b.keys(kb.ArrowRight)
	b.keys(" ")
	count := func() string { return eval[string](b, `document.querySelector('[name="n.adult"]').value`) }
	if got := b.ticked(); !slices.Equal(got, []string{"A1", "A2"}) || count() != "2" {
		t.Errorf("ticked %v for %s adults", got, count())
	}
	b.keys(" ")
	if got := b.ticked(); !slices.Equal(got, []string{"A1"}) || count() != "1" {
		t.Errorf("ticked %v for %s adults", got, count())
	}
	for _, c := range []struct {
		key, focus string
		with       chromedp.Modifier
	}{{kb.F8, "find", 0}, {kb.F9, "label", 0}, {kb.F10, "pay-card", 0}, {"s", "split", chromedp.ModifierAlt}} {
		b.keys(c.key, c.with)
		if got := b.focus(); got != c.focus {
			t.Errorf("%q leads to %s, want %s", c.key, got, c.focus)
		}
	}
	b.keys("4")
	b.until("the rest is said", `document.querySelector('[data-rest]').textContent.includes('EUR 6.00')`)
	b.goes(200, "Enter in the split sells", chromedp.KeyEvent(kb.Enter))
	b.says("Cash", "EUR 4.00", "Card", "EUR 6.00")

	b.open("/staff/sell", 200)
	b.keys("?")
	b.until("the keys are shown", `document.querySelector('#keys').matches(':popover-open')`)
	b.keys(kb.Escape)
	b.until("the keys are gone", `!document.querySelector('#keys').matches(':popover-open')`)
	b.keys("2")
	b.keys(kb.F1)
	b.keys(kb.Enter)
	if got := b.focus(); got != "given" {
		t.Errorf("accepted, the focus is on %s", got)
	}
	b.keys(kb.Escape) // back to the seats
	b.keys(kb.Escape) // and to nothing
	if got := b.ticked(); len(got) != 0 {
		t.Errorf("after two steps back %v are ticked", got)
	}
	w.wantCount(t, 1, "bookings")
	b.keys("2")
	b.keys(kb.F1)
	b.keys(kb.F9)
	b.keys("red jacket")
	b.goes(200, "Enter in the name holds", chromedp.KeyEvent(kb.Enter))
	b.says("Held", "red jacket")
	w.clean()
}

// Others' sales show within seconds; ticks and focus stay where they are.
func TestBrowserSellLive(t *testing.T) {
	t.Parallel()
	w, ev := counterHouse(t)
	b := w.tillTab(t)
	b.open("/staff/sell", 200)
	b.tap(seatBox("A3"))
	b.tap(seatBox("A4"))
	w.exec(`UPDATE event_seats SET state = 'blocked' WHERE seat_no IN ('A4', 'B1')`)
	w.on(t).choose(eventPath(ev.ID), "C1").want(303)
	b.until("a held seat is dressed", `document.querySelector('#s-C1').classList.contains('held')`)
	b.until("a blocked one too", `document.querySelector('#s-B1').classList.contains('blocked')`)
	b.until("a chosen one that is gone says so", `document.querySelector('#s-A4').classList.contains('lost') && document.querySelector('[data-problem]').textContent.includes('A4 was just taken')`)
	if got := b.ticked(); !slices.Equal(got, []string{"A3", "A4"}) || b.focus() != "A4" {
		t.Errorf("ticked %v, focus on %s", got, b.focus())
	}
}

// The counter's pages in every state: axe in light and dark, 320 and 360 px.
func TestBrowserSellLook(t *testing.T) {
	t.Parallel()
	w, ev := counterHouse(t)
	checker := axe(t)
	w.exec(`WITH b AS (INSERT INTO seat_blocks (event_id, reason, actor) VALUES ($1, 'Broken armrest', 'test') RETURNING id)
		UPDATE event_seats SET state = 'blocked', block_id = b.id FROM b WHERE event_id = $1 AND seat_no IN ('C1', 'C2')`, ev.ID)
	w.on(t).choose(eventPath(ev.ID), "A1").want(303)
	b := newTab(t, chromium(t), w)
	b.signIn("cashier")
	looks := func(name string, words ...string) {
		t.Helper()
		b.says(words...)
		b.sound(name, checker)
		b.big(name)
	}
	b.open("/staff/sell?n.adult=2", 200)
	looks("proposed", "Salt Road", "2 × Adult")
	b.tap("#pay-menu > summary")
	b.tap("#hold-menu > summary")
	b.tap("#names > summary")
	looks("all unfolded", "Give free", "By phone", "E-mail")
	b.fill("#label", "Red jacket with a very long name that has no end in sight")
	b.press(`[value=hold]`, 200)
	looks("held", "On hold here")
	b.open("/staff/sell", 200)
	b.tap(seatBox("C1"))
	b.press(`[data-cash]`, 422)
	looks("a blocked seat", "C1 is blocked: Broken armrest")
	b.press(`[role=alert] [name=act]`, 200)
	looks("sold", "Sold")
	b.open("/staff/sell?n.adult=1", 200)
	b.tap("#pay-menu > summary")
	b.press(`[value=link]`, 200)
	looks("payment link", "Pay by phone")
	w.paysLink(t)
	b.until("the page goes on by itself", `location.pathname.startsWith('/staff/sales/')`)
	b.says("Paid by phone")
	w.exec(`UPDATE events SET business_day = business_day_of(now()) + 1`)
	b.open("/staff/sell?event="+itoa(ev.ID), 200)
	looks("tomorrow", "SELLING FOR TOMORROW")
	b.open("/staff/sell", 200)
	looks("nothing today", "Nothing more is for sale today")
	b.size(1280, 900)
	b.open("/staff/sell?event="+itoa(ev.ID), 200)
	if wide := eval[bool](b, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("the desk's page scrolls sideways")
	}
	if got := b.text(".tomorrow"); !strings.Contains(got, "TOMORROW") {
		t.Errorf("the banner says %q", got)
	}
}

// Without JavaScript on a phone: how many, the price, cash.
func TestBrowserSellWithoutScripts(t *testing.T) {
	t.Parallel()
	w, _ := counterHouse(t)
	b := newTab(t, chromium(t), w)
	b.scripts(false)
	b.signIn("cashier")
	b.open("/staff/sell", 200)
	b.fill(`[name="n.adult"]`, "2")
	b.goes(200, "Enter shows the price", chromedp.KeyEvent(kb.Enter))
	b.says("2 × Adult", "EUR 20.00")
	w.wantCount(t, 0, "bookings")
	b.fill("#given", "30")
	b.press("[data-cash]", 200)
	b.says("Sold", "10.00")
	w.wantCount(t, 1, "bookings WHERE total = 2000")
	w.clean()
}
