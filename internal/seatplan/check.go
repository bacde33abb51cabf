package seatplan

import (
	"cmp"
	"fmt"
	"strings"

	"holdfast/internal/domain"
)

func byPlace(a, b domain.Cell) int {
	return cmp.Or(cmp.Compare(a.Deck, b.Deck), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col))
}

// Refusal says in words why a plan cannot be so. Cells are the ones it is about.
type Refusal struct {
	Words string
	Cells []At
}

func (r *Refusal) Error() string { return r.Words }

func refuse(format string, args ...any) error { return &Refusal{Words: fmt.Sprintf(format, args...)} }

// At is the place of a cell in the grid, from 0.
type At struct{ Deck, Row, Col int }

// AtOf is where a cell stands.
func AtOf(c domain.Cell) At { return At{c.Deck, c.Row, c.Col} }

// Check refuses, in words, what no plan may be: too large, two places of one name, labels
// that cannot be printed everywhere.
func Check(l *domain.Layout) error {
	if err := checkSize(l); err != nil {
		return err
	}
	if err := checkNames(l); err != nil {
		return err
	}
	seen := map[string]domain.Cell{}
	spots := map[At]bool{}
	for _, c := range l.Cells {
		if spots[AtOf(c)] {
			return refuse("Two cells stand in the same place: %s.", Where(l, c))
		}
		spots[AtOf(c)] = true
		if !c.Kind.Sellable() {
			continue
		}
		if err := checkSeat(l, c); err != nil {
			return err
		}
		if other, twice := seen[c.SeatNo]; twice {
			return &Refusal{
				Words: fmt.Sprintf("Two places would be called %s: one in %s, the other in %s. Give one of them another row, number or section.", Call(c), Where(l, other), Where(l, c)),
				Cells: []At{AtOf(other), AtOf(c)},
			}
		}
		seen[c.SeatNo] = c
	}
	if len(seen) > MaxPlaces {
		return refuse("This plan has %d places; it can have at most %d.", len(seen), MaxPlaces)
	}
	return nil
}

func checkSize(l *domain.Layout) error {
	if len(l.Decks) == 0 || len(l.Decks) > MaxDecks {
		return refuse("A plan has one to %d decks.", MaxDecks)
	}
	for _, c := range l.Cells {
		switch {
		case c.Deck < 0 || c.Deck >= len(l.Decks) || c.Row < 0 || c.Col < 0:
			return refuse("A cell stands outside the plan.")
		case c.Row >= MaxRows+1: // the row of the screen or driver is free
			return refuse("A deck has at most %d rows.", MaxRows)
		case c.Col >= MaxCols:
			return refuse("A deck has at most %d columns, aisles included.", MaxCols)
		}
	}
	return nil
}

func checkNames(l *domain.Layout) error {
	decks, zones := map[string]bool{}, map[string]bool{}
	for _, d := range l.Decks {
		if len(l.Decks) > 1 && strings.TrimSpace(d) == "" {
			return refuse("Give every deck a name.")
		}
		if decks[d] {
			return refuse("Two decks are called “%s”.", d)
		}
		if len([]rune(d)) > maxName {
			return refuse("The deck’s name is too long: at most %d letters.", maxName)
		}
		decks[d] = true
	}
	if len(l.Zones) == 0 || len(l.Zones) > maxZones {
		return refuse("A plan has one to %d price zones.", maxZones)
	}
	for i, z := range l.Zones {
		switch {
		case z.No != i+1:
			return refuse("The price zones are out of order.")
		case strings.TrimSpace(z.Name) == "":
			return refuse("Give every price zone a name.")
		case zones[z.Name]:
			return refuse("Two price zones are called “%s”.", z.Name)
		case len([]rune(z.Name)) > maxName:
			return refuse("The zone’s name is too long: at most %d letters.", maxName)
		}
		zones[z.Name] = true
	}
	return nil
}

func checkSeat(l *domain.Layout, c domain.Cell) error {
	at := []At{AtOf(c)}
	for _, text := range []string{c.RowLabel, c.Number} {
		if text == "" {
			return &Refusal{fmt.Sprintf("The place in %s needs a row and a number.", Where(l, c)), at}
		}
		if words := wrongLabel(text); words != "" {
			return &Refusal{words, at}
		}
	}
	switch {
	case c.Zone < 1 || c.Zone > len(l.Zones):
		return &Refusal{fmt.Sprintf("The place in %s has no price zone.", Where(l, c)), at}
	case len([]rune(c.Section)) > maxName:
		return &Refusal{fmt.Sprintf("The section’s name is too long: at most %d letters.", maxName), at}
	case len([]rune(c.Printed)) > maxLabel+4:
		return &Refusal{fmt.Sprintf("The label on the seat is too long: at most %d letters.", maxLabel+4), at}
	case len(c.SeatNo) > 20 || !label.MatchString(c.SeatNo):
		return &Refusal{fmt.Sprintf("The key %s is too long. Choose a shorter code, row or number.", c.SeatNo), at}
	}
	return nil
}

// Call is what people call a place: "Balcony, row C, seat 1".
func Call(c domain.Cell) string {
	text := "row " + c.RowLabel + ", seat " + c.Number
	if c.Section != "" {
		return c.Section + ", " + text
	}
	return text
}

// Where is a cell's place in the grid, as people count.
func Where(l *domain.Layout, c domain.Cell) string {
	text := fmt.Sprintf("line %d, column %d", c.Row+1, c.Col+1)
	if len(l.Decks) > 1 {
		return l.Decks[c.Deck] + ", " + text
	}
	return text
}
