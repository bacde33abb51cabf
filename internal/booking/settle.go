package booking

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/failpoint"
)

// Settled is what became of a payment.
type Settled string

const (
	Open    Settled = "open"    // can still be paid
	Closed  Settled = "closed"  // no money came and none can come
	Booked  Settled = "booked"  // tickets
	Lost    Settled = "lost"    // money came, seats were gone: it goes back
	Refused Settled = "refused" // money came that is not for this: it goes back
)

func settledAs(p db.Payment) Settled {
	switch {
	case p.Live():
		return Open
	case p.Outcome == nil:
		return Closed
	case *p.Outcome == "booked":
		return Booked
	case *p.Outcome == "seat_lost" || *p.Outcome == "event_cancelled":
		return Lost
	}
	return Refused
}

// Settle asks Stripe about a session and makes it come true here, once: tickets, the
// same tickets again, or the money back. The webhook, the return page, the sweep and
// the job at the countdown's end all call it; calling it again is safe.
//
// ErrGateway: Stripe did not answer, nothing is known. ErrNotFound: no payment of
// ours belongs to the session.
func (s *Service) Settle(ctx context.Context, sessionID string) (Settled, error) {
	if s.pay == nil {
		return "", domain.ErrPaymentsOff
	}
	// Money that is recorded stays so, whatever Stripe would say now. The webhook and the
	// return page come for the same payment: on a busy evening the second must not wait.
	p, err := s.db.PaymentBySession(ctx, sessionID)
	if err == nil && p.Received > 0 {
		return settledAs(p), nil
	}
	if ignore(err, domain.ErrNotFound) != nil {
		return "", err
	}
	session, err := s.pay.Session(ctx, sessionID)
	if err != nil {
		return "", err
	}
	id, err := s.paymentOf(ctx, session)
	if err != nil {
		return "", err
	}
	failpoint.If(session.Paid, "settle.after_ask")
	settled, err := s.apply(ctx, id, session, false)
	failpoint.If(session.Paid && err == nil, "settle.after_commit")
	if errors.Is(err, domain.ErrConflict) {
		// ticket_legs, the net under everything, said no where the seat table had said
		// yes. The customer gets the money back; staff must look at the seat table.
		s.log.Error("seat table and tickets disagree", "payment", id, "error", err.Error())
		return s.apply(ctx, id, session, true)
	}
	return settled, err
}

// paymentOf finds the attempt a session belongs to: by its id, or by our metadata
// when the answer to its creation was lost.
func (s *Service) paymentOf(ctx context.Context, session domain.PaySession) (int64, error) {
	p, err := s.db.PaymentBySession(ctx, session.ID)
	if err == nil || !errors.Is(err, domain.ErrNotFound) {
		return p.ID, err
	}
	id, parseErr := strconv.ParseInt(session.Metadata["payment_id"], 10, 64)
	if session.Metadata["app"] != "holdfast" || parseErr != nil {
		return 0, fmt.Errorf("session %s is not ours: %w", session.ID, domain.ErrNotFound)
	}
	p, err = s.db.Payment(ctx, id)
	if err != nil {
		return 0, err
	}
	if p.HoldID != session.Metadata["hold_id"] || p.StripeSessionID != nil {
		return 0, fmt.Errorf("session %s names payment %d, which has another: %w", session.ID, id, domain.ErrNotFound)
	}
	return p.ID, nil
}

// apply is settle's transaction. lost forces the way back for the money.
func (s *Service) apply(ctx context.Context, paymentID int64, session domain.PaySession, lost bool) (settled Settled, err error) {
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		p, err := t.LockPayment(ctx, paymentID)
		if err != nil {
			return err
		}
		if p.Received > 0 {
			settled = settledAs(p)
			return nil
		}
		if !session.Paid {
			settled, err = s.unpaid(ctx, t, p, session)
			return err
		}
		settled, err = s.receive(ctx, t, p, session, lost)
		failpoint.If(err == nil, "settle.before_commit")
		return err
	})
	return settled, err
}

func (s *Service) unpaid(ctx context.Context, t *db.Tx, p db.Payment, session domain.PaySession) (Settled, error) {
	if session.Status != domain.SessionExpired || !p.Live() {
		return settledAs(p), nil
	}
	return Closed, s.closeIn(ctx, t, p, session.ID)
}

