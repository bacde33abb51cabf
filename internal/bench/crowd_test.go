package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// errSpent ends a turn before its time: there is nothing left to ask for.
var errSpent = errors.New("nothing is left")

// tally is what one turn of one side did.
type tally struct {
	rate float64         // successes a second
	took []time.Duration // of each, sorted; nil when the side does not tell
	self time.Duration   // what the load generator used of the processors, for each success
	cpu  time.Duration   // what the server's process used, for each success; 0: not known
	shed int             // answers that asked to come back later
}

func (t tally) quantile(q float64) time.Duration {
	if len(t.took) == 0 {
		return 0
	}
	return t.took[min(int(q*float64(len(t.took))), len(t.took)-1)]
}

// crowd lets so many workers act for so long. Each gets what it needs, a connection
// mostly, before the clock starts. act says whether it was a success; errSpent ends.
func crowd(workers int, d time.Duration, server int, worker func(int) (act func() (bool, error), done func(), err error)) (tally, error) {
	acts, ends := make([]func() (bool, error), workers), make([]func(), workers)
	for w := range workers {
		var err error
		if acts[w], ends[w], err = worker(w); err != nil {
			return tally{}, err
		}
		defer ends[w]()
	}
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	took, shed, errs := make([][]time.Duration, workers), make([]int, workers), make([]error, workers)
	var wg sync.WaitGroup
	self, other, began := ownCPU(), cpuOf(server), time.Now()
	for w := range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				start := time.Now()
				ok, err := acts[w]()
				if err != nil {
					errs[w] = err
					return
				}
				if ok {
					took[w] = append(took[w], time.Since(start))
				} else {
					shed[w]++
				}
			}
		})
	}
	wg.Wait()
	spent := time.Since(began)
	t := tally{took: slices.Concat(took...)}
	slices.Sort(t.took)
	n := len(t.took)
	for w, err := range errs {
		t.shed += shed[w]
		if err != nil && !errors.Is(err, errSpent) {
			return t, err
		}
	}
	if n == 0 {
		return t, fmt.Errorf("no success in %v, %d were asked to come back", spent, t.shed)
	}
	t.rate = float64(n) / spent.Seconds()
	t.self = (ownCPU() - self) / time.Duration(n)
	t.cpu = (cpuOf(server) - other) / time.Duration(n)
	return t, nil
}

// browsers is a crowd on one server: each worker sends what next gives it and wants
// that status. A 503 is a server that guards itself: the worker waits a moment.
func browsers(workers int, d time.Duration, p process, want int, next func(w int) []byte) (tally, error) {
	return crowd(workers, d, p.pid, func(w int) (func() (bool, error), func(), error) {
		c, err := dial(p.addr)
		if err != nil {
			return nil, nil, err
		}
		return func() (bool, error) {
			request := next(w)
			if request == nil {
				return false, errSpent
			}
			status, err := c.do(request)
			switch {
			case err != nil:
				return false, err
			case status == 503:
				time.Sleep(50 * time.Millisecond)
				return false, nil
			case status != want:
				return false, fmt.Errorf("answered %d, want %d, to\n%s", status, want, request)
			}
			return true, nil
		}, func() { _ = c.Close() }, nil
	})
}

// ownCPU is what this process has used of the processors.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cpuOf is what another process has used of them, in steps of 10 ms; 0 where there is
// no /proc.
func cpuOf(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11]) // a number, by the kernel's word
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// resident is the memory a process occupies, in MiB.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("no /proc on this machine")
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kb float64
			if _, err := fmt.Sscan(rest, &kb); err != nil {
				b.Fatal(err)
			}
			return kb / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
