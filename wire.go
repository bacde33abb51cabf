package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"holdfast/db"
	"holdfast/handlers"
	"holdfast/internal/config"
	"holdfast/internal/demo"
	"holdfast/internal/domain"
	"holdfast/internal/mail"
	"holdfast/internal/stripepay"
	"holdfast/internal/ticket"
)

// hooks reads webhooks for the handlers.
type hooks struct{ *stripepay.Webhooks }

func webhooks(cfg config.Config) hooks {
	var secrets []string
	for _, s := range cfg.StripeWebhookSecrets {
		secrets = append(secrets, string(s))
	}
	return hooks{stripepay.NewWebhooks(secrets)}
}

// Read tells a bad signature, which is the sender's fault, from a signed body that we
// cannot read, which must come again.
func (h hooks) Read(payload []byte, header string, now time.Time) (handlers.Webhook, error) {
	e, err := h.Verify(payload, header, now)
	if errors.Is(err, stripepay.ErrSignature) {
		return handlers.Webhook{}, fmt.Errorf("%w: %w", handlers.ErrBadSignature, err)
	}
	return handlers.Webhook(e), err
}

// outbox shows the demo's mails.
type outbox struct{ db *db.DB }

func (o outbox) Recent(ctx context.Context, n int) ([]handlers.OutboxMail, error) {
	list, err := o.db.RecentMails(ctx, n)
	out := make([]handlers.OutboxMail, len(list))
	for i, m := range list {
		out[i] = outboxMail(m)
	}
	return out, err
}

func (o outbox) Mail(ctx context.Context, id int64) (handlers.OutboxMail, error) {
	m, err := o.db.Mail(ctx, id)
	return outboxMail(m), err
}

func outboxMail(m db.Mail) handlers.OutboxMail {
	return handlers.OutboxMail{ID: m.ID, Kind: m.Kind, To: m.ToAddress, Subject: m.Subject, Text: m.TextBody, State: m.State, Error: m.Error, At: m.CreatedAt}
}

func mailer(cfg config.Config, d *db.DB, signer domain.Signer, log *slog.Logger) *mail.Mailer {
	c := mail.Config{
		From: cfg.MailFrom, BaseURL: cfg.BaseURL, Signer: signer, Demo: cfg.Demo, Log: log, QR: ticket.PNG,
		Calendar: func(b mail.Booking) ([]byte, error) { return ticket.ICS(ticket.Booking(b)) },
	}
	if s := cfg.SMTP; s != nil {
		c.SMTP = &mail.SMTP{Host: s.Host, Port: s.Port, User: s.User, Password: string(s.Password), TLS: mail.TLSMode(s.TLS)}
	}
	return mail.New(d, c)
}

// samples loads and clears the demo for the start page.
type samples struct{ db *db.DB }

// Load makes no accounts: their passwords could be told to nobody.
func (s samples) Load(ctx context.Context, by domain.By) error {
	_, err := demo.Load(ctx, s.db, demo.Options{By: by})
	if errors.Is(err, demo.ErrRealEvents) {
		return &domain.RuleError{Code: "real_events", Words: "This house has events of its own. The demo is only for an empty one, so that nobody buys an invented ticket."}
	}
	return err
}

func (s samples) Clear(ctx context.Context, by domain.By) error {
	err := demo.Clear(ctx, s.db, by)
	if errors.Is(err, demo.ErrOwnAccount) {
		return &domain.RuleError{Code: "own_account", Words: "You are signed in with an account of the demo, and it would go too. Sign in with another owner’s, or run “holdfast demo clear”."}
	}
	return err
}
