package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/jackc/pgx/v5"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
)

// lines reads one column of text.
func lines(t *testing.T, d *db.DB, sql string, args ...any) []string {
	t.Helper()
	r, err := d.Pool().Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	out, err := pgx.CollectRows(r, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	return out
}

func do(t *testing.T, d *db.DB, sql string, args ...any) {
	t.Helper()
	if _, err := d.Pool().Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

// snapshot is every table's rows as one checksum, times of change apart.
func snapshot(t *testing.T, d *db.DB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, table := range lines(t, d, `SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'river%' AND tablename NOT LIKE 'goose%'`) {
		out[table] = lines(t, d, `SELECT count(*) || ' ' || coalesce(md5(string_agg((to_jsonb(x) - 'updated_at')::text, '' ORDER BY to_jsonb(x)::text)), '') FROM `+pgx.Identifier{table}.Sanitize()+` x`)[0]
	}
	return out
}

func load(t *testing.T, d *db.DB, o Options) Report {
	t.Helper()
	r, err := Load(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func unload(t *testing.T, d *db.DB) {
	t.Helper()
	if err := Clear(t.Context(), d, domain.By{}); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, before, after map[string]string) {
	t.Helper()
	for table := range before {
		if before[table] != after[table] {
			t.Errorf("%s: %s before, %s after", table, before[table], after[table])
		}
	}
	if !maps.Equal(before, after) {
		t.Fatal("not as before")
	}
}

func TestLoadAndClearLeaveNoTrace(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	before := snapshot(t, d)
	for range 2 {
		start := time.Now()
		r := load(t, d, Options{Staff: true})
		t.Logf("loaded in %v: %+v", time.Since(start), r.Counts)
		if r.AlreadyLoaded || len(r.Staff) != 4 {
			t.Fatalf("%+v", r)
		}
		if yes, err := Loaded(t.Context(), d); err != nil || !yes {
			t.Fatal(yes, err)
		}
		again := load(t, d, Options{Staff: true})
		if !again.AlreadyLoaded || again.Counts != r.Counts || again.Staff != nil {
			t.Fatalf("second load: %+v", again)
		}
		start = time.Now()
		unload(t, d)
		t.Logf("cleared in %v", time.Since(start))
		same(t, before, snapshot(t, d))
	}
	if yes, err := Loaded(t.Context(), d); err != nil || yes {
		t.Fatal(yes, err)
	}
	unload(t, d) // nothing to do
}

// What the house had before stays to the letter, names that the demo wanted too.
func TestClearLeavesTheHouseAlone(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	do(t, d, `INSERT INTO films (title, runtime_min) VALUES ('Salt Road', 90)`)
	do(t, d, `INSERT INTO places (name, time_zone) VALUES ('Trieste', 'Europe/Vienna'), ('Trieste (demo)', 'Europe/Vienna')`)
	do(t, d, `INSERT INTO ticket_types VALUES ('adult', 'Full price', 7)`)
	do(t, d, `INSERT INTO tariffs (name, currency) VALUES ('Cinema, evening', 'SEK')`)
	do(t, d, `INSERT INTO settings (key, value) VALUES ('currency', 'SEK'), ('venue_name', 'Ours'), ('kind', 'both'), ('hold_window_minutes', '7')`)
	do(t, d, `INSERT INTO staff (email, name, role, password_hash) VALUES ('owner@demo.example', 'Real', 'owner', 'x')`)
	before := snapshot(t, d)
	r := load(t, d, Options{Staff: true})
	if len(r.Staff) != 3 {
		t.Errorf("an account was taken over: %v", r.Staff)
	}
	if got := lines(t, d, `SELECT value FROM settings WHERE key = 'currency'`); got[0] != "EUR" {
		t.Errorf("currency %v", got)
	}
	unload(t, d)
	same(t, before, snapshot(t, d))
}

// A setting that somebody changed after the load stays as they want it.
func TestClearKeepsChangedSettings(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	do(t, d, `INSERT INTO settings (key, value) VALUES ('venue_name', 'Before')`)
	load(t, d, Options{})
	do(t, d, `UPDATE settings SET value = 'Changed' WHERE key IN ('venue_name', 'phone')`)
	unload(t, d)
	got := fmt.Sprint(lines(t, d, `SELECT key || '=' || value FROM settings ORDER BY key`))
	if got != "[phone=Changed venue_name=Changed]" {
		t.Error(got)
	}
}

func TestLoadRefusesRealEvents(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	dbtest.Screening(t, d, 1, 2)
	before := snapshot(t, d)
	if _, err := Load(t.Context(), d, Options{Staff: true}); !errors.Is(err, ErrRealEvents) {
		t.Fatal(err)
	}
	same(t, before, snapshot(t, d))
}

// Whatever visitors and staff left on the demo's events goes with them; what real
// events have come to use of the demo stays.
func TestClearTakesVisitorsSalesAndSparesRealEvents(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	load(t, d, Options{})
	do(t, d, `
WITH e AS (SELECT id FROM events WHERE kind = 'screening' ORDER BY starts_at DESC LIMIT 1),
h AS (INSERT INTO holds (id, event_id, from_stop, to_stop, channel, holder, expires_at, total, currency, fares)
      SELECT gen_random_uuid(), id, 0, 1, 'web', 'web:x', now(), 900, 'EUR', '[]' FROM e RETURNING id, event_id),
s AS (INSERT INTO hold_seats (event_id, hold_id, seat_no, zone_no, ticket_type, price) SELECT event_id, id, 'A5', 1, 'adult', 900 FROM h),
p AS (INSERT INTO payments (hold_id, event_id, tender, state, outcome, amount, currency, received, stripe_session_id, stripe_payment_intent_id)
      SELECT id, event_id, 'stripe', 'applied', 'booked', 900, 'EUR', 900, 'cs_1', 'pi_1' FROM h RETURNING id, event_id),
b AS (INSERT INTO bookings (hold_id, event_id, reference, email, total, currency, channel)
      SELECT id, event_id, 'AAAAAA', 'v@visitor.example', 900, 'EUR', 'web' FROM h RETURNING id, event_id),
r AS (INSERT INTO refunds (payment_id, event_id, amount, currency, reason, stripe_refund_id)
      SELECT id, event_id, 100, 'EUR', 'staff', 're_1' FROM p RETURNING id, event_id),
l AS (INSERT INTO ledger_entries (kind, amount, currency, event_id, booking_id) SELECT 'payment', 900, 'EUR', event_id, id FROM b),
m AS (INSERT INTO mails (kind, booking_id, to_address) SELECT 'tickets', id, 'v@visitor.example' FROM b),
n AS (INSERT INTO mails (kind, refund_id, to_address) SELECT 'refund', id, 'v@visitor.example' FROM r),
t AS (INSERT INTO staff_tasks (kind, payment_id) SELECT 'look', id FROM p)
INSERT INTO stripe_events (id, type, object_id, livemode) VALUES ('evt_1', 'x', 'cs_1', false), ('evt_2', 'x', 'pi_1', false), ('evt_3', 'x', 're_1', false), ('evt_4', 'x', 'cs_real', false)`)
	do(t, d, `
INSERT INTO events (kind, status, starts_at, ends_at, time_zone, business_day, layout_version_id, resource_id, tariff_id, film_id)
SELECT kind, 'draft', starts_at + interval '1 year', ends_at + interval '1 year', time_zone, business_day, layout_version_id, resource_id, tariff_id, film_id
  FROM events WHERE kind = 'screening' LIMIT 1`)
	unload(t, d)
	for table, want := range map[string]string{
		"events": "1", "films": "1", "resources": "1", "layouts": "1", "layout_versions": "1", "tariffs": "1", "ticket_types": "4",
		"holds": "0", "hold_seats": "0", "payments": "0", "bookings": "0", "tickets": "0", "ticket_legs": "0", "refunds": "0",
		"ledger_entries": "0", "mails": "0", "staff_tasks": "0", "stripe_events": "1", "event_seats": "0", "event_stops": "0",
		"places": "0", "routes": "0", "settings": "0", "demo_rows": "0",
	} {
		if got := lines(t, d, `SELECT count(*)::text FROM `+table); got[0] != want {
			t.Errorf("%s: %s rows left, want %s", table, got[0], want)
		}
	}
	if _, err := Load(t.Context(), d, Options{}); !errors.Is(err, ErrRealEvents) {
		t.Error(err)
	}
	// The triggers refuse again.
	_, err := d.Pool().Exec(context.WithoutCancel(t.Context()), `INSERT INTO audit_log (actor, action, subject) VALUES ('system', 'x', 'y'); DELETE FROM audit_log`)
	if err == nil {
		t.Error("the log of changes can be deleted from")
	}
}

// A till that one of the demo's staff opened goes with them; who closed a day of the
// house stays, switched off.
func TestClearTakesTillsAndKeepsWhoIsNamed(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	load(t, d, Options{Staff: true})
	do(t, d, `
WITH s AS (INSERT INTO shifts (staff_id, currency, business_day, float_amount)
           SELECT id, 'EUR', now()::date, 100 FROM staff WHERE role IN ('cashier', 'manager') RETURNING id, staff_id),
m AS (INSERT INTO shift_moves (shift_id, kind, amount, staff_id) SELECT id, 'drop', 50, staff_id FROM s),
a AS (INSERT INTO staff_acts (key, staff_id, kind, result) SELECT 'k' || staff_id, staff_id, 'sale', '' FROM s)
INSERT INTO business_days (day, closed_by, report) SELECT now()::date - 1, id, '{}' FROM staff WHERE role = 'manager'`)
	unload(t, d)
	if got := lines(t, d, `SELECT role FROM staff WHERE disabled_at IS NOT NULL`); len(got) != 1 || got[0] != "manager" {
		t.Errorf("left: %v", got)
	}
	for _, table := range []string{"shifts", "shift_moves", "staff_acts"} {
		if got := lines(t, d, `SELECT count(*)::text FROM `+table); got[0] != "0" {
			t.Errorf("%s: %s rows left", table, got[0])
		}
	}
}

// Clear must know every table that hangs on what it deletes. When this fails a new
// table came: give it a statement in db/demo.go and a place here.
func TestClearKnowsEveryTable(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	known := map[string]bool{}
	for _, table := range []string{
		"mails", "staff_tasks", "ledger_entries", "disputes", "refunds", "ticket_legs", "checkins", "door_conflicts", "tickets", "bookings", "payments", "hold_seats", "holds",
		"event_seats", "event_stops", "events", "resources", "layout_versions", "fares", "band_fares", "route_stops", "tariffs",
		"shifts", "shift_moves", "staff_acts", "business_days", "prints", "event_swaps",
	} {
		known[table] = true
	}
	for _, line := range lines(t, d, `
SELECT DISTINCT c.conrelid::regclass::text FROM pg_constraint c
 WHERE c.contype = 'f' AND c.confdeltype <> 'c' AND c.confrelid::regclass::text = ANY($1)`, []string{
		"events", "event_seats", "holds", "bookings", "tickets", "payments", "refunds", "films", "tariffs", "resources", "layouts",
		"layout_versions", "routes", "places", "ticket_types", "staff",
	}) {
		if !known[line] {
			t.Errorf("rows of %s may hang on the demo's", line)
		}
	}
}

func TestStaffCanSignIn(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	for _, a := range load(t, d, Options{Staff: true}).Staff {
		hash := lines(t, d, `SELECT password_hash FROM staff WHERE email = $1 AND role = $2`, a.Email, a.Role)
		ok, params, err := argon2id.CheckHash(a.Password, hash[0])
		if err != nil || !ok || params.Memory != 19*1024 || params.Iterations != 2 {
			t.Errorf("%s: %v %v %+v", a.Email, ok, err, params)
		}
	}
	if a, b := domain.NewPassword(), domain.NewPassword(); a == b {
		t.Errorf("passwords repeat: %s", a)
	}
}
