package domain

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func words(sets [][]string) string {
	var out []string
	for _, s := range sets {
		out = append(out, strings.Join(s, " "))
	}
	return strings.Join(out, ", ")
}

func TestLonely(t *testing.T) {
	for _, c := range []struct {
		name          string
		rows          []string
		taken, chosen string
		lonely        string // "" when the choice may stand
		instead       string
	}{
		{"one off the aisle", []string{"ssssss"}, "", "A2", "A1", "A1, A3"},
		{"at the aisle", []string{"ssssss"}, "", "A1", "", ""},
		{"a gap of two", []string{"ssssss"}, "", "A3", "", ""},
		{"a hole in the choice", []string{"ssssss"}, "", "A1 A3", "A2", "A1 A2, A3 A4"},
		{"beside a taken one", []string{"ssssss"}, "A4", "A1 A2", "A3", "A5 A6"},
		{"between taken ones and an aisle", []string{"sss|sss"}, "A4", "A6", "A5", "A3, A1"},
		{"the aisle is a wall", []string{"sss|sss"}, "", "A2", "A1 A3", "A1, A3"},
		{"it was alone before", []string{"ssssss"}, "A2", "A3", "", ""},
		{"the single seat itself", []string{"ssssss"}, "A1 A3", "A2", "", ""},
		{"the last one of all", []string{"ssss"}, "A1 A2 A4", "A3", "", ""},
		{"gives way: no other two", []string{"sss"}, "", "A1 A2", "", ""},
		{"gives way: two of three in every row", []string{"sss", "sss"}, "", "A1 A2", "", ""},
		{"gives way: all but one of a row", []string{"sssss"}, "", "A1 A2 A3 A4", "", ""},
		{"another row has room for four", []string{"sssss", "ssss"}, "", "A1 A2 A3 A4", "A5", "B1 B2 B3 B4"},
		{"gives way: only another zone would do", []string{"sss", "SSSS"}, "", "A1 A2", "", ""},
		{"gives way: one of each pair of an empty coach", []string{"ss|ss", "ss|ss"}, "", "A1", "", ""},
		{"beside somebody in a coach", []string{"ss|ss", "ss|ss"}, "B2", "A1", "A2", "B1"},
		{"two apart, each leaving one", []string{"ss|ss"}, "", "A1 A4", "A2 A3", "A1 A2, A3 A4"},
		{"apart, where nobody sits together", []string{"s|ss|s"}, "A2", "A1 A4", "", ""},
		{"two apart, and no two side by side would do", []string{"s|sss|s"}, "", "A2 A4", "A3", "A1 A2"},
		{"three apart: the rest is found in pieces", []string{"ss|s|sss"}, "", "A1 A4 A6", "A2 A5", "A4 A5 A6"},
		{"a wheelchair space ends the row: gives way in pairs", []string{"ssWCss"}, "", "A1", "", ""},
		{"nor are companions", []string{"ssWCss"}, "", "A4", "", ""},
		{"a wheelchair party may sit where it can", []string{"WCsss"}, "", "A1 A2 A4", "", ""},
		{"somebody was faster", []string{"ssss"}, "A2", "A2", "", ""},
		{"no such seat", []string{"ssss"}, "", "Z9", "", ""},
	} {
		hall := plan(c.rows...)
		lonely, instead := hall.Lonely(strings.Fields(c.chosen), freeBut(hall, c.taken), nil)
		if got := strings.Join(lonely, " "); got != c.lonely || words(instead) != c.instead {
			t.Errorf("%s: %q alone, instead %q; want %q, %q", c.name, got, words(instead), c.lonely, c.instead)
		}
	}
}

func TestLonelyProposesNothingKept(t *testing.T) {
	hall := plan("ssssss")
	_, instead := hall.Lonely([]string{"A2"}, freeBut(hall, ""), map[string]bool{"A1": true})
	if words(instead) != "A3, A4" {
		t.Errorf("instead of A2, with A1 for women: %s", words(instead))
	}
}

// Berths are nobody's leftovers.
func TestLonelyLeavesBerthsAlone(t *testing.T) {
	bus := plan("ssss")
	for i := range bus.Cells {
		bus.Cells[i].Kind = CellBerth
	}
	if lonely, _ := bus.Lonely([]string{"A2"}, freeBut(bus, ""), nil); lonely != nil {
		t.Errorf("%v alone", lonely)
	}
}

// anyLegal looks at every set of so many free seats: the truth that the rule is held to.
func anyLegal(l *Layout, n int, free map[string]bool, zone int, neighbours bool) bool {
	var fit []Cell
	for _, c := range l.Cells {
		if c.Kind == CellSeat && free[c.SeatNo] && (zone == 0 || c.Zone == zone) {
			fit = append(fit, c)
		}
	}
	var try func(from int, set []Cell) bool
	try = func(from int, set []Cell) bool {
		if len(set) == n {
			return (!neighbours || sideBySide(set)) && len(l.LeftLonely(seatNos(set), free)) == 0
		}
		for i := from; i < len(fit); i++ {
			if try(i+1, append(set, fit[i])) {
				return true
			}
		}
		return false
	}
	return try(0, nil)
}

