package handlers

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/format"
	"holdfast/internal/schedule"
	"holdfast/views"
)

// filmList lists films, those with screenings to come first.
func (s *site) filmList(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	k, a := kindOf(schedule.AFilm), readList(r)
	found, err := s.Schedule.HouseFilms(r.Context(), a.find, a.away, a.page)
	if err != nil {
		return err
	}
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	v := views.HouseList{Heading: "Films", Lede: "What is shown. A film in two versions, like dubbed and subtitled, stands here twice.", New: views.Link{Text: "Add a film"},
		Columns: []string{"Film", "Language", "Distributor", "Screenings to come"}}
	if found.More {
		v.MoreURL = a.url(k, a.page+1)
	}
	for _, f := range found.Films {
		row := views.HouseRow{ID: strconv.FormatInt(f.ID, 10), URL: k.url(f.ID), Name: f.Title, Detail: filmLength(f.Certificate, f.RuntimeMin),
			Cells: []views.HouseCell{{Text: f.Language, Small: f.Version}, {Text: f.Distributor, Small: opens(f.OpensOn)}, {Text: strconv.Itoa(f.Coming)}}}
		if f.Next != nil {
			row.Cells[2].Small = "next " + shortMoment(*f.Next, set)
		}
		if f.HasPoster {
			row.PosterURL = posterAt(f.ID, f.Revision)
		}
		v.Rows = append(v.Rows, row)
	}
	return s.houseList(w, r, who, k, a, v, "Add the first one; then its screenings can be planned.")
}

func filmLength(certificate string, minutes int) string {
	length := format.Span(time.Duration(minutes) * time.Minute)
	if certificate == "" {
		return length
	}
	return certificate + ", " + length
}

func opens(day *time.Time) string {
	if day == nil {
		return ""
	}
	return "opens " + format.Day(*day)
}

// posterAt is the poster's address for staff: another one after each change, so that
// no browser shows an old picture.
func posterAt(id int64, revision int) string {
	return posterURL(id) + "?v=" + strconv.Itoa(revision)
}

func (s *site) newFilm(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showFilm(w, r, who, schedule.Film{}, schedule.Use{}, false, freshForm(map[string]string{}))
}

func (s *site) filmPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "film")
	if err != nil {
		return err
	}
	f, use, err := s.Schedule.HouseFilm(r.Context(), id)
	if err != nil {
		return err
	}
	return s.showFilm(w, r, who, f, use, false, freshForm(schedule.FilmFormOf(f).Fields()))
}

// saveFilm adds a film or changes one.
func (s *site) saveFilm(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := houseID(r, kindOf(schedule.AFilm))
	if err != nil {
		return err
	}
	takeTime(w)
	fields, picture, large := parsePicture(r)
	if fields == nil || large != nil && !tooLarge(large) {
		return large
	}
	form := schedule.FilmForm{
		Title: fields.Get("title"), Certificate: fields.Get("certificate"), Runtime: fields.Get("runtime"), Genre: fields.Get("genre"), Language: fields.Get("language"),
		Version: fields.Get("version"), Distributor: fields.Get("distributor"), OpensOn: fields.Get("opens"), Blurb: fields.Get("blurb"),
		Picture: picture, NoPoster: fields.Get("no_poster") != "", Revision: revision(fields),
	}
	err = large
	if err == nil {
		var saved int64
		if saved, err = s.Schedule.SaveFilm(r.Context(), s.by(r, who), id, form); err == nil {
			return s.toHouse(w, r, kindOf(schedule.AFilm).url(saved), savedWord(id))
		}
	}
	return s.refuseFilm(w, r, who, id, form, err)
}

func tooLarge(err error) bool {
	var large *http.MaxBytesError
	return errors.As(err, &large)
}

func savedWord(id int64) string {
	if id == 0 {
		return "added"
	}
	return "saved"
}

func (s *site) refuseFilm(w http.ResponseWriter, r *http.Request, who access.Staff, id int64, form schedule.FilmForm, err error) error {
	var film schedule.Film
	var use schedule.Use
	if id != 0 {
		var gone error
		if film, use, gone = s.Schedule.HouseFilm(r.Context(), id); gone != nil {
			return gone
		}
	}
	status := 0
	if tooLarge(err) {
		status = http.StatusRequestEntityTooLarge
		err = schedule.InvalidForm{{Field: "poster", Words: "This picture is larger than 12 MB. Please make it smaller; 600 × 900 dots are all that is shown."}}
	}
	f, err := s.refused(r, form.Fields(), err, func() (map[string]string, error) { return schedule.FilmFormOf(film).Fields(), nil })
	if err != nil {
		return err
	}
	if status != 0 {
		f.status = status
	}
	if f.status != http.StatusConflict {
		film.Revision = form.Revision
	}
	if form.Picture != nil && f.wrong("poster") == "" {
		f.bad = append(f.bad, schedule.FieldError{Field: "poster", Words: "Please choose the picture once more: browsers forget it."})
	}
	return s.showFilm(w, r, who, film, use, form.NoPoster, f)
}

func (s *site) showFilm(w http.ResponseWriter, r *http.Request, who access.Staff, film schedule.Film, use schedule.Use, noPoster bool, f houseForm) error {
	k := kindOf(schedule.AFilm)
	head, err := s.houseHead(r, who, k, film.ID, film.Title, film.Revision, f)
	if err != nil {
		return err
	}
	head.Badge = away(k, film.Archived)
	v := views.StaffFilm{
		Head: head, NoPoster: noPoster, Versions: []string{"Original", "Original with subtitles", "Dubbed", "2D", "3D", "3D, dubbed", "IMAX", "Audio described", "Relaxed screening"},
		Fields: []views.HouseField{
			f.field(views.HouseField{Name: "title", Label: "Title", Max: "200", Must: true}),
			f.field(views.HouseField{Name: "runtime", Label: "Runtime", Hint: "Minutes, like 128, or 2:08.", Max: "12", Must: true}),
			f.field(views.HouseField{Name: "certificate", Label: "Certificate", Hint: "As it is printed: 12, PG, 18.", Max: "20"}),
			f.field(views.HouseField{Name: "genre", Label: "Genre", Max: "100"}),
			f.field(views.HouseField{Name: "language", Label: "Language", Hint: "Like “Tamil, English subtitles”.", Max: "100"}),
			f.field(views.HouseField{Name: "version", Label: "Version", Hint: "How it is shown: dubbed, 3D. Customers see it.", List: "versions", Max: "100"}),
			f.field(views.HouseField{Name: "distributor", Label: "Distributor", Hint: "For your reports. Customers do not see it.", Max: "200"}),
			f.field(views.HouseField{Name: "opens", Label: "Opening date", Type: "date"}),
		},
		Blurb: f.field(views.HouseField{Name: "blurb", Label: "What it is about", Type: "area", Max: "2000", Hint: "Two or three sentences for customers."}),
		Poster: f.field(views.HouseField{Name: "poster", Hint: "JPEG, PNG, WebP or GIF up to 12 MB, best 600 × 900 dots. " +
			"It is made small and upright here. Who saw the old one may see it for an hour more."}),
		Shelf: shelfView(k, film.ID, film.Revision, use, film.Archived),
	}
	if film.HasPoster {
		v.PosterURL = posterAt(film.ID, film.Revision)
	}
	s.render(w, r, f.status, views.StaffFilmPage(v))
	return nil
}
