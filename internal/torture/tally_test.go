package torture

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// finding is one thing that must not be, by the check that saw it.
type finding struct{ check, words string }

// tally counts what happened and keeps what must not have.
type tally struct {
	mu       sync.Mutex
	counts   map[string]int
	findings []finding
	booked   map[string]int // address of a booking page → tickets it showed
}

func newTally() *tally { return &tally{counts: map[string]int{}, booked: map[string]int{}} }

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

// all are the counts whose names begin with prefix, sorted, as "rest n, …".
func (x *tally) all(prefix string) (line string, sum int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(x.counts)) {
		if len(k) > len(prefix) && k[:len(prefix)] == prefix {
			line += fmt.Sprintf("%s %d, ", k[len(prefix):], x.counts[k])
			sum += x.counts[k]
		}
	}
	return line, sum
}

// wrong notes a finding, of a kind of words at most twenty.
func (x *tally) wrong(check, format string, args ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.findings) < 20 {
		x.findings = append(x.findings, finding{check, fmt.Sprintf(format, args...)})
	}
}

// sawBooking remembers what a customer was shown first: it must stay true.
func (x *tally) sawBooking(address string, tickets int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, seen := x.booked[address]; !seen {
		x.booked[address] = tickets
	}
}

func (x *tally) bookings() map[string]int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return maps.Clone(x.booked)
}

func (x *tally) found() []finding {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.findings)
}
