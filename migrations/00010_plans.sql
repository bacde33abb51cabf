-- +goose Up
-- Seat plans are drawn as drafts and published as versions; rows may be set in by half a seat.

ALTER TABLE layout_cells ADD COLUMN half boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN layout_cells.half IS 'Stands half a step to the right of its column; alike for all cells of a row.';

ALTER TABLE layout_versions ADD COLUMN published_by text NOT NULL DEFAULT '';   -- staff:7, '' for a version of the demo
ALTER TABLE layout_versions ADD COLUMN form jsonb;
COMMENT ON COLUMN layout_versions.form IS 'What was typed into the form that the plan began with, so that a new draft opens it again; NULL when there was none.';

CREATE TABLE layout_drafts (
  layout_id bigint PRIMARY KEY REFERENCES layouts ON DELETE CASCADE,
  based_on  int NOT NULL DEFAULT 0,    -- the version it began from, 0 for none
  plan      jsonb NOT NULL,
  was       jsonb,
  form      jsonb,
  revision  int NOT NULL DEFAULT 1,
  edited_by text NOT NULL DEFAULT '',
  edited_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE layout_drafts IS 'The working copy of a plan, at most one for each layout. Publishing makes it a version and ends it.';
COMMENT ON COLUMN layout_drafts.was IS 'The plan before the last change, for one step back.';
