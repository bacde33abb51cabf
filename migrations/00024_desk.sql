-- +goose Up
-- Acts on bookings: what was promised, where an exchanged ticket went, and what changes
-- when an event gets another hall or coach.

ALTER TABLE bookings ADD COLUMN cancel_terms text;
ALTER TABLE bookings ADD COLUMN staff_note text NOT NULL DEFAULT '';
ALTER TABLE bookings ADD COLUMN revision int NOT NULL DEFAULT 1;
CREATE INDEX bookings_exchanged ON bookings (exchanged_from) WHERE exchanged_from IS NOT NULL;
COMMENT ON COLUMN bookings.cancel_terms IS 'The house''s cancellation steps as the buyer read them; NULL: booked before they were kept, the setting counts.';
COMMENT ON COLUMN bookings.revision IS 'Of contact and note: a form that was opened before a change of them is refused.';

ALTER TABLE tickets ADD COLUMN exchanged_event bigint;
ALTER TABLE tickets ADD COLUMN exchanged_ticket bigint;
ALTER TABLE tickets ADD CONSTRAINT tickets_exchanged_for FOREIGN KEY (exchanged_event, exchanged_ticket)
  REFERENCES tickets (event_id, id) ON DELETE SET NULL;
ALTER TABLE tickets ADD CONSTRAINT tickets_exchanged_whole CHECK ((exchanged_event IS NULL) = (exchanged_ticket IS NULL));
COMMENT ON COLUMN tickets.exchanged_ticket IS 'The ticket that it was exchanged for: the door names its seat.';

CREATE TABLE event_swaps (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id       bigint NOT NULL REFERENCES events ON DELETE CASCADE,
  actor          text NOT NULL,
  at             timestamptz NOT NULL DEFAULT now(),
  from_resource  bigint REFERENCES resources,
  to_resource    bigint REFERENCES resources,
  from_version   bigint NOT NULL REFERENCES layout_versions,
  to_version     bigint NOT NULL REFERENCES layout_versions,
  event_revision int NOT NULL,
  undone_at      timestamptz,
  told_at        timestamptz,
  CHECK (undone_at IS NULL OR told_at IS NULL)
);
CREATE INDEX event_swaps_event ON event_swaps (event_id, id);
COMMENT ON TABLE event_swaps IS 'An event that went to another hall, coach or version of its plan with the people in it. It can be undone until they are told.';
COMMENT ON COLUMN event_swaps.event_revision IS 'Of the event after it: when it grew since, an undo would undo more than the swap.';

CREATE TABLE seat_moves (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  swap_id   bigint NOT NULL REFERENCES event_swaps ON DELETE CASCADE,
  event_id  bigint NOT NULL,
  ticket_id bigint,
  hold_id   uuid,
  from_seat text NOT NULL,
  to_seat   text NOT NULL CHECK (to_seat <> from_seat),
  CHECK ((ticket_id IS NULL) <> (hold_id IS NULL)),
  UNIQUE (swap_id, ticket_id),
  UNIQUE (swap_id, hold_id, from_seat)
);
COMMENT ON TABLE seat_moves IS 'Whose seat became which in a swap: what people are told, and what an undo takes back.';

ALTER TABLE mails ADD COLUMN swap_id bigint REFERENCES event_swaps ON DELETE SET NULL;
CREATE UNIQUE INDEX mails_swap_once ON mails (swap_id, booking_id) WHERE swap_id IS NOT NULL;
COMMENT ON COLUMN mails.swap_id IS 'Of a mail about changed seats: which swap it tells of.';
