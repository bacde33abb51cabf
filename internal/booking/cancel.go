package booking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Cancel is one act of cancelling tickets of a booking. Cancelling, refunding and
// freeing the seats are three things; this does them in one transaction.
type Cancel struct {
	BookingID int64
	Tickets   []int64 // empty: all that are valid
	// Refund is what goes back, in minor units; nil: the full price of the tickets, or
	// what the payment has left. More than it has left is refused.
	Refund *int64
	Reason string // refunds.reason: customer, staff, void or event_cancelled
	// Seller hands over what was paid at the counter, out of the own open shift. Nil: a
	// task says to whom the money goes.
	Seller    *Seller
	By        string // for the audit log: "staff:7", "system"
	Words     string // why, as somebody typed it
	From      string // address, for the audit log
	Confirmed string // who confirmed it in place, as the log names them; "" for nobody
}

// CancelTickets makes tickets invalid, puts their seats on sale at once and sends the
// money on its way back. ErrConflict: some ticket is not valid any more, or more is to
// go back than came. ErrNoShift: the seller has none open. ErrNotVoidable: a void of what
// somebody else sold, or in another shift.
func (s *Service) CancelTickets(ctx context.Context, c Cancel) error {
	b, err := s.db.Booking(ctx, c.BookingID)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		till, err := openTill(ctx, t, c.Seller)
		if err != nil {
			return err
		}
		if c.Reason == "void" {
			if err := voidable(ctx, t, till, b.ID); err != nil {
				return err
			}
		}
		paid, now, err := lockSold(ctx, t, b)
		if err != nil {
			return err
		}
		tickets, err := s.chosen(ctx, t, c)
		if err != nil {
			return err
		}
		if err := s.cancelIn(ctx, t, paid[0], till, now, tickets); err != nil {
			return err
		}
		return s.payBack(ctx, t, paid, till, now, tickets, c)
	})
}

// tillOf is a seller with the open shift that their money goes through.
type tillOf struct{ shift, staff int64 }

// openTill keeps a seller's shift open for the transaction; nil for nobody.
func openTill(ctx context.Context, t *db.Tx, who *Seller) (*tillOf, error) {
	if who == nil {
		return nil, nil
	}
	shift, err := t.ShareShift(ctx, who.StaffID)
	return &tillOf{shift, who.StaffID}, err
}

// lockSold locks what paid for a booking, its hold and the booking, in the house's order.
func lockSold(ctx context.Context, t *db.Tx, b db.Booking) ([]db.Payment, db.Booking, error) {
	paid, err := t.LockBooked(ctx, b.HoldID)
	if err != nil {
		return nil, b, err
	}
	if len(paid) == 0 {
		return nil, b, fmt.Errorf("booking %d was paid by nothing: %w", b.ID, domain.ErrNotFound)
	}
	if err := t.LockHold(ctx, b.HoldID); err != nil {
		return nil, b, err
	}
	b, err = t.LockBooking(ctx, b.ID)
	return paid, b, err
}

// chosen are the valid tickets that are to go.
func (s *Service) chosen(ctx context.Context, t *db.Tx, c Cancel) ([]db.Ticket, error) {
	all, err := t.Tickets(ctx, c.BookingID)
	if err != nil {
		return nil, err
	}
	var out []db.Ticket
	for _, x := range all {
		if x.State == "valid" && (len(c.Tickets) == 0 || slices.Contains(c.Tickets, x.ID)) {
			out = append(out, x)
		}
	}
	if len(out) == 0 || len(c.Tickets) > 0 && len(out) != len(c.Tickets) {
		return nil, fmt.Errorf("booking %d has not all of these tickets valid: %w", c.BookingID, domain.ErrConflict)
	}
	return out, nil
}

