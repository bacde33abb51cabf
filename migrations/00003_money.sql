-- +goose Up
-- What money needs beyond the first sale: disputes, the audit's memory, more refund reasons.

CREATE TABLE disputes (
  id         text PRIMARY KEY,         -- Stripe's
  payment_id bigint NOT NULL REFERENCES payments,
  event_id   bigint NOT NULL REFERENCES events,
  amount     bigint NOT NULL CHECK (amount >= 0),
  currency   text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  status     text NOT NULL,
  inquiry    boolean NOT NULL,
  closed     boolean NOT NULL,
  decided_at timestamptz,              -- staff looked at it; the door stops asking
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX disputes_payment ON disputes (payment_id);
COMMENT ON TABLE disputes IS 'A cardholder''s complaint. An inquiry leaves the tickets valid; a chargeback makes the door ask staff until decided_at is set.';

CREATE TABLE audit_runs (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT now(),
  checks   int NOT NULL,
  findings jsonb NOT NULL DEFAULT '[]',
  error    text NOT NULL DEFAULT ''
);
COMMENT ON TABLE audit_runs IS 'The nightly audit''s results, shown on the status page.';

ALTER TABLE refunds DROP CONSTRAINT refunds_reason_check;
ALTER TABLE refunds ADD CONSTRAINT refunds_reason_check
  CHECK (reason IN ('seat_lost', 'duplicate', 'mismatch', 'event_cancelled', 'customer', 'staff', 'dashboard'));
ALTER TABLE refunds ADD COLUMN next_try_at timestamptz;
COMMENT ON COLUMN refunds.reason IS 'dashboard: made in Stripe by hand, not by us.';

CREATE UNIQUE INDEX staff_tasks_once ON staff_tasks (kind, payment_id) WHERE state = 'open' AND payment_id IS NOT NULL;
CREATE UNIQUE INDEX staff_tasks_words_once ON staff_tasks (kind, words) WHERE state = 'open' AND payment_id IS NULL;
