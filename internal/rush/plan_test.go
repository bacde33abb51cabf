package rush

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"holdfast/internal/apptest"
)

// plan is how many, how fast, and what must come of it.
type plan struct {
	seed       uint64
	browsers   int
	seats      int // of the event that opens
	beside     int // customers of the event beside it
	processes  int
	kill       bool
	durable    bool // a PostgreSQL of its own that waits for its disk
	arrive     time.Duration
	press      time.Duration // from arriving to pressing Continue, at most
	think      time.Duration // on the other pages, at most
	poll       time.Duration // ± a quarter
	rounds     int           // polls without a free seat until somebody leaves
	abandoned  time.Duration // after so long the time of a hold nobody minds ends
	last       time.Duration // nobody stays longer
	rest       time.Duration // the longest that everything may take to come to rest
	latency    time.Duration // of the look-alike
	p95        time.Duration // of paying customers, own time
	converge   time.Duration // until another process shows what one has sold
	memory     float64       // of one process, MB; 0 is not looked at
	peak       int           // claims tried in the busiest second, at least
	tags       string
	poolOfEach int
}

// shortPlan is for every test run, with the race detector and beside other tests: it
// looks at what is right, and at times only so far that nothing may stand still.
func shortPlan() plan {
	return plan{browsers: 60, seats: 40, beside: 6, processes: 3, kill: true, arrive: 500 * time.Millisecond, press: 700 * time.Millisecond,
		think: 200 * time.Millisecond, poll: time.Second, rounds: 2, abandoned: time.Second, last: 90 * time.Second, rest: 30 * time.Second,
		latency: time.Second, p95: 8 * time.Second, converge: 5 * time.Second, peak: 10, tags: "failpoints", poolOfEach: 5}
}

// longPlan is asked for by RUSH_BROWSERS.
func longPlan(t *testing.T) plan {
	p := plan{browsers: number(t, "RUSH_BROWSERS", 500), seats: number(t, "RUSH_SEATS", 300), beside: 40, processes: number(t, "RUSH_PROCESSES", 1),
		kill: os.Getenv("RUSH_KILL") == "1", durable: true, arrive: 2 * time.Second, press: 2 * time.Second,
		think: 4 * time.Second, poll: 12 * time.Second, rounds: 2, abandoned: 12 * time.Second, last: 75 * time.Second, rest: 3 * time.Minute,
		latency: time.Second, p95: time.Second, converge: 1500 * time.Millisecond, memory: 150, poolOfEach: 12}
	if p.browsers >= 500 && p.seats >= 300 {
		p.peak = 134
	}
	if apptest.Raced {
		p.memory, p.p95, p.converge = 0, 8*time.Second, 5*time.Second
	}
	if p.kill && p.processes < 2 {
		t.Fatal("RUSH_KILL=1 needs RUSH_PROCESSES of 2 or more")
	}
	return p
}

func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is not a whole number above 0", name, text)
	}
	return n
}

func (p plan) String() string {
	words := fmt.Sprintf("%d browsers, %d seats, %d customers beside them, processes: %d", p.browsers, p.seats, p.beside, p.processes)
	if p.kill {
		words += ", one killed"
	}
	return words
}