func (s *Service) cancelIn(ctx context.Context, t *db.Tx, p db.Payment, till *tillOf, b db.Booking, tickets []db.Ticket) error {
	ids, seats := make([]int64, len(tickets)), make([]string, len(tickets))
	for i, x := range tickets {
		ids[i], seats[i] = x.ID, x.SeatNo
	}
	if _, err := t.ShareEvent(ctx, b.EventID); err != nil {
		return err
	}
	ride := domain.Ride{From: tickets[0].FromStop, To: tickets[0].ToStop}
	if err := t.FreeBooked(ctx, db.Claim{EventID: b.EventID, Seats: seats, Ride: ride}, b.ID); err != nil {
		return err
	}
	var shift, staff *int64
	if till != nil {
		shift, staff = &till.shift, &till.staff
	}
	n, err := t.CancelTickets(ctx, b, ids, p.ID, shift, staff)
	if err == nil && n != int64(len(ids)) {
		return domain.ErrConflict
	}
	if err != nil {
		return err
	}
	return t.DropNoSeats(ctx, b.EventID)
}

// payBack starts the refund, keeps the rest as a fee, mails and writes the log.
func (s *Service) payBack(ctx context.Context, t *db.Tx, paid []db.Payment, till *tillOf, b db.Booking, tickets []db.Ticket, c Cancel) error {
	var price, left, received int64
	mail := db.Mail{Kind: "cancelled", BookingID: &b.ID, ToAddress: b.Email}
	for _, x := range tickets {
		price += x.Price
		mail.TicketIDs = append(mail.TicketIDs, x.ID)
	}
	lefts := make([]int64, len(paid))
	for i, p := range paid {
		var err error
		if lefts[i], err = s.left(ctx, t, p); err != nil {
			return err
		}
		left, received = left+lefts[i], received+p.Received
	}
	back := min(left, price)
	if c.Refund != nil {
		back = *c.Refund
	}
	if back < 0 || back > left {
		return fmt.Errorf("a refund of %d where %d is left: %w", back, left, domain.ErrConflict)
	}
	refunds, err := s.spread(ctx, t, paid, lefts, till, back, c.Reason)
	if err != nil {
		return err
	}
	if len(refunds) > 0 {
		mail.RefundID = &refunds[0]
	}
	if kept := price - back; kept != 0 && received > 0 {
		h, err := t.Hold(ctx, b.HoldID)
		if err != nil {
			return err
		}
		if err := t.LedgerFee(ctx, b.ID, paid[0].ID, kept, domain.TaxIncluded(kept, h.TaxBP)); err != nil {
			return err
		}
	}
	if err := s.queueMail(ctx, t, mail); err != nil {
		return err
	}
	after, err := json.Marshal(confirmed(map[string]any{"tickets": mail.TicketIDs, "refund": back, "kind": c.Reason, "reason": c.Words}, c.Confirmed))
	if err != nil {
		return err
	}
	return t.InsertAudit(ctx, db.Audit{Actor: c.By, Address: c.From, Action: "cancel tickets", Subject: fmt.Sprintf("booking:%d", b.ID), After: after})
}

// spread takes what goes back from the payments of a booking, the newest first.
func (s *Service) spread(ctx context.Context, t *db.Tx, paid []db.Payment, lefts []int64, till *tillOf, back int64, reason string) (refunds []int64, err error) {
	for i := len(paid) - 1; i >= 0 && back > 0; i-- {
		part := min(back, lefts[i])
		if part <= 0 {
			continue
		}
		var id int64
		if p := paid[i]; till != nil && p.StripePaymentIntentID == nil {
			id, err = s.handOver(ctx, t, p, *till, part, reason)
		} else {
			id, err = s.requestRefund(ctx, t, p, part, p.Currency, reason)
		}
		if err != nil {
			return nil, err
		}
		refunds, back = append(refunds, id), back-part
	}
	return refunds, nil
}

// handOver records money that a seller gives back now, as it came: on the card terminal,
// or in cash.
func (s *Service) handOver(ctx context.Context, t *db.Tx, p db.Payment, till tillOf, amount int64, reason string) (int64, error) {
	id, err := t.InsertRefund(ctx, p.ID, amount, p.Currency, reason)
	if err != nil {
		return 0, err
	}
	tender := cameBy(p)
	if tender != "terminal" {
		tender = "cash"
	}
	if err := t.RefundByTill(ctx, id, tender, till.shift, till.staff); err != nil {
		return 0, err
	}
	return id, t.LedgerRefund(ctx, id)
}

