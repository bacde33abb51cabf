package bench

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/privpg"
)

const (
	rounds  = 5
	turn    = 3 * time.Second
	clients = 16
)

// BenchmarkHolds compares holds over HTTP, each by a new customer with a cookie of its
// own, with pgbench's bare single UPDATE of a seat row on the same database. Hot: all
// on one event. Spread: each worker on an event of its own.
func BenchmarkHolds(b *testing.B) {
	for _, hot := range []bool{true, false} {
		name := "spread"
		if hot {
			name = "hot"
		}
		b.Run(name, func(b *testing.B) { holds(b, hot) })
	}
}

func holds(b *testing.B, hot bool) {
	var events []dbtest.Event
	r := start(b, func(d *db.DB) {
		for range 8 {
			events = append(events, dbtest.Screening(b, d, 20, 700))
		}
	})
	bare := pgbench(b, r.databaseURL, events[7])
	tr := transport()
	var http, sql float64
	for range rounds {
		_, err := r.db.Pool().Exec(b.Context(), `UPDATE event_seats SET state = 'available', hold_id = NULL, held_until = NULL WHERE state = 'held'`)
		if err != nil {
			b.Fatal(err)
		}
		var next atomic.Int64
		rate, err := crowd(clients, turn, func(int, int) error {
			i := int(next.Add(1)) - 1
			ev := events[i%7]
			seat := i / 7
			if hot {
				ev, seat = events[0], i
			}
			return post(client(tr), fmt.Sprintf("%s/events/%d/holds", r.url, ev.ID), url.Values{"seat": {ev.Seats[seat]}}, 303)
		})
		if err != nil {
			b.Fatal(err)
		}
		http += rate / rounds
		sql += bare(b) / rounds
	}
	b.ReportMetric(http/sql, "of-bare-update")
	b.ReportMetric(http, "holds/s")
	b.ReportMetric(sql, "bare-updates/s")
	b.ReportMetric(0, "ns/op")
}

// pgbench returns a function that measures the bare UPDATE for one turn.
func pgbench(b *testing.B, databaseURL string, ev dbtest.Event) func(*testing.B) float64 {
	b.Helper()
	script := filepath.Join(b.TempDir(), "bare.sql")
	sql := fmt.Sprintf(`\set n random(1, %d)
UPDATE event_seats SET state = 'held', hold_id = '00000000-0000-4000-8000-000000000001', held_until = now() + interval '10 minutes'
 WHERE event_id = %d AND seat_no = 'A' || :n AND leg = 1;
`, 700, ev.ID)
	if err := os.WriteFile(script, []byte(sql), 0o600); err != nil {
		b.Fatal(err)
	}
	bin, err := privpg.FindBinaries()
	if err != nil {
		b.Fatal(err)
	}
	return func(b *testing.B) float64 {
		b.Helper()
		cmd := exec.Command(filepath.Join(bin, "pgbench"), "-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", "2",
			"-T", strconv.Itoa(int(turn.Seconds())), "-f", script, databaseURL)
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("pgbench: %v\n%s", err, out)
		}
		m := regexp.MustCompile(`tps = ([0-9.]+)`).FindSubmatch(out)
		if m == nil {
			b.Fatalf("pgbench said\n%s", bytes.TrimSpace(out))
		}
		rate, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			b.Fatal(err)
		}
		return rate
	}
}
