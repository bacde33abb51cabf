package booking

import (
	"context"
	"errors"

	"holdfast/db"
	"holdfast/internal/domain"
)

// resume gives a job again to refunds, webhooks, mails and cancelled events that have none: the job was given up
// after hours without Stripe, or its process was killed. Nothing that concerns money may
// hang on the life of one row in the queue.
func (s *Service) resume(ctx context.Context) error {
	refunds, err := s.db.IdleRefunds(ctx)
	if err != nil {
		return err
	}
	events, err := s.db.IdleStripeEvents(ctx)
	if err != nil {
		return err
	}
	mails, err := s.db.IdleMails(ctx)
	if err != nil {
		return err
	}
	cancelled, err := s.db.IdleCancelledEvents(ctx)
	if err != nil {
		return err
	}
	var jobs []db.Job
	for _, id := range mails {
		jobs = append(jobs, domain.MailJob{MailID: id})
	}
	for _, id := range cancelled {
		jobs = append(jobs, domain.CancelEventJob{EventID: id})
	}
	for _, id := range refunds {
		jobs = append(jobs, domain.RefundJob{RefundID: id})
	}
	for _, e := range events {
		if job := jobFor(e.Type, e.ObjectID, e.ID); job != nil {
			jobs = append(jobs, job)
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	s.log.Warn("work without a job is taken up again", "refunds", len(refunds), "webhooks", len(events), "mails", len(mails), "cancelled_events", len(cancelled))
	return s.db.InTx(ctx, func(t *db.Tx) error {
		var failed error
		for _, job := range jobs {
			failed = errors.Join(failed, t.Enqueue(ctx, job, atOnce()))
		}
		return failed
	})
}
