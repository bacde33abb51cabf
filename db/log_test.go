package db_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// best is the shortest of five runs: what the statement costs, not what else the machine does.
func best(t *testing.T, run func()) time.Duration {
	t.Helper()
	var took []time.Duration
	for range 5 {
		begun := time.Now()
		run()
		took = append(took, time.Since(begun))
	}
	return slices.Min(took)
}

// 200,000 lines: the newest page, an actor's, a day's, and what is nowhere.
func TestLogOf200000Lines(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ctx := t.Context()
	conn, err := d.Pool().Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, sql := range []string{
		`SET statement_timeout = '5min'`,
		`INSERT INTO staff (email, name, role, password_hash) SELECT 'p' || n || '@house.example', 'Person ' || n, 'cashier', 'x' FROM generate_series(1, 20) n`,
		`INSERT INTO audit_log (at, actor, action, subject, before, after)
		 SELECT now() - interval '1 year' + n * interval '2 minutes', 'staff:' || (SELECT min(id) FROM staff) + n % 20, 'rename_passenger', 'booking:' || n, '{"passenger":"A"}', '{"passenger":"B"}'
		   FROM generate_series(1, 200000) n`,
		`INSERT INTO audit_log (at, actor, action, subject) VALUES (now() - interval '1 year', 'system', 'once', 'event:1')`,
		`ANALYZE audit_log`,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	from, to := time.Now().AddDate(0, -11, 0), time.Now().AddDate(0, -11, 1)
	for name, q := range map[string]db.LogSearch{
		"newest":    {},
		"an actor":  {Actor: "system"},
		"a day":     {From: &from, To: &to},
		"a text":    {Text: "booking 100000"},
		"nowhere":   {Text: "no such thing"},
		"both":      {Text: "rename passenger", Actor: "staff:1", From: &from, To: &to},
		"last page": {Below: 60},
	} {
		q.Below = max(q.Below, 0)
		if q.Below == 0 {
			q.Below = math.MaxInt64
		}
		took := best(t, func() {
			if _, err := d.SearchLog(ctx, q, 51); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%s: %s", name, took)
		if took > 500*time.Millisecond {
			t.Errorf("%s took %s", name, took)
		}
	}
}
