package stripepay

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"

	"holdfast/internal/domain"
)

// App is the value of metadata "app" on everything we create at Stripe.
const App = "holdfast"

// CreateSession asks for a hosted payment page. The same request (same Key) gives
// the same session however often it is sent within 24 h. A currency that we do
// not know and an amount that Stripe cannot carry are ErrGatewayRefused.
func (c *Client) CreateSession(ctx context.Context, req domain.SessionRequest) (domain.PaySession, error) {
	const op = "create session"
	cur, err := domain.CurrencyOf(req.Currency)
	if err != nil {
		return domain.PaySession{}, refuse(op, err)
	}
	amount, err := cur.ToStripe(req.Amount)
	if err != nil {
		return domain.PaySession{}, refuse(op, err)
	}
	return c.session(ctx, op, func(ctx context.Context) (*stripe.CheckoutSession, error) {
		return c.sessions.New(sessionParams(ctx, req, amount))
	})
}

// sessionParams: cards only, because other methods may answer days later, and
// captured at once, because a seat is sold or it is not.
func sessionParams(ctx context.Context, req domain.SessionRequest, amount int64) *stripe.CheckoutSessionParams {
	meta := map[string]string{
		"app":        App,
		"payment_id": strconv.FormatInt(req.PaymentID, 10),
		"hold_id":    req.HoldID,
		"event_id":   strconv.FormatInt(req.EventID, 10),
	}
	p := &stripe.CheckoutSessionParams{
		Params:             stripe.Params{Context: ctx, IdempotencyKey: stripe.String(req.Key)},
		Mode:               stripe.String(string(stripe.CheckoutSessionModePayment)),
		PaymentMethodTypes: stripe.StringSlice([]string{"card"}),
		LineItems: []*stripe.CheckoutSessionLineItemParams{{
			Quantity: stripe.Int64(1),
			PriceData: &stripe.CheckoutSessionLineItemPriceDataParams{
				Currency:    stripe.String(strings.ToLower(req.Currency)),
				UnitAmount:  stripe.Int64(amount),
				ProductData: &stripe.CheckoutSessionLineItemPriceDataProductDataParams{Name: stripe.String(lineName(req.Description))},
			},
		}},
		PaymentIntentData: &stripe.CheckoutSessionPaymentIntentDataParams{
			CaptureMethod: stripe.String(string(stripe.PaymentIntentCaptureMethodAutomatic)),
			Description:   stripe.String(lineName(req.Description)),
			Metadata:      meta,
		},
		Metadata:          meta,
		ClientReferenceID: stripe.String(meta["payment_id"]),
		ExpiresAt:         stripe.Int64(req.ExpiresAt.Unix()),
		SuccessURL:        stripe.String(req.SuccessURL),
		CancelURL:         stripe.String(req.CancelURL),
	}
	if req.Email != "" {
		p.CustomerEmail = stripe.String(req.Email)
	}
	return p
}

// lineName keeps what Stripe accepts as a product's name: not empty, not long.
func lineName(text string) string {
	r := []rune(strings.TrimSpace(text))
	if len(r) == 0 {
		return "Tickets"
	}
	return string(r[:min(len(r), 250)])
}

// Session says what Stripe knows about a session now; ErrNotFound for an id that
// this account does not have.
func (c *Client) Session(ctx context.Context, id string) (domain.PaySession, error) {
	return c.session(ctx, "get session", func(ctx context.Context) (*stripe.CheckoutSession, error) {
		// payment_intent is not expanded: its id is all that is read.
		return c.sessions.Get(id, &stripe.CheckoutSessionParams{Params: stripe.Params{Context: ctx}})
	})
}

