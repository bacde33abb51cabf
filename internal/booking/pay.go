package booking

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/failpoint"
)

const (
	// Stripe wants at least 30 minutes; the rest is for our clocks to differ.
	sessionLife = 35 * time.Minute
	// Seats outlive the session, so that time alone never frees what is being paid.
	sessionSlack = 2 * time.Minute
	// A customer who needs more attempts for one hold is better served by a new hold.
	maxAttempts = 3
)

// Pay starts or resumes the payment of the visitor's hold and returns the address to
// send the browser to; "" when nothing had to be paid and the booking is made.
//
// Errors: ErrAlreadyPaid, ErrHoldEnded (nothing charged), ErrDetailsMissing,
// ErrSalesClosed (the event was cancelled), ErrPaymentsOff, ErrGateway (the seats stay).
func (s *Service) Pay(ctx context.Context, holder domain.Holder, holdID string) (string, error) {
	h, err := s.own(ctx, s.db, holder, holdID)
	if err != nil {
		return "", err
	}
	if err := payable(h); err != nil {
		return "", err
	}
	if h.Total == 0 {
		return "", s.bookFree(ctx, h)
	}
	if s.pay == nil {
		return "", domain.ErrPaymentsOff
	}
	if err := chargeable(h); err != nil {
		return "", err
	}
	if err := s.dropDeadPage(ctx, h); err != nil {
		return "", err
	}
	p, err := s.attempt(ctx, h)
	if err != nil {
		return "", err
	}
	if p.StripeURL != nil {
		return *p.StripeURL, nil
	}
	failpoint.Hit("pay.after_row")
	return s.onePage(ctx, p)
}

// onePage lets clicks that come while Stripe is asked for the page wait for that one
// answer: asked twice at once, Stripe refuses the second as a key in use. The question
// goes on when the browser that put it has gone, as browsers do on a second click.
func (s *Service) onePage(ctx context.Context, p db.Payment) (string, error) {
	url, err, _ := s.pages.Do(strconv.FormatInt(p.ID, 10), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
		defer cancel()
		return s.openPage(ctx, p)
	})
	if errors.Is(err, domain.ErrGateway) { // another process may have been asking
		if now, readErr := s.db.Payment(ctx, p.ID); readErr == nil && now.StripeURL != nil && now.Live() {
			return *now.StripeURL, nil
		}
	}
	if err != nil {
		return "", err
	}
	return url.(string), nil
}

func payable(h *domain.Hold) error {
	if err := alive(h); err != nil {
		return err
	}
	if !h.Detailed {
		return domain.ErrDetailsMissing
	}
	return nil
}

// chargeable refuses totals that no card can be charged with.
func chargeable(h *domain.Hold) error {
	c, err := domain.CurrencyOf(h.Currency)
	if err != nil {
		return err
	}
	if _, err := c.ToStripe(h.Total); err != nil || h.Total < c.MinCharge {
		return &domain.RuleError{Code: "too_small", Words: "This total cannot be paid by card online. Please call us; your seats are still held."}
	}
	return nil
}

// dropDeadPage settles an attempt whose page is over by the clock, so that a new one
// can begin. ErrAlreadyPaid when it was paid after all.
func (s *Service) dropDeadPage(ctx context.Context, h *domain.Hold) error {
	p, err := s.db.LivePayment(ctx, h.ID)
	if err != nil {
		return ignore(err, domain.ErrNotFound)
	}
	if p.SessionEndsAt == nil || p.SessionEndsAt.After(p.Now) {
		return nil
	}
	settled, err := s.closePayment(ctx, p)
	switch {
	case err != nil:
		return err
	case settled == Booked:
		return domain.ErrAlreadyPaid
	case settled == Lost:
		return domain.ErrHoldEnded
	}
	return nil
}

// attempt returns the hold's live payment, or starts one. From here on time alone
// does not free the seats before the session is over.
func (s *Service) attempt(ctx context.Context, h *domain.Hold) (p db.Payment, err error) {
	what, err := s.description(ctx, h)
	if err != nil {
		return p, err
	}
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockHold(ctx, h.ID); err != nil {
			return err
		}
		now, err := t.Hold(ctx, h.ID)
		if err != nil {
			return err
		}
		if err := payable(now); err != nil {
			return err
		}
		// Nobody is sent to pay for a cancelled event; the close of sales does not matter.
		if status, err := t.ShareEvent(ctx, h.EventID); err != nil || status != "published" {
			return firstOf(err, domain.ErrSalesClosed)
		}
		p, err = t.LivePayment(ctx, h.ID)
		if !errors.Is(err, domain.ErrNotFound) {
			return err
		}
		n, err := t.CountPayments(ctx, h.ID)
		if err != nil {
			return err
		}
		if n >= maxAttempts {
			return &domain.RuleError{Code: "attempts", Words: "This order was sent to the payment page three times without success. Please let the seats go, choose them again and try once more, or call us."}
		}
		p, err = s.begin(ctx, t, now, what)
		return err
	})
	return p, err
}

