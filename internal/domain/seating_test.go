package domain

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// plan reads rows of a hall: a letter is a seat of zone 1, upper case of zone 2; W is a
// wheelchair space, C its companion seat, "|" an aisle, "." a gap.
func plan(rows ...string) *Layout {
	l := &Layout{Decks: []string{""}, Zones: []Zone{{1, "Standard"}, {2, "Premium"}}}
	for r, row := range rows {
		label := string(rune('A' + r))
		n := 0
		for c, x := range row {
			cell := Cell{Row: r, Col: c, Kind: CellSeat, Zone: 1}
			switch x {
			case '|':
				cell = Cell{Row: r, Col: c, Kind: CellAisle}
			case '.':
				cell = Cell{Row: r, Col: c, Kind: CellGap}
			case 'W':
				cell.Kind = CellWheelchair
			case 'C':
				cell.Kind = CellCompanion
			case 'S':
				cell.Zone = 2
			}
			if cell.Kind.Sellable() {
				n++
				cell.RowLabel, cell.Number, cell.SeatNo = label, strconv.Itoa(n), label+strconv.Itoa(n)
			}
			l.Cells = append(l.Cells, cell)
		}
	}
	return l
}

// freeBut is everything but the named seats.
func freeBut(l *Layout, taken string) map[string]bool {
	free := map[string]bool{}
	for _, c := range l.Cells {
		if c.Kind.Sellable() {
			free[c.SeatNo] = true
		}
	}
	for _, no := range strings.Fields(taken) {
		free[no] = false
	}
	return free
}

func TestBest(t *testing.T) {
	hall := plan("ssss|ssss", "ssss|ssss", "SSSS|WCSS")
	for _, c := range []struct {
		name  string
		wish  BestWish
		taken string
		want  string
	}{
		{"two in the middle of the best row", BestWish{Quantity: 2, RowPercent: 50}, "", "B3 B4"},
		{"only where there are neighbours", BestWish{Quantity: 3, RowPercent: 50}, "B2 B6 A2 A6", "C2 C3 C4"},
		{"never over the aisle", BestWish{Quantity: 5}, "", ""},
		{"apart when asked", BestWish{Quantity: 5, Apart: true, RowPercent: 0}, "", "A1 A2 A3 A4 A5"},
		{"a zone", BestWish{Quantity: 2, Zone: 2}, "", "C3 C4"},
		{"leaves no lonely seat", BestWish{Quantity: 2, Zone: 2}, "C4", "C7 C8"},
		{"wheelchair and companion", BestWish{Quantity: 2, Accessible: true}, "", "C5 C6"},
		{"wheelchair, companion and a friend", BestWish{Quantity: 3, Accessible: true}, "", "C5 C6 C7"},
		{"wheelchair space gone", BestWish{Quantity: 2, Accessible: true}, "C5", ""},
		{"more than there is", BestWish{Quantity: 30, Apart: true}, "", ""},
		{"nothing asked", BestWish{Quantity: 0}, "", ""},
	} {
		if got := strings.Join(hall.Best(c.wish, freeBut(hall, c.taken)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestInstead(t *testing.T) {
	hall := plan("ssssssss", "ssssssss")
	if got := hall.Instead([]string{"A1", "A2", "A3", "A4"}, freeBut(hall, "A3"), Rules{}); strings.Join(got, " ") != "A5 A6 A7 A8" && strings.Join(got, " ") != "B1 B2 B3 B4" {
		t.Errorf("instead of A1–A4 without A3: %v", got)
	}
	if got := hall.Instead([]string{"A1"}, freeBut(hall, "A1 A2 A3 A4 A5 A6 A7 A8 B1 B2 B3 B4 B5 B6 B7 B8"), Rules{}); got != nil {
		t.Errorf("a full house offered %v", got)
	}
	if got := hall.Instead([]string{"A1", "Z9"}, freeBut(hall, ""), Rules{}); got != nil {
		t.Errorf("an unknown seat was replaced by %v", got)
	}
}

// Whatever is free, a set that is not asked to be apart is adjacent, free and complete.
func TestBestIsAdjacentAndFree(t *testing.T) {
	hall := plan("ssss|ssssssss|ssss", "ssss|ssssssss|ssss", "..SS|SSSSSSSS|SS..", "SSSS|SSSSSSSS|SSSS")
	rapid.Check(t, func(t *rapid.T) {
		free := map[string]bool{}
		for _, c := range hall.Cells {
			if c.Kind.Sellable() {
				free[c.SeatNo] = rapid.Bool().Draw(t, c.SeatNo)
			}
		}
		wish := BestWish{Quantity: rapid.IntRange(1, 9).Draw(t, "n"), Zone: rapid.IntRange(0, 2).Draw(t, "zone"), RowPercent: rapid.IntRange(0, 100).Draw(t, "row")}
		set := hall.Best(wish, free)
		if set == nil {
			if longest(hall, wish, free) >= wish.Quantity {
				t.Fatalf("there are %d neighbours, none offered", wish.Quantity)
			}
			return
		}
		if len(set) != wish.Quantity {
			t.Fatalf("%d seats for %d", len(set), wish.Quantity)
		}
		for i, no := range set {
			c, ok := hall.Seat(no)
			if !ok || !free[no] || wish.Zone != 0 && c.Zone != wish.Zone {
				t.Fatalf("%s is not what was asked", no)
			}
			if i > 0 {
				last, _ := hall.Seat(set[i-1])
				if c.Row != last.Row || c.Col != last.Col+1 {
					t.Fatalf("%v are not neighbours", set)
				}
			}
		}
	})
}

func longest(l *Layout, w BestWish, free map[string]bool) int {
	most := 0
	for _, run := range l.Runs() {
		n := 0
		for _, c := range run {
			if l.fits(c, w, free) {
				n++
			} else {
				n = 0
			}
			most = max(most, n)
		}
	}
	return most
}

func TestEdges(t *testing.T) {
	coach := plan("ss|ss", "sssss", ".ss|s")
	coach.Vehicle = true
	for no, want := range map[string][2]bool{
		"A1": {true, false}, "A2": {false, true}, "A3": {false, true}, "A4": {true, false},
		"B1": {true, false}, "B3": {false, false}, "B5": {true, false}, "C1": {true, false}, "C3": {true, true},
	} {
		c, ok := coach.Seat(no)
		if !ok {
			t.Fatalf("no seat %s", no)
		}
		if window, aisle := coach.Edge(c); window != want[0] || aisle != want[1] {
			t.Errorf("%s: window %v, aisle %v, want %v", no, window, aisle, want)
		}
	}
	if n := coach.Capacity(); n != 12 {
		t.Errorf("capacity %d, want 12", n)
	}
}

func TestSortSeats(t *testing.T) {
	hall := plan("sss", "sss")
	got := []string{"B1", "A10", "A3", "A1"}
	hall.SortSeats(got[2:])
	if !slices.Equal(got[2:], []string{"A1", "A3"}) {
		t.Errorf("sorted %v", got[2:])
	}
}
