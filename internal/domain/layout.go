package domain

import "sync"

// CellKind says what stands in one cell of a seat plan.
type CellKind string

const (
	CellSeat       CellKind = "seat"
	CellBerth      CellKind = "berth"
	CellWheelchair CellKind = "wheelchair"
	CellCompanion  CellKind = "companion"
	CellAisle      CellKind = "aisle"
	CellGap        CellKind = "gap"
	CellDoor       CellKind = "door"
	CellDriver     CellKind = "driver"
	CellScreen     CellKind = "screen"
	CellWC         CellKind = "wc"
	CellStairs     CellKind = "stairs"
)

// Sellable says whether the cell is one place to sell.
func (k CellKind) Sellable() bool {
	return k == CellSeat || k == CellBerth || k == CellWheelchair || k == CellCompanion
}

// Cell is one cell of a layout's grid. Only sellable cells have a SeatNo.
type Cell struct {
	Deck, Row, Col int // from 0; Deck indexes Layout.Decks
	Kind           CellKind
	SeatNo         string // key, unique in the layout: D7, L3B, BALC-C1
	Section        string // "" or a name printed on the ticket
	RowLabel       string // "D", "3"
	Number         string // "7", "B"
	Printed        string // label on the seat itself when it differs, else ""
	Zone           int    // Zone.No of a sellable cell
	Ladies         bool
	Restricted     bool // view or leg room
	Half           bool // half a step to the right; alike for all cells of a row
}

// Zone is a price category of a layout; No counts from 1.
type Zone struct {
	No   int
	Name string
}

// Layout is one immutable version of a seat plan. It is passed by pointer: what its
// methods look up is worked out once.
type Layout struct {
	VersionID int64
	Name      string
	Vehicle   bool     // a coach (Seat 4C) rather than a hall (Row D, seat 7)
	Decks     []string // names; one "" for a single deck
	Zones     []Zone
	Cells     []Cell // sorted by deck, row, column

	once  sync.Once
	index layoutIndex
}

// layoutIndex is what follows from the cells.
type layoutIndex struct {
	at       map[string]int // seat_no → index in Cells
	edges    []edge         // by index in Cells
	capacity int
}

type edge struct{ window, aisle bool }

func (l *Layout) look() *layoutIndex {
	l.once.Do(func() {
		l.index.at = make(map[string]int, len(l.Cells))
		l.index.edges = make([]edge, len(l.Cells))
		for start := 0; start < len(l.Cells); {
			end := start
			for end < len(l.Cells) && l.Cells[end].Deck == l.Cells[start].Deck && l.Cells[end].Row == l.Cells[start].Row {
				end++
			}
			l.lookAtRow(start, end)
			start = end
		}
	})
	return &l.index
}

// lookAtRow works out the edges of one row, Cells[start:end]. A window is the outermost
// place or fixture of a vehicle's row; an aisle counts beside a place, and so does a gap
// in the middle of the row, but not one that only sets the row in.
func (l *Layout) lookAtRow(start, end int) {
	first, last := -1, -1  // outermost place or fixture
	inner, outer := -1, -1 // outermost places
	for i := start; i < end; i++ {
		c := &l.Cells[i]
		if c.SeatNo != "" && c.Kind.Sellable() {
			l.index.at[c.SeatNo] = i
			l.index.capacity++
			if inner < 0 {
				inner = i
			}
			outer = i
		}
		if c.Kind.Sellable() || c.Kind == CellWC || c.Kind == CellStairs {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	passage := func(i, besides int) bool {
		if i < start || i >= end || abs(l.Cells[i].Col-l.Cells[besides].Col) != 1 {
			return false
		}
		return l.Cells[i].Kind == CellAisle || l.Cells[i].Kind == CellGap && i > inner && i < outer
	}
	for i := start; i < end; i++ {
		l.index.edges[i] = edge{window: l.Vehicle && (i == first || i == last), aisle: passage(i-1, i) || passage(i+1, i)}
	}
}

// Capacity counts the sellable cells: never a number somebody typed.
func (l *Layout) Capacity() int { return l.look().capacity }

// Seat finds a sellable cell by its key.
func (l *Layout) Seat(no string) (Cell, bool) {
	if i, ok := l.look().at[no]; ok {
		return l.Cells[i], true
	}
	return Cell{}, false
}

// Edge says what is beside a place: the wall of a vehicle (window), or an aisle.
func (l *Layout) Edge(c Cell) (window, aisle bool) {
	x := l.look()
	if i, ok := x.at[c.SeatNo]; ok {
		return x.edges[i].window, x.edges[i].aisle
	}
	return false, false
}
