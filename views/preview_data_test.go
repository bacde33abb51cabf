package views

import "github.com/a-h/templ"

// sample is one page in one state.
type sample struct {
	name string
	page templ.Component
}

// frame gives pages their surroundings; the assets are named by the test.
type frame struct {
	css, js, htmx string
	poster        func(string) string
	qr            templ.SafeURL
}

var (
	cinema = Venue{Name: "Marigold Cinema", Kind: "cinema", Phone: "081 555 0142", PhoneURL: "tel:+94815550142", Address: "14 Dalada Vidiya, Kandy"}
	bus    = Venue{Name: "Upcountry Lines", Kind: "bus", Phone: "011 555 0187", PhoneURL: "tel:+94115550187", Address: "Bay 6, Bastian Road, Colombo 11"}
	lkr    = Currency{Code: "LKR", Exponent: 2, Whole: true}
)

func (f frame) page(title string, v Venue, step int) Page {
	return Page{Title: title, Venue: v, Step: step, CSS: []string{f.css}, JS: []string{f.js}}
}

func (f frame) narrow(title string) Page {
	p := f.page(title, bus, 0)
	p.Narrow = true
	return p
}

func (f frame) held(title string, step int, soon bool) Page {
	p := f.page(title, bus, step)
	p.Hold = &HoldStrip{
		Now: "2026-12-04T20:31:48+05:30", Deadline: "2026-12-04T20:41:00+05:30", Until: "20:41", Zone: "Colombo time",
		ClockURL: "/holds/7f/clock", ExtendURL: "/holds/7f/extend", PageURL: "/holds/7f", WarnSeconds: 120,
		Again: &SeatsForm{Action: "/events/12/holds", From: "0", To: "5", Seats: pair("4C", "4D")},
	}
	if soon {
		p.Hold.Now = "2026-12-04T20:39:40+05:30"
	}
	return p
}

func rupees(amount int64, text string) Money {
	return Money{Amount: amount, Currency: "LKR", Text: text}
}

func pair(nos ...string) []SeatRef {
	var list []SeatRef
	for _, no := range nos {
		list = append(list, SeatRef{No: no, Name: no})
	}
	return list
}

func days(current int) []DayLink {
	list := []DayLink{{Word: "Today", Number: "5"}, {Word: "Sun", Number: "6"}, {Word: "Mon", Number: "7", None: true}, {Word: "Tue", Number: "8"}, {Word: "Wed", Number: "9"}, {Word: "Thu", Number: "10"}, {Word: "Fri", Number: "11"}}
	for i := range list {
		list[i].URL, list[i].Rest, list[i].Current = "/?date=2026-12-0"+list[i].Number, "December", i == current
	}
	return list
}

func (f frame) films() *FilmsPart {
	return &FilmsPart{
		Heading: "Saturday 5 December", Summary: "3 films, 7 screenings. Colombo time.", Days: days(0),
		Films: []Film{
			{Title: "Salt Road", Certificate: "15", Meta: []string{"2 h 8 min", "Drama", "Tamil, English subtitles"}, Blurb: "Two sisters drive their father’s last harvest four hundred kilometres to a market that no longer wants it.", PosterURL: f.poster("salt-road"), Slots: []Slot{
				{URL: "/events/11", Time: "13:45", DateTime: "2026-12-05T13:45", Place: "Hall 1", Price: "from LKR 900", Stock: "187 free"},
				{URL: "/events/12", Time: "16:30", DateTime: "2026-12-05T16:30", Place: "Hall 1", Price: "from LKR 900", Stock: "9 left", Few: true},
				{URL: "/events/13", Time: "19:30", DateTime: "2026-12-05T19:30", Place: "Hall 1", Price: "from LKR 900", Stock: "Closes 10:20", Closing: true},
				{Time: "22:15", DateTime: "2026-12-05T22:15", Place: "Hall 2", Price: "from LKR 900", Stock: "Sold out"},
			}},
			{Title: "A Kite for Meera", Certificate: "U", Meta: []string{"1 h 28 min", "Family, animation", "Sinhala"}, Blurb: "The smallest kite on the beach has the longest string.", PosterURL: f.poster("kite-for-meera"), Slots: []Slot{
				{Time: "10:30", DateTime: "2026-12-05T10:30", Place: "Hall 3", Price: "from LKR 600", Stock: "Sales closed"},
				{URL: "/events/15", Time: "12:30", DateTime: "2026-12-05T12:30", Place: "Hall 3", Price: "from LKR 600", Stock: "61 free"},
			}},
			{Title: "A Film Without a Poster", Certificate: "", Meta: []string{"1 h 52 min"}, Blurb: "Every ship that passed is in the book.", Slots: []Slot{
				{URL: "/events/16", Time: "17:10", DateTime: "2026-12-05T17:10", Place: "Hall 3", Price: "from LKR 900", Stock: "72 free"},
			}},
		},
	}
}

func search() TripSearch {
	return TripSearch{
		Origins:      []Option{{"1", "Colombo Fort", true}, {"2", "Kurunegala", false}, {"6", "Jaffna", false}},
		Destinations: []Option{{"1", "Colombo Fort", false}, {"2", "Kurunegala", false}, {"6", "Jaffna", true}},
		Date:         "2026-12-05", Min: "2026-12-05", Max: "2027-02-28",
	}
}

