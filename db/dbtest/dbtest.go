// Package dbtest gives every test a scratch database of its own with the schema in
// place. A missing database is a failure, never a skip.
package dbtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"holdfast/db"
	"holdfast/internal/privpg"
)

// server is the one PostgreSQL of a test binary with a migrated template database.
type server struct {
	url      string // of the administrative database
	template string
	err      error
}

var start = sync.OnceValue(func() server {
	ctx := context.Background()
	s := server{url: os.Getenv("DATABASE_URL"), template: name("template")}
	if s.url == "" {
		p, err := privpg.Start(ctx, privpg.Options{}) // ends with this process
		if err != nil {
			s.err = err
			return s
		}
		s.url = p.URL
	}
	if s.err = create(ctx, s.url, s.template, ""); s.err != nil {
		return s
	}
	s.err = db.Migrate(ctx, with(s.url, s.template), slog.New(slog.DiscardHandler))
	return s
})

// URL makes a scratch database, migrated and empty, and returns its address. It is
// dropped when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	s := start()
	if s.err != nil {
		t.Fatalf("no test database: %v", s.err)
	}
	n := name("test")
	if err := create(t.Context(), s.url, n, s.template); err != nil {
		t.Fatalf("scratch database: %v", err)
	}
	t.Cleanup(func() { drop(t, s.url, n) })
	return with(s.url, n)
}

// EmptyURL is URL without the schema.
func EmptyURL(t testing.TB) string {
	t.Helper()
	s := start()
	if s.err != nil {
		t.Fatalf("no test database: %v", s.err)
	}
	n := name("empty")
	if err := create(t.Context(), s.url, n, ""); err != nil {
		t.Fatalf("scratch database: %v", err)
	}
	t.Cleanup(func() { drop(t, s.url, n) })
	return with(s.url, n)
}

// New opens a scratch database; it is closed and dropped when the test ends.
func New(t testing.TB) *db.DB { return Open(t, URL(t), 0) }

// Open opens a pool of so many connections (0: the default) on a scratch database.
func Open(t testing.TB, url string, conns int32) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), url, db.Options{MaxConns: conns})
	if err != nil {
		t.Fatalf("open scratch database: %v", err)
	}
	t.Cleanup(d.Close)
	return d
}

func name(kind string) string {
	var b [6]byte
	_, _ = rand.Read(b[:])
	return fmt.Sprintf("holdfast_%s_%s", kind, hex.EncodeToString(b[:]))
}

// with is the server's address with another database name.
func with(server, database string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	u.Path = "/" + database
	return u.String()
}

func create(ctx context.Context, server, name, template string) error {
	c, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	sql := "CREATE DATABASE " + name
	if template != "" {
		sql += " TEMPLATE " + template
	}
	_, err = c.Exec(ctx, sql)
	return err
}

func drop(t testing.TB, server, name string) {
	ctx := context.WithoutCancel(t.Context())
	c, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Logf("drop %s: %v", name, err)
		return
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
		t.Logf("drop %s: %v", name, err)
	}
}