// ExpireSession makes sure that a session can never be paid again. nil: it is
// expired. ErrSessionNotOpen: it was complete or expired already; the session
// returned with it says which. Every other error, ErrGatewayRefused included,
// says nothing about the session: it may still be paid.
func (c *Client) ExpireSession(ctx context.Context, id string) (domain.PaySession, error) {
	const op = "expire session"
	ctx, cancel := context.WithTimeout(ctx, c.timeout) // over both questions
	defer cancel()
	// A fresh key per call: repeating within the call is safe, and a later call is
	// never answered from what was true earlier.
	key := stripe.NewIdempotencyKey()
	s, err := c.session(ctx, op, func(ctx context.Context) (*stripe.CheckoutSession, error) {
		return c.sessions.Expire(id, &stripe.CheckoutSessionExpireParams{Params: stripe.Params{Context: ctx, IdempotencyKey: &key}})
	})
	var e *Error
	if !errors.As(err, &e) || e.Status != 400 || !errors.Is(err, domain.ErrGatewayRefused) {
		return s, err
	}
	// "Not open" has no code of its own, only words that may change: look.
	now, lookErr := c.Session(ctx, id)
	if lookErr != nil {
		return domain.PaySession{}, lookErr
	}
	if now.Status != domain.SessionOpen {
		return now, fmt.Errorf("stripe: %s %s: %w (%s)", op, id, domain.ErrSessionNotOpen, now.Status)
	}
	return now, err
}

// SessionsSince lists the sessions of the account created since then, newest
// first, ours and others': look at Metadata. Sessions in currencies that we do
// not know are left out with a line in the log, because they cannot be ours.
func (c *Client) SessionsSince(ctx context.Context, since time.Time) ([]domain.PaySession, error) {
	all, err := c.list(ctx, "list sessions", func(lp stripe.ListParams) *stripe.Iter {
		return c.sessions.List(&stripe.CheckoutSessionListParams{
			ListParams: lp, CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: since.Unix()},
		}).Iter
	})
	if err != nil {
		return nil, err
	}
	var out []domain.PaySession
	for _, v := range all {
		s := v.(*stripe.CheckoutSession) // the list holds nothing else
		p, err := toSession(s)
		if err != nil {
			c.log.Warn("stripe: session left out of the list", "session", s.ID, "err", err)
			continue
		}
		out = append(out, p)
	}
	return out, nil
}

// session runs one call whose answer is a session.
func (c *Client) session(ctx context.Context, op string, call func(context.Context) (*stripe.CheckoutSession, error)) (domain.PaySession, error) {
	var s *stripe.CheckoutSession
	err := c.try(ctx, op, func(ctx context.Context) (err error) {
		if s, err = call(ctx); err != nil {
			return err
		}
		return unusable(s.ID)
	})
	if err != nil {
		return domain.PaySession{}, err
	}
	return toSession(s)
}

// toSession fails with ErrConflict or ErrNotFound on an amount or a currency
// that our table cannot express.
func toSession(s *stripe.CheckoutSession) (domain.PaySession, error) {
	amount, code, err := fromStripe(s.AmountTotal, s.Currency)
	if err != nil {
		return domain.PaySession{}, fmt.Errorf("stripe: session %s: %w", s.ID, err)
	}
	out := domain.PaySession{
		ID: s.ID, URL: s.URL, Status: domain.SessionStatus(s.Status),
		Paid:   s.PaymentStatus == stripe.CheckoutSessionPaymentStatusPaid,
		Amount: amount, Currency: code, Livemode: s.Livemode,
		Metadata: s.Metadata, ExpiresAt: time.Unix(s.ExpiresAt, 0),
	}
	if s.PaymentIntent != nil {
		out.PaymentIntent = s.PaymentIntent.ID
	}
	return out, nil
}

// fromStripe turns an amount of theirs into ours.
func fromStripe(amount int64, code stripe.Currency) (int64, string, error) {
	cur, err := domain.CurrencyOf(strings.ToUpper(string(code)))
	if err != nil {
		return 0, "", err
	}
	ours, err := cur.FromStripe(amount)
	return ours, cur.Code, err
}
