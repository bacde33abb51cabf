package booking

import (
	"time"

	"holdfast/internal/domain"
)

// TermStep is one line of the cancellation terms on one event's clock.
type TermStep struct {
	Until   time.Time // the last moment it counts
	Percent int
	Back    int64 // of the prices that were asked for
	Over    bool  // that moment is over
}

// Terms are the house's cancellation terms for what is bought now, with what each step
// sends back of tickets with these prices. Empty: the house promises nothing.
func (o *Offer) Terms(prices []int64) []TermStep { return o.terms(o.Settings.CancelTerms, prices) }

func (o *Offer) terms(t domain.CancelTerms, prices []int64) []TermStep {
	var out []TermStep
	for _, s := range t {
		x := TermStep{Until: o.Boards.Add(-s.Before), Percent: s.Percent, Back: share(o.Event.Currency, prices, s.Percent)}
		x.Over = o.Event.Now.After(x.Until)
		out = append(out, x)
	}
	return out
}

// share is so many percent of each price, added up.
func share(currency string, prices []int64, percent int) (sum int64) {
	c, err := domain.CurrencyOf(currency)
	if err != nil { // an amount in a currency that left the table: nothing is rounded off
		c = domain.Currency{Step: 1}
	}
	for _, p := range prices {
		sum += c.Share(p, percent)
	}
	return sum
}

// terms are those that this booking's buyer read.
func (x *Sale) terms() domain.CancelTerms {
	if x.Booking.CancelTerms != nil {
		if t, err := domain.ParseCancelTerms(*x.Booking.CancelTerms); err == nil {
			return t
		}
	}
	return x.Scene.Settings.CancelTerms
}

// Terms are the cancellation terms of the booking's valid tickets. None when there is
// no promise or nothing to cancel.
func (x *Sale) Terms() []TermStep {
	var prices []int64
	for _, t := range x.Tickets {
		if t.State == "valid" {
			prices = append(prices, t.Price)
		}
	}
	if len(prices) == 0 || x.Scene.Event.Status == "cancelled" {
		return nil
	}
	return x.Scene.terms(x.terms(), prices)
}

// Back is what goes back for these tickets by the terms, if they are cancelled now, and
// the percent that it is. All of it when the event itself is cancelled.
func (x *Sale) Back(tickets []int64) (sum int64, percent int) {
	percent = 100
	if x.Scene.Event.Status != "cancelled" {
		percent = x.terms().Percent(x.Scene.Boards.Sub(x.Scene.Event.Now))
	}
	var prices []int64
	for _, t := range x.Tickets {
		for _, id := range tickets {
			if id == t.ID && t.State == "valid" {
				prices = append(prices, t.Price)
			}
		}
	}
	return share(x.Booking.Currency, prices, percent), percent
}

// BackPart is what goes back of one payment of a booking.
type BackPart struct {
	Payment Payment
	Amount  int64
	Online  bool   // through Stripe, by itself
	Tender  string // how the money came, also by way of an exchange: cash, terminal, …
}

// Parts says which payments an amount goes back to: the newest first, as spread does it.
func (f *File) Parts(back int64) (out []BackPart) {
	for i := len(f.Payments) - 1; i >= 0 && back > 0; i-- {
		p := f.Payments[i]
		part := min(back, f.leftOf(p))
		if part <= 0 {
			continue
		}
		out = append(out, BackPart{Payment: p, Amount: part, Online: p.StripePaymentIntentID != nil || p.Tender == "stripe", Tender: cameBy(p)})
		back -= part
	}
	return out
}

// leftOf is what a payment that bought the booking brought less what went back or is on
// its way.
func (f *File) leftOf(p Payment) int64 {
	if p.Outcome == nil || *p.Outcome != "booked" {
		return 0
	}
	left := p.Received
	for _, r := range f.Refunds {
		if r.PaymentID == p.ID && r.State != string(domain.RefundFailed) {
			left -= r.Amount
		}
	}
	return left
}
