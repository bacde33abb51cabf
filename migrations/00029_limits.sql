-- +goose Up
-- What limits look at on a busy day: where a running hold came from, and which seats a
-- visitor gave back a moment ago.

ALTER TABLE holds ADD COLUMN address_key text CHECK (address_key <> '');
ALTER TABLE holds ADD CHECK (address_key IS NULL OR state = 'active');
CREATE INDEX holds_address ON holds (address_key, expires_at) WHERE state = 'active' AND address_key IS NOT NULL;
COMMENT ON COLUMN holds.address_key IS 'Keyed hash of the address a web hold came from, never the address itself. Written only while a limit by address counts, forgotten when the hold is over.';

-- Whatever ends a hold forgets where it came from.
-- +goose StatementBegin
CREATE FUNCTION hold_forgets_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.address_key := NULL;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER hold_forgets_address BEFORE UPDATE OF state ON holds FOR EACH ROW
  WHEN (NEW.state <> 'active' AND NEW.address_key IS NOT NULL) EXECUTE FUNCTION hold_forgets_address();

CREATE TABLE seats_let_go (
  event_id  bigint NOT NULL REFERENCES events ON DELETE CASCADE,
  holder    text NOT NULL CHECK (holder <> ''),
  seat_no   text NOT NULL,
  let_go_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (event_id, holder, seat_no)
);
CREATE INDEX seats_let_go_old ON seats_let_go (let_go_at);
COMMENT ON TABLE seats_let_go IS 'Seats that a visitor gave back before the end while demand was high: not theirs again before the pause is over. Older rows are dropped by the sweep.';
