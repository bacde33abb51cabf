package seatmap

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"holdfast/internal/domain"
)

// How old what a Store answers may be.
const (
	// fresh is the age at which it is read anew in any case, by the first who asks.
	fresh = time.Second
	// Stale is the age to which a seat map may be shown when the database does not answer.
	// Older than that it is never shown.
	Stale = 5 * time.Second
	// patience is how long somebody waits for a slow database while something that is not
	// yet stale is at hand.
	patience = 300 * time.Millisecond
	// quiet is how many readings in a row are made for whoever asks, however young the last
	// one is. They come back one a second: where few people look, everybody sees the
	// database as it is, where many look, it is asked once a second.
	quiet = 30
	// loadTime is the longest one reading may take.
	loadTime = 3 * time.Second
	// readers is how many readings run at a time: the pool is for those who buy.
	readers = 3
	// idle is when what nobody looks at is forgotten.
	idle = time.Minute
)

// Store keeps per key what was read from the database a moment ago, for pages that are
// the same for everybody. It holds nothing that a claim depends on. Safe for concurrent
// use.
type Store[K comparable, V any] struct {
	keep    int
	stale   time.Duration
	mu      sync.RWMutex
	entries map[K]*entry[V]
	reading chan struct{}
	now     func() time.Time
}

// NewStore makes one for at most keep keys; those that were not looked at for longest go
// first. stale is how old an answer may be while the database is away: 0 for never.
func NewStore[K comparable, V any](keep int, stale time.Duration) *Store[K, V] {
	return &Store[K, V]{keep: keep, stale: stale, entries: map[K]*entry[V]{}, reading: make(chan struct{}, readers), now: time.Now}
}

// Reading is one answer of the database.
type Reading[V any] struct {
	Value V
	At    time.Time // when it was asked: it shows everything that was committed by then
}

// entry is one key's last reading and the one that is under way.
type entry[V any] struct {
	last  atomic.Pointer[Reading[V]]
	asked atomic.Int64 // when somebody last looked, in Unix nanoseconds
	spare *rate.Limiter

	mu     sync.Mutex
	flight *flight[V]
}

type flight[V any] struct {
	done    chan struct{}
	reading *Reading[V]
	err     error
}

// Load reads a key's value. It gets the last value, the zero value at first, so that it
// can keep what is costly to make and has not changed.
type Load[V any] func(ctx context.Context, last V) (V, error)

// Get answers with a reading that is younger than a second, or with a new one. Many who
// ask at once share one. When the database does not answer, the last reading serves until
// it is five seconds old; then the error does.
func (s *Store[K, V]) Get(ctx context.Context, k K, load Load[V]) (Reading[V], error) {
	return s.get(ctx, k, fresh, load)
}

// GetWithin is Get for whoever needs it younger than a second.
func (s *Store[K, V]) GetWithin(ctx context.Context, k K, age time.Duration, load Load[V]) (Reading[V], error) {
	return s.get(ctx, k, min(age, fresh), load)
}

func (s *Store[K, V]) get(ctx context.Context, k K, age time.Duration, load Load[V]) (Reading[V], error) {
	e, now := s.entry(k), s.now()
	last, anew := e.last.Load(), e.spare.AllowN(now, 1)
	if last != nil && now.Sub(last.At) < age && !anew {
		return *last, nil
	}
	f := e.join(func(f *flight[V]) { s.read(k, e, f, load) })
	var enough <-chan time.Time
	if last != nil && now.Sub(last.At) < s.stale {
		t := time.NewTimer(patience)
		defer t.Stop()
		enough = t.C
	}
	select {
	case <-f.done:
	case <-enough:
	case <-ctx.Done():
		return Reading[V]{}, ctx.Err()
	}
	return s.outcome(e, f)
}

// outcome is what a flight brought, or the last reading where that may still be shown.
func (s *Store[K, V]) outcome(e *entry[V], f *flight[V]) (Reading[V], error) {
	err := error(domain.ErrUnavailable)
	select {
	case <-f.done:
		if f.err == nil {
			return *f.reading, nil
		}
		err = f.err
	default:
	}
	last := e.last.Load()
	if last != nil && away(err) && s.now().Sub(last.At) < s.stale {
		return *last, nil
	}
	return Reading[V]{}, err
}

// away says that the database did not answer, which is not an answer.
func away(err error) bool {
	return errors.Is(err, domain.ErrUnavailable) || errors.Is(err, domain.ErrBusy) || errors.Is(err, context.DeadlineExceeded)
}

// join takes part in the reading that is under way, or starts one.
func (e *entry[V]) join(start func(*flight[V])) *flight[V] {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.flight == nil {
		e.flight = &flight[V]{done: make(chan struct{})}
		go start(e.flight)
	}
	return e.flight
}

// read makes one reading. It does not end with the request that began it: others wait.
func (s *Store[K, V]) read(k K, e *entry[V], f *flight[V], load Load[V]) {
	ctx, cancel := context.WithTimeout(context.Background(), loadTime)
	defer cancel()
	f.err = domain.ErrUnavailable // stands if load panics
	defer func() {
		if f.err == nil {
			e.last.Store(f.reading)
		} else if !away(f.err) {
			s.forget(k)
		}
		e.mu.Lock()
		e.flight = nil
		e.mu.Unlock()
		close(f.done)
	}()
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return
	}
	var before V
	if last := e.last.Load(); last != nil {
		before = last.Value
	}
	at := s.now()
	v, err := load(ctx, before)
	f.reading, f.err = &Reading[V]{v, at}, err
}

// entry finds a key's entry or makes it.
func (s *Store[K, V]) entry(k K) *entry[V] {
	now := s.now()
	s.mu.RLock()
	e, ok := s.entries[k]
	s.mu.RUnlock()
	if !ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		if e, ok = s.entries[k]; !ok {
			s.makeRoom(now)
			e = &entry[V]{spare: rate.NewLimiter(1, quiet)}
			s.entries[k] = e
		}
	}
	e.asked.Store(now.UnixNano())
	return e
}

// makeRoom drops what nobody looks at, and the one looked at longest ago when that is
// not enough.
func (s *Store[K, V]) makeRoom(now time.Time) {
	if len(s.entries) < s.keep {
		return
	}
	var oldest K
	least := now.UnixNano() + 1
	for k, e := range s.entries {
		asked := e.asked.Load()
		if asked < now.Add(-idle).UnixNano() {
			delete(s.entries, k)
		} else if asked < least {
			oldest, least = k, asked
		}
	}
	if len(s.entries) >= s.keep {
		delete(s.entries, oldest)
	}
}

func (s *Store[K, V]) forget(k K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.entries, k)
}

// Oldest is the age of the oldest reading that somebody looked at within the last idle
// minute, at its last look; zero when there is none. A monitor asks.
func (s *Store[K, V]) Oldest() time.Duration {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var oldest time.Duration
	for _, e := range s.entries {
		asked, last := time.Unix(0, e.asked.Load()), e.last.Load()
		if last != nil && s.now().Sub(asked) < idle {
			oldest = max(oldest, asked.Sub(last.At))
		}
	}
	return oldest
}