// receive records money, and in the same transaction what it bought or its way back.
func (s *Service) receive(ctx context.Context, t *db.Tx, p db.Payment, session domain.PaySession, lost bool) (Settled, error) {
	if err := t.LockHold(ctx, p.HoldID); err != nil {
		return "", err
	}
	h, err := t.Hold(ctx, p.HoldID)
	if err != nil {
		return "", err
	}
	status, err := t.ShareEvent(ctx, p.EventID)
	if err != nil {
		return "", err
	}
	if wrong := s.mismatch(p, h, session); wrong != "" {
		s.log.Error("money that does not fit its payment goes back", "payment", p.ID, "why", wrong)
		return Refused, s.sendBack(ctx, t, p, h, session, "mismatch", wrong)
	}
	switch {
	case h.State == "converted":
		return Refused, s.sendBack(ctx, t, p, h, session, "duplicate", "The booking was paid twice; the second payment goes back.")
	case status != "published":
		return Lost, s.sendBack(ctx, t, p, h, session, "event_cancelled", "Paid after the event was cancelled.")
	case lost:
		return Lost, s.sendBack(ctx, t, p, h, session, "seat_lost", "The seat table and the tickets disagreed. Please look at the event's audit.")
	}
	if err := t.ReceivePayment(ctx, p.ID, session, domain.PaymentApplied, "booked"); err != nil {
		return "", err
	}
	id, err := s.book(ctx, t, h, p.ID)
	if errors.Is(err, errSeatLost) {
		return s.seatLost(ctx, t, p, h, session)
	}
	if staff := staffOf(h); err == nil && staff != 0 {
		err = t.SoldBy(ctx, id, staff)
	}
	return Booked, err
}

// seatLost rewrites the outcome: the claim found one of the seats gone and changed nothing.
func (s *Service) seatLost(ctx context.Context, t *db.Tx, p db.Payment, h *domain.Hold, session domain.PaySession) (Settled, error) {
	if err := t.ReviseOutcome(ctx, p.ID, "seat_lost"); err != nil {
		return "", err
	}
	return Lost, s.wayBack(ctx, t, p, h, session, "seat_lost", "Paid after the seats went to somebody else.")
}

// mismatch says in words why a paid session is not what the attempt asked for.
func (s *Service) mismatch(p db.Payment, h *domain.Hold, session domain.PaySession) string {
	m := session.Metadata
	switch {
	case session.Amount != p.Amount || session.Amount != h.Total:
		return fmt.Sprintf("Stripe took %d, the payment asked for %d.", session.Amount, p.Amount)
	case session.Currency != p.Currency:
		return fmt.Sprintf("Stripe took %s, the payment asked for %s.", session.Currency, p.Currency)
	case session.Livemode != s.live:
		return "Test money on a live system, or the other way round."
	case m["app"] != "holdfast" || m["payment_id"] != strconv.FormatInt(p.ID, 10) || m["hold_id"] != p.HoldID:
		return "The session's metadata names another payment."
	}
	return ""
}

// sendBack records money that buys nothing and starts its way back.
func (s *Service) sendBack(ctx context.Context, t *db.Tx, p db.Payment, h *domain.Hold, session domain.PaySession, reason, words string) error {
	if err := t.ReceivePayment(ctx, p.ID, session, domain.PaymentRefunding, reason); err != nil {
		return err
	}
	return s.wayBack(ctx, t, p, h, session, reason, words)
}

func (s *Service) wayBack(ctx context.Context, t *db.Tx, p db.Payment, h *domain.Hold, session domain.PaySession, reason, words string) error {
	if h.State == "active" {
		if err := s.giveBack(ctx, t, h); err != nil {
			return err
		}
	}
	if err := t.LedgerPayment(ctx, p.ID, nil, session.Currency, h.Channel); err != nil {
		return err
	}
	refund, err := s.requestRefund(ctx, t, p, session.Amount, session.Currency, reason)
	if err != nil {
		return err
	}
	if err := s.task(ctx, t, db.StaffTask{Kind: reason, Words: words, PaymentID: &p.ID, EventID: &p.EventID}); err != nil {
		return err
	}
	if reason == "duplicate" || reason == "mismatch" {
		// No seats were lost by it: a first booking stands, a wrong sum bought nothing.
		return s.queueMail(ctx, t, db.Mail{Kind: "refund_started", RefundID: &refund, ToAddress: h.Email})
	}
	return s.queueMail(ctx, t, db.Mail{Kind: "seats_lost", PaymentID: &p.ID, ToAddress: h.Email})
}

// queueMail puts a mail into the outbox with its job; nothing without an address, and
// nothing the second time.
func (s *Service) queueMail(ctx context.Context, t *db.Tx, m db.Mail) error {
	if m.ToAddress == "" {
		return nil
	}
	id, err := t.InsertMail(ctx, m)
	if err != nil {
		return ignore(err, domain.ErrNotFound)
	}
	return t.Enqueue(ctx, domain.MailJob{MailID: id}, atOnce())
}
