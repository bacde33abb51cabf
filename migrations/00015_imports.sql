-- +goose Up
-- Timetables and tables that come from elsewhere: what was sent, and the names that the
-- other side has for what was made of it, so that sending it again changes and never doubles.

ALTER TABLE places ADD COLUMN external_id text;
ALTER TABLE places ADD COLUMN latitude double precision CHECK (latitude BETWEEN -90 AND 90);
ALTER TABLE places ADD COLUMN longitude double precision CHECK (longitude BETWEEN -180 AND 180);
ALTER TABLE places ADD CONSTRAINT places_located CHECK ((latitude IS NULL) = (longitude IS NULL));
CREATE UNIQUE INDEX places_external ON places (external_id) WHERE external_id IS NOT NULL;
COMMENT ON COLUMN places.external_id IS 'The stop''s key where it comes from: agency and stop_id of a GTFS feed.';

ALTER TABLE routes ADD COLUMN external_id text;
CREATE UNIQUE INDEX routes_external ON routes (external_id) WHERE external_id IS NOT NULL;
COMMENT ON COLUMN routes.external_id IS 'Agency, route_id and a hash of the stops: one GTFS route with several ways to go is several routes here.';

ALTER TABLE events ADD COLUMN external_id text;
CREATE UNIQUE INDEX events_external ON events (external_id) WHERE external_id IS NOT NULL;
COMMENT ON COLUMN events.external_id IS 'Agency, trip_id and service day of a GTFS feed; with the time where the trip departs several times a day.';

CREATE TABLE imports (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind       text NOT NULL CHECK (kind IN ('gtfs', 'films', 'screenings', 'fares')),
  name       text NOT NULL,            -- of the file, as the browser told it
  actor      text NOT NULL,
  bytes      bigint,                   -- NULL while it is still coming in
  created_at timestamptz NOT NULL DEFAULT now(),
  done_at    timestamptz,
  result     jsonb
);
CREATE INDEX imports_created ON imports (created_at);
COMMENT ON TABLE imports IS 'Files that staff sent, kept between the preview and the import. Their content goes after a day, the line stays.';

CREATE TABLE import_parts (
  import_id bigint NOT NULL REFERENCES imports ON DELETE CASCADE,
  part_no   int NOT NULL CHECK (part_no >= 0),
  body      bytea NOT NULL,
  PRIMARY KEY (import_id, part_no)
);
ALTER TABLE import_parts ALTER COLUMN body SET STORAGE EXTERNAL;
COMMENT ON TABLE import_parts IS 'The file in pieces of one size but for the last, so that no process holds it whole. Zips do not compress: stored as they are.';
