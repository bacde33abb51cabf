-- +goose Up
-- Price lists that the owner edits: for which stops, since when not used any more, and
-- other prices by weekday and time.

ALTER TABLE tariffs ADD COLUMN route_id bigint REFERENCES routes ON DELETE SET NULL;
ALTER TABLE tariffs ADD COLUMN last_stop smallint NOT NULL DEFAULT 1 CHECK (last_stop > 0);
ALTER TABLE tariffs ADD COLUMN archived_at timestamptz;
ALTER TABLE tariffs ADD COLUMN revision int NOT NULL DEFAULT 1;
COMMENT ON COLUMN tariffs.route_id IS 'The route whose stops its fares are for; NULL for screenings and for trips of no one route.';
COMMENT ON COLUMN tariffs.last_stop IS 'Fares are for the stops 0..last_stop; 1 for screenings.';
COMMENT ON COLUMN tariffs.archived_at IS 'Not offered for new events since then; events that have it keep it.';
COMMENT ON COLUMN tariffs.revision IS 'Grows with each change of the list, its prices and its bands: a form that was opened before one is refused.';

UPDATE tariffs t SET
  last_stop = greatest(1, (SELECT max(f.to_stop) FROM fares f WHERE f.tariff_id = t.id)),
  route_id = (SELECT e.route_id FROM events e WHERE e.tariff_id = t.id AND e.route_id IS NOT NULL GROUP BY e.route_id ORDER BY count(*) DESC, e.route_id LIMIT 1);

ALTER TABLE ticket_types ADD COLUMN retired_at timestamptz;
ALTER TABLE ticket_types ADD COLUMN revision int NOT NULL DEFAULT 1;
COMMENT ON COLUMN ticket_types.retired_at IS 'Not sold since then. Tickets sold before keep it, so a code is never deleted.';

CREATE TABLE tariff_bands (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tariff_id   bigint NOT NULL REFERENCES tariffs ON DELETE CASCADE,
  position    smallint NOT NULL,
  name        text NOT NULL CHECK (name <> ''),
  days        smallint NOT NULL CHECK (days BETWEEN 1 AND 127),
  from_minute smallint CHECK (from_minute BETWEEN 0 AND 1439),
  to_minute   smallint CHECK (to_minute BETWEEN 0 AND 1439),
  rule        text NOT NULL CHECK (rule IN ('own', 'percent', 'amount')),
  value       bigint NOT NULL DEFAULT 0,
  step        bigint NOT NULL DEFAULT 1 CHECK (step > 0),
  UNIQUE (tariff_id, name),
  CHECK (from_minute <> to_minute),
  CHECK (rule <> 'percent' OR value BETWEEN 1 AND 100000)
);
CREATE INDEX tariff_bands_order ON tariff_bands (tariff_id, position, id);
COMMENT ON TABLE tariff_bands IS 'Other prices for events that start on some weekdays or at some times. The first that fits by position counts, none means the list''s own prices.';
COMMENT ON COLUMN tariff_bands.days IS 'Business days, one bit each: 1 Monday … 64 Sunday.';
COMMENT ON COLUMN tariff_bands.from_minute IS 'Wall clock of the event''s place, minutes after midnight; see tariff_band().';
COMMENT ON COLUMN tariff_bands.value IS 'percent: basis points of the list''s price (8000 is 80 %), rounded to step; amount: minor units more, or less. A free ticket stays free.';

CREATE TABLE band_fares (
  band_id     bigint NOT NULL REFERENCES tariff_bands ON DELETE CASCADE,
  zone_no     smallint NOT NULL,
  ticket_type text NOT NULL REFERENCES ticket_types,
  from_stop   smallint NOT NULL CHECK (from_stop >= 0),
  to_stop     smallint NOT NULL,
  price       bigint NOT NULL CHECK (price >= 0),
  PRIMARY KEY (band_id, from_stop, to_stop, zone_no, ticket_type),
  CHECK (from_stop < to_stop)
);
COMMENT ON TABLE band_fares IS 'Prices of the bands whose rule is own.';

