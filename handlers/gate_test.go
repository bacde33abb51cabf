package handlers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"holdfast/internal/domain"
)

// Who waits is let in in the order of coming; a full line refuses at once; patience ends.
func TestGate_Line(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, 2, 3*time.Second)
		if no := g.enter(t.Context()); no != "" {
			t.Fatal(no)
		}
		var order []string
		var mu sync.Mutex
		var done sync.WaitGroup
		come := func(name string) {
			done.Go(func() {
				no := g.enter(t.Context())
				mu.Lock()
				defer mu.Unlock()
				order = append(order, name+string(no))
				if no == "" {
					g.leave()
				}
			})
			synctest.Wait()
		}
		come("a")
		come("b")
		began := time.Now()
		come("c ") // the third to wait
		if time.Since(began) != 0 || !slices.Equal(order, []string{"c full"}) {
			t.Fatalf("%v after %s", order, time.Since(began))
		}
		g.leave()
		done.Wait()
		if !slices.Equal(order, []string{"c full", "a", "b"}) {
			t.Errorf("let in as %v", order)
		}

		_ = g.enter(t.Context())
		began = time.Now()
		if no := g.enter(t.Context()); no != lineSlow || time.Since(began) != 3*time.Second {
			t.Errorf("%q after %s", no, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if no := g.enter(ctx); no != guestGone {
			t.Errorf("who went away: %q", no)
		}
		g.leave()
		if len(g.slots) != 0 || g.waiting.Load() != 0 {
			t.Errorf("%d inside and %d waiting after all left", len(g.slots), g.waiting.Load())
		}
	})
}

// One event's fight leaves places to the others', and nothing behind when it is over.
func TestGate_Lanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(12)
		s := shareOf(12)
		var inside []pass
		for range s.claimsOfOne {
			p, no := g.enter(t.Context(), claimClass, "1")
			if no != "" {
				t.Fatal(no)
			}
			inside = append(inside, p)
		}
		if _, no := g.enter(t.Context(), claimClass, "1"); no != lineSlow {
			t.Errorf("one event has more than its lane: %q", no)
		}
		other, no := g.enter(t.Context(), claimClass, "2")
		if no != "" {
			t.Errorf("another event waits behind the hot one: %q", no)
		}
		other.leave()
		for i := range inside {
			inside[i].leave()
			inside[i].leave() // again does nothing
		}
		if len(g.events.by) != 0 || len(g.by[claimClass].slots) != 0 {
			t.Errorf("left behind: %d lanes, %d inside", len(g.events.by), len(g.by[claimClass].slots))
		}
	})
}

// Whatever the size of the pool, the classes that may fill up leave connections to money.
func TestGate_Share(t *testing.T) {
	for pool := 6; pool <= 500; pool++ {
		s := shareOf(pool)
		if left := pool - s.claims - s.pages - s.staff; left < 3 || left*5 < pool {
			t.Errorf("a pool of %d leaves %d for money and jobs: %+v", pool, left, s)
		}
		if s.claimsOfOne < 1 || s.claimsOfOne > s.claims || (s.claims > 3 && s.claimsOfOne == s.claims) {
			t.Errorf("a pool of %d: %+v", pool, s)
		}
	}
	if s := shareOf(2); s.claims != 1 || s.claimsOfOne != 1 || s.pages != 1 || s.staff != 1 {
		t.Errorf("the smallest pool: %+v", s)
	}
}

// gatedSite is a site of gates alone.
func gatedSite(pool int) (*site, *shedCount) {
	count := &shedCount{}
	return &site{Deps: Deps{Metrics: count}, gates: newGates(pool)}, count
}

type shedCount struct {
	Metrics
	said []string
}

func (c *shedCount) Shed(class, reason string) { c.said = append(c.said, class+" "+reason) }

