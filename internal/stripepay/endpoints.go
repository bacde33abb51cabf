package stripepay

import (
	"context"
	"errors"

	"github.com/stripe/stripe-go/v76"
)

// WebhookEvents are the event types that the webhook has a use for. Refunds are
// told in several ways, because Stripe's words for them differ by API version and
// by the kind of refund.
func WebhookEvents() []string {
	return []string{
		"checkout.session.completed",
		"checkout.session.expired",
		"checkout.session.async_payment_succeeded",
		"checkout.session.async_payment_failed",
		"charge.refunded",
		"charge.refund.updated",
		"refund.created",
		"refund.updated",
		"refund.failed",
		"charge.dispute.created",
		"charge.dispute.updated",
		"charge.dispute.closed",
	}
}

// CreateWebhook asks Stripe to send WebhookEvents to an absolute address of ours
// and returns the secret that signs them. Stripe says it this once and never
// again: show or store it at once. Each call makes one more endpoint, and an
// ErrGateway may have made one too.
func (c *Client) CreateWebhook(ctx context.Context, url string) (secret string, err error) {
	key := stripe.NewIdempotencyKey() // the tries of one call make one endpoint
	err = c.try(ctx, "create webhook endpoint", func(ctx context.Context) error {
		e, err := c.endpoints.New(&stripe.WebhookEndpointParams{
			Params:        stripe.Params{Context: ctx, IdempotencyKey: &key},
			URL:           stripe.String(url),
			EnabledEvents: stripe.StringSlice(WebhookEvents()),
			Description:   stripe.String("Holdfast"),
			Metadata:      map[string]string{"app": App},
		})
		if err != nil {
			return err
		}
		if e.Secret == "" {
			return errors.New("answer without a secret")
		}
		secret = e.Secret
		return nil
	})
	return secret, err
}
