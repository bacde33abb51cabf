package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"holdfast/db/dbtest"
	"holdfast/internal/privpg"
)

// bare is pgbench's single UPDATE of a random seat row of some events, which all have
// the same seats A1 … An of their first row: what PostgreSQL can do at all here.
func bare(b *testing.B, databaseURL string, clients, seats int, extra string, events ...dbtest.Event) side {
	b.Helper()
	script := filepath.Join(b.TempDir(), "bare.sql")
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i] = strconv.FormatInt(e.ID, 10)
	}
	// Events of one run have ids in a row.
	sql := fmt.Sprintf(`\set e random(%s, %s)
\set n random(1, %d)
UPDATE event_seats SET state = 'held', hold_id = '00000000-0000-4000-8000-000000000001', held_until = now() + interval '10 minutes'
 WHERE event_id = :e AND seat_no = 'A' || :n AND leg = 1 %s;
`, ids[0], ids[len(ids)-1], seats, extra)
	if err := os.WriteFile(script, []byte(sql), 0o600); err != nil {
		b.Fatal(err)
	}
	bin, err := privpg.FindBinaries()
	if err != nil {
		b.Fatal(err)
	}
	return side{"bare UPDATE", func(d time.Duration) (tally, error) {
		seconds := max(1, int(d.Seconds()))
		cmd := exec.Command(filepath.Join(bin, "pgbench"), "-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", "2",
			"-T", strconv.Itoa(seconds), "-f", script, databaseURL)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return tally{}, fmt.Errorf("pgbench: %w\n%s", err, out)
		}
		m := regexp.MustCompile(`tps = ([0-9.]+)`).FindSubmatch(out)
		if m == nil {
			return tally{}, errors.New("pgbench said\n" + strings.TrimSpace(string(bytes.TrimSpace(out))))
		}
		rate, err := strconv.ParseFloat(string(m[1]), 64)
		return tally{rate: rate}, err
	}}
}

// consecutive says whether bare can draw these events by their ids.
func consecutive(events []dbtest.Event) bool {
	for i, e := range events {
		if e.ID != events[0].ID+int64(i) {
			return false
		}
	}
	return true
}
