package scale

import (
	"os"
	"strconv"
	"testing"
	"time"

	"holdfast/db/dbtest"
)

// plan is what the environment asks for; the plain form when it asks for nothing.
type plan struct {
	database  string // as the program reaches it
	direct    string // past a pooler, "" when there is none
	replica   string
	cut       string // a shell command that takes the primary away, half-way through
	last      time.Duration
	pool      int // connections of each process
	customers int
	events    int           // with a cut, so many that they are not sold out before
	settle    time.Duration // the longest that everything may take to come to rest
}

func thePlan(t *testing.T) plan {
	p := plan{
		database: os.Getenv("SCALE_DATABASE_URL"), direct: os.Getenv("SCALE_DIRECT_URL"), replica: os.Getenv("SCALE_REPLICA_URL"), cut: os.Getenv("SCALE_CUT"),
		last: time.Duration(number(t, "SCALE_SECONDS", 4)) * time.Second, pool: number(t, "SCALE_POOL", 8), customers: number(t, "SCALE_CUSTOMERS", 6), events: 4, settle: 20 * time.Second,
	}
	if p.database == "" {
		p.database = dbtest.URL(t)
		return p
	}
	p.events, p.settle = number(t, "SCALE_EVENTS", 40), 3*time.Minute
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
