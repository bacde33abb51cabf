package rush

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// request is one question of a browser and its answer.
type request struct {
	browser int
	route   string
	began   time.Time
	took    time.Duration
	status  int    // 0: the connection broke
	hold    string // that it is about, "" when there is none yet
	refused bool   // 503 of ours
	lost    bool   // answered by the router, or by nobody
}

// finding is one thing that must not be, by the check that saw it.
type finding struct{ check, words string }

// tally counts what happened and keeps what must not have.
type tally struct {
	mu       sync.Mutex
	counts   map[string]int
	requests []request
	findings []finding
	shown    map[string]int // address of a booking page → tickets it showed first
}

func newTally() tally { return tally{counts: map[string]int{}, shown: map[string]int{}} }

func (x *tally) add(what string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.counts[what]++
}

func (x *tally) count(what string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.counts[what]
}

// all are the counts whose names begin with prefix, sorted, as "n rest, …".
func (x *tally) all(prefix string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(x.counts)) {
		if rest, ok := strings.CutPrefix(k, prefix); ok {
			parts = append(parts, fmt.Sprintf("%d %s", x.counts[k], rest))
		}
	}
	return strings.Join(parts, ", ")
}

// wrong notes a finding, at most twenty.
func (x *tally) wrong(check, format string, args ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.findings) < 20 {
		x.findings = append(x.findings, finding{check, fmt.Sprintf(format, args...)})
	}
}

func (x *tally) note(r request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.requests = append(x.requests, r)
}

func (x *tally) sawBooking(address string, tickets int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, seen := x.shown[address]; !seen {
		x.shown[address] = tickets
	}
}

// times are sorted durations.
type times []time.Duration

func (t times) at(share float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return t[min(len(t)-1, int(share*float64(len(t))))]
}

// measure is the own and the whole time of the requests that are wanted. Style sheets
// and broken connections are none.
func (w *world) measure(want func(request) bool) (own, whole times) {
	w.mu.Lock()
	list := slices.Clone(w.requests)
	w.mu.Unlock()
	for _, r := range list {
		if r.lost || r.route == "asset" || !want(r) {
			continue
		}
		whole = append(whole, r.took)
		own = append(own, r.took-w.stripe.waited(r.hold, r.began, r.began.Add(r.took)))
	}
	slices.Sort(own)
	slices.Sort(whole)
	return own, whole
}

// perSecond is how many of the wanted requests were sent, or answered, in the busiest
// second.
func (w *world) perSecond(answered bool, want func(request) bool) (most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var at []time.Time
	for _, r := range w.requests {
		switch {
		case !want(r):
		case answered:
			at = append(at, r.began.Add(r.took))
		default:
			at = append(at, r.began)
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	first := 0
	for i, x := range at {
		for x.Sub(at[first]) >= time.Second {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