// Whatever is free and whatever is chosen: the rule refuses only what leaves a seat alone,
// never when nothing else can be had, and what it offers instead may stand.
func TestLonelyYieldsAndOffersWhatStands(t *testing.T) {
	hall := plan("sss|ssss", "SSSS|ss.", "s.ss|sCW")
	rapid.Check(t, func(t *rapid.T) {
		free := map[string]bool{}
		var have []string
		for _, c := range hall.Cells {
			if c.Kind.Sellable() {
				if free[c.SeatNo] = rapid.Bool().Draw(t, c.SeatNo); free[c.SeatNo] && c.Kind == CellSeat {
					have = append(have, c.SeatNo)
				}
			}
		}
		if len(have) == 0 {
			return
		}
		chosen := rapid.Permutation(have).Draw(t, "order")[:rapid.IntRange(1, min(4, len(have))).Draw(t, "n")]
		if rapid.Bool().Draw(t, "neighbours") { // as most people choose
			i := rapid.IntRange(0, len(have)-len(chosen)).Draw(t, "from")
			chosen = have[i : i+len(chosen)]
		}
		chosen = slices.Clone(chosen)
		hall.SortSeats(chosen)
		var cells []Cell
		zone := 0
		for i, no := range chosen {
			c, _ := hall.Seat(no)
			cells = append(cells, c)
			if i == 0 {
				zone = c.Zone
			} else if c.Zone != zone {
				zone = 0
			}
		}
		left := hall.LeftLonely(chosen, free)
		lonely, instead := hall.Lonely(chosen, free, nil)
		legal := anyLegal(hall, len(chosen), free, zone, sideBySide(cells))
		switch {
		case len(left) == 0 && lonely != nil:
			t.Fatalf("%v leaves nobody alone and was refused for %v", chosen, lonely)
		case len(left) > 0 && legal != (lonely != nil):
			t.Fatalf("%v leaves %v; another choice exists: %v; refused: %v", chosen, left, legal, lonely != nil)
		case lonely != nil && len(instead) == 0:
			t.Fatalf("%v refused and nothing offered", chosen)
		}
		for _, set := range instead {
			if len(set) != len(chosen) || len(hall.LeftLonely(set, free)) > 0 {
				t.Fatalf("offered %v for %v: leaves %v", set, chosen, hall.LeftLonely(set, free))
			}
			for _, no := range set {
				if !free[no] {
					t.Fatalf("offered %s, which is taken", no)
				}
			}
			if again, _ := hall.Lonely(set, free, nil); again != nil {
				t.Fatalf("offered %v and refuses it for %v", set, again)
			}
		}
	})
}

// The house's own choice minds the rule: it leaves a seat alone only where every choice
// like it does, and is never refused.
func TestBestMindsTheRule(t *testing.T) {
	hall := plan("sss|ssss", "SSSS|ss.", "s.ss|sCW")
	rapid.Check(t, func(t *rapid.T) {
		free := map[string]bool{}
		for _, c := range hall.Cells {
			free[c.SeatNo] = c.Kind.Sellable() && rapid.Bool().Draw(t, c.SeatNo)
		}
		wish := BestWish{Quantity: rapid.IntRange(1, 4).Draw(t, "n"), Zone: rapid.IntRange(0, 2).Draw(t, "zone"),
			Apart: rapid.Bool().Draw(t, "apart"), RowPercent: rapid.IntRange(0, 100).Draw(t, "row"), Rules: Rules{NoLonely: true}}
		set := hall.Best(wish, free)
		if set == nil {
			return
		}
		if lonely, instead := hall.Lonely(set, free, nil); lonely != nil {
			t.Fatalf("the house chose %v, which leaves %v alone; %v would do", set, lonely, instead)
		}
	})
}

func TestBesideAndWheelchairOf(t *testing.T) {
	l := plan("ss|ss", "CWCCs", "sC|W.")
	for no, want := range map[string]string{"A1": "A2", "A2": "A1", "A3": "A4", "B2": "B1 B3", "C3": "", "Z1": ""} {
		if got := strings.Join(l.Beside(no), " "); got != want {
			t.Errorf("beside %s: %q, want %q", no, got, want)
		}
	}
	for no, want := range map[string]string{"B1": "B2", "B3": "B2", "B4": "B2", "B5": "", "B2": "", "C2": "", "A1": ""} {
		if got := strings.Join(l.WheelchairOf(no), " "); got != want {
			t.Errorf("space of %s: %q, want %q", no, got, want)
		}
	}
}
