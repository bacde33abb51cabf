package stripepay

import (
	"context"
	"errors"

	"github.com/stripe/stripe-go/v76"
)

// pageSize is the most that Stripe gives at once.
const pageSize = 100

// list reads all pages of a list. Each page has the timeout and the retries of
// one call; a page that fails fails the list, so half an answer never looks whole.
func (c *Client) list(ctx context.Context, op string, ask func(stripe.ListParams) *stripe.Iter) ([]any, error) {
	var all []any
	after := ""
	for {
		p, err := c.page(ctx, op, after, pageSize, ask)
		if err != nil {
			return nil, err
		}
		all = append(all, p.items...)
		if !p.more || len(p.items) == 0 {
			return all, nil
		}
		if p.last == after { // the next question would be the same one, for ever
			return nil, wrap(op, errors.New("the list does not move on"))
		}
		after = p.last
	}
}

type page struct {
	items []any
	last  string // id of the last item
	more  bool
}

func (c *Client) page(ctx context.Context, op, after string, size int64, ask func(stripe.ListParams) *stripe.Iter) (p page, err error) {
	err = c.try(ctx, op, func(ctx context.Context) error {
		lp := stripe.ListParams{Context: ctx, Limit: stripe.Int64(size), Single: true}
		if after != "" {
			lp.StartingAfter = stripe.String(after)
		}
		p = page{}
		iter := ask(lp)
		for iter.Next() {
			p.items = append(p.items, iter.Current())
			p.last = idOf(iter.Current())
		}
		p.more = iter.Meta().HasMore
		return iter.Err()
	})
	return p, err
}

func idOf(item any) string {
	switch v := item.(type) {
	case *stripe.CheckoutSession:
		return v.ID
	case *stripe.Refund:
		return v.ID
	case *stripe.BalanceTransaction:
		return v.ID
	case *stripe.Payout:
		return v.ID
	}
	return ""
}
