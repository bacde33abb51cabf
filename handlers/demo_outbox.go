package handlers

import (
	"context"
	"net/http"
	"time"
)

// Outbox lists the mails of a demo, which leave for nowhere.
type Outbox interface {
	Recent(ctx context.Context, n int) ([]OutboxMail, error)
	Mail(ctx context.Context, id int64) (OutboxMail, error)
}

// OutboxMail is one mail as the demo shows it.
type OutboxMail struct {
	ID                      int64
	Kind, To, Subject, Text string
	State, Error            string
	At                      time.Time
}

func (s *site) outboxPage(w http.ResponseWriter, r *http.Request) error { return nil }
func (s *site) outboxMail(w http.ResponseWriter, r *http.Request) error { return nil }
