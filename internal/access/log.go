package access

import (
	"context"
	"math"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// What the log's page reads, as the database has it.
type (
	LogLine = db.LogLine
	Person  = db.Person
)

// LogSearch says which lines of the log of changes. Zero fields ask nothing.
type LogSearch struct {
	Text     string     // as typed: part of the act, of what it was about or of who it was; a booking's reference
	Actor    string     // staff:7
	From, To *time.Time // instants; To is not included
	Below    int64      // lines with smaller ids: the next page
}

// Log lists n lines, newest first.
func (s *Service) Log(ctx context.Context, q LogSearch, n int) ([]LogLine, error) {
	if q.Below <= 0 {
		q.Below = math.MaxInt64
	}
	plain := strings.NewReplacer("_", " ", ":", " ").Replace(strings.ToLower(strings.ToValidUTF8(strings.ReplaceAll(q.Text, "\x00", ""), "")))
	return s.db.SearchLog(ctx, db.LogSearch{
		Text: strings.Join(strings.Fields(plain), " "), Reference: domain.ParseReference(q.Text), Actor: q.Actor, From: q.From, To: q.To, Below: q.Below,
	}, n)
}

// People lists everybody who has or had an account, by name.
func (s *Service) People(ctx context.Context) ([]Person, error) { return s.db.People(ctx) }
