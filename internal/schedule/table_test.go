package schedule_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
	"holdfast/internal/schedule"
)

// newCinema is a house with a hall, a film and a price list, "Standard".
func newCinema(t *testing.T) *depot {
	t.Helper()
	h := newDepot(t)
	ev := dbtest.Screening(t, h.db, 2, 3)
	h.exec(`UPDATE settings SET value = 'Europe/Rome' WHERE key = 'time_zone'`)
	h.set.TimeZone = "Europe/Rome"
	h.exec(`INSERT INTO resources (kind, name, layout_version_id, turnaround_minutes) VALUES ('hall', 'Hall 1', $1, 15)`, ev.Layout.VersionID)
	h.exec(`UPDATE films SET title = 'Salt Road', runtime_min = 120`)
	h.exec(`UPDATE tariffs SET name = 'Standard' WHERE id = (SELECT tariff_id FROM events WHERE id = $1)`, ev.ID)
	return h
}

// table previews a table and, unless it is stopped, imports it.
func (h *depot) table(kind, text string) (schedule.TablePreview, schedule.TableChanges) {
	h.t.Helper()
	id, err := h.s.StoreImport(h.t.Context(), byTest, kind, kind+".csv", strings.NewReader(text))
	if err != nil {
		h.t.Fatal(err)
	}
	p, err := h.s.TablePreview(h.t.Context(), id, kind, h.set)
	if err != nil {
		h.t.Fatal(err)
	}
	c, err := h.s.ImportTable(h.t.Context(), byTest, id, kind, h.set)
	var rule *domain.RuleError
	if p.Stopped != (errors.As(err, &rule) && rule.Code == "table") || !p.Stopped && err != nil {
		h.t.Fatalf("stopped is %v and the import says %v\n%s", p.Stopped, err, problems(p))
	}
	return p, c
}

func problems(p schedule.TablePreview) string {
	var b strings.Builder
	for _, x := range p.Problems {
		for _, e := range x.Examples {
			fmt.Fprintf(&b, "%d: %s [%s]\n", e.Row, x.Words, e.Text)
		}
	}
	return b.String()
}

func (h *depot) export(kind string) string {
	h.t.Helper()
	var b bytes.Buffer
	if err := h.s.ExportTable(h.t.Context(), &b, kind, h.set); err != nil {
		h.t.Fatal(err)
	}
	return b.String()
}

func TestFilmsTable(t *testing.T) {
	t.Parallel()
	h := newCinema(t)
	const text = "title;runtime_min;language;opens_on\nsalt  road;128;Sinhala;4.12.2026\nNew Film;90;;\nNew Film;95;English;2026-12-05\n"
	p, _ := h.table("films", text)
	if !p.Stopped || !strings.Contains(problems(p), "4: A film is there twice: a title and version belong to one row. [New Film, also in row 3]") {
		t.Fatalf("a film twice:\n%s", problems(p))
	}
	_, c := h.table("films", strings.Replace(text, "New Film;95", "Third Film;95", 1))
	if c.New != 2 || c.Changed != 1 || c.Same != 0 {
		t.Errorf("%+v", c)
	}
	var got string
	h.scan(&got, `SELECT title || runtime_min || language || opens_on || revision FROM films WHERE lower(title) = 'salt road'`)
	if got != "Salt Road128Sinhala2026-12-042" {
		t.Errorf("stored %s", got)
	}
	if _, c = h.table("films", h.export("films")); c.New+c.Changed != 0 || c.Same != 3 {
		t.Errorf("the export again: %+v", c)
	}
}

