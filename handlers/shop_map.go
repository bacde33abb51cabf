package handlers

import (
	"fmt"
	"strconv"
	"strings"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// ticks says how seats are shown beyond what the seat table knows.
type ticks struct {
	chosen map[string]bool // ticked by what was just sent, nil: the visitor's own seats
	lost   map[string]bool // taken a moment ago
	turn   bool            // the visitor came from the line, or chose already
}

// mapView draws the layout as rows of equal cells.
func mapView(o *booking.Offer, x *booking.Seats, t ticks) views.SeatMap {
	d := drawing{o: o, x: x, t: t, cols: columns(o.Layout), fares: map[int]zoneFare{}}
	for _, z := range o.Layout.Zones {
		if f, sold := o.Fares.Default(z.No); sold {
			d.fares[z.No] = zoneFare{f.Price, format.Money(f.Price, o.Event.Currency)}
		}
	}
	return d.whole()
}

// planMap draws a plan as customers will see it, every place free, without prices.
func planMap(l *domain.Layout) views.SeatMap {
	d := drawing{o: &booking.Offer{Layout: l}, x: &booking.Seats{}, cols: columns(l), fares: map[int]zoneFare{}, plan: true}
	for _, z := range l.Zones {
		d.fares[z.No] = zoneFare{}
	}
	return d.whole()
}

func (d *drawing) whole() views.SeatMap {
	l := d.o.Layout
	m := views.SeatMap{Version: int64(d.x.Version), Coach: l.Vehicle}
	m.Roomy, m.Swipe = !m.Coach && d.cols <= 14, !m.Coach && d.cols >= 10
	if !m.Coach {
		m.Screen = "Screen"
	}
	for i, name := range l.Decks {
		m.Decks = append(m.Decks, d.deck(i, name))
	}
	return m
}

// columns is how wide the plan is; a row that is set in needs room for half a cell more.
func columns(l *domain.Layout) int {
	cols := 0
	for _, c := range l.Cells {
		cols = max(cols, c.Col+1)
		if c.Half {
			cols = max(cols, c.Col+2)
		}
	}
	return cols
}

type drawing struct {
	o    *booking.Offer
	x    *booking.Seats
	t    ticks
	cols int
	zone int    // of the row above, in a hall
	part string // its section
	plan bool   // nothing is on sale: no prices
	// fares by zone, put into words once for all of its seats.
	fares map[int]zoneFare
}

type zoneFare struct {
	price int64
	words string
}

func (d *drawing) deck(i int, name string) views.Deck {
	deck := views.Deck{Name: name}
	d.zone, d.part = 0, ""
	for _, row := range deckRows(d.o.Layout, i) {
		sells := false
		for _, c := range row {
			sells = sells || c.Kind.Sellable()
			deck.Berths = deck.Berths || c.Kind == domain.CellBerth
		}
		if !sells && len(deck.Rows) == 0 {
			deck.Front = append(deck.Front, fittings(row)...)
			continue
		}
		deck.Rows = append(deck.Rows, d.row(i, name, row))
	}
	if d.o.Layout.Vehicle && len(deck.Front) == 0 {
		deck.Front = []views.Fitting{{Text: "Front"}}
	}
	return deck
}

// deckRows groups a deck's cells by their row of the grid.
func deckRows(l *domain.Layout, deck int) [][]domain.Cell {
	var out [][]domain.Cell
	last := -1
	for _, c := range l.Cells {
		if c.Deck != deck {
			continue
		}
		if c.Row != last {
			out, last = append(out, nil), c.Row
		}
		out[len(out)-1] = append(out[len(out)-1], c)
	}
	return out
}

func fittings(row []domain.Cell) []views.Fitting {
	var out []views.Fitting
	for _, c := range row {
		switch c.Kind {
		case domain.CellDoor:
			out = append(out, views.Fitting{Kind: "door", Text: "Door"})
		case domain.CellDriver:
			out = append(out, views.Fitting{Kind: "driver", Text: "Driver"})
		}
	}
	if len(out) == 2 {
		out = []views.Fitting{out[0], {Text: "Front"}, out[1]}
	}
	return out
}

func (d *drawing) row(deck int, deckName string, cells []domain.Cell) views.SeatRow {
	row := views.SeatRow{Lead: "Row "}
	if deckName != "" {
		row.Lead = deckName + ", row "
	}
	aisleNamed := false
	next := 0
	for col := range d.cols {
		cell := domain.Cell{Kind: domain.CellGap}
		if next < len(cells) && cells[next].Col == col {
			cell = cells[next]
			next++
		}
		if !cell.Kind.Sellable() {
			v := views.SeatCell{Kind: string(cell.Kind), Face: fixture(cell.Kind)}
			if cell.Kind == domain.CellAisle && d.o.Layout.Vehicle && !aisleNamed {
				v.Face, aisleNamed = rowLabel(cells), true
			}
			row.Cells = append(row.Cells, v)
			continue
		}
		if row.ID == "" {
			row.ID, row.Label = fmt.Sprintf("r%d-%d", deck, cell.Row), cell.RowLabel
			if cell.Section != "" {
				row.Lead = cell.Section + ", row "
			}
			row.Zone = d.zoneHead(cell)
		}
		v := d.seat(cell)
		if v.State == "free" || v.State == "mine" {
			row.Free++
		}
		row.Cells = append(row.Cells, v)
	}
	if len(cells) > 0 && cells[0].Half && row.ID != "" {
		row.Half, row.Cells = true, row.Cells[:d.cols-1]
	}
	return row
}

func rowLabel(cells []domain.Cell) string {
	for _, c := range cells {
		if c.RowLabel != "" {
			return c.RowLabel
		}
	}
	return ""
}

func fixture(k domain.CellKind) string {
	switch k {
	case domain.CellWC:
		return "WC"
	case domain.CellStairs:
		return "Stairs"
	case domain.CellDoor:
		return "Door"
	}
	return ""
}

// zoneHead is printed over a hall's row where another zone or section begins.
func (d *drawing) zoneHead(c domain.Cell) *views.ZoneHead {
	if d.o.Layout.Vehicle || c.Zone == d.zone && c.Section == d.part {
		return nil
	}
	d.zone, d.part = c.Zone, c.Section
	head := &views.ZoneHead{Name: zoneName(d.o.Layout, c.Zone)}
	if c.Section != "" && c.Section != head.Name {
		head.Name = c.Section + ", " + head.Name
	}
	if !d.plan {
		fare, _ := d.o.Fares.Default(c.Zone)
		head.Price = money(fare.Price, d.o.Event.Currency)
	}
	return head
}

func zoneName(l *domain.Layout, no int) string {
	for _, z := range l.Zones {
		if z.No == no {
			return z.Name
		}
	}
	return ""
}

func (d *drawing) seat(c domain.Cell) views.SeatCell {
	v := views.SeatCell{Kind: string(c.Kind), No: c.SeatNo, Zone: c.Zone, Ladies: d.o.ForWomen[c.SeatNo], Face: c.Number, State: "free"}
	fare, sold := d.fares[c.Zone]
	v.Price = fare.price
	v.Lead, v.Tail = d.words(c, fare.words)
	if d.o.Layout.Vehicle {
		v.Face = c.RowLabel + c.Number
	}
	mine := d.x.Mine[c.SeatNo]
	switch {
	case d.t.lost[c.SeatNo]:
		v.State = "lost"
	case d.x.Taken[c.SeatNo] && !d.x.Payers[c.SeatNo] || !sold:
		v.State = "taken"
	case mine:
		v.State, v.Tail = "mine", v.Tail+", held by you"
	}
	if d.t.chosen != nil {
		v.Checked = d.t.chosen[c.SeatNo]
	} else {
		v.Checked = mine
	}
	return v
}

// words are what a listener hears around the number: "Row D, seat ", ", Premium,
// LKR 1,200, aisle"; "Seat ", ", window, lower deck, LKR 2,400".
func (d *drawing) words(c domain.Cell, price string) (lead, tail string) {
	l := d.o.Layout
	window, aisle := l.Edge(c)
	var parts []string
	add := func(yes bool, words string) {
		if yes && words != "" {
			parts = append(parts, words)
		}
	}
	if l.Vehicle {
		lead = "Seat "
		if c.Kind == domain.CellBerth {
			lead = "Berth "
		}
		add(window, "window")
		add(aisle && !window, "aisle")
		add(!window && !aisle, "middle")
		if c.Deck < len(l.Decks) {
			add(true, strings.ToLower(l.Decks[c.Deck]))
		}
	} else {
		lead = "Row " + c.RowLabel + ", seat "
		if c.Section != "" {
			lead = c.Section + ", row " + c.RowLabel + ", seat "
		}
	}
	switch c.Kind {
	case domain.CellWheelchair:
		lead = strings.TrimSuffix(lead, "seat ") + "wheelchair space "
	case domain.CellCompanion:
		lead = strings.TrimSuffix(lead, "seat ") + "companion seat "
	}
	add(d.o.ForWomen[c.SeatNo], forWomen)
	if !l.Vehicle || len(l.Zones) > 1 && len(l.Decks) < 2 {
		add(zoneName(l, c.Zone) != c.Section, zoneName(l, c.Zone))
	}
	add(true, price)
	add(aisle && !l.Vehicle, "aisle")
	add(c.Restricted, "restricted view")
	return lead, ", " + strings.Join(parts, ", ")
}

// legend explains the looks that this layout really has.
func legend(o *booking.Offer) []views.LegendItem {
	var out []views.LegendItem
	for _, z := range o.Layout.Zones {
		if fare, ok := o.Fares.Default(z.No); ok {
			out = append(out, views.LegendItem{Cell: views.SeatCell{State: "free", Zone: z.No}, Name: z.Name, Note: format.Money(fare.Price, o.Event.Currency)})
		}
	}
	out = append(out, views.LegendItem{Cell: views.SeatCell{State: "taken"}, Name: "Taken"})
	has := map[domain.CellKind]bool{}
	for _, c := range o.Layout.Cells {
		has[c.Kind] = true
	}
	if has[domain.CellWheelchair] {
		out = append(out, views.LegendItem{Cell: views.SeatCell{State: "free", Kind: "wheelchair"}, Name: "Wheelchair"})
	}
	if has[domain.CellCompanion] {
		out = append(out, views.LegendItem{Cell: views.SeatCell{State: "free", Kind: "companion"}, Name: "Companion"})
	}
	if len(o.ForWomen) > 0 {
		out = append(out, views.LegendItem{Cell: views.SeatCell{State: "free", Ladies: true}, Name: "L: for women"})
	}
	return out
}

// noun is what the layout's places are called.
func noun(l *domain.Layout) string {
	for _, c := range l.Cells {
		if c.Kind == domain.CellBerth {
			return "berth"
		}
	}
	return "seat"
}

// seatRefs mentions seats by key and by what people call them.
func seatRefs(l *domain.Layout, nos []string) []views.SeatRef {
	out := make([]views.SeatRef, len(nos))
	for i, no := range nos {
		out[i] = seatRef(l, no)
	}
	return out
}

func seatRef(l *domain.Layout, no string) views.SeatRef {
	c, ok := l.Seat(no)
	name := no
	if ok && c.Section != "" {
		name = c.Section + " " + c.RowLabel + c.Number
	}
	return views.SeatRef{No: no, Name: name}
}

func stopNo(o *booking.Offer, n int) string {
	if o.Event.Kind == domain.Screening {
		return ""
	}
	return strconv.Itoa(n)
}
