-- +goose Up
-- The counter: tills, who took which money, and the day each line of money belongs to.

CREATE TABLE shifts (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  staff_id     bigint NOT NULL REFERENCES staff,
  till         text NOT NULL DEFAULT 'Counter' CHECK (till <> ''),
  currency     text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  business_day date NOT NULL,
  opened_at    timestamptz NOT NULL DEFAULT now(),
  float_amount bigint NOT NULL CHECK (float_amount >= 0),
  float_counts jsonb NOT NULL DEFAULT '{}',
  closed_at    timestamptz,
  closed_by    bigint REFERENCES staff,
  counted      bigint CHECK (counted >= 0),
  counts       jsonb,
  expected     bigint,
  z_number     bigint UNIQUE CHECK (z_number > 0),
  report       jsonb,
  CHECK ((closed_at IS NULL) = (z_number IS NULL)),
  CHECK ((closed_at IS NULL) = (counted IS NULL)),
  CHECK ((closed_at IS NULL) = (expected IS NULL)),
  CHECK ((closed_at IS NULL) = (report IS NULL)),
  CHECK ((closed_at IS NULL) = (closed_by IS NULL))
);
CREATE UNIQUE INDEX shifts_one_open ON shifts (staff_id) WHERE closed_at IS NULL;
CREATE INDEX shifts_day ON shifts (business_day);
COMMENT ON TABLE shifts IS 'One person''s till from float to count. float_counts and counts are {"minor units of the note or coin": pieces}. Once closed it never changes; counted - expected is the difference.';
COMMENT ON COLUMN shifts.z_number IS 'Counts the closed shifts of the house, without a gap.';
COMMENT ON COLUMN shifts.report IS 'The Z report as it was when the shift was closed: what is reprinted.';

