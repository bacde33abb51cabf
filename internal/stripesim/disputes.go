package stripesim

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// dispute is a cardholder's complaint about a paid intent.
type dispute struct {
	id      string
	pi      *intent
	status  string
	created time.Time
}

// The words that Stripe has for the state of a dispute: an inquiry starts with
// warning_, and may become a chargeback.
var (
	disputeOpen   = []string{"warning_needs_response", "warning_under_review", "needs_response", "under_review"}
	disputeClosed = []string{"warning_closed", "won", "lost"}
)

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
	if !slices.Contains(disputeOpen, status) {
		return "", fmt.Errorf("stripesim: a dispute does not begin as %q", status)
	}
	d := &dispute{id: newID("dp_", 24), pi: pi, status: status, created: s.opt.Now()}
	s.disputes = append(s.disputes, d)
	s.emit("charge.dispute.created", d.json())
	return d.id, nil
}

// UpdateDispute moves a dispute on and sends charge.dispute.updated, or
// charge.dispute.closed for won, lost and warning_closed. A closed dispute stays
// as it is, a chargeback never becomes an inquiry again, and an inquiry is neither
// won nor lost; asking for it is an error.
func (s *Sim) UpdateDispute(disputeID, status string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.findDispute(disputeID)
	closes := slices.Contains(disputeClosed, status)
	switch {
	case d == nil:
		return fmt.Errorf("stripesim: no dispute %q", disputeID)
	case slices.Contains(disputeClosed, d.status):
		return fmt.Errorf("stripesim: dispute %s is closed: %s", disputeID, d.status)
	case !closes && !slices.Contains(disputeOpen, status):
		return fmt.Errorf("stripesim: no dispute is %q", status)
	case inquiry(status) && !inquiry(d.status), closes && inquiry(status) != inquiry(d.status):
		return fmt.Errorf("stripesim: a dispute that is %s cannot be %s", d.status, status)
	}
	d.status = status
	if closes {
		s.emit("charge.dispute.closed", d.json())
	} else {
		s.emit("charge.dispute.updated", d.json())
	}
	return nil
}

func inquiry(status string) bool { return strings.HasPrefix(status, "warning_") }

// findDispute is nil when there is none. The caller holds mu.
func (s *Sim) findDispute(id string) *dispute {
	for _, d := range s.disputes {
		if d.id == id {
			return d
		}
	}
	return nil
}

func (s *Sim) getDispute(c call) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.findDispute(c.id); d != nil {
		return d.json(), nil
	}
	return nil, missing("dispute", c.id)
}

func (d *dispute) json() object {
	return object{"id": d.id, "object": "dispute", "livemode": false, "status": d.status, "reason": "general",
		"amount": d.pi.received, "currency": d.pi.currency, "charge": d.pi.charge, "payment_intent": d.pi.id, "metadata": object{},
		"created": d.created.Unix(), "is_charge_refundable": inquiry(d.status)}
}
