-- +goose Up
-- What the office looks up each day stays quick when there is much of it.

CREATE INDEX events_business_day ON events (business_day, starts_at);
CREATE INDEX holds_running ON holds (expires_at) WHERE state = 'active';
CREATE INDEX mails_failed ON mails (created_at) WHERE state = 'failed';
CREATE INDEX mails_test ON mails (to_address, id) WHERE kind = 'test';
ALTER TABLE audit_log ADD COLUMN words text NOT NULL GENERATED ALWAYS AS (translate(lower(action || ' ' || subject), '_:', '  ')) STORED;
COMMENT ON COLUMN audit_log.words IS 'What the office searches: made once, a look through all lines reads it alone.';
CREATE INDEX audit_log_actor ON audit_log (actor, id);
CREATE INDEX audit_log_at ON audit_log (at);

-- Staff type the last digits of a phone: they are the first of the number turned round.
CREATE INDEX bookings_phone ON bookings (reverse(translate(phone, ' -()+./', '')) text_pattern_ops) WHERE phone <> '';

CREATE INDEX payments_unbooked ON payments (received_at) WHERE received > 0 AND outcome IS DISTINCT FROM 'booked';
