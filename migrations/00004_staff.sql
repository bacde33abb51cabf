-- +goose Up
-- Staff at work: who is signed in, and who could not.

CREATE TABLE staff_sessions (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  staff_id     bigint NOT NULL REFERENCES staff ON DELETE CASCADE,
  address      text NOT NULL DEFAULT '',
  signed_in_at timestamptz NOT NULL DEFAULT now(),
  seen_at      timestamptz NOT NULL DEFAULT now(),
  ended_at     timestamptz
);
CREATE INDEX staff_sessions_staff ON staff_sessions (staff_id);
COMMENT ON TABLE staff_sessions IS 'One row per sign-in; the browser''s session names it. It is over at ended_at, or when seen_at or signed_in_at is too long ago.';

CREATE TABLE login_failures (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at      timestamptz NOT NULL DEFAULT now(),
  account text NOT NULL,
  address text NOT NULL
);
CREATE INDEX login_failures_account ON login_failures (account, at);
CREATE INDEX login_failures_address ON login_failures (address, at);
COMMENT ON TABLE login_failures IS 'Tries to sign in that did not succeed, or not yet: the limits of all processes count these. Kept for a day.';
COMMENT ON COLUMN login_failures.account IS 'SHA-256 of the e-mail as typed: people type passwords into the wrong field.';
