package seatplan

import (
	"fmt"
	"strings"
	"testing"

	"holdfast/internal/domain"
)

// picture draws a plan as text: a line for each row, labels from left to right, | an
// aisle, _ nothing, ½ before a row that is set in.
func picture(l *domain.Layout) []string {
	var out []string
	deck, row, col := -1, -1, 0
	for _, c := range l.Cells {
		if c.Deck != deck || c.Row != row {
			head := ""
			if c.Half {
				head = "½ "
			}
			out, deck, row, col = append(out, head), c.Deck, c.Row, 0
		}
		line := &out[len(out)-1]
		for ; col < c.Col; col++ {
			*line += "_ "
		}
		col++
		switch {
		case c.Kind == domain.CellAisle:
			*line += "| "
		case !c.Kind.Sellable():
			*line += string(c.Kind) + " "
		case c.Kind == domain.CellWheelchair:
			*line += c.RowLabel + c.Number + "♿ "
		default:
			*line += c.RowLabel + c.Number + " "
		}
	}
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

func mustBuild(t *testing.T, s Spec) *domain.Layout {
	t.Helper()
	l, problems := Build(s)
	if len(problems) > 0 {
		t.Fatalf("refused: %v", problems)
	}
	return l
}

func perSection(l *domain.Layout) map[string]int {
	out := map[string]int{}
	for _, c := range l.Cells {
		if c.Kind.Sellable() {
			out[c.Section]++
		}
	}
	return out
}

// A single-screen cinema of 590 seats in five classes, each from row A seat 1 on.
func TestPlanFiveClasses(t *testing.T) {
	l := mustBuild(t, Spec{Front: FrontScreen, Sections: []Section{
		{Name: "Second", RowNames: "A–B", Seats: "15|15", Zone: "Second"},
		{Name: "First", RowNames: "A–G", Seats: "15|15", Zone: "First"},
		{Name: "Balcony", RowNames: "A–H", Seats: "12|12", Lines: "A = 13|13\nB–H half", Zone: "Balcony"},
		{Name: "Star", RowNames: "A–D", Seats: "18|8", Zone: "Star"},
		{Name: "Box", RowNames: "A–C", Seats: "7", Lines: "C = 8", Zone: "Box"},
	}})
	want := map[string]int{"Box": 22, "Star": 104, "Balcony": 194, "First": 210, "Second": 60}
	if got := perSection(l); fmt.Sprint(got) != fmt.Sprint(want) || l.Capacity() != 590 {
		t.Errorf("%d places, %v", l.Capacity(), got)
	}
	ones := 0
	for _, c := range l.Cells {
		if c.RowLabel == "A" && c.Number == "1" {
			ones++
		}
	}
	for _, no := range []string{"BOX-A1", "STAR-A1", "BALC-A1", "FIRS-A1", "SECO-A1", "BALC-H24", "STAR-D26", "BOX-C8"} {
		if _, ok := l.Seat(no); !ok {
			t.Errorf("no seat %s", no)
		}
	}
	if ones != 5 || len(l.Zones) != 5 {
		t.Errorf("%d places A1, %d zones", ones, len(l.Zones))
	}
	// The rows behind balcony A stand between its seats.
	a, _ := l.Seat("BALC-A1")
	b, _ := l.Seat("BALC-B1")
	if a.Half == b.Half || 2*b.Col+half(b) != 2*a.Col+half(a)+1 {
		t.Errorf("balcony A1 at %d.%v, B1 at %d.%v", a.Col, a.Half, b.Col, b.Half)
	}
	last, _ := l.Seat("BALC-A26")
	end, _ := l.Seat("BALC-B24")
	if 2*end.Col+half(end) != 2*last.Col+half(last)-1 {
		t.Errorf("balcony A26 at %d.%v, B24 at %d.%v", last.Col, last.Half, end.Col, end.Half)
	}
}

func half(c domain.Cell) int {
	if c.Half {
		return 1
	}
	return 0
}

// A theatre whose rows are numbered out from the middle, with "bis" seats.
func TestPlanTheatreRow(t *testing.T) {
	l := mustBuild(t, Spec{Front: FrontScreen, Sections: []Section{{Lines: `A: 26 24 22 20 18 16 16b | 12b 12 10 8 6 4 2 1 3 5 7 9 11 13 13b | 15b 15 17 19 21 23 25
B: 20♿ 18♿ 16 | _ _ 10 8 6 4 2 1 3 5 7 9 11 13 _ | 15 17♿ 19♿`}}})
	got := picture(l)
	want := []string{
		strings.TrimSpace(strings.Repeat("screen ", 31)),
		"A26 A24 A22 A20 A18 A16 A16b | A12b A12 A10 A8 A6 A4 A2 A1 A3 A5 A7 A9 A11 A13 A13b | A15b A15 A17 A19 A21 A23 A25",
		"_ _ _ _ B20♿ B18♿ B16 | _ _ B10 B8 B6 B4 B2 B1 B3 B5 B7 B9 B11 B13 _ | B15 B17♿ B19♿",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d\n got %s\nwant %s", i, got[i], want[i])
		}
	}
	if l.Capacity() != 29+18 {
		t.Errorf("%d places", l.Capacity())
	}
}

