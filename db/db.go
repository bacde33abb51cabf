package db

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// querier is what a pool and a transaction have in common.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Queries are the statements that run alike on the pool and in a transaction.
type Queries struct{ q querier }

// DB is the pool. Statements on it commit by themselves.
type DB struct {
	Queries
	pool  *pgxpool.Pool
	jobs  *river.Client[pgx.Tx]
	freed atomic.Pointer[func(eventID int64)]
}

// Tx is one transaction. It is a value that is passed on, never kept in a
// context, and cannot be nested: it has no InTx.
type Tx struct {
	Queries
	tx    pgx.Tx
	jobs  *river.Client[pgx.Tx]
	freed []int64 // the events whose seats it may put on sale
}

// free notes that the transaction may put seats of an event on sale.
func (t *Tx) free(eventID int64) { t.freed = append(t.freed, eventID) }

// Options size the pool.
type Options struct {
	MinConns, MaxConns int32 // defaults 2 and 12
}

// Open makes the pool. It does not wait for the database: Ping does.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("DATABASE_URL cannot be read as a PostgreSQL address")
	}
	cfg.MaxConns = 12
	if o.MaxConns > 0 {
		cfg.MaxConns = o.MaxConns
	}
	cfg.MinConns = min(max(o.MinConns, 2), cfg.MaxConns)
	cfg.MaxConnIdleTime = 5 * time.Minute
	cfg.HealthCheckPeriod = 15 * time.Second
	cfg.ConnConfig.ConnectTimeout = 3 * time.Second
	p := cfg.ConnConfig.RuntimeParams
	p["application_name"] = "holdfast"
	p["jit"] = "off" // our statements take milliseconds: compiling them takes longer, each time anew
	p["timezone"] = "UTC"
	p["lock_timeout"] = "3000"
	p["statement_timeout"] = "10000"
	p["idle_in_transaction_session_timeout"] = "15000"
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("database pool: %w", classify(err))
	}
	jobs, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("job client: %w", err)
	}
	return &DB{Queries: Queries{pool}, pool: pool, jobs: jobs}, nil
}

// Close waits for connections in use and ends them all.
func (d *DB) Close() { d.pool.Close() }

// Pool is for the session store and River, which bring their own statements.
func (d *DB) Pool() *pgxpool.Pool { return d.pool }

// Ping tells whether the database answers; domain.ErrUnavailable if not.
func (d *DB) Ping(ctx context.Context) error { return classify(d.pool.Ping(ctx)) }

// InTx runs fn in one READ COMMITTED transaction and commits it when fn returns
// nil. A deadlock or serialisation failure runs fn again, at most three times, so
// fn must not keep anything from a failed run.
func (d *DB) InTx(ctx context.Context, fn func(*Tx) error) error {
	for try := 0; ; try++ {
		err := d.once(ctx, fn)
		if !retryable(err) || try == 3 {
			return classify(err)
		}
		select {
		case <-ctx.Done():
			return classify(ctx.Err())
		case <-time.After(time.Duration(1+rand.IntN(10<<try)) * time.Millisecond):
		}
	}
}

func (d *DB) once(ctx context.Context, fn func(*Tx) error) error {
	tx, err := d.pool.Begin(ctx)
	if err != nil {
		return err
	}
	// A rollback must reach the server even when the request's context has ended.
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	t := &Tx{Queries: Queries{tx}, tx: tx, jobs: d.jobs}
	if err := fn(t); err != nil {
		return err
	}
	err = tx.Commit(ctx)
	if do := d.freed.Load(); do != nil {
		for _, event := range t.freed { // also when nobody knows whether it committed
			(*do)(event)
		}
	}
	return err
}

// WhenFreed makes do hear of each event of which this process may have put seats on sale,
// right after the transaction. Before serving, once.
func (d *DB) WhenFreed(do func(eventID int64)) { d.freed.Store(&do) }

// Job is work for later; its fields are stored as JSON.
type Job = river.JobArgs

// Enqueue inserts a job that exists exactly if the transaction commits. A zero at
// means at once. A job with a Queue method goes there.
func (t *Tx) Enqueue(ctx context.Context, job Job, at time.Time) error {
	opts := &river.InsertOpts{ScheduledAt: at}
	if q, ok := job.(interface{ Queue() string }); ok {
		opts.Queue = q.Queue()
	}
	_, err := t.jobs.InsertTx(ctx, t.tx, job, opts)
	return classify(err)
}

// rows runs a query and collects it by column name.
func rows[T any](ctx context.Context, q querier, sql string, args pgx.StrictNamedArgs) ([]T, error) {
	r, err := q.Query(ctx, sql, args)
	if err != nil {
		return nil, classify(err)
	}
	out, err := pgx.CollectRows(r, pgx.RowToStructByName[T])
	return out, classify(err)
}

// row is rows for exactly one; domain.ErrNotFound when there is none.
func row[T any](ctx context.Context, q querier, sql string, args pgx.StrictNamedArgs) (T, error) {
	r, err := q.Query(ctx, sql, args)
	if err != nil {
		var zero T
		return zero, classify(err)
	}
	out, err := pgx.CollectExactlyOneRow(r, pgx.RowToStructByName[T])
	return out, classify(err)
}

// column runs a query of one column.
func column[T any](ctx context.Context, q querier, sql string, args pgx.StrictNamedArgs) ([]T, error) {
	r, err := q.Query(ctx, sql, args)
	if err != nil {
		return nil, classify(err)
	}
	out, err := pgx.CollectRows(r, pgx.RowTo[T])
	return out, classify(err)
}

// scalar reads one value of one row.
func scalar[T any](ctx context.Context, q querier, sql string, args pgx.StrictNamedArgs) (T, error) {
	var v T
	err := q.QueryRow(ctx, sql, args).Scan(&v)
	return v, classify(err)
}

// exec runs a statement and tells how many rows it touched.
func exec(ctx context.Context, q querier, sql string, args pgx.StrictNamedArgs) (int64, error) {
	tag, err := q.Exec(ctx, sql, args)
	return tag.RowsAffected(), classify(err)
}
