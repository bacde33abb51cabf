package views

func order() Order {
	return Order{
		Title: "Colombo Fort to Jaffna", Facts: []string{"Sat 5 Dec 2026, 06:30 to 14:20", "Bay 6, Bastian Road"},
		Lines: []OrderLine{{"Seat", SeatRef{"4C", "4C"}, "adult", "", rupees(240000, "2,400")}, {"Seat", SeatRef{"4D", "4D"}, "child under 12", "for women", rupees(160000, "1,600")}},
		Total: rupees(400000, "4,000"), Tax: "with VAT 18 %, ", TaxSum: rupees(61017, "610.17"), TaxBP: 1800, Terms: "No other fees. 90 % back until Fri 4 Dec 23:59, then 50 % until 6 hours before departure.",
	}
}

func (f frame) holdPage() HoldView {
	types := func(child bool) []TypeOption {
		return []TypeOption{{"adult", "Adult", "Adult, LKR 2,400", 240000, !child}, {"child", "Child under 12", "Child under 12, LKR 1,600", 160000, child}}
	}
	return HoldView{
		Page: f.held("Who travels?", 2, false), Heading: "Who travels?", Lede: "Names are printed on the tickets.",
		SeatsHeading: "Passengers", Passengers: true, Action: "/holds/7f/details", ChangeURL: "/events/21?from=0&to=5", ReleaseURL: "/holds/7f/release",
		Seats: []HoldSeat{
			{SeatRef: SeatRef{"4C", "4C"}, Title: "Seat 4C", Detail: "Row 4, aisle", Types: types(false), Passenger: Field{Value: "Nimali Fernando"}},
			{SeatRef: SeatRef{"4D", "4D"}, Title: "Seat 4D", Detail: "Row 4, window", Types: types(true), Passenger: Field{Value: "Tharu Fernando"}},
		},
		Name: Field{Value: "Nimali Fernando"}, Email: Field{Value: "nimali@example.lk"}, Phone: Field{Value: "077 555 0119"},
		PhoneHint: "The driver calls this number if you are not at the stop.", Count: "2 seats", Currency: lkr, Order: order(),
	}
}

func (f frame) reviewPage() ReviewView {
	ninety := rupees(360000, "3,600")
	return ReviewView{
		Page: f.held("Check your order", 3, false),
		Rows: []ReviewRow{
			{"Trip", []ReviewLine{{Bold: "Colombo Fort to Jaffna"}, {Text: "Saturday 5 December 2026, 06:30 to 14:20, Colombo time"}}, "/", "trip"},
			{"Seats", []ReviewLine{{Seat: &SeatRef{"4C", "4C"}, Text: "Nimali Fernando, adult"}, {Seat: &SeatRef{"4D", "4D"}, Text: "Tharu Fernando, child under 12"}}, "/holds/7f", "seats and passengers"},
			{"Tickets go to", []ReviewLine{{Text: "nimali@example.lk, 077 555 0119"}}, "/holds/7f#email", "contact"},
		},
		Refunds: []RefundStep{{"Until Fri 4 Dec, 23:59", "90 % back", &ninety}, {"After that", "No refund", nil}},
		Order:   order(),
		Pay:     PayForm{Action: "/holds/7f/pay", Hint: "You pay on Stripe’s page and come back here. Your seats stay yours while you pay."},
	}
}

func (f frame) orderPages() []sample {
	wrong := f.holdPage()
	wrong.Page = f.held("Who travels? please look again", 2, true)
	wrong.Errors = []FieldError{{"email", "Your e-mail address needs an @, like name@example.lk"}}
	wrong.Email = Field{"nimali.example.lk", "An @ is missing. Example: name@example.lk"}
	film := f.holdPage()
	film.Heading, film.Lede, film.SeatsHeading, film.Passengers, film.PhoneHint = "Your seats", "Choose the ticket types.", "Seats", false, ""
	back := f.reviewPage()
	back.Note = &Note{Tone: "warn", Alert: true, Title: "You came back without paying", Text: []string{"Nothing was charged. Your seats are still held."}}
	off := f.reviewPage()
	off.Pay.Off = &PayOff{Text: "Your seats are held until 20:41. Call us to pay, or come to the counter.", Phone: "011 555 0187", PhoneURL: "tel:+94115550187"}
	free := f.reviewPage()
	free.Order.Total, free.Order.Tax = rupees(0, "0"), ""
	return []sample{
		{"hold", Hold(f.holdPage())},
		{"hold-error", Hold(wrong)},
		{"hold-film", Hold(film)},
		{"review", Review(f.reviewPage())},
		{"review-back", Review(back)},
		{"review-off", Review(off)},
		{"review-free", Review(free)},
	}
}

func (f frame) tickets() []Ticket {
	trip := Ticket{
		ID: "51207", Seat: SeatRef{"4C", "4C"}, SeatHead: "Seat, aisle",
		Way:   &TicketWay{TripEnd{Time: "06:30", Place: "Colombo Fort", Detail: "Bay 6, Bastian Road"}, TripEnd{Time: "14:20", Place: "Jaffna", Detail: "Hospital Road"}, "7 h 50 min", "Saturday 5 December 2026", "At the stop by 06:15, Colombo time. Coach UL 27."},
		Facts: []Fact{{"Passenger", "Nimali Fernando"}, {"Ticket", "Adult"}}, Paid: rupees(240000, "2,400"), QR: f.qr, Reference: "K7P-XM3", URL: "/t/abc",
	}
	show := Ticket{
		ID: "60411", Seat: SeatRef{"H9", "H9"}, SeatHead: "Row and seat",
		Show:  &TicketShow{"Marigold Cinema, 14 Dalada Vidiya, Kandy", "Salt Road", "15", []string{"2 h 8 min", "Tamil, English subtitles"}, "Sat 5 Dec 2026, 19:30", "Doors 19:10. The film ends about 21:50."},
		Facts: []Fact{{"Hall", "1"}, {"Zone", "Premium"}, {"Ticket", "Adult"}}, Paid: rupees(120000, "1,200"), QR: f.qr, Reference: "K7P-XM3", URL: "/t/def",
	}
	return []Ticket{trip, show}
}

