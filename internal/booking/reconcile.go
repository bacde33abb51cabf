package booking

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// window is how far back Stripe's own lists are read.
const window = 48 * time.Hour

// Reconcile reads Stripe's lists of sessions and refunds and puts right what our
// database never heard of: money, pages whose creation was never answered, refunds made
// by hand. It goes on past single failures and returns them.
func (s *Service) Reconcile(ctx context.Context) error {
	if s.pay == nil {
		return nil
	}
	sessions, refunds, err := s.lists(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, x := range sessions {
		if err := s.reconcileSession(ctx, x); err != nil {
			failed = errors.Join(failed, fmt.Errorf("session %s: %w", x.ID, err))
		}
	}
	for intent, known := range refunds {
		if err := ignore(s.reconcileRefunds(ctx, intent, known), domain.ErrNotFound); err != nil {
			failed = errors.Join(failed, fmt.Errorf("refunds of %s: %w", intent, err))
		}
	}
	return failed
}

// AskStripe is the staff button: it settles everything under way and compares with
// Stripe's lists, as the sweep and the hourly look do by themselves. ErrGateway: Stripe
// did not answer for some.
func (s *Service) AskStripe(ctx context.Context) error {
	live, err := s.db.LivePayments(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, id := range live {
		_, err := s.EndPayment(ctx, id)
		failed = errors.Join(failed, err)
	}
	return errors.Join(failed, s.Reconcile(ctx))
}

// lists are Stripe's sessions of ours, and its refunds by payment intent.
func (s *Service) lists(ctx context.Context) ([]domain.PaySession, map[string][]domain.ProviderRefund, error) {
	since := time.Now().Add(-window)
	all, err := s.pay.SessionsSince(ctx, since)
	if err != nil {
		return nil, nil, err
	}
	var ours []domain.PaySession
	for _, x := range all {
		if x.Metadata["app"] == "holdfast" {
			ours = append(ours, x)
		}
	}
	refunds, err := s.pay.RefundsSince(ctx, since)
	if err != nil {
		return nil, nil, err
	}
	by := map[string][]domain.ProviderRefund{}
	for _, r := range refunds {
		by[r.PaymentIntent] = append(by[r.PaymentIntent], r)
	}
	return ours, by, nil
}

func (s *Service) reconcileSession(ctx context.Context, x domain.PaySession) error {
	id, err := s.paymentOf(ctx, x)
	if errors.Is(err, domain.ErrNotFound) {
		return s.unknownMoney(ctx, x)
	}
	if err != nil {
		return err
	}
	p, err := s.db.Payment(ctx, id)
	if err != nil || p.Received > 0 {
		return err
	}
	switch {
	case x.Paid, x.Status == domain.SessionExpired && p.Live():
		// Also a page that came and went without our ever hearing its id: asked again with
		// the same key, Stripe may repeat the failure that hid it for a day.
		err = s.found(s.Settle(ctx, x.ID))
	case x.Status == domain.SessionOpen && !p.Live():
		// Our attempt is closed, its page must not take money.
		if _, err = s.pay.ExpireSession(ctx, x.ID); errors.Is(err, domain.ErrSessionNotOpen) {
			err = s.found(s.Settle(ctx, x.ID))
		}
	case x.Status == domain.SessionOpen && p.StripeSessionID == nil:
		_, err = s.db.OpenPayment(ctx, p.ID, x)
	}
	return err
}

// unknownMoney alarms about paid sessions that carry our name and belong to no payment
// we know: only after the database was restored from an old backup.
func (s *Service) unknownMoney(ctx context.Context, x domain.PaySession) error {
	if !x.Paid {
		return nil
	}
	s.log.Error("Stripe took money that no payment of ours belongs to", "session", x.ID)
	return s.db.InTx(ctx, func(t *db.Tx) error {
		return s.task(ctx, t, db.StaffTask{Kind: "unknown_money", Words: "Stripe's session " + x.ID +
			" was paid, but this database has no payment for it. Was a backup restored? Please refund it in Stripe or sell by hand."})
	})
}

// CompareStripe is the part of the audit that needs Stripe: E1, every paid session of
// ours has an outcome here; E2, what Stripe took less what it gave back is what we say.
func (s *Service) CompareStripe(ctx context.Context) (found []db.Finding, checks int, err error) {
	if s.pay == nil {
		return nil, 0, nil
	}
	sessions, refunds, err := s.lists(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, x := range sessions {
		if !x.Paid {
			continue
		}
		id, err := s.paymentOf(ctx, x)
		if errors.Is(err, domain.ErrNotFound) {
			found = append(found, db.Finding{Invariant: "E1", Table: "payments", Key: x.ID, Words: "paid at Stripe, unknown here"})
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		p, err := s.db.Payment(ctx, id)
		if err != nil {
			return nil, 0, err
		}
		if p.Received == 0 {
			found = append(found, db.Finding{Invariant: "E1", Table: "payments", Key: strconv.FormatInt(id, 10), Words: "paid at Stripe, neither booked nor refunded here"})
			continue
		}
		f, err := s.compareSum(ctx, p, x, refunds[x.PaymentIntent])
		if err != nil {
			return nil, 0, err
		}
		found = append(found, f...)
	}
	return found, 2, nil
}

func (s *Service) compareSum(ctx context.Context, p db.Payment, x domain.PaySession, known []domain.ProviderRefund) ([]db.Finding, error) {
	there := x.Amount
	for _, k := range known {
		if k.State != domain.RefundFailed {
			there -= k.Amount
		}
	}
	here, err := s.db.KeptOfIntent(ctx, x.PaymentIntent)
	if err != nil {
		return nil, err
	}
	if there == here {
		return nil, nil
	}
	return []db.Finding{{Invariant: "E2", Table: "payments", Key: strconv.FormatInt(p.ID, 10),
		Words: fmt.Sprintf("Stripe holds %d of it, this database says %d", there, here)}}, nil
}

// Audit runs every invariant and the comparison with Stripe and keeps the result for
// the status page. err says that it could not look.
func (s *Service) Audit(ctx context.Context) ([]db.Finding, int, error) {
	found, checks, err := s.db.Audit(ctx)
	if err == nil {
		var more []db.Finding
		var n int
		more, n, err = s.CompareStripe(ctx)
		found, checks = append(found, more...), checks+n
	}
	words := ""
	if err != nil {
		words = err.Error()
	}
	return found, checks, errors.Join(err, s.db.InsertAuditRun(ctx, found, checks, words))
}

// NightlyAudit runs the audit unless one ran in the last 23 hours.
func (s *Service) NightlyAudit(ctx context.Context) error {
	due, err := s.db.AuditDue(ctx)
	if err != nil || !due {
		return err
	}
	found, _, err := s.Audit(ctx)
	for _, f := range found {
		s.log.Error("audit", "finding", f.String())
	}
	return err
}