// A slow line holds no place: a form is read before the gate, and the place is given
// back when the answer begins, not when its reader has taken it.
func TestGate_SlowLines(t *testing.T) {
	s, _ := gatedSite(12)
	inside := func() int { return len(s.gates.by[claimClass].slots) }
	body, send := io.Pipe()
	began := make(chan struct{})
	r := httptest.NewRequest("POST", "/events/7/holds", reading{body, began})
	answer := make(chan string, 1)
	go s.through(claimClass, "POST /events/{event}/holds", httptest.NewRecorder(), r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if inside() != 1 || len(s.gates.events.by) != 1 {
			t.Errorf("%d inside while a claim is worked", inside())
		}
		all, err := io.ReadAll(r.Body)
		_, _ = w.Write([]byte("yes"))
		if inside() != 0 || len(s.gates.events.by) != 0 {
			t.Errorf("%d inside while the answer is written", inside())
		}
		answer <- string(all) + errorText(err)
	}))
	<-began
	if inside() != 0 {
		t.Errorf("%d inside while the form comes", inside())
	}
	_, _ = send.Write([]byte("seat=A1"))
	_ = send.CloseWithError(errors.New(" cut"))
	if got := <-answer; got != "seat=A1 cut" {
		t.Errorf("the handler read %q", got)
	}
}

type reading struct {
	io.Reader
	began chan struct{}
}

func (r reading) Read(b []byte) (int, error) {
	select {
	case <-r.began:
	default:
		close(r.began)
	}
	return r.Reader.Read(b)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A large form of staff waits with its like, and keeps its place to the end; a small one
// to the same address goes with the rest of staff.
func TestGate_Uploads(t *testing.T) {
	s, _ := gatedSite(12)
	for size, want := range map[int]class{100: staffClass, formBytes: uploadClass} {
		r := httptest.NewRequest("POST", "/staff/import/films", strings.NewReader(strings.Repeat("x", size)))
		s.through(staffClass, "POST /staff/import/{kind}", httptest.NewRecorder(), r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			all, _ := io.ReadAll(r.Body)
			w.WriteHeader(200)
			if len(s.gates.by[want].slots) != 1 || len(all) != size {
				t.Errorf("%d bytes: %d in %s, read %d", size, len(s.gates.by[want].slots), want, len(all))
			}
		}))
		if len(s.gates.by[want].slots) != 0 {
			t.Errorf("%s: the place was not left", want)
		}
	}
}

// Readers who go away while they wait are counted as such and answered nothing.
func TestGate_Gone(t *testing.T) {
	s, count := gatedSite(2)
	held, _ := s.gates.enter(t.Context(), pageClass, "")
	defer held.leave()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	s.through(pageClass, "GET /find", w, httptest.NewRequest("GET", "/find", nil).WithContext(ctx), nil)
	if w.Body.Len() != 0 || !slices.Equal(count.said, []string{"pages gone"}) {
		t.Errorf("%v, answered %q", count.said, w.Body)
	}
}

// A claim that waits for others' work leaves its place to somebody else, and takes one
// again or hears that it is busy.
func TestGate_Aside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, count := gatedSite(6) // one claim at a time
		inside := func() int { return len(s.gates.by[claimClass].slots) }
		r := httptest.NewRequest("POST", "/events/7/holds", nil)
		r = r.WithContext(context.WithValue(t.Context(), traceKey{}, &trace{}))
		if s.aside(r) != nil {
			t.Error("aside without a gate")
		}
		s.through(claimClass, "", httptest.NewRecorder(), r, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			back := s.aside(r)()
			if inside() != 0 {
				t.Error("the place was kept")
			}
			if err := back(r.Context()); err != nil || inside() != 1 {
				t.Errorf("back: %v, %d inside", err, inside())
			}
			back = s.aside(r)()
			other, _ := s.gates.enter(r.Context(), claimClass, "7")
			if err := back(r.Context()); !errors.Is(err, domain.ErrBusy) || !slices.Equal(count.said, []string{"claims waited"}) {
				t.Errorf("back where somebody stays: %v, %v", err, count.said)
			}
			other.leave()
		}))
		if inside() != 0 || len(s.gates.events.by) != 0 {
			t.Errorf("left behind: %d inside, %d lanes", inside(), len(s.gates.events.by))
		}
	})
}
