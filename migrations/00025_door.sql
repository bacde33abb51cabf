-- +goose Up
-- The door without a line, and the list that goes to the driver.

CREATE TABLE door_conflicts (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id   bigint NOT NULL,
  ticket_id  bigint NOT NULL,
  key        text NOT NULL CHECK (key <> ''),
  verdict    text NOT NULL,             -- what the ticket was worth when the scan arrived
  staff_id   bigint NOT NULL REFERENCES staff,
  place      text NOT NULL DEFAULT '',  -- the door or the stop, in words
  at         timestamptz NOT NULL,
  entered_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (event_id, ticket_id) REFERENCES tickets (event_id, id) ON DELETE CASCADE,
  UNIQUE (event_id, ticket_id, key)
);
COMMENT ON TABLE door_conflicts IS 'A door without a line let somebody in with this ticket, and when its scan arrived the ticket was not good any more: in at another door, cancelled. Kept for staff; it lets nobody in.';
COMMENT ON COLUMN door_conflicts.key IS 'Of the scan: sent again it is the same conflict.';

ALTER TABLE resources ADD COLUMN manifest_email text NOT NULL DEFAULT '';
COMMENT ON COLUMN resources.manifest_email IS 'Where the list of passengers goes before departure; empty: the setting manifest_email.';

ALTER TABLE mails ADD COLUMN event_id bigint REFERENCES events ON DELETE CASCADE;
CREATE UNIQUE INDEX mails_manifest_once ON mails (event_id) WHERE kind = 'manifest';
COMMENT ON COLUMN mails.event_id IS 'Of a list of passengers: kind manifest goes out by itself once, manifest_again when somebody asks for it.';
