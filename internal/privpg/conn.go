package privpg

import (
	"context"
	"errors"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Postgres codes that matter while a server comes, goes or is shared.
const (
	codeDuplicateDatabase = "42P04"
	codeUniqueViolation   = "23505" // two CREATE DATABASE of one name at the same moment
	codeCannotConnectNow  = "57P03" // starting up or shutting down
)

func (s *Server) dbURL(name string) string {
	return "postgres:///" + url.PathEscape(name) + "?host=" + url.QueryEscape(s.SockDir) +
		"&port=5432&user=postgres&sslmode=disable"
}

func (s *Server) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingWait)
	defer cancel()
	c, err := pgx.Connect(ctx, s.adminURL)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	return c.Ping(ctx)
}

// listens says whether any server answers, be it only with "not now".
func (s *Server) listens(ctx context.Context) bool {
	err := s.ping(ctx)
	return err == nil || hasCode(err, codeCannotConnectNow)
}

func (s *Server) ensureDB(ctx context.Context, name string) error {
	c, err := pgx.Connect(ctx, s.adminURL)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	var n int
	if err := c.QueryRow(ctx, `select count(*) from pg_database where datname = $1`, name).Scan(&n); err != nil || n > 0 {
		return err
	}
	_, err = c.Exec(ctx, `create database `+pgx.Identifier{name}.Sanitize())
	if hasCode(err, codeDuplicateDatabase) || hasCode(err, codeUniqueViolation) {
		return nil // another process was quicker
	}
	return err
}

func hasCode(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}
