package views

func (f frame) hallPage(rows, cols int) SeatsView {
	p := f.page("Salt Road, Sat 5 Dec 19:30: choose seats", cinema, 1)
	p.Wide, p.Htmx = true, f.htmx
	return SeatsView{
		Page:  p,
		Event: EventHead{Title: "Salt Road", Day: "Saturday 5 December 2026", Time: "19:30", Certificate: "15", Meta: []string{"2 h 8 min", "Hall 1"}, Free: "162 free", PosterURL: f.poster("salt-road")},
		Best: &BestForm{
			Action: "/events/12/best", Title: "Best seats for us", Label: "Seats", Quantity: "2", Max: 8, Accessible: true,
			Zones: []Option{{"", "Anywhere", true}, {"1", "Standard, LKR 900", false}, {"2", "Premium, LKR 1,200", false}, {"3", "Recliner, LKR 1,800", false}},
		},
		Legend: hallLegend(), Map: hall(rows, cols), Action: "/events/12/holds", Currency: lkr, Noun: "seat",
		Hint:    "Up to 8 seats. We hold them for 10 minutes when you continue.",
		Picked:  "2 seats: H9, H10",
		Total:   rupees(240000, "2,400"),
		PollURL: "/events/12/seats?v=417",
	}
}

func (f frame) coachPage(m SeatMap) SeatsView {
	p := f.page("06:30 Colombo Fort to Jaffna: choose seats", bus, 1)
	p.Htmx = f.htmx
	v := SeatsView{
		Page:  p,
		Event: EventHead{Title: "Colombo Fort to Jaffna", Day: "Sat 5 Dec 2026", Time: "06:30", Arrive: "14:20", Meta: []string{"7 h 50 min", "2+2 seats, air-conditioned"}, Free: "29 of 47 free"},
		Stops: &StopsForm{Noun: "seat",
			Action: "/events/21", Summary: "Your stops: Colombo Fort to Jaffna",
			From: []Option{{"0", "06:30 Colombo Fort", true}, {"1", "08:05 Kurunegala", false}}, To: []Option{{"5", "14:20 Jaffna", true}, {"4", "12:00 Vavuniya", false}},
		},
		Best:   &BestForm{Action: "/events/21/best", Title: "Best seats for us", Label: "Seats", Quantity: "2", Max: 6, Zones: []Option{{"", "Anywhere", true}}, From: "0", To: "5"},
		Legend: []LegendItem{{Cell: SeatCell{State: "free"}, Name: "Free", Note: "LKR 2,400"}, {Cell: SeatCell{State: "taken"}, Name: "Taken"}},
		Map:    m, Action: "/events/21/holds", From: "0", To: "5", Currency: lkr, Noun: "seat",
		Hint: "Up to 6 seats. We hold them for 10 minutes when you continue.", Picked: "2 seats: 4C, 4D", Total: rupees(480000, "4,800"),
		PollURL: "/events/21/seats?v=88&from=0&to=5", Way: stops(),
	}
	return v
}

func (f frame) sleeperPage() SeatsView {
	v := f.coachPage(sleeper())
	v.Event = EventHead{Title: "Colombo Fort to Jaffna", Day: "Sat 5 Dec 2026", Time: "22:15", ArriveDay: "Sun 6 Dec", Arrive: "06:10", Meta: []string{"7 h 55 min", "Sleeper, 34 berths", "Colombo time"}, Free: "24 of 34 free"}
	v.Noun, v.Picked, v.Total, v.Way = "berth", "", Money{}, nil
	v.Best.Title, v.Best.Label = "Best berths for us", "Berths"
	v.Legend = []LegendItem{
		{Cell: SeatCell{State: "free", Zone: 1}, Name: "Lower", Note: "LKR 4,200"}, {Cell: SeatCell{State: "free", Zone: 2}, Name: "Upper", Note: "LKR 3,800"},
		{Cell: SeatCell{State: "taken"}, Name: "Taken"}, {Cell: SeatCell{State: "free", Ladies: true}, Name: "For women", Note: "travelling alone"},
	}
	v.Good = []string{"Berths marked L are for women travelling alone.", "Berths are 185 cm long. Pillow, blanket and water are included."}
	return v
}

// lose marks a seat of a map as taken a moment ago.
func lose(m SeatMap, no string) SeatMap {
	for _, d := range m.Decks {
		for _, r := range d.Rows {
			for i := range r.Cells {
				if r.Cells[i].No == no {
					r.Cells[i].State, r.Cells[i].Checked = "lost", false
				}
			}
		}
	}
	return m
}

func (f frame) seatPages() []sample {
	conflict := f.coachPage(lose(coach49(), "4D"))
	conflict.Picked, conflict.Total = "1 seat: 4C", rupees(240000, "2,400")
	conflict.Alert = &SeatAlert{
		Lost: pair("4D"), Kept: pair("4C"), Text: "Nothing is held and nothing was charged.",
		Offers: []SeatOffer{{Before: "Two together:", Seats: pair("10C", "10D"), Main: true}, {Before: "Take", Seats: pair("4C"), After: "only"}},
	}
	several := f.hallPage(12, 16)
	several.Alert = &SeatAlert{Lost: pair("A1", "A2", "A3"), Text: "Nothing is held and nothing was charged."}
	apart := f.hallPage(12, 16)
	apart.Alert = &SeatAlert{
		Heading: "There are no 7 seats side by side", Text: "The best we have is 4 and 3, one row apart. Nothing is held.",
		Apart: &ApartForm{Action: "/events/12/best", Quantity: "7", Zone: "2", Text: "Hold 7 seats apart"},
	}
	apart.Best.Quantity, apart.Best.Open = "7", true
	none := f.coachPage(coach49())
	none.Alert = &SeatAlert{Heading: "Choose at least one seat", Text: "Tick a seat on the map, then continue. Nothing was charged."}
	paying := f.coachPage(coach49())
	paying.Alert = &SeatAlert{Heading: "These seats are being paid for right now", Text: "You have opened the payment page with them. Finish there, or try again in a minute. Your seats are kept.", Waiting: true}
	free := f.hallPage(12, 16)
	free.Page.Demo = &Demo{Links: []Link{{"Staff pages", "/staff/login"}}}
	free.Picked = ""
	return []sample{
		{"seat-hall", Seats(f.hallPage(12, 16))},
		{"seat-hall-300", Seats(f.hallPage(15, 20))},
		{"seat-hall-demo", Seats(free)},
		{"seat-coach", Seats(f.coachPage(coach49()))},
		{"seat-sleeper", Seats(f.sleeperPage())},
		{"seat-conflict", Seats(conflict)},
		{"seat-conflict-hall", Seats(several)},
		{"seat-apart", Seats(apart)},
		{"seat-none", Seats(none)},
		{"seat-paying", Seats(paying)},
	}
}
