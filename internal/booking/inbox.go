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
		if !strings.HasPrefix(kind, "checkout.session.") || object == "" {
			return t.DoneStripeEvent(ctx, id, "not read")
		}
		return t.Enqueue(ctx, domain.SettleJob{SessionID: object, EventID: id}, now())
	})
}
