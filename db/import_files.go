package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// ImportFile is a file that staff sent.
type ImportFile struct {
	ID        int64
	Kind      string // gtfs, films, screenings or fares
	Name      string
	Bytes     int64
	CreatedAt time.Time
	DoneAt    *time.Time // of its last import
	Kept      bool       // its content is still there
}

const beginImportSQL = `INSERT INTO imports (kind, name, actor) VALUES (@kind, @name, @actor) RETURNING id`

// BeginImport makes room for a file; its content follows with AddImportPart.
func (q Queries) BeginImport(ctx context.Context, kind, name, actor string) (int64, error) {
	return scalar[int64](ctx, q.q, beginImportSQL, pgx.StrictNamedArgs{"kind": kind, "name": name, "actor": actor})
}

const addImportPartSQL = `INSERT INTO import_parts (import_id, part_no, body) VALUES (@id, @part, @body)`

// AddImportPart stores the next piece. All but the last have the same size.
func (q Queries) AddImportPart(ctx context.Context, id int64, part int, body []byte) error {
	_, err := exec(ctx, q.q, addImportPartSQL, pgx.StrictNamedArgs{"id": id, "part": part, "body": body})
	return err
}

const dropImportSQL = `DELETE FROM imports WHERE id = @id AND bytes IS NULL`

// DropImport forgets a file that did not come in whole.
func (q Queries) DropImport(ctx context.Context, id int64) error {
	_, err := exec(ctx, q.q, dropImportSQL, pgx.StrictNamedArgs{"id": id})
	return err
}

const finishImportFileSQL = `UPDATE imports SET bytes = @bytes WHERE id = @id`

// FinishImportFile says that the whole file is there.
func (q Queries) FinishImportFile(ctx context.Context, id, bytes int64) error {
	_, err := exec(ctx, q.q, finishImportFileSQL, pgx.StrictNamedArgs{"id": id, "bytes": bytes})
	return err
}

const importFileSQL = `
SELECT i.id, i.kind, i.name, i.bytes, i.created_at, i.done_at,
       i.bytes = 0 OR EXISTS (SELECT 1 FROM import_parts p WHERE p.import_id = i.id) AS kept
  FROM imports i WHERE i.id = @id AND i.bytes IS NOT NULL`

// ImportFile finds a file that came in whole; domain.ErrNotFound.
func (q Queries) ImportFile(ctx context.Context, id int64) (ImportFile, error) {
	return row[ImportFile](ctx, q.q, importFileSQL, pgx.StrictNamedArgs{"id": id})
}

const importPartSQL = `SELECT body FROM import_parts WHERE import_id = @id AND part_no = @part`

// ImportPart reads a piece of a file; domain.ErrNotFound when it is gone.
func (q Queries) ImportPart(ctx context.Context, id int64, part int) ([]byte, error) {
	return scalar[[]byte](ctx, q.q, importPartSQL, pgx.StrictNamedArgs{"id": id, "part": part})
}

const dropOldImportsSQL = `
DELETE FROM import_parts WHERE import_id IN (SELECT id FROM imports WHERE created_at < now() - interval '1 day')`

// DropOldImports forgets the content of files that were sent more than a day ago.
func (q Queries) DropOldImports(ctx context.Context) error {
	_, err := exec(ctx, q.q, dropOldImportsSQL, nil)
	return err
}

const doneImportSQL = `UPDATE imports SET done_at = now(), result = @result WHERE id = @id`

// DoneImport notes what an import did.
func (t *Tx) DoneImport(ctx context.Context, id int64, result any) error {
	_, err := exec(ctx, t.q, doneImportSQL, pgx.StrictNamedArgs{"id": id, "result": result})
	return err
}

const importResultSQL = `SELECT result FROM imports WHERE id = @id AND result IS NOT NULL`

// ImportResult reads into v what the last import of the file did; domain.ErrNotFound
// when there was none.
func (q Queries) ImportResult(ctx context.Context, id int64, v any) error {
	return classify(q.q.QueryRow(ctx, importResultSQL, pgx.StrictNamedArgs{"id": id}).Scan(v))
}

const lockImportsSQL = `SELECT pg_advisory_xact_lock(hashtext('holdfast.imports'))`

// LockImports makes imports follow one another: they decide by what is there.
func (t *Tx) LockImports(ctx context.Context) error {
	_, err := exec(ctx, t.q, lockImportsSQL, nil)
	return err
}
