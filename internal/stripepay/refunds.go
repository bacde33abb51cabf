package stripepay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"

	"holdfast/internal/domain"
)

// CreateRefund asks for money back. The same request (same Key) gives the same
// refund within 24 h; afterwards look at Refunds first. ErrGatewayRefused: this
// call gave nothing back, Error.Code says why (charge_already_refunded, …);
// ErrGatewayBalance stands beside it when our balance is too low.
func (c *Client) CreateRefund(ctx context.Context, req domain.RefundRequest) (domain.ProviderRefund, error) {
	const op = "create refund"
	cur, err := domain.CurrencyOf(req.Currency)
	if err != nil {
		return domain.ProviderRefund{}, refuse(op, err)
	}
	amount, err := cur.ToStripe(req.Amount)
	if err != nil {
		return domain.ProviderRefund{}, refuse(op, err)
	}
	r, err := c.refund(ctx, op, func(ctx context.Context) (*stripe.Refund, error) {
		return c.refunds.New(&stripe.RefundParams{
			Params:        stripe.Params{Context: ctx, IdempotencyKey: stripe.String(req.Key)},
			PaymentIntent: stripe.String(req.PaymentIntent),
			Amount:        stripe.Int64(amount),
			Metadata: map[string]string{
				"app": App, "refund_id": strconv.FormatInt(req.RefundID, 10), "reason": shortened(req.Reason, 500),
			},
		})
	})
	if e := (*Error)(nil); errors.As(err, &e) && errors.Is(err, domain.ErrNotFound) {
		e.means = append(e.means, domain.ErrGatewayRefused)
	}
	return r, err
}

// shortened keeps within Stripe's limit for a metadata value.
func shortened(text string, most int) string {
	r := []rune(text)
	return string(r[:min(len(r), most)])
}

// Refund says what Stripe knows about a refund now.
func (c *Client) Refund(ctx context.Context, id string) (domain.ProviderRefund, error) {
	return c.refund(ctx, "get refund", func(ctx context.Context) (*stripe.Refund, error) {
		return c.refunds.Get(id, &stripe.RefundParams{Params: stripe.Params{Context: ctx}})
	})
}

// Refunds lists all refunds of a payment, newest first, those made in Stripe's
// own pages included (RefundID is empty there).
func (c *Client) Refunds(ctx context.Context, paymentIntent string) ([]domain.ProviderRefund, error) {
	all, err := c.list(ctx, "list refunds", func(lp stripe.ListParams) *stripe.Iter {
		return c.refunds.List(&stripe.RefundListParams{ListParams: lp, PaymentIntent: stripe.String(paymentIntent)}).Iter
	})
	if err != nil {
		return nil, err
	}
	var out []domain.ProviderRefund
	for _, v := range all {
		r, err := toRefund(v.(*stripe.Refund)) // the list holds nothing else
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// RefundsSince lists the refunds of the account created since then, newest first,
// ours and others'. Refunds in currencies that we do not know are left out with a
// line in the log, because they cannot be ours.
func (c *Client) RefundsSince(ctx context.Context, since time.Time) ([]domain.ProviderRefund, error) {
	all, err := c.list(ctx, "list refunds since", func(lp stripe.ListParams) *stripe.Iter {
		return c.refunds.List(&stripe.RefundListParams{
			ListParams: lp, CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: since.Unix()},
		}).Iter
	})
	if err != nil {
		return nil, err
	}
	var out []domain.ProviderRefund
	for _, v := range all {
		raw := v.(*stripe.Refund) // the list holds nothing else
		r, err := toRefund(raw)
		if err != nil {
			c.log.Warn("stripe: refund left out of the list", "refund", raw.ID, "err", err)
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

// PaymentIntentOf says which payment an object of a webhook belongs to: a session,
// a refund, a charge, a dispute or the payment intent itself, told apart by the
// id's prefix. "" when the object belongs to none; ErrNotFound for ids that
// Stripe does not have and for kinds that have nothing to do with payments.
func (c *Client) PaymentIntentOf(ctx context.Context, objectID string) (id string, err error) {
	prefix, _, _ := strings.Cut(objectID, "_")
	var pi *stripe.PaymentIntent
	err = c.try(ctx, "look up "+prefix, func(ctx context.Context) error {
		p := stripe.Params{Context: ctx}
		switch prefix {
		case "pi":
			pi = &stripe.PaymentIntent{ID: objectID}
			return nil
		case "cs":
			o, err := c.sessions.Get(objectID, &stripe.CheckoutSessionParams{Params: p})
			pi = o.PaymentIntent
			return err
		case "re", "pyr":
			o, err := c.refunds.Get(objectID, &stripe.RefundParams{Params: p})
			pi = o.PaymentIntent
			return err
		case "ch", "py":
			o, err := c.charges.Get(objectID, &stripe.ChargeParams{Params: p})
			pi = o.PaymentIntent
			return err
		case "dp", "du":
			o, err := c.disputes.Get(objectID, &stripe.DisputeParams{Params: p})
			pi = o.PaymentIntent
			return err
		}
		return &stripe.Error{HTTPStatusCode: 404, Code: stripe.ErrorCodeResourceMissing, Msg: "no kind of object that we know"}
	})
	if err != nil || pi == nil {
		return "", err
	}
	return pi.ID, nil
}

// refund runs one call whose answer is a refund.
func (c *Client) refund(ctx context.Context, op string, call func(context.Context) (*stripe.Refund, error)) (domain.ProviderRefund, error) {
	var r *stripe.Refund
	err := c.try(ctx, op, func(ctx context.Context) (err error) {
		if r, err = call(ctx); err != nil {
			return err
		}
		return unusable(r.ID)
	})
	if err != nil {
		return domain.ProviderRefund{}, err
	}
	return toRefund(r)
}

func toRefund(r *stripe.Refund) (domain.ProviderRefund, error) {
	amount, code, err := fromStripe(r.Amount, r.Currency)
	if err != nil {
		return domain.ProviderRefund{}, fmt.Errorf("stripe: refund %s: %w", r.ID, err)
	}
	out := domain.ProviderRefund{
		ID: r.ID, Amount: amount, Currency: code, RefundID: r.Metadata["refund_id"],
		Failure: string(r.FailureReason), Created: time.Unix(r.Created, 0),
	}
	if r.PaymentIntent != nil {
		out.PaymentIntent = r.PaymentIntent.ID
	}
	switch r.Status {
	case stripe.RefundStatusSucceeded:
		out.State = domain.RefundSucceeded
	case stripe.RefundStatusFailed:
		out.State = domain.RefundFailed
	case stripe.RefundStatusCanceled:
		out.State = domain.RefundFailed
		out.Failure = cmp.Or(out.Failure, "canceled")
	default: // pending, requires_action, and whatever is added: it is on its way
		out.State = domain.RefundPending
	}
	return out, nil
}
