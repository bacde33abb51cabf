package db

import (
	"context"
	"io/fs"
	"strconv"
	"strings"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"holdfast/migrations"
)

const levelSQL = `
SELECT (SELECT max(version_id) FROM goose_db_version WHERE is_applied),
       (SELECT max(version) FROM river_migration)`

// SchemaLevel tells how far the database's schema is.
func (q Queries) SchemaLevel(ctx context.Context) (Level, error) {
	var l Level
	err := classify(q.q.QueryRow(ctx, levelSQL).Scan(&l.Ours, &l.River))
	return l, err
}

// WantedLevel is the level this binary was built for.
func (d *DB) WantedLevel() (Level, error) {
	var l Level
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return l, err
	}
	for _, f := range files {
		n, err := strconv.ParseInt(f[:strings.IndexByte(f, '_')], 10, 64)
		if err != nil {
			return l, err
		}
		l.Ours = max(l.Ours, n)
	}
	m, err := rivermigrate.New(riverpgxv5.New(d.pool), nil)
	if err != nil {
		return l, err
	}
	for _, v := range m.AllVersions() {
		l.River = max(l.River, int64(v.Version))
	}
	return l, nil
}

// SchemaFits returns ErrSchema unless the database is at this binary's level.
func (d *DB) SchemaFits(ctx context.Context) error {
	want, err := d.WantedLevel()
	if err != nil {
		return err
	}
	have, err := d.SchemaLevel(ctx)
	if err != nil {
		return err
	}
	if have != want {
		return ErrSchema
	}
	return nil
}
