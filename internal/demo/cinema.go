package demo

import (
	"context"
	"fmt"
	"time"

	"holdfast/db"
)

// The films, as indexes into the list of films.
const (
	saltRoad = iota
	nightFreight
	lighthouse
	nineWinters
	monsoon
)

// turnaround is the time between two shows in a hall.
const turnaround = 20 * time.Minute

func films() ([]db.DemoFilm, error) {
	list := []db.DemoFilm{
		saltRoad:     {Title: "Salt Road", Certificate: "15", RuntimeMin: 128, Genre: "Drama", Language: "Tamil, English subtitles", Distributor: "Palmyra Pictures", Blurb: "Two sisters drive their father’s last harvest four hundred kilometres to a market that no longer wants it."},
		nightFreight: {Title: "Night Freight", Certificate: "15", RuntimeMin: 104, Genre: "Thriller", Language: "English, Italian subtitles", Distributor: "Northline Films", Blurb: "A signalman, a sealed wagon and the eleven minutes nobody wrote down."},
		lighthouse:   {Title: "The Lighthouse Ledger", Certificate: "12", RuntimeMin: 112, Genre: "Mystery", Language: "Italian, English subtitles", Distributor: "Northline Films", Blurb: "Every ship that passed is in the book. One of them never existed."},
		nineWinters:  {Title: "Nine Short Winters", Certificate: "12", RuntimeMin: 118, Genre: "Documentary", Language: "Slovene, English subtitles", Version: "4K", Distributor: "Alpe Adria Film", Blurb: "A village, one camera and nine years of the same first snow."},
		monsoon:      {Title: "Monsoon Arithmetic", Certificate: "PG", RuntimeMin: 96, Genre: "Comedy", Language: "Hindi, English subtitles", Distributor: "Palmyra Pictures", Blurb: "A mathematics teacher bets the school roof on the date of the rain."},
	}
	for i, file := range []string{"salt-road", "night-freight", "lighthouse-ledger", "nine-short-winters", "monsoon-arithmetic"} {
		var err error
		if list[i].Poster, err = posters.ReadFile("posters/" + file + ".svg"); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// show is one planned screening. Hall and film are indexes.
type show struct {
	hall, film int
	start      time.Time
	closing    bool // its online sale ends in a quarter of an hour
	soldOut    bool
}

// planShows is the week from the business day of now: today's shows that are still
// to come, one past midnight tomorrow, one hall sold out tomorrow evening, and a day
// without any. length is the runtime of a film.
func planShows(now time.Time, zone *time.Location, length func(film int) time.Duration) []show {
	today := businessDay(now, zone)
	out := planToday(now, zone, length)
	for d := 1; d < 7; d++ {
		if d == 4 {
			continue
		}
		for _, s := range grid(today.AddDate(0, 0, d), d, zone) {
			s.soldOut = d == 1 && s.hall == 0 && s.start.In(zone).Hour() == 19
			out = append(out, s)
		}
		if d == 1 {
			out = append(out, show{hall: 0, film: nightFreight, start: at(today.AddDate(0, 0, 1), 24, 30, zone)})
		}
	}
	return out
}

// grid is an ordinary day. Gaps are at least 150 minutes, so that every film fits.
func grid(date time.Time, turn int, zone *time.Location) []show {
	clocks := [2][4][2]int{{{14, 0}, {16, 40}, {19, 20}, {22, 0}}, {{13, 30}, {16, 0}, {18, 30}, {21, 0}}}
	var out []show
	for hall, list := range clocks {
		for i, c := range list {
			out = append(out, show{hall: hall, film: (turn + 2*hall + i) % 5, start: at(date, c[0], c[1], zone)})
		}
	}
	return out
}

// planToday begins with the show whose online sale is about to close, then keeps
// what remains of the ordinary day. When that is fewer than six it lets one film
// follow the other until there are six or the business day ends.
func planToday(now time.Time, zone *time.Location, length func(int) time.Duration) []show {
	today := businessDay(now, zone)
	soon := show{hall: 0, film: monsoon, start: now.Add(25 * time.Minute).Round(time.Minute), closing: true}
	free := [2]time.Time{soon.start.Add(length(monsoon) + turnaround), now.Add(40 * time.Minute)}
	out := []show{soon}
	for _, s := range grid(today, 0, zone) {
		if !s.start.Before(free[s.hall]) {
			out = append(out, s)
		}
	}
	if len(out) >= 6 {
		return out
	}
	end := at(today, 24+dayStart, 0, zone)
	bills := [2][]int{{nineWinters, saltRoad}, {nightFreight, lighthouse, monsoon}}
	if end.Sub(now) < 6*time.Hour { // late: the short ones
		bills = [2][]int{{nightFreight, lighthouse}, {nightFreight, monsoon, lighthouse}}
	}
	return chain([]show{soon}, free, bills, at(today, 22, 30, zone), end, length)
}

// chain adds shows, each in the hall that is free first, until there are six and
// the hour is later than late, and never from end on.
func chain(out []show, free [2]time.Time, bills [2][]int, late, end time.Time, length func(int) time.Duration) []show {
	var shown [2]int
	for {
		hall := 0
		if free[1].Before(free[0]) {
			hall = 1
		}
		start := roundUp(free[hall], 5)
		if !start.Before(end) || len(out) >= 6 && start.After(late) {
			return out
		}
		film := bills[hall][shown[hall]%len(bills[hall])]
		out = append(out, show{hall: hall, film: film, start: start})
		free[hall] = start.Add(length(film) + turnaround)
		shown[hall]++
	}
}

// cinema stores halls, films and prices and plans the screenings.
func (l *loader) cinema(ctx context.Context) error {
	zone, err := time.LoadLocation(houseZone)
	if err != nil {
		return fmt.Errorf("time zone: %w", err)
	}
	halls, err := l.halls(ctx)
	if err != nil {
		return err
	}
	list, err := l.films(ctx)
	if err != nil {
		return err
	}
	matinee, err := l.tariff(ctx, "Cinema, before 17:00", 1000, nil, cinemaFares(700, 850, 1050))
	if err != nil {
		return err
	}
	evening, err := l.tariff(ctx, "Cinema, evening", 1000, nil, cinemaFares(900, 1100, 1350))
	if err != nil {
		return err
	}
	length := func(film int) time.Duration { return time.Duration(list[film].RuntimeMin) * time.Minute }
	shows := planShows(l.now, zone, length)
	ids, err := l.tx.DrawIDs(ctx, "events", len(shows))
	if err != nil {
		return err
	}
	for i, s := range shows {
		e := db.DemoEvent{
			ID: ids[i], Kind: "screening", StartsAt: s.start, EndsAt: s.start.Add(length(s.film)),
			TimeZone: houseZone, BusinessDay: businessDay(s.start, zone).Format(time.DateOnly), LastStop: 1,
			LayoutID: halls[s.hall].LayoutID, ResourceID: halls[s.hall].ID, TariffID: evening, FilmID: &list[s.film].ID,
		}
		if h := s.start.In(zone).Hour(); h >= dayStart && h < 17 {
			e.TariffID = matinee
		}
		if s.closing {
			e.CloseMin = new(10)
		}
		l.events = append(l.events, e)
		l.moods[e.ID] = mood{soldOut: s.soldOut, wanted: l.interest(s.start, e.TariffID == evening)}
	}
	return nil
}

func (l *loader) halls(ctx context.Context) ([]db.DemoResource, error) {
	one, err := l.layout(ctx, hall1())
	if err != nil {
		return nil, err
	}
	two, err := l.layout(ctx, hall2())
	if err != nil {
		return nil, err
	}
	halls := []db.DemoResource{
		{Kind: "hall", Name: "Hall 1", LayoutID: one, TurnaroundMin: int(turnaround.Minutes()), Note: "Step-free to row D, induction loop"},
		{Kind: "hall", Name: "Hall 2", LayoutID: two, TurnaroundMin: int(turnaround.Minutes()), Note: "Step-free to row E, induction loop"},
	}
	return halls, l.resources(ctx, halls)
}

func (l *loader) films(ctx context.Context) ([]db.DemoFilm, error) {
	list, err := films()
	if err != nil {
		return nil, err
	}
	ids, err := l.tx.DrawIDs(ctx, "films", len(list))
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].ID = ids[i]
	}
	if err := l.tx.AddDemoFilms(ctx, list); err != nil {
		return nil, err
	}
	return list, l.tx.RecordDemo(ctx, "films", ids...)
}

// cinemaFares are the prices of the three zones by the adult's, in cents.
func cinemaFares(adult ...int64) []db.DemoFare {
	var out []db.DemoFare
	for i, price := range adult {
		for code, percent := range map[string]int64{"adult": 100, "child": 60, "senior": 80, "student": 75} {
			out = append(out, db.DemoFare{Zone: i + 1, Type: code, From: 0, To: 1, Price: round50(price * percent / 100)})
		}
	}
	return out
}

// round50 rounds to half a euro.
func round50(cents int64) int64 { return (cents + 25) / 50 * 50 }
