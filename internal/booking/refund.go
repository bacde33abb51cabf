package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// WorkRefund asks Stripe to do one refund, or how it is getting on. done says that
// the provider had its last word; otherwise ask again later. Before a key is used
// again after a day, Stripe's own list is searched for our refund's id, so that an
// answer that was lost never becomes a second refund.
func (s *Service) WorkRefund(ctx context.Context, id int64) (done bool, err error) {
	r, err := s.db.Refund(ctx, id)
	if err != nil {
		return false, err
	}
	if r.State == string(domain.RefundSucceeded) || r.State == string(domain.RefundFailed) {
		return true, nil
	}
	if s.pay == nil {
		return false, domain.ErrPaymentsOff
	}
	answer, err := s.askRefund(ctx, r)
	// Refused for a refund that exists, such as with a key that was revoked, says nothing
	// about that refund.
	if errors.Is(err, domain.ErrGatewayRefused) && r.StripeRefundID == nil {
		answer, err = domain.ProviderRefund{State: domain.RefundFailed, Failure: err.Error()}, nil
	}
	if err != nil {
		return false, err
	}
	return answer.State != domain.RefundPending, s.noteRefund(ctx, r, answer)
}

func (s *Service) askRefund(ctx context.Context, r db.Refund) (domain.ProviderRefund, error) {
	if r.StripeRefundID != nil {
		return s.pay.Refund(ctx, *r.StripeRefundID)
	}
	if r.PaymentIntent == nil {
		return domain.ProviderRefund{}, fmt.Errorf("refund %d has no payment intent: %w", r.ID, domain.ErrGatewayRefused)
	}
	if r.Attempt > 1 || time.Since(r.CreatedAt) > 23*time.Hour {
		if known, found, err := s.listedRefund(ctx, r); err != nil || found {
			return known, err
		}
	}
	answer, err := s.pay.CreateRefund(ctx, domain.RefundRequest{
		Key: fmt.Sprintf("rf:%d:%d", r.ID, r.Attempt), RefundID: r.ID, PaymentIntent: *r.PaymentIntent,
		Amount: r.Amount, Currency: r.Currency, Reason: r.Reason,
	})
	if errors.Is(err, domain.ErrGateway) {
		// Done, and an error is what the key answers for a day? The list knows.
		if known, found, listErr := s.listedRefund(ctx, r); listErr == nil && found {
			return known, nil
		}
	}
	return answer, err
}

// listedRefund looks for our refund in the provider's own list.
func (s *Service) listedRefund(ctx context.Context, r db.Refund) (_ domain.ProviderRefund, found bool, err error) {
	known, err := s.pay.Refunds(ctx, *r.PaymentIntent)
	for _, k := range known {
		if k.RefundID == fmt.Sprint(r.ID) {
			return k, true, err
		}
	}
	return domain.ProviderRefund{}, false, err
}

// noteRefund records the provider's word and what follows from it.
func (s *Service) noteRefund(ctx context.Context, r db.Refund, answer domain.ProviderRefund) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		p, err := t.LockPayment(ctx, r.PaymentID)
		if err != nil {
			return err
		}
		changed, err := t.SetRefund(ctx, r.ID, answer.State, answer.ID, answer.Failure)
		if err != nil || !changed {
			return err
		}
		switch answer.State {
		case domain.RefundFailed:
			if err := t.LedgerRefundBack(ctx, r.ID); err != nil {
				return err
			}
			return t.InsertTask(ctx, db.StaffTask{Kind: "refund_failed", Words: answer.Failure, PaymentID: &p.ID, EventID: &p.EventID})
		case domain.RefundSucceeded:
			return t.CloseRefunded(ctx, p.ID)
		}
		return nil
	})
}

// Sweep asks Stripe about every live payment that is old or whose countdown is over,
// releases holds that ran out and drops old sessions. It goes on past single failures and returns them.
func (s *Service) Sweep(ctx context.Context) error {
	due, err := s.db.DuePayments(ctx, 2*time.Minute)
	if err != nil {
		return err
	}
	var failed error
	for _, p := range due {
		if _, err := s.EndPayment(ctx, p.ID); err != nil {
			failed = errors.Join(failed, fmt.Errorf("payment %d: %w", p.ID, err))
		}
	}
	return errors.Join(failed, s.Tidy(ctx), s.db.DropSessions(ctx))
}