// left is what a payment brought less what went back or is on its way, also by hand in
// Stripe's pages. The payment's row must be locked.
func (s *Service) left(ctx context.Context, t *db.Tx, p db.Payment) (int64, error) {
	all, err := t.RefundsOf(ctx, p.ID)
	left := p.Received
	for _, r := range all {
		if r.State != string(domain.RefundFailed) {
			left -= r.Amount
		}
	}
	return left, err
}

// requestRefund makes the row, its ledger line and its job. Money that did not come
// through Stripe goes back by hand: a task says so.
func (s *Service) requestRefund(ctx context.Context, t *db.Tx, p db.Payment, amount int64, currency, reason string) (int64, error) {
	id, err := t.InsertRefund(ctx, p.ID, amount, currency, reason)
	if err != nil {
		return 0, err
	}
	online := p.StripePaymentIntentID != nil || p.Tender == "stripe"
	if p.Tender == "exchange" {
		if err := t.SetRefundTender(ctx, id, online); err != nil {
			return 0, err
		}
	}
	if err := t.LedgerRefund(ctx, id); err != nil {
		return 0, err
	}
	if !online {
		// Pending until staff say that they gave it back: access.FinishTask.
		if _, err := t.SetRefund(ctx, id, domain.RefundPending, "", ""); err != nil {
			return 0, err
		}
		return id, s.task(ctx, t, db.StaffTask{Kind: "refund_by_hand", PaymentID: &p.ID, EventID: &p.EventID,
			Words: "This was paid by " + p.Tender + ": please give the money back at the counter."})
	}
	return id, t.Enqueue(ctx, domain.RefundJob{RefundID: id}, atOnce())
}

// CancelEvent ends an event: nothing is sold any more, and a job cancels and refunds
// every booking. It may be called again: that is "resume". By and from are for the log.
func (s *Service) CancelEvent(ctx context.Context, eventID int64, by, from, why string) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		done, err := t.CancelEvent(ctx, eventID)
		if err != nil {
			return err
		}
		if !done {
			e, err := t.Event(ctx, eventID)
			if err != nil || e.Status != "cancelled" {
				return firstOf(err, domain.ErrConflict)
			}
		} else if err := t.InsertAudit(ctx, db.Audit{Actor: by, Address: from, Action: "cancel event", Subject: fmt.Sprintf("event:%d", eventID), After: asJSON(why)}); err != nil {
			return err
		}
		return t.Enqueue(ctx, domain.CancelEventJob{EventID: eventID}, atOnce())
	})
}

// asJSON puts what somebody typed into the log of changes.
func asJSON(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil { // a string always can
		return nil
	}
	return b
}

// WorkCancelledEvent cancels and refunds what a cancelled event still has: holds, pages
// that are being paid, bookings. Each is a transaction of its own, so it can be stopped
// anywhere and run again; nobody is refunded twice because a cancelled booking is not
// found again.
func (s *Service) WorkCancelledEvent(ctx context.Context, eventID int64) error {
	e, err := s.db.Event(ctx, eventID)
	if err != nil || e.Status != "cancelled" {
		return ignore(err, domain.ErrNotFound) // gone with the demo, or never cancelled
	}
	failed := s.endHolds(ctx, eventID)
	ids, err := s.db.ConfirmedBookings(ctx, eventID)
	if err != nil {
		return errors.Join(failed, err)
	}
	for _, id := range ids {
		err := s.CancelTickets(ctx, Cancel{BookingID: id, Reason: "event_cancelled", By: "system", Words: "The event was cancelled."})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("booking %d: %w", id, err))
		}
	}
	return failed
}

func (s *Service) endHolds(ctx context.Context, eventID int64) error {
	holds, err := s.db.ActiveHoldsOfEvent(ctx, eventID)
	if err != nil {
		return err
	}
	var failed error
	for _, id := range holds {
		if _, err := s.closeLive(ctx, id); err != nil {
			failed = errors.Join(failed, fmt.Errorf("hold %s: %w", id, err))
			continue
		}
		failed = errors.Join(failed, s.db.InTx(ctx, func(t *db.Tx) error {
			if err := t.LockHold(ctx, id); err != nil {
				return err
			}
			h, err := t.Hold(ctx, id)
			if err != nil || h.State != "active" || h.PaymentState.Live() {
				return err
			}
			return s.giveBack(ctx, t, h)
		}))
	}
	return failed
}
