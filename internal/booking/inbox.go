package booking

import (
	"context"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Receive stores a verified webhook's ids and the job that will ask Stripe about it,
// in one transaction: answer 200 only after it returned nil. Events about things that
// settle does not read are stored as done.
func (s *Service) Receive(ctx context.Context, id, kind, object string, livemode bool) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		fresh, err := t.InsertStripeEvent(ctx, id, kind, object, livemode)
		if err != nil || !fresh {
			return err
		}
		if livemode != s.live {
			s.log.Warn("webhook of the other mode ignored", "stripe_event", id, "livemode", livemode)
			return t.DoneStripeEvent(ctx, id, "other livemode")
		}
		job := jobFor(kind, object, id)
		if job == nil {
			return t.DoneStripeEvent(ctx, id, "not read")
		}
		return t.Enqueue(ctx, job, atOnce())
	})
}

// jobFor is the work that a kind of webhook asks for; nil for those that need none.
func jobFor(kind, object, event string) db.Job {
	switch {
	case object == "":
		return nil
	case strings.HasPrefix(kind, "checkout.session."):
		return domain.SettleJob{SessionID: object, EventID: event}
	case strings.HasPrefix(kind, "charge.dispute."):
		return domain.DisputeJob{DisputeID: object, EventID: event}
	case strings.HasPrefix(kind, "refund."), kind == "charge.refunded", kind == "charge.refund.updated":
		return domain.RefundNewsJob{ObjectID: object, EventID: event}
	}
	return nil
}