func (s *Service) begin(ctx context.Context, t *db.Tx, h *domain.Hold, what string) (db.Payment, error) {
	// Whole seconds: Stripe's expires_at has no more, and a repeat must be the same request.
	ends := h.Now.Add(sessionLife).Truncate(time.Second)
	if err := t.ExtendSeats(ctx, claimOf(h), ends.Add(sessionSlack)); err != nil {
		return db.Payment{}, endedIf(err)
	}
	id, err := t.InsertPayment(ctx, db.Payment{
		HoldID: h.ID, EventID: h.EventID, Tender: "stripe", Amount: h.Total, Currency: h.Currency,
		Description: what, Email: h.Email, SessionEndsAt: &ends,
	})
	if err != nil {
		return db.Payment{}, err
	}
	if staff := staffOf(h); staff != 0 {
		if err := t.PaymentByStaff(ctx, id, staff); err != nil {
			return db.Payment{}, err
		}
	}
	if err := t.Enqueue(ctx, domain.EndPaymentJob{PaymentID: id}, h.ExpiresAt); err != nil {
		return db.Payment{}, err
	}
	return t.Payment(ctx, id)
}

// openPage asks Stripe for the hosted page. Two tabs that come here with one attempt
// send the same key and get the same session.
func (s *Service) openPage(ctx context.Context, p db.Payment) (string, error) {
	session, err := s.create(ctx, p)
	if errors.Is(err, domain.ErrGatewayRefused) {
		s.log.Error("Stripe refused a payment page", "payment", p.ID, "error", err.Error())
		return "", errors.Join(err, s.closed(ctx, p.ID, ""))
	}
	if err != nil {
		return "", err
	}
	failpoint.Hit("pay.after_session")
	open, err := s.db.OpenPayment(ctx, p.ID, session)
	if err != nil {
		return "", err
	}
	if !open || session.URL == "" { // settled or closed while Stripe answered, or over there
		return s.base + "/holds/" + p.HoldID + "/return", nil
	}
	return session.URL, nil
}

// request is the attempt's one and only request to Stripe, made from frozen columns.
func (s *Service) request(p db.Payment) domain.SessionRequest {
	back := s.base + "/holds/" + p.HoldID + "/return"
	return domain.SessionRequest{
		Key: "cs:" + strconv.FormatInt(p.ID, 10), PaymentID: p.ID, HoldID: p.HoldID, EventID: p.EventID,
		Amount: p.Amount, Currency: p.Currency, Description: p.Description, Email: p.Email,
		SuccessURL: back, CancelURL: back, ExpiresAt: *p.SessionEndsAt,
	}
}

// description is what the customer reads on Stripe's page and on the statement's detail.
func (s *Service) description(ctx context.Context, h *domain.Hold) (string, error) {
	e, err := s.db.Event(ctx, h.EventID)
	if err != nil {
		return "", err
	}
	zone, err := time.LoadLocation(e.TimeZone)
	if err != nil {
		return "", err
	}
	name, at := e.Film, e.StartsAt
	if e.Kind == domain.Trip {
		stops, err := s.db.EventStops(ctx, e.ID)
		if err != nil {
			return "", err
		}
		if h.Ride.To >= len(stops) {
			return "", fmt.Errorf("event %d has no stop %d", e.ID, h.Ride.To)
		}
		from := stops[h.Ride.From]
		name, at = from.Place+" to "+stops[h.Ride.To].Place, from.DepartsAt
		if zone, err = time.LoadLocation(from.TimeZone); err != nil {
			return "", err
		}
	}
	tickets := "1 ticket"
	if n := len(h.Seats); n != 1 {
		tickets = strconv.Itoa(n) + " tickets"
	}
	return fmt.Sprintf("%s, %s, %s", tickets, name, at.In(zone).Format("Mon 2 Jan 2006 15:04")), nil
}

// bookFree books a total of zero, without Stripe.
func (s *Service) bookFree(ctx context.Context, h *domain.Hold) error {
	if _, err := s.closeLive(ctx, h.ID); err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockHold(ctx, h.ID); err != nil {
			return err
		}
		now, err := t.Hold(ctx, h.ID)
		if err != nil {
			return err
		}
		if err := payable(now); err != nil {
			return ignore(err, domain.ErrAlreadyPaid)
		}
		if now.Total != 0 || now.PaymentState.Live() {
			return domain.ErrBusy
		}
		if status, err := t.ShareEvent(ctx, h.EventID); err != nil || status != "published" {
			return firstOf(err, domain.ErrSalesClosed)
		}
		payment, err := t.InsertFreePayment(ctx, now)
		if err != nil {
			return err
		}
		_, err = s.book(ctx, t, now, payment)
		return endedIf(err)
	})
}
