package booking

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/failpoint"

	"golang.org/x/sync/errgroup"
)

// closeLive makes sure that no payment page of the hold can take money any more.
// Asking Stripe to expire the session is the mutual exclusion: either it says
// "expired" and the page is dead, or the session was paid and is settled here.
// Closed also when there was nothing to close. ErrGateway: nobody knows, the seats
// stay with their payer.
func (s *Service) closeLive(ctx context.Context, holdID string) (Settled, error) {
	p, err := s.db.LivePayment(ctx, holdID)
	if errors.Is(err, domain.ErrNotFound) {
		return Closed, nil
	}
	if err != nil {
		return "", err
	}
	return s.closePayment(ctx, p)
}

func (s *Service) closePayment(ctx context.Context, p db.Payment) (Settled, error) {
	if s.pay == nil {
		return "", fmt.Errorf("payment %d is open but no key is configured: %w", p.ID, domain.ErrGateway)
	}
	session, err := s.sessionOf(ctx, p)
	if errors.Is(err, domain.ErrGatewayRefused) {
		// The create call never got through and Stripe would not do it now: no page exists.
		return Closed, s.closed(ctx, p.ID, "")
	}
	if errors.Is(err, domain.ErrGateway) && p.StripeSessionID == nil && p.Now.After(p.SessionEndsAt.Add(sessionSlack)) {
		// Stripe keeps answering with the failure it stored for this key. Nobody ever had
		// the page's address and its end is over; should money come all the same, its
		// webhook finds the payment by our metadata.
		return Closed, s.closed(ctx, p.ID, "")
	}
	if err != nil {
		return "", err
	}
	switch _, err = s.pay.ExpireSession(ctx, session); {
	case errors.Is(err, domain.ErrSessionNotOpen):
		return s.Settle(ctx, session)
	case errors.Is(err, domain.ErrNotFound) && p.Now.After(p.SessionEndsAt.Add(sessionSlack)):
		return Closed, s.closed(ctx, p.ID, "") // another account's page by now, and its end is over
	case errors.Is(err, domain.ErrNotFound):
		return "", fmt.Errorf("%w: %v", domain.ErrGateway, err) // its page may still take money
	case err != nil:
		return "", err
	}
	failpoint.Hit("close.after_expire")
	return Closed, s.closed(ctx, p.ID, session)
}

// sessionOf finds the Stripe session of an attempt. When the answer to its creation
// was lost, the same request with the same key brings the same session back.
func (s *Service) sessionOf(ctx context.Context, p db.Payment) (string, error) {
	if p.StripeSessionID != nil {
		return *p.StripeSessionID, nil
	}
	session, err := s.create(ctx, p)
	if err != nil {
		return "", err
	}
	_, err = s.db.OpenPayment(ctx, p.ID, session)
	return session.ID, err
}

// create asks Stripe for the attempt's page. A key that was answered with a failure
// repeats that failure for a day, whether or not the page was made: then Stripe's list
// may have it.
func (s *Service) create(ctx context.Context, p db.Payment) (domain.PaySession, error) {
	session, err := s.pay.CreateSession(ctx, s.request(p))
	if !errors.Is(err, domain.ErrGateway) || p.Now.Sub(p.CreatedAt) < 20*time.Second {
		return session, err // a moment after the first try Stripe may still be at it
	}
	listed, listErr := s.pay.SessionsSince(ctx, p.CreatedAt.Add(-time.Minute))
	if listErr != nil {
		return domain.PaySession{}, err
	}
	for _, x := range listed {
		if x.Metadata["app"] == "holdfast" && x.Metadata["payment_id"] == strconv.FormatInt(p.ID, 10) && x.Metadata["hold_id"] == p.HoldID {
			return x, nil
		}
	}
	return domain.PaySession{}, err
}

// closed records that an attempt brought no money and never will. Its hold goes
// back to its ordinary end, or ends at once when the countdown is over.
func (s *Service) closed(ctx context.Context, paymentID int64, sessionID string) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		p, err := t.LockPayment(ctx, paymentID)
		if err != nil || !p.Live() {
			return err
		}
		return s.closeIn(ctx, t, p, sessionID)
	})
}

// closeIn is closed for a payment that is locked already.
func (s *Service) closeIn(ctx context.Context, t *db.Tx, p db.Payment, sessionID string) error {
	if err := t.LockHold(ctx, p.HoldID); err != nil {
		return err
	}
	if err := t.ClosePayment(ctx, p.ID, sessionID); err != nil {
		return err
	}
	h, err := t.Hold(ctx, p.HoldID)
	if err != nil || h.State != "active" {
		return err
	}
	if !h.ExpiresAt.After(h.Now) {
		return s.giveBack(ctx, t, h)
	}
	settings, err := s.readSettings(ctx, t.Queries)
	if err != nil {
		return err
	}
	return t.SetHeldUntil(ctx, claimOf(h), h.ExpiresAt.Add(settings.Grace()))
}

// EndPayment looks after one attempt: over when its hold's countdown is over,
// settled when it was paid, left alone while the customer still has time. Called by
// the job at the countdown's end, by the sweep, and by the next person who wants the
// seats.
func (s *Service) EndPayment(ctx context.Context, paymentID int64) (Settled, error) {
	p, err := s.db.Payment(ctx, paymentID)
	if err != nil {
		return "", err
	}
	if !p.Live() {
		return settledAs(p), nil
	}
	h, err := s.db.Hold(ctx, p.HoldID)
	if err != nil {
		return "", err
	}
	switch {
	case !h.ExpiresAt.After(h.Now):
		return s.closePayment(ctx, p)
	case p.StripeSessionID != nil:
		return s.Settle(ctx, *p.StripeSessionID)
	}
	return Open, nil
}

