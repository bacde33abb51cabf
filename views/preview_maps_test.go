package views

import (
	"fmt"
	"strconv"
)

// hall builds a cinema: rows × cols seats with two aisles, three zones, and in
// row F a wheelchair space with its companion seat.
func hall(rows, cols int) SeatMap {
	zones := []struct {
		name  string
		price int64
		text  string
	}{{"Standard", 90000, "900"}, {"Premium", 120000, "1,200"}, {"Recliner", 180000, "1,800"}}
	m := SeatMap{Version: 417, Screen: "Screen", Roomy: cols <= 14, Decks: []Deck{{}}}
	letters := "ABCDEFGHJKLMNPQRSTUV"
	last := -1
	for r := range rows {
		z := min(2, r*3/rows)
		label := string(letters[r])
		row := SeatRow{ID: "r" + label, Lead: "Row ", Label: label}
		if z != last {
			row.Zone = &ZoneHead{Name: zones[z].name, Price: Money{Currency: "LKR", Text: zones[z].text}}
			last = z
		}
		for c := 1; c <= cols; c++ {
			if c == 5 || c == cols-3 {
				row.Cells = append(row.Cells, SeatCell{Kind: "aisle"})
			}
			tail := ", " + zones[z].name + ", LKR " + zones[z].text
			if c == 4 || c == 5 || c == cols-4 || c == cols-3 {
				tail += ", aisle"
			}
			cell := SeatCell{
				Kind: "seat", No: label + strconv.Itoa(c), State: "free", Face: strconv.Itoa(c), Zone: z + 1, Price: zones[z].price,
				Lead: "Row " + label + ", seat ", Tail: tail,
			}
			switch {
			case label == "F" && c == 1:
				cell.Kind, cell.Lead = "wheelchair", "Row F, wheelchair space "
				cell.Tail += ", companion seat is F2"
			case label == "F" && c == 2:
				cell.Kind, cell.Lead = "companion", "Row F, companion seat "
				cell.Tail += ", for wheelchair space F1"
			case label == "H" && (c == 9 || c == 10):
				cell.State, cell.Checked, cell.Tail = "mine", true, cell.Tail+", held by you"
			case (r*7+c*c+r*c)%5 < 2 || (r > 5 && c > 6 && c < 12):
				cell.State = "taken"
			}
			if cell.State != "taken" {
				row.Free++
			}
			row.Cells = append(row.Cells, cell)
		}
		m.Decks[0].Rows = append(m.Decks[0].Rows, row)
	}
	return m
}

// coach49 is a 2+2 coach with a bench of five at the back.
func coach49() SeatMap {
	deck := Deck{Front: []Fitting{{"door", "Door"}, {"", "Front"}, {"driver", "Driver"}}}
	for r := 1; r <= 12; r++ {
		no := strconv.Itoa(r)
		row := SeatRow{ID: "r" + no, Lead: "Row ", Label: no}
		names, where := "AB-CD", []string{"window", "aisle", "", "aisle", "window"}
		if r == 12 {
			names, where = "ABCDE", []string{"window", "middle", "middle", "middle", "window"}
		}
		for i, letter := range names {
			if letter == '-' {
				row.Cells = append(row.Cells, SeatCell{Kind: "aisle", Face: no})
				continue
			}
			if r == 7 && i == 0 || r == 7 && i == 1 {
				row.Cells = append(row.Cells, SeatCell{Kind: "door", Face: []string{"Door", ""}[i]})
				continue
			}
			cell := SeatCell{
				Kind: "seat", No: no + string(letter), State: "free", Face: no + string(letter), Zone: 1, Price: 240000,
				Lead: "Seat ", Tail: ", " + where[i] + ", LKR 2,400",
			}
			if (r*5+i*3)%7 < 3 {
				cell.State = "taken"
			}
			if r == 4 && i > 2 {
				cell.State, cell.Checked = "free", true
			}
			if cell.State == "free" {
				row.Free++
			}
			row.Cells = append(row.Cells, cell)
		}
		deck.Rows = append(deck.Rows, row)
	}
	return SeatMap{Version: 88, Coach: true, Decks: []Deck{deck}}
}

// sleeper has two decks of berths 1+2, ladies' berths, a toilet and stairs.
func sleeper() SeatMap {
	m := SeatMap{Version: 31, Coach: true}
	for d, name := range []string{"Lower deck", "Upper deck"} {
		price, text := []int64{420000, 380000}[d], []string{"4,200", "3,800"}[d]
		deck := Deck{Name: name, Berths: true, Front: []Fitting{{"door", "Door"}, {"driver", "Driver"}}}
		if d == 1 {
			deck.Front = []Fitting{{"", "Front"}}
		}
		key := name[:1]
		for r := 1; r <= 6; r++ {
			no := strconv.Itoa(r)
			row := SeatRow{ID: "r" + key + no, Lead: name + ", row ", Label: no}
			for i, letter := range "A-BC" {
				if letter == '-' {
					row.Cells = append(row.Cells, SeatCell{Kind: "aisle", Face: no})
					continue
				}
				if r == 6 && i == 0 {
					row.Cells = append(row.Cells, SeatCell{Kind: []string{"wc", "stairs"}[d], Face: []string{"WC", "Stairs"}[d]})
					continue
				}
				cell := SeatCell{
					Kind: "berth", No: key + no + string(letter), State: "free", Face: no + string(letter), Zone: d + 1, Price: price,
					Lead: "Berth ", Tail: fmt.Sprintf(", %s, %s, LKR %s", []string{"single", "", "aisle", "window"}[i], []string{"lower deck", "upper deck"}[d], text),
				}
				if (r+i+d)%3 == 0 {
					cell.State = "taken"
				} else {
					row.Free++
				}
				if r == 5 {
					cell.Ladies = true
					cell.Tail = ", for women travelling alone" + cell.Tail
				}
				row.Cells = append(row.Cells, cell)
			}
			deck.Rows = append(deck.Rows, row)
		}
		m.Decks = append(m.Decks, deck)
	}
	return m
}

func hallLegend() []LegendItem {
	return []LegendItem{
		{Cell: SeatCell{State: "free", Zone: 1}, Name: "Standard", Note: "LKR 900"},
		{Cell: SeatCell{State: "free", Zone: 2}, Name: "Premium", Note: "LKR 1,200"},
		{Cell: SeatCell{State: "free", Zone: 3}, Name: "Recliner", Note: "LKR 1,800"},
		{Cell: SeatCell{State: "taken"}, Name: "Taken"},
		{Cell: SeatCell{State: "free", Kind: "wheelchair"}, Name: "Wheelchair"},
		{Cell: SeatCell{State: "free", Kind: "companion"}, Name: "Companion"},
	}
}
