package seatplan

import (
	"slices"

	"holdfast/internal/domain"
)

// Difference is what a new version of a plan means for its places, by key.
type Difference struct {
	Gone    []string
	Changed []string // called otherwise, of another kind, zone or deck, marked otherwise
	Added   []string
}

// Touched are the places that a ticket or hold of the old version would lose or find
// changed.
func (d Difference) Touched() []string { return slices.Concat(d.Gone, d.Changed) }

// Compare tells the places of two versions apart. Where a place stands in the grid is no
// difference: an aisle may be drawn anew.
func Compare(old, now *domain.Layout) (d Difference) {
	for _, c := range old.Cells {
		if !c.Kind.Sellable() {
			continue
		}
		x, there := now.Seat(c.SeatNo)
		switch {
		case !there:
			d.Gone = append(d.Gone, c.SeatNo)
		case !alike(old, c, now, x):
			d.Changed = append(d.Changed, c.SeatNo)
		}
	}
	for _, c := range now.Cells {
		if _, there := old.Seat(c.SeatNo); c.Kind.Sellable() && !there {
			d.Added = append(d.Added, c.SeatNo)
		}
	}
	return d
}

func alike(old *domain.Layout, a domain.Cell, now *domain.Layout, b domain.Cell) bool {
	sameDeck := len(old.Decks) == 1 && len(now.Decks) == 1 || old.Decks[a.Deck] == now.Decks[b.Deck]
	a.Deck, a.Row, a.Col, a.Half = b.Deck, b.Row, b.Col, b.Half
	return sameDeck && a == b
}

// Keep carries what was changed by hand over to a plan that is drawn anew from the form:
// where the old plan differs from what its own form makes, the place of the same key gets
// the same kind, zone, marks and printed label.
func Keep(fresh, old, formed *domain.Layout) {
	for i := range fresh.Cells {
		c := &fresh.Cells[i]
		was, a := old.Seat(c.SeatNo)
		plain, b := formed.Seat(c.SeatNo)
		if !c.Kind.Sellable() || !a || !b {
			continue
		}
		if was.Kind != plain.Kind {
			c.Kind = was.Kind
		}
		if was.Ladies != plain.Ladies {
			c.Ladies = was.Ladies
		}
		if was.Restricted != plain.Restricted {
			c.Restricted = was.Restricted
		}
		if was.Printed != plain.Printed {
			c.Printed = was.Printed
		}
		if name := zoneName(old, was.Zone); name != zoneName(formed, plain.Zone) {
			c.Zone = zoneNamed(fresh, name)
		}
	}
}

func zoneName(l *domain.Layout, no int) string {
	if no < 1 || no > len(l.Zones) {
		return ""
	}
	return l.Zones[no-1].Name
}

// zoneNamed finds a zone, or makes it.
func zoneNamed(l *domain.Layout, name string) int {
	for _, z := range l.Zones {
		if z.Name == name {
			return z.No
		}
	}
	l.Zones = append(l.Zones, domain.Zone{No: len(l.Zones) + 1, Name: name})
	return len(l.Zones)
}
