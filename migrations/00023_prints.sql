-- +goose Up
-- What was printed at the counter, by the copy.
CREATE TABLE prints (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  booking_id bigint NOT NULL REFERENCES bookings,
  kind       text NOT NULL CHECK (kind IN ('tickets', 'receipt')),
  number     int NOT NULL CHECK (number > 0),
  reason     text NOT NULL DEFAULT '',
  staff_id   bigint NOT NULL REFERENCES staff,
  at         timestamptz NOT NULL DEFAULT now(),
  UNIQUE (booking_id, kind, number),
  CHECK (number = 1 OR reason <> '')
);
CREATE TRIGGER prints_append_only BEFORE UPDATE OR DELETE ON prints FOR EACH ROW EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE prints IS 'Number 1 is the original; every further one has a reason, is marked COPY on paper and stands in the audit log as "reprint" with who confirmed it.';
