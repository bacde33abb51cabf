package counter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// StripeAccount is Stripe's own books. Both lists are of from ≤ created < to. Errors:
// domain.ErrGateway, ErrGatewayRefused.
type StripeAccount interface {
	BalanceLines(ctx context.Context, from, to time.Time) ([]domain.BalanceLine, error)
	Payouts(ctx context.Context, from, to time.Time) ([]domain.Payout, error)
}

const (
	stripeTime = 15 * time.Second // for all that is asked of Stripe
	stripeDays = 31               // more than that is not compared in one go

	// What was worked around midnight, or asked for and paid back days later, is looked
	// for in so many days more.
	stripeBefore, stripeAfter = 2, 3
)

// stripeBooks is what Stripe says about some days and the days around.
type stripeBooks struct {
	from, to time.Time            // of the days themselves
	lines    []domain.BalanceLine // of some days more
	payouts  []domain.Payout
	known    []string // payment intents and refunds among the lines that are ours
}

// Stripe is what came and went by Stripe on some business days, beside Stripe's own
// books. When Stripe does not answer, or no key is set, the report has our side alone and
// says so.
func (s *Reports) Stripe(ctx context.Context, span Span, house string) (*Sheet, error) {
	r, err := s.start(ctx, span)
	if err != nil {
		return nil, err
	}
	lines, err := s.db.StripeLines(ctx, span.From, span.To)
	if err != nil {
		return nil, err
	}
	disputes, err := s.db.OpenedDisputes(ctx, span.From, span.To)
	if err != nil {
		return nil, err
	}
	books, err := s.askStripe(ctx, r)
	if err != nil {
		return nil, err
	}
	var codes []string
	for _, l := range lines {
		codes = append(codes, l.Currency)
	}
	for _, d := range disputes {
		codes = append(codes, d.Currency)
	}
	codes = append(codes, books.codes()...)
	for _, code := range currencies(house, codes, func(c string) string { return c }) {
		x := Section{Currency: code, Tables: []Table{stripeOurs(code, span, lines, disputes)}}
		if books != nil {
			x.Tables = append(x.Tables, books.byKind(code), books.byPayout(code), books.differences(code, span, lines))
		}
		r.Sections = append(r.Sections, x)
	}
	return r, nil
}