CREATE TABLE shift_moves (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  shift_id   bigint NOT NULL REFERENCES shifts,
  kind       text NOT NULL CHECK (kind IN ('drop', 'pay_in', 'pay_out')),
  amount     bigint NOT NULL CHECK (amount > 0),
  reason     text NOT NULL DEFAULT '',
  staff_id   bigint NOT NULL REFERENCES staff,
  key        text UNIQUE,
  at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX shift_moves_shift ON shift_moves (shift_id);
COMMENT ON TABLE shift_moves IS 'Cash that entered or left a till without a sale: to the safe, change brought, a bill paid. Append-only.';

CREATE TABLE business_days (
  day       date PRIMARY KEY,
  closed_at timestamptz NOT NULL DEFAULT now(),
  closed_by bigint NOT NULL REFERENCES staff,
  report    jsonb NOT NULL
);
COMMENT ON TABLE business_days IS 'Closed days; a row comes only when every shift of the day is closed and never changes.';

-- +goose StatementBegin
CREATE FUNCTION refuse_closed_shift() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.closed_at IS NULL AND TG_OP = 'UPDATE' THEN
    RETURN NEW;
  END IF;
  IF current_setting('holdfast.demo_clear', true) = 'on' AND TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'a closed shift does not change' USING ERRCODE = 'restrict_violation';
END $$;
-- +goose StatementEnd
CREATE TRIGGER shifts_closed BEFORE UPDATE OR DELETE ON shifts FOR EACH ROW EXECUTE FUNCTION refuse_closed_shift();
CREATE TRIGGER shift_moves_append_only BEFORE UPDATE OR DELETE ON shift_moves FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER business_days_append_only BEFORE UPDATE OR DELETE ON business_days FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- +goose StatementBegin
CREATE FUNCTION business_day_of(at timestamptz) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT ((at AT TIME ZONE coalesce((SELECT value FROM settings WHERE key = 'time_zone'), 'UTC'))
          - coalesce((SELECT value FROM settings WHERE key = 'business_day_start'), '05:00')::interval)::date
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION business_day_of IS 'The day of the house that an instant counts to, by the settings as they are now.';

ALTER TABLE payments ADD COLUMN shift_id bigint REFERENCES shifts;
ALTER TABLE payments ADD COLUMN staff_id bigint REFERENCES staff;
ALTER TABLE payments ADD COLUMN tendered bigint CHECK (tendered >= amount);
ALTER TABLE payments DROP CONSTRAINT payments_tender_check;
ALTER TABLE payments ADD CONSTRAINT payments_tender_check
  CHECK (tender IN ('stripe', 'cash', 'terminal', 'agent', 'comp', 'free', 'exchange'));
COMMENT ON COLUMN payments.tendered IS 'Cash that was put on the counter; tendered - amount is the change.';
COMMENT ON COLUMN payments.tender IS 'exchange: what tickets given back in an exchange were worth; the same sum is a refund with tender exchange on the old payment, so that exchange always adds up to nothing.';

ALTER TABLE refunds ADD COLUMN shift_id bigint REFERENCES shifts;
ALTER TABLE refunds ADD COLUMN staff_id bigint REFERENCES staff;
ALTER TABLE refunds ADD COLUMN tender text CHECK (tender IN ('stripe', 'cash', 'terminal', 'agent', 'exchange'));
ALTER TABLE refunds DROP CONSTRAINT refunds_reason_check;
ALTER TABLE refunds ADD CONSTRAINT refunds_reason_check
  CHECK (reason IN ('seat_lost', 'duplicate', 'mismatch', 'event_cancelled', 'customer', 'staff', 'dashboard', 'void', 'exchange'));
COMMENT ON COLUMN refunds.tender IS 'How the money goes back; NULL: as it came.';

ALTER TABLE ledger_entries ADD COLUMN shift_id bigint REFERENCES shifts;
ALTER TABLE ledger_entries ADD COLUMN staff_id bigint REFERENCES staff;
ALTER TABLE ledger_entries ADD COLUMN business_day date;
ALTER TABLE ledger_entries DISABLE TRIGGER ledger_append_only;
UPDATE ledger_entries SET business_day = business_day_of(entered_at);
ALTER TABLE ledger_entries ENABLE TRIGGER ledger_append_only;
ALTER TABLE ledger_entries ALTER COLUMN business_day SET NOT NULL;
-- +goose StatementBegin
CREATE FUNCTION ledger_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.business_day IS NULL THEN
    NEW.business_day := business_day_of(NEW.entered_at);
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER ledger_day BEFORE INSERT ON ledger_entries FOR EACH ROW EXECUTE FUNCTION ledger_day();
CREATE INDEX ledger_day ON ledger_entries (business_day);
CREATE INDEX ledger_shift ON ledger_entries (shift_id) WHERE shift_id IS NOT NULL;
COMMENT ON COLUMN ledger_entries.business_day IS 'The day the money counts to, written once: changing the zone or the day''s start never changes a past report.';

ALTER TABLE bookings ADD COLUMN sold_by bigint REFERENCES staff;
ALTER TABLE bookings ADD COLUMN exchanged_from bigint REFERENCES bookings;
COMMENT ON COLUMN bookings.exchanged_from IS 'The booking whose tickets were given back for this one.';

ALTER TABLE holds ADD COLUMN label text NOT NULL DEFAULT '';
COMMENT ON COLUMN holds.label IS 'What the counter calls a hold: "red jacket", a phone caller''s name.';
CREATE INDEX holds_counter ON holds (expires_at) WHERE channel = 'counter' AND state = 'active';

CREATE TABLE staff_acts (
  key      text PRIMARY KEY CHECK (key <> ''),
  staff_id bigint NOT NULL REFERENCES staff,
  kind     text NOT NULL,
  result   text NOT NULL,
  at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX staff_acts_at ON staff_acts (at);
COMMENT ON TABLE staff_acts IS 'Idempotency keys of the counter''s forms: the row is written in the act''s own transaction, a repeat finds its result.';
