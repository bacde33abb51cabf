package mutants

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/db/dbtest"
)

// mutant is one small change that a tired person could make, and who notices it.
type mutant struct {
	name     string
	file     string // inside the module
	old, new string // old stands there exactly once
	pkg      string // whose tests are run
	run      string // -run
	caught   string // the test that must fail, and what it sees
}

func table() []mutant {
	return []mutant{
		{
			name: "settle does not lock the payment",
			file: "db/payments.go",
			old:  "paymentColumns + `WHERE id = @id FOR UPDATE`", new: "paymentColumns + `WHERE id = @id`",
			pkg: "internal/booking", run: "TestNet_SettleWaitsForSettle",
			caught: "TestNet_SettleWaitsForSettle", // hold lock, guard on received and unique keys save the money; the alarm tells
		},
		{
			name: "seats are freed without asking Stripe to end the page",
			file: "internal/booking/close.go",
			old:  "switch _, err = s.pay.ExpireSession(ctx, session); {", new: "switch err = error(nil); {",
			pkg: "internal/booking", run: "TestNet_AskBeforeFree",
			caught: "TestNet_AskBeforeFree", // paid in time and no ticket; a freed seat's page still takes money
		},
		{
			name: "seats are freed when Stripe does not answer",
			file: "internal/booking/close.go",
			old:  "	case err != nil:\n		return \"\", err\n	}\n	failpoint.Hit(\"close.after_expire\")", new: "	}\n	failpoint.Hit(\"close.after_expire\")",
			pkg: "internal/booking", run: "TestNet_SilentStripeFreesNothing",
			caught: "TestNet_SilentStripeFreesNothing", // the next customer gets the seat of one who pays
		},
		{
			name: "each try of a refund has another key",
			file: "internal/booking/refund.go",
			old:  `fmt.Sprintf("rf:%d:%d", r.ID, r.Attempt)`, new: `fmt.Sprintf("rf:%d:%d", r.ID, time.Now().UnixNano())`,
			pkg: "internal/booking", run: "TestNet_RefundOnce",
			caught: "TestNet_RefundOnce", // Stripe refunded twice
		},
		{
			name: "money is committed before what it bought",
			file: "db/payments.go",
			old:  "	return one(exec(ctx, t.q, receivePaymentSQL,", new: "	defer func() { _, _ = t.q.Exec(ctx, `COMMIT AND CHAIN`) }()\n	return one(exec(ctx, t.q, receivePaymentSQL,",
			pkg: "internal/booking", run: "TestNet_MoneyWithItsOutcome",
			caught: "TestNet_MoneyWithItsOutcome", // booked, it says, without a ticket; the audit finds it too
		},
		{
			name: "anybody who knows a hold's id owns it",
			file: "internal/booking/booking.go",
			old:  `if holder == "" || h.Holder != holder {`, new: `if holder == "" {`,
			pkg: "internal/booking", run: "TestNet_OnlyTheOwner",
			caught: "TestNet_OnlyTheOwner",
		},
		{
			name: "late money buys tickets of a cancelled event",
			file: "internal/booking/settle.go",
			old:  `case status != "published":`, new: `case status == "":`,
			pkg: "internal/booking", run: "TestNet_CancelledEvent",
			caught: "TestNet_CancelledEvent",
		},
		{
			name: "a claim does not count the rows it locked",
			file: "db/claims.go",
			old: "UPDATE event_seats SET state = 'held', hold_id = @hold, held_until = @held_until, block_id = NULL\n" +
				" WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg\n" +
				"   AND (SELECT count(*) FROM locked) = @n`",
			new: "UPDATE event_seats SET state = 'held', hold_id = @hold, held_until = @held_until, block_id = NULL\n" +
				" WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg\n" +
				"   AND (SELECT count(*) FROM locked) <= @n`",
			pkg: "db", run: "TestX1_LegInventory|TestH8_OneSeatTwoUsers",
			caught: "TestH8_OneSeatTwoUsers", // two winners
		},
		{
			name: "a claim does not count the rows it locked (as the checker of histories sees it)",
			file: "db/claims.go",
			old: "UPDATE event_seats SET state = 'held', hold_id = @hold, held_until = @held_until, block_id = NULL\n" +
				" WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg\n" +
				"   AND (SELECT count(*) FROM locked) = @n`",
			new: "UPDATE event_seats SET state = 'held', hold_id = @hold, held_until = @held_until, block_id = NULL\n" +
				" WHERE event_id = @event AND seat_no = ANY(@seats) AND leg BETWEEN @from_leg AND @to_leg\n" +
				"   AND (SELECT count(*) FROM locked) <= @n`",
			pkg: "internal/booking", run: "TestLinear_SeatStatements",
			caught: "TestLinear_SeatStatements",
		},
		{
			name: "time frees the seats while their page takes money",
			file: "internal/booking/pay.go",
			old:  "t.ExtendSeats(ctx, claimOf(h), ends.Add(sessionSlack))", new: "t.ExtendSeats(ctx, claimOf(h), h.ExpiresAt)",
			pkg: "internal/booking", run: "TestNet_SilentStripeFreesNothing",
			caught: "TestNet_SilentStripeFreesNothing",
		},
		{
			name: "nobody compares what Stripe took with what was asked",
			file: "internal/booking/settle.go",
			old:  "case session.Amount != p.Amount || session.Amount != h.Total:", new: "case session.Amount < 0:",
			pkg: "internal/booking", run: "TestNet_MoneyThatDoesNotFit",
			caught: "TestNet_MoneyThatDoesNotFit",
		},
		{
			name: "a confirmation takes seats that somebody else holds",
			file: "db/claims.go",
			old:  "     AND (state = 'available' OR (state = 'held' AND (hold_id = @hold OR held_until < now())) OR (state = 'blocked' AND held_until < now()))\n   ORDER BY seat_no, leg FOR NO KEY UPDATE)\nUPDATE event_seats SET state = 'booked'",
			new:  "     AND (state = 'available' OR state = 'held' OR hold_id = @hold)\n   ORDER BY seat_no, leg FOR NO KEY UPDATE)\nUPDATE event_seats SET state = 'booked'",
			pkg:  "internal/booking", run: "TestNet_SeatLost",
			caught: "TestNet_SeatLost",
		},
	}
}

// TestMutants: on the sources as they are the tests pass; with one net taken away the
// named test fails. A mutant that does not compile or that nobody notices is a defect.
// One after the other, not beside other tests: each compiles a package or two.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	h := house{root: root, database: dbtest.URL(t)}
	runs := map[string][]string{}
	for _, m := range table() {
		runs[m.pkg] = append(runs[m.pkg], m.run)
	}
	for _, pkg := range slices.Sorted(maps.Keys(runs)) {
		run := strings.Join(slices.Compact(slices.Sorted(slices.Values(runs[pkg]))), "|")
		if out, failed := h.test(t, pkg, run, ""); failed || !strings.Contains(out, "--- PASS") {
			t.Fatalf("without any mutant %s must pass in %s:\n%s", run, pkg, out)
		}
	}
	for _, m := range table() {
		t.Run(m.name, func(t *testing.T) {
			began := time.Now()
			out, failed := h.test(t, m.pkg, m.run, h.overlay(t, m))
			noticed := regexp.MustCompile(`(?m)^\s*--- FAIL: ` + m.caught + `\b`).MatchString(out)
			switch {
			case !failed:
				t.Errorf("nobody noticed:\n%s", out)
			case !noticed:
				t.Errorf("%s did not fail as a test does:\n%s", m.caught, out)
			}
			said := regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+: .*$`).FindString(out)
			t.Logf("caught by %s in %s after %.1f s: %s", m.caught, m.pkg, time.Since(began).Seconds(), strings.TrimSpace(said))
		})
	}
}

type house struct{ root, database string }

// overlay makes the mutated file and the list that puts it over the real one.
func (h house) overlay(t *testing.T, m mutant) string {
	t.Helper()
	path := filepath.Join(h.root, m.file)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		t.Fatalf("%s has the text to change %d times: look at the table\n%s", m.file, n, m.old)
	}
	dir := t.TempDir()
	changed := filepath.Join(dir, "mutant.go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// test runs some tests of a package of ours. Debug information is left out: it is half
// of the linker's work.
func (h house) test(t *testing.T, pkg, run, overlay string) (out string, failed bool) {
	t.Helper()
	args := []string{"test", "-count=1", "-v", "-vet=off", "-ldflags=-s -w", "-timeout=2m", "-run", "^(" + run + ")$"}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(t.Context(), "go", append(args, "./"+pkg)...)
	cmd.Dir = h.root
	cmd.Env = append(os.Environ(), "DATABASE_URL="+h.database)
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(fmt.Errorf("go test: %w", err))
	}
	return b.String(), err != nil
}
