-- +goose Up
ALTER TABLE refunds ADD COLUMN earlier_ids text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN refunds.earlier_ids IS 'Stripe''s ids of the tries that failed: news of them that comes late is old.';