func TestTableProblems(t *testing.T) {
	t.Parallel()
	h := newCinema(t)
	before := h.rows()
	const show = "film,hall,starts,price_list,length_min,status\n"
	const fare = "price_list,zone,ticket_type,price,from_stop,to_stop\n"
	for _, test := range []struct{ kind, text, says string }{
		{"films", "name\nx\n", "1: A column is missing that is needed."},
		{"films", "title,runtime_min\n,90\n", "2: A film needs a title."},
		{"films", "title,runtime_min\nX,two hours\n", "[two hours]"},
		{"films", "title,runtime_min,opens_on\nX,90,03/04/2026\n", "2: A date could mean two days."},
		{"films", "title,runtime_min,opens_on\nX,90,2026-02-30\n", "2: A date is not one"},
		{"films", "title,runtime_min\nX,90,left over\n", "2: A row has more cells"},
		{"films", "title,runtime_min\nK\xF6ln,90\n", "2: A row cannot be read. [it is not UTF-8"},
		{"films", "title,runtime_min\n" + strings.Repeat("X", 201) + ",90\n", "too long"},
		{"films", "title,title,runtime_min\nX,Y,90\n", "A column is there twice"},
		{"films", "\xFF\xFEt\x00", "UTF-16"},
		{"screenings", show + "Nobody,Hall 1,2027-05-01 20:00,Standard,,\n", "2: A film is not known. Import the films first. [Nobody"},
		{"screenings", show + "Salt Road,Hall 9,2027-05-01 20:00,Standard,,\n", "2: A hall is not known"},
		{"screenings", show + "Salt Road,Hall 1,2027-05-01 20:00,Fancy,,\n", "2: A price list is not known"},
		{"screenings", show + "Salt Road,Hall 1,tomorrow,Standard,,\n", "2: A start is not a date and a time."},
		{"screenings", show + "Salt Road,Hall 1,2027-03-28 02:30,Standard,,\n", "2: A start does not exist: the clocks go forward"},
		{"screenings", show + "Salt Road,Hall 1,2027-10-31 02:30,Standard,,\n", "2027-10-31 02:30+02:00"},
		{"screenings", show + "Salt Road,Hall 1,2020-05-01 20:00,Standard,,\n", "2: A screening has begun already."},
		{"screenings", show + "Salt Road,Hall 1,2027-05-01 20:00,Standard,,maybe\n", "neither draft nor published"},
		{"screenings", show + "Salt Road,Hall 1,2027-05-01 20:00,Standard,,\nSalt Road,Hall 1,2027-05-01 22:10,Standard,,\n", "3: A hall is in use then. [Salt Road, Hall 1, Sat 1 May 2027 22:10: “Salt Road” from 20:00 to 22:15]"},
		{"screenings", show + "Salt Road,Hall 1,2027-05-01 20:00,Standard,,\nSalt Road,Hall 1,2027-05-01 20:00,Standard,,\n", "3: A hall has two screenings"},
		{"fares", fare + "Standard,1,adult,\"1,200\",,\n", "could mean different amounts"},
		{"fares", fare + "Standard,1,adult,0.10,,\n", "cannot be paid by card"},
		{"fares", fare + "Standard,1,wizard,10,,\n", "2: A ticket type is not known"},
		{"fares", fare + "Standard,x,adult,10,,\n", "2: The zone is not a number"},
		{"fares", fare + "Standard,1,adult,10,2,1\n", "2: The from_stop is not before the to_stop."},
		{"fares", fare + "Standard,1,adult,10,,\nstandard,1,Adult,11,0,1\n", "3: A price is there twice. [also in row 2]"},
		{"fares", "price_list,zone,ticket_type,price,currency\nStandard,1,adult,10,USD\n", "2: The currency is not that of the price list."},
		{"fares", "price_list,zone,ticket_type,price,tax_percent\nStandard,1,adult,10,5\n", "[5, the list has 22]"},
	} {
		p, _ := h.table(test.kind, test.text)
		if !p.Stopped || !strings.Contains(problems(p), test.says) {
			t.Errorf("%s\n%q says\n%swant %q", test.kind, test.text, problems(p), test.says)
		}
	}
	if after := h.rows(); after != before {
		t.Errorf("refused tables left %s, before %s", after, before)
	}
	var films, prices int
	h.scan(&films, `SELECT count(*) FROM films`)
	h.scan(&prices, `SELECT count(*) FROM fares f JOIN tariffs t ON t.id = f.tariff_id WHERE t.name = 'Standard'`)
	if films != 1 || prices != 4 {
		t.Errorf("%d films, %d prices", films, prices)
	}
}

func TestScreeningsTable(t *testing.T) {
	t.Parallel()
	h := newCinema(t)
	const text = "film\thall\tstarts\tprice_list\tlength_min\tstatus\tsales_close_min\n" +
		"Salt Road\thall 1\t2027-05-01 20:00\tStandard\t\tpublished\t0\n" +
		"Salt Road\tHall 1\t2027-10-31 02:30+01:00\tStandard\t150\t\t\n" +
		"salt road\tHall 1\t2.5.2027 00:30\tStandard\t\t\t\n"
	p, c := h.table("screenings", text)
	if c.New != 3 || c.Same != 0 {
		t.Fatalf("%+v\n%s", c, problems(p))
	}
	var got string
	h.scan(&got, `SELECT string_agg(to_char(starts_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI ') || status || ' ' || business_day || ' ' || (ends_at - starts_at), ', ' ORDER BY starts_at)
		FROM events WHERE resource_id IS NOT NULL`)
	if got != "05-01 18:00 published 2027-05-01 02:00:00, 05-01 22:30 draft 2027-05-01 02:00:00, 10-31 01:30 draft 2027-10-30 02:30:00" {
		t.Errorf("stored %s", got)
	}
	before := h.rows()
	for _, again := range []string{text, h.export("screenings")} {
		if p, c = h.table("screenings", again); c.New+c.Changed != 0 || c.Same != 3 || len(p.Problems) > 0 {
			t.Errorf("again: %+v\n%s", c, problems(p))
		}
	}
	if p, c = h.table("screenings", strings.Replace(text, "\t150\t", "\t160\t", 1)); c.Left != 1 || c.New != 0 {
		t.Errorf("another length: %+v\n%s", c, problems(p))
	}
	if after := h.rows(); after != before {
		t.Errorf("left %s, before %s", after, before)
	}
}