// askStripe is nil, with the reason in the report's notes, when there is nothing to
// compare with. It is called outside of every transaction.
func (s *Reports) askStripe(ctx context.Context, r *Sheet) (*stripeBooks, error) {
	if s.stripe == nil {
		r.Notes = append(r.Notes, "No Stripe key is set: this is our side alone.")
		return nil, nil
	}
	if r.Days() > stripeDays {
		r.Notes = append(r.Notes, fmt.Sprintf("Stripe’s books are compared for at most %d days at a time: this is our side alone.", stripeDays))
		return nil, nil
	}
	b := &stripeBooks{}
	var err error
	if b.from, err = s.db.DayStart(ctx, r.From); err != nil {
		return nil, err
	}
	if b.to, err = s.db.DayStart(ctx, r.To.AddDate(0, 0, 1)); err != nil {
		return nil, err
	}
	ask, cancel := context.WithTimeout(ctx, stripeTime)
	defer cancel()
	if b.lines, err = s.stripe.BalanceLines(ask, b.from.AddDate(0, 0, -stripeBefore), b.to.AddDate(0, 0, stripeAfter)); err == nil {
		b.payouts, err = s.stripe.Payouts(ask, b.from, b.to)
	}
	if errors.Is(err, domain.ErrGateway) || errors.Is(err, domain.ErrGatewayRefused) {
		words := "Stripe does not answer just now: this is our side alone. Please open the report again in a minute."
		if errors.Is(err, domain.ErrGatewayRefused) {
			words = "Stripe refuses to show its books with this key: this is our side alone. A restricted key must be allowed to read balances and payouts."
		}
		r.Notes = append(r.Notes, words)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, l := range b.lines {
		ids = append(ids, l.PaymentIntent, l.Source)
	}
	b.known, err = s.db.KnownAtStripe(ctx, ids)
	return b, err
}

// codes are the currencies of Stripe's side; none when Stripe was not asked.
func (b *stripeBooks) codes() (out []string) {
	if b == nil {
		return nil
	}
	for _, l := range b.lines {
		if b.within(l.Created) {
			out = append(out, l.Code)
		}
	}
	for _, p := range b.payouts {
		out = append(out, p.Code)
	}
	return out
}

func (b *stripeBooks) within(at time.Time) bool { return !at.Before(b.from) && at.Before(b.to) }

func stripeOurs(code string, span Span, lines []db.StripeLine, disputes []db.OpenedDispute) Table {
	t := table("ours", "Our ledger, day by day", Column{"Day", Date}, Column{"Payments", Count}, Column{"Received", Amount}, Column{"Refunds", Count},
		Column{"Given back", Amount}, Column{"Takings", Amount}, Column{"Disputes opened", Count}, Column{"Disputed", Amount})
	t.Words = "Refunds count when they were asked for; one that failed is taken off again. A dispute is money that Stripe holds back: it is no line of our ledger."
	t.None = "No day."
	for d := span.From; !d.After(span.To); d = d.AddDate(0, 0, 1) {
		var n, back, opened int
		var in, out, disputed int64
		for _, l := range lines {
			switch {
			case l.Currency != code || !l.Day.Equal(d):
			case l.Kind == "payment":
				n, in = n+1, in+l.Amount
			case l.Amount < 0:
				back, out = back+1, out-l.Amount
			default:
				out -= l.Amount
			}
		}
		for _, x := range disputes {
			if x.Currency == code && x.Day.Equal(d) && !x.Inquiry {
				opened, disputed = opened+1, disputed+x.Amount
			}
		}
		t.add(date(d), counts(n), number(in), counts(back), number(out), number(in-out), counts(opened), number(disputed))
	}
	t.total("All days")
	return t
}

func (b *stripeBooks) byKind(code string) Table {
	t := table("books", "Stripe’s books", Column{"What", Words}, Column{"Lines", Count}, Column{"Amount", Amount}, Column{"Fees", Amount}, Column{"Net", Amount})
	t.None = "Stripe has no line of these days."
	t.Words = "What Stripe says happened in these days, in the currency in which it pays out."
	names := []struct {
		kind domain.BalanceKind
		name string
	}{{domain.BalanceCharge, "Payments"}, {domain.BalanceRefund, "Refunds"}, {domain.BalanceRefundFailed, "Refunds that failed"}, {domain.BalanceDispute, "Disputes"},
		{domain.BalanceOther, "Stripe’s fees and corrections"}, {domain.BalancePayout, "Paid out to the bank"}}
	for _, k := range names {
		var n int
		var amount, fee, net int64
		for _, l := range b.lines {
			if l.Kind == k.kind && l.Code == code && b.within(l.Created) {
				n, amount, fee, net = n+1, amount+l.Amount, fee+l.Fee, net+l.Net
			}
		}
		if n > 0 {
			t.add(says(k.name), counts(n), number(amount), number(fee), number(net))
		}
	}
	t.total("Change of the balance at Stripe")
	return t
}

func (b *stripeBooks) byPayout(code string) Table {
	t := table("payouts", "Payouts", Column{"Payout", Words}, Column{"State", Words}, Column{"Sent", Date}, Column{"At the bank", Date}, Column{"Amount", Amount})
	t.None = "Stripe sent no payout in these days."
	for _, p := range slices.Backward(b.payouts) {
		if p.Code == code {
			t.add(says(p.ID), says(p.Status), date(p.Created), date(p.Arrives), number(p.Amount))
		}
	}
	t.total("All payouts")
	return t
}

// differences names every payment and refund that one side has and the other has not, or
// has with another sum.
func (b *stripeBooks) differences(code string, span Span, lines []db.StripeLine) Table {
	t := table("differences", "What does not fit", Column{"What", Words}, Column{"Booking", Words}, Column{"At Stripe", Words}, Column{"Day", Date},
		Column{"Our ledger", Amount}, Column{"Stripe", Amount})
	t.None = "Everything fits: each payment and refund of these days is on both sides with the same sum."
	theirs := map[string]domain.BalanceLine{} // by payment intent, refunds by their own id
	for _, l := range b.lines {
		switch l.Kind {
		case domain.BalanceCharge:
			theirs[l.PaymentIntent] = l
		case domain.BalanceRefund:
			theirs[l.Source] = l
		}
	}
	for _, l := range lines {
		if l.Currency != code || l.Kind == "refund" && (l.State == string(domain.RefundFailed) || l.Amount > 0) {
			continue
		}
		id, sign := l.Intent, int64(1)
		if l.Kind == "refund" {
			id, sign = l.RefundID, -1
		}
		x, found := theirs[id]
		words := ""
		switch {
		case l.Kind == "refund" && id == "":
			words = "Refund that Stripe has not been given yet"
		case !found:
			words = "Only in our ledger: " + l.Kind
		case x.Paid != sign*l.Amount || x.PaidCode != l.Currency:
			words = "Another sum at Stripe: " + l.Kind
		default:
			continue
		}
		stripe := Cell{Empty: true}
		if found && x.PaidCode == code {
			stripe = number(sign * x.Paid)
		}
		t.add(says(words), says(domain.ShowReference(l.Reference)), says(cmp.Or(id, l.Intent)), date(l.Day), number(l.Amount), stripe)
	}
	for _, l := range slices.Backward(b.lines) {
		id, words, sign := l.PaymentIntent, "Only at Stripe: payment", int64(1)
		if l.Kind == domain.BalanceRefund {
			id, words, sign = l.Source, "Only at Stripe: refund", -1
		}
		if l.Kind != domain.BalanceCharge && l.Kind != domain.BalanceRefund || !b.within(l.Created) || cmp.Or(l.PaidCode, l.Code) != code || slices.Contains(b.known, id) {
			continue
		}
		t.add(says(words), says(""), says(cmp.Or(id, l.Source)), date(day(l.Created, b.from, span.From)), Cell{Empty: true}, number(sign*l.Paid))
	}
	return t
}

// day is the business day of an instant, counted from one whose start is known; an hour
// of summer time more or less does not move it out of the report's days.
func day(at, start, first time.Time) time.Time {
	return first.AddDate(0, 0, int(at.Sub(start).Hours()/24))
}
