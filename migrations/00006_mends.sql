-- +goose Up
CREATE INDEX mails_booking ON mails (booking_id);
ALTER TABLE refunds DROP COLUMN next_try_at;