CREATE FUNCTION band_price(price bigint, rule text, value bigint, step bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE WHEN price = 0 OR rule IS NULL THEN price
                 WHEN rule = 'amount' THEN price + value
                 ELSE (price * value + 5000 * step) / (10000 * step) * step END $$;
COMMENT ON FUNCTION band_price IS 'What a band with a difference makes of the list''s price; of no band, the price itself.';

CREATE VIEW tariff_prices AS
SELECT f.tariff_id, 0::bigint AS band_id, f.zone_no, f.ticket_type, f.from_stop, f.to_stop, f.price
  FROM fares f
UNION ALL
SELECT f.tariff_id, b.id, f.zone_no, f.ticket_type, f.from_stop, f.to_stop, band_price(f.price, b.rule, b.value, b.step)
  FROM fares f JOIN tariff_bands b ON b.tariff_id = f.tariff_id AND b.rule <> 'own'
UNION ALL
SELECT b.tariff_id, b.id, f.zone_no, f.ticket_type, f.from_stop, f.to_stop, f.price
  FROM band_fares f JOIN tariff_bands b ON b.id = f.band_id AND b.rule = 'own';
COMMENT ON VIEW tariff_prices IS 'Every price of a list, for its editors: band_id 0 is the list itself, the others are its bands.';

-- +goose StatementBegin
CREATE FUNCTION tariff_band(tariff bigint, starts timestamp, day date) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
  SELECT b.id
    FROM tariff_bands b,
         (SELECT (extract(hour FROM starts) * 60 + extract(minute FROM starts))::int AS minute, (starts::date - day) * 1440 AS later) c
   WHERE b.tariff_id = tariff
     AND b.days & (1 << (extract(isodow FROM day)::int - 1)) <> 0
     AND CASE WHEN b.from_minute < b.to_minute THEN c.minute >= b.from_minute AND c.minute < b.to_minute
              WHEN b.from_minute > b.to_minute THEN c.minute >= b.from_minute OR c.minute < b.to_minute
              ELSE (b.from_minute IS NULL OR c.minute + c.later >= b.from_minute)
               AND (b.to_minute IS NULL OR c.minute + c.later < b.to_minute)
         END
   ORDER BY b.position, b.id
   LIMIT 1
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION tariff_band IS 'Which band counts for a start on the wall clock of its place and its business day, no row for none. "Before 17:00" and "from 17:00" run through the business day, so that a 00:30 show comes after the evening; "22:00 to 01:00" is a piece of the clock.';

CREATE VIEW event_fares AS
SELECT e.id AS event_id, p.zone_no, p.ticket_type, p.from_stop, p.to_stop, p.price, y.name AS type_name, y.position
  FROM events e
  LEFT JOIN LATERAL tariff_band(e.tariff_id, e.starts_at AT TIME ZONE e.time_zone, e.business_day) AS c(id) ON true
  LEFT JOIN tariff_bands b ON b.id = c.id
 CROSS JOIN LATERAL ( -- so that each branch finds its rows by their key
       SELECT f.zone_no, f.ticket_type, f.from_stop, f.to_stop, band_price(f.price, b.rule, b.value, b.step) AS price
         FROM fares f WHERE f.tariff_id = e.tariff_id AND b.rule IS DISTINCT FROM 'own'
       UNION ALL
       SELECT f.zone_no, f.ticket_type, f.from_stop, f.to_stop, f.price
         FROM band_fares f WHERE f.band_id = b.id AND b.rule = 'own') p
  JOIN ticket_types y ON y.code = p.ticket_type AND y.retired_at IS NULL;
COMMENT ON VIEW event_fares IS 'What an event''s tickets cost: the one place that whoever asks for a price reads.';
