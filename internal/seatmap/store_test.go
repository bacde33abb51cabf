package seatmap

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/internal/domain"
)

// clock is moved by hand.
type clock struct{ ns atomic.Int64 }

func (c *clock) now() time.Time       { return time.Unix(1_800_000_000, c.ns.Load()) }
func (c *clock) pass(d time.Duration) { c.ns.Add(int64(d)) }

func newStore(keep int) (*Store[string, int], *clock) {
	s, c := NewStore[string, int](keep, Stale), &clock{}
	s.now = c.now
	return s, c
}

// counted answers with how often it was asked.
type counted struct {
	n   atomic.Int64
	err error
}

func (c *counted) load(context.Context, int) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	return int(c.n.Add(1)), nil
}

func get(t *testing.T, s *Store[string, int], load Load[int]) int {
	t.Helper()
	r, err := s.Get(t.Context(), "a", load)
	if err != nil {
		t.Fatal(err)
	}
	return r.Value
}

// Few who look see the database as it is. Many are served from one reading a second.
func TestStore_ReadsOnceASecondForMany(t *testing.T) {
	t.Parallel()
	s, clock := newStore(4)
	var db counted
	for i := 1; i <= quiet; i++ {
		if got := get(t, s, db.load); got != i {
			t.Fatalf("look %d got reading %d", i, got)
		}
	}
	for range 1000 {
		get(t, s, db.load)
	}
	if n := db.n.Load(); n > quiet+1 {
		t.Errorf("%d readings for a thousand looks at one moment", n)
	}
	before := db.n.Load()
	for range 10_000 {
		clock.pass(time.Millisecond)
		get(t, s, db.load)
	}
	if n := db.n.Load() - before; n < 9 || n > 11 {
		t.Errorf("%d readings in ten seconds, want one a second", n)
	}
}

// Without an answer of the database the last one serves for five seconds and not longer.
func TestStore_NeverOlderThanFiveSeconds(t *testing.T) {
	t.Parallel()
	s, clock := newStore(4)
	var db counted
	want := get(t, s, db.load)
	db.err = domain.ErrUnavailable
	for _, step := range []time.Duration{time.Second, 3 * time.Second, 900 * time.Millisecond} {
		clock.pass(step)
		if got := get(t, s, db.load); got != want {
			t.Fatalf("got %d", got)
		}
	}
	clock.pass(100 * time.Millisecond)
	if r, err := s.Get(t.Context(), "a", db.load); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("after five seconds %v, %v", r.Value, err)
	}
}

// What the database says is gone is gone at once.
func TestStore_ForgetsWhatIsGone(t *testing.T) {
	t.Parallel()
	s, _ := newStore(4)
	var db counted
	get(t, s, db.load)
	db.err = domain.ErrNotFound
	if _, err := s.Get(t.Context(), "a", db.load); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("a deleted event: %v", err)
	}
	if len(s.entries) != 0 {
		t.Error("its entry is kept")
	}
}

// A slow database: who has something recent at hand gets that, who has not waits.
func TestStore_SlowDatabase(t *testing.T) {
	t.Parallel()
	s, clock := newStore(4)
	var db counted
	want := get(t, s, db.load)
	clock.pass(2 * time.Second)
	release := make(chan struct{})
	slow := func(context.Context, int) (int, error) { <-release; return 77, nil }
	if got := get(t, s, slow); got != want {
		t.Errorf("got %d", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Get(ctx, "b", slow); !errors.Is(err, context.Canceled) {
		t.Errorf("a reader who went away: %v", err)
	}
	close(release)
	if got := get(t, s, slow); got != 77 {
		t.Errorf("then %d", got)
	}
}

// Many at once share one reading.
func TestStore_OneFlight(t *testing.T) {
	t.Parallel()
	s, _ := newStore(4)
	var reads atomic.Int64
	gate := make(chan struct{})
	load := func(context.Context, int) (int, error) { reads.Add(1); <-gate; return 5, nil }
	var wg sync.WaitGroup
	var arrived atomic.Int64
	for range 50 {
		wg.Go(func() {
			arrived.Add(1)
			if r, err := s.Get(context.Background(), "a", load); err != nil || r.Value != 5 {
				t.Errorf("%v %v", r, err)
			}
		})
	}
	for reads.Load() == 0 || arrived.Load() < 50 {
		time.Sleep(time.Millisecond) // until all are there
	}
	if n := reads.Load(); n != 1 {
		t.Errorf("%d readings at a time", n)
	}
	close(gate)
	wg.Wait()
}

// It never keeps more than it may, and first forgets what nobody looked at.
func TestStore_KeepsFew(t *testing.T) {
	t.Parallel()
	s, clock := newStore(3)
	var db counted
	for _, k := range []string{"a", "b", "c", "a", "d", "e"} {
		clock.pass(time.Second)
		if _, err := s.Get(t.Context(), k, db.load); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range []string{"a", "d", "e"} {
		if _, ok := s.entries[k]; !ok {
			t.Errorf("%s is forgotten: %d kept", k, len(s.entries))
		}
	}
	if len(s.entries) != 3 {
		t.Errorf("%d kept", len(s.entries))
	}
}
