package apptest

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/internal/stripesim"
)

// Ask reads the rows of a question whose columns are all texts.
func Ask(t testing.TB, d *db.DB, sql string, args ...any) [][]string {
	t.Helper()
	rows, err := d.Pool().Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	defer rows.Close()
	var out [][]string
	for rows.Next() {
		v, err := rows.Values()
		if err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
		line := make([]string, len(v))
		for i, x := range v {
			line[i] = fmt.Sprint(x)
		}
		out = append(out, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	return out
}

// unfinished are questions that must have no answer once all has come to rest.
var unfinished = []struct{ what, sql string }{
	{"live payment", `SELECT id::text, state, outcome, stripe_session_id IS NULL, created_at::text FROM payments WHERE state IN ('creating', 'open')`},
	{"payment on its way back", `SELECT id::text, state, outcome FROM payments WHERE state = 'refunding'`},
	{"refund", `SELECT id::text, state, error FROM refunds WHERE state <> 'succeeded'`},
	{"webhook", `SELECT id, type, object_id FROM stripe_events WHERE processed_at IS NULL`},
	{"mail", `SELECT id::text, kind, state, error FROM mails WHERE state <> 'sent'`},
	{"hold", `SELECT id::text, expires_at::text FROM holds WHERE state = 'active'`},
	{"held seat", `SELECT event_id::text, seat_no, leg::text, hold_id::text FROM event_seats WHERE state = 'held'`},
	{"job", `SELECT id::text, kind, state::text, attempt::text, args::text, errors[array_upper(errors, 1)]::text FROM river_job
		WHERE state NOT IN ('completed', 'cancelled', 'discarded') AND kind NOT IN ('sweep', 'reconcile', 'audit')`},
	{"job given up", `SELECT id::text, kind, args::text, errors[array_upper(errors, 1)]::text FROM river_job
		WHERE state = 'discarded' AND kind NOT IN ('sweep', 'reconcile', 'audit')`},
}

// Unfinished says what has not come to rest, the first few of each kind.
func Unfinished(t testing.TB, d *db.DB) (out []string) {
	t.Helper()
	for _, u := range unfinished {
		for i, row := range Ask(t, d, u.sql) {
			if i < 3 {
				out = append(out, u.what+": "+strings.Join(row, " "))
			}
		}
	}
	return out
}

// Audit asks the program itself, with Stripe's lists, and returns its findings.
func Audit(t testing.TB, bin string, env []string) []string {
	cmd := exec.CommandContext(t.Context(), bin, "audit")
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err == nil && strings.HasPrefix(string(out), "audit: clean (") {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return append(lines[:min(len(lines), 10)], fmt.Sprint(err))
}

// LedgersAgree compares ours with Stripe's per payment intent, both ways.
func LedgersAgree(t testing.TB, d *db.DB, sim *stripesim.Sim) (bad []string) {
	t.Helper()
	type sum struct{ taken, back string }
	ours := map[string]sum{}
	for _, x := range Ask(t, d, `SELECT p.stripe_payment_intent_id, p.received::text,
		(SELECT coalesce(sum(r.amount), 0)::text FROM refunds r WHERE r.payment_id = p.id AND r.state IN ('pending', 'succeeded'))
		FROM payments p WHERE p.received > 0`) {
		ours[x[0]] = sum{x[1], x[2]}
	}
	for _, l := range sim.Ledger() {
		there := sum{strconv.FormatInt(l.Taken, 10), strconv.FormatInt(l.Refunded, 10)}
		if here := ours[l.PaymentIntent]; here != there {
			bad = append(bad, fmt.Sprintf("%s: Stripe took %s and gave %s back, here %q and %q", l.PaymentIntent, there.taken, there.back, here.taken, here.back))
		}
		delete(ours, l.PaymentIntent)
	}
	for intent := range ours {
		bad = append(bad, intent+": money here that Stripe never took")
	}
	return bad
}

// EverybodyServed: whoever paid has valid tickets for exactly the seats of the hold at
// exactly that price, or all of the money back, and never both.
func EverybodyServed(t testing.TB, d *db.DB, sim *stripesim.Sim) (bad []string) {
	t.Helper()
	for _, l := range sim.Ledger() {
		hold := l.Metadata["hold_id"]
		x := Ask(t, d, `SELECT
			coalesce((SELECT string_agg(s.seat_no, ',' ORDER BY s.seat_no) FROM hold_seats s WHERE s.hold_id = h.id), ''),
			coalesce((SELECT string_agg(t.seat_no, ',' ORDER BY t.seat_no) FROM tickets t JOIN bookings b ON b.id = t.booking_id
			           WHERE b.hold_id = h.id AND b.state = 'confirmed' AND t.state = 'valid' AND t.from_stop = h.from_stop AND t.to_stop = h.to_stop), ''),
			(SELECT coalesce(sum(t.price), 0)::text FROM tickets t JOIN bookings b ON b.id = t.booking_id WHERE b.hold_id = h.id AND t.state = 'valid'),
			(SELECT count(*)::text FROM payments p WHERE p.hold_id = h.id AND p.outcome = 'booked' AND p.stripe_payment_intent_id = $2)
			FROM holds h WHERE h.id = $1`, hold, l.PaymentIntent)
		if len(x) != 1 {
			bad = append(bad, fmt.Sprintf("%s paid for hold %s, which is not there", l.PaymentIntent, hold))
			continue
		}
		wanted, got, price, booked := x[0][0], x[0][1], x[0][2], x[0][3] == "1"
		served := booked && wanted == got && price == strconv.FormatInt(l.Taken, 10) && l.Refunded == 0
		repaid := !booked && l.Refunded == l.Taken
		if !served && !repaid {
			bad = append(bad, fmt.Sprintf("hold %s paid %d (back %d) for %s and has tickets for %q at %s", hold, l.Taken, l.Refunded, wanted, got, price))
		}
	}
	return bad
}

// NoSeatTwice groups the valid tickets by seat and leg, without a look at the tables that
// are to prevent it.
func NoSeatTwice(t testing.TB, d *db.DB) (bad []string) {
	t.Helper()
	owner := map[string]string{}
	for _, x := range Ask(t, d, `SELECT id::text, event_id::text, seat_no, from_stop::text, to_stop::text FROM tickets WHERE state = 'valid' ORDER BY id`) {
		from, _ := strconv.Atoi(x[3]) // they are numbers in the database
		to, _ := strconv.Atoi(x[4])
		for leg := from + 1; leg <= to; leg++ {
			place := fmt.Sprintf("event %s seat %s leg %d", x[1], x[2], leg)
			if other := owner[place]; other != "" {
				bad = append(bad, fmt.Sprintf("%s: tickets %s and %s", place, other, x[0]))
			}
			owner[place] = x[0]
		}
	}
	return bad
}
