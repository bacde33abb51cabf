package seatmap

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// When more than one in this many choices a second are made on an event, it is crowded.
const (
	calmRate  = 10
	calmBurst = 20
)

// Pressure tells events that many want at once from the others. It is safe for
// concurrent use.
type Pressure struct {
	mu     sync.Mutex
	events map[int64]*rate.Limiter
	freed  map[int64]time.Time
	now    func() time.Time
}

// NewPressure makes one that knows no event.
func NewPressure() *Pressure {
	return &Pressure{events: map[int64]*rate.Limiter{}, freed: map[int64]time.Time{}, now: time.Now}
}

// Crowded counts a choice and says whether too many come for each to ask the database.
func (p *Pressure) Crowded(event int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, ok := p.events[event]
	if !ok {
		if len(p.events) >= keptMaps {
			clear(p.events) // then the counting starts anew
		}
		l = rate.NewLimiter(calmRate, calmBurst)
		p.events[event] = l
	}
	return !l.AllowN(p.now(), 1)
}

// Freed notes that this process put seats of an event on sale again: what was read before
// that is no reason to refuse them.
func (p *Pressure) Freed(event int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.freed) >= keptMaps {
		for e, at := range p.freed {
			if p.now().Sub(at) > fresh {
				delete(p.freed, e)
			}
		}
	}
	p.freed[event] = p.now()
}

// FreedSince says whether Freed was called for the event at or after a time.
func (p *Pressure) FreedSince(event int64, t time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.freed[event]
	return ok && !at.Before(t)
}
