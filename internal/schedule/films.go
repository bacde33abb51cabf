package schedule

import (
	"context"
	"strconv"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Film is a film as the house keeps it.
type Film = db.Film

// FilmForm is a film as typed.
type FilmForm struct {
	Title, Certificate, Runtime, Genre, Language, Version, Distributor, OpensOn, Blurb string
	Picture                                                                            []byte // an uploaded file; nil keeps the poster
	NoPoster                                                                           bool   // take the poster down
	Revision                                                                           int
}

// FilmFormOf is the form of a film as it is stored.
func FilmFormOf(f Film) FilmForm {
	form := FilmForm{
		Title: f.Title, Certificate: f.Certificate, Runtime: strconv.Itoa(f.RuntimeMin), Genre: f.Genre, Language: f.Language, Version: f.Version,
		Distributor: f.Distributor, Blurb: f.Blurb, Revision: f.Revision,
	}
	if f.OpensOn != nil {
		form.OpensOn = f.OpensOn.Format(time.DateOnly)
	}
	return form
}

// Fields are the form's fields by name.
func (f FilmForm) Fields() map[string]string {
	return map[string]string{
		"title": f.Title, "certificate": f.Certificate, "runtime": f.Runtime, "genre": f.Genre, "language": f.Language, "version": f.Version,
		"distributor": f.Distributor, "opens": f.OpensOn, "blurb": f.Blurb,
	}
}

const longestFilm = 1000 // minutes

// read checks what was typed.
func (f FilmForm) read() (Film, error) {
	var bad InvalidForm
	film := Film{
		Title:       bad.text("title", f.Title, 200, "Please write the film’s title."),
		Certificate: bad.text("certificate", f.Certificate, 20, ""),
		Genre:       bad.text("genre", f.Genre, 100, ""),
		Language:    bad.text("language", f.Language, 100, ""),
		Version:     bad.text("version", f.Version, 100, ""),
		Distributor: bad.text("distributor", f.Distributor, 200, ""),
		Blurb:       bad.paragraphs("blurb", f.Blurb, 2000),
		Revision:    f.Revision,
	}
	minutes, err := domain.ParseOffset(f.Runtime)
	if err != nil || minutes < 1 || minutes > longestFilm {
		bad.wrong("runtime", "Please write how long it runs: minutes, like 128, or hours and minutes, like 2:08.")
	}
	film.RuntimeMin = minutes
	if typed := line(f.OpensOn); typed != "" {
		day, err := time.Parse(time.DateOnly, typed)
		if err != nil || day.Year() < 1890 || day.Year() > 2100 {
			bad.wrong("opens", "Please write the day like 2026-12-05.")
		}
		film.OpensOn = &day
	}
	return film, bad.err()
}

// FilmPage is one page of the list of films.
type FilmPage struct {
	Films []FilmLine
	More  bool // there is a next page
}

const filmsOnPage = 40

// HouseFilms lists the films whose title, distributor, genre or language has what was
// looked for, those with screenings to come first. Pages count from 0.
func (s *Service) HouseFilms(ctx context.Context, find string, archived bool, page int) (FilmPage, error) {
	list, err := s.db.Films(ctx, line(find), archived, page*filmsOnPage, filmsOnPage+1)
	if err != nil || len(list) <= filmsOnPage {
		return FilmPage{Films: list}, err
	}
	return FilmPage{Films: list[:filmsOnPage], More: true}, nil
}

// HouseFilm reads a film and what uses it; domain.ErrNotFound.
func (s *Service) HouseFilm(ctx context.Context, id int64) (Film, Use, error) {
	f, err := s.db.Film(ctx, id)
	if err != nil {
		return f, Use{}, err
	}
	use, err := s.db.FilmUse(ctx, id)
	return f, use, err
}

// SaveFilm stores a new film, id 0, or changes one. InvalidForm: what to mend.
// domain.ErrStale: somebody else changed it since the form's revision.
func (s *Service) SaveFilm(ctx context.Context, by domain.By, id int64, form FilmForm) (int64, error) {
	film, err := form.read()
	jpeg, err := s.picture(form.Picture, err)
	if err != nil {
		return id, err
	}
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		film.ID = id // again, when this runs again
		if err := onlyFilm(ctx, t, film); err != nil {
			return err
		}
		was, err := storeFilm(ctx, t, &film)
		if err != nil {
			return err
		}
		poster := ""
		if jpeg != nil || form.NoPoster {
			if err := t.SetPoster(ctx, film.ID, jpeg); err != nil {
				return err
			}
			poster = "changed"
			if jpeg == nil {
				poster = "taken down"
			}
		}
		return logFilm(ctx, t, by, was, film, poster)
	})
	return film.ID, err
}

// picture makes the poster of an upload and adds what is wrong with it to the rest.
func (s *Service) picture(file []byte, bad error) ([]byte, error) {
	if file == nil {
		return nil, bad
	}
	jpeg, err := s.posters.Make(file)
	list, isForm := asForm(bad)
	rule, isRule := asRule(err)
	switch {
	case isRule && (isForm || bad == nil):
		return nil, append(list, FieldError{"poster", rule.Words})
	case bad != nil:
		return nil, bad
	}
	return jpeg, err
}

// storeFilm writes the words and answers what was there before, nil for a new film.
// onlyFilm refuses a title and version that another film has: tables know a film by them,
// and a form sent twice would make two.
func onlyFilm(ctx context.Context, t *db.Tx, film Film) error {
	if err := t.LockFilms(ctx); err != nil {
		return err
	}
	taken, err := t.FilmNamed(ctx, film)
	if err == nil && taken {
		err = InvalidForm{{"title", "There is a film with this title and version already. Say in Version what is different about this one."}}
	}
	return err
}

func storeFilm(ctx context.Context, t *db.Tx, film *Film) (*Film, error) {
	if film.ID == 0 {
		var err error
		film.ID, err = t.InsertFilm(ctx, *film)
		return nil, err
	}
	was, err := t.Film(ctx, film.ID)
	if err != nil {
		return nil, err
	}
	done, err := t.UpdateFilm(ctx, *film)
	if err == nil && !done {
		err = domain.ErrStale
	}
	return &was, err
}

func logFilm(ctx context.Context, t *db.Tx, by domain.By, was *Film, is Film, poster string) error {
	after := FilmFormOf(is).Fields()
	if was == nil {
		return t.Log(ctx, by, "film_added", subject(AFilm, is.ID), nil, after)
	}
	before, after := changed(FilmFormOf(*was).Fields(), after)
	if poster != "" {
		after["poster"] = poster
	}
	if len(after) == 0 { // saved as it was
		return nil
	}
	return t.Log(ctx, by, "film_changed", subject(AFilm, is.ID), before, after)
}
