package handlers

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// class says with whom a request shares its gate.
type class string

const (
	claimClass  class = "claims"  // choices of seats: many at once on release day
	pageClass   class = "pages"   // what everybody looks at
	moneyClass  class = "money"   // from the hold to the tickets: never waits for the two above
	staffClass  class = "staff"   // counter, door and office
	uploadClass class = "uploads" // large forms of staff: they hold memory for minutes, connections for moments
	checkClass  class = "checks"  // monitors

	profileClass class = "profiles" // of the program itself: minutes long, one at a time
)

// classOf is the class of a route, by its pattern; "" for one that is in no class.
func classOf(pattern string) class {
	path := pattern[strings.IndexByte(pattern, '/'):]
	switch top, _, _ := strings.Cut(path[1:], "/"); top {
	case "events":
		if pattern == "POST /events/{event}/holds" || pattern == "POST /events/{event}/best" {
			return claimClass
		}
		return pageClass
	case "{$}", "find", "films", "demo":
		return pageClass
	case "holds", "bookings", "t", "hooks":
		return moneyClass
	case "staff", "setup":
		if pattern == "GET "+pprofURL+"/{profile}" {
			return profileClass
		}
		return staffClass
	case "healthz", "readyz":
		return checkClass
	}
	return ""
}

// share is how the connections of a pool are divided. What is in none of the classes
// below is for money, for the jobs and for the connection that hears of new jobs: those
// can be filled by nobody else, because a request holds one connection at most.
type share struct{ claims, claimsOfOne, pages, staff int }

// shareOf divides a pool. From 6 connections on some are always left for money.
func shareOf(pool int) share {
	s := share{pages: max(1, pool/5), staff: max(1, pool/6)}
	s.claims = max(1, pool-max(3, pool/4)-s.pages-s.staff)
	s.claimsOfOne = s.claims - s.claims/4 // the rest is for other events than the hot one
	return s
}

// gates are all of one process.
type gates struct {
	by     map[class]*gate
	events *lanes // claims, by event
}

// moneyPerConn is how many requests about money go with each connection: most of them
// wait for Stripe, a second or more, and hold none meanwhile. With as many as connections
// a dozen people who pay would keep everybody else from their tickets.
const moneyPerConn = 16

// newGates divides a pool; without one all gates stand open.
func newGates(pool int) *gates {
	if pool == 0 {
		return &gates{}
	}
	s := shareOf(pool)
	return &gates{
		by: map[class]*gate{
			claimClass:  newGate(s.claims, 600, 3*time.Second),
			pageClass:   newGate(s.pages, 300, 2*time.Second),
			moneyClass:  newGate(moneyPerConn*pool, 1000, 10*time.Second),
			staffClass:  newGate(s.staff, 60, 8*time.Second),
			uploadClass: newGate(4, 16, 10*time.Second),
			checkClass:  newGate(1, 200, time.Second),

			profileClass: newGate(1, 4, 5*time.Second),
		},
		events: newLanes(s.claimsOfOne, 400, 3*time.Second),
	}
}

// watch tells how full the gates are.
func (g *gates) watch(m Metrics) {
	for c, one := range g.by {
		tell := func(place string, read func() float64) {
			m.Watch("holdfast_gate_requests", "Requests by class: inside a gate, waiting before it, and how many may be inside.",
				map[string]string{"class": string(c), "place": place}, read)
		}
		tell("inside", func() float64 { return float64(len(one.slots)) })
		tell("waiting", func() float64 { return float64(one.waiting.Load()) })
		tell("width", func() float64 { return float64(cap(one.slots)) })
	}
}

// pass is a place inside.
type pass struct {
	gate   *gate
	lane   *lane // nil but for claims
	events *lanes
}

// enter waits for a place in the class, and in its lane when it has one.
func (g *gates) enter(ctx context.Context, c class, event string) (pass, turnedAway) {
	p := pass{gate: g.by[c], events: g.events}
	if p.gate == nil {
		return p, ""
	}
	if c == claimClass {
		one, no := g.events.enter(ctx, event)
		if no != "" {
			return pass{}, no
		}
		p.lane = one
	}
	no := p.gate.enter(ctx)
	if no != "" {
		p.gate = nil
		p.leave()
	}
	return p, no
}

// leave gives the place back; leaving again does nothing.
func (p *pass) leave() {
	if p.gate != nil {
		p.gate.leave()
	}
	if p.lane != nil {
		p.events.leave(p.lane)
	}
	p.gate, p.lane = nil, nil
}

// classed is a mux whose routes all have a class. As with a pattern that cannot be read,
// one without a class ends the program at its start.
type classed struct {
	*http.ServeMux
	class map[string]class
}

func newClassed() classed { return classed{http.NewServeMux(), map[string]class{}} }

// Handle adds a route.
func (c classed) Handle(pattern string, h http.Handler) {
	of := classOf(pattern)
	if of == "" {
		panic("handlers: the route " + pattern + " is in no class: see classOf")
	}
	c.class[pattern] = of
	c.ServeMux.Handle(pattern, h)
}

// of is the class of a request and its route, "" when there is none: such are pages too.
func (c classed) of(r *http.Request) (class, string) {
	_, pattern := c.Handler(r)
	if known := c.class[pattern]; known != "" {
		return known, pattern
	}
	return pageClass, ""
}
