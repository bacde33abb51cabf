package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/internal/seatplan"
	"holdfast/views"
)

func (s *site) showDraft(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, status int, typed draftTyped, said *views.Note) error {
	d, err := s.Schedule.Draft(r.Context(), id)
	if err != nil {
		return err
	}
	page, set, err := s.staffPage(r, who, d.Name+", draft", plansURL)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_plans.js"))
	from := "Draft, nothing is published yet"
	discard := "Throw the draft away for good, and the plan with it"
	if d.BasedOn > 0 {
		from = "Draft made from version " + strconv.Itoa(d.BasedOn)
		discard = "Throw the draft away for good; the version in use stays"
	}
	v := views.StaffPlanDraft{
		Page: page, Name: d.Name, URL: planURL(id), Revision: strconv.Itoa(d.Revision), Undo: d.Undo, Said: said, CanDiscard: discard,
		Facts: []string{
			format.Count(d.Plan.Capacity(), "place") + placesByZone(d.Plan),
			from + ", last changed by " + d.Who + " " + shortMoment(d.EditedAt, set) + ".",
		},
		Palette: palette(d.Plan), ZoneTools: zoneTools(d.Plan), Marks: markTools(), Lines: lineTools(),
		Decks: planGrid(d.Plan, typed), Label: labelFields(typed), Zones: planZones(d.Plan), DeckNames: deckFields(d.Plan),
		NewZone: typed.newZone, NewDeck: typed.newDeck, Map: planMap(d.Plan),
	}
	s.render(w, r, status, views.StaffPlanDraftPage(v))
	return nil
}

// placesByZone counts the places by kind of zone: ": 96 Standard, 96 Premium".
func placesByZone(l *domain.Layout) string {
	if len(l.Zones) < 2 {
		return ""
	}
	var parts []string
	for _, z := range planZones(l) {
		n, _, _ := strings.Cut(z.Places, " ")
		parts = append(parts, n+" "+z.Name)
	}
	return ": " + strings.Join(parts, ", ")
}

func palette(l *domain.Layout) []views.PlanTool {
	type tool struct {
		kind      domain.CellKind
		text, key string
	}
	all := []tool{
		{domain.CellSeat, "Seat", "S"}, {domain.CellWheelchair, "Wheelchair", "W"}, {domain.CellCompanion, "Companion", "C"}, {domain.CellBerth, "Berth", "B"},
		{domain.CellAisle, "Aisle", "A"}, {domain.CellGap, "Empty", "E"}, {domain.CellScreen, "Screen", ""}, {domain.CellDoor, "Door", ""}, {domain.CellDriver, "Driver", ""},
		{domain.CellWC, "WC", ""}, {domain.CellStairs, "Stairs", ""},
	}
	var out []views.PlanTool
	for _, t := range all {
		look := views.SeatCell{Kind: string(t.kind), Face: planFace(domain.Cell{Kind: t.kind}, l)}
		if t.kind.Sellable() {
			look.No, look.State = "x", "free"
		}
		out = append(out, views.PlanTool{Do: "make:" + string(t.kind), Text: t.text, Key: t.key, Look: &look})
	}
	return out
}

func zoneTools(l *domain.Layout) []views.PlanTool {
	var out []views.PlanTool
	for _, z := range l.Zones {
		no := strconv.Itoa(z.No)
		t := views.PlanTool{Do: "zone:" + no, Text: z.Name, Look: &views.SeatCell{No: "x", Kind: "seat", State: "free", Zone: z.No, Face: no}}
		if z.No < 10 {
			t.Key = no
		}
		out = append(out, t)
	}
	return out
}

func markTools() []views.PlanTool {
	return []views.PlanTool{
		{Do: "ladies:on", Text: "Ladies", Key: "L", Look: &views.SeatCell{No: "x", Kind: "seat", State: "free", Ladies: true}}, {Do: "ladies:off", Text: "Not ladies"},
		{Do: "view:on", Text: "Restricted view", Key: "V"}, {Do: "view:off", Text: "Free view"},
	}
}

func lineTools() []views.PlanTool {
	return []views.PlanTool{
		{Do: "row-before", Text: "Row in front"}, {Do: "row-after", Text: "Row behind"}, {Do: "row-delete", Text: "Delete rows"}, {Do: "half", Text: "Half a seat in", Key: "H"},
		{Do: "col-before", Text: "Column left"}, {Do: "col-after", Text: "Column right"}, {Do: "col-delete", Text: "Delete columns"},
	}
}

