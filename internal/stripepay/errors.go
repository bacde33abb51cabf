package stripepay

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/stripe/stripe-go/v76"

	"holdfast/internal/domain"
)

// Error is a failed call. errors.Is finds what it means:
//
//   - domain.ErrGateway: network, timeout, 5xx, 429, a key still being worked on, or
//     a key used before with other parameters. What was done is unknown.
//   - domain.ErrGatewayRefused: Stripe understood and said no; this call did nothing.
//   - domain.ErrNotFound: Stripe has no such object (for CreateRefund it is
//     ErrGatewayRefused as well: nothing was given back).
//   - domain.ErrGatewayBalance: beside ErrGatewayRefused; our balance at Stripe does
//     not cover a refund yet.
//   - domain.ErrSessionNotOpen: ExpireSession only.
//
// A context that ended is found too, beside ErrGateway.
type Error struct {
	Op        string
	Status    int    // HTTP status, 0 when there was no usable answer
	Code      string // Stripe's code, "" when none: charge_already_refunded, …
	Message   string // Stripe's words; for staff and logs, not for customers
	RequestID string // Stripe's, for their support
	means     []error
}

func (e *Error) Error() string {
	text := "stripe: " + e.Op
	if e.Status != 0 {
		text += fmt.Sprintf(": %d", e.Status)
	}
	parts := []string{e.Code, e.Message, e.RequestID}
	for _, m := range e.means {
		parts = append(parts, m.Error())
	}
	for _, part := range parts {
		if part != "" {
			text += ": " + part
		}
	}
	return text
}

// Unwrap gives the meanings to errors.Is.
func (e *Error) Unwrap() []error { return e.means }

// ProviderCode is Stripe's reason code for rows that keep one; callers reach it
// through a small interface of their own and errors.As.
func (e *Error) ProviderCode() string { return e.Code }

// wrap gives a library error its meaning.
func wrap(op string, err error) error {
	var se *stripe.Error
	if !errors.As(err, &se) {
		return &Error{Op: op, means: []error{domain.ErrGateway, err}}
	}
	return &Error{Op: op, Status: se.HTTPStatusCode, Code: string(se.Code), Message: se.Msg, RequestID: se.RequestID, means: meanings(se)}
}

func meanings(se *stripe.Error) []error {
	switch s := se.HTTPStatusCode; {
	case se.Code == stripe.ErrorCodeResourceMissing:
		return []error{domain.ErrNotFound}
	case se.Type == stripe.ErrorTypeIdempotency:
		// The key stands for an earlier request, which may well have been done.
		return []error{domain.ErrGateway}
	case s == http.StatusNotFound, s == http.StatusConflict, s == http.StatusFailedDependency, s == http.StatusTooManyRequests, s >= 500, s < 400:
		return []error{domain.ErrGateway}
	case se.Code == stripe.ErrorCodeBalanceInsufficient:
		return []error{domain.ErrGatewayRefused, domain.ErrGatewayBalance}
	default:
		return []error{domain.ErrGatewayRefused}
	}
}

// unusable is a 2xx answer without what we asked for.
func unusable(id string) error {
	if id == "" {
		return errors.New("answer without an id")
	}
	return nil
}

// refuse is our own no before anything is sent.
func refuse(op string, err error) error {
	return &Error{Op: op, means: []error{domain.ErrGatewayRefused, err}}
}
