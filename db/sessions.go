package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

// Sessions is scs's store. It ends with the request, which scs/pgxstore does not: there a
// database that hangs keeps every visitor with a cookie, and the stop, for ever.
type Sessions struct{ Queries }

const sessionSQL = `SELECT data FROM sessions WHERE token = @token AND expiry > now()`

// FindCtx reads a session; false when there is none.
func (s Sessions) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	data, err := scalar[[]byte](ctx, s.q, sessionSQL, pgx.StrictNamedArgs{"token": token})
	if errors.Is(err, domain.ErrNotFound) {
		return nil, false, nil // scs wants it so
	}
	return data, err == nil, err
}

const putSessionSQL = `
INSERT INTO sessions (token, data, expiry) VALUES (@token, @data, @expiry)
ON CONFLICT (token) DO UPDATE SET data = EXCLUDED.data, expiry = EXCLUDED.expiry`

// CommitCtx stores a session.
func (s Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	_, err := exec(ctx, s.q, putSessionSQL, pgx.StrictNamedArgs{"token": token, "data": data, "expiry": expiry})
	return err
}

const dropSessionSQL = `DELETE FROM sessions WHERE token = @token`

// DeleteCtx forgets a session.
func (s Sessions) DeleteCtx(ctx context.Context, token string) error {
	_, err := exec(ctx, s.q, dropSessionSQL, pgx.StrictNamedArgs{"token": token})
	return err
}

// Find, Commit and Delete make it a scs.Store; scs calls the ones above.
func (s Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit: see Find.
func (s Sessions) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete: see Find.
func (s Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }
