package stripepay

import (
	"context"
	"strings"

	"github.com/stripe/stripe-go/v76"

	"holdfast/internal/domain"
)

// Dispute says what Stripe knows about a dispute now. An amount that our currency
// table cannot express is 0 with a line in the log, never a reason to overlook
// the dispute.
func (c *Client) Dispute(ctx context.Context, id string) (domain.ProviderDispute, error) {
	var d *stripe.Dispute
	err := c.try(ctx, "get dispute", func(ctx context.Context) (err error) {
		if d, err = c.disputes.Get(id, &stripe.DisputeParams{Params: stripe.Params{Context: ctx}}); err != nil {
			return err
		}
		return unusable(d.ID)
	})
	if err != nil {
		return domain.ProviderDispute{}, err
	}
	return c.toDispute(d), nil
}

func (c *Client) toDispute(d *stripe.Dispute) domain.ProviderDispute {
	amount, _, err := fromStripe(d.Amount, d.Currency)
	if err != nil {
		amount = 0
		c.log.Warn("stripe: amount of a dispute cannot be expressed", "dispute", d.ID, "amount", d.Amount, "currency", d.Currency, "err", err)
	}
	out := domain.ProviderDispute{
		ID: d.ID, Status: string(d.Status), Reason: string(d.Reason),
		Amount: amount, Currency: strings.ToUpper(string(d.Currency)),
		Inquiry: strings.HasPrefix(string(d.Status), "warning_"),
		Won:     d.Status == stripe.DisputeStatusWon,
	}
	switch d.Status {
	case stripe.DisputeStatusWon, stripe.DisputeStatusLost, stripe.DisputeStatusWarningClosed:
		out.Closed = true
	}
	if d.PaymentIntent != nil {
		out.PaymentIntent = d.PaymentIntent.ID
	}
	return out
}
