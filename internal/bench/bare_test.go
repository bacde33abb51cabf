package bench

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"holdfast/db/dbtest"
	"holdfast/internal/privpg"
)

// bare is pgbench's single UPDATE of a random seat row of some events, which all have
// the same seats A1 … An of their first row: what PostgreSQL can do at all here.
func bare(b *testing.B, databaseURL string, clients, seats int, extra string, events ...dbtest.Event) side {
	b.Helper()
	return pgbench(b, "bare UPDATE", databaseURL, clients, seats, `
UPDATE event_seats SET state = 'held', hold_id = '00000000-0000-4000-8000-000000000001', held_until = now() + interval '10 minutes'
 WHERE event_id = :e AND seat_no = 'A' || :n AND leg = 1 `+extra, events)
}

// bareHold writes what a hold consists of, the seat, the hold and its line, in one
// statement and asks nothing: what PostgreSQL can do at all for a hold.
func bareHold(b *testing.B, databaseURL string, clients, seats int, events ...dbtest.Event) side {
	b.Helper()
	return pgbench(b, "bare rows of a hold", databaseURL, clients, seats, `
WITH h AS (
  INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, expires_at, total, currency, fares)
  VALUES (gen_random_uuid(), :e, 0, 1, 'web', 'web:00000000000000000000000000000000', now() + interval '10 minutes', 1000, 'EUR', '[]') RETURNING id),
l AS (INSERT INTO hold_seats (event_id, hold_id, seat_no, zone_no, ticket_type, price) SELECT :e, id, 'A' || :n, 1, 'adult', 1000 FROM h)
UPDATE event_seats SET state = 'held', hold_id = (SELECT id FROM h), held_until = now() + interval '10 minutes'
 WHERE event_id = :e AND seat_no = 'A' || :n AND leg = 1`, events)
}

func pgbench(b *testing.B, name, databaseURL string, clients, seats int, statement string, events []dbtest.Event) side {
	b.Helper()
	script := filepath.Join(b.TempDir(), "bare.sql")
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i] = strconv.FormatInt(e.ID, 10)
	}
	// Events of one run have ids in a row.
	sql := fmt.Sprintf("\\set e random(%s, %s)\n\\set n random(1, %d)%s;\n", ids[0], ids[len(ids)-1], seats, statement)
	if err := os.WriteFile(script, []byte(sql), 0o600); err != nil {
		b.Fatal(err)
	}
	bin, err := privpg.FindBinaries()
	if err != nil {
		b.Fatal(err)
	}
	// Its clock runs while it connects, which its rate leaves out.
	connects := time.Duration(clients) * 5 * time.Millisecond
	return side{name, func(d time.Duration) (tally, error) {
		for longer := connects; ; longer *= 3 {
			rate, err := runPgbench(filepath.Join(bin, "pgbench"), script, databaseURL, clients, d+longer)
			if err != nil || rate > 0 || longer > 10*time.Second {
				return tally{rate: rate}, err
			}
		}
	}}
}

// runPgbench answers 0 when it was over before all were connected.
func runPgbench(bin, script, databaseURL string, clients int, d time.Duration) (rate float64, err error) {
	out, err := exec.Command(bin, "-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-j", "2",
		"-T", strconv.Itoa(int(math.Ceil(d.Seconds()))), "-f", script, databaseURL).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	if bytes.Contains(out, []byte("actually processed: 0\n")) {
		return 0, nil
	}
	m := regexp.MustCompile(`tps = ([0-9.]+)`).FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("pgbench said\n%s", out)
	}
	return strconv.ParseFloat(string(m[1]), 64)
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
