package db

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	osexec "os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/domain"
	"holdfast/internal/privpg"
)

// pair is a primary and its streaming replica.
type pair struct {
	t                *testing.T
	dir              string
	primary, replica *privpg.Server
}

func newPair(t *testing.T) *pair {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "holdfast-pair-")
	if err == nil {
		err = os.Chmod(dir, 0o755) // the server may run as another account
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{t: t, dir: dir}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p.primary = p.start("primary")
	if err := Migrate(t.Context(), p.primary.URL, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	p.copy()
	p.replica = p.start("replica")
	return p
}

func (p *pair) start(name string) *privpg.Server {
	p.t.Helper()
	s, err := privpg.Start(p.t.Context(), privpg.Options{Dir: filepath.Join(p.dir, name), DBName: "app", Settings: map[string]string{
		"fsync": "off", "wal_level": "replica", "max_wal_senders": "4", "max_connections": "60", "hot_standby": "on", "shared_buffers": "32MB",
		"wal_retrieve_retry_interval": "200ms"}})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = s.Stop() })
	return s
}

// copy makes the replica's folder, of the account that has the primary's.
func (p *pair) copy() {
	p.t.Helper()
	to := filepath.Join(p.dir, "replica", "data")
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		p.t.Fatal(err)
	}
	out, err := osexec.CommandContext(p.t.Context(), filepath.Join(p.primary.BinDir, "pg_basebackup"), "-R", "-X", "stream", "-c", "fast", "--no-sync",
		"-D", to, "-h", p.primary.SockDir, "-U", "postgres").CombinedOutput()
	if err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
	st, err := os.Stat(p.primary.DataDir)
	if err != nil {
		p.t.Fatal(err)
	}
	owner := st.Sys().(*syscall.Stat_t)
	if err := filepath.WalkDir(filepath.Dir(to), func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, int(owner.Uid), int(owner.Gid)))
	}); err != nil {
		p.t.Fatal(err)
	}
}

// answerer is who a list is read from just now.
func answerer(t *testing.T, d *DB) (name string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	err = d.Lists(ctx, func(q Queries) error {
		standby, err := scalar[bool](ctx, q.q, `SELECT pg_is_in_recovery()`, nil)
		name = map[bool]string{true: "replica", false: "primary"}[standby]
		return err
	})
	return name, err
}

// becomes waits until lists are read from there, and says how often one failed meanwhile.
func becomes(t *testing.T, d *DB, want string) (failed int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) { // polling
		got, err := answerer(t, d)
		if err != nil {
			failed++
		} else if got == want {
			return failed
		}
	}
	t.Fatalf("lists do not come from the %s after 20 s", want)
	return 0
}

// Lists are the replica's while it is near, the primary's when it is behind or away, and
// never fail while one of the two can answer; what is sold is always the primary's.
func TestReplica_NearBehindAndAway(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	d, err := Open(t.Context(), p.primary.URL, Options{ReplicaURL: p.replica.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	d.replica.lag = 2500 * time.Millisecond
	never := func(when string, failed int) {
		t.Helper()
		if failed > 0 {
			t.Errorf("%s: %d lists failed", when, failed)
		}
	}
	never("at the start", becomes(t, d, "replica"))
	time.Sleep(d.replica.lag + time.Second) // nothing is written: the replica is not old for that
	if got, err := answerer(t, d); got != "replica" || err != nil {
		t.Errorf("of a quiet primary lists come from the %s, %v", got, err)
	}

	on := p.superuser(p.replica.URL)
	on(`SELECT pg_wal_replay_pause()`)
	p.superuser(p.primary.URL)(`CREATE TABLE news (id int)`)
	never("while it falls behind", becomes(t, d, "primary"))
	on(`SELECT pg_wal_replay_resume()`)
	never("when it has caught up", becomes(t, d, "replica"))

	if err := p.replica.Stop(); err != nil {
		t.Fatal(err)
	}
	never("without a replica", becomes(t, d, "primary"))
	p.replica = p.start("replica")
	never("with it again", becomes(t, d, "replica"))

	if err := p.primary.Stop(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(d.replica.lag + 2*time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if got, err := answerer(t, d); got != "replica" || err != nil {
			t.Fatalf("without a primary lists come from the %q, %v", got, err)
		}
	}
	if err := d.InTx(t.Context(), func(*Tx) error { return nil }); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("without a primary a transaction ends with %v", err)
	}
	p.primary = p.start("primary")
	if err := d.InTx(t.Context(), func(*Tx) error { return nil }); err != nil {
		t.Errorf("with it again: %v", err)
	}
}

// superuser runs statements with a connection of its own.
func (p *pair) superuser(url string) func(sql string) {
	return func(sql string) {
		p.t.Helper()
		c, err := pgx.Connect(p.t.Context(), url)
		if err != nil {
			p.t.Fatal(err)
		}
		defer c.Close(p.t.Context())
		if _, err := c.Exec(p.t.Context(), sql); err != nil {
			p.t.Fatal(err)
		}
	}
}