// A screening without a price for a zone does not go on sale, and nothing else of the
// table is stored either.
func TestScreeningsTableNeedsPrices(t *testing.T) {
	t.Parallel()
	h := newCinema(t)
	h.exec(`DELETE FROM fares WHERE zone_no = 2`)
	before := h.rows()
	id, err := h.s.StoreImport(t.Context(), byTest, "screenings", "x.csv", strings.NewReader(
		"film,hall,starts,price_list,status\nSalt Road,Hall 1,2027-05-01 20:00,Standard,draft\nSalt Road,Hall 1,2027-05-02 20:00,Standard,published\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.s.ImportTable(t.Context(), byTest, id, "screenings", h.set)
	var rule *domain.RuleError
	if !errors.As(err, &rule) || !strings.Contains(rule.Words, "Row 3") || h.rows() != before {
		t.Errorf("%v; left %s, before %s", err, h.rows(), before)
	}
}

func TestFaresTable(t *testing.T) {
	t.Parallel()
	h := newCinema(t)
	p, c := h.table("fares", "price_list,zone,ticket_type,price,tax_percent\nStandard,1,adult,12.50,22\nStandard,1,Child under 12,6,\nNew list,1,adult,9,\"5,5\"\n")
	if c.New != 1 || c.Changed != 1 || c.Same != 1 {
		t.Fatalf("%+v\n%s", c, problems(p))
	}
	var got string
	h.scan(&got, `SELECT string_agg(t.name || ' ' || t.tax_bp || ' ' || f.price, ', ' ORDER BY f.price) FROM fares f JOIN tariffs t ON t.id = f.tariff_id
		WHERE t.name IN ('Standard', 'New list') AND zone_no = 1`)
	if got != "Standard 2200 600, New list 550 900, Standard 2200 1250" {
		t.Errorf("stored %s", got)
	}
	if _, c = h.table("fares", h.export("fares")); c.New+c.Changed != 0 || c.Same == 0 {
		t.Errorf("the export again: %+v", c)
	}
	var log int
	h.scan(&log, `SELECT count(*) FROM audit_log WHERE action IN ('prices_changed', 'price_list_made', 'fares_imported')`)
	if log != 5 { // two lists' prices, one made, two imports
		t.Errorf("%d lines in the log", log)
	}
}

// Whatever the films' texts are: what is exported is read back and changes nothing, and
// no cell is one that a spreadsheet would calculate.
func TestFilmsTableRoundTrip(t *testing.T) {
	t.Parallel()
	h := newCinema(t)
	number := regexp.MustCompile(`^-?[0-9]+$`) // which no spreadsheet runs
	text := func(most int) *rapid.Generator[string] {
		return rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]rune("ab '\"=+-@,;é漢0")), 0, most), func(r []rune) string { return strings.TrimSpace(string(r)) })
	}
	rapid.Check(t, func(r *rapid.T) {
		h.exec(`DELETE FROM films f WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.film_id = f.id)`)
		titles := map[string]bool{"salt road": true}
		n := 1
		for range rapid.IntRange(1, 4).Draw(r, "films") {
			f := db.Film{Title: text(8).Draw(r, "title"), Genre: text(6).Draw(r, "genre"), Blurb: text(12).Draw(r, "blurb"), RuntimeMin: rapid.IntRange(1, 1000).Draw(r, "runtime")}
			folded := strings.ToLower(strings.Join(strings.Fields(f.Title), " "))
			if f.Title == "" || titles[folded] {
				continue
			}
			titles[folded] = true
			n++
			if err := h.db.InTx(t.Context(), func(tx *db.Tx) error { _, err := tx.InsertFilm(t.Context(), f); return err }); err != nil {
				r.Fatal(err)
			}
		}
		out := h.export("films")
		for _, line := range strings.Split(out, "\r\n") {
			for _, cell := range strings.Split(line, ",") {
				if cell = strings.TrimPrefix(cell, `"`); cell != "" && slices.Contains([]byte("=+-@"), cell[0]) && !number.MatchString(cell) && !strings.Contains(line, `"`) {
					r.Fatalf("a formula in %q", line)
				}
			}
		}
		if p, c := h.table("films", out); c.New+c.Changed != 0 || c.Same != n {
			r.Fatalf("%d films come back as %+v\n%s\n%s", n, c, problems(p), out)
		}
	})
}
