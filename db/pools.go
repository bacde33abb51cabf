package db

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// directConns is how many connections go past a pooler: one listens, the others are for
// River's own short statements.
const directConns = 4

// poolPlan is what one of the pools is for.
type poolPlan struct {
	name     string // of its variable, for words
	min, max int32
	// pooler says that the address is that of a transaction pooler such as PgBouncer. One
	// session of ours is then many of the server's: nothing may be prepared in it by name,
	// and what is asked for at its start is refused or, worse, dropped.
	pooler bool
}

// sessionSettings are what a session of ours needs of the server. The first three are
// limits in milliseconds: a lock that is not given, a statement that does not end and a
// transaction that nobody goes on with must not stop the others. The last is because our
// statements take milliseconds: compiling them takes longer, each time anew.
func sessionSettings() map[string]string {
	return map[string]string{"lock_timeout": "3000", "statement_timeout": "10000", "idle_in_transaction_session_timeout": "15000", "jit": "off"}
}

func openPool(ctx context.Context, url string, p poolPlan) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New(p.name + " cannot be read as a PostgreSQL address")
	}
	cfg.MaxConns, cfg.MinConns = p.max, min(p.min, p.max)
	cfg.MaxConnIdleTime = 5 * time.Minute
	cfg.HealthCheckPeriod = 15 * time.Second
	cfg.ConnConfig.ConnectTimeout = 3 * time.Second
	set := cfg.ConnConfig.RuntimeParams
	set["application_name"], set["timezone"] = "holdfast", "UTC"
	for name, value := range sessionSettings() {
		if p.pooler {
			delete(set, name) // the role has it: CheckSession
		} else {
			set[name] = value
		}
	}
	if p.pooler && !strings.Contains(url, "default_query_exec_mode") {
		cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("database pool: %w", classify(err))
	}
	return pool, nil
}

const inForceSQL = `
SELECT name, setting, current_user::text AS role, current_database()::text AS base
  FROM pg_settings WHERE name = ANY(@names::text[]) ORDER BY name`

type inForce struct{ Name, Setting, Role, Base string }

// CheckSession returns an error, with words on what to do, unless the settings are in
// force in the sessions that DATABASE_URL gives. Behind a pooler the program cannot ask
// for them.
func (d *DB) CheckSession(ctx context.Context) error {
	want := sessionSettings()
	have, err := rows[inForce](ctx, d.q, inForceSQL, pgx.StrictNamedArgs{"names": slices.Collect(maps.Keys(want))})
	if err != nil {
		if d.direct == d.pool {
			err = poolerWords(err)
		}
		return err
	}
	var mend []string
	for _, h := range have {
		if !fits(h.Setting, want[h.Name]) {
			mend = append(mend, fmt.Sprintf("ALTER ROLE %s IN DATABASE %s SET %s = %s;", quoted(h.Role), quoted(h.Base), h.Name, want[h.Name]))
		}
	}
	if len(mend) > 0 && d.direct == d.pool {
		return errors.New("a pooler stands before the database and drops settings that the program needs: set DATABASE_DIRECT_URL to the address past it, see docs/scale.md")
	}
	if len(mend) > 0 {
		return fmt.Errorf("a pooler stands before the database and drops settings that the program needs; let the database make them, then let the pooler connect anew:\n  %s", strings.Join(mend, "\n  "))
	}
	return nil
}

// poolerWords says what to do when an answer is one that only a pooler gives.
func poolerWords(err error) error {
	if strings.Contains(err.Error(), "unsupported startup parameter") || strings.Contains(err.Error(), "42P05") {
		return fmt.Errorf("a pooler answers at DATABASE_URL: set DATABASE_DIRECT_URL to the address past it, see docs/scale.md (%w)", err)
	}
	return err
}

// fits: a limit may be stricter; 0 is none.
func fits(have, want string) bool {
	most, err := strconv.Atoi(want)
	if err != nil {
		return have == want
	}
	ms, err := strconv.Atoi(have)
	return err == nil && ms > 0 && ms <= most
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }
