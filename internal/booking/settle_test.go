package booking_test

import (
	"errors"
	"testing"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/stripesim"
)

// The webhook and the return page come for the same payment. Who comes second is
// answered from the record, also while Stripe is away; money that is not recorded is
// never taken for paid without Stripe.
func TestSettle_RecordedMoneyNeedsNoStripe(t *testing.T) {
	s := oneShop(t)
	_, first := s.paid("web:ada", "A1")
	_, second := s.paid("web:bob", "A2")
	_, err := s.Settle(s.ctx, first)
	s.must(err)
	s.sim.SetFaults(stripesim.Faults{{Kind: stripesim.NetworkDown}})
	asked := len(s.sim.Requests())
	if got, err := s.Settle(s.ctx, first); got != booking.Booked || err != nil {
		t.Errorf("again: %q, %v", got, err)
	}
	if n := len(s.sim.Requests()) - asked; n != 0 {
		t.Errorf("Stripe was asked %d times about money that is recorded", n)
	}
	if got, err := s.Settle(s.ctx, second); !errors.Is(err, domain.ErrGateway) {
		t.Errorf("paid at Stripe and not recorded: %q, %v", got, err)
	}
}
