package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/failpoint"
)

// WorkRefund asks Stripe to do one refund, or how it is getting on. done says that
// the provider had its last word; otherwise ask again later. Before another key is
// used, or the same one again after a while, Stripe's own list is searched for our
// refund's id: an answer that was lost never becomes a second refund, and a key that
// answers "failed" for a day does not hide one that was made.
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
	switch {
	case errors.Is(err, domain.ErrGatewayBalance):
		return false, s.deferRefund(ctx, r, "Stripe's balance is too low; it is tried again by itself.")
	case errors.Is(err, domain.ErrGatewayRefused):
		answer = domain.ProviderRefund{State: domain.RefundFailed, Failure: err.Error()}
	case err != nil:
		return false, err
	}
	failpoint.Hit("refund.after_stripe")
	return answer.State != domain.RefundPending, s.noteRefund(ctx, r, answer)
}

func (s *Service) askRefund(ctx context.Context, r db.Refund) (domain.ProviderRefund, error) {
	if r.StripeRefundID != nil {
		return s.pay.Refund(ctx, *r.StripeRefundID)
	}
	if r.PaymentIntent == nil {
		return domain.ProviderRefund{}, fmt.Errorf("refund %d has no payment intent: %w", r.ID, domain.ErrGatewayRefused)
	}
	if r.Attempt > 1 || time.Since(r.CreatedAt) > time.Minute {
		known, err := s.pay.Refunds(ctx, *r.PaymentIntent)
		if err != nil {
			return domain.ProviderRefund{}, err
		}
		for _, k := range known {
			if k.RefundID == strconv.FormatInt(r.ID, 10) && k.State != domain.RefundFailed {
				return k, nil
			}
		}
	}
	return s.pay.CreateRefund(ctx, domain.RefundRequest{
		Key: fmt.Sprintf("rf:%d:%d", r.ID, r.Attempt), RefundID: r.ID, PaymentIntent: *r.PaymentIntent,
		Amount: r.Amount, Currency: r.Currency, Reason: r.Reason,
	})
}

// deferRefund leaves a refund in the queue with the reason and tells staff once.
func (s *Service) deferRefund(ctx context.Context, r db.Refund, words string) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if _, err := t.LockPayment(ctx, r.PaymentID); err != nil {
			return err
		}
		if err := t.DeferRefund(ctx, r.ID, words); err != nil {
			return err
		}
		return s.task(ctx, t, db.StaffTask{Kind: "refund_waits", Words: words, PaymentID: &r.PaymentID, EventID: &r.EventID})
	})
}

// noteRefund records the provider's word about a refund of ours.
func (s *Service) noteRefund(ctx context.Context, r db.Refund, answer domain.ProviderRefund) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		p, err := t.LockPayment(ctx, r.PaymentID)
		if err != nil {
			return err
		}
		now, err := t.Refund(ctx, r.ID)
		if err != nil {
			return err
		}
		return s.noteRefundIn(ctx, t, p, now, answer)
	})
}

// noteRefundIn is noteRefund with the payment locked: state, ledger, mail and task
// follow one another whatever order the news comes in, also "succeeded" and days later
// "failed".
func (s *Service) noteRefundIn(ctx context.Context, t *db.Tx, p db.Payment, r db.Refund, answer domain.ProviderRefund) error {
	if slices.Contains(r.EarlierIDs, answer.ID) {
		return nil // a try that failed before staff asked again
	}
	changed, err := t.SetRefund(ctx, r.ID, answer.State, answer.ID, answer.Failure)
	if err != nil || !changed || r.State == string(answer.State) {
		return err
	}
	failed, was := answer.State == domain.RefundFailed, r.State == string(domain.RefundFailed)
	if failed != was {
		if err := s.ledgerOfRefund(ctx, t, r, failed); err != nil {
			return err
		}
	}
	switch answer.State {
	case domain.RefundFailed:
		if err := t.ReopenRefunding(ctx, p.ID); err != nil {
			return err
		}
		if err := s.task(ctx, t, db.StaffTask{Kind: "refund_failed", Words: failedWords(answer), PaymentID: &p.ID, EventID: &p.EventID}); err != nil {
			return err
		}
		return s.refundMail(ctx, t, p, r, "refund_failed")
	case domain.RefundSucceeded:
		if err := t.CloseRefunded(ctx, p.ID); err != nil {
			return err
		}
		return s.refundMail(ctx, t, p, r, "refund_done")
	}
	return nil
}

func failedWords(answer domain.ProviderRefund) string {
	if answer.Failure == "" {
		return "The refund did not work. The customer must get the money another way."
	}
	return "The refund did not work (" + answer.Failure + "). The customer must get the money another way."
}

// ledgerOfRefund takes a refund out of the sums when it failed, and puts it in again.
func (s *Service) ledgerOfRefund(ctx context.Context, t *db.Tx, r db.Refund, failed bool) error {
	enter, sign := t.LedgerRefund, -1
	if failed {
		enter, sign = t.LedgerRefundBack, 1
	}
	if err := enter(ctx, r.ID); err != nil {
		return err
	}
	if r.Reason == "dashboard" {
		return t.WriteOff(ctx, r.ID, sign)
	}
	return nil
}

// refundMail tells the buyer; refunds made in Stripe by hand are told by whoever made them.
func (s *Service) refundMail(ctx context.Context, t *db.Tx, p db.Payment, r db.Refund, kind string) error {
	if r.Reason == "dashboard" {
		return nil
	}
	to, err := t.RefundAddress(ctx, p.ID)
	if err != nil {
		return err
	}
	return s.queueMail(ctx, t, db.Mail{Kind: kind, RefundID: &r.ID, ToAddress: to})
}

// RetryRefund asks for a refund again that failed or is stuck: the staff button.
// ErrConflict: it is done, or the money went back another way meanwhile.
func (s *Service) RetryRefund(ctx context.Context, id int64) error {
	r, err := s.db.Refund(ctx, id)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		p, err := t.LockPayment(ctx, r.PaymentID)
		if err != nil {
			return err
		}
		now, err := t.Refund(ctx, id)
		if err != nil {
			return err
		}
		switch now.State {
		case string(domain.RefundSucceeded):
			return domain.ErrConflict
		case string(domain.RefundFailed):
			again, err := t.RetryRefund(ctx, id)
			if err != nil || !again {
				return firstOf(err, domain.ErrConflict)
			}
			if err := s.ledgerOfRefund(ctx, t, now, false); err != nil {
				return err
			}
			if err := t.ReopenRefunding(ctx, p.ID); err != nil {
				return err
			}
		}
		return t.Enqueue(ctx, domain.RefundJob{RefundID: id}, atOnce())
	})
}
