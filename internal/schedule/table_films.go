package schedule

import (
	"context"
	"strconv"
	"time"

	"holdfast/db"
	"holdfast/internal/csvfile"
	"holdfast/internal/domain"
)

// A film is known by its title and version, as people write them.
func filmsTable() table {
	return table{
		columns: []string{"title", "version", "runtime_min", "certificate", "genre", "language", "distributor", "opens_on", "blurb"},
		needs:   []string{"title", "runtime_min"},
		example: [][]string{
			{"Salt Road", "", "128", "12", "Drama", "Sinhala, English subtitles", "Island Pictures", "2026-12-04", "Two brothers carry salt across an island that no longer needs them."},
			{"Salt Road", "Dubbed", "128", "12", "Drama", "English", "Island Pictures", "2026-12-11", ""},
		},
		plan:   planFilms,
		export: exportFilms,
	}
}

func planFilms(ctx context.Context, q db.Queries, r *csvfile.Reader, _ domain.Settings, p *tablePlan) error {
	stored, err := q.FilmTable(ctx)
	if err != nil {
		return err
	}
	have := map[string]db.Film{}
	for _, f := range stored {
		have[key(f.Title, f.Version)] = f
	}
	seen := map[string]int{}
	var add, change []db.Film
	err = p.each(r, func(row int) error {
		f, err := readFilm(r)
		if err != nil {
			return err
		}
		k := key(f.Title, f.Version)
		if first, twice := seen[k]; twice {
			return wrong("A film is there twice: a title and version belong to one row.", f.Title+", also in row "+strconv.Itoa(first))
		}
		seen[k] = row
		was, known := have[k]
		if !known {
			add = append(add, f)
			p.line(row, true, filmText(f))
			return nil
		}
		f = keepMissing(r, f, was)
		if sameFilm(f, was) {
			p.Same++
			return nil
		}
		change = append(change, f)
		p.line(row, false, filmText(f))
		return nil
	})
	p.apply = func(ctx context.Context, t *db.Tx, by domain.By) error { return storeFilms(ctx, t, by, add, change) }
	return err
}

func readFilm(r *csvfile.Reader) (db.Film, error) {
	f := db.Film{
		Title: r.Get("title"), Version: r.Get("version"), Certificate: r.Get("certificate"), Genre: r.Get("genre"), Language: r.Get("language"),
		Distributor: r.Get("distributor"), Blurb: r.Get("blurb"),
	}
	if f.Title == "" {
		return f, wrong("A film needs a title.", "")
	}
	for _, x := range []struct {
		text, column string
		most         int
	}{{f.Title, "title", 200}, {f.Version, "version", 100}, {f.Certificate, "certificate", 20}, {f.Genre, "genre", 100}, {f.Language, "language", 100}, {f.Distributor, "distributor", 200}, {f.Blurb, "blurb", 2000}} {
		if err := within(x.text, x.most, x.column); err != nil {
			return f, err
		}
	}
	minutes, err := strconv.Atoi(r.Get("runtime_min"))
	if err != nil || minutes < 1 || minutes > 1000 {
		return f, wrong("The runtime_min is not a number of minutes from 1 to 1000.", cut(r.Get("runtime_min"), 40))
	}
	f.RuntimeMin = minutes
	if text := r.Get("opens_on"); text != "" {
		day, err := parseDate(text)
		if err != nil {
			return f, err
		}
		f.OpensOn = &day
	}
	return f, nil
}

// keepMissing keeps what the table has no column for.
func keepMissing(r *csvfile.Reader, f, was db.Film) db.Film {
	f.ID, f.Revision, f.Title, f.Version = was.ID, was.Revision, was.Title, was.Version
	for column, keep := range map[string]func(){
		"certificate": func() { f.Certificate = was.Certificate }, "genre": func() { f.Genre = was.Genre }, "language": func() { f.Language = was.Language },
		"distributor": func() { f.Distributor = was.Distributor }, "blurb": func() { f.Blurb = was.Blurb }, "opens_on": func() { f.OpensOn = was.OpensOn },
	} {
		if !r.Has(column) {
			keep()
		}
	}
	return f
}

func sameFilm(a, b db.Film) bool {
	opens := a.OpensOn == nil && b.OpensOn == nil || a.OpensOn != nil && b.OpensOn != nil && a.OpensOn.Equal(*b.OpensOn)
	return opens && a.Certificate == b.Certificate && a.RuntimeMin == b.RuntimeMin && a.Genre == b.Genre && a.Language == b.Language &&
		a.Distributor == b.Distributor && a.Blurb == b.Blurb
}

func filmText(f db.Film) string {
	name := f.Title
	if f.Version != "" {
		name += " (" + f.Version + ")"
	}
	return name + ", " + strconv.Itoa(f.RuntimeMin) + " min"
}

func storeFilms(ctx context.Context, t *db.Tx, by domain.By, add, change []db.Film) error {
	for _, f := range add {
		id, err := t.InsertFilm(ctx, f)
		if err != nil {
			return err
		}
		if err := t.Log(ctx, by, "film_added", "film:"+strconv.FormatInt(id, 10), nil, map[string]string{"title": f.Title, "version": f.Version}); err != nil {
			return err
		}
	}
	for _, f := range change {
		was, err := t.Film(ctx, f.ID)
		if err != nil {
			return err
		}
		ok, err := t.UpdateFilm(ctx, f)
		if err != nil {
			return err
		}
		if !ok {
			return domain.ErrStale
		}
		if err := t.Log(ctx, by, "film_changed", "film:"+strconv.FormatInt(f.ID, 10), filmLog(was), filmLog(f)); err != nil {
			return err
		}
	}
	return nil
}

func filmLog(f db.Film) map[string]string {
	return map[string]string{
		"title": f.Title, "version": f.Version, "runtime_min": strconv.Itoa(f.RuntimeMin), "certificate": f.Certificate, "genre": f.Genre,
		"language": f.Language, "distributor": f.Distributor, "opens_on": dateText(f.OpensOn),
	}
}

func exportFilms(ctx context.Context, q db.Queries, _ domain.Settings) ([][]string, error) {
	stored, err := q.FilmTable(ctx)
	var out [][]string
	for _, f := range stored {
		if !f.Archived {
			out = append(out, []string{f.Title, f.Version, strconv.Itoa(f.RuntimeMin), f.Certificate, f.Genre, f.Language, f.Distributor, dateText(f.OpensOn), f.Blurb})
		}
	}
	return out, err
}

func dateText(day *time.Time) string {
	if day == nil {
		return ""
	}
	return day.Format("2006-01-02")
}
