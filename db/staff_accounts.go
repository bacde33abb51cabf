package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// StaffCard is an account as the owner sees it: nothing secret.
type StaffCard struct {
	ID         int64
	Email      string
	Name       string
	Role       string
	Off        bool // may not sign in
	MustChange bool // still has the password that was given
	TwoStep    bool
	PIN        bool `db:"pin"`
	Revision   int
	SeenAt     *time.Time // nil: was never here
}

const staffCards = `
SELECT p.id, p.email, p.name, p.role, p.disabled_at IS NOT NULL AS off, p.must_change_password AS must_change,
       p.totp_secret IS NOT NULL AS two_step, p.pin_hash IS NOT NULL AS pin, p.revision,
       (SELECT max(s.seen_at) FROM staff_sessions s WHERE s.staff_id = p.id AND NOT s.code_due) AS seen_at
  FROM staff p `

const staffCardsSQL = staffCards + `
 ORDER BY p.disabled_at IS NOT NULL, array_position(ARRAY['owner', 'manager', 'cashier', 'steward'], p.role), p.name, p.id`

// StaffCards lists all accounts, those in use first.
func (q Queries) StaffCards(ctx context.Context) ([]StaffCard, error) {
	return rows[StaffCard](ctx, q.q, staffCardsSQL, nil)
}

const staffCardSQL = staffCards + `WHERE p.id = @id`

// StaffCard reads one; domain.ErrNotFound.
func (q Queries) StaffCard(ctx context.Context, id int64) (StaffCard, error) {
	return row[StaffCard](ctx, q.q, staffCardSQL, pgx.StrictNamedArgs{"id": id})
}

const lockOwnersSQL = `SELECT count(pg_advisory_xact_lock(hashtextextended('owners', 0)))`

// LockOwners makes changes of who is owner follow one another: taken before owners are
// counted and before every other lock.
func (t *Tx) LockOwners(ctx context.Context) error {
	_, err := exec(ctx, t.q, lockOwnersSQL, nil)
	return err
}

const otherOwnersSQL = `SELECT count(*) FROM staff WHERE role = 'owner' AND disabled_at IS NULL AND id <> @id`

// OtherOwners counts the owners that can sign in besides one.
func (q Queries) OtherOwners(ctx context.Context, id int64) (int, error) {
	return scalar[int](ctx, q.q, otherOwnersSQL, pgx.StrictNamedArgs{"id": id})
}

const ownerByEmailSQL = `SELECT id FROM staff WHERE email = @email AND role = 'owner'`

// OwnerByEmail finds an owner's account, in use or not; domain.ErrNotFound.
func (q Queries) OwnerByEmail(ctx context.Context, email string) (int64, error) {
	return scalar[int64](ctx, q.q, ownerByEmailSQL, pgx.StrictNamedArgs{"email": email})
}

// NewStaff is what InsertStaff stores.
type NewStaff struct {
	Email, Name, Role, PasswordHash string
	MustChange                      bool
}

const insertStaffSQL = `
INSERT INTO staff (email, name, role, password_hash, must_change_password) VALUES (@email, @name, @role, @hash, @must) RETURNING id`

// InsertStaff adds an account; domain.ErrConflict when the e-mail has one.
func (t *Tx) InsertStaff(ctx context.Context, s NewStaff) (int64, error) {
	return scalar[int64](ctx, t.q, insertStaffSQL, pgx.StrictNamedArgs{"email": s.Email, "name": s.Name, "role": s.Role, "hash": s.PasswordHash, "must": s.MustChange})
}

const updateStaffSQL = `
UPDATE staff SET email = @email, name = @name, role = @role, revision = revision + 1 WHERE id = @id AND revision = @revision`

// UpdateStaff changes who somebody is; domain.ErrStale when the revision is an old one,
// domain.ErrConflict when another account has the e-mail.
func (t *Tx) UpdateStaff(ctx context.Context, id int64, revision int, email, name, role string) error {
	n, err := exec(ctx, t.q, updateStaffSQL, pgx.StrictNamedArgs{"id": id, "revision": revision, "email": email, "name": name, "role": role})
	if err == nil && n == 0 {
		return domain.ErrStale
	}
	return err
}

const switchStaffSQL = `
UPDATE staff SET disabled_at = CASE WHEN @off THEN now() END WHERE id = @id AND (disabled_at IS NOT NULL) <> @off`

// SwitchStaff lets an account sign in or not; false when it was so already.
func (t *Tx) SwitchStaff(ctx context.Context, id int64, off bool) (bool, error) {
	n, err := exec(ctx, t.q, switchStaffSQL, pgx.StrictNamedArgs{"id": id, "off": off})
	return n == 1, err
}

const givePasswordSQL = `UPDATE staff SET password_hash = @hash, must_change_password = @must WHERE id = @id`

// GivePassword sets a hash whatever it was; must: it is to be changed at the next sign-in.
func (t *Tx) GivePassword(ctx context.Context, id int64, hash string, must bool) error {
	_, err := exec(ctx, t.q, givePasswordSQL, pgx.StrictNamedArgs{"id": id, "hash": hash, "must": must})
	return err
}
