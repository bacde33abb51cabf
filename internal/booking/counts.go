package booking

import (
	"context"
	"time"
)

// Counts hears, for a monitor, how money is settled.
type Counts interface {
	// Settled: a payment that brought money was worked. by "webhook": took is from the
	// arrival of the provider's message to the end of its work, the queue included; by
	// "return": how long the customer who came back was kept waiting.
	Settled(by string, took time.Duration)
	// Found: the sweep or the look through the provider's list settled money that neither
	// the webhook nor the return page had told of.
	Found(outcome string)
}

type uncounted struct{}

func (uncounted) Settled(string, time.Duration) {}
func (uncounted) Found(string)                  {}

// brought says whether money came.
func (o Settled) brought() bool { return o == Booked || o == Lost || o == Refused }

// settleCounted is Settle for the return page.
func (s *Service) settleCounted(ctx context.Context, sessionID string) (Settled, error) {
	began := time.Now()
	settled, err := s.Settle(ctx, sessionID)
	if err == nil && settled.brought() {
		s.count.Settled("return", time.Since(began))
	}
	return settled, err
}

// countEvent counts a webhook that was worked. Its age is the monitor's alone: when it
// cannot be read nothing is lost.
func (s *Service) countEvent(ctx context.Context, eventID string, settled Settled) {
	if !settled.brought() || eventID == "" {
		return
	}
	if took, err := s.db.StripeEventTime(ctx, eventID); err == nil {
		s.count.Settled("webhook", took)
	}
}

// found counts what nobody had told of.
func (s *Service) found(settled Settled, err error) error {
	if err == nil && settled.brought() {
		s.count.Found(string(settled))
	}
	return err
}
