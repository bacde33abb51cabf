package db

import "context"

const hasOwnerSQL = `SELECT EXISTS (SELECT 1 FROM staff WHERE role = 'owner' AND disabled_at IS NULL)`

// HasOwner tells whether somebody can sign in as owner.
func (q Queries) HasOwner(ctx context.Context) (bool, error) {
	return scalar[bool](ctx, q.q, hasOwnerSQL, nil)
}

const dropSessionsSQL = `DELETE FROM sessions WHERE expiry < now()`

// DropSessions forgets browser sessions whose time is over.
func (q Queries) DropSessions(ctx context.Context) error {
	_, err := exec(ctx, q.q, dropSessionsSQL, nil)
	return err
}
