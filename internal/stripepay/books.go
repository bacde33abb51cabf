package stripepay

import (
	"context"
	"time"

	"github.com/stripe/stripe-go/v76"

	"holdfast/internal/domain"
)

// BalanceLines lists the account's balance transactions of from ≤ created < to, newest
// first. Lines in currencies that we do not know are left out with a line in the log.
func (c *Client) BalanceLines(ctx context.Context, from, to time.Time) ([]domain.BalanceLine, error) {
	all, err := c.list(ctx, "list balance transactions", func(lp stripe.ListParams) *stripe.Iter {
		lp.AddExpand("data.source")
		return c.balance.List(&stripe.BalanceTransactionListParams{
			ListParams: lp, CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: from.Unix(), LesserThan: to.Unix()},
		}).Iter
	})
	if err != nil {
		return nil, err
	}
	var out []domain.BalanceLine
	for _, v := range all {
		b := v.(*stripe.BalanceTransaction) // the list holds nothing else
		line, err := toBalanceLine(b)
		if err != nil {
			c.log.Warn("stripe: balance transaction left out of the list", "transaction", b.ID, "err", err)
			continue
		}
		out = append(out, line)
	}
	return out, nil
}

// Payouts lists the payouts of from ≤ created < to, newest first.
func (c *Client) Payouts(ctx context.Context, from, to time.Time) ([]domain.Payout, error) {
	all, err := c.list(ctx, "list payouts", func(lp stripe.ListParams) *stripe.Iter {
		return c.payouts.List(&stripe.PayoutListParams{
			ListParams: lp, CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: from.Unix(), LesserThan: to.Unix()},
		}).Iter
	})
	if err != nil {
		return nil, err
	}
	var out []domain.Payout
	for _, v := range all {
		p := v.(*stripe.Payout) // the list holds nothing else
		amount, code, err := fromStripe(p.Amount, p.Currency)
		if err != nil {
			c.log.Warn("stripe: payout left out of the list", "payout", p.ID, "err", err)
			continue
		}
		out = append(out, domain.Payout{ID: p.ID, Status: string(p.Status), Amount: amount, Code: code, Created: time.Unix(p.Created, 0), Arrives: time.Unix(p.ArrivalDate, 0)})
	}
	return out, nil
}

func toBalanceLine(b *stripe.BalanceTransaction) (domain.BalanceLine, error) {
	out := domain.BalanceLine{ID: b.ID, Kind: balanceKind(b), Created: time.Unix(b.Created, 0)}
	var err error
	for _, x := range []struct {
		to   *int64
		from int64
	}{{&out.Amount, b.Amount}, {&out.Fee, b.Fee}, {&out.Net, b.Net}} {
		if *x.to, out.Code, err = fromStripe(x.from, b.Currency); err != nil {
			return out, err
		}
	}
	if b.Source == nil {
		return out, nil
	}
	out.Source = b.Source.ID
	var intent *stripe.PaymentIntent
	switch {
	case b.Source.Charge != nil:
		intent = b.Source.Charge.PaymentIntent
		out.Paid, out.PaidCode, err = fromStripe(b.Source.Charge.Amount, b.Source.Charge.Currency)
	case b.Source.Refund != nil:
		intent = b.Source.Refund.PaymentIntent
		out.Paid, out.PaidCode, err = fromStripe(b.Source.Refund.Amount, b.Source.Refund.Currency)
	case b.Source.Dispute != nil:
		intent = b.Source.Dispute.PaymentIntent
	}
	if intent != nil {
		out.PaymentIntent = intent.ID
	}
	return out, err
}

func balanceKind(b *stripe.BalanceTransaction) domain.BalanceKind {
	switch b.Type {
	case stripe.BalanceTransactionTypeCharge, stripe.BalanceTransactionTypePayment:
		return domain.BalanceCharge
	case stripe.BalanceTransactionTypeRefund, stripe.BalanceTransactionTypePaymentRefund:
		return domain.BalanceRefund
	case stripe.BalanceTransactionTypeRefundFailure, stripe.BalanceTransactionTypePaymentFailureRefund:
		return domain.BalanceRefundFailed
	case stripe.BalanceTransactionTypePayout, stripe.BalanceTransactionTypePayoutCancel, stripe.BalanceTransactionTypePayoutFailure:
		return domain.BalancePayout
	}
	if b.ReportingCategory == "dispute" || b.ReportingCategory == "dispute_reversal" || b.Source != nil && b.Source.Dispute != nil {
		return domain.BalanceDispute
	}
	return domain.BalanceOther
}
