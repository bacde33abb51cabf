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

// What staff see of bookings, as the database has it.
type (
	BookingLine  = db.BookingLine
	Payment      = db.Payment
	Mail         = db.Mail
	LedgerLine   = db.LedgerLine
	TaskLine     = db.TaskLine
	DisputeLine  = db.DisputeLine
	AuditLine    = db.AuditLine
	Moment       = db.Moment
	EndedHold    = db.EndedHold
	EventSales   = db.EventSales
	EventMoney   = db.EventMoney
	LateRefund   = db.UnfinishedRefund
	CancelCounts = db.Progress
)

// ErrTicketsGone: every ticket that was to be cancelled is cancelled already. It is an
// ErrConflict: nothing was done.
var ErrTicketsGone = fmt.Errorf("cancelled already: %w", domain.ErrConflict)

// ErrNothingGone: a hold cannot run again although no seat of it is gone to others: the
// same customer has them in another hold, or it runs, was booked or paid. ErrConflict.
var ErrNothingGone = fmt.Errorf("the hold needs no reviving: %w", domain.ErrConflict)

// File is everything about one booking.
type File struct {
	Sale
	Payments []Payment
	Paid     Payment // the attempt that bought it
	Left     int64   // of what it brought, not yet on its way back
	Mails    []Mail
	Ledger   []LedgerLine
	Tasks    []TaskLine
	Disputes []DisputeLine
	Log      []AuditLine
	Moments  []Moment
	From     *db.Booking  // that it was exchanged from, nil for none
	To       []db.Booking // that tickets of it were exchanged for
}

