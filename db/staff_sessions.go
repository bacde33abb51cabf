package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const startSignInSQL = `INSERT INTO staff_sessions (staff_id, address, code_due) VALUES (@staff, @address, @due) RETURNING id`

const dropSignInsSQL = `DELETE FROM staff_sessions WHERE signed_in_at < now() - interval '30 days'`

// StartSignIn opens a sign-in and answers its number; codeDue: nobody is in before
// PassSignIn.
func (t *Tx) StartSignIn(ctx context.Context, staffID int64, address string, codeDue bool) (int64, error) {
	if _, err := exec(ctx, t.q, dropSignInsSQL, nil); err != nil {
		return 0, err
	}
	return scalar[int64](ctx, t.q, startSignInSQL, pgx.StrictNamedArgs{"staff": staffID, "address": address, "due": codeDue})
}

const dueSignInSQL = `
SELECT staff_id FROM staff_sessions
 WHERE id = @id AND code_due AND ended_at IS NULL AND signed_in_at > now() - make_interval(secs => @patience::int)`

// DueSignIn is whose code a sign-in waits for; domain.ErrNotFound when it waits for none
// or was begun longer than patience ago.
func (q Queries) DueSignIn(ctx context.Context, id int64, patience time.Duration) (staffID int64, err error) {
	return scalar[int64](ctx, q.q, dueSignInSQL, pgx.StrictNamedArgs{"id": id, "patience": int(patience.Seconds())})
}

const passSignInSQL = `
UPDATE staff_sessions SET code_due = false, signed_in_at = now(), seen_at = now() WHERE id = @id AND code_due AND ended_at IS NULL RETURNING id`

// PassSignIn lets in whoever gave the code; domain.ErrNotFound when it was not waited for.
func (t *Tx) PassSignIn(ctx context.Context, id int64) error {
	_, err := scalar[int64](ctx, t.q, passSignInSQL, pgx.StrictNamedArgs{"id": id})
	return err
}

// liveSignIn is a sign-in s that is not over. An open till keeps one from idling: nobody
// is to type a password while a queue waits. The age counts all the same.
const liveSignIn = ` s.ended_at IS NULL AND NOT s.code_due
   AND (s.seen_at > now() - make_interval(secs => @idle::int)
        OR EXISTS (SELECT 1 FROM shifts h WHERE h.staff_id = s.staff_id AND h.closed_at IS NULL))
   AND s.signed_in_at > now() - make_interval(secs => @longest::int) `

// SignIn is a sign-in that is going on.
type SignIn struct {
	ID         int64
	StaffID    int64
	Email      string
	Name       string
	Role       string
	MustChange bool
	TwoStep    bool
	TwoStepFor string // the setting require_2fa_roles, "" when it is not set
}

// seen_at moves at most once a minute: a page is a read for nearly everybody.
const signInSQL = `
WITH live AS (
  SELECT s.id, s.seen_at, p.id AS staff_id, p.email, p.name, p.role, p.must_change_password, p.totp_secret
    FROM staff_sessions s JOIN staff p ON p.id = s.staff_id
   WHERE s.id = @id AND p.disabled_at IS NULL AND ` + liveSignIn + `),
seen AS (
  UPDATE staff_sessions s SET seen_at = now() FROM live WHERE s.id = live.id AND live.seen_at < now() - interval '1 minute')
SELECT id, staff_id, email, name, role, must_change_password AS must_change, totp_secret IS NOT NULL AS two_step,
       coalesce((SELECT value FROM settings WHERE key = 'require_2fa_roles'), '') AS two_step_for
  FROM live`

// SignIn reads one and notes that it is in use; domain.ErrNotFound when it is over.
func (q Queries) SignIn(ctx context.Context, id int64, idle, longest time.Duration) (SignIn, error) {
	return row[SignIn](ctx, q.q, signInSQL, pgx.StrictNamedArgs{"id": id, "idle": int(idle.Seconds()), "longest": int(longest.Seconds())})
}

// OpenSignIn is one of somebody's sign-ins.
type OpenSignIn struct {
	ID         int64
	Address    string
	SignedInAt time.Time
	SeenAt     time.Time
}

const signInsOfSQL = `SELECT s.id, s.address, s.signed_in_at, s.seen_at FROM staff_sessions s WHERE s.staff_id = @staff AND ` + liveSignIn + ` ORDER BY s.seen_at DESC, s.id DESC`

// SignInsOf are somebody's sign-ins that are going on, the one used last first.
func (q Queries) SignInsOf(ctx context.Context, staffID int64, idle, longest time.Duration) ([]OpenSignIn, error) {
	return rows[OpenSignIn](ctx, q.q, signInsOfSQL, pgx.StrictNamedArgs{"staff": staffID, "idle": int(idle.Seconds()), "longest": int(longest.Seconds())})
}

const endSignInSQL = `UPDATE staff_sessions SET ended_at = now() WHERE id = @id AND staff_id = @staff AND ended_at IS NULL`

// EndSignIn ends one of somebody's for good; false when it was over, or another's.
func (t *Tx) EndSignIn(ctx context.Context, staffID, id int64) (bool, error) {
	n, err := exec(ctx, t.q, endSignInSQL, pgx.StrictNamedArgs{"id": id, "staff": staffID})
	return n == 1, err
}

const endSignInsSQL = `UPDATE staff_sessions SET ended_at = now() WHERE staff_id = @staff AND id <> @keep AND ended_at IS NULL`

// EndSignIns ends all of somebody's but keep (0: none is kept) and answers how many.
func (t *Tx) EndSignIns(ctx context.Context, staffID, keep int64) (int64, error) {
	return exec(ctx, t.q, endSignInsSQL, pgx.StrictNamedArgs{"staff": staffID, "keep": keep})
}
