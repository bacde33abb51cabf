package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// wrongClock sets the page's clock wrong by window.wrong milliseconds, at first two hours.
const wrongClock = `(() => {
	const Real = Date;
	window.wrong = 7200000;
	window.Date = class extends Real {
		constructor(...a) { if (a.length) super(...a); else super(Real.now() + window.wrong); }
		static now() { return Real.now() + window.wrong; }
	};
})()`

// left is the running countdown in seconds, -1 when it says that time is up.
func (b *tab) left() float64 {
	b.t.Helper()
	return eval[float64](b, `(t => t === 'Time is up' ? -1 : +t.split(':')[0] * 60 + parseFloat(t.split(':')[1]))(document.querySelector('.hold .left').textContent)`)
}

// wakes tells the page that it is looked at again, as after a sleep of the device.
func (b *tab) wakes() {
	b.t.Helper()
	eval[any](b, `document.dispatchEvent(new Event('visibilitychange')), 0`)
}

// The time left follows the server's clock: the device's may be wrong, may change, and
// may have slept. Warned at two minutes, nothing lost at the end.
func TestBrowserCountdown(t *testing.T) {
	t.Parallel()
	w, hall, _ := house(t)
	s := w.cinemaTrip(hall)
	b := newTab(t, chromium(t), w)
	b.everywhere(wrongClock)
	s.holdOn(b)
	hold := b.path()
	right := func(when string) {
		t.Helper()
		shown := b.left()
		if want := one[float64](w, `SELECT extract(epoch FROM expires_at - now())::float8 FROM holds WHERE id = $1`, strings.TrimPrefix(hold, "/holds/")); math.Abs(shown-want) > 2 {
			t.Errorf("%s it shows %v s left, really %.1f", when, shown, want)
		}
	}
	right("two hours wrong,")
	if got := b.text(".hold time"); got != one[string](w, `SELECT to_char(expires_at AT TIME ZONE 'UTC', 'HH24:MI') FROM holds`) {
		t.Errorf("held until %q, which is not the house's time", got)
	}

	eval[any](b, `window.wrong = -10800000, 0`)
	w.endsIn(hold, 222*time.Second)
	b.wakes()
	b.until("right again", `/^3:[0-4]\d left$/.test(document.querySelector('.hold .left').textContent)`)
	right("after sleep")
	if got := b.text(".hold time"); got != one[string](w, `SELECT to_char(expires_at AT TIME ZONE 'UTC', 'HH24:MI') FROM holds`) {
		t.Errorf("held until %q after the end moved", got)
	}
	if got := b.text(".hold [role=status]"); got != "" || eval[bool](b, `document.querySelector('.hold').classList.contains('soon')`) {
		t.Errorf("warned %q at 3:42", got)
	}

	w.endsIn(hold, 119*time.Second)
	b.wakes()
	b.until("warned", `document.querySelector('.hold').classList.contains('soon') && /^Less than 2 minutes left/.test(document.querySelector('.hold [role=status]').textContent)`)
	right("near the end")
	b.press("form[data-extend] button", 200)
	if got := b.left(); got < 590 || got > 600 {
		t.Errorf("after More time %v s are left", got)
	}
}

// At zero nothing is wiped, and one press holds the same seats again with all that was
// typed; the countdown starts anew.
func TestBrowserTimeIsUp(t *testing.T) {
	t.Parallel()
	w, hall, trip := house(t)
	browser := chromium(t)
	for name, s := range map[string]shopping{"cinema": w.cinemaTrip(hall), "bus": w.busTrip(trip)} {
		t.Run(name, func(t *testing.T) {
			b := newTab(t, browser, w)
			s.holdOn(b)
			hold := b.path()
			b.fill("#name", "Nimali Fernando")
			b.fill("#email", "nimali@")
			b.fill("#phone", "077 555 0119")
			if s.names {
				b.fill("#p-2B", "Ruwan")
			}
			eval[any](b, `(e => { e.value = 'child'; e.dispatchEvent(new Event('change', {bubbles: true})); })(document.querySelector('select[data-for]')), 0`)
			w.expire(hold)
			b.wakes()
			b.until("time is up", `document.querySelector('.hold .left').textContent === 'Time is up' && !document.querySelector('[data-again]').hidden`)
			typed := `['#name', '#email', '#phone'].map(q => document.querySelector(q).value).concat([...document.querySelectorAll('[id^=p-], select[data-for]')].map(e => e.value))`
			want := b.list(typed)
			if want[1] != "nimali@" || b.path() != hold {
				t.Errorf("at the end of the time: %q at %s", want, b.path())
			}
			b.press("[data-again] button", 200)
			if b.path() == hold || b.left() < 590 {
				t.Errorf("held again: %s with %v s", b.path(), b.left())
			}
			if got := b.list(typed); !slices.Equal(got, want) {
				t.Errorf("what was typed came back as %q, want %q", got, want)
			}
			if got := b.list(`[...document.querySelectorAll('.seat-no')].map(e => e.dataset.seat)`); !slices.Equal(got, s.seats) {
				t.Errorf("held again: %v, want %v", got, s.seats)
			}
		})
	}
	w.clean()
}

// facts of all holds, to see that nothing moved them.
func (w *world) holds() []string {
	w.t.Helper()
	return one[[]string](w, `SELECT array_agg(h.id || ' ' || h.state || ' ' || h.expires_at || ' ' || (SELECT string_agg(seat_no, ',' ORDER BY seat_no) FROM hold_seats s WHERE s.hold_id = h.id) ORDER BY h.id) FROM holds h`)
}

