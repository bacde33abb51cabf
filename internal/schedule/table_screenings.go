package schedule

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"holdfast/db"
	"holdfast/internal/csvfile"
	"holdfast/internal/domain"
)

// A screening is known by its hall and start. One that is there already is never changed
// by a table: it may be sold.
func screeningsTable() table {
	return table{
		columns: []string{"film", "version", "hall", "starts", "length_min", "price_list", "status", "sales_close_min"},
		needs:   []string{"film", "hall", "starts", "price_list"},
		example: [][]string{
			{"Salt Road", "", "Hall 1", "2026-12-05 19:30", "", "Standard", "draft", ""},
			{"Salt Road", "Dubbed", "Hall 2", "2026-12-05 20:15", "150", "Standard", "published", "0"},
		},
		plan:   planScreenings,
		export: exportScreenings,
	}
}

// cinema is what rows of screenings name.
type cinema struct {
	films   map[string]db.Film   // by title and version
	titles  map[string][]db.Film // by title
	halls   map[string]db.Resource
	lists   map[string]db.Tariff
	zone    *time.Location
	now     time.Time
	set     domain.Settings
	columns *csvfile.Reader
}

// screeningRow is one row, understood.
type screeningRow struct {
	row    int
	event  db.NewEvent
	hall   db.Resource
	film   string
	filmID int64
}

