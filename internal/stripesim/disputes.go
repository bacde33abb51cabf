package stripesim

import "fmt"

// dispute is a cardholder's complaint about a paid intent.
type dispute struct {
	id     string
	pi     *intent
	status string
}

// Dispute opens a dispute about a paid intent and sends charge.dispute.created.
// Status is Stripe's: warning_needs_response for an inquiry, needs_response for
// a chargeback.
func (s *Sim) Dispute(paymentIntent, status string) (disputeID string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pi := s.intents[paymentIntent]
	if pi == nil || pi.received == 0 {
		return "", fmt.Errorf("stripesim: nothing paid with %q", paymentIntent)
	}
	d := &dispute{id: newID("dp_", 24), pi: pi, status: status}
	s.disputes = append(s.disputes, d)
	s.emit("charge.dispute.created", d.json())
	return d.id, nil
}

func (s *Sim) getDispute(c call) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.disputes {
		if d.id == c.id {
			return d.json(), nil
		}
	}
	return nil, missing("dispute", c.id)
}

func (d *dispute) json() object {
	return object{"id": d.id, "object": "dispute", "livemode": false, "status": d.status, "reason": "general",
		"amount": d.pi.received, "currency": d.pi.currency, "charge": d.pi.charge, "payment_intent": d.pi.id, "metadata": object{}}
}
