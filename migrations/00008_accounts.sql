-- +goose Up
-- Accounts: first passwords that must change, a second factor, a PIN for the counter.

ALTER TABLE staff
  ADD COLUMN revision             int     NOT NULL DEFAULT 1,
  ADD COLUMN must_change_password boolean NOT NULL DEFAULT false,
  ADD COLUMN totp_pending         text,
  ADD COLUMN totp_step            bigint  NOT NULL DEFAULT 0,
  ADD COLUMN pin_hash             text,
  ADD COLUMN pin_misses           int     NOT NULL DEFAULT 0;
COMMENT ON COLUMN staff.revision IS 'Grows with each change of name, e-mail or role: a form that was opened before one is refused.';
COMMENT ON COLUMN staff.totp_secret IS 'Encrypted under APP_SECRET, bound to the row; null: no second factor.';
COMMENT ON COLUMN staff.totp_pending IS 'As totp_secret, of a set-up that is not finished.';
COMMENT ON COLUMN staff.totp_step IS 'The newest time step whose code was accepted: no code is accepted twice.';
COMMENT ON COLUMN staff.pin_misses IS 'Wrong PINs in a row; at 10 the PIN is off until it is set anew.';

CREATE TABLE staff_recovery_codes (
  staff_id  bigint NOT NULL REFERENCES staff ON DELETE CASCADE,
  code_hash text NOT NULL,
  used_at   timestamptz,
  PRIMARY KEY (staff_id, code_hash)
);
COMMENT ON TABLE staff_recovery_codes IS 'In place of a TOTP code, each once; code_hash is an HMAC under APP_SECRET.';

ALTER TABLE staff_sessions ADD COLUMN code_due boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN staff_sessions.code_due IS 'The password was right, the second factor is still asked for: nobody is signed in yet.';

CREATE TRIGGER audit_log_keeps BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
