package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	devpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a tab may take for one step.
const patience = 30 * time.Second

// chromium starts a browser for one test, with flags of its own if it needs them; tabs come from newTab. No Chromium is a
// failure: without one nothing here is proven.
func chromium(t testing.TB, more ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("the browser tests need Chromium in the PATH: apt-get install chromium")
	}
	flags := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.NoSandbox, chromedp.DisableGPU,
	}
	for _, f := range []string{
		"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "disable-extensions", "disable-dev-shm-usage",
		"disable-background-timer-throttling", "disable-renderer-backgrounding", "disable-backgrounding-occluded-windows", "hide-scrollbars",
	} {
		flags = append(flags, chromedp.Flag(f, true))
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), append(flags, more...)...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

// tab is one tab with the cookies of one customer. What no page may do is collected
// while it happens and fails the test: errors in the console, breaches of the page's own
// rules (CSP), requests to other places.
type tab struct {
	t      *testing.T
	ctx    context.Context
	places []string // origins it may ask: the shop and the payment page

	mu      sync.Mutex
	bad     []string
	answers []answer // over the line, since the last open
	sizes   map[network.RequestID]int
}

// answer is one answer that a page asked for.
type answer struct {
	url      string
	kind     network.ResourceType
	bytes    int // on the line, headers included; 0 from the browser's own store
	body     int // of it the body
	fromDisk bool
}

// newTab opens a tab of 360 × 740 for a new customer.
func newTab(t *testing.T, browser context.Context, w *world) *tab {
	t.Helper()
	return openTab(t, browser, []string{w.URL, w.simURL}, chromedp.WithNewBrowserContext())
}

// second opens another tab of the same customer.
func (b *tab) second() *tab {
	b.t.Helper()
	return openTab(b.t, b.ctx, b.places)
}

func openTab(t *testing.T, parent context.Context, places []string, opts ...chromedp.ContextOption) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, opts...)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, places: places, sizes: map[network.RequestID]int{}}
	b.must(chromedp.Do(ctx))
	b.must(chromedp.Listen(ctx, b.watch))
	tell(b, network.Enable, network.EnableParams{})
	tell(b, audits.Enable, cdp.Empty{})
	tell(b, log.Enable, cdp.Empty{})
	b.size(360, 740)
	t.Cleanup(b.blameless)
	return b
}

// tell sends one command of the DevTools protocol.
func tell[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	r, err := chromedp.Call(ctx, command, params)
	b.must(err)
	return r
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// watch runs in the loop that reads the tab's messages, in their order.
func (b *tab) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	blame := func(format string, args ...any) { b.bad = append(b.bad, fmt.Sprintf(format, args...)) }
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		blame("exception %s %s", e.ExceptionDetails.Text, e.ExceptionDetails.URL)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			blame("console %s: %s", e.Type, e.Args[0].Value)
		}
	case *log.EventEntryAdded:
		// A refusal (409, 410, 422, 404) is a page here; parts of a page are looked at below.
		if e.Entry.Level != log.EntryLevelVerbose && e.Entry.Level != log.EntryLevelInfo && !strings.HasPrefix(e.Entry.Text, "Failed to load resource: the server responded with a status of") {
			blame("console %s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	case *audits.EventIssueAdded:
		if d := e.Issue.Details.ContentSecurityPolicyIssueDetails; d != nil {
			blame("against the page's own rules: %s %s", d.ViolatedDirective, d.BlockedURL)
		}
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		if err == nil && strings.HasPrefix(u.Scheme, "http") && !slices.Contains(b.places, u.Scheme+"://"+u.Host) {
			blame("a request to another place: %s", e.Request.URL)
		}
		if e.RedirectResponse != nil {
			b.answers = append(b.answers, answer{url: e.RedirectResponse.URL, kind: e.Type, bytes: int(e.RedirectResponse.EncodedDataLength)})
		}
	case *network.EventResponseReceived:
		if e.Type != network.ResourceTypeDocument && e.Response.Status >= 400 && e.Response.URL != b.places[1]+"/favicon.ico" {
			blame("%s answered %d", e.Response.URL, e.Response.Status)
		}
		if strings.HasPrefix(e.Response.URL, "http") {
			b.sizes[e.RequestID] = len(b.answers)
			b.answers = append(b.answers, answer{url: e.Response.URL, kind: e.Type, bytes: int(e.Response.EncodedDataLength), fromDisk: e.Response.FromDiskCache})
		}
	case *network.EventLoadingFinished:
		if i, ok := b.sizes[e.RequestID]; ok && i < len(b.answers) {
			a := &b.answers[i]
			a.body = int(e.EncodedDataLength) - a.bytes
			a.bytes = int(e.EncodedDataLength)
		}
	}
}

func (b *tab) blameless() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, words := range b.bad {
		b.t.Errorf("the browser reports: %s", words)
	}
	b.bad = nil
}

// line forgets what came over the line so far and returns it.
func (b *tab) line() []answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := b.answers
	b.answers, b.sizes = nil, map[network.RequestID]int{}
	return old
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	tell(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 700})
	tell(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: width < 700})
}

// media switches features such as prefers-color-scheme=dark on; none switches all off.
func (b *tab) media(features ...string) {
	b.t.Helper()
	list := []*emulation.MediaFeature{}
	for _, f := range features {
		name, value, _ := strings.Cut(f, "=")
		list = append(list, &emulation.MediaFeature{Name: name, Value: value})
	}
	tell(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: list})
}

