-- +goose Up
-- The heart: seats, holds, payments, bookings, tickets, refunds, ledger.

CREATE TYPE seat_state AS ENUM ('available', 'held', 'booked', 'blocked');

CREATE TABLE event_seats (
  event_id   bigint      NOT NULL REFERENCES events,
  seat_no    text        NOT NULL,
  leg        smallint    NOT NULL DEFAULT 1 CHECK (leg > 0),
  state      seat_state  NOT NULL DEFAULT 'available',
  hold_id    uuid,
  held_until timestamptz,
  booking_id bigint,
  PRIMARY KEY (event_id, seat_no, leg),
  CHECK ((state = 'held') = (hold_id IS NOT NULL AND held_until IS NOT NULL)),
  CHECK ((state = 'booked') = (booking_id IS NOT NULL))
) WITH (fillfactor = 70);
COMMENT ON TABLE event_seats IS 'One row per (event, seat, leg): who has it. Written by db/claims.go alone. No further index: one on hold_id, held_until or state ends HOT updates.';

CREATE TABLE holds (
  id         uuid PRIMARY KEY,
  event_id   bigint NOT NULL REFERENCES events,
  from_stop  smallint NOT NULL CHECK (from_stop >= 0),
  to_stop    smallint NOT NULL,
  channel    text NOT NULL CHECK (channel IN ('web', 'counter', 'agent', 'partner')),
  holder     text NOT NULL CHECK (holder <> ''),
  state      text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'converted', 'released')),
  expires_at timestamptz NOT NULL,
  extensions int NOT NULL DEFAULT 0 CHECK (extensions >= 0),
  total      bigint NOT NULL CHECK (total >= 0),
  currency   text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  tax_bp     int NOT NULL DEFAULT 0 CHECK (tax_bp BETWEEN 0 AND 10000),
  fares      jsonb NOT NULL,
  name       text NOT NULL DEFAULT '',
  email      text NOT NULL DEFAULT '',
  phone      text NOT NULL DEFAULT '',
  detailed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK (from_stop < to_stop)
);
CREATE INDEX holds_holder ON holds (holder, event_id);
CREATE INDEX holds_event ON holds (event_id, expires_at) WHERE state = 'active';
COMMENT ON TABLE holds IS 'An all-or-nothing claim. expires_at is what the customer sees; event_seats.held_until is later by the grace, or by the payment page''s life.';
COMMENT ON COLUMN holds.fares IS 'The prices offered with the hold, [{zone,type,price}]: choosing another ticket type later uses them too, whatever staff change meanwhile.';
COMMENT ON COLUMN holds.holder IS 'web:<hash of the visitor''s id>, staff:<id>, agent:<id>, partner:<id>.';

CREATE TABLE hold_seats (
  event_id    bigint NOT NULL,
  hold_id     uuid NOT NULL REFERENCES holds ON DELETE CASCADE,
  seat_no     text NOT NULL,
  zone_no     smallint NOT NULL,
  ticket_type text NOT NULL REFERENCES ticket_types,
  price       bigint NOT NULL CHECK (price >= 0),
  passenger   text NOT NULL DEFAULT '',
  PRIMARY KEY (event_id, hold_id, seat_no)
);
CREATE INDEX hold_seats_hold ON hold_seats (hold_id);
COMMENT ON TABLE hold_seats IS 'Prices as they were when the hold was made: they never change under the customer.';

