package seatplan

import (
	"slices"

	"holdfast/internal/domain"
)

// Positions are counted in half columns, so that a row may be set in by half a seat.
type spot struct {
	at int // half columns from the left
	place
	aisle bool
}

// shape is a section's columns.
type shape struct {
	widths []int // columns of each block
	width  int   // of all, aisles included
}

func shapeOf(rows []row) shape {
	var s shape
	for _, r := range rows {
		if len(r.blocks) > len(s.widths) {
			s.widths = make([]int, len(r.blocks))
		}
	}
	for _, r := range rows {
		if len(r.blocks) == len(s.widths) {
			for j, b := range r.blocks {
				s.widths[j] = max(s.widths[j], len(b))
			}
		}
	}
	for _, w := range s.widths {
		s.width += w
	}
	s.width += max(0, len(s.widths)-1)
	for _, r := range rows {
		s.width = max(s.width, unitWidth(r))
	}
	return s
}

// unitWidth is how many columns a row takes when nothing stretches it.
func unitWidth(r row) int {
	n := max(0, len(r.blocks)-1)
	for _, b := range r.blocks {
		n += len(b)
	}
	return n
}

// spots puts the places of a row where they stand in their section. Aisles are in line:
// a shorter block stands at its aisle in a hall and at its wall in a coach. A row with
// another number of blocks stands as one piece: a bench across the aisle, or centred.
func (s shape) spots(r row, vehicle bool) []spot {
	if len(r.blocks) != len(s.widths) || len(s.widths) == 1 {
		return s.piece(r, vehicle)
	}
	var out []spot
	col, last := 0, len(s.widths)-1
	for j, b := range r.blocks {
		spare := s.widths[j] - len(b)
		shift := spare / 2
		switch {
		case r.half:
		case j == 0 && !vehicle, j == last && vehicle:
			shift = spare
		case j == 0, j == last:
			shift = 0
		}
		out = appendBlock(out, b, 2*(col+shift))
		col += s.widths[j]
		if j < last {
			out = append(out, spot{at: 2 * col, aisle: true})
			col++
		}
	}
	if r.half {
		for i := range out {
			out[i].at++
		}
	}
	return out
}

func (s shape) piece(r row, vehicle bool) []spot {
	at := 0
	if !vehicle {
		at = s.width - unitWidth(r) // half of the rest, in half columns
	}
	if r.half && at%2 == 0 {
		at++
	}
	var out []spot
	for j, b := range r.blocks {
		if j > 0 {
			out = append(out, spot{at: at, aisle: true})
			at += 2
		}
		out = appendBlock(out, b, at)
		at += 2 * len(b)
	}
	return out
}

func appendBlock(out []spot, b []place, at int) []spot {
	for _, p := range b {
		out = append(out, spot{at: at, place: p})
		at += 2
	}
	return out
}

// band is sections beside one another.
type band struct {
	parts  []part
	shapes []shape
	width  int
	rows   int
}

// lay puts every section on its deck: bands one behind the other, each in the middle of a
// hall and at the left wall of a coach.
func (b *builder) lay() {
	for deck := range b.l.Decks {
		bands, width := b.bands(deck)
		row := 0
		if b.frontRow(deck, width) || len(b.l.Decks) > 1 {
			row = 1 // the rows of all decks begin above one another
		}
		for _, x := range bands {
			b.layBand(deck, row, width, x)
			row += x.rows
		}
	}
	tidy(b.l)
}

func (b *builder) bands(deck int) (out []band, width int) {
	for _, p := range b.parts {
		if p.deck != deck {
			continue
		}
		s := shapeOf(p.rows)
		if p.beside && len(out) > 0 {
			x := &out[len(out)-1]
			x.parts, x.shapes = append(x.parts, p), append(x.shapes, s)
			x.width += 1 + s.width
			x.rows = max(x.rows, len(p.rows))
		} else {
			out = append(out, band{[]part{p}, []shape{s}, s.width, len(p.rows)})
		}
		width = max(width, out[len(out)-1].width)
	}
	return out, width
}

// frontRow puts the screen, or driver and door, before the first row.
func (b *builder) frontRow(deck, width int) bool {
	if deck > 0 {
		return false
	}
	kinds := map[int]domain.CellKind{}
	switch b.spec.Front {
	case FrontScreen:
		for col := range width {
			kinds[col] = domain.CellScreen
		}
	case FrontDriverLeft:
		kinds[max(1, width-1)], kinds[0] = domain.CellDoor, domain.CellDriver
	case FrontDriverRight:
		kinds[max(1, width-1)], kinds[0] = domain.CellDriver, domain.CellDoor
	}
	for col, kind := range kinds {
		b.l.Cells = append(b.l.Cells, domain.Cell{Deck: deck, Col: col, Kind: kind})
	}
	return len(kinds) > 0
}

func (b *builder) layBand(deck, top, width int, x band) {
	left := 0
	if !b.spec.Vehicle {
		left = width - x.width // half of the rest, in half columns
	}
	for i := range x.rows {
		var cells []domain.Cell
		var at []int
		from := left
		for j, p := range x.parts {
			if j > 0 {
				cells, at = append(cells, domain.Cell{Deck: deck, Row: top + i, Kind: domain.CellAisle}), append(at, from-2)
			}
			if i < len(p.rows) {
				for _, s := range x.shapes[j].spots(p.rows[i], b.spec.Vehicle) {
					cells, at = append(cells, p.cell(deck, top+i, p.rows[i].label, s)), append(at, from+s.at)
				}
			}
			from += 2 * (x.shapes[j].width + 1)
		}
		// Half a step only when the whole row makes it.
		half := !slices.ContainsFunc(at, func(n int) bool { return n%2 == 0 })
		for k := range cells {
			cells[k].Col, cells[k].Half = at[k]/2, half
		}
		b.l.Cells = append(b.l.Cells, cells...)
	}
}

func (p part) cell(deck, gridRow int, label string, s spot) domain.Cell {
	c := domain.Cell{Deck: deck, Row: gridRow, Kind: s.kind}
	if s.aisle {
		c.Kind = domain.CellAisle
	}
	if c.Kind.Sellable() {
		c.Section, c.RowLabel, c.Number, c.Zone = p.name, label, s.label, p.zone
		c.Ladies, c.Restricted = s.ladies, s.restricted
		c.SeatNo = key(p.code, label, s.label)
	}
	return c
}

// key is the seat's key: D7, 4C, L3B, BALC-C1, 1-11. Where two parts would run together
// a dash stands between.
func key(code, row, number string) string {
	if code == "" {
		return join(row, number)
	}
	if len(code) == 1 && isLetter(code[0]) && row != "" && isDigit(row[0]) {
		return code + join(row, number)
	}
	return code + "-" + join(row, number)
}

func join(row, number string) string {
	if row == "" || number == "" {
		return row + number
	}
	letters, digits := true, true
	for i := range len(row) {
		letters, digits = letters && isLetter(row[i]), digits && isDigit(row[i])
	}
	if letters && isDigit(number[0]) || digits && isLetter(number[0]) {
		return row + number
	}
	return row + "-" + number
}

// tidy drops what is nothing and puts the cells in order.
func tidy(l *domain.Layout) {
	l.Cells = slices.DeleteFunc(l.Cells, func(c domain.Cell) bool { return c.Kind == domain.CellGap })
	slices.SortStableFunc(l.Cells, byPlace)
}
