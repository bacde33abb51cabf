package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

type layoutHead struct {
	ID      int64
	Name    string
	Vehicle bool
	Decks   []string
}

const layoutHeadSQL = `
SELECT v.id, l.name, l.vehicle, v.decks
  FROM layout_versions v JOIN layouts l ON l.id = v.layout_id
 WHERE v.id = @id`

const layoutZonesSQL = `SELECT zone_no AS no, name FROM layout_zones WHERE layout_version_id = @id ORDER BY zone_no`

const layoutCellsSQL = `
SELECT deck, grid_row AS row, grid_col AS col, kind, coalesce(seat_no, '') AS seat_no, section, row_label, number, printed,
       coalesce(zone_no, 0) AS zone, ladies, restricted, half
  FROM layout_cells WHERE layout_version_id = @id
 ORDER BY deck, grid_row, grid_col`

// Layout reads one version of a seat plan; domain.ErrNotFound. A version that an
// event pins never changes, so callers may keep it.
func (q Queries) Layout(ctx context.Context, versionID int64) (*domain.Layout, error) {
	args := pgx.StrictNamedArgs{"id": versionID}
	head, err := row[layoutHead](ctx, q.q, layoutHeadSQL, args)
	if err != nil {
		return nil, err
	}
	l := &domain.Layout{VersionID: head.ID, Name: head.Name, Vehicle: head.Vehicle, Decks: head.Decks}
	if l.Zones, err = rows[domain.Zone](ctx, q.q, layoutZonesSQL, args); err != nil {
		return nil, err
	}
	l.Cells, err = rows[domain.Cell](ctx, q.q, layoutCellsSQL, args)
	return l, err
}

const insertLayoutSQL = `INSERT INTO layouts (name, vehicle) VALUES (@name, @vehicle) RETURNING id`

const insertLayoutVersionSQL = `
INSERT INTO layout_versions (layout_id, version, decks)
SELECT @layout, coalesce(max(version), 0) + 1, @decks FROM layout_versions WHERE layout_id = @layout
RETURNING id`

const insertLayoutZonesSQL = `
INSERT INTO layout_zones (layout_version_id, zone_no, name)
SELECT @version, no, name FROM unnest(@nos::smallint[], @names::text[]) AS u(no, name)`

const insertLayoutCellsSQL = `
INSERT INTO layout_cells (layout_version_id, deck, grid_row, grid_col, kind, seat_no, section, row_label, number, printed, zone_no, ladies, restricted, half)
SELECT @version, (c->>'Deck')::smallint, (c->>'Row')::smallint, (c->>'Col')::smallint, c->>'Kind', nullif(c->>'SeatNo', ''),
       c->>'Section', c->>'RowLabel', c->>'Number', c->>'Printed', nullif((c->>'Zone')::smallint, 0), (c->>'Ladies')::boolean, (c->>'Restricted')::boolean,
       coalesce((c->>'Half')::boolean, false)
  FROM jsonb_array_elements(@cells::jsonb) AS c`

// InsertLayout stores a new layout with its first version and returns both ids.
// domain.ErrConflict: the name is in use, or a seat_no repeats.
func (t *Tx) InsertLayout(ctx context.Context, l *domain.Layout) (layoutID, versionID int64, err error) {
	layoutID, err = scalar[int64](ctx, t.q, insertLayoutSQL, pgx.StrictNamedArgs{"name": l.Name, "vehicle": l.Vehicle})
	if err != nil {
		return 0, 0, err
	}
	versionID, err = t.InsertLayoutVersion(ctx, layoutID, l)
	return layoutID, versionID, err
}

// InsertLayoutVersion stores the next version of a layout.
func (t *Tx) InsertLayoutVersion(ctx context.Context, layoutID int64, l *domain.Layout) (int64, error) {
	version, err := scalar[int64](ctx, t.q, insertLayoutVersionSQL, pgx.StrictNamedArgs{"layout": layoutID, "decks": l.Decks})
	if err != nil {
		return 0, err
	}
	var nos []int16
	var names []string
	for _, z := range l.Zones {
		nos, names = append(nos, int16(z.No)), append(names, z.Name)
	}
	if _, err := exec(ctx, t.q, insertLayoutZonesSQL, pgx.StrictNamedArgs{"version": version, "nos": nos, "names": names}); err != nil {
		return 0, err
	}
	_, err = exec(ctx, t.q, insertLayoutCellsSQL, pgx.StrictNamedArgs{"version": version, "cells": l.Cells})
	return version, err
}
