package seatplan

import (
	"strings"
	"testing"
)

func TestNumbering(t *testing.T) {
	for _, c := range []struct {
		name string
		s    Section
		want []string
	}{
		{"ascending", Section{Rows: "2", Seats: "4"}, []string{"A1 A2 A3 A4", "B1 B2 B3 B4"}},
		{"descending", Section{Rows: "1", Seats: "4", Aisles: "2", Order: OrderLeft}, []string{"A4 A3 | A2 A1"}},
		{"from the middle, odd right", Section{Rows: "1", Seats: "3|3", Order: OrderOddRight}, []string{"A6 A4 A2 | A1 A3 A5"}},
		{"from the middle, odd left", Section{Rows: "1", Seats: "3|3", Order: OrderOddLeft}, []string{"A5 A3 A1 | A2 A4 A6"}},
		{"from the middle of an odd row", Section{Rows: "1", Seats: "5", Order: OrderOddRight}, []string{"A4 A2 A1 A3 A5"}},
		{"from the middle block", Section{Rows: "1", Seats: "2|4|2", Order: OrderOddLeft}, []string{"A7 A5 | A3 A1 A2 A4 | A6 A8"}},
		{"alternating", Section{Rows: "3", Seats: "3", Order: OrderSnake}, []string{"A1 A2 A3", "B3 B2 B1", "C1 C2 C3"}},
		{"alternating and running on", Section{Rows: "3", Seats: "3", Order: OrderSnake, Run: RunSection}, []string{"A1 A2 A3", "B6 B5 B4", "C7 C8 C9"}},
		{"running on", Section{Rows: "2", Seats: "3", Run: RunHouse}, []string{"A1 A2 A3", "B4 B5 B6"}},
		{"start number", Section{Rows: "1", Seats: "3", Start: "101"}, []string{"A101 A102 A103"}},
		{"skipped numbers", Section{Rows: "1", Seats: "4", Start: "12", Skip: "13"}, []string{"A12 A14 A15 A16"}},
		{"letters without C", Section{RowNames: "1–2", Seats: "2|2", Letters: true, Skip: "C"}, []string{"1A 1B | 1D 1E", "2A 2B | 2D 2E"}},
		{"rows without I", Section{RowNames: "H–K without I", Seats: "1"}, []string{"H1", "J1", "K1"}},
		{"rows without I, counted", Section{Rows: "3", RowNames: "H without I", Seats: "1"}, []string{"H1", "J1", "K1"}},
		{"rows counted, none skipped", Section{Rows: "3", RowNames: "without B", Seats: "1"}, []string{"A1", "C1", "D1"}},
		{"rows from the back", Section{RowNames: "C to A", Seats: "1"}, []string{"C1", "B1", "A1"}},
		{"rows of double letters", Section{RowNames: "Y, Z, AA-BB", Seats: "1"}, []string{"Y1", "Z1", "AA1", "BB1"}},
		{"a row longer, a row shorter", Section{Rows: "3", Seats: "4", Lines: "B = 6\nC = 2"}, []string{"_ A1 A2 A3 A4", "B1 B2 B3 B4 B5 B6", "_ _ C1 C2"}},
		{"an odd row stands between", Section{Rows: "2", Seats: "4", Lines: "B = 3"}, []string{"A1 A2 A3 A4", "½ B1 B2 B3"}},
		{"other labels", Section{Rows: "2", Seats: "3", Lines: "B: 1 2 2b"}, []string{"A1 A2 A3", "B1 B2 B2b"}},
		{"ranges of labels", Section{Rows: "1", Lines: "A: 6-4 | a-c"}, []string{"A6 A5 A4 | Aa Ab Ac"}},
		{"set in", Section{Rows: "2", Seats: "2|2", Half: "B"}, []string{"A1 A2 | A3 A4", "½ B1 B2 | B3 B4"}},
		{"shorter beside the aisle", Section{Rows: "2", Seats: "3|3", Lines: "B = 2|1"}, []string{"A1 A2 A3 | A4 A5 A6", "_ B1 B2 | B3"}},
		{"two aisles side by side", Section{Rows: "1", Seats: "2||2"}, []string{"A1 A2 | | A3 A4"}},
		{"numbered rows keep a dash in the key", Section{RowNames: "1, 11", Seats: "11"}, []string{
			"11 12 13 14 15 16 17 18 19 110 111", "111 112 113 114 115 116 117 118 119 1110 1111"}},
	} {
		l, problems := Build(Spec{Sections: []Section{c.s}})
		if len(problems) > 0 {
			t.Errorf("%s: %v", c.name, problems)
			continue
		}
		if got := strings.Join(picture(l), "\n"); got != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, strings.Join(c.want, "\n"))
		}
	}
}

