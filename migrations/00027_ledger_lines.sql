-- +goose Up
-- A line of the ledger says by itself what reports ask of it: its rate of tax, whether it
-- was given away, and the channel also where no booking came of the money.

ALTER TABLE ledger_entries ADD COLUMN tax_bp int NOT NULL DEFAULT 0 CHECK (tax_bp BETWEEN 0 AND 10000);
ALTER TABLE ledger_entries ADD COLUMN given boolean NOT NULL DEFAULT false;
ALTER TABLE ledger_entries DISABLE TRIGGER ledger_append_only;
UPDATE ledger_entries l SET tax_bp = h.tax_bp, given = p.tender = 'comp', channel = coalesce(nullif(l.channel, ''), h.channel)
  FROM payments p JOIN holds h ON h.id = p.hold_id
 WHERE p.id = l.payment_id;
ALTER TABLE ledger_entries ENABLE TRIGGER ledger_append_only;
COMMENT ON COLUMN ledger_entries.tax_bp IS 'The rate of the tax that is in the price of what was sold, basis points; written once.';
COMMENT ON COLUMN ledger_entries.given IS 'Of a ticket that was given away with a reason; written once.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.business_day IS NULL THEN
    NEW.business_day := business_day_of(NEW.entered_at);
  END IF;
  SELECT h.tax_bp, p.tender = 'comp', coalesce(nullif(NEW.channel, ''), h.channel) INTO NEW.tax_bp, NEW.given, NEW.channel
    FROM payments p JOIN holds h ON h.id = p.hold_id
   WHERE p.id = NEW.payment_id;
  IF NOT FOUND THEN
    NEW.tax_bp := 0; NEW.given := false; NEW.channel := coalesce(NEW.channel, '');
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