func (b *tab) scripts(on bool) {
	b.t.Helper()
	tell(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
}

// everywhere runs a script in each new document before the document's own.
func (b *tab) everywhere(js string) {
	b.t.Helper()
	tell(b, devpage.AddScriptToEvaluateOnNewDocument, devpage.AddScriptToEvaluateOnNewDocumentParams{Source: js})
}

// open goes to an address of the shop and checks the status.
func (b *tab) open(path string, status int64) {
	b.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.places[0] + path
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	res, err := chromedp.Run(ctx, chromedp.NavigateResponse(path))
	if err != nil {
		b.t.Fatalf("open %s: %v", path, err)
	}
	b.answered(res, status)
}

func (b *tab) answered(res *network.Response, status int64) {
	b.t.Helper()
	if res == nil || res.Status != status {
		b.t.Fatalf("%s answered %v, want %d\n%s", b.url(), res, status, b.text("main"))
	}
}

// goes runs steps that lead to another page and checks its status.
func (b *tab) goes(status int64, what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	res, err := chromedp.RunResponse(ctx, steps...)
	if err != nil {
		b.t.Fatalf("%s: %v\nat %s", what, err, b.url())
	}
	b.answered(res, status)
}

// press taps something that leads to another page and checks its status.
func (b *tab) press(css string, status int64) {
	b.t.Helper()
	x, y := b.reach(css)
	b.goes(status, "press "+css, chromedp.TapXY(x, y))
}

// tap taps an element like a finger does.
func (b *tab) tap(css string) {
	b.t.Helper()
	x, y := b.reach(css)
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	b.must(chromedp.Do(ctx, chromedp.TapXY(x, y)))
}

// reach scrolls an element into view and returns its middle. Something on top of it is a
// failure: nobody could press it.
func (b *tab) reach(css string) (x, y float64) {
	b.t.Helper()
	at := eval[[]float64](b, `(css => {
		const el = document.querySelector(css);
		if (!el) return [];
		el.scrollIntoView({block: 'nearest', inline: 'nearest', behavior: 'instant'});
		const r = el.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2, top = document.elementFromPoint(x, y);
		return [x, y, top && (el === top || el.contains(top) || top.closest('label') && el.closest('label') === top.closest('label')) ? 1 : 0];
	})(`+quoted(css)+`)`)
	if len(at) == 0 {
		b.t.Fatalf("%s has no %s:\n%s", b.url(), css, b.text("main"))
	}
	if at[2] == 0 {
		b.t.Fatalf("something covers %s on %s (at %v)", css, b.url(), at[:2])
	}
	return at[0], at[1]
}

// fill replaces what a field holds by typing.
func (b *tab) fill(css, text string) {
	b.t.Helper()
	b.tap(css)
	b.keys("a", chromedp.ModifierCtrl)
	b.keys(text)
}

// keys presses keys, see the constants of chromedp/kb for those that print nothing.
func (b *tab) keys(keys string, with ...chromedp.Modifier) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	b.must(chromedp.Do(ctx, chromedp.KeyEvent(keys, chromedp.KeyModifiers(with...))))
}

// enter presses Enter as a keyboard does: a page that took the key keeps the letter that
// comes of it, which kb.Enter sends by itself, to wherever the focus is by then.
func (b *tab) enter() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	b.must(chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		key := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", Text: "\r", UnmodifiedText: "\r", WindowsVirtualKeyCode: 13}
		if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, key); err != nil {
			return err
		}
		key.Type, key.Text, key.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
		_, err := cdp.Call(ctx, t, input.DispatchKeyEvent, key)
		return err
	})))
}

// eval computes an expression in the page, past its rules for scripts and also where
// scripts are off.
func eval[T any](b *tab, js string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%v\nin %.300s\nat %s", err, js, b.url())
	}
	return v
}

// until waits until an expression is true.
func (b *tab) until(what, js string) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for !eval[bool](b, js) {
		if time.Now().After(deadline) {
			b.t.Fatalf("not in %v: %s\nat %s\n%s", patience, what, b.url(), b.text("body"))
		}
		time.Sleep(20 * time.Millisecond) // polling the page, not waiting for time
	}
}

func (b *tab) url() string {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	u, err := chromedp.Run(ctx, chromedp.Location())
	if err != nil {
		return err.Error()
	}
	return u
}

// path is the tab's address within the shop.
func (b *tab) path() string { return strings.TrimPrefix(b.url(), b.places[0]) }

// text is what an element says on the screen.
func (b *tab) text(css string) string {
	b.t.Helper()
	return eval[string](b, `(document.querySelector(`+quoted(css)+`)?.innerText ?? '').replace(/\s+/g, ' ').trim()`)
}

// says checks that the page has the words.
func (b *tab) says(words ...string) {
	b.t.Helper()
	text := b.text("body")
	for _, w := range words {
		if !strings.Contains(text, w) {
			b.t.Errorf("%s does not say %q:\n%s", b.url(), w, text)
		}
	}
}

// list evaluates an expression to strings.
func (b *tab) list(js string) []string {
	b.t.Helper()
	return eval[[]string](b, js)
}

// attributes lists an attribute of all elements that have it.
func (b *tab) attributes(name string) []string {
	b.t.Helper()
	return b.list(`[...document.querySelectorAll('[` + name + `]')].map(e => e.getAttribute('` + name + `'))`)
}

// ticked lists the seats that are ticked.
func (b *tab) ticked() []string {
	b.t.Helper()
	return b.list(`[...document.querySelectorAll('input[name=seat]:checked')].map(e => e.value)`)
}

// seatBox is the selector of a seat's checkbox.
func seatBox(no string) string { return `input[name=seat][value="` + no + `"]` }

func quoted(s string) string {
	out, _ := json.Marshal(s) // a string can always be written
	return string(out)
}
