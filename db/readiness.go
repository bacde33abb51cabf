package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Readiness says how far a house is with what it needs before it can sell.
type Readiness struct {
	Layouts    bool // published ones
	Resources  bool
	Films      bool
	Routes     bool
	Events     bool // drafts count
	Prices     bool
	TestMail   bool // one left
	Published  bool
	Demo       bool // the demo is loaded: what it made counts above too
	RealEvents bool
}

const readinessSQL = `
SELECT EXISTS (SELECT 1 FROM layout_versions) AS layouts, EXISTS (SELECT 1 FROM resources) AS resources, EXISTS (SELECT 1 FROM films) AS films, EXISTS (SELECT 1 FROM routes) AS routes,
       EXISTS (SELECT 1 FROM events WHERE status <> 'cancelled') AS events, EXISTS (SELECT 1 FROM fares) AS prices,
       EXISTS (SELECT 1 FROM mails WHERE kind = 'test' AND state = 'sent') AS test_mail,
       EXISTS (SELECT 1 FROM events WHERE status = 'published') AS published,
       EXISTS (SELECT 1 FROM demo_rows) AS demo,
       EXISTS (SELECT 1 FROM events WHERE id NOT IN ` + demoEvents + `) AS real_events`

// Readiness reads it.
func (q Queries) Readiness(ctx context.Context) (Readiness, error) {
	return row[Readiness](ctx, q.q, readinessSQL, nil)
}

const lastTestMailSQL = mailColumns + `WHERE kind = 'test' AND to_address = @to ORDER BY id DESC LIMIT 1`

// LastTestMail is the newest test mail to an address; domain.ErrNotFound.
func (q Queries) LastTestMail(ctx context.Context, to string) (Mail, error) {
	return row[Mail](ctx, q.q, lastTestMailSQL, pgx.StrictNamedArgs{"to": to})
}

const testMailWaitsSQL = `
SELECT EXISTS (SELECT 1 FROM mails WHERE kind = 'test' AND to_address = @to AND created_at > now() - interval '15 seconds')`

// TestMailWaits tells whether the same press of a button came before.
func (t *Tx) TestMailWaits(ctx context.Context, to string) (bool, error) {
	return scalar[bool](ctx, t.q, testMailWaitsSQL, pgx.StrictNamedArgs{"to": to})
}

const demoActorSQL = `
SELECT EXISTS (SELECT 1 FROM demo_rows WHERE table_name = 'staff' AND 'staff:' || row_key = @actor)`

// DemoActor tells whether an actor of the log is an account that the demo made.
func (q Queries) DemoActor(ctx context.Context, actor string) (bool, error) {
	return scalar[bool](ctx, q.q, demoActorSQL, pgx.StrictNamedArgs{"actor": actor})
}
