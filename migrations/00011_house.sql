-- +goose Up
-- What the owner edits and puts away: films, places, routes, halls and coaches.

ALTER TABLE films
  ADD COLUMN version     text NOT NULL DEFAULT '',
  ADD COLUMN distributor text NOT NULL DEFAULT '',
  ADD COLUMN opens_on    date,
  ADD COLUMN archived_at timestamptz,
  ADD COLUMN revision    int NOT NULL DEFAULT 1;
CREATE INDEX events_film ON events (film_id, starts_at) WHERE film_id IS NOT NULL;
COMMENT ON COLUMN films.version IS 'How it is shown, as customers read it: "Dubbed", "3D, subtitled".';
COMMENT ON COLUMN films.distributor IS 'For reports; customers do not see it.';
COMMENT ON COLUMN films.archived_at IS 'Put away: no new screenings, those that exist keep it.';

ALTER TABLE places
  ADD COLUMN position    int NOT NULL DEFAULT 0 CHECK (position BETWEEN 0 AND 9999),
  ADD COLUMN archived_at timestamptz,
  ADD COLUMN revision    int NOT NULL DEFAULT 1;
COMMENT ON COLUMN places.position IS 'Place in lists, the lowest first; alike: in the order of travel.';

ALTER TABLE routes
  ADD COLUMN archived_at timestamptz,
  ADD COLUMN revision    int NOT NULL DEFAULT 1;
CREATE INDEX events_route ON events (route_id, starts_at) WHERE route_id IS NOT NULL;

ALTER TABLE route_stops ADD COLUMN zone text NOT NULL DEFAULT '';
COMMENT ON COLUMN route_stops.zone IS 'Fare zone of the stop, "" for none.';
CREATE INDEX route_stops_place ON route_stops (place_id);

ALTER TABLE resources ADD COLUMN retired_at timestamptz;
COMMENT ON COLUMN resources.retired_at IS 'Out of use: no new events, those that exist keep it.';
