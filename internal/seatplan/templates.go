package seatplan

// Template is a plan to begin with.
type Template struct {
	Key, Name, About string
	Spec             Spec
}

// Templates are the plans that most houses begin with; the first of each kind is what an
// empty form shows.
func Templates() []Template {
	return []Template{
		{"hall", "Hall", "rows of the same length, one aisle or more", Spec{Front: FrontScreen, Sections: []Section{
			{Rows: "12", Seats: "16", Aisles: "4, 12", RowNames: "A–M without I", Zone: "Standard"}}}},
		{"hall-classes", "Hall with classes", "sections one behind the other, each from row A on", Spec{Front: FrontScreen, Sections: []Section{
			{Name: "Stalls", Rows: "8", Seats: "8|8", Zone: "Stalls"},
			{Name: "Balcony", Rows: "4", Seats: "10|10", Half: "B, D", Zone: "Balcony"}}}},
		{"theatre", "Theatre", "numbers out from the middle, odd right, even left", Spec{Front: FrontScreen, Sections: []Section{
			{Rows: "10", Seats: "5|14|5", Order: OrderOddRight, Zone: "Standard"}}}},
		{"coach-2-2", "Coach 2 + 2", "ten rows, back bench of five, driver and door", Spec{Vehicle: true, Front: FrontDriverLeft, Sections: []Section{
			{Lines: "1–10: A B | D E\n11: A B C D E", Zone: "Standard"}}}},
		{"coach-2-1", "Coach 2 + 1 with toilet", "nine rows, the toilet is two rows deep", Spec{Vehicle: true, Front: FrontDriverLeft, Sections: []Section{
			{Lines: "1–6: A B | D\n7–8: A B | WC\n9: A B C D", Zone: "Standard"}}}},
		{"sleeper", "Sleeper, two decks", "berths 2 + 1 above one another", Spec{Vehicle: true, Front: FrontDriverLeft, Sections: []Section{
			{Deck: "Lower deck", Berths: true, Lines: "1–5: A B | D\n-: stairs _ | WC", Zone: "Lower deck"},
			{Deck: "Upper deck", Berths: true, Lines: "1–5: E F | H\n-: stairs", Zone: "Upper deck"}}}},
	}
}
