package counter

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdfast/db"
)

// FilmWeek is the film week that a day is in, when weeks begin on such a weekday.
func FilmWeek(day time.Time, first time.Weekday) Span {
	from := day.AddDate(0, 0, -int((day.Weekday()-first+7)%7))
	return Span{from, from.AddDate(0, 0, 6)}
}

// Films is the distributors' return of a film week: the seven days from first on.
//
// A screening counts to the week of its business day, with every ticket sold or taken
// back for it up to the week's last day. What is entered later is a correction in the
// week in which it was entered, and names the week that it corrects. So the return of a
// week that is over stays as it was sent, and all returns together are all tickets.
//
// The week goes by its first day alone: another film_week_start later does not move it.
func (s *Reports) Films(ctx context.Context, first time.Time, house string) (*Sheet, error) {
	r, err := s.start(ctx, Span{first, first.AddDate(0, 0, 6)})
	if err != nil {
		return nil, err
	}
	f := db.EventFilter{Kind: "screening"}
	week, err := s.db.EventSums(ctx, r.From, r.To, f)
	if err != nil {
		return nil, err
	}
	later, err := s.db.EventCorrections(ctx, r.From, r.To, f)
	if err != nil {
		return nil, err
	}
	for _, code := range currencies(house, slices.Concat(week, later), func(x db.EventSum) string { return x.Currency }) {
		r.Sections = append(r.Sections, filmSection(code, r.From, in(code, week), in(code, later)))
	}
	return r, nil
}

func in(code string, all []db.EventSum) []db.EventSum {
	return slices.DeleteFunc(slices.Clone(all), func(x db.EventSum) bool { return x.Currency != code })
}

// ticketSum is what tickets add up to.
type ticketSum struct {
	sold, returned, free int
	gross, tax           int64
	events               map[int64]int // admits by event
}

func (t *ticketSum) take(x db.EventSum) {
	t.sold, t.returned, t.free, t.gross, t.tax = t.sold+x.Sold, t.returned+x.Returned, t.free+x.Free, t.gross+x.Amount, t.tax+x.Tax
	if t.events == nil {
		t.events = map[int64]int{}
	}
	t.events[x.EventID] += x.Sold - x.Returned
}

func (t *ticketSum) admits() int { return t.sold - t.returned }

// shown counts the events that somebody came to.
func (t *ticketSum) shown() (n int) {
	for _, admits := range t.events {
		if admits > 0 {
			n++
		}
	}
	return n
}

func (t *ticketSum) cells() []Cell {
	return []Cell{counts(t.sold), counts(t.returned), counts(t.admits()), counts(t.free), number(t.gross), number(t.tax), number(t.gross - t.tax)}
}

// ticketGroup is some sums that belong together, with one of them for its names.
type ticketGroup struct {
	ticketSum
	of db.EventSum
}

// ticketGroups adds sums up by a key, in the order of the keys.
func ticketGroups(all []db.EventSum, key func(db.EventSum) string) (out []*ticketGroup) {
	by := map[string]*ticketGroup{}
	keys := []string{}
	for _, x := range all {
		k := key(x)
		if by[k] == nil {
			by[k] = &ticketGroup{of: x}
			keys = append(keys, k)
		}
		by[k].take(x)
	}
	slices.Sort(keys)
	for _, k := range keys {
		out = append(out, by[k])
	}
	return out
}

func filmSection(code string, first time.Time, week, later []db.EventSum) Section {
	var main, more ticketSum
	for _, x := range week {
		main.take(x)
	}
	for _, x := range later {
		more.take(x)
	}
	return Section{Currency: code, Figures: []Figure{
		{"Admits", counts(main.admits() + more.admits()), Count, corrected(more.admits())},
		{"Screenings", counts(main.shown()), Count, "that somebody came to"},
		{"Gross", number(main.gross + more.gross), Amount, "tax included, corrections too"},
		{"Net", number(main.gross - main.tax + more.gross - more.tax), Amount, "without tax"},
	}, Tables: []Table{byFilm(week), byDistributor(week, later), byScreening(week), corrections(first, later)}}
}

func corrected(n int) string {
	if n == 0 {
		return "no corrections"
	}
	return fmt.Sprintf("%+d by corrections", n)
}

