package booking

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"holdfast/db"
	"holdfast/internal/domain"
)

// WorkRefundNews works a webhook about a refund or a charge: it asks Stripe which
// refunds the payment has and records each, ours and those made in Stripe by hand.
// Order and repetition do not matter.
func (s *Service) WorkRefundNews(ctx context.Context, objectID, eventID string) error {
	return s.worked(ctx, eventID, func() (string, error) {
		if s.pay == nil {
			return "", domain.ErrPaymentsOff
		}
		intent, err := s.pay.PaymentIntentOf(ctx, objectID)
		if err != nil {
			return "", err
		}
		known, err := s.pay.Refunds(ctx, intent)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d refunds", len(known)), s.reconcileRefunds(ctx, intent, known)
	})
}

// worked marks a webhook as done with what do says; what is not ours is noted, not
// tried again.
func (s *Service) worked(ctx context.Context, eventID string, do func() (string, error)) error {
	note, err := do()
	if errors.Is(err, domain.ErrNotFound) {
		note, err = "not ours", nil
	}
	if err != nil || eventID == "" {
		return err
	}
	return s.db.DoneStripeEvent(ctx, eventID, note)
}

// reconcileRefunds makes our rows of one payment intent say what Stripe's list says.
func (s *Service) reconcileRefunds(ctx context.Context, intent string, known []domain.ProviderRefund) error {
	p, err := s.db.PaymentByIntent(ctx, intent)
	if err != nil {
		return err
	}
	for _, k := range known {
		err := s.db.InTx(ctx, func(t *db.Tx) error {
			p, err := t.LockPayment(ctx, p.ID)
			if err != nil {
				return err
			}
			ours, err := ourRefund(ctx, t, p, k)
			if errors.Is(err, domain.ErrNotFound) {
				return s.dashboardRefund(ctx, t, p, k)
			}
			if err != nil {
				return err
			}
			if ours.PaymentID != p.ID { // of a booking that this one's tickets were exchanged for
				if p, err = t.LockPayment(ctx, ours.PaymentID); err != nil {
					return err
				}
			}
			return s.noteRefundIn(ctx, t, p, ours, k)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ourRefund finds our row of a refund at Stripe: by its id there, or by ours in its
// metadata when the answer to our request was lost.
func ourRefund(ctx context.Context, t *db.Tx, p db.Payment, k domain.ProviderRefund) (db.Refund, error) {
	r, err := t.RefundByStripe(ctx, k.ID)
	if err == nil || !errors.Is(err, domain.ErrNotFound) {
		return r, err
	}
	id, parseErr := strconv.ParseInt(k.RefundID, 10, 64)
	if parseErr != nil {
		return db.Refund{}, err
	}
	r, err = t.Refund(ctx, id)
	same := r.PaymentID == p.ID || r.PaymentIntent != nil && p.StripePaymentIntentID != nil && *r.PaymentIntent == *p.StripePaymentIntentID
	if err == nil && (!same || r.StripeRefundID != nil) {
		return db.Refund{}, fmt.Errorf("refund %s names refund %d, which is another: %w", k.ID, id, domain.ErrNotFound)
	}
	return r, err
}

// dashboardRefund records a refund that we never asked for and leaves the tickets to
// staff: a refund never kills a ticket by itself.
func (s *Service) dashboardRefund(ctx context.Context, t *db.Tx, p db.Payment, k domain.ProviderRefund) error {
	if k.State == domain.RefundFailed || k.Amount <= 0 {
		return nil // it moved nothing
	}
	words := "Money was refunded in Stripe by hand. The tickets are still valid: cancel them, or leave them as a courtesy."
	id, err := t.InsertRefund(ctx, p.ID, k.Amount, p.Currency, "dashboard")
	if errors.Is(err, domain.ErrNotFound) {
		// More than we know to be left: a refund of ours must have been repeated by hand.
		return s.task(ctx, t, db.StaffTask{Kind: "refunded_twice", PaymentID: &p.ID, EventID: &p.EventID,
			Words: "Stripe shows refund " + k.ID + " beyond what this payment had left. Please compare with Stripe's page."})
	}
	if err != nil {
		return err
	}
	if _, err := t.SetRefund(ctx, id, k.State, k.ID, ""); err != nil {
		return err
	}
	if err := s.ledgerOfRefund(ctx, t, db.Refund{ID: id, Reason: "dashboard"}, false); err != nil {
		return err
	}
	if err := t.CloseRefunded(ctx, p.ID); err != nil {
		return err
	}
	return s.task(ctx, t, db.StaffTask{Kind: "dashboard_refund", Words: words, PaymentID: &p.ID, EventID: &p.EventID})
}

// WorkDispute works a webhook about a cardholder's complaint. A chargeback makes the
// door ask staff; an inquiry leaves the tickets as they are.
func (s *Service) WorkDispute(ctx context.Context, disputeID, eventID string) error {
	return s.worked(ctx, eventID, func() (string, error) {
		if s.pay == nil {
			return "", domain.ErrPaymentsOff
		}
		d, err := s.pay.Dispute(ctx, disputeID)
		if err != nil {
			return "", err
		}
		p, err := s.db.PaymentByIntent(ctx, d.PaymentIntent)
		if err != nil {
			return "", err
		}
		return d.Status, s.db.InTx(ctx, func(t *db.Tx) error {
			if _, err := t.LockPayment(ctx, p.ID); err != nil {
				return err
			}
			fresh, err := t.PutDispute(ctx, p.ID, d)
			if err != nil || !fresh {
				return err
			}
			return s.task(ctx, t, db.StaffTask{Kind: "dispute", Words: disputeWords(d), PaymentID: &p.ID, EventID: &p.EventID})
		})
	})
}

func disputeWords(d domain.ProviderDispute) string {
	switch {
	case d.Closed && d.Won:
		return "The dispute was won. Nothing to do."
	case d.Closed:
		return "The dispute is closed (" + d.Status + "). Please look at it in Stripe and decide about the tickets."
	case d.Inquiry:
		return "The cardholder's bank asks about this payment (" + d.Reason + "). The tickets stay valid. Please answer in Stripe."
	}
	return "Chargeback (" + d.Reason + "): the money was taken back for now. The door asks staff before it lets these tickets in. Please answer in Stripe."
}

// task puts an entry on the staff list and, when the house gave an address, a note
// into the mail; the same entry is made once while it is open.
func (s *Service) task(ctx context.Context, t *db.Tx, x db.StaffTask) error {
	fresh, err := t.InsertTask(ctx, x)
	if err != nil || !fresh {
		return err
	}
	s.log.Warn("task for staff", "kind", x.Kind, "words", x.Words)
	set, err := s.readSettings(ctx, t.Queries)
	if err != nil || set.StaffEmail == "" || x.PaymentID == nil && x.BookingID == nil {
		return err
	}
	return s.queueMail(ctx, t, db.Mail{Kind: "staff_note", PaymentID: x.PaymentID, BookingID: x.BookingID, ToAddress: set.StaffEmail})
}
