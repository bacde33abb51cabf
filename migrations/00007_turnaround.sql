-- +goose Up
-- A hall is cleaned, a coach is turned round: the time it is not free after an event.
ALTER TABLE resources ADD COLUMN turnaround_minutes int NOT NULL DEFAULT 0 CHECK (turnaround_minutes BETWEEN 0 AND 1440);
ALTER TABLE resources ADD COLUMN revision int NOT NULL DEFAULT 1;
COMMENT ON COLUMN resources.revision IS 'Grows with each change: a form that was opened before one is refused.';
