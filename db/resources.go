package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Resource is a hall or a coach with its plan.
type Resource struct {
	ID                int64
	Kind              string // hall or coach
	Name              string
	Note              string
	LayoutVersionID   int64
	TurnaroundMinutes int
	ManifestEmail     string // where the lists of passengers go; "" is the setting's
	Retired           bool
	Revision          int
	Layout            string // name of its plan
	Version           int    // of the plan
	Seats             int    // that can be sold
	Coming            int    // events to come, drafts among them
}

const resourceColumns = `
SELECT r.id, r.kind, r.name, r.note, r.layout_version_id, r.turnaround_minutes, r.manifest_email, r.retired_at IS NOT NULL AS retired, r.revision,
       l.name AS layout, v.version,
       (SELECT count(c.seat_no) FROM layout_cells c WHERE c.layout_version_id = v.id) AS seats,
       (SELECT count(*) FROM events e WHERE e.resource_id = r.id AND e.status <> 'cancelled' AND e.starts_at > now()) AS coming
  FROM resources r
  JOIN layout_versions v ON v.id = r.layout_version_id
  JOIN layouts l ON l.id = v.layout_id `

const resourceSQL = resourceColumns + `WHERE r.id = @id`

// Resource reads one; domain.ErrNotFound.
func (q Queries) Resource(ctx context.Context, id int64) (Resource, error) {
	return row[Resource](ctx, q.q, resourceSQL, pgx.StrictNamedArgs{"id": id})
}

const resourcesSQL = resourceColumns + `
 WHERE (r.retired_at IS NOT NULL) = @retired AND (@find = '' OR strpos(lower(concat_ws(' ', r.name, r.note, l.name)), lower(@find)) > 0)
 ORDER BY r.kind DESC, lower(r.name), r.id LIMIT 1000`

// Resources lists halls, then coaches, by name. find "" finds all.
func (q Queries) Resources(ctx context.Context, find string, retired bool) ([]Resource, error) {
	return rows[Resource](ctx, q.q, resourcesSQL, pgx.StrictNamedArgs{"find": find, "retired": retired})
}

const resourceUseSQL = `
SELECT count(*) AS all, count(*) FILTER (WHERE status <> 'cancelled' AND starts_at > now()) AS coming
  FROM events WHERE resource_id = @id`

// ResourceUse counts the events in a hall or coach.
func (q Queries) ResourceUse(ctx context.Context, id int64) (Use, error) {
	return row[Use](ctx, q.q, resourceUseSQL, pgx.StrictNamedArgs{"id": id})
}

const insertResourceSQL = `
INSERT INTO resources (kind, name, note, layout_version_id, turnaround_minutes, manifest_email)
VALUES (@kind, @name, @note, @layout, @turnaround, @manifest) RETURNING id`

// InsertResource stores a new hall or coach; domain.ErrConflict when the name is in use.
func (t *Tx) InsertResource(ctx context.Context, r Resource) (int64, error) {
	return scalar[int64](ctx, t.q, insertResourceSQL, pgx.StrictNamedArgs{
		"kind": r.Kind, "name": r.Name, "note": r.Note, "layout": r.LayoutVersionID, "turnaround": r.TurnaroundMinutes, "manifest": r.ManifestEmail,
	})
}

const updateResourceSQL = `
UPDATE resources
   SET name = @name, note = @note, layout_version_id = @layout, turnaround_minutes = @turnaround, manifest_email = @manifest, revision = revision + 1
 WHERE id = @id AND revision = @revision`

// UpdateResource stores a hall or coach, but for its kind; false when somebody else
// changed it since r.Revision, domain.ErrConflict when the name is in use.
func (t *Tx) UpdateResource(ctx context.Context, r Resource) (bool, error) {
	n, err := exec(ctx, t.q, updateResourceSQL, pgx.StrictNamedArgs{
		"id": r.ID, "revision": r.Revision, "name": r.Name, "note": r.Note, "layout": r.LayoutVersionID, "turnaround": r.TurnaroundMinutes, "manifest": r.ManifestEmail,
	})
	return n == 1, err
}

const retireResourceSQL = `
UPDATE resources SET retired_at = CASE WHEN @away::bool THEN now() END, revision = revision + 1
 WHERE id = @id AND revision = @revision`

// RetireResource takes a hall or coach out of use or back into it; false when its
// revision is another.
func (t *Tx) RetireResource(ctx context.Context, id int64, revision int, away bool) (bool, error) {
	n, err := exec(ctx, t.q, retireResourceSQL, pgx.StrictNamedArgs{"id": id, "revision": revision, "away": away})
	return n == 1, err
}

const deleteResourceSQL = `DELETE FROM resources WHERE id = @id AND revision = @revision`

// DeleteResource deletes a hall or coach without events, domain.ErrConflict for the
// others; false when its revision is another.
func (t *Tx) DeleteResource(ctx context.Context, id int64, revision int) (bool, error) {
	n, err := exec(ctx, t.q, deleteResourceSQL, pgx.StrictNamedArgs{"id": id, "revision": revision})
	return n == 1, err
}
