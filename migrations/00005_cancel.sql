-- +goose Up
-- Cancelling: kept fees in the ledger, a cancelled event's bookings worked one by one.

ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_kind_check;
ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entries_kind_check
  CHECK (kind IN ('payment', 'refund', 'sale', 'sale_reversal', 'fee', 'write_off'));
COMMENT ON TABLE ledger_entries IS 'Append-only money lines. payment +, refund -, sale + per ticket, sale_reversal -, fee + what a cancellation kept, write_off. Every report is a sum over these.';

ALTER TABLE tickets ADD COLUMN cancelled_at timestamptz;
ALTER TABLE tickets ADD CONSTRAINT tickets_cancelled CHECK ((state = 'cancelled') = (cancelled_at IS NOT NULL));

ALTER TABLE mails ADD COLUMN ticket_ids bigint[];
COMMENT ON COLUMN mails.ticket_ids IS 'Of a mail about a cancellation: the tickets it is about.';
