-- +goose Up
-- Reports: the money of a day, and of a day by event, is read without the ledger's other lines.

CREATE INDEX ledger_day_event ON ledger_entries (business_day, event_id);
DROP INDEX ledger_day;
