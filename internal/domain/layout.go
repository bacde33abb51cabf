package domain

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
}

// Zone is a price category of a layout; No counts from 1.
type Zone struct {
	No   int
	Name string
}

// Layout is one immutable version of a seat plan.
type Layout struct {
	VersionID int64
	Name      string
	Vehicle   bool     // a coach (Seat 4C) rather than a hall (Row D, seat 7)
	Decks     []string // names; one "" for a single deck
	Zones     []Zone
	Cells     []Cell // sorted by deck, row, column
}

// Capacity counts the sellable cells: never a number somebody typed.
func (l *Layout) Capacity() int {
	n := 0
	for _, c := range l.Cells {
		if c.Kind.Sellable() {
			n++
		}
	}
	return n
}

// Seat finds a sellable cell by its key.
func (l *Layout) Seat(no string) (Cell, bool) {
	for _, c := range l.Cells {
		if c.SeatNo == no && c.Kind.Sellable() {
			return c, true
		}
	}
	return Cell{}, false
}
