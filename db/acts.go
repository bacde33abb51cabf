package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
)

const beginActSQL = `
INSERT INTO staff_acts (key, staff_id, kind, result) VALUES (@key, @staff, @kind, '')
ON CONFLICT (key) DO NOTHING
RETURNING key`

const actSQL = `SELECT staff_id, kind, result FROM staff_acts WHERE key = @key`

const dropActsSQL = `DELETE FROM staff_acts WHERE at < now() - interval '30 days'`

// BeginAct claims the key of a form that staff sent. A repeat of the form, however
// close behind, waits here for the first one's end and gets its result with done true.
// Taken before every other lock. domain.ErrConflict: the key is another person's or
// another kind of act's.
func (t *Tx) BeginAct(ctx context.Context, key string, staffID int64, kind string) (result string, done bool, err error) {
	if key == "" {
		return "", false, fmt.Errorf("a form without its key: %w", domain.ErrConflict)
	}
	args := pgx.StrictNamedArgs{"key": key, "staff": staffID, "kind": kind}
	_, err = scalar[string](ctx, t.q, beginActSQL, args)
	if err == nil || !errors.Is(err, domain.ErrNotFound) {
		return "", false, err
	}
	var by int64
	var was string
	if err := t.q.QueryRow(ctx, actSQL, pgx.StrictNamedArgs{"key": key}).Scan(&by, &was, &result); err != nil {
		return "", false, classify(err)
	}
	if by != staffID || was != kind {
		return "", false, fmt.Errorf("the key of a %s by staff %d: %w", was, by, domain.ErrConflict)
	}
	return result, true, nil
}

const actDoneSQL = `SELECT result FROM staff_acts WHERE key = @key AND staff_id = @staff AND kind = @kind`

// ActDone is the result of an act that was done before; domain.ErrNotFound.
func (q Queries) ActDone(ctx context.Context, key string, staffID int64, kind string) (string, error) {
	return scalar[string](ctx, q.q, actDoneSQL, pgx.StrictNamedArgs{"key": key, "staff": staffID, "kind": kind})
}

const endActSQL = `UPDATE staff_acts SET result = @result WHERE key = @key`

// EndAct notes what a repeat of the form will get.
func (t *Tx) EndAct(ctx context.Context, key, result string) error {
	return one(exec(ctx, t.q, endActSQL, pgx.StrictNamedArgs{"key": key, "result": result}))
}

// DropActs forgets keys that no browser will send again.
func (q Queries) DropActs(ctx context.Context) error {
	_, err := exec(ctx, q.q, dropActsSQL, nil)
	return err
}
