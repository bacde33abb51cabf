package arch

import (
	"fmt"
	"go/parser"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sqlShape knows SQL by its shape, typed as people type it: keywords all small
// at the start of a text, or all capital anywhere. "Select seats from the map"
// is English and passes.
var sqlShape = regexp.MustCompile(
	`^\s*(with \w+ as |select [^;]* from |select \w+\(|insert into \w|update \w+ (\w+ )?set |delete from \w|(create|alter|drop) (table|index|database|schema|type|role) |truncate \w)` +
		`|\b(WITH \w+ AS|SELECT\s[\s\S]*\sFROM|SELECT \w+\(|INSERT INTO|UPDATE\s+\w+(\s+\w+)?\s+SET|DELETE FROM|(CREATE|ALTER|DROP) (TABLE|INDEX|DATABASE|SCHEMA|TYPE|ROLE)|TRUNCATE \w)\b`)

// sqlHomes are where SQL may stand, tests apart. privpg creates its database,
// the bench and app helpers are for tests.
var sqlHomes = []string{"db", "db/dbtest", "migrations", "internal/privpg", "internal/apptest", "internal/bench"}

// claimsFiles are the only ones that write the hold of a seat.
var claimsFiles = []string{"db/claims.go", "db/claims_open.go"}

var (
	setClause  = regexp.MustCompile(`(?is)\bset\b(.*?)(\bwhere\b|\bfrom\b|\breturning\b|;|$)`)
	writesTime = regexp.MustCompile(`(?i)\bheld_until\s*=`)
	writesHold = regexp.MustCompile(`(?i)\bhold_id\s*=`)
	newSeats   = regexp.MustCompile(`(?is)\binsert\s+into\s+event_seats\s*\([^)]*\b(hold_id|held_until)\b`)
)

func strayedSQL(files []source) []string {
	var bad []string
	for _, f := range files {
		if f.test || slices.Contains(sqlHomes, f.pkg) {
			continue
		}
		for _, l := range f.texts {
			if sqlShape.MatchString(l.text) {
				bad = append(bad, fmt.Sprintf("%s:%d: SQL outside db/: %.60q", f.path, l.line, l.text))
			}
		}
	}
	return bad
}

func strayedHoldWrites(files []source) []string {
	var bad []string
	for _, f := range files {
		if f.test || slices.Contains(claimsFiles, f.path) {
			continue
		}
		for _, l := range f.texts {
			if writesHoldColumns(l.text) {
				bad = append(bad, fmt.Sprintf("%s:%d: only %s write hold_id and held_until of event_seats", f.path, l.line, strings.Join(claimsFiles, " and ")))
			}
		}
	}
	return bad
}

func writesHoldColumns(sql string) bool {
	if newSeats.MatchString(sql) {
		return true
	}
	for _, m := range setClause.FindAllStringSubmatch(sql, -1) {
		if writesTime.MatchString(m[1]) || writesHold.MatchString(m[1]) {
			return true
		}
	}
	return false
}

func TestSQLStaysInDB(t *testing.T) {
	for _, line := range strayedSQL(sources(t, "../..")) {
		t.Error(line)
	}
}

func TestOnlyClaimsWritesHolds(t *testing.T) {
	files := sources(t, "../..")
	for _, line := range strayedHoldWrites(files) {
		t.Error(line)
	}
	seen := 0
	for _, f := range files {
		if !slices.Contains(claimsFiles, f.path) {
			continue
		}
		seen++
		if !slices.ContainsFunc(f.texts, func(l literal) bool { return writesHoldColumns(l.text) }) {
			t.Error("the check does not even see the writes of", f.path)
		}
	}
	if seen != len(claimsFiles) {
		t.Errorf("%d of %v are there", seen, claimsFiles)
	}
}

func TestStrayedSQLFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"select id from holds":                     true,
		"\n\tSELECT id\n\t  FROM holds":            true,
		"select pg_notify($1, '')":                 true,
		"INSERT INTO x (a) VALUES (1)":             true,
		"update holds set state = 'released'":      true,
		"UPDATE event_seats s SET state = 'x'":     true,
		"delete from holds":                        true,
		"WITH a AS (SELECT 1) TABLE a":             true,
		"create table x(i int)":                    true,
		"Select seats from the map":                false,
		"Please update your card and set a code":   false,
		"<select name=\"from\">":                   false,
		"delete from the list what you do not buy": true, // rather too strict than blind
		"SEAT SELECTION":                           false,
	} {
		f := source{path: "handlers/x.go", pkg: "handlers", texts: []literal{{1, text}}}
		if got := len(strayedSQL([]source{f})) > 0; got != want {
			t.Errorf("%q: %v", text, got)
		}
		f.pkg = "db"
		if len(strayedSQL([]source{f})) > 0 {
			t.Errorf("%q is at home in db", text)
		}
	}
}

func TestStrayedHoldWritesFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"UPDATE event_seats SET state = 'held', hold_id = @h WHERE seat_no = @s":     true,
		"update event_seats s set held_until = now() from x":                         true,
		"UPDATE event_seats SET state='available',\n hold_id=NULL":                   true,
		"INSERT INTO event_seats (event_id, seat_no, leg, hold_id) VALUES (1)":       true,
		"INSERT INTO event_seats (event_id, seat_no, leg) SELECT 1":                  false,
		"SELECT 1 FROM event_seats WHERE hold_id = @h AND held_until = @t":           false,
		"UPDATE payments SET state = 'closed' WHERE hold_id = @h":                    false,
		"UPDATE holds SET expires_at = now() FROM hold_seats WHERE hold_id = id":     false,
		"INSERT INTO payments (hold_id, amount) VALUES (@h, 1)":                      false,
		"WITH l AS (SELECT 1 WHERE hold_id = 1) UPDATE holds SET state = 'released'": false,
	} {
		f := source{path: "db/holds.go", pkg: "db", texts: []literal{{1, sql}}}
		if got := len(strayedHoldWrites([]source{f})) > 0; got != want {
			t.Errorf("%q: %v", sql, got)
		}
		f.path = claimsFiles[0]
		if len(strayedHoldWrites([]source{f})) > 0 {
			t.Errorf("%q is at home in %s", sql, f.path)
		}
	}
}

// Pieces of one statement joined by + are read as one.
func TestConstantJoins(t *testing.T) {
	t.Parallel()
	e, err := parser.ParseExpr("`UPDATE event_seats SET ` + columns + `, held_until = now()` + (end)")
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := constant(e); !ok || !writesHoldColumns(text) {
		t.Errorf("%q %v", text, ok)
	}
}
