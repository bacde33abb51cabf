package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// StaffAccount is somebody who works here, with what signing in needs.
type StaffAccount struct {
	ID           int64
	Email        string
	Name         string
	Role         string // owner, manager, cashier, steward
	PasswordHash string
	MustChange   bool   // the password is one that somebody else gave
	TOTPSecret   string `db:"totp_secret"`  // sealed; "": no second factor
	TOTPPending  string `db:"totp_pending"` // sealed, of a set-up that is not finished
	PINHash      string `db:"pin_hash"`
	Disabled     bool
	Revision     int
}

const staffColumns = `
SELECT id, email, name, role, password_hash, must_change_password AS must_change, coalesce(totp_secret, '') AS totp_secret,
       coalesce(totp_pending, '') AS totp_pending, coalesce(pin_hash, '') AS pin_hash, disabled_at IS NOT NULL AS disabled, revision
  FROM staff `

const staffByEmailSQL = staffColumns + `WHERE email = @email AND disabled_at IS NULL`

// StaffByEmail finds an account that may sign in, by its lower-case address;
// domain.ErrNotFound.
func (q Queries) StaffByEmail(ctx context.Context, email string) (StaffAccount, error) {
	return row[StaffAccount](ctx, q.q, staffByEmailSQL, pgx.StrictNamedArgs{"email": email})
}

const staffByIDSQL = staffColumns + `WHERE id = @id`

// StaffByID reads an account, in use or not; domain.ErrNotFound.
func (q Queries) StaffByID(ctx context.Context, id int64) (StaffAccount, error) {
	return row[StaffAccount](ctx, q.q, staffByIDSQL, pgx.StrictNamedArgs{"id": id})
}

const setPasswordSQL = `UPDATE staff SET password_hash = @hash WHERE id = @id AND password_hash = @was`

// SetPassword replaces a hash, unless somebody else did meanwhile.
func (q Queries) SetPassword(ctx context.Context, id int64, was, hash string) error {
	_, err := exec(ctx, q.q, setPasswordSQL, pgx.StrictNamedArgs{"id": id, "was": was, "hash": hash})
	return err
}

// The locks are taken in the order of their keys: two who try the same account from
// the same address wait for one another instead of dying.
const lockLoginSQL = `
SELECT count(pg_advisory_xact_lock(k))
  FROM (SELECT unnest(ARRAY[hashtextextended('login account ' || @account, 0), hashtextextended('login address ' || @address, 0)]) AS k ORDER BY k) keys`

const countLoginSQL = `
SELECT (SELECT count(*) FROM login_failures WHERE account = @account AND at > now() - make_interval(secs => @seconds::int)),
       (SELECT count(*) FROM login_failures WHERE address = @address AND at > now() - make_interval(secs => @seconds::int))`

// LoginFailures locks the account and the address for this transaction and counts
// what failed for each of them lately.
func (t *Tx) LoginFailures(ctx context.Context, account, address string, lately time.Duration) (ofAccount, ofAddress int, err error) {
	if _, err := exec(ctx, t.q, lockLoginSQL, pgx.StrictNamedArgs{"account": account, "address": address}); err != nil {
		return 0, 0, err
	}
	args := pgx.StrictNamedArgs{"account": account, "address": address, "seconds": int(lately.Seconds())}
	err = t.q.QueryRow(ctx, countLoginSQL, args).Scan(&ofAccount, &ofAddress)
	return ofAccount, ofAddress, classify(err)
}

const addLoginFailureSQL = `INSERT INTO login_failures (account, address) VALUES (@account, @address)`

const dropLoginFailuresSQL = `DELETE FROM login_failures WHERE at < now() - interval '1 day'`

// AddLoginFailure counts one more, before the password is even looked at.
func (t *Tx) AddLoginFailure(ctx context.Context, account, address string) error {
	if _, err := exec(ctx, t.q, dropLoginFailuresSQL, nil); err != nil {
		return err
	}
	_, err := exec(ctx, t.q, addLoginFailureSQL, pgx.StrictNamedArgs{"account": account, "address": address})
	return err
}

const forgiveLoginSQL = `DELETE FROM login_failures WHERE account = @account`

// ForgiveLogin forgets an account's failures: its owner is in.
func (t *Tx) ForgiveLogin(ctx context.Context, account string) error {
	_, err := exec(ctx, t.q, forgiveLoginSQL, pgx.StrictNamedArgs{"account": account})
	return err
}

const demoStaffSQL = staffColumns + `
 WHERE id IN (SELECT row_key::bigint FROM demo_rows WHERE table_name = 'staff') AND disabled_at IS NULL ORDER BY id`

// DemoStaff are the accounts that the demo made.
func (q Queries) DemoStaff(ctx context.Context) ([]StaffAccount, error) {
	return rows[StaffAccount](ctx, q.q, demoStaffSQL, nil)
}

const finishTaskSQL = `
UPDATE staff_tasks SET state = 'done', done_at = now() WHERE id = @id AND state = 'open' RETURNING kind, payment_id`

// FinishTask takes an entry off the staff list; domain.ErrNotFound when it is not on it.
func (t *Tx) FinishTask(ctx context.Context, id int64) (kind string, paymentID *int64, err error) {
	err = t.q.QueryRow(ctx, finishTaskSQL, pgx.StrictNamedArgs{"id": id}).Scan(&kind, &paymentID)
	return kind, paymentID, classify(err)
}

const taskExistsSQL = `SELECT EXISTS (SELECT 1 FROM staff_tasks WHERE id = @id)`

// TaskExists tells whether there ever was such an entry.
func (q Queries) TaskExists(ctx context.Context, id int64) (bool, error) {
	return scalar[bool](ctx, q.q, taskExistsSQL, pgx.StrictNamedArgs{"id": id})
}

const decideDisputesSQL = `UPDATE disputes SET decided_at = now() WHERE payment_id = @payment AND decided_at IS NULL`

// DecideDisputes records that staff looked at a payment's disputes: the door stops asking.
func (t *Tx) DecideDisputes(ctx context.Context, paymentID int64) error {
	_, err := exec(ctx, t.q, decideDisputesSQL, pgx.StrictNamedArgs{"payment": paymentID})
	return err
}

const staffNameSQL = `SELECT name FROM staff WHERE id = @id`

// StaffName is what somebody is called; domain.ErrNotFound.
func (q Queries) StaffName(ctx context.Context, id int64) (string, error) {
	return scalar[string](ctx, q.q, staffNameSQL, pgx.StrictNamedArgs{"id": id})
}