// Release gives the visitor's seats back. It returns the event's id; ErrAlreadyPaid
// when the money was faster.
func (s *Service) Release(ctx context.Context, holder domain.Holder, holdID string) (eventID int64, err error) {
	h, err := s.own(ctx, s.db, holder, holdID)
	if err != nil {
		return 0, err
	}
	if h.State != "active" {
		return h.EventID, ignore(alive(h), domain.ErrHoldEnded)
	}
	settled, err := s.closeLive(ctx, h.ID)
	if err != nil {
		return h.EventID, err
	}
	if settled == Booked {
		return h.EventID, domain.ErrAlreadyPaid
	}
	pause, err := s.pause(ctx, h.EventID)
	if err != nil {
		return h.EventID, err
	}
	return h.EventID, s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockHold(ctx, h.ID); err != nil {
			return err
		}
		now, err := t.Hold(ctx, h.ID)
		if err != nil || now.State != "active" {
			return err
		}
		if now.PaymentState.Live() {
			return domain.ErrBusy // Pay was pressed in another tab since
		}
		if err := s.giveBack(ctx, t, now); err != nil || pause == 0 || now.Phase().Ended() {
			return err
		}
		return t.LetGo(ctx, now.EventID, holder, now.SeatNos())
	})
}

// Extend gives the visitor a full window again and counts it. ErrNoExtensions when
// they are used up, ErrHoldEnded when it is too late.
func (s *Service) Extend(ctx context.Context, holder domain.Holder, holdID string) error {
	settings, err := s.Settings(ctx)
	if err != nil {
		return err
	}
	if _, err := s.own(ctx, s.db, holder, holdID); err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockHold(ctx, holdID); err != nil {
			return err
		}
		h, err := t.Hold(ctx, holdID)
		if err != nil {
			return err
		}
		if err := alive(h); err != nil {
			return err
		}
		if h.Extended >= settings.MaxExtensions {
			return domain.ErrNoExtensions
		}
		ends := h.Now.Add(settings.Window())
		if err := t.ExtendSeats(ctx, claimOf(h), ends.Add(settings.Grace())); err != nil {
			return endedIf(err)
		}
		return endedIf(t.ExtendHold(ctx, h.ID, ends))
	})
}

// endedIf reads "no row was as expected" as the hold's end.
func endedIf(err error) error {
	if errors.Is(err, domain.ErrConflict) {
		return domain.ErrHoldEnded
	}
	return err
}

// Tidy releases holds that ran out, so that staff see them as ended. Cosmetic for
// selling: their seats were claimable already.
func (s *Service) Tidy(ctx context.Context) error {
	settings, err := s.Settings(ctx)
	if err != nil {
		return err
	}
	ids, err := s.db.OverdueHolds(ctx, settings.Grace())
	if err != nil {
		return err
	}
	var failed error
	for _, id := range ids {
		err := s.db.InTx(ctx, func(t *db.Tx) error {
			if err := t.LockHold(ctx, id); err != nil {
				return err
			}
			h, err := t.Hold(ctx, id)
			if err != nil || h.State != "active" || h.ExpiresAt.After(h.Now) || h.PaymentState.Live() {
				return err
			}
			return s.giveBack(ctx, t, h)
		})
		failed = errors.Join(failed, err)
	}
	return failed
}

// FinishPayment is EndPayment for the job at the countdown's end. The customer may
// have got more time meanwhile: then the job is set for the new end.
func (s *Service) FinishPayment(ctx context.Context, paymentID int64) error {
	settled, err := s.EndPayment(ctx, paymentID)
	if err != nil || settled != Open {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		p, err := t.Payment(ctx, paymentID)
		if err != nil {
			return err
		}
		h, err := t.Hold(ctx, p.HoldID)
		if err != nil || !h.ExpiresAt.After(h.Now) {
			return err
		}
		return t.Enqueue(ctx, domain.EndPaymentJob{PaymentID: paymentID}, h.ExpiresAt)
	})
}

// Sweep releases holds that ran out, drops old sessions and pauses, gives forgotten work its job
// again, and asks Stripe about every live payment that is old or whose countdown is over.
// Stripe comes last: when it hangs, this run's time is over. It goes on past single
// failures and returns them.
func (s *Service) Sweep(ctx context.Context) error {
	failed := errors.Join(s.Tidy(ctx), s.db.DropSessions(ctx), s.db.ForgetLetGo(ctx), s.resume(ctx))
	due, err := s.db.DuePayments(ctx, 2*time.Minute)
	if err != nil {
		return errors.Join(failed, err)
	}
	// Some at a time: one slow answer must not keep the others waiting past the minute.
	var some errgroup.Group
	some.SetLimit(8)
	var mu sync.Mutex
	for _, p := range due {
		some.Go(func() error {
			if err := s.found(s.EndPayment(ctx, p.ID)); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = errors.Join(failed, fmt.Errorf("payment %d: %w", p.ID, err))
			}
			return nil
		})
	}
	_ = some.Wait() // the errors are in failed
	return failed
}

// ForgetPages closes every live payment without asking anybody. Only for the demo's
// look-alike of Stripe, which forgets its pages when it ends: they can never be paid.
func (s *Service) ForgetPages(ctx context.Context) error {
	live, err := s.db.LivePayments(ctx)
	if err != nil {
		return err
	}
	for _, id := range live {
		if err := s.closed(ctx, id, ""); err != nil {
			return err
		}
	}
	return nil
}
