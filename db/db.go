package db

import (
	"cmp"
	"context"
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
	pool    *pgxpool.Pool
	direct  *pgxpool.Pool // pool, or past the pooler
	replica *replica      // nil: none
	jobs    *river.Client[pgx.Tx]
	freed   atomic.Pointer[func(eventID int64)]
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

// Options size the pool and say what there is besides the one address.
type Options struct {
	MinConns, MaxConns int32 // defaults 2 and 12
	// DirectURL leads past the pooler when the address goes through one; "" when it does
	// not.
	DirectURL string
	// ReplicaURL is a streaming replica that lists may be read from; "" when there is none.
	ReplicaURL string
}

// Open makes the pools. It does not wait for the database: Ping does.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	d := &DB{}
	if err := d.open(ctx, url, o); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *DB) open(ctx context.Context, url string, o Options) (err error) {
	main := poolPlan{name: "DATABASE_URL", min: max(o.MinConns, 2), max: o.MaxConns, pooler: o.DirectURL != ""}
	if main.max == 0 {
		main.max = 12
	}
	if d.pool, err = openPool(ctx, url, main); err != nil {
		return err
	}
	d.Queries, d.direct = Queries{d.pool}, d.pool
	if o.DirectURL != "" {
		if d.direct, err = openPool(ctx, o.DirectURL, poolPlan{name: "DATABASE_DIRECT_URL", max: directConns}); err != nil {
			return err
		}
	}
	if o.ReplicaURL != "" {
		if d.replica, err = openReplica(ctx, cmp.Or(o.DirectURL, url), o.ReplicaURL, main.max); err != nil {
			return err
		}
	}
	if d.jobs, err = river.NewClient(riverpgxv5.New(d.pool), &river.Config{}); err != nil {
		return fmt.Errorf("job client: %w", err)
	}
	return nil
}

// Close waits for connections in use and ends them all.
func (d *DB) Close() {
	if d.replica != nil {
		d.replica.close()
	}
	if d.direct != nil && d.direct != d.pool {
		d.direct.Close()
	}
	if d.pool != nil {
		d.pool.Close()
	}
}

// Pool is for those who bring their own statements.
func (d *DB) Pool() *pgxpool.Pool { return d.pool }

// DirectPool is for those who need a session of their own, such as River, which listens.
// It is Pool where no pooler stands between.
func (d *DB) DirectPool() *pgxpool.Pool { return d.direct }

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
