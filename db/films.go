package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Film is a film as the house keeps it.
type Film struct {
	ID          int64
	Title       string
	Certificate string
	RuntimeMin  int
	Genre       string
	Language    string
	Version     string // "Dubbed", "3D, subtitled"
	Distributor string // for reports, not for customers
	OpensOn     *time.Time
	Blurb       string
	HasPoster   bool
	Archived    bool
	Revision    int
}

const filmSQL = `
SELECT id, title, certificate, runtime_min, genre, language, version, distributor, opens_on, blurb,
       poster IS NOT NULL AS has_poster, archived_at IS NOT NULL AS archived, revision
  FROM films WHERE id = @id`

// Film reads one; domain.ErrNotFound.
func (q Queries) Film(ctx context.Context, id int64) (Film, error) {
	return row[Film](ctx, q.q, filmSQL, pgx.StrictNamedArgs{"id": id})
}

// FilmLine is one film of a list.
type FilmLine struct {
	ID          int64
	Title       string
	Certificate string
	RuntimeMin  int
	Language    string
	Version     string
	Distributor string
	OpensOn     *time.Time
	HasPoster   bool
	Archived    bool
	Revision    int
	Coming      int        // screenings to come, drafts among them
	Next        *time.Time // the first of them
}

const filmsSQL = `
SELECT f.id, f.title, f.certificate, f.runtime_min, f.language, f.version, f.distributor, f.opens_on,
       f.poster IS NOT NULL AS has_poster, f.archived_at IS NOT NULL AS archived, f.revision, c.coming, c.next
  FROM films f
 CROSS JOIN LATERAL (
       SELECT count(*) AS coming, min(e.starts_at) AS next
         FROM events e WHERE e.film_id = f.id AND e.status <> 'cancelled' AND e.starts_at > now()) c
 WHERE (f.archived_at IS NOT NULL) = @archived
   AND (@find = '' OR strpos(lower(concat_ws(' ', f.title, f.distributor, f.genre, f.language, f.version)), lower(@find)) > 0)
 ORDER BY (c.coming > 0) DESC, c.next, lower(f.title), f.id
 LIMIT @max OFFSET @skip`

// Films lists films, those with screenings to come first. find "" finds all.
func (q Queries) Films(ctx context.Context, find string, archived bool, skip, most int) ([]FilmLine, error) {
	return rows[FilmLine](ctx, q.q, filmsSQL, pgx.StrictNamedArgs{"find": find, "archived": archived, "skip": skip, "max": most})
}

const filmUseSQL = `
SELECT count(*) AS all, count(*) FILTER (WHERE status <> 'cancelled' AND starts_at > now()) AS coming
  FROM events WHERE film_id = @id`

// Use is what leans on a film, place, route, hall or coach.
type Use struct {
	All    int // events ever, or routes and events for a place
	Coming int // events to come that are not cancelled
}

// FilmUse counts a film's screenings.
func (q Queries) FilmUse(ctx context.Context, id int64) (Use, error) {
	return row[Use](ctx, q.q, filmUseSQL, pgx.StrictNamedArgs{"id": id})
}

const lockFilmsSQL = `LOCK TABLE films IN SHARE ROW EXCLUSIVE MODE`

// LockFilms makes whoever adds or renames a film wait for the others.
func (t *Tx) LockFilms(ctx context.Context) error {
	_, err := exec(ctx, t.q, lockFilmsSQL, nil)
	return err
}

const filmNamedSQL = `
SELECT EXISTS (SELECT 1 FROM films WHERE id <> @id AND lower(title) = lower(@title) AND lower(version) = lower(@version))`

// FilmNamed tells whether another film has the title and version of this one.
func (t *Tx) FilmNamed(ctx context.Context, f Film) (bool, error) {
	return scalar[bool](ctx, t.q, filmNamedSQL, pgx.StrictNamedArgs{"id": f.ID, "title": f.Title, "version": f.Version})
}

const insertFilmSQL = `
INSERT INTO films (title, certificate, runtime_min, genre, language, version, distributor, opens_on, blurb)
VALUES (@title, @certificate, @runtime, @genre, @language, @version, @distributor, @opens_on, @blurb)
RETURNING id`

// InsertFilm stores a new film without its poster.
func (t *Tx) InsertFilm(ctx context.Context, f Film) (int64, error) {
	return scalar[int64](ctx, t.q, insertFilmSQL, filmArgs(f))
}

func filmArgs(f Film) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"title": f.Title, "certificate": f.Certificate, "runtime": f.RuntimeMin, "genre": f.Genre, "language": f.Language,
		"version": f.Version, "distributor": f.Distributor, "opens_on": f.OpensOn, "blurb": f.Blurb,
	}
}

const updateFilmSQL = `
UPDATE films
   SET title = @title, certificate = @certificate, runtime_min = @runtime, genre = @genre, language = @language, version = @version,
       distributor = @distributor, opens_on = @opens_on, blurb = @blurb, revision = revision + 1
 WHERE id = @id AND revision = @revision`

// UpdateFilm stores a film's words; false when somebody else changed it since f.Revision.
func (t *Tx) UpdateFilm(ctx context.Context, f Film) (bool, error) {
	args := filmArgs(f)
	args["id"], args["revision"] = f.ID, f.Revision
	n, err := exec(ctx, t.q, updateFilmSQL, args)
	return n == 1, err
}

const setPosterSQL = `UPDATE films SET poster = @poster, poster_type = @type WHERE id = @id`

// SetPoster puts a JPEG up as a film's poster, nil takes it down. The caller has
// changed the film in the same transaction, which guards its revision.
func (t *Tx) SetPoster(ctx context.Context, id int64, jpeg []byte) error {
	var kind *string
	if jpeg != nil {
		kind = new("image/jpeg")
	}
	_, err := exec(ctx, t.q, setPosterSQL, pgx.StrictNamedArgs{"id": id, "poster": jpeg, "type": kind})
	return err
}

const archiveFilmSQL = `
UPDATE films SET archived_at = CASE WHEN @away::bool THEN now() END, revision = revision + 1
 WHERE id = @id AND revision = @revision`

// ArchiveFilm puts a film away or takes it back; false when its revision is another.
func (t *Tx) ArchiveFilm(ctx context.Context, id int64, revision int, away bool) (bool, error) {
	n, err := exec(ctx, t.q, archiveFilmSQL, pgx.StrictNamedArgs{"id": id, "revision": revision, "away": away})
	return n == 1, err
}

const deleteFilmSQL = `DELETE FROM films WHERE id = @id AND revision = @revision`

// DeleteFilm deletes a film that nothing uses, domain.ErrConflict for the others;
// false when its revision is another.
func (t *Tx) DeleteFilm(ctx context.Context, id int64, revision int) (bool, error) {
	n, err := exec(ctx, t.q, deleteFilmSQL, pgx.StrictNamedArgs{"id": id, "revision": revision})
	return n == 1, err
}