// BookingFile reads it for staff; domain.ErrNotFound.
func (s *Service) BookingFile(ctx context.Context, id int64) (*File, error) {
	b, err := s.db.Booking(ctx, id)
	if err != nil {
		return nil, err
	}
	f := &File{Sale: Sale{Booking: b}}
	if f.Tickets, err = s.db.Tickets(ctx, b.ID); err != nil {
		return nil, err
	}
	if err := s.scene(ctx, &f.Sale); err != nil {
		return nil, err
	}
	for _, read := range []func() error{
		func() (err error) { f.Payments, err = s.db.PaymentsOfHold(ctx, b.HoldID); return err },
		func() (err error) { f.Paid, err = s.db.BookedPayment(ctx, b.HoldID); return err },
		func() (err error) { f.Mails, err = s.db.MailsAbout(ctx, b); return err },
		func() (err error) { f.Ledger, err = s.db.LedgerOfBooking(ctx, b); return err },
		func() (err error) { f.Tasks, err = s.db.TasksOfBooking(ctx, b); return err },
		func() (err error) { f.Disputes, err = s.db.DisputesOfBooking(ctx, b); return err },
		func() (err error) { f.Log, err = s.db.AuditOf(ctx, fmt.Sprintf("booking:%d", b.ID)); return err },
		func() (err error) { f.Moments, err = s.db.Moments(ctx, b.ID); return err },
		func() (err error) { f.To, err = s.db.ExchangedTo(ctx, b.ID); return err },
		func() error { return s.exchangedFrom(ctx, f) },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	for _, p := range f.Payments {
		f.Left += f.leftOf(p)
	}
	return f, nil
}

func (s *Service) exchangedFrom(ctx context.Context, f *File) error {
	if f.Booking.ExchangedFrom == nil {
		return nil
	}
	b, err := s.db.Booking(ctx, *f.Booking.ExchangedFrom)
	f.From = &b
	return err
}

// ErrAmountChanged: what goes back is not what was shown any more, because a step of the
// terms passed meanwhile. It is an ErrConflict: nothing was done.
var ErrAmountChanged = fmt.Errorf("another amount than shown: %w", domain.ErrConflict)

// DeskCancel is CancelTickets for staff, with refusals that a person can act on:
// *domain.RuleError when no ticket, no reason, or more than can go back was given,
// ErrTicketsGone when it was done before. Without an amount the house's terms say it, of a
// void the price;
// shown is the amount that the person saw, nil when none was shown: no other is paid.
func (s *Service) DeskCancel(ctx context.Context, c Cancel, shown *int64) error {
	f, err := s.BookingFile(ctx, c.BookingID)
	if err != nil {
		return err
	}
	if c.Words = tidyText(c.Words, 500); c.Words == "" {
		return &domain.RuleError{Code: "reason", Words: "Please say why: it stays in the log with your name."}
	}
	if len(c.Tickets) == 0 {
		return &domain.RuleError{Code: "none", Words: "Please tick at least one ticket. Nothing was cancelled."}
	}
	slices.Sort(c.Tickets)
	c.Tickets = slices.Compact(c.Tickets)
	back, gone := f.Price(c.Tickets)
	if gone == len(c.Tickets) {
		return ErrTicketsGone
	}
	if c.Refund == nil {
		if c.Reason != "void" { // a sale that should not have been has no terms
			back, _ = f.Back(c.Tickets)
		}
		c.Refund = &back
	}
	switch {
	case *c.Refund > f.Left:
		return &domain.RuleError{Code: "too_much", Words: "That is more than this payment has left. Nothing was cancelled."}
	case shown != nil && *shown != *c.Refund:
		return ErrAmountChanged
	}
	err = s.CancelTickets(ctx, c)
	if errors.Is(err, domain.ErrConflict) { // perhaps the same button, pressed twice
		if now, readErr := s.BookingFile(ctx, c.BookingID); readErr == nil {
			if _, gone := now.Price(c.Tickets); gone == len(c.Tickets) {
				return ErrTicketsGone
			}
		}
	}
	return err
}

// Price sums the tickets of the list that are valid and counts those that are cancelled.
func (f *File) Price(tickets []int64) (sum int64, cancelled int) {
	for _, t := range f.Tickets {
		switch {
		case !slices.Contains(tickets, t.ID):
		case t.State == "valid":
			sum += t.Price
		default:
			cancelled++
		}
	}
	return sum, cancelled
}

// RenamePassenger changes who travels; the seat stays. Also when every seat is sold and
// when the event's sale is closed. domain.ErrConflict: the ticket is not valid.
func (s *Service) RenamePassenger(ctx context.Context, bookingID, ticketID int64, name, by, from string) error {
	if name = tidyText(name, 200); name == "" {
		return &domain.RuleError{Code: "passenger", Words: "Please give the name of the passenger. Nothing was changed."}
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		b, err := t.LockBooking(ctx, bookingID)
		if err != nil {
			return err
		}
		ticket, err := t.Ticket(ctx, b.EventID, ticketID)
		if err != nil {
			return err
		}
		if ticket.BookingID != b.ID {
			return fmt.Errorf("ticket %d is not of booking %d: %w", ticketID, b.ID, domain.ErrNotFound)
		}
		if ticket.Passenger == name && ticket.State == "valid" {
			return nil
		}
		if err := t.RenamePassenger(ctx, b, ticketID, name); err != nil {
			return err
		}
		return logChange(ctx, t, b.ID, "rename passenger", by, from,
			map[string]any{"ticket": ticketID, "seat": ticket.SeatNo, "passenger": ticket.Passenger},
			map[string]any{"ticket": ticketID, "seat": ticket.SeatNo, "passenger": name})
	})
}

func logChange(ctx context.Context, t *db.Tx, bookingID int64, action, by, from string, before, after any) error {
	a := db.Audit{Actor: by, Address: from, Action: action, Subject: fmt.Sprintf("booking:%d", bookingID)}
	var err error
	if before != nil {
		if a.Before, err = json.Marshal(before); err != nil {
			return err
		}
	}
	if a.After, err = json.Marshal(after); err != nil {
		return err
	}
	return t.InsertAudit(ctx, a)
}
