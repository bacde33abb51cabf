package stripesim

import (
	"fmt"
	"maps"
	"time"
)

// intent is a payment intent together with its one charge.
type intent struct {
	id       string
	charge   string // empty until the money was taken
	amount   int64
	received int64
	currency string
	declined bool // the last try was
	metadata map[string]string
	created  time.Time
	paid     time.Time // when the money was taken
}

// attempt is the session's payment intent, made when the customer first tries.
// The caller holds mu.
func (s *Sim) attempt(sess *Session) *intent {
	if pi := s.intents[sess.PaymentIntent]; pi != nil {
		return pi
	}
	pi := &intent{id: newID("pi_", 24), amount: sess.AmountTotal, currency: sess.Currency,
		metadata: maps.Clone(sess.IntentMetadata), created: s.opt.Now()}
	s.intents[pi.id] = pi
	sess.PaymentIntent = pi.id
	return pi
}

// Pay takes the money of an open session, as the customer's Pay button does. A
// session that is complete or expired is an error and nothing is taken.
func (s *Sim) Pay(sessionID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.session(sessionID)
	if sess == nil {
		return s.noSession(sessionID)
	}
	if sess.Status != "open" {
		return fmt.Errorf("stripesim: session %s is %s", sessionID, sess.Status)
	}
	pi := s.attempt(sess)
	pi.charge, pi.received, pi.declined, pi.paid = newID("ch_", 24), pi.amount, false, s.opt.Now()
	sess.Status, sess.PaymentStatus = "complete", "paid"
	s.emit("checkout.session.completed", s.sessionJSON(sess, false))
	return nil
}

// Decline is a try with a card that is refused: the session stays open.
func (s *Sim) Decline(sessionID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.session(sessionID)
	if sess == nil {
		return s.noSession(sessionID)
	}
	if sess.Status != "open" {
		return fmt.Errorf("stripesim: session %s is %s", sessionID, sess.Status)
	}
	s.attempt(sess).declined = true
	return nil
}

func (s *Sim) getIntent(c call) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pi := s.intents[c.id]
	if pi == nil {
		return nil, missing("payment_intent", c.id)
	}
	return pi.json(), nil
}

func (s *Sim) getCharge(c call) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, pi := range s.intents {
		if pi.charge != "" && pi.charge == c.id {
			return s.chargeJSON(pi), nil
		}
	}
	return nil, missing("charge", c.id)
}

func (pi *intent) json() object {
	status := "requires_payment_method"
	if pi.received > 0 {
		status = "succeeded"
	}
	o := object{
		"id": pi.id, "object": "payment_intent", "livemode": false, "status": status, "capture_method": "automatic",
		"amount": pi.amount, "amount_received": pi.received, "currency": pi.currency, "latest_charge": orNull(pi.charge),
		"metadata": maps.Clone(pi.metadata), "created": pi.created.Unix(), "last_payment_error": nil,
	}
	if pi.declined {
		o["last_payment_error"] = object{"type": "card_error", "code": "card_declined", "message": "Your card was declined."}
	}
	return o
}

// chargeJSON is the charge of a paid intent. The caller holds mu.
func (s *Sim) chargeJSON(pi *intent) object {
	refunded := s.refunded(pi.id)
	return object{
		"id": pi.charge, "object": "charge", "livemode": false, "status": "succeeded", "paid": true, "captured": true,
		"amount": pi.amount, "amount_captured": pi.received, "amount_refunded": refunded, "refunded": refunded == pi.received,
		"currency": pi.currency, "payment_intent": pi.id, "metadata": maps.Clone(pi.metadata), "created": pi.created.Unix(),
	}
}
