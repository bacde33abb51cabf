package gtfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"holdfast/internal/csvfile"
)

// reading is a feed while it is read, with the ids of each kind.
type reading struct {
	*Feed
	ctx context.Context
	src *source

	agencies, stops, routes, services, trips map[string]int32
	times                                    []stopTime
	lost                                     []lostStop // the first unknown stop of each trip that has one
}

// lostStop is a trip's call at a stop that is not there.
type lostStop struct {
	trip, row int32
	stop      string
}

// Read reads a feed. Whatever is wrong with it stands in its Report; an error means
// that the zip could not be read on our side, or that ctx ended.
func Read(ctx context.Context, r io.ReaderAt, size int64) (*Feed, error) {
	in := &counted{r: r}
	f := &reading{
		Feed: &Feed{}, ctx: ctx,
		agencies: map[string]int32{}, stops: map[string]int32{}, routes: map[string]int32{}, services: map[string]int32{}, trips: map[string]int32{},
	}
	if f.src = openZip(in, size, &f.Report); f.src != nil && f.complete() {
		for _, step := range []func(){f.readAgencies, f.readStops, f.readRoutes, f.readCalendar, f.readDates, f.readTrips, f.readTimes, f.readFrequencies} {
			step()
			if in.err != nil || ctx.Err() != nil {
				break
			}
		}
	}
	if err := errors.Join(in.err, ctx.Err()); err != nil {
		return nil, fmt.Errorf("read the feed: %w", err)
	}
	if f.Report.Stopped() {
		return &Feed{Agencies: f.Agencies, Report: f.Report, TripRows: f.TripRows}, nil
	}
	f.keepSellable()
	return f.Feed, nil
}

// complete says whether all files are there; each that is missing is named.
func (f *reading) complete() bool {
	for _, name := range []string{"agency.txt", "stops.txt", "routes.txt", "trips.txt", "stop_times.txt"} {
		if f.src.files[name] == nil {
			f.Report.Add(csvfile.Stops, name, 0, "The file is missing: every feed needs it.", "")
		}
	}
	if f.src.files["calendar.txt"] == nil && f.src.files["calendar_dates.txt"] == nil {
		f.Report.Add(csvfile.Stops, "calendar.txt", 0, "The file is missing, and so is calendar_dates.txt: one of them must say on which days the trips run.", "")
	}
	return !f.Report.Stopped()
}

// table reads a file that is there row by row. needs are the columns it must have.
func (f *reading) table(name string, needs []string, most int, each func(row *csvfile.Reader)) {
	if f.src.files[name] == nil {
		return
	}
	file, err := f.src.open(name)
	if err != nil {
		f.Report.Add(csvfile.Stops, name, 0, "The zip is damaged: the file cannot be unpacked.", "")
		return
	}
	defer file.Close()
	t, err := csvfile.New(file, csvfile.Options{Comma: ','})
	if err != nil {
		f.unreadable(name, 1, err)
		return
	}
	if !f.columns(name, t, needs) {
		return
	}
	for rows := 0; ; rows++ {
		err := t.Next()
		if err == io.EOF {
			return
		}
		if rows >= most {
			f.Report.Add(csvfile.Stops, name, 0, fmt.Sprintf("The file has more than %d rows. Send the feed of one company.", most), "")
			return
		}
		if err != nil {
			f.unreadable(name, t.Row(), err)
			if !errors.Is(err, csvfile.ErrRow) {
				return
			}
			continue
		}
		if rows%4096 == 0 && f.ctx.Err() != nil {
			return
		}
		if t.More() {
			f.Report.Add(csvfile.Note, name, t.Row(), "Rows have more cells than the header has columns; what is beyond is not looked at.", "")
		}
		each(t)
	}
}

func (f *reading) columns(name string, t *csvfile.Reader, needs []string) bool {
	for _, twice := range t.Doubled {
		f.Report.Add(csvfile.Note, name, 1, "The header has a column twice; the first one counts.", twice)
	}
	ok := true
	for _, column := range needs {
		if !t.Has(column) {
			ok = false
			f.Report.Add(csvfile.Stops, name, 1, "The header lacks a column that is needed.", column)
		}
	}
	return ok
}

// unreadable stops the import: a row that is silently missing from a timetable would
// sell a coach on a day when none runs.
func (f *reading) unreadable(name string, row int, err error) {
	if errors.Is(err, csvfile.ErrRow) {
		f.Report.Add(csvfile.Stops, name, row, "A row cannot be read.", csvfile.Words(err))
		return
	}
	text := csvfile.Words(err)
	if strings.HasPrefix(text, "zip:") || strings.HasPrefix(text, "flate:") || errors.Is(err, io.ErrUnexpectedEOF) {
		text = "the zip is damaged here"
	}
	f.Report.Add(csvfile.Stops, name, row, "The file cannot be read to its end.", text)
}

// name keeps a new id and says where it stands; false for one that is missing or
// there already.
func (f *reading) name(ids map[string]int32, file string, row int, what, id string, rowOf func(int32) int32) (int32, bool) {
	if id == "" {
		f.Report.Add(csvfile.LeftOut, file, row, "Rows without "+what+" are left out.", "")
		return 0, false
	}
	if at, twice := ids[id]; twice {
		f.Report.Add(csvfile.Stops, file, row, "A key occurs twice: which row counts cannot be known.", fmt.Sprintf("%s %s, also in row %d", what, short(id), rowOf(at)))
		return 0, false
	}
	at := int32(len(ids))
	ids[strings.Clone(id)] = at
	return at, true
}

// short is a text of the feed as shown in a report.
func short(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}
