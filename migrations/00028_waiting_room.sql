-- +goose Up
-- The waiting room: seats of an event that many want at once are handed out in turn.

CREATE SEQUENCE waitroom_late_seq;

CREATE TABLE waitroom_windows (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  begins_at    timestamptz NOT NULL,
  opens_at     timestamptz NOT NULL,
  ends_at      timestamptz NOT NULL,
  max_active   int NOT NULL CHECK (max_active BETWEEN 1 AND 100000),
  per_second   numeric(8, 4) NOT NULL CHECK (per_second > 0 AND per_second <= 1000),
  turn_seconds int NOT NULL CHECK (turn_seconds BETWEEN 60 AND 7200),
  per_address  int NOT NULL CHECK (per_address BETWEEN 0 AND 100000),
  ended        boolean NOT NULL DEFAULT false,
  revision     int NOT NULL DEFAULT 1,
  CHECK (begins_at <= opens_at AND opens_at < ends_at)
);
COMMENT ON TABLE waitroom_windows IS 'A time in which every event has a waiting room. The room of an event is made when the first visitor wants seats of it.';

CREATE TABLE waitrooms (
  event_id     bigint PRIMARY KEY REFERENCES events ON DELETE CASCADE,
  cause        text NOT NULL CHECK (cause IN ('staff', 'window', 'load')),
  window_id    bigint REFERENCES waitroom_windows ON DELETE SET NULL,
  state        text NOT NULL DEFAULT 'on' CHECK (state IN ('on', 'paused', 'ended')),
  begins_at    timestamptz NOT NULL,
  opens_at     timestamptz NOT NULL,
  ends_at      timestamptz,
  max_active   int NOT NULL CHECK (max_active BETWEEN 1 AND 100000),
  per_second   numeric(8, 4) NOT NULL CHECK (per_second > 0 AND per_second <= 1000),
  turn_seconds int NOT NULL CHECK (turn_seconds BETWEEN 60 AND 7200),
  per_address  int NOT NULL CHECK (per_address BETWEEN 0 AND 100000),
  tokens       float8 NOT NULL DEFAULT 0 CHECK (tokens >= 0),
  last_tick    timestamptz,
  revision     int NOT NULL DEFAULT 1,
  CHECK (begins_at <= opens_at AND (ends_at IS NULL OR opens_at < ends_at))
) WITH (fillfactor = 50);
COMMENT ON TABLE waitrooms IS 'One row per event that has or had a waiting room. Whoever admits locks it first: nothing else keeps max_active.';
COMMENT ON COLUMN waitrooms.tokens IS 'Admissions that per_second has allowed since last_tick and that nobody took; at most max_active.';

CREATE TABLE waitroom_entries (
  event_id     bigint NOT NULL REFERENCES waitrooms ON DELETE CASCADE,
  token_hash   bytea NOT NULL,
  address_hash bytea,
  holder       text,
  rank         bigint NOT NULL,
  state        text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'admitted', 'done', 'expired')),
  joined_at    timestamptz NOT NULL DEFAULT now(),
  here_until   timestamptz NOT NULL,
  admitted_at  timestamptz,
  expires_at   timestamptz,
  PRIMARY KEY (event_id, token_hash),
  CHECK ((state = 'waiting') = (admitted_at IS NULL)),
  CHECK ((admitted_at IS NULL) = (expires_at IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX waitroom_entries_line ON waitroom_entries (event_id, rank) WHERE state = 'waiting';
CREATE INDEX waitroom_entries_turns ON waitroom_entries (event_id, expires_at) WHERE state = 'admitted';
CREATE INDEX waitroom_entries_address ON waitroom_entries (event_id, address_hash) WHERE state IN ('waiting', 'admitted');
COMMENT ON TABLE waitroom_entries IS 'A browser''s place in line. Deleted a day after its room is over.';
COMMENT ON COLUMN waitroom_entries.rank IS 'Fixed when one joins: random below 1e9 before the opening, in order from there on.';
COMMENT ON COLUMN waitroom_entries.here_until IS 'Until then the visitor counts as present. Who is away keeps the rank and is passed over.';
COMMENT ON COLUMN waitroom_entries.address_hash IS 'The key of the connection, never the address itself; NULL where it may be a proxy''s.';
COMMENT ON COLUMN waitroom_entries.holder IS 'Which visitor used the turn: one turn is for one visitor, whose booking ends it.';
