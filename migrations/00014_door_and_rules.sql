-- +goose Up
-- Who came in, and seats that are kept for women.

CREATE TABLE checkins (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id   bigint NOT NULL,
  ticket_id  bigint NOT NULL,
  key        text NOT NULL CHECK (key <> ''),
  staff_id   bigint NOT NULL REFERENCES staff,
  place      text NOT NULL DEFAULT '',  -- the door or the stop, in words
  reason     text NOT NULL DEFAULT '',  -- why a manager let in what the door would have stopped
  at         timestamptz NOT NULL,
  entered_at timestamptz NOT NULL DEFAULT now(),
  undone_at  timestamptz,
  FOREIGN KEY (event_id, ticket_id) REFERENCES tickets (event_id, id) ON DELETE CASCADE,
  UNIQUE (event_id, ticket_id, key)
);
CREATE UNIQUE INDEX checkins_one_in ON checkins (event_id, ticket_id) WHERE undone_at IS NULL;
COMMENT ON TABLE checkins IS 'One row per letting-in. The one that was not undone is who is in; tickets.checked_in_at says the same.';
COMMENT ON COLUMN checkins.at IS 'When the ticket was scanned: earlier than entered_at when the scanner had no line.';
COMMENT ON COLUMN checkins.key IS 'Of the press or the scan: the same one twice is one letting-in.';

ALTER TABLE hold_seats ADD COLUMN woman boolean NOT NULL DEFAULT false;
ALTER TABLE tickets ADD COLUMN women_beside boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN hold_seats.woman IS 'The buyer said that a woman travels here. Asked only where the rule for women''s seats needs it.';
COMMENT ON COLUMN tickets.women_beside IS 'A woman travelling alone has it and asked that the seat beside it be kept for women. Never printed.';
