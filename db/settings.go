package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const settingsSQL = `SELECT coalesce(json_object_agg(key, value), '{}') FROM settings`

// Settings reads every stored setting.
func (q Queries) Settings(ctx context.Context) (map[string]string, error) {
	return scalar[map[string]string](ctx, q.q, settingsSQL, nil)
}

const setSettingSQL = `
INSERT INTO settings (key, value) VALUES (@key, @value)
ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()`

// SetSetting stores one value; the caller has checked it with domain.CheckSetting.
func (q Queries) SetSetting(ctx context.Context, key, value string) error {
	_, err := exec(ctx, q.q, setSettingSQL, pgx.StrictNamedArgs{"key": key, "value": value})
	return err
}