// Reload, Back and a second tab show the same hold and never change it.
func TestBrowserReloadBackTabs(t *testing.T) {
	t.Parallel()
	w, hall, _ := house(t)
	s := w.cinemaTrip(hall)
	s.examines = func(*tab, string) {}
	b := newTab(t, chromium(t), w)
	s.holdOn(b)
	hold, before := b.path(), w.holds()
	same := func(when string) {
		t.Helper()
		if got := w.holds(); !slices.Equal(got, before) {
			t.Errorf("%s changed the hold: %v, before %v", when, got, before)
		}
	}
	b.goes(200, "reload", chromedp.Reload())
	same("a reload")
	b.goes(200, "back", chromedp.NavigateBack())
	if got := b.ticked(); !strings.HasPrefix(b.path(), s.event) || !slices.Equal(got, s.seats) {
		t.Errorf("Back shows %s with %v ticked", b.path(), got)
	}
	if got := b.list(`[...document.querySelectorAll('.seat.mine input')].map(e => e.value)`); !slices.Equal(got, s.seats) {
		t.Errorf("Back shows %v as ours", got)
	}
	same("Back")
	b.press(".bar .btn", 200)
	if b.path() != hold {
		t.Errorf("the same seats again are at %s, were at %s", b.path(), hold)
	}
	same("Continue with the same seats")

	two := b.second()
	two.open(s.event, 200)
	if got := two.ticked(); !slices.Equal(got, s.seats) {
		t.Errorf("the second tab shows %v", got)
	}
	two.open(hold, 200)
	same("a second tab")
	if a, c := b.left(), two.left(); math.Abs(a-c) > 2 {
		t.Errorf("two tabs show %v and %v seconds", a, c)
	}
	s.details(b)
	two.goes(200, "reload", chromedp.Reload())
	if got := two.list(`[document.querySelector('#name').value]`); got[0] != "Nimali Fernando" {
		t.Errorf("the second tab has the name %q", got)
	}
	same("details")

	// Both tabs go to pay: the same page of the payment provider.
	two.open(hold+"/review", 200)
	b.press(`form[action$="/pay"] button`, 200)
	two.press(`form[action$="/pay"] button`, 200)
	if b.url() != two.url() {
		t.Errorf("two payment pages: %s and %s", b.url(), two.url())
	}
	b.goes(200, "back", chromedp.NavigateBack())
	if got := b.path(); got != hold+"/review" {
		t.Errorf("Back from the payment page shows %s", got)
	}
	same("paying")
	two.press("button[value=pay]", 200)
	b.goes(200, "reload", chromedp.Reload())
	if !strings.HasPrefix(b.path(), "/bookings/") {
		t.Errorf("after paying in the other tab: %s", b.url())
	}
	w.clean()
}

// A double click on Continue or Pay is one: one hold, one payment page.
func TestBrowserDoubleClick(t *testing.T) {
	t.Parallel()
	w, hall, trip := house(t)
	browser := chromium(t)
	for name, scripts := range map[string]bool{"with JavaScript": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			s := w.cinemaTrip(hall)
			if !scripts {
				s = w.busTrip(trip)
			}
			s.examines = func(*tab, string) {}
			b := newTab(t, browser, w)
			b.scripts(scripts)
			b.open(s.event, 200)
			for _, no := range s.seats {
				b.tap(seatBox(no))
			}
			b.twice(".bar .btn", "/holds/")
			if got := one[int](w, `SELECT count(*) FROM holds WHERE event_id = $1`, s.id); got != 1 {
				t.Errorf("%d holds", got)
			}
			s.details(b)
			before := len(w.Sim.Sessions())
			b.twice(`form[action$="/pay"] button`, w.simURL)
			if got := len(w.Sim.Sessions()) - before; got != 1 {
				t.Errorf("%d payment pages", got)
			}
			b.press("button[value=pay]", 200)
			b.says("You are booked")
		})
	}
	w.clean()
}

// twice double-clicks and waits until the address has a part.
func (b *tab) twice(css, part string) {
	b.t.Helper()
	x, y := b.reach(css)
	double := chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for n := int64(1); n <= 2; n++ {
			for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
				p := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: n}
				if _, err := cdp.Call(ctx, t, input.DispatchMouseEvent, p); err != nil {
					return err
				}
			}
		}
		return nil
	})
	b.must(chromedp.Do(b.ctx, double))
	b.until(fmt.Sprintf("came to %s", part), `location.href.includes(`+quoted(part)+`) && document.readyState === 'complete'`)
}

// Enter in a field goes on to the review, not to more time, whose button comes earlier in
// the page; and that one brings along what is typed, also without scripts.
func TestBrowserMoreTimeFromDetails(t *testing.T) {
	t.Parallel()
	w, hall, _ := house(t)
	browser := chromium(t)
	for seat, scripts := range map[string]bool{"A1": true, "B1": false} {
		t.Run(seat, func(t *testing.T) {
			b := newTab(t, browser, w)
			s := w.cinemaTrip(hall)
			s.seats = []string{seat}
			s.holdOn(b)
			hold := b.path()
			b.scripts(scripts)
			b.open(hold, 200)
			b.fill("#name", "Ada")
			b.fill("#email", "ada@example.com")
			b.press("form[data-extend] .btn", 200)
			if got := eval[string](b, `document.querySelector('#name').value + ' ' + document.querySelector('#email').value`); b.path() != hold || got != "Ada ada@example.com" {
				t.Errorf("after More time at %s: %q", b.path(), got)
			}
			b.tap("#name")
			b.goes(200, "Enter", chromedp.KeyEvent("\r"))
			if b.path() != hold+"/review" {
				t.Errorf("Enter goes to %s", b.path())
			}
		})
	}
}