func stops() []TripStop {
	return []TripStop{{"06:30", "Colombo Fort", "Bay 6, Bastian Road", false}, {"08:05", "Kurunegala", "", true}, {"09:20", "Dambulla", "20 min break", true}, {"14:20", "Jaffna", "Hospital Road", false}}
}

func trips() *TripsPart {
	end := func(time, place, detail string) TripEnd { return TripEnd{Time: time, Place: place, Detail: detail} }
	night := end("06:10", "Jaffna", "Sun 6 Dec")
	night.Plus, night.PlusWords = "+1", "next day"
	return &TripsPart{
		Search: search(), Heading: "Colombo Fort to Jaffna", Summary: "Saturday 5 December 2026, 4 departures. Colombo time.", Days: days(0),
		Trips: []Trip{
			{Depart: end("06:30", "Colombo Fort", "Bay 6"), Arrive: end("14:20", "Jaffna", "Hospital Road"), Duration: "7 h 50 min", StopCount: "4 stops", Vehicle: "2+2 seats, air-conditioned", Detail: "49 seats, toilet break at Dambulla", Price: rupees(240000, "2,400"), Left: "29 seats left", URL: "/events/21?from=0&to=5", Choose: "Choose seats", Stops: stops()},
			{Depart: end("13:00", "Colombo Fort", "Bay 7"), Arrive: end("21:10", "Jaffna", "Hospital Road"), Duration: "8 h 10 min", StopCount: "6 stops", Vehicle: "2+2 seats", Detail: "53 seats, fans, open windows", Gone: "All 53 seats are sold.", Stops: stops()},
			{Depart: end("22:15", "Colombo Fort", "Bay 6"), Arrive: night, Duration: "7 h 55 min", StopCount: "1 stop", Vehicle: "Sleeper, 2 decks", Detail: "36 berths, blanket, ladies’ berths", Price: rupees(380000, "3,800"), From: true, Left: "3 berths left", Few: true, URL: "/events/22?from=0&to=2", Choose: "Choose berths"},
			{Depart: TripEnd{Time: "18:10", Place: "Trieste", Detail: "Sat 5 Dec, Rome time"}, Arrive: TripEnd{Time: "12:50", Plus: "+1", PlusWords: "next day", Place: "Thessaloniki", Detail: "Sun 6 Dec, Athens time"}, Duration: "17 h 40 min", StopCount: "3 stops", Vehicle: "2+1 wide seats", Price: Money{8950, "EUR", "89.50"}, Left: "12 seats left", URL: "/events/23?from=0&to=4", Choose: "Choose seats"},
		},
		Terms: "Online sales close 10 minutes before each departure at your stop.",
	}
}

func (f frame) homes() []sample {
	empty := trips()
	empty.Heading, empty.Summary, empty.Trips = "", "", nil
	empty.Empty = &EmptyDay{Heading: "No buses on Sunday 6 December", Text: "We do not run from Colombo Fort to Jaffna on this day. Nothing is sold out: there is no bus. The next one is on Monday.", Next: &Link{"See Monday 7 December", "/?date=2026-12-07&origin=1&destination=6"}}
	empty.Nearest = trips().Trips[:1]
	same := trips()
	same.Trips, same.Heading, same.Note = nil, "", &Note{Tone: "bad", Alert: true, Title: "Both stops are the same", Text: []string{"Choose a stop to get off that is not the one you get on at."}}
	closed := f.films()
	closed.Heading, closed.Summary, closed.Films, closed.Days = "Monday 7 December", "", nil, days(2)
	closed.Empty = &EmptyDay{Heading: "No films on Monday", Text: "The next films are on Tuesday 8 December: 5 films, 11 screenings.", Next: &Link{"See Tuesday 8 December", "/?date=2026-12-08"}}
	plain := &TripsPart{Search: search()}
	both := f.page("Saturday 5 December", cinema, 0)
	both.Demo = &Demo{Links: []Link{{"Staff pages", "/staff/login"}, {"What to try first", "/demo"}}}
	return []sample{
		{"home-cinema", Home(HomeView{Page: f.page("Saturday 5 December", cinema, 0), Films: f.films()})},
		{"home-cinema-empty", Home(HomeView{Page: f.page("Monday 7 December", cinema, 0), Films: closed})},
		{"home-bus", Home(HomeView{Page: f.page("Colombo Fort to Jaffna", bus, 0), Trips: trips(), TripsFirst: true})},
		{"home-bus-start", Home(HomeView{Page: f.page("Buses", bus, 0), Trips: plain})},
		{"home-bus-empty", Home(HomeView{Page: f.page("Colombo Fort to Jaffna", bus, 0), Trips: empty, TripsFirst: true})},
		{"home-bus-same", Home(HomeView{Page: f.page("Colombo Fort to Jaffna", bus, 0), Trips: same, TripsFirst: true})},
		{"home-both", Home(HomeView{Page: both, Films: f.films(), Trips: plain})},
		{"home-both-searched", Home(HomeView{Page: both, Films: f.films(), Trips: trips(), TripsFirst: true})},
	}
}