func planScreenings(ctx context.Context, q db.Queries, r *csvfile.Reader, set domain.Settings, p *tablePlan) error {
	c, err := readCinema(ctx, q, r, set)
	if err != nil {
		return err
	}
	var rows []screeningRow
	err = p.each(r, func(row int) error {
		x, err := c.screening(row)
		if err == nil {
			rows = append(rows, x)
		}
		return err
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	first, last := rows[0].event.StartsAt, rows[0].event.EndsAt
	for _, x := range rows {
		if x.event.StartsAt.Before(first) {
			first = x.event.StartsAt
		}
		if x.event.EndsAt.After(last) {
			last = x.event.EndsAt
		}
	}
	seats := 0
	for _, x := range rows {
		seats += x.hall.Seats
	}
	if seats > maxImportSeats {
		p.report.Add(csvfile.Stops, "", 0, fmt.Sprintf("The screenings have %d seats together; one import makes at most %d. Send the table in parts.", seats, maxImportSeats), "")
		return nil
	}
	busy, err := q.HallTimes(ctx, first.AddDate(0, 0, -2), last.AddDate(0, 0, 2))
	if err != nil {
		return err
	}
	add := p.compareScreenings(c, rows, busy)
	p.apply = func(ctx context.Context, t *db.Tx, by domain.By) error { return storeScreenings(ctx, t, add, set) }
	return nil
}

func readCinema(ctx context.Context, q db.Queries, r *csvfile.Reader, set domain.Settings) (*cinema, error) {
	c := &cinema{films: map[string]db.Film{}, titles: map[string][]db.Film{}, halls: map[string]db.Resource{}, lists: map[string]db.Tariff{}, set: set, columns: r}
	films, err := q.FilmTable(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range films {
		if !f.Archived {
			c.films[key(f.Title, f.Version)] = f
			c.titles[key(f.Title)] = append(c.titles[key(f.Title)], f)
		}
	}
	halls, err := q.Resources(ctx, "", false)
	if err != nil {
		return nil, err
	}
	for _, h := range halls {
		if h.Kind == "hall" {
			c.halls[key(h.Name)] = h
		}
	}
	lists, err := q.Tariffs(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range lists {
		if !l.Archived {
			c.lists[key(l.Name)] = l
		}
	}
	if c.zone, err = time.LoadLocation(set.TimeZone); err != nil {
		return nil, err
	}
	c.now, err = q.Now(ctx)
	return c, err
}

func (c *cinema) screening(row int) (screeningRow, error) {
	x := screeningRow{row: row}
	f, err := c.film()
	if err != nil {
		return x, err
	}
	hall, ok := c.halls[key(c.columns.Get("hall"))]
	if !ok {
		return x, wrong("A hall is not known, or out of use.", cut(c.columns.Get("hall"), 60))
	}
	list, ok := c.lists[key(c.columns.Get("price_list"))]
	if !ok {
		return x, wrong("A price list is not known, or put away.", cut(c.columns.Get("price_list"), 60))
	}
	start, err := parseStart(c.columns.Get("starts"), c.zone)
	if err != nil {
		return x, err
	}
	length := f.RuntimeMin
	if text := c.columns.Get("length_min"); text != "" {
		if length, err = strconv.Atoi(text); err != nil || length < 1 || length > 1440 {
			return x, wrong("The length_min is not a number of minutes from 1 to 1440.", cut(text, 40))
		}
	}
	status := key(c.columns.Get("status"))
	if status == "" {
		status = "draft"
	}
	if status != "draft" && status != "published" {
		return x, wrong("The status is neither draft nor published.", cut(c.columns.Get("status"), 40))
	}
	if status == "published" && list.Currency != c.set.Currency {
		return x, wrong("A screening cannot go on sale by a price list in another currency than the house’s.", list.Name+", "+list.Currency)
	}
	x.hall, x.film, x.filmID = hall, f.Title, f.ID
	x.event = db.NewEvent{
		Kind: "screening", Status: status, StartsAt: start, EndsAt: start.Add(time.Duration(length) * time.Minute), TimeZone: c.set.TimeZone,
		BusinessDay: domain.BusinessDay(start, c.zone, c.set), LayoutVersionID: hall.LayoutVersionID, ResourceID: &x.hall.ID, TariffID: list.ID, FilmID: &x.filmID,
	}
	if text := c.columns.Get("sales_close_min"); text != "" {
		minutes, err := strconv.Atoi(text)
		if err != nil || minutes < -1440 || minutes > 14400 {
			return x, wrong("The sales_close_min is not a number of minutes from -1440 to 14400.", cut(text, 40))
		}
		x.event.SalesCloseMinutes = &minutes
	}
	return x, nil
}

func (c *cinema) film() (db.Film, error) {
	title, version := c.columns.Get("film"), c.columns.Get("version")
	if f, ok := c.films[key(title, version)]; ok {
		return f, nil
	}
	if list := c.titles[key(title)]; version == "" && len(list) == 1 {
		return list[0], nil
	} else if version == "" && len(list) > 1 {
		return db.Film{}, wrong("A film has several versions. Please write which in the column version.", cut(title, 60))
	}
	return db.Film{}, wrong("A film is not known. Import the films first.", cut(title+" "+version, 60))
}

// compareScreenings finds what is there already and what is in the way.
func (p *tablePlan) compareScreenings(c *cinema, rows []screeningRow, busy []db.HallTime) []screeningRow {
	slices.SortStableFunc(rows, func(a, b screeningRow) int { return a.event.StartsAt.Compare(b.event.StartsAt) })
	var add []screeningRow
	for _, x := range rows {
		there := slices.IndexFunc(busy, func(b db.HallTime) bool {
			return b.ResourceID == x.hall.ID && b.StartsAt.Equal(x.event.StartsAt) && b.FilmID != nil
		})
		if there >= 0 {
			p.known(x, busy[there])
			continue
		}
		if !x.event.StartsAt.After(c.now) {
			p.report.Add(csvfile.Stops, "", x.row, "A screening has begun already.", x.said(c.zone))
			continue
		}
		until := x.event.EndsAt.Add(time.Duration(x.hall.TurnaroundMinutes) * time.Minute)
		clash := slices.IndexFunc(busy, func(b db.HallTime) bool {
			return b.ResourceID == x.hall.ID && b.StartsAt.Before(until) && x.event.StartsAt.Before(b.BusyUntil)
		})
		if clash >= 0 {
			b := busy[clash]
			p.report.Add(csvfile.Stops, "", x.row, "A hall is in use then.", fmt.Sprintf("%s: “%s” from %s to %s", x.said(c.zone), b.Title, b.StartsAt.In(c.zone).Format("15:04"), b.BusyUntil.In(c.zone).Format("15:04")))
			continue
		}
		busy = append(busy, db.HallTime{ResourceID: x.hall.ID, StartsAt: x.event.StartsAt, EndsAt: x.event.EndsAt, BusyUntil: until, FilmID: &x.filmID, TariffID: x.event.TariffID, Title: x.film, Row: x.row})
		add = append(add, x)
		p.line(x.row, true, x.said(c.zone)+", "+x.event.Status)
	}
	return add
}

func (x screeningRow) said(zone *time.Location) string {
	return x.film + ", " + x.hall.Name + ", " + x.event.StartsAt.In(zone).Format("Mon 2 Jan 2006 15:04")
}

// known is a screening that is there, stored or in a row before.
func (p *tablePlan) known(x screeningRow, b db.HallTime) {
	switch {
	case b.Row > 0:
		p.report.Add(csvfile.Stops, "", x.row, "A hall has two screenings at the same time.", fmt.Sprintf("%s and row %d", x.film, b.Row))
	case *b.FilmID == x.filmID && b.TariffID == x.event.TariffID && b.EndsAt.Equal(x.event.EndsAt):
		p.Same++
	default:
		p.Left++
		p.report.Add(csvfile.Note, "", x.row, "A screening is there already and differs. It stays as it is; change it on its own page.", x.film+", "+x.hall.Name)
	}
}

func storeScreenings(ctx context.Context, t *db.Tx, add []screeningRow, set domain.Settings) error {
	if len(add) == 0 {
		return nil
	}
	list := make([]db.NewEvent, len(add))
	for i, x := range add {
		list[i] = x.event
		list[i].Status = "draft"
	}
	ids, err := t.InsertEvents(ctx, list)
	if err != nil {
		return err
	}
	var ready []int64
	for i, x := range add {
		if x.event.Status != "published" {
			continue
		}
		missing, err := t.MissingFares(ctx, ids[i])
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			return &domain.RuleError{Code: "tariff", Words: fmt.Sprintf("Row %d cannot go on sale: its price list has no price for the zone %s. Add it, or import the row as a draft. Nothing was changed.", x.row, missing[0])}
		}
		ready = append(ready, ids[i])
	}
	return t.SetEventsStatus(ctx, ready, "published")
}

func exportScreenings(ctx context.Context, q db.Queries, set domain.Settings) ([][]string, error) {
	zone, err := time.LoadLocation(set.TimeZone)
	if err != nil {
		return nil, err
	}
	list, err := q.ScreeningTable(ctx)
	var out [][]string
	for _, x := range list {
		closes := ""
		if x.SalesCloseMinutes != nil {
			closes = strconv.Itoa(*x.SalesCloseMinutes)
		}
		out = append(out, []string{x.Film, x.Version, x.Hall, startText(x.StartsAt, zone), strconv.Itoa(int(x.EndsAt.Sub(x.StartsAt).Minutes())), x.PriceList, x.Status, closes})
	}
	return out, err
}
