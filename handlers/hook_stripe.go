package handlers

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/failpoint"
)

// ErrBadSignature: the webhook was not signed with one of our secrets, or too long ago.
var ErrBadSignature = errors.New("bad webhook signature")

// stripeHook takes a webhook: 200 after its ids and its job are committed, 400 for a
// bad signature, 413 over 1 MiB, 5xx when in doubt so that it comes again.
func (s *site) stripeHook(w http.ResponseWriter, r *http.Request) error {
	payload, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errBadRequest, err)
	}
	if s.Webhooks == nil {
		return fmt.Errorf("webhook refused, no secret is configured: %w", domain.ErrPaymentsOff)
	}
	e, err := s.Webhooks.Read(payload, r.Header.Get("Stripe-Signature"), time.Now())
	if errors.Is(err, ErrBadSignature) {
		return fmt.Errorf("%w: %w", errBadRequest, err)
	}
	if err != nil {
		return err
	}
	if err := s.Booking.Receive(r.Context(), e.ID, e.Type, e.ObjectID, e.Livemode); err != nil {
		return err
	}
	failpoint.Hit("hook.after_insert")
	writeJSON(w, http.StatusOK, map[string]bool{"received": true})
	return nil
}
