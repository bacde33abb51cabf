package seatplan

import (
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/domain"
)

// The functions here change a plan in place and leave it in order. Whoever calls them
// keeps a copy for the case of a refusal, and has the result checked by Check.

// ParseAt reads "0-3-5": deck, row and column from 0.
func ParseAt(text string) (At, bool) {
	parts := strings.Split(text, "-")
	if len(parts) != 3 {
		return At{}, false
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 0 || v > MaxRows+MaxCols || strconv.Itoa(v) != p {
			return At{}, false
		}
		n[i] = v
	}
	return At{n[0], n[1], n[2]}, true
}

// String is what ParseAt reads.
func (a At) String() string {
	return strconv.Itoa(a.Deck) + "-" + strconv.Itoa(a.Row) + "-" + strconv.Itoa(a.Col)
}

func find(l *domain.Layout, a At) *domain.Cell {
	for i := range l.Cells {
		if AtOf(l.Cells[i]) == a {
			return &l.Cells[i]
		}
	}
	return nil
}

func order(at []At) []At {
	at = slices.Clone(at)
	slices.SortFunc(at, func(a, b At) int {
		return byPlace(domain.Cell{Deck: a.Deck, Row: a.Row, Col: a.Col}, domain.Cell{Deck: b.Deck, Row: b.Row, Col: b.Col})
	})
	return slices.Compact(at)
}

// Kinds are what a cell can be made, in the order of the palette.
func Kinds() []domain.CellKind {
	return []domain.CellKind{
		domain.CellSeat, domain.CellWheelchair, domain.CellCompanion, domain.CellBerth, domain.CellAisle, domain.CellGap,
		domain.CellDoor, domain.CellDriver, domain.CellScreen, domain.CellWC, domain.CellStairs,
	}
}

// Make makes the cells what kind says. A cell that becomes a place gets the row, zone and
// section of its neighbours and the next number that is free; one that stays a place
// keeps its name.
func Make(l *domain.Layout, at []At, kind domain.CellKind) error {
	if !slices.Contains(Kinds(), kind) {
		return refuse("A cell cannot become that.")
	}
	for _, a := range order(at) {
		if a.Deck >= len(l.Decks) {
			return refuse("There is no such deck.")
		}
		c := find(l, a)
		switch {
		case kind == domain.CellGap:
			l.Cells = slices.DeleteFunc(l.Cells, func(x domain.Cell) bool { return AtOf(x) == a })
		case c != nil && c.Kind.Sellable() && kind.Sellable():
			c.Kind = kind
		default:
			fresh := domain.Cell{Deck: a.Deck, Row: a.Row, Col: a.Col, Kind: kind, Half: halfRow(l, a)}
			l.Cells = slices.DeleteFunc(l.Cells, func(x domain.Cell) bool { return AtOf(x) == a })
			if kind.Sellable() {
				name(l, &fresh)
			}
			l.Cells = append(l.Cells, fresh)
		}
		tidy(l)
	}
	return nil
}

func halfRow(l *domain.Layout, a At) bool {
	return slices.ContainsFunc(l.Cells, func(c domain.Cell) bool { return c.Deck == a.Deck && c.Row == a.Row && c.Half })
}

// name gives a new place its row, number, zone and section.
func name(l *domain.Layout, c *domain.Cell) {
	like := nearest(l, *c)
	c.Zone = 1
	code := ""
	if like != nil {
		c.Zone, c.Section, code = like.Zone, like.Section, codeIn(*like)
	}
	if like != nil && like.Deck == c.Deck && like.Row == c.Row {
		c.RowLabel = like.RowLabel
	} else {
		c.RowLabel = freshRow(l, c.Deck, c.Section)
	}
	used := map[string]bool{}
	for _, x := range l.Cells {
		used[x.SeatNo] = true
	}
	c.Number = "1"
	if l.Vehicle {
		c.Number = "A"
	}
	for _, x := range l.Cells { // after the last of the row
		if x.Kind.Sellable() && x.Deck == c.Deck && x.Section == c.Section && x.RowLabel == c.RowLabel && later(x.Number, c.Number) {
			c.Number = x.Number
		}
	}
	for c.SeatNo = key(code, c.RowLabel, c.Number); used[c.SeatNo]; c.SeatNo = key(code, c.RowLabel, c.Number) {
		c.Number = nextLabel(c.Number)
	}
}

func later(a, b string) bool {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	if errX == nil && errY == nil {
		return x > y
	}
	return errX != nil && (errY == nil || a > b)
}

