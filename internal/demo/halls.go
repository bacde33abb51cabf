package demo

import (
	"strconv"

	"holdfast/internal/domain"
)

// hallPlan describes a hall whose rows are all alike.
type hallPlan struct {
	name    string
	rows    string  // letters from the screen to the back
	width   int     // seats in a row
	aisles  []int   // the seat numbers after which an aisle stands
	zones   [3]byte // last row of each zone
	special map[string]domain.CellKind
	far     []string // seats with a restricted view
}

// Spaces stand at an aisle, with the companion seat beside them.
func hall1() *domain.Layout {
	return hallPlan{
		name: "Hall 1", rows: "ABCDEFGHJKLM", width: 16, aisles: []int{4, 12}, zones: [3]byte{'D', 'J', 'M'},
		special: map[string]domain.CellKind{
			"D4": domain.CellWheelchair, "D3": domain.CellCompanion,
			"D13": domain.CellWheelchair, "D14": domain.CellCompanion,
		},
		far: []string{"A1", "A2", "A15", "A16"},
	}.layout()
}

func hall2() *domain.Layout {
	return hallPlan{
		name: "Hall 2", rows: "ABCDEFGHJKLMNPQ", width: 20, aisles: []int{5, 15}, zones: [3]byte{'E', 'M', 'Q'},
		special: map[string]domain.CellKind{
			"E5": domain.CellWheelchair, "E4": domain.CellCompanion,
			"E16": domain.CellWheelchair, "E17": domain.CellCompanion,
		},
		far: []string{"A1", "A2", "A3", "A18", "A19", "A20"},
	}.layout()
}

func (p hallPlan) layout() *domain.Layout {
	l := &domain.Layout{
		Name: p.name, Decks: []string{""},
		Zones: []domain.Zone{{No: 1, Name: "Standard"}, {No: 2, Name: "Premium"}, {No: 3, Name: "Recliner"}},
	}
	for col := range p.width + len(p.aisles) {
		l.Cells = append(l.Cells, domain.Cell{Col: col, Kind: domain.CellScreen})
	}
	restricted := map[string]bool{}
	for _, no := range p.far {
		restricted[no] = true
	}
	for i := range p.rows {
		l.Cells = append(l.Cells, p.row(i, restricted)...)
	}
	return l
}

func (p hallPlan) row(i int, restricted map[string]bool) []domain.Cell {
	letter := p.rows[i]
	zone := 1
	for zone < len(p.zones) && letter > p.zones[zone-1] {
		zone++
	}
	var out []domain.Cell
	aisle := 0
	for n := 1; n <= p.width; n++ {
		no := string(letter) + strconv.Itoa(n)
		kind, special := p.special[no]
		if !special {
			kind = domain.CellSeat
		}
		out = append(out, domain.Cell{
			Row: i + 1, Col: len(out), Kind: kind, SeatNo: no, RowLabel: string(letter), Number: strconv.Itoa(n),
			Zone: zone, Restricted: restricted[no],
		})
		if aisle < len(p.aisles) && p.aisles[aisle] == n {
			out = append(out, domain.Cell{Row: i + 1, Col: len(out), Kind: domain.CellAisle})
			aisle++
		}
	}
	return out
}