// The same row from the scheme: only the bis seats are beyond it.
func TestPlanTheatreByScheme(t *testing.T) {
	l := mustBuild(t, Spec{Sections: []Section{{RowNames: "A", Seats: "6|13|6", Order: OrderOddRight, Skip: "14"}}})
	if got, want := picture(l)[0], "A26 A24 A22 A20 A18 A16 | A12 A10 A8 A6 A4 A2 A1 A3 A5 A7 A9 A11 A13 | A15 A17 A19 A21 A23 A25"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestPlanCoaches(t *testing.T) {
	for _, c := range []struct {
		name   string
		lines  string
		places int
		want   []string
	}{
		{"45", "1–10: A B | D E\n11: A B C D E", 45, []string{
			"1A 1B | 1D 1E", "2A 2B | 2D 2E", "3A 3B | 3D 3E", "4A 4B | 4D 4E", "5A 5B | 5D 5E", "6A 6B | 6D 6E", "7A 7B | 7D 7E",
			"8A 8B | 8D 8E", "9A 9B | 9D 9E", "10A 10B | 10D 10E", "11A 11B 11C 11D 11E"}},
		{"26", "1-6: A B | D\n7–8: A B | WC\n9: A B C D", 26, []string{
			"1A 1B | 1D", "2A 2B | 2D", "3A 3B | 3D", "4A 4B | 4D", "5A 5B | 5D", "6A 6B | 6D", "7A 7B | wc", "8A 8B | wc", "9A 9B 9C 9D"}},
	} {
		l := mustBuild(t, Spec{Vehicle: true, Front: FrontDriverLeft, Sections: []Section{{Lines: c.lines}}})
		if got := picture(l)[1:]; strings.Join(got, "\n") != strings.Join(c.want, "\n") || l.Capacity() != c.places {
			t.Errorf("coach %s, %d places:\n%s", c.name, l.Capacity(), strings.Join(got, "\n"))
		}
	}
}

func TestPlanSleeper(t *testing.T) {
	l := mustBuild(t, Spec{Vehicle: true, Front: FrontDriverLeft, Sections: []Section{
		{Deck: "Lower deck", Berths: true, Lines: "1-5: A B | D\n-: _ _ | WC"}, {Deck: "Upper deck", Berths: true, Lines: "1-5: E F | H"}}})
	if l.Capacity() != 30 || len(l.Decks) != 2 {
		t.Fatalf("%d places on %d decks", l.Capacity(), len(l.Decks))
	}
	for row := 1; row <= 5; row++ {
		for _, pair := range []string{"AE", "BF", "DH"} {
			low, _ := l.Seat(fmt.Sprint(row, string(pair[0])))
			high, _ := l.Seat(fmt.Sprint(row, string(pair[1])))
			if low.Row != high.Row || low.Col != high.Col || low.Deck == high.Deck || high.Kind != domain.CellBerth {
				t.Errorf("%+v is not under %+v", low, high)
			}
		}
	}
}