func (f frame) afterPages() []sample {
	list := f.tickets()
	void := list[0]
	void.Cancelled = "Cancelled on Fri 4 Dec"
	end := EndedView{
		Page: f.narrow("Your hold ended"), Heading: "Your hold ended at 20:41", Lede: "Nothing was charged. The names and the address you typed are still here.",
		Title: "Colombo Fort to Jaffna", When: "Saturday 5 December 2026, 06:30", Seats: pair("4C", "4D"), SeatNote: "Free a moment ago", OthersURL: "/events/21?from=0&to=5",
		Again: &SeatsForm{Action: "/events/21/holds", From: "0", To: "5", Seats: pair("4C", "4D"), Keep: []Hidden{{"email", "nimali@example.lk"}}},
	}
	released := end
	released.Heading, released.Lede = "You let these seats go", "Nothing was charged."
	lost := LostView{
		Page: f.narrow("Paid, but the seats were gone"), Noun: "seat", Seats: pair("4C", "4D"), Lede: "The hold ended at 20:41 and somebody else took the seats before your payment arrived.",
		Refund: "requested", Sum: rupees(400000, "4,000"), RefundText: "Refund requested at 20:44. It reaches your card in 5 to 10 days.", Reference: "R-20931",
		Others: &SeatsForm{Action: "/events/21/holds", From: "0", To: "5", Seats: pair("10C", "10D")}, OthersWords: "together", OthersURL: "/events/21?from=0&to=5", OthersNote: "This would be a new payment of LKR 4,000.",
	}
	failed := lost
	failed.Refund, failed.RefundText, failed.Phone = "failed", "Your bank refused it. We have been told and will send the money another way.", Link{"Call 011 555 0187", "tel:+94115550187"}
	down := PayDownView{Page: f.held("The payment page does not answer", 4, false), Heading: "The payment page does not answer", Lede: "Our payment provider cannot be reached just now.", Seats: pair("4C", "4D"), PayURL: "/holds/7f/pay", BackURL: "/holds/7f/review", Phone: Link{"Call 011 555 0187", "tel:+94115550187"}, Sum: rupees(400000, "4,000")}
	down.Page.Narrow = true
	closed := ClosedView{
		Page: f.narrow("Salt Road: online sales are closed"), Event: EventHead{Title: "Salt Road", Day: "Saturday 5 December 2026", Time: "19:30", Certificate: "15", Meta: []string{"2 h 8 min", "Hall 1"}, PosterURL: f.poster("salt-road")},
		Note: Note{Title: "Online sales closed at 19:20", Text: []string{"The counter in the foyer sells until the film starts. 43 seats were free when we closed."}}, LaterHeading: "Later today", LaterSlots: f.films().Films[0].Slots[:2], HomeURL: "/",
	}
	closedTrip := closed
	closedTrip.LaterSlots, closedTrip.LaterTrips, closedTrip.Event.PosterURL = nil, trips().Trips[:2], ""
	missing := ErrorView{Page: f.narrow("Page not found"), Status: 404, Heading: "There is no page here", Lede: "The link may be old, or a letter is missing. Your bookings are not affected.", Next: []Link{{"See what’s on", "/"}, {"Find my booking", "/find"}}, RequestID: "8f2c-41d0"}
	return []sample{
		{"booking", Booking(BookingView{Page: f.page("Booking K7P-XM3", bus, 0), Heading: "You are booked", Lede: "Tickets sent to nimali@example.lk. Show the code on your phone or on paper.", Reference: "K7P-XM3", Tickets: list})},
		{"ticket", TicketPage(TicketView{Page: f.page("Ticket 4C", bus, 0), Ticket: list[0]})},
		{"ticket-cancelled", TicketPage(TicketView{Page: f.page("Ticket 4C", bus, 0), Ticket: void})},
		{"find", Find(FindView{Page: f.narrow("Find my booking")})},
		{"find-sent", Find(FindView{Page: f.narrow("Find my booking"), Sent: true, Reference: "k7pxm3", Email: "nimali@example.lk"})},
		{"ended", Ended(end)},
		{"released", Ended(released)},
		{"lost", Lost(lost)},
		{"lost-failed", Lost(failed)},
		{"checking", Checking(CheckingView{f.narrow("Your payment is being checked"), pair("4C", "4D"), "/holds/7f/return", 4, "20:36:04", "nimali@example.lk"})},
		{"closed", Closed(closed)},
		{"closed-trip", Closed(closedTrip)},
		{"pay-down", PayDown(down)},
		{"error-404", Error(missing)},
		{"shed-link", ShedPage(Shed{CSS: []string{f.css}, Seconds: "12", Again: "/events/12"})},
		{"shed-form", ShedPage(Shed{CSS: []string{f.css}, Seconds: "12", Again: "/events/12/holds", Post: true, Fields: `<input type="hidden" name="seat" value="A1">`})},
		{"shed-back", ShedPage(Shed{CSS: []string{f.css}, Seconds: "12"})},
		{"error-503", Unavailable([]string{f.css}, "/events/12", "8f2c-41d0")},
	}
}
