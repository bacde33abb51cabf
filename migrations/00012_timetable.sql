-- +goose Up
-- The timetable: no hall or coach is in two places at once, series, blocked seats.

CREATE EXTENSION IF NOT EXISTS btree_gist;

CREATE TABLE event_series (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rule       text NOT NULL,            -- RFC 5545, wall clock of the place
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE event_series IS 'What a weekly pattern made: its events can be changed together.';

ALTER TABLE events ADD COLUMN series_id bigint REFERENCES event_series;
ALTER TABLE events ADD COLUMN revision int NOT NULL DEFAULT 1;
ALTER TABLE events ADD COLUMN sales_close_counter int;
ALTER TABLE events ADD COLUMN sales_close_agent int;
ALTER TABLE events ADD COLUMN busy_until timestamptz;
CREATE INDEX events_series ON events (series_id, starts_at) WHERE series_id IS NOT NULL;
CREATE INDEX events_starts ON events (starts_at);
COMMENT ON COLUMN events.revision IS 'Grows with each change: a form that was opened before one is refused.';
COMMENT ON COLUMN events.sales_close_minutes IS 'Web: minutes before the start (screening) or the boarding stop''s departure (trip); NULL: the setting.';
COMMENT ON COLUMN events.sales_close_counter IS 'Counter: as sales_close_minutes; NULL: when the event ends.';
COMMENT ON COLUMN events.sales_close_agent IS 'Agents and partners: as sales_close_minutes; NULL: as the web.';
COMMENT ON COLUMN events.busy_until IS 'ends_at and the turnaround of the hall or coach as it was when the event was put there; a trigger keeps it.';

-- +goose StatementBegin
CREATE FUNCTION event_busy_until() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.busy_until IS NOT NULL AND (NEW.starts_at, NEW.ends_at) = (OLD.starts_at, OLD.ends_at)
     AND NEW.resource_id IS NOT DISTINCT FROM OLD.resource_id THEN
    RETURN NEW;
  END IF;
  NEW.busy_until := NEW.ends_at + make_interval(mins =>
    coalesce((SELECT turnaround_minutes FROM resources WHERE id = NEW.resource_id), 0));
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER events_busy_until BEFORE INSERT OR UPDATE OF starts_at, ends_at, resource_id ON events
  FOR EACH ROW EXECUTE FUNCTION event_busy_until();
UPDATE events SET ends_at = ends_at;
ALTER TABLE events ALTER COLUMN busy_until SET NOT NULL;

-- Checked at the end of a statement, so that a series may move as one.
ALTER TABLE events ADD CONSTRAINT events_no_overlap
  EXCLUDE USING gist (resource_id WITH =, tstzrange(starts_at, busy_until) WITH &&)
  WHERE (status <> 'cancelled') DEFERRABLE INITIALLY IMMEDIATE;

CREATE TABLE seat_blocks (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id   bigint NOT NULL REFERENCES events ON DELETE CASCADE,
  reason     text NOT NULL CHECK (reason <> ''),
  ends_at    timestamptz,              -- NULL: until somebody lifts it
  actor      text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX seat_blocks_event ON seat_blocks (event_id);
COMMENT ON TABLE seat_blocks IS 'Why seats are not for sale and until when. event_seats.held_until repeats ends_at: the seat statement reads one row.';

ALTER TABLE event_seats ADD COLUMN block_id bigint REFERENCES seat_blocks;
ALTER TABLE event_seats ADD CONSTRAINT event_seats_block CHECK (block_id IS NULL OR state = 'blocked');
COMMENT ON COLUMN event_seats.held_until IS 'When the state ends by itself: of a hold always, of a block when it has an end.';

ALTER TABLE mails ADD COLUMN was_at timestamptz;
COMMENT ON COLUMN mails.was_at IS 'Of a mail about a moved event: when it was to start before.';
