package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// phoneLine is a slow line of a telephone: 1.6 Mbit/s down, 150 ms.
func (b *tab) phoneLine() {
	b.t.Helper()
	tell(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{
		{Latency: 150, DownloadThroughput: 1.6e6 / 8, UploadThroughput: 750e3 / 8},
	}})
}

// observed sums or ends a kind of performance entries of the page so far.
func (b *tab) observed(kind, each string) float64 {
	b.t.Helper()
	return eval[float64](b, `new Promise(done => {
		let v = 0;
		const all = list => { for (const e of list) `+each+` };
		const o = new PerformanceObserver(l => all(l.getEntries()));
		o.observe({type: '`+kind+`', buffered: true});
		requestAnimationFrame(() => setTimeout(() => { all(o.takeRecords()); done(v); }));
	})`)
}

func (b *tab) shifts() float64 {
	b.t.Helper()
	return b.observed("layout-shift", "{ if (!e.hadRecentInput) v += e.value; }")
}

// A seat page of 300 seats is light, quick on a slow line, and stands still.
func TestBrowserWeight(t *testing.T) {
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 15, 20) }, nil)
	b := newTab(t, chromium(t), w)
	b.phoneLine()
	visit := func() (requests, bytes, html int) {
		b.line()
		b.open(eventPath(ev.ID), 200)
		b.until("loaded", `document.readyState === 'complete' && document.querySelectorAll('input[name=seat]').length === 300`)
		for _, a := range b.line() {
			if a.fromDisk || a.bytes == 0 {
				continue
			}
			requests++
			bytes += a.bytes
			if a.kind == network.ResourceTypeDocument {
				html = a.body
			}
		}
		return requests, bytes, html
	}
	requests, bytes, html := visit()
	lcp := b.observed("largest-contentful-paint", "v = e.startTime;")
	cls := b.shifts()
	t.Logf("300 seats, first visit: %d requests, %d bytes, HTML %d bytes; LCP %.0f ms at 1.6 Mbit/s and 150 ms; layout shift %.4f", requests, bytes, html, lcp, cls)
	if requests < 2 || requests > 5 || bytes > 40<<10 || html < 1000 || html > 10<<10 {
		t.Errorf("first visit: %d requests, %d bytes, HTML %d bytes; at most 5, 40 KB, 10 KB", requests, bytes, html)
	}
	if lcp <= 0 || lcp > 2500 {
		t.Errorf("largest paint after %.0f ms, at most 2500", lcp)
	}
	if cls > 0.02 {
		t.Errorf("the page moves by %.4f, at most 0.02", cls)
	}
	requests, bytes, _ = visit()
	t.Logf("second visit: %d requests, %d bytes; layout shift %.4f", requests, bytes, b.shifts())
	if requests < 1 || requests > 2 || bytes > 8<<10 {
		t.Errorf("second visit: %d requests, %d bytes; at most 8 KB", requests, bytes)
	}

	s := shopping{w: w, event: eventPath(ev.ID), seats: []string{"G9", "G10"}, id: ev.ID, total: "2000", examines: func(b *tab, name string) {
		if cls := b.shifts(); cls > 0.02 {
			t.Errorf("%s moves by %.4f, at most 0.02", name, cls)
		}
	}}
	s.holdOn(b)
	s.examines(b, "hold")
	s.details(b)
	s.pays(b)
}

// small lists elements that are smaller than a finger needs.
func (b *tab) small(css string, width, height float64) []string {
	b.t.Helper()
	return b.list(fmt.Sprintf(`[...document.querySelectorAll(%s)].filter(e => e.checkVisibility()).map(e => [e, e.getBoundingClientRect()])
		.filter(([, r]) => r.width < %v - .01 || r.height < %v - .01).map(([e, r]) => e.outerHTML.slice(0, 80) + ' ' + r.width + ' × ' + r.height).slice(0, 5)`, quoted(css), width, height))
}

// The demo's halls and coaches, with everything a map can have: targets are big enough,
// the first seats are in view without scrolling, all of it sound.
func TestBrowserDemo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, map[string]string{"DEMO": "1"})
	checker := axe(t)
	b := newTab(t, chromium(t), w)
	for name, path := range map[string]string{
		"what is on": "/", "trips": w.search(), "mail outbox": "/demo/outbox",
	} {
		b.open(path, 200)
		b.sound("demo, "+name, checker)
		b.big(name)
	}
	for _, c := range []struct {
		name   string
		layout string
		target float64
	}{
		{"hall of 300", "count(*) = 300", 28}, {"small hall", "e.kind = 'screening' AND count(*) < 300", 28},
		{"coach", "e.kind = 'trip' AND count(DISTINCT s.seat_no) > 40", 38}, {"sleeper", "e.kind = 'trip' AND count(DISTINCT s.seat_no) < 40", 44},
	} {
		path := w.demoEvent(c.layout)
		b.open(path, 200)
		for _, size := range []string{"normal", "large"} {
			b.tap(`[name=size][value=` + size + `]`)
			if got := b.small(".map label.seat", c.target, c.target); len(got) > 0 {
				t.Errorf("%s, %s: seats smaller than %v px: %s", c.name, size, c.target, strings.Join(got, "\n"))
			}
		}
		b.tap(`[name=size][value=normal]`)
		b.big(c.name)
		b.size(360, 640)
		b.open(path, 200)
		if got := eval[string](b, `(() => {
			const seat = [...document.querySelectorAll('.map .row .seat')].map(e => e.getBoundingClientRect()).filter(r => r.left >= 0 && r.right <= innerWidth)[0], bar = document.querySelector('.bar').getBoundingClientRect();
			return scrollY === 0 && seat && seat.bottom <= bar.top ? '' : 'seat ends at ' + seat?.bottom + ', the bar begins at ' + bar.top;
		})()`); got != "" {
			t.Errorf("%s: no seat in view at 360 × 640: %s", c.name, got)
		}
		b.sound(c.name, checker)
	}
}

