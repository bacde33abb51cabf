-- +goose Up
-- What is sold: settings, people, plans, prices, events.

CREATE TABLE settings (
  key        text PRIMARY KEY CHECK (key ~ '^[a-z][a-z0-9_]*$'),
  value      text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE settings IS 'Business settings as the owner set them; a missing key means the default in internal/domain/settings.go.';

CREATE TABLE sessions (
  token  text PRIMARY KEY,
  data   bytea NOT NULL,
  expiry timestamptz NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expiry);
COMMENT ON TABLE sessions IS 'scs sessions; token is a hash, the cookie alone is no use to a reader of this table.';

CREATE TABLE staff (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email         text NOT NULL CHECK (email = lower(email) AND email LIKE '_%@_%'),
  name          text NOT NULL,
  role          text NOT NULL CHECK (role IN ('owner', 'manager', 'cashier', 'steward')),
  password_hash text NOT NULL,
  totp_secret   text,
  disabled_at   timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now(),
  UNIQUE (email)
);

CREATE TABLE audit_log (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT now(),
  actor    text NOT NULL,              -- 'staff:7', 'system', 'web'
  address  text NOT NULL DEFAULT '',
  action   text NOT NULL,
  subject  text NOT NULL,              -- 'event:12', 'booking:9'
  before   jsonb,
  after    jsonb
);
CREATE INDEX audit_log_subject ON audit_log (subject, at);
COMMENT ON TABLE audit_log IS 'Who changed what, when, from where. Append-only by trigger.';

CREATE TABLE layouts (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text NOT NULL UNIQUE CHECK (name <> ''),
  vehicle    boolean NOT NULL,         -- a coach rather than a hall
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE layout_versions (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  layout_id  bigint NOT NULL REFERENCES layouts,
  version    int NOT NULL CHECK (version > 0),
  decks      text[] NOT NULL CHECK (cardinality(decks) > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (layout_id, version)
);
COMMENT ON TABLE layout_versions IS 'Immutable once an event pins it; a change is a new version.';

CREATE TABLE layout_zones (
  layout_version_id bigint NOT NULL REFERENCES layout_versions ON DELETE CASCADE,
  zone_no           smallint NOT NULL CHECK (zone_no > 0),
  name              text NOT NULL CHECK (name <> ''),
  PRIMARY KEY (layout_version_id, zone_no)
);

CREATE TABLE layout_cells (
  layout_version_id bigint NOT NULL REFERENCES layout_versions ON DELETE CASCADE,
  deck       smallint NOT NULL,
  grid_row   smallint NOT NULL,
  grid_col   smallint NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('seat', 'berth', 'wheelchair', 'companion', 'aisle', 'gap', 'door', 'driver', 'screen', 'wc', 'stairs')),
  seat_no    text CHECK (seat_no ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,19}$'),
  section    text NOT NULL DEFAULT '',
  row_label  text NOT NULL DEFAULT '',
  number     text NOT NULL DEFAULT '',
  printed    text NOT NULL DEFAULT '',
  zone_no    smallint,
  ladies     boolean NOT NULL DEFAULT false,
  restricted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (layout_version_id, deck, grid_row, grid_col),
  UNIQUE (layout_version_id, seat_no),
  FOREIGN KEY (layout_version_id, zone_no) REFERENCES layout_zones,
  CHECK ((kind IN ('seat', 'berth', 'wheelchair', 'companion')) = (seat_no IS NOT NULL AND zone_no IS NOT NULL))
);

CREATE TABLE resources (
  id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind              text NOT NULL CHECK (kind IN ('hall', 'coach')),
  name              text NOT NULL CHECK (name <> ''),
  note              text NOT NULL DEFAULT '',   -- "2+2 seats, air-conditioned"
  layout_version_id bigint NOT NULL REFERENCES layout_versions,
  UNIQUE (kind, name)
);

CREATE TABLE films (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title       text NOT NULL CHECK (title <> ''),
  certificate text NOT NULL DEFAULT '',
  runtime_min int NOT NULL CHECK (runtime_min BETWEEN 1 AND 1000),
  genre       text NOT NULL DEFAULT '',
  language    text NOT NULL DEFAULT '',
  blurb       text NOT NULL DEFAULT '',
  poster      bytea CHECK (octet_length(poster) <= 204800),
  poster_type text CHECK (poster_type IN ('image/svg+xml', 'image/jpeg', 'image/png', 'image/webp')),
  CHECK ((poster IS NULL) = (poster_type IS NULL))
);

CREATE TABLE places (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name      text NOT NULL UNIQUE CHECK (name <> ''),
  address   text NOT NULL DEFAULT '',
  time_zone text NOT NULL CHECK (time_zone <> '')
);
COMMENT ON COLUMN places.time_zone IS 'IANA name; times at this place are printed in it.';

CREATE TABLE routes (
  id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (name <> '')
);

CREATE TABLE route_stops (
  route_id       bigint NOT NULL REFERENCES routes ON DELETE CASCADE,
  stop_no        smallint NOT NULL CHECK (stop_no >= 0),
  place_id       bigint NOT NULL REFERENCES places,
  arrive_after   int NOT NULL CHECK (arrive_after >= 0),   -- minutes after the first departure
  depart_after   int NOT NULL CHECK (depart_after >= arrive_after),
  may_board      boolean NOT NULL DEFAULT true,
  may_alight     boolean NOT NULL DEFAULT true,
  note           text NOT NULL DEFAULT '',
  PRIMARY KEY (route_id, stop_no)
);

CREATE TABLE ticket_types (
  code     text PRIMARY KEY CHECK (code ~ '^[a-z][a-z0-9_]{0,19}$'),
  name     text NOT NULL CHECK (name <> ''),
  position smallint NOT NULL
);
COMMENT ON TABLE ticket_types IS 'Lowest position is what a seat gets before anybody chose.';

CREATE TABLE tariffs (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name     text NOT NULL UNIQUE CHECK (name <> ''),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  tax_bp   int NOT NULL DEFAULT 0 CHECK (tax_bp BETWEEN 0 AND 10000)
);
COMMENT ON COLUMN tariffs.tax_bp IS 'Tax included in the prices, in basis points: 1800 is 18 %.';

CREATE TABLE fares (
  tariff_id   bigint NOT NULL REFERENCES tariffs ON DELETE CASCADE,
  zone_no     smallint NOT NULL,
  ticket_type text NOT NULL REFERENCES ticket_types,
  from_stop   smallint NOT NULL CHECK (from_stop >= 0),
  to_stop     smallint NOT NULL,
  price       bigint NOT NULL CHECK (price >= 0),
  PRIMARY KEY (tariff_id, from_stop, to_stop, zone_no, ticket_type),
  CHECK (from_stop < to_stop)
);
COMMENT ON TABLE fares IS 'Price in minor units for (zone, ticket type, from stop, to stop); a screening goes from stop 0 to stop 1.';

CREATE TABLE events (
  id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind                text NOT NULL CHECK (kind IN ('screening', 'trip')),
  status              text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'published', 'cancelled')),
  starts_at           timestamptz NOT NULL,
  ends_at             timestamptz NOT NULL CHECK (ends_at > starts_at),
  time_zone           text NOT NULL,
  business_day        date NOT NULL,
  last_stop           smallint NOT NULL DEFAULT 1 CHECK (last_stop > 0),
  layout_version_id   bigint NOT NULL REFERENCES layout_versions,
  resource_id         bigint REFERENCES resources,
  tariff_id           bigint NOT NULL REFERENCES tariffs,
  film_id             bigint REFERENCES films,
  route_id            bigint REFERENCES routes,
  sales_close_minutes int,
  created_at          timestamptz NOT NULL DEFAULT now(),
  CHECK (kind <> 'screening' OR (film_id IS NOT NULL AND last_stop = 1)),
  CHECK (kind <> 'trip' OR route_id IS NOT NULL)
);
CREATE INDEX events_day ON events (business_day, starts_at) WHERE status = 'published';
CREATE INDEX events_resource ON events (resource_id, starts_at);
COMMENT ON COLUMN events.last_stop IS 'Stops are 0..last_stop, legs 1..last_stop; leg k runs from stop k-1 to stop k.';
COMMENT ON COLUMN events.business_day IS 'The day the house counts it to: a 00:30 show belongs to the evening before.';
COMMENT ON COLUMN events.sales_close_minutes IS 'Minutes before the start (screening) or the boarding stop''s departure (trip); NULL: the setting.';

CREATE TABLE event_stops (
  event_id   bigint NOT NULL REFERENCES events ON DELETE CASCADE,
  stop_no    smallint NOT NULL CHECK (stop_no >= 0),
  place_id   bigint NOT NULL REFERENCES places,
  arrives_at timestamptz NOT NULL,
  departs_at timestamptz NOT NULL,
  may_board  boolean NOT NULL DEFAULT true,
  may_alight boolean NOT NULL DEFAULT true,
  note       text NOT NULL DEFAULT '',
  PRIMARY KEY (event_id, stop_no)
);
CREATE INDEX event_stops_place ON event_stops (place_id, departs_at);
COMMENT ON COLUMN event_stops.departs_at IS 'At the last stop the same as arrives_at.';

CREATE TABLE demo_rows (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  table_name text NOT NULL,
  row_key    text NOT NULL,
  was        text,
  UNIQUE (table_name, row_key)
);
COMMENT ON TABLE demo_rows IS 'What demo load made, so that demo clear removes exactly it; was is a setting''s value before.';

-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('holdfast.demo_clear', true) = 'on' AND TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
