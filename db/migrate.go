package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/rivermigrate"

	"holdfast/migrations"
)

// ErrSchema says that this binary and the database's schema do not belong together.
var ErrSchema = errors.New("schema does not fit")

// Level is how far a schema is, of ours and of River's.
type Level struct{ Ours, River int64 }

// Migrate brings the schema up under a session lock, so that two processes
// started at once apply everything exactly once. A newer schema than this binary
// knows is refused with ErrSchema and left alone.
func Migrate(ctx context.Context, url string, log *slog.Logger) (err error) {
	conn, err := migrationDB(url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	provider, err := gooseProvider(conn)
	if err != nil {
		return err
	}
	have, want, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read schema level: %w", poolerWords(classify(err)))
	}
	if have > want {
		return tooNew(have, want)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, r := range results {
		log.Info("migrated", "file", r.Source.Path, "ms", r.Duration.Milliseconds())
	}
	return migrateRiver(ctx, conn, log)
}

func migrateRiver(ctx context.Context, conn *sql.DB, log *slog.Logger) error {
	m, err := rivermigrate.New(riverdatabasesql.New(conn), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("job migrations: %w", err)
	}
	// Under a lock of its own: goose's session lock ended with Up.
	c, err := conn.Conn(ctx)
	if err != nil {
		return classify(err)
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, riverLockSQL); err != nil {
		return fmt.Errorf("lock job migrations: %w", classify(err))
	}
	defer func() { _, _ = c.ExecContext(context.WithoutCancel(ctx), riverUnlockSQL) }()
	have, want, err := riverLevel(ctx, m)
	if err != nil {
		return err
	}
	if have > want {
		return tooNew(have, want)
	}
	if have == want {
		return nil
	}
	res, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return fmt.Errorf("job migrations: %w", err)
	}
	log.Info("migrated", "file", "river", "steps", len(res.Versions))
	return nil
}

const riverLockSQL = `SELECT pg_advisory_lock(hashtext('holdfast.river.migrate'))`

const riverUnlockSQL = `SELECT pg_advisory_unlock(hashtext('holdfast.river.migrate'))`

func riverLevel(ctx context.Context, m *rivermigrate.Migrator[*sql.Tx]) (have, want int64, err error) {
	for _, v := range m.AllVersions() {
		want = max(want, int64(v.Version))
	}
	existing, err := m.ExistingVersions(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("read job schema level: %w", classify(err))
	}
	for _, v := range existing {
		have = max(have, int64(v.Version))
	}
	return have, want, nil
}

// CheckSchema returns ErrSchema, with words, unless the database's schema is
// exactly this binary's. It changes nothing.
func CheckSchema(ctx context.Context, url string) (err error) {
	conn, err := migrationDB(url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.PingContext(ctx); err != nil {
		return poolerWords(classify(err))
	}
	var known bool
	if err := conn.QueryRowContext(ctx, hasSchemaSQL).Scan(&known); err != nil {
		return classify(err)
	}
	if !known {
		return fmt.Errorf("%w: the database is empty; run `holdfast migrate`", ErrSchema)
	}
	provider, err := gooseProvider(conn)
	if err != nil {
		return err
	}
	have, want, err := provider.GetVersions(ctx)
	if err != nil {
		return classify(err)
	}
	m, err := rivermigrate.New(riverdatabasesql.New(conn), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	haveRiver, wantRiver, err := riverLevel(ctx, m)
	if err != nil {
		return err
	}
	switch {
	case have > want:
		return tooNew(have, want)
	case haveRiver > wantRiver:
		return tooNew(haveRiver, wantRiver)
	case have < want || haveRiver < wantRiver:
		return fmt.Errorf("%w: the database is at level %d (jobs %d), this program needs %d (jobs %d); run `holdfast migrate`", ErrSchema, have, haveRiver, want, wantRiver)
	}
	return nil
}

const hasSchemaSQL = `SELECT to_regclass('goose_db_version') IS NOT NULL AND to_regclass('event_seats') IS NOT NULL`

func tooNew(have, want int64) error {
	return fmt.Errorf("%w: the database is at level %d, newer than this program's %d; deploy the newer program again", ErrSchema, have, want)
}

// migrationDB is one plain connection without the pool's statement timeout.
func migrationDB(url string) (*sql.DB, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("DATABASE_URL cannot be read as a PostgreSQL address")
	}
	cfg.RuntimeParams["application_name"] = "holdfast migrate"
	for name := range sessionSettings() { // a role may have them: see CheckSession
		if name != "jit" {
			cfg.RuntimeParams[name] = "0"
		}
	}
	return stdlib.OpenDB(*cfg), nil
}

func gooseProvider(conn *sql.DB) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, fmt.Errorf("migration lock: %w", err)
	}
	p, err := goose.NewProvider(database.DialectPostgres, conn, migrations.FS, goose.WithSessionLocker(locker))
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	return p, nil
}
