package db_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"holdfast/db/dbtest"
)

// eventTables is what belongs to one event and could one day live with it on one of
// several databases.
//
// keyed: every primary and unique key begins with event_id, so a row's place follows from
// its key and uniqueness is decided in one place. carries: event_id stands in the row and
// is never NULL, so the row can be put beside its event, but a key of its own, given in
// words, would first have to begin with event_id or be kept unique in another way.
func eventTables() (keyed []string, carries map[string]string) {
	return []string{"event_seats", "event_stops", "hold_seats", "tickets", "ticket_legs", "seats_let_go", "waitrooms", "waitroom_entries"},
		map[string]string{
			"holds":          "id: a random uuid, unique without being looked up",
			"payments":       "id: from one sequence; stripe_session_id: Stripe's own; one live payment per hold: hold_id, which lies in one event",
			"bookings":       "id: from one sequence; reference: drawn at random and tried again when taken, so it must be looked up everywhere; hold_id: lies in one event",
			"refunds":        "id: from one sequence; stripe_refund_id: Stripe's own",
			"disputes":       "id: Stripe's own",
			"ledger_entries": "id: from one sequence",
			"checkins":       "id: from one sequence",
			"door_conflicts": "id: from one sequence",
			"seat_blocks":    "id: from one sequence",
			"event_swaps":    "id: from one sequence",
			"seat_moves":     "id: from one sequence; the others begin with swap_id, which lies in one event",
		}
}

// elsewhere is every other table, with the reason why it is not kept by event.
func elsewhere() map[string]string {
	const plan, house, staff, work = "what events are made of: read everywhere, written seldom", "one per house", "of a member of staff", "work to do and what was done, of no one event"
	return map[string]string{
		"events": "the event itself: id is its event_id",
		"places": plan, "layouts": plan, "layout_versions": plan, "layout_cells": plan, "layout_zones": plan, "layout_drafts": plan, "resources": plan,
		"films": plan, "routes": plan, "route_stops": plan, "event_series": plan, "ticket_types": plan,
		"tariffs": plan, "tariff_bands": plan, "fares": plan, "band_fares": plan, "imports": plan, "import_parts": plan,
		"settings": house, "business_days": house, "demo_rows": house, "goose_db_version": house, "waitroom_windows": house, "audit_runs": house, "audit_log": house,
		"staff": staff, "staff_sessions": staff, "staff_recovery_codes": staff, "staff_acts": staff, "login_failures": staff, "sessions": staff,
		"shifts": "of a till: its sales are of many events", "shift_moves": "of a till: its sales are of many events",
		"prints": "of a booking: found by booking_id alone",
		"mails":  "most are of a booking, some of nobody's event: event_id may be NULL", "staff_tasks": "some are of no event: event_id may be NULL",
		"stripe_events": "Stripe's ids: what event they are about is known only when they have been worked",
		"river_job":     work, "river_leader": work, "river_migration": work, "river_notification": work, "river_queue": work, "river_client": work, "river_client_queue": work,
	}
}

const keysSQL = `
SELECT c.relname::text AS table_name,
       coalesce((SELECT a.attnotnull FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'event_id' AND NOT a.attisdropped), false) AS carries,
       coalesce((SELECT array_agg(coalesce(a.attname, '(expression)')::text ORDER BY i.relname) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
                   LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = x.indkey[0] WHERE x.indrelid = c.oid AND x.indisunique), '{}') AS firsts
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') ORDER BY 1`

type tableKeys struct {
	TableName string
	Carries   bool
	Firsts    []string // of each primary or unique key, its first column
}

// Every table of one event is keyed by event_id first or carries it; a table that is new
// must be put into one of the lists.
func TestSharding_EventIDFirst(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	all := tablesOf(t, d.Pool())
	if bad := misplaced(all); len(bad) > 0 {
		t.Errorf("tables that could not follow their event:\n  %s", strings.Join(bad, "\n  "))
	}
	keyed, carries := eventTables()
	for _, name := range keyed {
		if !slices.ContainsFunc(all, func(k tableKeys) bool { return k.TableName == name }) {
			t.Errorf("there is no table %s", name)
		}
	}
	for name, why := range carries {
		if why == "" || !slices.ContainsFunc(all, func(k tableKeys) bool { return k.TableName == name }) {
			t.Errorf("there is no table %s, or no reason", name)
		}
	}
	if _, err := d.Pool().Exec(t.Context(), `ALTER TABLE payments ALTER event_id DROP NOT NULL; CREATE UNIQUE INDEX slip ON event_seats (seat_no, event_id, leg); CREATE TABLE newcomer (id int PRIMARY KEY)`); err != nil {
		t.Fatal(err)
	}
	if bad := misplaced(tablesOf(t, d.Pool())); len(bad) != 3 {
		t.Errorf("three tables were spoiled, found: %q", bad)
	}
}

func tablesOf(t *testing.T, q interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}) []tableKeys {
	t.Helper()
	r, err := q.Query(t.Context(), keysSQL)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(r, pgx.RowToStructByName[tableKeys])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func misplaced(all []tableKeys) (bad []string) {
	keyed, carries := eventTables()
	others := elsewhere()
	for _, k := range all {
		switch {
		case slices.Contains(keyed, k.TableName):
			if len(k.Firsts) == 0 || slices.ContainsFunc(k.Firsts, func(c string) bool { return c != "event_id" }) {
				bad = append(bad, k.TableName+": keys begin with "+strings.Join(k.Firsts, ", "))
			}
		case carries[k.TableName] != "":
			if !k.Carries {
				bad = append(bad, k.TableName+": event_id may be NULL")
			}
		case others[k.TableName] == "":
			bad = append(bad, k.TableName+": does it belong to one event? It is in no list")
		}
	}
	return bad
}

// Between two tables of an event a foreign key holds on one database only when it goes
// along event_id. These do not yet; they would be widened first.
func TestSharding_ForeignKeys(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	r, err := d.Pool().Query(t.Context(), `
SELECT k.conrelid::regclass::text || ' -> ' || k.confrelid::regclass::text,
       EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = ANY(k.conkey) AND a.attname = 'event_id') AS along
  FROM pg_constraint k WHERE k.contype = 'f' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	keyed, carries := eventTables()
	of := func(name string) bool { return slices.Contains(keyed, name) || carries[name] != "" }
	var along, across []string
	var key string
	var yes bool
	if _, err := pgx.ForEachRow(r, []any{&key, &yes}, func() error {
		from, to, _ := strings.Cut(key, " -> ")
		switch {
		case !of(from) || !of(to):
		case yes:
			along = append(along, key)
		default:
			across = append(across, key)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := widenedFirst()
	if !slices.Equal(across, want) {
		t.Errorf("foreign keys between an event's tables that do not go along event_id are\n  %s\nwant\n  %s", strings.Join(across, "\n  "), strings.Join(want, "\n  "))
	}
	if len(along) == 0 {
		t.Error("none goes along event_id")
	}
}

// widenedFirst are they; an exchange leads from a booking and a ticket of one event to
// those of another, so these two would be given up.
func widenedFirst() []string {
	return []string{
		"bookings -> bookings", "bookings -> holds", "disputes -> payments", "event_seats -> seat_blocks", "hold_seats -> holds",
		"ledger_entries -> bookings", "ledger_entries -> payments", "ledger_entries -> refunds", "payments -> holds", "refunds -> payments",
		"seat_moves -> event_swaps", "tickets -> bookings", "tickets -> tickets",
	}
}
