package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// startChromium starts a Chromium for one test and returns its context; tabs come from
// newTab. No Chromium is a failure: the pages are not proven without one.
func startChromium(t testing.TB) context.Context {
	t.Helper()
	path := os.Getenv("CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path == "" {
			path, _ = exec.LookPath(name)
		}
	}
	if path == "" {
		t.Fatal("the browser tests need Chromium: install it (apt-get install chromium) or set CHROMIUM to its path")
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(path),
		chromedp.Headless, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-extensions", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("disable-background-timer-throttling", true), chromedp.Flag("disable-renderer-backgrounding", true), chromedp.Flag("hide-scrollbars", true))
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("Chromium (%s) does not start: %v", path, err)
	}
	return ctx
}

// tab is one tab with the cookies of one customer. Whatever no page may do is collected
// in bad while it happens: errors in the console, breaches of the page's own rules (CSP)
// and requests to other places.
type tab struct {
	t      *testing.T
	ctx    context.Context
	origin string   // of the shop
	others []string // origins it may go to besides

	mu       sync.Mutex
	bad      []string
	requests int64 // since the last reset
	bytes    int64 // encoded, of answers that came over the line
	inDoc    map[network.RequestID]bool
	docBytes int64
}

// newTab opens a tab of 360 × 740 with a jar of its own and touch.
func newTab(t *testing.T, chromium context.Context, w *world) *tab {
	t.Helper()
	return openTab(t, chromium, w, chromedp.WithNewBrowserContext())
}

// second opens another tab of the same customer.
func (b *tab) second(w *world) *tab {
	b.t.Helper()
	return openTab(b.t, b.ctx, w)
}

func openTab(t *testing.T, parent context.Context, w *world, opts ...chromedp.ContextOption) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, opts...)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, origin: w.URL, others: []string{w.simURL}, inDoc: map[network.RequestID]bool{}}
	b.must(chromedp.Do(ctx))
	b.must(chromedp.Listen(ctx, b.watch))
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, log.EnableParams{})
	call(b, audits.Enable, audits.EnableParams{})
	b.size(360, 740)
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, words := range b.bad {
			t.Errorf("the browser reports: %s", words)
		}
	})
	return b
}

// watch runs in the loop that reads the tab's messages.
func (b *tab) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.ExceptionThrownEvent:
		b.bad = append(b.bad, "exception: "+e.ExceptionDetails.Text)
	}
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}
