package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// LayoutLine is one layout of the list, with the version that is in use now.
type LayoutLine struct {
	ID        int64
	Name      string
	Vehicle   bool
	VersionID int64 // of the newest version, 0 when none is published yet
	Version   int
	Places    int    // of that version
	Draft     bool   // somebody is drawing
	Resources string // names of the halls and coaches that have it
	Coming    int    // events to come that pin one of its versions
}

const layoutsSQL = `
SELECT l.id, l.name, l.vehicle, coalesce(v.id, 0) AS version_id, coalesce(v.version, 0) AS version,
       (SELECT count(*) FROM layout_cells c WHERE c.layout_version_id = v.id AND c.seat_no IS NOT NULL) AS places,
       EXISTS (SELECT 1 FROM layout_drafts d WHERE d.layout_id = l.id) AS draft,
       coalesce((SELECT string_agg(r.name, ', ' ORDER BY r.name) FROM resources r JOIN layout_versions x ON x.id = r.layout_version_id
                  WHERE x.layout_id = l.id), '') AS resources,
       (SELECT count(*) FROM events e JOIN layout_versions x ON x.id = e.layout_version_id
         WHERE x.layout_id = l.id AND e.status <> 'cancelled' AND e.starts_at > now()) AS coming
  FROM layouts l
  LEFT JOIN LATERAL (SELECT id, version FROM layout_versions v WHERE v.layout_id = l.id ORDER BY version DESC LIMIT 1) v ON true
 ORDER BY l.name, l.id`

// Layouts lists all of them by name. Those that were never published have VersionID 0:
// no hall can have them yet.
func (q Queries) Layouts(ctx context.Context) ([]LayoutLine, error) {
	return rows[LayoutLine](ctx, q.q, layoutsSQL, nil)
}

// LayoutVersion is one line of a layout's history.
type LayoutVersion struct {
	ID          int64
	Version     int
	Places      int
	Coming      int // events to come that pin it
	Events      int // all that ever did
	Who         string
	PublishedAt time.Time
}

const layoutVersionsSQL = `
SELECT v.id, v.version, v.created_at AS published_at, coalesce(s.name, v.published_by) AS who,
       (SELECT count(*) FROM layout_cells c WHERE c.layout_version_id = v.id AND c.seat_no IS NOT NULL) AS places,
       count(e.id) FILTER (WHERE e.status <> 'cancelled' AND e.starts_at > now()) AS coming, count(e.id) AS events
  FROM layout_versions v
  LEFT JOIN staff s ON v.published_by = 'staff:' || s.id
  LEFT JOIN events e ON e.layout_version_id = v.id
 WHERE v.layout_id = @layout
 GROUP BY v.id, s.name
 ORDER BY v.version DESC`

// LayoutVersions lists what was published of a layout, the newest first.
func (q Queries) LayoutVersions(ctx context.Context, layoutID int64) ([]LayoutVersion, error) {
	return rows[LayoutVersion](ctx, q.q, layoutVersionsSQL, pgx.StrictNamedArgs{"layout": layoutID})
}

const layoutNameSQL = `SELECT name, vehicle FROM layouts WHERE id = @layout`

// LayoutName is the layout's name and whether it is a coach; domain.ErrNotFound.
func (q Queries) LayoutName(ctx context.Context, layoutID int64) (name string, vehicle bool, err error) {
	x, err := row[struct {
		Name    string
		Vehicle bool
	}](ctx, q.q, layoutNameSQL, pgx.StrictNamedArgs{"layout": layoutID})
	return x.Name, x.Vehicle, err
}

const layoutResourcesSQL = `
SELECT count(*) FROM resources r JOIN layout_versions v ON v.id = r.layout_version_id
 WHERE v.layout_id = @layout AND r.retired_at IS NULL`

// LayoutResources is how many halls or coaches in use have one of its versions.
func (q Queries) LayoutResources(ctx context.Context, layoutID int64) (int, error) {
	return scalar[int](ctx, q.q, layoutResourcesSQL, pgx.StrictNamedArgs{"layout": layoutID})
}

const layoutFormSQL = `SELECT form FROM layout_versions WHERE layout_id = @layout AND version = @version`

// LayoutForm is what was typed for a version, nil when it was not made by the form.
// domain.ErrNotFound: the layout has no such version.
func (q Queries) LayoutForm(ctx context.Context, layoutID int64, version int) ([]byte, error) {
	return scalar[[]byte](ctx, q.q, layoutFormSQL, pgx.StrictNamedArgs{"layout": layoutID, "version": version})
}

const layoutVersionIDSQL = `SELECT id FROM layout_versions WHERE layout_id = @layout AND version = @version`

// LayoutByVersion reads a version by its number; domain.ErrNotFound.
func (q Queries) LayoutByVersion(ctx context.Context, layoutID int64, version int) (*domain.Layout, error) {
	id, err := scalar[int64](ctx, q.q, layoutVersionIDSQL, pgx.StrictNamedArgs{"layout": layoutID, "version": version})
	if err != nil {
		return nil, err
	}
	return q.Layout(ctx, id)
}

const renameLayoutSQL = `UPDATE layouts SET name = @name WHERE id = @layout AND name = @was`

// RenameLayout changes the name if it still is was, else domain.ErrStale;
// domain.ErrConflict: another layout has it.
func (t *Tx) RenameLayout(ctx context.Context, layoutID int64, was, name string) error {
	n, err := exec(ctx, t.q, renameLayoutSQL, pgx.StrictNamedArgs{"layout": layoutID, "was": was, "name": name})
	if err == nil && n == 0 {
		return domain.ErrStale
	}
	return err
}

const signLayoutVersionSQL = `UPDATE layout_versions SET published_by = @actor, form = @form WHERE id = @version`

// SignLayoutVersion notes who published a version, and from what form, in the
// transaction that inserted it.
func (t *Tx) SignLayoutVersion(ctx context.Context, versionID int64, actor string, form []byte) error {
	_, err := exec(ctx, t.q, signLayoutVersionSQL, pgx.StrictNamedArgs{"version": versionID, "actor": actor, "form": form})
	return err
}

const useLayoutVersionSQL = `
UPDATE resources r SET layout_version_id = @version, revision = r.revision + 1
  FROM layout_versions old
 WHERE old.id = r.layout_version_id AND old.layout_id = @layout AND old.id <> @version`

// UseLayoutVersion gives the halls and coaches of the layout this version of it.
func (t *Tx) UseLayoutVersion(ctx context.Context, layoutID, versionID int64) error {
	_, err := exec(ctx, t.q, useLayoutVersionSQL, pgx.StrictNamedArgs{"layout": layoutID, "version": versionID})
	return err
}
