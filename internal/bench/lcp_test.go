package bench

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// largestPaint is the time of the largest paint so far, in milliseconds.
const largestPaint = `new Promise(done => new PerformanceObserver(l => done(l.getEntries().at(-1).startTime)).observe({type: 'largest-contentful-paint', buffered: true}))`

// BenchmarkLCP measures the largest contentful paint of the seat page of 300 seats on a
// phone's line of 1.6 Mbit/s and 150 ms, in a real browser, each time as a first visit.
func BenchmarkLCP(b *testing.B) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		b.Fatal("the benchmark needs Chromium in the PATH: apt-get install chromium")
	}
	var ev dbtest.Event
	r := start(b, func(d *db.DB) { ev = dbtest.Screening(b, d, 15, 20) })
	flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-quic", true))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), flags...)
	defer stop()
	browser, cancel := chromedp.NewContext(alloc)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		b.Fatal(err)
	}
	var sum float64
	for range rounds {
		ms, err := paint(browser, fmt.Sprintf("%s/events/%d", r.url, ev.ID))
		if err != nil {
			b.Fatal(err)
		}
		sum += ms
	}
	b.ReportMetric(sum/rounds/1000, "LCP-s")
	b.ReportMetric(0, "ns/op")
}

func paint(browser context.Context, url string) (ms float64, err error) {
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	defer cancel()
	if err := chromedp.Do(ctx); err != nil {
		return 0, err
	}
	line, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	if _, err := chromedp.Call(line, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 740, DeviceScaleFactor: 1, Mobile: true}); err != nil {
		return 0, err
	}
	slow := []*network.Conditions{{Latency: 150, DownloadThroughput: 1.6e6 / 8, UploadThroughput: 750e3 / 8}}
	if _, err := chromedp.Call(line, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: slow}); err != nil {
		return 0, err
	}
	if err := chromedp.Do(line, chromedp.Navigate(url)); err != nil {
		return 0, err
	}
	return chromedp.Run(line, chromedp.Evaluate[float64](largestPaint, chromedp.EvalAwaitPromise))
}
