package handlers

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// gate lets so many requests at a time inside. Others wait in the order they came, so
// many of them and each so long at most; whoever finds the line full is refused at once.
// A gate without slots is open to all.
type gate struct {
	slots   chan struct{} // holds one for each request inside
	room    int64         // how many may wait
	longest time.Duration // and how long
	waiting atomic.Int64
}

func newGate(width, room int, longest time.Duration) *gate {
	return &gate{slots: make(chan struct{}, width), room: int64(room), longest: longest}
}

// turnedAway is why a gate lets nobody in, as the metrics have it; "" lets in.
type turnedAway string

const (
	lineFull  turnedAway = "full"   // as many wait as may
	lineSlow  turnedAway = "waited" // waited as long as one may
	guestGone turnedAway = "gone"   // the reader went away while waiting
)

// enter waits for a place; whoever is let in must leave.
func (g *gate) enter(ctx context.Context) turnedAway {
	if g.slots == nil {
		return ""
	}
	// Who waits in a channel is served in the order of coming: a place that is left goes
	// to the first of them, never to somebody who comes just then.
	select {
	case g.slots <- struct{}{}:
		return ""
	default:
	}
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > g.room {
		return lineFull
	}
	patience := time.NewTimer(g.longest)
	defer patience.Stop()
	select {
	case g.slots <- struct{}{}:
		return ""
	case <-patience.C:
		return lineSlow
	case <-ctx.Done():
		return guestGone
	}
}

func (g *gate) leave() {
	if g.slots != nil {
		<-g.slots
	}
}

// lanes are gates by name, made when somebody comes and gone with the last: one event's
// fight fills its own lane and leaves the others' free.
type lanes struct {
	width, room int
	longest     time.Duration
	mu          sync.Mutex
	by          map[string]*lane
}

type lane struct {
	*gate
	name   string
	guests int // inside and waiting
}

func newLanes(width, room int, longest time.Duration) *lanes {
	return &lanes{width: width, room: room, longest: longest, by: map[string]*lane{}}
}

// enter waits in the lane of that name; whoever is let in must leave it.
func (l *lanes) enter(ctx context.Context, name string) (*lane, turnedAway) {
	l.mu.Lock()
	one := l.by[name]
	if one == nil {
		one = &lane{gate: newGate(l.width, l.room, l.longest), name: name}
		l.by[name] = one
	}
	one.guests++
	l.mu.Unlock()
	no := one.enter(ctx)
	if no != "" {
		l.gone(one)
	}
	return one, no
}

func (l *lanes) leave(one *lane) {
	one.leave()
	l.gone(one)
}

func (l *lanes) gone(one *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.guests--; one.guests == 0 {
		delete(l.by, one.name)
	}
}
