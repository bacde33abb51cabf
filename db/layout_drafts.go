package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// LayoutDraft is the working copy of a layout.
type LayoutDraft struct {
	LayoutID int64
	BasedOn  int // the version it began from, 0 for none
	Plan     *domain.Layout
	Undo     bool   // one step back is possible
	Form     []byte // JSON of what was typed, nil when there was no form
	Revision int
	Who      string
	EditedAt time.Time
}

const layoutDraftSQL = `
SELECT d.layout_id, d.based_on, d.plan, d.was IS NOT NULL AS undo, d.form, d.revision, coalesce(s.name, d.edited_by) AS who, d.edited_at
  FROM layout_drafts d LEFT JOIN staff s ON d.edited_by = 'staff:' || s.id
 WHERE d.layout_id = @layout`

// LayoutDraft reads it; domain.ErrNotFound.
func (q Queries) LayoutDraft(ctx context.Context, layoutID int64) (LayoutDraft, error) {
	x, err := row[struct {
		LayoutID int64
		BasedOn  int
		Plan     []byte
		Undo     bool
		Form     []byte
		Revision int
		Who      string
		EditedAt time.Time
	}](ctx, q.q, layoutDraftSQL, pgx.StrictNamedArgs{"layout": layoutID})
	if err != nil {
		return LayoutDraft{}, err
	}
	d := LayoutDraft{LayoutID: x.LayoutID, BasedOn: x.BasedOn, Plan: &domain.Layout{}, Undo: x.Undo, Form: x.Form, Revision: x.Revision, Who: x.Who, EditedAt: x.EditedAt}
	return d, json.Unmarshal(x.Plan, d.Plan)
}

const insertNewLayoutSQL = `INSERT INTO layouts (name, vehicle) VALUES (@name, @vehicle) RETURNING id`

// InsertNewLayout makes a layout without any version: a draft follows.
// domain.ErrConflict: the name is in use.
func (t *Tx) InsertNewLayout(ctx context.Context, name string, vehicle bool) (int64, error) {
	return scalar[int64](ctx, t.q, insertNewLayoutSQL, pgx.StrictNamedArgs{"name": name, "vehicle": vehicle})
}

const insertLayoutDraftSQL = `
INSERT INTO layout_drafts (layout_id, based_on, plan, form, edited_by) VALUES (@layout, @based_on, @plan, @form, @actor)`

// InsertLayoutDraft begins one; domain.ErrConflict when there is one.
func (t *Tx) InsertLayoutDraft(ctx context.Context, layoutID int64, basedOn int, plan *domain.Layout, form []byte, actor string) error {
	_, err := exec(ctx, t.q, insertLayoutDraftSQL, pgx.StrictNamedArgs{"layout": layoutID, "based_on": basedOn, "plan": plan, "form": form, "actor": actor})
	return err
}

const saveLayoutDraftSQL = `
UPDATE layout_drafts SET plan = @plan, was = plan, form = @form, revision = revision + 1, edited_by = @actor, edited_at = now()
 WHERE layout_id = @layout AND revision = @revision`

// SaveLayoutDraft stores the next state of a draft whose revision still is the one
// given; domain.ErrStale.
func (t *Tx) SaveLayoutDraft(ctx context.Context, d LayoutDraft, actor string) error {
	n, err := exec(ctx, t.q, saveLayoutDraftSQL, pgx.StrictNamedArgs{"layout": d.LayoutID, "revision": d.Revision, "plan": d.Plan, "form": d.Form, "actor": actor})
	return staleUnlessOne(n, err)
}

const undoLayoutDraftSQL = `
UPDATE layout_drafts SET plan = was, was = plan, revision = revision + 1, edited_by = @actor, edited_at = now()
 WHERE layout_id = @layout AND revision = @revision AND was IS NOT NULL`

// UndoLayoutDraft swaps the draft with what it was before the last change;
// domain.ErrStale when it has another revision or nothing to go back to.
func (t *Tx) UndoLayoutDraft(ctx context.Context, layoutID int64, revision int, actor string) error {
	n, err := exec(ctx, t.q, undoLayoutDraftSQL, pgx.StrictNamedArgs{"layout": layoutID, "revision": revision, "actor": actor})
	return staleUnlessOne(n, err)
}

const endLayoutDraftSQL = `DELETE FROM layout_drafts WHERE layout_id = @layout AND revision = @revision`

// EndLayoutDraft takes a draft away: published or thrown away. Of two who do so at once
// the second waits and gets domain.ErrStale.
func (t *Tx) EndLayoutDraft(ctx context.Context, layoutID int64, revision int) error {
	n, err := exec(ctx, t.q, endLayoutDraftSQL, pgx.StrictNamedArgs{"layout": layoutID, "revision": revision})
	return staleUnlessOne(n, err)
}

const dropUnusedLayoutSQL = `
DELETE FROM layouts l WHERE l.id = @layout AND NOT EXISTS (SELECT 1 FROM layout_versions v WHERE v.layout_id = l.id)`

// DropUnusedLayout deletes a layout of which nothing was ever published, and no other.
func (t *Tx) DropUnusedLayout(ctx context.Context, layoutID int64) error {
	_, err := exec(ctx, t.q, dropUnusedLayoutSQL, pgx.StrictNamedArgs{"layout": layoutID})
	return err
}

func staleUnlessOne(n int64, err error) error {
	if err == nil && n != 1 {
		return domain.ErrStale
	}
	return err
}
