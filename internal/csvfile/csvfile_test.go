package csvfile

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// table reads everything: the header, the rows with their numbers, what went wrong.
func table(t testing.TB, text string, o Options) (header []string, rows [][]string, numbers []int, troubles []string) {
	t.Helper()
	r, err := New(strings.NewReader(text), o)
	if err != nil {
		return nil, nil, nil, []string{Words(err)}
	}
	for {
		err := r.Next()
		if err == io.EOF {
			return r.Header, rows, numbers, troubles
		}
		if err != nil {
			troubles = append(troubles, Words(err))
			if !errors.Is(err, ErrRow) {
				return r.Header, rows, numbers, troubles
			}
			continue
		}
		var row []string
		for i := range r.Header {
			row = append(row, r.At(i))
		}
		rows, numbers = append(rows, row), append(numbers, r.Row())
	}
}

func TestReadDialects(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain":      "Name,Price\nA,1\nB,2\n",
		"semicolons": "Name;Price\nA;1\nB;2\n",
		"tabs":       "Name\tPrice\r\nA\t1\r\nB\t2\r\n",
		"mark":       "\xEF\xBB\xBFName,Price\nA,1\nB,2",
		"spaces":     " name , \"price\"\nA ,  \"1\"\n B,2\n",
		"old ends":   "Name,Price\rA,1\rB,2\r",
		"blank rows": "\n,\nName,Price\n\nA,1\n,,\nB,2\n\n",
		"more cells": "Name,Price\nA,1,,\nB,2\n",
	} {
		header, rows, _, troubles := table(t, text, Options{})
		if !slices.Equal(header, []string{"name", "price"}) || len(rows) != 2 || rows[0][1] != "1" || rows[1][0] != "B" || len(troubles) > 0 {
			t.Errorf("%s: %q %q %q", name, header, rows, troubles)
		}
	}
}

func TestReadTroubles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text, says string
		rows       int
	}{
		"empty":       {"", "it is empty", 0},
		"blank":       {"\n\n", "it is empty", 0},
		"UTF-16":      {"\xFF\xFEN\x00", "UTF-16", 0},
		"spreadsheet": {"PK\x03\x04", "spreadsheet", 0},
		"Latin 1":     {"name\nK\xF6ln\nB\n", "not UTF-8", 1},
		"NUL":         {"name\nA\nB\x00\n", "NUL", 1},
		"quote":       {"name,x\nA\"B,1\nC,2\n", "out of place", 1},
		"open quote":  {"name\n\"A\nB\n", "out of place", 0},
		"endless":     {"name\n\"" + strings.Repeat("x\n", MaxRow), "longer than 64 KB", 0},
	} {
		_, rows, _, troubles := table(t, test.text, Options{})
		if len(rows) != test.rows || len(troubles) != 1 || !strings.Contains(troubles[0], test.says) {
			t.Errorf("%s: %q, %q", name, rows, troubles)
		}
	}
}

func TestRowNumbers(t *testing.T) {
	t.Parallel()
	_, _, numbers, _ := table(t, "name,x\nA,\"two\nlines\"\nB,1\n\nC,2\n", Options{})
	if !slices.Equal(numbers, []int{2, 4, 6}) {
		t.Errorf("rows %v", numbers)
	}
}

func TestFormulasAreGuarded(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"=1+1": "'=1+1", "+94 11": "'+94 11", "-x": "'-x", "@SUM": "'@SUM", "-12.50": "-12.50", "'=x": "''=x", "plain": "plain", "it's": "it's", "": "",
		"-1-1": "'-1-1", "'quoted'": "'quoted'",
	} {
		if got := guard(cell); got != want || unguard(got) != cell {
			t.Errorf("%q is written %q and read %q", cell, got, unguard(got))
		}
	}
}

// What Write wrote is read back, whatever is in the cells.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	cell := rapid.Custom(func(t *rapid.T) string {
		alphabet := rapid.SampledFrom([]rune("ab ,;\"'=+-@\t\n5.é漢"))
		return strings.TrimSpace(string(rapid.SliceOfN(alphabet, 0, 8).Draw(t, "cell")))
	})
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, 3, 3), 0, 5).Draw(t, "rows")
		var want [][]string
		for _, row := range rows {
			if !blank(row) {
				want = append(want, row)
			}
		}
		var b bytes.Buffer
		if err := Write(&b, []string{"a", "b", "c"}, rows); err != nil {
			t.Fatal(err)
		}
		r, err := New(&b, Options{Formulas: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range want {
			if err := r.Next(); err != nil {
				t.Fatalf("%q: %v", row, err)
			}
			if got := []string{r.Get("a"), r.Get("b"), r.Get("c")}; !slices.Equal(got, row) {
				t.Fatalf("wrote %q, read %q", row, got)
			}
		}
		if err := r.Next(); err != io.EOF {
			t.Fatalf("one row too many: %v", err)
		}
	})
}

// FuzzNew: any bytes end, and each row has a number beyond the last.
func FuzzNew(f *testing.F) {
	f.Add("name,x\nA,\"two\nlines\"\n")
	f.Add("\xEF\xBB\xBFa;b\r\n\"\"\"\";\r\n")
	f.Add("\"\n\"\"\n,\x00\xFF")
	f.Fuzz(func(t *testing.T, text string) {
		_, _, numbers, _ := table(t, text, Options{Formulas: true})
		for i, n := range numbers {
			if i > 0 && n <= numbers[i-1] || n < 1 {
				t.Fatalf("rows %v", numbers)
			}
		}
	})
}

func TestReportGroups(t *testing.T) {
	t.Parallel()
	var r Report
	for i := range 1000 {
		r.Add(LeftOut, "a.txt", i, "The same.", "x")
	}
	r.Add(Note, "a.txt", 1, "Another.", "")
	r.Add(Stops, "b.txt", 1, "The worst.", "")
	p := r.Problems()
	if len(p) != 3 || p[0].Words != "The worst." || p[1].Count != 1000 || len(p[1].Examples) != 5 || !r.Stopped() {
		t.Errorf("%+v", p)
	}
}
