package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const pendTOTPSQL = `UPDATE staff SET totp_pending = @sealed WHERE id = @id AND totp_secret IS NULL`

// PendTOTP keeps the secret of a set-up; false when a second factor is on already.
func (t *Tx) PendTOTP(ctx context.Context, id int64, sealed string) (bool, error) {
	n, err := exec(ctx, t.q, pendTOTPSQL, pgx.StrictNamedArgs{"id": id, "sealed": sealed})
	return n == 1, err
}

const startTOTPSQL = `
UPDATE staff SET totp_secret = totp_pending, totp_pending = NULL, totp_step = @step
 WHERE id = @id AND totp_pending = @sealed AND totp_secret IS NULL`

// StartTOTP makes the pending secret count, step being that of the code that proved it;
// false when another set-up was begun or finished meanwhile.
func (t *Tx) StartTOTP(ctx context.Context, id int64, sealed string, step int64) (bool, error) {
	n, err := exec(ctx, t.q, startTOTPSQL, pgx.StrictNamedArgs{"id": id, "sealed": sealed, "step": step})
	return n == 1, err
}

const dropTOTPSQL = `
WITH codes AS (DELETE FROM staff_recovery_codes WHERE staff_id = @id)
UPDATE staff SET totp_secret = NULL, totp_pending = NULL WHERE id = @id AND totp_secret IS NOT NULL`

// DropTOTP takes the second factor and its recovery codes away; false when there was none.
func (t *Tx) DropTOTP(ctx context.Context, id int64) (bool, error) {
	n, err := exec(ctx, t.q, dropTOTPSQL, pgx.StrictNamedArgs{"id": id})
	return n == 1, err
}

const useStepSQL = `UPDATE staff SET totp_step = @step WHERE id = @id AND totp_step < @step AND totp_secret IS NOT NULL`

// UseStep takes a time step's code for good; false when it, or a later one, was taken
// before.
func (t *Tx) UseStep(ctx context.Context, id, step int64) (bool, error) {
	n, err := exec(ctx, t.q, useStepSQL, pgx.StrictNamedArgs{"id": id, "step": step})
	return n == 1, err
}

const dropCodesSQL = `DELETE FROM staff_recovery_codes WHERE staff_id = @id`

const addCodesSQL = `INSERT INTO staff_recovery_codes (staff_id, code_hash) SELECT @id, unnest(@hashes::text[])`

// ReplaceCodes puts new recovery codes in the place of all old ones.
func (t *Tx) ReplaceCodes(ctx context.Context, id int64, hashes []string) error {
	if _, err := exec(ctx, t.q, dropCodesSQL, pgx.StrictNamedArgs{"id": id}); err != nil {
		return err
	}
	_, err := exec(ctx, t.q, addCodesSQL, pgx.StrictNamedArgs{"id": id, "hashes": hashes})
	return err
}

const useCodeSQL = `UPDATE staff_recovery_codes SET used_at = now() WHERE staff_id = @id AND code_hash = @hash AND used_at IS NULL`

// UseCode takes a recovery code for good; false when there is no such code, or not any more.
func (t *Tx) UseCode(ctx context.Context, id int64, hash string) (bool, error) {
	n, err := exec(ctx, t.q, useCodeSQL, pgx.StrictNamedArgs{"id": id, "hash": hash})
	return n == 1, err
}

const codesLeftSQL = `SELECT count(*) FROM staff_recovery_codes WHERE staff_id = @id AND used_at IS NULL`

// CodesLeft counts the recovery codes that still work.
func (q Queries) CodesLeft(ctx context.Context, id int64) (int, error) {
	return scalar[int](ctx, q.q, codesLeftSQL, pgx.StrictNamedArgs{"id": id})
}

const setPINSQL = `UPDATE staff SET pin_hash = nullif(@hash, ''), pin_misses = 0 WHERE id = @id`

// SetPIN sets the hash of a PIN, "" for none.
func (t *Tx) SetPIN(ctx context.Context, id int64, hash string) error {
	_, err := exec(ctx, t.q, setPINSQL, pgx.StrictNamedArgs{"id": id, "hash": hash})
	return err
}

const tryPINSQL = `UPDATE staff SET pin_misses = pin_misses + 1 WHERE id = @id AND pin_hash IS NOT NULL AND pin_misses < @most`

// TryPIN counts a try before the PIN is looked at; false when there is none or most tries
// in a row were wrong.
func (q Queries) TryPIN(ctx context.Context, id int64, most int) (bool, error) {
	n, err := exec(ctx, q.q, tryPINSQL, pgx.StrictNamedArgs{"id": id, "most": most})
	return n == 1, err
}

const forgivePINSQL = `UPDATE staff SET pin_misses = 0 WHERE id = @id`

// ForgivePIN forgets wrong tries: the right one came.
func (t *Tx) ForgivePIN(ctx context.Context, id int64) error {
	_, err := exec(ctx, t.q, forgivePINSQL, pgx.StrictNamedArgs{"id": id})
	return err
}

// Supervisor is somebody who may confirm in place.
type Supervisor struct {
	ID   int64
	Name string
	Role string
}

const supervisorsSQL = `
SELECT id, name, role FROM staff WHERE role = ANY(@roles::text[]) AND disabled_at IS NULL AND NOT must_change_password ORDER BY name, id`

// Supervisors lists the accounts in use that have one of the roles, by name.
func (q Queries) Supervisors(ctx context.Context, roles []string) ([]Supervisor, error) {
	return rows[Supervisor](ctx, q.q, supervisorsSQL, pgx.StrictNamedArgs{"roles": roles})
}
