package stripesim

import (
	"math/rand/v2"
	"time"
)

// Chaos is bad luck by the dice, for torture runs. The zero value is off. The
// n-th API call and the n-th event meet the same fate whenever the seed and the
// probabilities are the same; each has dice of its own. Switches (SetFaults) go
// first: a call or an event that meets one is spared the dice's choice.
type Chaos struct {
	Seed uint64
	// API is the probability that a call fails before it does anything, does it and
	// fails, is slow, is answered 429, or loses its connection before or after.
	API float64
	// Webhooks is the probability that an event is never sent. With half of it an
	// event is sent twice, and with half of it late.
	Webhooks float64
	Slow     time.Duration // the longest that a slow call waits; 0 is 1 s
	Late     time.Duration // the longest that a late event waits; 0 is 2 s
	// Saved puts "done, and 500 is what the key answers for 24 h" among the failures
	// of the API.
	Saved bool
}

// dice are the Chaos that is on, guarded by Sim.mu; nil never hits.
type dice struct {
	Chaos
	calls, events *rand.Rand
}

// SetChaos replaces the bad luck and starts its dice anew; Chaos{} ends it.
func (s *Sim) SetChaos(c Chaos) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dice = nil
	if c.API <= 0 && c.Webhooks <= 0 {
		return
	}
	if c.Slow <= 0 {
		c.Slow = time.Second
	}
	if c.Late <= 0 {
		c.Late = 2 * time.Second
	}
	s.dice = &dice{c, rand.New(rand.NewPCG(c.Seed, 1)), rand.New(rand.NewPCG(c.Seed, 2))}
}

// call throws for one API call. Every call takes the same number of throws, so
// that one call's fate does not shift the next one's.
func (d *dice) call() (hit apiFaults) {
	if d == nil {
		return hit
	}
	meets, which, wait := d.calls.Float64() < d.API, d.calls.Float64(), d.calls.Float64()
	if !meets {
		return hit
	}
	kinds := []func(){
		func() { hit.failBefore = true }, func() { hit.failAfter = true }, func() { hit.rateLimit = true },
		func() { hit.slow = part(d.Slow, wait) }, func() { hit.dropBefore = true }, func() { hit.dropAfter = true },
	}
	if d.Saved {
		kinds = append(kinds, func() { hit.failSaved = true })
	}
	kinds[int(which*float64(len(kinds)))]()
	return hit
}

// fate is what becomes of an event on its way.
type fate struct {
	lost   bool
	held   bool // until the next event was sent
	copies int
	delay  time.Duration
}

// event throws for one event, with the same number of throws for each.
func (d *dice) event() fate {
	f := fate{copies: 1}
	if d == nil {
		return f
	}
	lost, twice, late, wait := d.events.Float64(), d.events.Float64(), d.events.Float64(), d.events.Float64()
	f.lost = lost < d.Webhooks
	if twice < d.Webhooks/2 {
		f.copies = 2
	}
	if late < d.Webhooks/2 {
		f.delay = part(d.Late, wait)
	}
	return f
}

func part(d time.Duration, of float64) time.Duration { return time.Duration(of * float64(d)) }
