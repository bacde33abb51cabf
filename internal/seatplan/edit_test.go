package seatplan

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"holdfast/internal/domain"
)

func plan(t *testing.T, s ...Section) *domain.Layout {
	t.Helper()
	return mustBuild(t, Spec{Sections: s})
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// seat finds a place without the plan's own look-up, which is made once.
func seat(l *domain.Layout, no string) (domain.Cell, bool) {
	i := slices.IndexFunc(l.Cells, func(c domain.Cell) bool { return c.SeatNo == no })
	if i < 0 {
		return domain.Cell{}, false
	}
	return l.Cells[i], true
}

// A cell that becomes a place is called after its neighbours, and never as another.
func TestNewPlacesAreNamed(t *testing.T) {
	l := plan(t, Section{Name: "Box", Rows: "2", Seats: "2|2", Start: "101"})
	done(t, Make(l, []At{{0, 0, 2}, {0, 2, 0}, {0, 2, 1}}, domain.CellSeat))
	done(t, Check(l))
	if got := strings.Join(picture(l), "\n"); got != "A101 A102 A105 A103 A104\nB101 B102 | B103 B104\nC1 C2" {
		t.Errorf("got\n%s", got)
	}
	if c, ok := seat(l, "BOX-C2"); !ok || c.Section != "Box" || c.Zone != 1 {
		t.Errorf("the new row's seat is %+v", c)
	}
	coach := mustBuild(t, Spec{Vehicle: true, Sections: []Section{{Lines: "1: A B | D\n2: A B C D"}}})
	done(t, Make(coach, []At{{0, 0, 4}, {0, 2, 0}}, domain.CellBerth))
	if got := strings.Join(picture(coach), "\n"); got != "1A 1B | 1D 1E\n2A 2B 2C 2D\n3A" {
		t.Errorf("got\n%s", got)
	}
	empty := &domain.Layout{Decks: []string{""}, Zones: []domain.Zone{{No: 1, Name: "Standard"}}}
	done(t, Make(empty, []At{{0, 3, 3}}, domain.CellSeat))
	done(t, Check(empty))
	if _, ok := seat(empty, "A1"); !ok {
		t.Error("the first seat of an empty plan is not A1")
	}
}

// What stays a place keeps its name; what stops being one loses it.
func TestMakeKeepsNames(t *testing.T) {
	l := plan(t, Section{Rows: "1", Seats: "3", Half: "A"})
	done(t, Make(l, []At{{0, 0, 0}}, domain.CellWheelchair))
	done(t, Make(l, []At{{0, 0, 1}}, domain.CellStairs))
	done(t, Make(l, []At{{0, 0, 2}}, domain.CellGap))
	if got := picture(l)[0]; got != "½ A1♿ stairs" {
		t.Errorf("got %s", got)
	}
	if err := Make(l, []At{{1, 0, 0}}, domain.CellSeat); err == nil {
		t.Error("a seat on a deck that is not there")
	}
	if err := Make(l, []At{{0, 0, 0}}, "sofa"); err == nil {
		t.Error("a sofa")
	}
}

func TestRename(t *testing.T) {
	l := plan(t, Section{Rows: "2", Seats: "3"})
	all := []At{{0, 1, 2}, {0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 0}, {0, 1, 1}}
	done(t, Rename(l, all, Naming{First: "2", Step: 2}))
	if got := strings.Join(picture(l), " / "); got != "A6 A4 A2 / B6 B4 B2" {
		t.Errorf("by twos from the right: %s", got)
	}
	side := "Left box"
	done(t, Rename(l, all[1:2], Naming{Row: "Q", Section: &side, Printed: "Q 6"}))
	c, ok := seat(l, "LEFT-Q6")
	if !ok || c.Section != side || c.Printed != "Q 6" {
		t.Errorf("renamed to %+v", l.Cells[0])
	}
	done(t, Rename(l, all[2:3], Naming{Section: &side})) // the section has its code already
	if _, ok := seat(l, "LEFT-A4"); !ok {
		t.Error("a second seat of the section has another code")
	}
	none := ""
	done(t, Rename(l, all[1:2], Naming{Section: &none, Unprint: true}))
	if c, ok := seat(l, "Q6"); !ok || c.Printed != "" {
		t.Errorf("back in no section: %v %+v", ok, c)
	}
	for name, n := range map[string]Naming{"a row that is no label": {Row: "ä"}, "a number that is none": {First: "½"}, "one printed label for six": {Printed: "x"}} {
		if err := Rename(l, all, n); err == nil {
			t.Error(name)
		}
	}
	if err := SetZone(l, []At{{0, 9, 9}}, 1); err == nil {
		t.Error("a zone for no place")
	}
}

func TestRowsAndColumns(t *testing.T) {
	l := plan(t, Section{Rows: "3", Seats: "3"})
	done(t, DeleteRows(l, []At{{0, 1, 0}}))
	done(t, DeleteColumns(l, []At{{0, 0, 0}, {0, 1, 0}}))
	done(t, InsertRow(l, []At{{0, 1, 0}}, false))
	done(t, InsertColumn(l, []At{{0, 0, 1}}, true))
	done(t, Make(l, []At{{0, 0, 2}}, domain.CellAisle))
	done(t, InsertColumn(l, []At{{0, 0, 0}}, false))
	done(t, ShiftHalf(l, []At{{0, 2, 1}, {0, 2, 2}}))
	if got := strings.Join(picture(l), " / "); got != "_ A2 A3 | / ½ _ C2 C3" {
		t.Errorf("got %s", got)
	}
	done(t, ShiftHalf(l, []At{{0, 2, 1}}))
	if l.Cells[len(l.Cells)-1].Half {
		t.Error("half a step twice is none")
	}
	for _, f := range []func() error{
		func() error { return DeleteRows(l, nil) }, func() error { return InsertRow(l, nil, true) }, func() error { return InsertColumn(l, nil, true) }, func() error { return ShiftHalf(l, nil) },
	} {
		if f() == nil {
			t.Error("a change of nothing is not refused")
		}
	}
}

func TestZonesAndDecks(t *testing.T) {
	l := plan(t, Section{Rows: "1", Seats: "2", Zone: "Plain"})
	done(t, AddZone(l, " Best "))
	done(t, SetZone(l, []At{{0, 0, 1}}, 2))
	done(t, AddZone(l, "Spare"))
	done(t, RaiseZone(l, 2))
	if a, _ := seat(l, "A1"); a.Zone != 2 || l.Zones[1].Name != "Plain" {
		t.Errorf("A1 is in zone %d of %v", a.Zone, l.Zones)
	}
	if err := DropZone(l, 1); err == nil || !strings.Contains(err.Error(), "1 places are in the zone “Best”") {
		t.Errorf("dropping a zone in use: %v", err)
	}
	done(t, RaiseZone(l, 3))
	done(t, RaiseZone(l, 2))
	done(t, DropZone(l, 1))
	done(t, Check(l))
	if a, _ := seat(l, "A1"); l.Zones[a.Zone-1].Name != "Plain" || len(l.Zones) != 2 {
		t.Errorf("A1 is in zone %d of %v", a.Zone, l.Zones)
	}
	if NameZones(l, []string{"x"}) == nil || AddZone(l, " ") == nil || RaiseZone(l, 1) == nil || DropZone(l, 9) == nil {
		t.Error("zones that cannot be are not refused")
	}
	done(t, AddDeck(l, "Upper"))
	if err := Check(l); err == nil {
		t.Error("two decks, one without a name")
	}
	done(t, NameDecks(l, []string{"Lower", "Upper"}))
	done(t, Check(l))
	if DropDeck(l, 0) == nil {
		t.Error("a deck with seats is dropped")
	}
	done(t, DropDeck(l, 1))
	if DropDeck(l, 0) == nil {
		t.Error("the last deck is dropped")
	}
}

func TestCompare(t *testing.T) {
	old := plan(t, Section{Rows: "1", Seats: "6"})
	now := plan(t, Section{Rows: "1", Seats: "3|4"}) // an aisle more is no difference
	done(t, Make(now, []At{{0, 0, 0}}, domain.CellGap))
	done(t, Make(now, []At{{0, 0, 1}}, domain.CellWheelchair))
	done(t, SetRestricted(now, []At{{0, 0, 2}}, true))
	d := Compare(old, now)
	if !slices.Equal(d.Gone, []string{"A1"}) || !slices.Equal(d.Changed, []string{"A2", "A3"}) || !slices.Equal(d.Added, []string{"A7"}) {
		t.Errorf("%+v", d)
	}
}

func TestKeep(t *testing.T) {
	formed := plan(t, Section{Rows: "1", Seats: "4"})
	old := plan(t, Section{Rows: "1", Seats: "4"})
	done(t, Make(old, []At{{0, 0, 0}, {0, 0, 3}}, domain.CellCompanion))
	done(t, AddZone(old, "Best"))
	done(t, SetZone(old, []At{{0, 0, 1}}, 2))
	done(t, SetLadies(old, []At{{0, 0, 2}}, true))
	fresh := plan(t, Section{Rows: "2", Seats: "3"})
	Keep(fresh, old, formed)
	done(t, Check(fresh))
	a, _ := seat(fresh, "A1")
	b, _ := seat(fresh, "A2")
	c, _ := seat(fresh, "A3")
	if a.Kind != domain.CellCompanion || fresh.Zones[b.Zone-1].Name != "Best" || !c.Ladies {
		t.Errorf("%+v %+v %+v", a, b, c)
	}
}

func TestParseAt(t *testing.T) {
	for text, want := range map[string]bool{"0-0-0": true, "3-59-59": true, "": false, "0-0": false, "0-0--1": false, "0-00-1": false, "a-b-c": false, "0-0-999": false, "0-0-0-0": false} {
		a, ok := ParseAt(text)
		if ok != want || ok && a.String() != text {
			t.Errorf("%q is %v, %v", text, a, ok)
		}
	}
}

// A refusal names its cells, so that the page can show both.
func TestTwiceNamesBoth(t *testing.T) {
	l := plan(t, Section{Rows: "1", Seats: "3"})
	done(t, Rename(l, []At{{0, 0, 2}}, Naming{First: "1"}))
	var r *Refusal
	if err := Check(l); !errors.As(err, &r) || !slices.Equal(r.Cells, []At{{0, 0, 0}, {0, 0, 2}}) || r.Words == "" {
		t.Errorf("%v", err)
	}
}
