package stripesim

import (
	"fmt"
	"maps"
)

// createRefund is POST /v1/refunds. Without an amount everything that is left
// goes back.
func (s *Sim) createRefund(c call) (object, *apiError) {
	amount, given, err := integer(c.form, "amount")
	if err != nil {
		return nil, err
	}
	if given && amount < 1 {
		return nil, invalid("amount", "Invalid positive integer")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	pi := s.intents[c.form.Get("payment_intent")]
	if pi == nil {
		err := missing("payment_intent", c.form.Get("payment_intent"))
		err.param = "payment_intent"
		return nil, err
	}
	left := pi.received - s.refunded(pi.id)
	if !given {
		amount = left
	}
	if err := s.checkRefund(pi, amount, left); err != nil {
		return nil, err
	}
	return s.refund(pi, amount, metadata(c.form, "metadata")).json(), nil
}

// checkRefund says no where Stripe would. The caller holds mu.
func (s *Sim) checkRefund(pi *intent, amount, left int64) *apiError {
	cur, _ := currencyOf(pi.currency)
	switch {
	case pi.received == 0:
		return refused("", "This PaymentIntent (%s) does not have a successful charge to refund.", pi.id)
	case left == 0:
		return refused("charge_already_refunded", "Charge %s has already been refunded.", pi.charge)
	case amount > left:
		return refused("", "Refund amount (%d) is greater than unrefunded amount on charge (%d)", amount, left)
	case amount%cur.step != 0:
		return invalid("amount", "Invalid amount: %s amounts must be divisible by %d.", cur.code, cur.step)
	}
	if _, on := s.take(RefundRefused, OpCreateRefund); on {
		return &apiError{status: 402, kind: "invalid_request_error", code: "balance_insufficient",
			message: "Insufficient funds in your Stripe balance to refund this amount."}
	}
	return nil
}

// refund writes the refund down and tells about it. The caller holds mu.
func (s *Sim) refund(pi *intent, amount int64, meta map[string]string) *Refund {
	r := &Refund{ID: newID("re_", 24), PaymentIntent: pi.id, Charge: pi.charge, Amount: amount, Currency: pi.currency,
		Status: "succeeded", Metadata: meta, Created: s.opt.Now()}
	if _, on := s.take(RefundPending, OpCreateRefund); on {
		r.Status = "pending"
	}
	s.refunds = append(s.refunds, r)
	s.emit("refund.created", r.json())
	s.emit("charge.refunded", s.chargeJSON(pi))
	if f, on := s.take(RefundFailsLater, OpCreateRefund); on {
		s.spawn(func() {
			s.pause(f.Delay)
			_ = s.FinishRefund(r.ID, false) // an error means that somebody failed it first
		})
	}
	return r
}

// refunded is what is back or on its way back. The caller holds mu.
func (s *Sim) refunded(paymentIntent string) (sum int64) {
	for _, r := range s.refunds {
		if r.PaymentIntent == paymentIntent && r.Status != "failed" {
			sum += r.Amount
		}
	}
	return sum
}

// DashboardRefund gives money back as the seller would in Stripe's own pages: the
// refund has no metadata of ours. Amount is in Stripe's unit.
func (s *Sim) DashboardRefund(paymentIntent string, amount int64) (refundID string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pi := s.intents[paymentIntent]
	if pi == nil {
		return "", fmt.Errorf("stripesim: no payment intent %q", paymentIntent)
	}
	if err := s.checkRefund(pi, amount, pi.received-s.refunded(pi.id)); err != nil {
		return "", err
	}
	return s.refund(pi, amount, nil).ID, nil
}

// FinishRefund ends a pending refund well or badly, or lets one that had
// succeeded fail after all. A failed refund stays failed.
func (s *Sim) FinishRefund(refundID string, ok bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.findRefund(refundID)
	switch {
	case r == nil:
		return fmt.Errorf("stripesim: no refund %q", refundID)
	case r.Status == "failed":
		return fmt.Errorf("stripesim: refund %s has failed already", refundID)
	case ok && r.Status == "succeeded":
		return nil
	case ok:
		r.Status = "succeeded"
	default:
		r.Status, r.FailureReason = "failed", "expired_or_canceled_card"
		s.emit("refund.failed", r.json())
	}
	s.emit("refund.updated", r.json())
	s.emit("charge.refund.updated", r.json())
	return nil
}

func (s *Sim) findRefund(id string) *Refund {
	for _, r := range s.refunds {
		if r.ID == id {
			return r
		}
	}
	return nil
}

func (s *Sim) getRefund(c call) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.findRefund(c.id)
	if r == nil {
		return nil, missing("refund", c.id)
	}
	return r.json(), nil
}

// listRefunds is GET /v1/refunds, of one payment intent or of all.
func (s *Sim) listRefunds(c call) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []listed
	for _, r := range s.refunds {
		if pi := c.form.Get("payment_intent"); pi == "" || pi == r.PaymentIntent {
			all = append(all, listed{r.ID, r.Created, r.json})
		}
	}
	return page(c, all)
}

func (r *Refund) json() object {
	o := object{
		"id": r.ID, "object": "refund", "amount": r.Amount, "currency": r.Currency, "status": r.Status,
		"payment_intent": r.PaymentIntent, "charge": r.Charge, "metadata": maps.Clone(r.Metadata),
		"reason": nil, "created": r.Created.Unix(),
	}
	if r.Metadata == nil {
		o["metadata"] = object{}
	}
	if r.FailureReason != "" {
		o["failure_reason"] = r.FailureReason
	}
	return o
}
