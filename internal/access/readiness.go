package access

import (
	"context"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// What the start page reads, as the database has it.
type (
	Readiness = db.Readiness
	TestMail  = db.Mail
)

// Readiness says how far the house is with what it needs before it can sell.
func (s *Service) Readiness(ctx context.Context) (Readiness, error) { return s.db.Readiness(ctx) }

// LastTestMail is the newest test mail to somebody; domain.ErrNotFound when none was
// asked for.
func (s *Service) LastTestMail(ctx context.Context, who Staff) (TestMail, error) {
	return s.db.LastTestMail(ctx, who.Email)
}

// SendTestMail queues a mail to the person's own address, on the way that every mail
// takes. Pressed twice it is one mail.
func (s *Service) SendTestMail(ctx context.Context, who Staff, by domain.By) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		twice, err := t.TestMailWaits(ctx, who.Email)
		if err != nil || twice {
			return err
		}
		id, err := t.InsertMail(ctx, db.Mail{Kind: "test", ToAddress: who.Email})
		if err != nil {
			return err
		}
		if err := t.Enqueue(ctx, domain.MailJob{MailID: id}, time.Time{}); err != nil {
			return err
		}
		return t.Log(ctx, by, "test_mail", who.Actor(), nil, map[string]string{"to": who.Email})
	})
}