// big checks the main buttons and that no link of the page is tiny.
func (b *tab) big(name string) {
	b.t.Helper()
	if got := b.small(".btn, select.input, input.input", 24, 48); len(got) > 0 {
		b.t.Errorf("%s: controls lower than 48 px: %s", name, strings.Join(got, "\n"))
	}
}

// demoEvent is the seat page of a demo event that is not about to begin, has enough free
// seats and fits a condition on its seats.
func (w *world) demoEvent(having string) string {
	w.t.Helper()
	return eventPath(one[int64](w, `SELECT e.id FROM events e JOIN event_seats s ON s.event_id = e.id WHERE e.status = 'published' AND e.starts_at > now() + interval '6 hours'
		GROUP BY e.id HAVING count(*) FILTER (WHERE s.state = 'available') > 20 AND `+having+` ORDER BY e.starts_at LIMIT 1`))
}

// search is the address of the demo's trips of tomorrow.
func (w *world) search() string {
	w.t.Helper()
	return one[string](w, `SELECT format('/?origin=%s&destination=%s&date=%s', min(a.place_id), min(z.place_id), to_char(now() + interval '1 day', 'YYYY-MM-DD'))
		FROM events e JOIN event_stops a ON a.event_id = e.id AND a.stop_no = 0 JOIN event_stops z ON z.event_id = e.id AND z.stop_no = e.last_stop
		WHERE e.id = (SELECT min(id) FROM events WHERE kind = 'trip' AND starts_at > now())`)
}

// look is what one sees of a seat without its colours: edges, corners and marks.
const look = `(css => {
	const e = document.querySelector(css);
	if (!e) return 'none of ' + css;
	const s = getComputedStyle(e), edge = side => {
		const c = s['border' + side + 'Color'], seen = c !== 'transparent' && !/^rgba\(.*, 0\)$/.test(c);
		return seen && parseFloat(s['border' + side + 'Width']) ? s['border' + side + 'Style'] + ' ' + s['border' + side + 'Width'] : 'no edge';
	};
	const mark = pseudo => { const c = getComputedStyle(e, pseudo).content; return c === 'none' || c === 'normal' ? '' : c; };
	const number = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) && parseFloat(s.fontSize) > 0;
	return [edge('Top'), edge('Bottom'), s.borderTopLeftRadius, mark('::before'), mark('::after'), number ? 'number' : e.querySelector('.g, .letter')?.className ?? ''].join(' | ');
})`

// The states of a seat differ in shape and mark, not in colour alone: also in greyscale,
// in print and where the system forces its own colours.
func TestBrowserStates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, map[string]string{"DEMO": "1"})
	b := newTab(t, chromium(t), w)
	hall, sleeper := w.demoEvent("count(*) = 300"), w.demoEvent("e.kind = 'trip' AND count(DISTINCT s.seat_no) < 40")
	b.open(hall, 200)
	own := b.list(`[...document.querySelectorAll('label.seat:not(.z2, .z3, .space) input')].slice(0, 1).map(e => e.value)`)[0]
	b.tap(seatBox(own))
	b.press(".bar .btn", 200)
	for _, media := range []string{"prefers-color-scheme=light", "prefers-color-scheme=dark", "forced-colors=active"} {
		b.open(hall, 200)
		b.media(media, "prefers-reduced-motion=reduce")
		b.tap("label.seat:not(.z2, .z3, .space, .mine):not(:has(.letter))")
		seen := map[string]string{}
		differ := func(state, css string) {
			t.Helper()
			l := eval[string](b, look+`(`+quoted(css)+`)`)
			if other, same := seen[l]; same || strings.HasPrefix(l, "none of") {
				t.Errorf("%s: %q looks like %q: %s", media, state, other, l)
			}
			seen[l] = state
		}
		differ("free", ".map label.seat:not(.z2, .z3, .space, .mine):not(:has(:checked)):not(:has(.letter))")
		differ("free, zone 2", ".map label.seat.z2:not(.space):not(:has(.letter))")
		differ("free, zone 3", ".map label.seat.z3:not(.space):not(:has(.letter))")
		differ("wheelchair", ".map label.seat.space")
		differ("companion", ".map label.seat:has(.letter)")
		differ("chosen", ".map label.seat:has(:checked):not(.mine)")
		differ("held by us", ".map label.seat.mine:has(:checked)")
		differ("taken", ".map span.seat.taken")
		b.open(sleeper, 200)
		differ("ladies", ".map label.seat.ladies:not(:has(:checked))")
	}
}
