package stripesim

import (
	"slices"
	"strings"
	"time"
)

// balanceLine is a line of the look-alike's own books.
type balanceLine struct {
	id, kind, category string
	amount, fee        int64
	currency, source   string
	created            time.Time
	object             func() object // the source, as expand asks for it
}

// The look-alike keeps 1.5 % and 25 of the smallest unit of each charge.
func feeOf(amount int64) int64 { return amount*15/1000 + 25 }

// payoutAfter is when the money of a UTC day leaves for the bank: with the day's end.
const payoutAfter = 24 * time.Hour

// books are the lines of everything that moved money, oldest first. The caller holds mu.
func (s *Sim) books() (out []balanceLine) {
	for _, sess := range s.sessions {
		pi := s.intents[sess.PaymentIntent]
		if pi == nil || pi.received == 0 {
			continue
		}
		out = append(out, balanceLine{id: "txn_" + pi.charge, kind: "charge", category: "charge", amount: pi.received, fee: feeOf(pi.received), currency: pi.currency,
			source: pi.charge, created: pi.paid, object: func() object { return s.chargeJSON(pi) }})
	}
	for _, r := range s.refunds {
		line := balanceLine{id: "txn_" + r.ID, kind: "refund", category: "refund", amount: -r.Amount, currency: r.Currency, source: r.ID, created: r.Created, object: r.json}
		out = append(out, line)
		if r.Status == "failed" {
			line.id, line.kind, line.category, line.amount = line.id+"_failed", "refund_failure", "refund_failure", r.Amount
			out = append(out, line)
		}
	}
	for _, d := range s.disputes {
		if !inquiry(d.status) {
			out = append(out, balanceLine{id: "txn_" + d.id, kind: "adjustment", category: "dispute", amount: -d.pi.received, currency: d.pi.currency, source: d.id, created: d.created, object: d.json})
		}
	}
	slices.SortStableFunc(out, func(a, b balanceLine) int { return a.created.Compare(b.created) })
	return out
}

// payout is what a day brought, on its way to the bank.
type payout struct {
	id, currency string
	amount       int64
	created      time.Time
}

// payouts are one for each UTC day that is over and currency, oldest first, where
// something is left to be paid out. The caller holds mu.
func (s *Sim) payouts() (out []payout) {
	for _, l := range s.books() {
		day := l.created.UTC().Truncate(payoutAfter)
		id := "po_" + day.Format("20060102") + strings.ToUpper(l.currency)
		if day.Add(payoutAfter).After(s.opt.Now()) {
			continue
		}
		i := slices.IndexFunc(out, func(p payout) bool { return p.id == id })
		if i < 0 {
			out, i = append(out, payout{id: id, currency: l.currency, created: day.Add(payoutAfter)}), len(out)
		}
		out[i].amount += l.amount - l.fee
	}
	return slices.DeleteFunc(out, func(p payout) bool { return p.amount <= 0 })
}

// listBalance is GET /v1/balance_transactions.
func (s *Sim) listBalance(c call) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.books()
	for _, p := range s.payouts() {
		lines = append(lines, balanceLine{id: "txn_" + p.id, kind: "payout", category: "payout", amount: -p.amount, currency: p.currency, source: p.id, created: p.created, object: p.json})
	}
	slices.SortStableFunc(lines, func(a, b balanceLine) int { return a.created.Compare(b.created) })
	full := slices.Contains(expands(c.form), "data.source")
	var all []listed
	for _, l := range lines {
		all = append(all, listed{l.id, l.created, func() object { return l.json(full) }})
	}
	return page(c, all)
}

// listPayouts is GET /v1/payouts.
func (s *Sim) listPayouts(c call) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []listed
	for _, p := range s.payouts() {
		all = append(all, listed{p.id, p.created, p.json})
	}
	return page(c, all)
}

func (l balanceLine) json(full bool) object {
	o := object{"id": l.id, "object": "balance_transaction", "type": l.kind, "reporting_category": l.category, "amount": l.amount, "fee": l.fee, "net": l.amount - l.fee,
		"currency": l.currency, "created": l.created.Unix(), "available_on": l.created.Add(payoutAfter).Unix(), "status": "available", "source": l.source}
	if full {
		o["source"] = l.object()
	}
	return o
}

func (p payout) json() object {
	return object{"id": p.id, "object": "payout", "livemode": false, "status": "paid", "amount": p.amount, "currency": p.currency, "created": p.created.Unix(),
		"arrival_date": p.created.Add(payoutAfter).Unix(), "metadata": object{}}
}