CREATE TABLE bookings (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hold_id    uuid NOT NULL UNIQUE REFERENCES holds,
  event_id   bigint NOT NULL REFERENCES events,
  reference  text NOT NULL UNIQUE CHECK (reference ~ '^[A-HJ-NP-Z3789]{6}$'),
  link_version smallint NOT NULL DEFAULT 1,
  name       text NOT NULL DEFAULT '',
  email      text NOT NULL DEFAULT '',
  phone      text NOT NULL DEFAULT '',
  state      text NOT NULL DEFAULT 'confirmed' CHECK (state IN ('confirmed', 'cancelled')),
  total      bigint NOT NULL CHECK (total >= 0),
  currency   text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  tax        bigint NOT NULL DEFAULT 0,
  channel    text NOT NULL CHECK (channel IN ('web', 'counter', 'agent', 'partner')),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX bookings_event ON bookings (event_id);
CREATE INDEX bookings_email ON bookings (lower(email));

CREATE TABLE tickets (
  id            bigint GENERATED ALWAYS AS IDENTITY,
  booking_id    bigint NOT NULL REFERENCES bookings,
  event_id      bigint NOT NULL REFERENCES events,
  seat_no       text NOT NULL,
  from_stop     smallint NOT NULL,
  to_stop       smallint NOT NULL,
  ticket_type   text NOT NULL REFERENCES ticket_types,
  price         bigint NOT NULL CHECK (price >= 0),
  tax           bigint NOT NULL DEFAULT 0,
  passenger     text NOT NULL DEFAULT '',
  code_version  smallint NOT NULL DEFAULT 1,
  state         text NOT NULL DEFAULT 'valid' CHECK (state IN ('valid', 'cancelled')),
  checked_in_at timestamptz,
  PRIMARY KEY (event_id, id),
  CHECK (from_stop < to_stop)
);
CREATE INDEX tickets_booking ON tickets (booking_id);

CREATE TABLE ticket_legs (
  ticket_id bigint NOT NULL,
  event_id  bigint NOT NULL,
  seat_no   text NOT NULL,
  leg       smallint NOT NULL,
  CONSTRAINT ticket_legs_one_owner UNIQUE (event_id, seat_no, leg),
  FOREIGN KEY (event_id, ticket_id) REFERENCES tickets (event_id, id),
  FOREIGN KEY (event_id, seat_no, leg) REFERENCES event_seats
);
CREATE INDEX ticket_legs_ticket ON ticket_legs (event_id, ticket_id);
COMMENT ON TABLE ticket_legs IS 'The net under everything: a seat has one live ticket on a leg. Cancelling a ticket deletes its rows here.';

CREATE TABLE payments (
  id                       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hold_id                  uuid NOT NULL REFERENCES holds,
  event_id                 bigint NOT NULL REFERENCES events,
  tender                   text NOT NULL CHECK (tender IN ('stripe', 'cash', 'terminal', 'agent', 'comp', 'free')),
  state                    text NOT NULL CHECK (state IN ('creating', 'open', 'applied', 'refunding', 'closed')),
  outcome                  text CHECK (outcome IN ('booked', 'seat_lost', 'duplicate', 'mismatch', 'event_cancelled')),
  amount                   bigint NOT NULL CHECK (amount >= 0),
  currency                 text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  received                 bigint NOT NULL DEFAULT 0 CHECK (received >= 0),
  received_at              timestamptz,
  description              text NOT NULL DEFAULT '',
  email                    text NOT NULL DEFAULT '',
  stripe_session_id        text UNIQUE,
  stripe_payment_intent_id text,
  stripe_url               text,
  session_ends_at          timestamptz,
  created_at               timestamptz NOT NULL DEFAULT now(),
  CHECK (state <> 'applied' OR (outcome = 'booked' AND (received > 0 OR amount = 0))),
  CHECK (outcome IS NULL OR outcome = 'booked' OR received > 0),
  CHECK (state <> 'open' OR tender <> 'stripe' OR (stripe_session_id IS NOT NULL AND session_ends_at IS NOT NULL))
);
CREATE UNIQUE INDEX payments_one_live ON payments (hold_id) WHERE state IN ('creating', 'open');
CREATE INDEX payments_live ON payments (created_at) WHERE state IN ('creating', 'open');
CREATE INDEX payments_hold ON payments (hold_id);
CREATE INDEX payments_intent ON payments (stripe_payment_intent_id);
COMMENT ON TABLE payments IS 'One attempt to pay one hold. amount, description, email and session_ends_at are frozen: a repeat with key cs:<id> is the same request. "received > 0" is the guard of settle, not the state.';

CREATE TABLE refunds (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id       bigint NOT NULL REFERENCES payments,
  event_id         bigint NOT NULL REFERENCES events,
  amount           bigint NOT NULL CHECK (amount > 0),
  currency         text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  reason           text NOT NULL CHECK (reason IN ('seat_lost', 'duplicate', 'mismatch', 'event_cancelled', 'customer', 'staff')),
  state            text NOT NULL DEFAULT 'requested' CHECK (state IN ('requested', 'pending', 'succeeded', 'failed')),
  attempt          int NOT NULL DEFAULT 1 CHECK (attempt > 0),
  stripe_refund_id text UNIQUE,
  error            text NOT NULL DEFAULT '',
  created_at       timestamptz NOT NULL DEFAULT now(),
  updated_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX refunds_payment ON refunds (payment_id);
CREATE INDEX refunds_unfinished ON refunds (created_at) WHERE state IN ('requested', 'pending');

CREATE TABLE ledger_entries (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entered_at  timestamptz NOT NULL DEFAULT now(),
  kind        text NOT NULL CHECK (kind IN ('payment', 'refund', 'sale', 'sale_reversal', 'write_off')),
  amount      bigint NOT NULL,
  currency    text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  tax         bigint NOT NULL DEFAULT 0,
  tender      text NOT NULL DEFAULT '',
  channel     text NOT NULL DEFAULT '',
  ticket_type text NOT NULL DEFAULT '',
  event_id    bigint NOT NULL REFERENCES events,
  booking_id  bigint REFERENCES bookings,
  payment_id  bigint REFERENCES payments,
  refund_id   bigint REFERENCES refunds,
  ticket_id   bigint
);
CREATE INDEX ledger_event ON ledger_entries (event_id, entered_at);
CREATE INDEX ledger_booking ON ledger_entries (booking_id);
CREATE INDEX ledger_payment ON ledger_entries (payment_id);
COMMENT ON TABLE ledger_entries IS 'Append-only money lines. payment +, refund -, sale + per ticket, sale_reversal -. Every report is a sum over these.';
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE stripe_events (
  id           text PRIMARY KEY,
  type         text NOT NULL,
  object_id    text NOT NULL,
  livemode     boolean NOT NULL,
  received_at  timestamptz NOT NULL DEFAULT now(),
  processed_at timestamptz,
  note         text NOT NULL DEFAULT ''
);
CREATE INDEX stripe_events_open ON stripe_events (received_at) WHERE processed_at IS NULL;
COMMENT ON TABLE stripe_events IS 'Webhook inbox: ids only. What an event means is always asked of Stripe.';

CREATE TABLE staff_tasks (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind       text NOT NULL,
  state      text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done')),
  words      text NOT NULL DEFAULT '',
  booking_id bigint REFERENCES bookings,
  payment_id bigint REFERENCES payments,
  event_id   bigint REFERENCES events,
  created_at timestamptz NOT NULL DEFAULT now(),
  done_at    timestamptz
);
CREATE INDEX staff_tasks_open ON staff_tasks (created_at) WHERE state = 'open';

CREATE TABLE mails (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind       text NOT NULL,
  booking_id bigint REFERENCES bookings,
  payment_id bigint REFERENCES payments,
  refund_id  bigint REFERENCES refunds,
  to_address text NOT NULL CHECK (to_address <> ''),
  state      text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sent', 'failed')),
  error      text NOT NULL DEFAULT '',
  subject    text NOT NULL DEFAULT '',
  text_body  text NOT NULL DEFAULT '',
  html_body  text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  sent_at    timestamptz
);
CREATE UNIQUE INDEX mails_tickets_once ON mails (booking_id) WHERE kind = 'tickets';
CREATE UNIQUE INDEX mails_lost_once ON mails (payment_id) WHERE kind = 'seats_lost';
CREATE UNIQUE INDEX mails_refund_once ON mails (refund_id, kind) WHERE refund_id IS NOT NULL;
CREATE INDEX mails_queued ON mails (created_at) WHERE state = 'queued';
COMMENT ON TABLE mails IS 'Outbox. The row is inserted with the outcome it tells of; the indexes make it exactly one.';
