package schedule

import (
	"context"
	"errors"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Kind is a kind of thing that the house keeps, edits and puts away. Subjects in the
// audit log begin with it.
type Kind string

// The kinds.
const (
	AFilm     Kind = "film"
	APlace    Kind = "place"
	ARoute    Kind = "route"
	AResource Kind = "resource"
)

// Act is what can be done with a whole thing.
type Act string

// The acts. Archived things are offered for nothing new; what uses them stays as it is.
const (
	Archive Act = "archive"
	Restore Act = "restore"
	Delete  Act = "delete"
)

// Use is what leans on a thing.
type Use = db.Use

// shelf is how one kind is kept.
type shelf struct {
	name    func(*db.Tx, context.Context, int64) (string, error)
	archive func(*db.Tx, context.Context, int64, int, bool) (bool, error)
	del     func(*db.Tx, context.Context, int64, int) (bool, error)
	inUse   string // why it cannot be deleted
}

func shelfOf(k Kind) shelf {
	switch k {
	case AFilm:
		return shelf{filmName, (*db.Tx).ArchiveFilm, (*db.Tx).DeleteFilm,
			"This film has screenings, past or to come, so it cannot be deleted. Archive it instead: it is then offered for no new screenings."}
	case APlace:
		return shelf{placeName, (*db.Tx).ArchivePlace, (*db.Tx).DeletePlace,
			"A route or a trip stops here, so the place cannot be deleted. Archive it instead: it is then offered for no new stops."}
	case ARoute:
		return shelf{routeName, (*db.Tx).ArchiveRoute, (*db.Tx).DeleteRoute,
			"This route has trips, past or to come, so it cannot be deleted. Archive it instead: it is then offered for no new trips."}
	}
	return shelf{resourceName, (*db.Tx).RetireResource, (*db.Tx).DeleteResource,
		"Events were or are to be held here, so it cannot be deleted. Retire it instead: it is then offered for no new events."}
}

func filmName(t *db.Tx, ctx context.Context, id int64) (string, error) {
	f, err := t.Film(ctx, id)
	return f.Title, err
}

func placeName(t *db.Tx, ctx context.Context, id int64) (string, error) {
	p, err := t.StopPlace(ctx, id)
	return p.Name, err
}

func routeName(t *db.Tx, ctx context.Context, id int64) (string, error) {
	r, err := t.Route(ctx, id)
	return r.Name, err
}

func resourceName(t *db.Tx, ctx context.Context, id int64) (string, error) {
	r, err := t.Resource(ctx, id)
	return r.Name, err
}

// Shelve archives, restores or deletes a thing as it was at revision. *domain.RuleError:
// it is in use and cannot be deleted. domain.ErrStale: somebody changed it since.
func (s *Service) Shelve(ctx context.Context, by domain.By, k Kind, id int64, revision int, act Act) error {
	kept := shelfOf(k)
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		name, err := kept.name(t, ctx, id)
		if err != nil {
			return err
		}
		var done bool
		if act == Delete {
			done, err = kept.del(t, ctx, id, revision)
		} else {
			done, err = kept.archive(t, ctx, id, revision, act == Archive)
		}
		if err != nil {
			return err
		}
		if !done {
			return domain.ErrStale
		}
		was := map[string]string{"name": name}
		if act == Delete {
			return t.Log(ctx, by, string(k)+"_deleted", subject(k, id), was, nil)
		}
		return t.Log(ctx, by, string(k)+"_"+string(act)+"d", subject(k, id), nil, was)
	})
	if act == Delete && isConflict(err) {
		return &domain.RuleError{Code: "in_use", Words: kept.inUse}
	}
	return err
}

func isConflict(err error) bool { return errors.Is(err, domain.ErrConflict) }

func asForm(err error) (InvalidForm, bool) {
	var list InvalidForm
	ok := errors.As(err, &list)
	return list, ok
}

func asRule(err error) (*domain.RuleError, bool) {
	var rule *domain.RuleError
	ok := errors.As(err, &rule)
	return rule, ok
}
