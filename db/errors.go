package db

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/internal/domain"
)

// retryable: the transaction was chosen as the victim of a deadlock (40P01) or of
// a serialisation conflict (40001); run again it may well succeed.
func retryable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

// classify turns what pgx says into a domain sentinel. An error that is neither
// an answer of PostgreSQL nor already ours means that nobody knows: unavailable.
func classify(err error) error {
	if err == nil || ours(err) {
		return err
	}
	var pg *pgconn.PgError
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("%w: %w", domain.ErrNotFound, err)
	case errors.As(err, &pg):
		return fmt.Errorf("%w: %w", sentinelOf(pg.Code), err)
	case errors.Is(err, context.Canceled):
		return err
	case unreachable(err):
		return fmt.Errorf("%w: %w", domain.ErrUnavailable, err)
	}
	return err
}

var errUnknown = errors.New("database refused")

func sentinelOf(code string) error {
	switch {
	case code == "55P03", code == "40001", code == "40P01":
		return domain.ErrBusy
	case code == "23P01": // events_no_overlap is the only exclusion constraint
		return domain.ErrOverlap
	case code == "23505", code == "23503", code == "23514", code == "23001":
		return domain.ErrConflict
	case code == "57014", // statement timeout
		code == "25P03",                  // idle in transaction
		strings.HasPrefix(code, "57P"),   // shutdown, crash, starting up
		strings.HasPrefix(code, "08"),    // connection
		strings.HasPrefix(code, "53"),    // out of connections, memory, disk
		strings.HasPrefix(code, "58"),    // system error
		code == "25006",                  // read-only: a standby or a full disk
		code == "28000", code == "3D000": // access or database gone
		return domain.ErrUnavailable
	}
	return errUnknown
}

func ours(err error) bool {
	for _, s := range []error{domain.ErrNotFound, domain.ErrBusy, domain.ErrConflict, domain.ErrOverlap, domain.ErrUnavailable, errUnknown} {
		if errors.Is(err, s) {
			return true
		}
	}
	return false
}

func unreachable(err error) bool {
	var connect *pgconn.ConnectError
	var network interface{ Timeout() bool }
	text := err.Error()
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) ||
		strings.Contains(text, "EOF") || strings.Contains(text, "conn closed") || strings.Contains(text, "closed pool") ||
		strings.Contains(text, "broken pipe") || strings.Contains(text, "connection reset")
}
