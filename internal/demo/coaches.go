package demo

import (
	"strconv"

	"holdfast/internal/domain"
)

// coach49 is eleven rows of 2 + 2 and a back bench of five, whose middle seat stands
// where the aisle ends.
func coach49() *domain.Layout {
	l := &domain.Layout{
		Name: "Coach 2+2", Vehicle: true, Decks: []string{""},
		Zones: []domain.Zone{{No: 1, Name: "Standard"}, {No: 2, Name: "Front rows"}},
		Cells: fittings(0, 0, domain.CellDriver, domain.CellGap, domain.CellGap, domain.CellGap, domain.CellDoor),
	}
	for row := 1; row <= 11; row++ {
		zone := 1
		if row <= 2 {
			zone = 2
		}
		l.Cells = append(l.Cells, places(0, row, "", "AB CD", domain.CellSeat, zone)...)
	}
	l.Cells = append(l.Cells, places(0, 12, "", "ABCDE", domain.CellSeat, 1)...)
	return l
}

// sleeper30 has five rows of 1 + 2 berths on each of two decks, one above the other.
func sleeper30() *domain.Layout {
	l := &domain.Layout{
		Name: "Sleeper 2+1, two decks", Vehicle: true, Decks: []string{"Lower deck", "Upper deck"},
		Zones: []domain.Zone{{No: 1, Name: "Lower deck"}, {No: 2, Name: "Upper deck"}},
	}
	for deck, prefix := range []string{"L", "U"} {
		front := fittings(0, 0, domain.CellDriver, domain.CellGap, domain.CellGap, domain.CellDoor)
		back := fittings(0, 6, domain.CellStairs, domain.CellAisle, domain.CellGap, domain.CellWC)
		if deck == 1 {
			front = nil
			back = fittings(1, 6, domain.CellStairs, domain.CellAisle, domain.CellGap, domain.CellGap)
		}
		l.Cells = append(l.Cells, front...)
		for row := 1; row <= 5; row++ {
			l.Cells = append(l.Cells, places(deck, row, prefix, "A BC", domain.CellBerth, deck+1)...)
		}
		l.Cells = append(l.Cells, back...)
	}
	for i, c := range l.Cells {
		l.Cells[i].Ladies = c.SeatNo == "L2B" || c.SeatNo == "L2C"
	}
	return l
}

// places is one row; a blank among the letters is the aisle.
func places(deck, row int, prefix, letters string, kind domain.CellKind, zone int) []domain.Cell {
	out := make([]domain.Cell, len(letters))
	for col, letter := range letters {
		out[col] = domain.Cell{Deck: deck, Row: row, Col: col, Kind: domain.CellAisle}
		if letter != ' ' {
			label := strconv.Itoa(row)
			out[col] = domain.Cell{
				Deck: deck, Row: row, Col: col, Kind: kind, SeatNo: prefix + label + string(letter),
				RowLabel: label, Number: string(letter), Zone: zone,
			}
		}
	}
	return out
}

func fittings(deck, row int, kinds ...domain.CellKind) []domain.Cell {
	out := make([]domain.Cell, len(kinds))
	for col, kind := range kinds {
		out[col] = domain.Cell{Deck: deck, Row: row, Col: col, Kind: kind}
	}
	return out
}