func labelFields(typed draftTyped) []views.PlanField {
	return []views.PlanField{
		{ID: "l-row", Name: "row", Label: "Row", Value: typed.row}, {ID: "l-first", Name: "first", Label: "Number, or the first", Value: typed.first},
		{ID: "l-step", Name: "step", Label: "Counting by", Options: choices("1", "1", "ones: 1 2 3", "2", "twos: 1 3 5")},
		{ID: "l-from", Name: "from", Label: "Counting from", Options: choices("left", "left", "the left", "right", "the right")},
		{ID: "l-section", Name: "section", Label: "Section", Value: typed.section, Hint: "“-” for none"},
		{ID: "l-printed", Name: "printed", Label: "Printed on the seat", Value: typed.printed, Hint: "when it differs; one place at a time, “-” for nothing"},
	}
}

func planZones(l *domain.Layout) []views.PlanZone {
	count := map[int]int{}
	for _, c := range l.Cells {
		if c.Kind.Sellable() {
			count[c.Zone]++
		}
	}
	var out []views.PlanZone
	for _, z := range l.Zones {
		out = append(out, views.PlanZone{
			No: strconv.Itoa(z.No), Name: z.Name, Places: format.Count(count[z.No], "place"), Up: z.No > 1, Drop: count[z.No] == 0 && len(l.Zones) > 1,
		})
	}
	return out
}

func deckFields(l *domain.Layout) []views.PlanField {
	var out []views.PlanField
	for i, name := range l.Decks {
		f := views.PlanField{ID: "deck-" + strconv.Itoa(i), Name: "deck", Label: "Deck " + strconv.Itoa(i+1), Value: name}
		if len(l.Decks) == 1 {
			f.Hint = "needs no name while it is the only one"
		} else {
			f.Hint = "an empty deck goes when its name is emptied"
		}
		out = append(out, f)
	}
	return out
}

// planGrid draws every cell of every deck, empty ones too.
func planGrid(l *domain.Layout, typed draftTyped) []views.PlanDeck {
	cols := max(1, columns(l))
	by := map[seatplan.At]domain.Cell{}
	rows := make([]int, len(l.Decks))
	for _, c := range l.Cells {
		by[seatplan.AtOf(c)] = c
		rows[c.Deck] = max(rows[c.Deck], c.Row+1)
	}
	var out []views.PlanDeck
	for d, name := range l.Decks {
		deck := views.PlanDeck{Name: name}
		for row := range max(1, rows[d]) {
			deck.Rows = append(deck.Rows, planRow(l, by, seatplan.At{Deck: d, Row: row}, cols, typed))
		}
		out = append(out, deck)
	}
	return out
}

func planRow(l *domain.Layout, by map[seatplan.At]domain.Cell, a seatplan.At, cols int, typed draftTyped) views.PlanRow {
	v := views.PlanRow{ID: fmt.Sprintf("g%d-%d", a.Deck, a.Row), Words: "Line " + strconv.Itoa(a.Row+1)}
	for a.Col = 0; a.Col < cols; a.Col++ {
		c, there := by[a]
		if !there {
			c = domain.Cell{Deck: a.Deck, Row: a.Row, Col: a.Col, Kind: domain.CellGap}
		}
		v.Half = v.Half || c.Half
		if v.Label == "" && c.RowLabel != "" {
			v.Label = c.RowLabel
			v.Words += ", row " + c.RowLabel
		}
		at := a.String()
		cell := views.PlanCell{At: at, Words: planWords(l, c), Ticked: slices.Contains(typed.ticks, at), Problem: slices.Contains(typed.bad, at)}
		cell.Look = views.SeatCell{Kind: string(c.Kind), No: c.SeatNo, State: "free", Zone: c.Zone, Ladies: c.Ladies, Face: planFace(c, l)}
		v.Cells = append(v.Cells, cell)
	}
	if v.Half {
		v.Cells = v.Cells[:cols-1]
	}
	return v
}

// planFace is what stands in a cell.
func planFace(c domain.Cell, l *domain.Layout) string {
	switch c.Kind {
	case domain.CellSeat, domain.CellBerth, domain.CellWheelchair, domain.CellCompanion:
		if l.Vehicle {
			return c.RowLabel + c.Number
		}
		return c.Number
	case domain.CellAisle:
		return "│"
	case domain.CellDoor:
		return "Dr"
	case domain.CellDriver:
		return "◉"
	case domain.CellScreen:
		return "▬"
	case domain.CellWC:
		return "WC"
	case domain.CellStairs:
		return "≡"
	}
	return ""
}

// planWords name a cell: "column 5, seat, row C, seat 4, Premium".
func planWords(l *domain.Layout, c domain.Cell) string {
	words := []string{"Column " + strconv.Itoa(c.Col+1), placeKind(c.Kind)}
	if c.Kind.Sellable() {
		words = append(words, seatplan.Call(c), zoneName(l, c.Zone))
		if c.Printed != "" {
			words = append(words, "printed "+c.Printed)
		}
		if c.Ladies {
			words = append(words, "ladies")
		}
		if c.Restricted {
			words = append(words, "restricted view")
		}
	}
	return strings.Join(words, ", ")
}