// filmKey sorts by title and tells films of the same title apart.
func filmKey(x db.EventSum) string {
	return fmt.Sprintf("%s\x00%s\x00%012d", strings.ToLower(x.Title), x.Version, x.FilmID)
}

func filmName(x db.EventSum) string {
	if x.Version == "" {
		return x.Title
	}
	return x.Title + ", " + x.Version
}

func distributor(x db.EventSum) string { return cmp.Or(x.Distributor, "No distributor named") }

func byFilm(week []db.EventSum) Table {
	t := table("film", "By film", ticketColumns(Column{"Film", Words}, Column{"Distributor", Words}, Column{"Screenings", Count})...)
	t.None, t.Chart = "No ticket of a screening of this week was sold.", 5
	t.Words = "Screenings of this week, with what was entered up to its last day. Free are tickets that cost nothing; they are among the admits."
	for _, g := range ticketGroups(week, filmKey) {
		t.add(append([]Cell{says(filmName(g.of)), says(distributor(g.of)), counts(g.shown())}, g.cells()...)...)
	}
	t.total("All films")
	return t
}

func byDistributor(week, later []db.EventSum) Table {
	t := table("distributor", "By distributor, corrections included", Column{"Distributor", Words}, Column{"Admits", Count}, Column{"Gross", Amount},
		Column{"Tax", Amount}, Column{"Net", Amount}, Column{"Corrections in it, admits", Count}, Column{"Corrections in it, net", Amount})
	t.None = "There is nothing to return."
	t.Words = "What to return for this week: its screenings, and the corrections of earlier weeks."
	key := func(x db.EventSum) string { return distributor(x) }
	fixed := map[string]*ticketGroup{}
	for _, g := range ticketGroups(later, key) {
		fixed[key(g.of)] = g
	}
	for _, g := range ticketGroups(slices.Concat(week, later), key) {
		c := fixed[key(g.of)]
		if c == nil {
			c = &ticketGroup{}
		}
		t.add(says(distributor(g.of)), counts(g.admits()), number(g.gross), number(g.tax), number(g.gross-g.tax), counts(c.admits()), number(c.gross-c.tax))
	}
	t.total("All distributors")
	return t
}

func byScreening(week []db.EventSum) Table {
	t := table("screening", "By film, day and ticket type", ticketColumns(Column{"Film", Words}, Column{"Distributor", Words}, Column{"Screening day", Date}, Column{"Ticket type", Words})...)
	t.None = "No ticket of a screening of this week was sold."
	key := func(x db.EventSum) string {
		return fmt.Sprintf("%s\x00%s\x00%06d\x00%s", filmKey(x), x.Day.Format(time.DateOnly), x.Position, x.TicketType)
	}
	for _, g := range ticketGroups(week, key) {
		t.add(append([]Cell{says(filmName(g.of)), says(distributor(g.of)), date(g.of.Day), says(g.of.Type)}, g.cells()...)...)
	}
	t.total("All")
	return t
}

func corrections(first time.Time, later []db.EventSum) Table {
	t := table("correction", "Corrections of earlier weeks", ticketColumns(Column{"Film", Words}, Column{"Distributor", Words}, Column{"Corrects the week from", Date}, Column{"Screening day", Date},
		Column{"Entered on", Date}, Column{"Ticket type", Words})...)
	t.None = "Nothing of earlier weeks was entered in this one."
	t.Words = "Lines that were entered in this week about screenings of weeks that were over: a refund after the show, for example. The return of that week stays as it was."
	key := func(x db.EventSum) string {
		return fmt.Sprintf("%s\x00%s\x00%s\x00%06d\x00%s", filmKey(x), x.Day.Format(time.DateOnly), x.EnteredOn.Format(time.DateOnly), x.Position, x.TicketType)
	}
	for _, g := range ticketGroups(later, key) {
		week := FilmWeek(g.of.Day, first.Weekday())
		t.add(append([]Cell{says(filmName(g.of)), says(distributor(g.of)), date(week.From), date(g.of.Day), date(*g.of.EnteredOn),
			says(g.of.Type)}, g.cells()...)...)
	}
	t.total("All corrections")
	return t
}
