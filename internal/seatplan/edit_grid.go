package seatplan

import (
	"slices"
	"strings"

	"holdfast/internal/domain"
)

// ShiftHalf sets the rows of the cells in by half a seat, or back again.
func ShiftHalf(l *domain.Layout, at []At) error {
	if len(at) == 0 {
		return refuse("Tick a cell of the row first.")
	}
	seen := map[[2]int]bool{}
	for _, a := range order(at) {
		if seen[[2]int{a.Deck, a.Row}] {
			continue
		}
		seen[[2]int{a.Deck, a.Row}] = true
		half := halfRow(l, a)
		for i := range l.Cells {
			if c := &l.Cells[i]; c.Deck == a.Deck && c.Row == a.Row {
				c.Half = !half
			}
		}
	}
	return nil
}

// InsertRow makes an empty row before the first of the cells, or after the last.
func InsertRow(l *domain.Layout, at []At, after bool) error {
	a, err := edge(at, after)
	if err != nil {
		return err
	}
	if after {
		a.Row++
	}
	for i := range l.Cells {
		if c := &l.Cells[i]; c.Deck == a.Deck && c.Row >= a.Row {
			c.Row++
		}
	}
	return nil
}

// InsertColumn makes an empty column left of the first of the cells, or right of the last.
func InsertColumn(l *domain.Layout, at []At, after bool) error {
	if len(at) == 0 {
		return refuse("Tick a cell first, to say where.")
	}
	a := slices.MinFunc(at, func(a, b At) int { return a.Col - b.Col })
	if after {
		a = slices.MaxFunc(at, func(a, b At) int { return a.Col - b.Col })
		a.Col++
	}
	for i := range l.Cells {
		if c := &l.Cells[i]; c.Deck == a.Deck && c.Col >= a.Col {
			c.Col++
		}
	}
	return nil
}

func edge(at []At, last bool) (At, error) {
	if len(at) == 0 {
		return At{}, refuse("Tick a cell first, to say where.")
	}
	at = order(at)
	if last {
		return at[len(at)-1], nil
	}
	return at[0], nil
}

// DeleteRows takes the rows of the cells away; what is behind them moves up.
func DeleteRows(l *domain.Layout, at []At) error {
	return deleteLines(l, at, func(a At) [2]int { return [2]int{a.Deck, a.Row} }, func(c *domain.Cell) *int { return &c.Row })
}

// DeleteColumns takes the columns of the cells away; what is right of them moves in.
func DeleteColumns(l *domain.Layout, at []At) error {
	return deleteLines(l, at, func(a At) [2]int { return [2]int{a.Deck, a.Col} }, func(c *domain.Cell) *int { return &c.Col })
}

func deleteLines(l *domain.Layout, at []At, line func(At) [2]int, index func(*domain.Cell) *int) error {
	if len(at) == 0 {
		return refuse("Tick a cell first, to say where.")
	}
	gone := map[[2]int]bool{}
	for _, a := range at {
		gone[line(a)] = true
	}
	l.Cells = slices.DeleteFunc(l.Cells, func(c domain.Cell) bool { return gone[line(AtOf(c))] })
	for i := range l.Cells {
		c := &l.Cells[i]
		before := 0
		for g := range gone {
			if g[0] == c.Deck && g[1] < *index(c) {
				before++
			}
		}
		*index(c) -= before
	}
	return nil
}

// AddZone makes a price zone, the last one.
func AddZone(l *domain.Layout, name string) error {
	name = strings.TrimSpace(name)
	if name == "" {
		return refuse("Type a name for the new price zone.")
	}
	l.Zones = append(l.Zones, domain.Zone{No: len(l.Zones) + 1, Name: name})
	return nil
}

// NameZones gives the zones other names, in their order.
func NameZones(l *domain.Layout, names []string) error {
	if len(names) != len(l.Zones) {
		return refuse("The price zones were changed meanwhile.")
	}
	for i, name := range names {
		l.Zones[i].Name = strings.TrimSpace(name)
	}
	return nil
}

// RaiseZone changes a zone's place with the one before it: places and names go along,
// prices belong to the number.
func RaiseZone(l *domain.Layout, no int) error {
	if no < 2 || no > len(l.Zones) {
		return refuse("There is no zone before this one.")
	}
	a, b := &l.Zones[no-2], &l.Zones[no-1]
	a.Name, b.Name = b.Name, a.Name
	for i := range l.Cells {
		switch c := &l.Cells[i]; c.Zone {
		case no:
			c.Zone = no - 1
		case no - 1:
			c.Zone = no
		}
	}
	return nil
}

// DropZone takes a zone away that no place has; later ones move up.
func DropZone(l *domain.Layout, no int) error {
	if no < 1 || no > len(l.Zones) {
		return refuse("There is no such price zone.")
	}
	if len(l.Zones) == 1 {
		return refuse("A plan keeps at least one price zone.")
	}
	n := 0
	for _, c := range l.Cells {
		if c.Zone == no {
			n++
		}
	}
	if n > 0 {
		return refuse("%d places are in the zone “%s”. Give them another zone first.", n, l.Zones[no-1].Name)
	}
	for i := range l.Cells {
		if l.Cells[i].Zone > no {
			l.Cells[i].Zone--
		}
	}
	l.Zones = slices.Delete(l.Zones, no-1, no)
	for i := range l.Zones {
		l.Zones[i].No = i + 1
	}
	return nil
}

// NameDecks gives the decks other names, in their order.
func NameDecks(l *domain.Layout, names []string) error {
	if len(names) != len(l.Decks) {
		return refuse("The decks were changed meanwhile.")
	}
	for i, name := range names {
		l.Decks[i] = strings.TrimSpace(name)
	}
	return nil
}

// AddDeck makes an empty deck, the last one.
func AddDeck(l *domain.Layout, name string) error {
	name = strings.TrimSpace(name)
	if name == "" {
		return refuse("Type a name for the new deck.")
	}
	l.Decks = append(l.Decks, name)
	return nil
}

// DropDeck takes an empty deck away.
func DropDeck(l *domain.Layout, deck int) error {
	if deck < 0 || deck >= len(l.Decks) || len(l.Decks) == 1 {
		return refuse("A plan keeps at least one deck.")
	}
	for i := range l.Cells {
		if l.Cells[i].Deck == deck {
			return refuse("The deck “%s” is not empty. Delete its rows first.", l.Decks[deck])
		}
	}
	for i := range l.Cells {
		if l.Cells[i].Deck > deck {
			l.Cells[i].Deck--
		}
	}
	l.Decks = slices.Delete(l.Decks, deck, deck+1)
	return nil
}