// Numbers that run on through the house go from section to section, also side by side.
func TestNumberingThroughTheHouse(t *testing.T) {
	l, problems := Build(Spec{Sections: []Section{
		{Name: "Left", Rows: "2", Seats: "2", Run: RunHouse}, {Name: "Right", Place: Beside, Rows: "1", Seats: "2", Run: RunHouse}, {Name: "Back", Rows: "1", Seats: "5", Run: RunHouse},
	}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := []string{"A1 A2 | A5 A6", "B3 B4 |", "A7 A8 A9 A10 A11"}
	if got := picture(l); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q", got)
	}
}

func TestRefusedForms(t *testing.T) {
	for _, c := range []struct {
		name, field, words string
		s                  []Section
	}{
		{"nothing", "plan", "one to 40 sections", nil},
		{"no rows", "s0.rows", "how many rows", []Section{{Seats: "4"}}},
		{"rows no number", "s0.rows", "such as 12", []Section{{Rows: "many", Seats: "4"}}},
		{"too many rows", "s0.rows", "at most 60 rows", []Section{{Rows: "61", Seats: "4"}}},
		{"too many rows by name", "s0.names", "at most 60 rows", []Section{{RowNames: "1–61", Seats: "4"}}},
		{"too many rows together", "plan", "at most 60 rows", []Section{{Rows: "40", Seats: "4"}, {Name: "B", Rows: "30", Seats: "4"}}},
		{"a row too long", "s0.seats", "at most 60 seats", []Section{{Rows: "1", Seats: "61"}}},
		{"too wide with aisles", "plan", "at most 60 columns", []Section{{Rows: "1", Seats: "30|30"}}},
		{"too many places", "plan", "at most 2000", []Section{{Rows: "40", Seats: "59"}}},
		{"names do not agree", "s0.names", "3 names for 4 rows", []Section{{Rows: "4", RowNames: "A–C", Seats: "2"}}},
		{"aisle at the end", "s0.aisles", "from 1 to 15", []Section{{Rows: "1", Seats: "16", Aisles: "16"}}},
		{"aisles twice", "s0.aisles", "field before", []Section{{Rows: "1", Seats: "8|8", Aisles: "4"}}},
		{"a label that cannot be", "s0.lines", "cannot be a label", []Section{{Rows: "1", Seats: "2", Lines: "A: 1 ½"}}},
		{"an unknown mark", "s0.lines", "no mark", []Section{{Rows: "1", Seats: "2", Lines: "A: 1/x"}}},
		{"a line without a name", "s0.lines", "Line 2", []Section{{Rows: "1", Seats: "2", Lines: "A = 2\n: 4"}}},
		{"seats in a row without a name", "s0.lines", "needs a name", []Section{{Lines: "-: 1 2"}}},
		{"half a row that is not there", "s0.half", "no row Q", []Section{{Rows: "2", Seats: "2", Half: "Q"}}},
		{"letters from the middle", "s0.order", "neither odd nor even", []Section{{Rows: "1", Seats: "2", Letters: true, Order: OrderOddLeft}}},
		{"from the middle and on", "s0.run", "every row", []Section{{Rows: "1", Seats: "2", Order: OrderOddLeft, Run: RunHouse}}},
		{"a start that is none", "s0.start", "first number", []Section{{Rows: "1", Seats: "2", Start: "x"}}},
		{"beside another deck", "s1.place", "same deck", []Section{{Deck: "Low", Rows: "1", Seats: "1"}, {Deck: "High", Place: Beside, Rows: "1", Seats: "1"}}},
		{"a deck without a name", "s0.deck", "every deck", []Section{{Rows: "1", Seats: "1"}, {Deck: "High", Name: "x", Rows: "1", Seats: "1"}}},
		{"five decks", "plan", "one to 4 decks", []Section{{Deck: "1", Name: "a", Rows: "1", Seats: "1"}, {Deck: "2", Name: "b", Rows: "1", Seats: "1"}, {Deck: "3", Name: "c", Rows: "1", Seats: "1"}, {Deck: "4", Name: "d", Rows: "1", Seats: "1"}, {Deck: "5", Name: "e", Rows: "1", Seats: "1"}}},
		{"one code twice", "s1.code", "already", []Section{{Code: "X", Rows: "1", Seats: "1"}, {Code: "X", Rows: "1", Seats: "1"}}},
		{"a label twice in a row", "plan", "line 1, column 1, the other in line 1, column 3", []Section{{Lines: "A: 1 2 1"}}},
		{"a label twice in two sections", "plan", "Two places would be called row A, seat 1: one in line 1, column 1, the other in line 2, column 1", []Section{{Rows: "1", Seats: "1"}, {Rows: "1", Seats: "1"}}},
	} {
		l, problems := Build(Spec{Sections: c.s})
		if l != nil || !strings.Contains(problems[c.field], c.words) {
			t.Errorf("%s: %v", c.name, problems)
		}
	}
}

func TestTemplatesAreGood(t *testing.T) {
	want := map[string]int{"hall": 192, "hall-classes": 8*16 + 4*20, "theatre": 240, "coach-2-2": 45, "coach-2-1": 26, "sleeper": 30}
	for _, x := range Templates() {
		if l := mustBuild(t, x.Spec); l.Capacity() != want[x.Key] {
			t.Errorf("%s has %d places", x.Key, l.Capacity())
		}
	}
}

// Whatever is typed ends in a plan that passes its own check, or in words.
func FuzzBuild(f *testing.F) {
	f.Add("12", "A–M without I", "16", "4, 12", "", "1", "13", "B", "C = 7|7\nD: 1 2 4♿ | 5/w WC", false, true)
	f.Add("", "1-4", "2||2", "", "odd-right", "A", "C", "2", "-: stairs _ | WC\n3 half", true, false)
	f.Add("60", "Z", "60", "1", "snake", "ZZ", "A-Z", "ZZ-AA", "A..Q: a-z 9-1", false, false)
	f.Fuzz(func(t *testing.T, rows, named, seats, aisles, order, start, skip, half, lines string, letters, vehicle bool) {
		one := Section{Rows: rows, RowNames: named, Seats: seats, Aisles: aisles, Order: order, Start: start, Skip: skip, Half: half, Lines: lines, Letters: letters}
		two := one
		two.Name, two.Place = "B", Beside
		l, problems := Build(Spec{Vehicle: vehicle, Front: FrontDriverLeft, Sections: []Section{one, two}})
		if (l == nil) != (len(problems) > 0) {
			t.Fatalf("plan %v and problems %v", l != nil, problems)
		}
		if l == nil {
			for field, words := range problems {
				if words == "" {
					t.Errorf("%s is refused without words", field)
				}
			}
			return
		}
		if err := Check(l); err != nil {
			t.Errorf("an own plan is refused: %v", err)
		}
		if l.Capacity() > MaxPlaces {
			t.Errorf("%d places", l.Capacity())
		}
	})
}