// nearest is the place whose row, zone and section a new one shares: in the same row
// when there is one, else in the closest row of the deck.
func nearest(l *domain.Layout, c domain.Cell) *domain.Cell {
	var best *domain.Cell
	least := 0
	for i := range l.Cells {
		x := &l.Cells[i]
		if !x.Kind.Sellable() || x.Deck != c.Deck {
			continue
		}
		far := abs(x.Row-c.Row)*1000 + abs(x.Col-c.Col)
		if best == nil || far < least {
			best, least = x, far
		}
	}
	return best
}

func freshRow(l *domain.Layout, deck int, section string) string {
	row := "A"
	if l.Vehicle {
		row = "1"
	}
	used := map[string]bool{}
	for _, c := range l.Cells {
		if c.Kind.Sellable() && c.Section == section {
			used[c.RowLabel] = true
			if c.Deck == deck && later(c.RowLabel, row) {
				row = c.RowLabel
			}
		}
	}
	for used[row] {
		row = nextLabel(row)
	}
	return row
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// codeIn is what stands before row and number in a place's key, without the dash.
func codeIn(c domain.Cell) string {
	code, ok := strings.CutSuffix(c.SeatNo, join(c.RowLabel, c.Number))
	if !ok {
		return codeOf(c.Section, nil)
	}
	return strings.TrimSuffix(code, "-")
}

// SetZone puts the places among the cells into a price zone.
func SetZone(l *domain.Layout, at []At, zone int) error {
	if zone < 1 || zone > len(l.Zones) {
		return refuse("There is no such price zone.")
	}
	return places(l, at, func(c *domain.Cell) { c.Zone = zone })
}

// SetLadies marks places for women travelling alone, or takes the mark away.
func SetLadies(l *domain.Layout, at []At, on bool) error {
	return places(l, at, func(c *domain.Cell) { c.Ladies = on })
}

// SetRestricted marks places with a restricted view, or takes the mark away.
func SetRestricted(l *domain.Layout, at []At, on bool) error {
	return places(l, at, func(c *domain.Cell) { c.Restricted = on })
}

func places(l *domain.Layout, at []At, do func(*domain.Cell)) error {
	done := false
	for _, a := range at {
		if c := find(l, a); c != nil && c.Kind.Sellable() {
			do(c)
			done = true
		}
	}
	if !done {
		return refuse("None of the ticked cells is a place. Tick seats first.")
	}
	return nil
}

// Naming is what places are to be called. Empty texts leave things as they are.
type Naming struct {
	Row      string
	First    string // number of the first place in each row
	Step     int    // between neighbours: 1, or 2 for odd and even
	FromLeft bool
	Printed  string // label on the seat itself, of a single place
	Unprint  bool   // no label on the seat any more
	Section  *string
}

// Rename gives the places among the cells other labels; in every row the numbers begin
// with First.
func Rename(l *domain.Layout, at []At, n Naming) error {
	at = order(at)
	if !n.FromLeft {
		slices.SortStableFunc(at, func(a, b At) int {
			return byPlace(domain.Cell{Deck: a.Deck, Row: a.Row, Col: -a.Col}, domain.Cell{Deck: b.Deck, Row: b.Row, Col: -b.Col})
		})
	}
	for _, text := range []string{n.Row, n.First} {
		if text != "" && wrongLabel(text) != "" {
			return refuse("%s", wrongLabel(text))
		}
	}
	if n.Printed != "" && len(at) > 1 {
		return refuse("A label printed on the seat is given to one place at a time.")
	}
	number, last := n.First, At{Row: -1}
	codes := codesOf(l)
	return places(l, at, func(c *domain.Cell) {
		if a := AtOf(*c); a.Row != last.Row || a.Deck != last.Deck {
			number, last = n.First, a
		}
		code := codeIn(*c)
		if n.Section != nil && *n.Section != c.Section {
			c.Section = *n.Section
			code = codes(c.Section)
		}
		if n.Row != "" {
			c.RowLabel = n.Row
		}
		if n.First != "" {
			c.Number = number
			for range max(1, n.Step) {
				number = nextLabel(number)
			}
		}
		if n.Printed != "" || n.Unprint {
			c.Printed = n.Printed
		}
		c.SeatNo = key(code, c.RowLabel, c.Number)
	})
}

// codesOf finds the code of a section by its name: the one it has, or a new one.
func codesOf(l *domain.Layout) func(section string) string {
	codes := map[string]string{}
	var taken []string
	for _, c := range l.Cells {
		if _, known := codes[c.Section]; !known && c.Kind.Sellable() {
			codes[c.Section] = codeIn(c)
			taken = append(taken, codes[c.Section])
		}
	}
	return func(section string) string {
		code, known := codes[section]
		if !known {
			code = codeOf(section, taken)
			codes[section], taken = code, append(taken, code)
		}
		return code
	}
}
