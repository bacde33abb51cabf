package db

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/internal/domain"
)

const (
	// lookEvery is how often a replica's distance is measured.
	lookEvery = time.Second
	// maxLag is how old a list read from a replica may be.
	maxLag = 5 * time.Second
	// keptMarks bounds what is remembered of a replica that is far behind.
	keptMarks = 30
)

// replica is a streaming copy of the database. How old it is cannot be asked of it: when
// nothing is written, the last thing it replayed is old and it is not. So the primary is
// asked once a second how far its log is, and the replica is as new as the last such mark
// that it has passed.
type replica struct {
	pool  *pgxpool.Pool
	probe *pgxpool.Pool // one connection to the primary, so that a crowd cannot delay it
	seen  atomic.Pointer[distance]
	stop  context.CancelFunc
	ended chan struct{}
	lag   time.Duration // maxLag; tests have less time
}

// distance is what the last look at a replica found.
type distance struct {
	answers bool
	asOf    time.Time // everything committed by then is there
	// alone: the primary does not answer, and everything it is known to have is there.
	alone bool
}

// mark is where the primary's log was at a time.
type mark struct {
	at  time.Time
	lsn int64
}

func openReplica(ctx context.Context, primaryURL, url string, conns int32) (*replica, error) {
	pool, err := openPool(ctx, url, poolPlan{name: "DATABASE_REPLICA_URL", min: 1, max: conns})
	if err != nil {
		return nil, err
	}
	probe, err := openPool(ctx, primaryURL, poolPlan{name: "DATABASE_URL", max: 1})
	if err != nil {
		pool.Close()
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &replica{pool: pool, probe: probe, stop: stop, ended: make(chan struct{}), lag: maxLag}
	r.seen.Store(&distance{})
	go r.watch(ctx)
	return r, nil
}

func (r *replica) close() {
	r.stop()
	<-r.ended
	r.probe.Close()
	r.pool.Close()
}

func (r *replica) watch(ctx context.Context) {
	defer close(r.ended)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var marks []mark
	for {
		marks = r.look(ctx, marks)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

const primaryLogSQL = `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint`

// A replica that was made the primary has everything there is.
const replicaLogSQL = `
SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(coalesce(pg_last_wal_replay_lsn(), '0/0'), '0/0')::bigint
            ELSE 9223372036854775807 END`

// look measures once; marks are those the replica had not passed yet.
func (r *replica) look(ctx context.Context, marks []mark) []mark {
	now := time.Now()
	lsn, away := position(ctx, r.probe, primaryLogSQL)
	if n := len(marks); away == nil && n > 0 && lsn < marks[n-1].lsn {
		marks = nil // another primary, whose log parted from the old one's before its end
	}
	if away == nil && len(marks) < keptMarks {
		marks = append(marks, mark{now, lsn})
	}
	passed, err := position(ctx, r.pool, replicaLogSQL)
	d := distance{asOf: r.seen.Load().asOf, answers: err == nil}
	if err == nil {
		for len(marks) > 0 && marks[0].lsn <= passed {
			d.asOf, marks = marks[0].at, marks[1:]
		}
		d.alone = away != nil && len(marks) == 0 && !d.asOf.IsZero()
	}
	r.seen.Store(&d)
	return marks
}

func position(ctx context.Context, pool *pgxpool.Pool, sql string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, lookEvery)
	defer cancel()
	return scalar[int64](ctx, pool, sql, nil)
}

// near says whether the replica may be read.
func (r *replica) near() bool {
	d := r.seen.Load()
	return d.answers && (d.alone || time.Since(d.asOf) <= r.lag)
}

// failed lets nobody else run into a replica that does not answer, until the next look.
func (r *replica) failed() {
	d := *r.seen.Load()
	d.answers = false
	r.seen.Store(&d)
}

// Replicated says whether there is a replica, near or not.
func (d *DB) Replicated() bool { return d.replica != nil }

// Lists runs a reading whose outcome may be some seconds old: what is on, never what is
// claimed, paid or signed in with. It goes to the replica while that is near, and to the
// primary when there is none, or when it fails; read must not keep anything of a run that
// failed.
func (d *DB) Lists(ctx context.Context, read func(Queries) error) error {
	r := d.replica
	if r == nil || !r.near() {
		return read(d.Queries)
	}
	err := read(Queries{r.pool})
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, domain.ErrBusy): // what it reads was about to be replayed over
		return read(d.Queries)
	case errors.Is(err, domain.ErrUnavailable):
		r.failed()
		return read(d.Queries)
	}
	return err
}
