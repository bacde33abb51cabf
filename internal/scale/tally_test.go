package scale

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/html"

	"holdfast/internal/apptest"
)

// booking is what a customer was told.
type booking struct {
	reference string
	seats     []string
}

// tally counts, and remembers what was promised.
type tally struct {
	mu      sync.Mutex
	counts  map[string]int
	wrongs  []string
	promise []booking
	holds   []time.Time // of each hold that was won
	away    []time.Time // of each 503
}

func newTally() *tally { return &tally{counts: map[string]int{}} }

func (t *tally) add(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[what]++
}

func (t *tally) wrong(check, format string, arg ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.wrongs) < 20 {
		t.wrongs = append(t.wrongs, check+": "+fmt.Sprintf(format, arg...))
	}
}

func (t *tally) held(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holds = append(t.holds, at)
}

// around counts the holds that were won in the time d before the cut, and since.
func (t *tally) around(cut time.Time, d time.Duration) (before, after int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, at := range t.holds {
		switch since := at.Sub(cut); {
		case since >= 0:
			after++
		case since > -d:
			before++
		}
	}
	return before, after
}

// saw looks at every answer: 503 is allowed while the database is away, nothing of our
// inside and no other 5xx ever is.
func (t *tally) saw(p *apptest.Page) {
	t.add("answer " + http.StatusText(p.Status))
	switch {
	case p.Status == http.StatusServiceUnavailable:
		t.mu.Lock()
		t.away = append(t.away, time.Now())
		t.mu.Unlock()
	case p.Status >= 500:
		t.wrong("answers", "%s was answered %d: %.300s", p.URL.Path, p.Status, p.Words())
	}
	if inside := p.Inside(); inside != "" {
		t.wrong("answers", "%s (%d) shows %q", p.URL.Path, p.Status, inside)
	}
}

// told notes a booking page: from now on it is a promise.
func (t *tally) told(p *apptest.Page) {
	var b booking
	p.Tokens(func(x html.Token) bool {
		if r, ok := apptest.Attr(x, "data-reference"); ok {
			b.reference = r
		}
		if _, ok := apptest.Attr(x, "data-ticket"); ok {
			if seat, ok := apptest.Attr(x, "data-seat"); ok {
				b.seats = append(b.seats, seat)
			}
		}
		return true
	})
	slices.Sort(b.seats)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.promise = append(t.promise, b)
}

// report is for whoever reads the outcome; cut is when the primary was taken away.
func (t *tally) report(cut time.Time) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	line := func(format string, arg ...any) { fmt.Fprintf(&b, "  "+format+"\n", arg...) }
	line("bookings told to customers   %d", len(t.promise))
	for _, k := range slices.Sorted(mapKeys(t.counts)) {
		line("%-28s %d", k, t.counts[k])
	}
	slices.SortFunc(t.holds, time.Time.Compare)
	gap, from := time.Duration(0), time.Time{}
	for i := 1; i < len(t.holds); i++ {
		if d := t.holds[i].Sub(t.holds[i-1]); d > gap {
			gap, from = d, t.holds[i-1]
		}
	}
	line("longest time without a hold  %.1f s", gap.Seconds())
	if !cut.IsZero() {
		line("  which began                %.1f s after the cut", from.Sub(cut).Seconds())
		if n := len(t.away); n > 0 {
			slices.SortFunc(t.away, time.Time.Compare)
			line("503 from, to                 %.1f s, %.1f s after the cut", t.away[0].Sub(cut).Seconds(), t.away[n-1].Sub(cut).Seconds())
		}
	}
	return b.String()
}
