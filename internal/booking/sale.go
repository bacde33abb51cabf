package booking

import (
	"context"
	"errors"
	"fmt"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Ticket is one seat of a booking.
type Ticket = db.Ticket

// Refund is money on its way back.
type Refund = db.Refund

// Sale is a booking with its tickets and the event they are for.
type Sale struct {
	Booking db.Booking
	Tickets []Ticket // in the order of the plan
	Scene   *Offer   // no fares
	Refunds []Refund
	Mail    *MailState // with the tickets; nil when there is none, and on a ticket alone
}

// MailState is how far a mail is.
type MailState = db.MailState

// Sale reads a booking by what its link says; ErrNotFound when the link was revoked.
func (s *Service) Sale(ctx context.Context, id int64, linkVersion int) (*Sale, error) {
	b, err := s.db.Booking(ctx, id)
	if err != nil {
		return nil, err
	}
	if b.LinkVersion != linkVersion {
		return nil, fmt.Errorf("booking link of version %d: %w", linkVersion, domain.ErrNotFound)
	}
	out := &Sale{Booking: b}
	if out.Tickets, err = s.db.Tickets(ctx, b.ID); err != nil {
		return nil, err
	}
	switch m, err := s.db.TicketsMail(ctx, b.ID); {
	case err == nil:
		out.Mail = &m
	case !errors.Is(err, domain.ErrNotFound):
		return nil, err
	}
	return out, s.scene(ctx, out)
}

// MailTicketsAgain puts a ticket mail that was given up into the queue once more, to the
// address of the booking; nothing in every other state.
func (s *Service) MailTicketsAgain(ctx context.Context, bookingID int64) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		b, err := t.LockBooking(ctx, bookingID)
		if err != nil || b.Email == "" {
			return err
		}
		id, err := t.RequeueTicketsMail(ctx, b.ID, b.Email)
		if err != nil {
			return ignore(err, domain.ErrNotFound)
		}
		return t.Enqueue(ctx, domain.MailJob{MailID: id}, atOnce())
	})
}

// SaleOfTicket reads one ticket by what its code says, alone in its booking. A version of
// 0 is a ticket that was picked from a list.
func (s *Service) SaleOfTicket(ctx context.Context, eventID, ticketID int64, codeVersion int) (*Sale, error) {
	t, err := s.db.Ticket(ctx, eventID, ticketID)
	if err != nil {
		return nil, err
	}
	if codeVersion != 0 && t.CodeVersion != codeVersion {
		return nil, fmt.Errorf("ticket code of version %d: %w", codeVersion, domain.ErrNotFound)
	}
	b, err := s.db.Booking(ctx, t.BookingID)
	if err != nil {
		return nil, err
	}
	out := &Sale{Booking: b, Tickets: []Ticket{t}}
	return out, s.scene(ctx, out)
}

func (s *Service) scene(ctx context.Context, x *Sale) error {
	if len(x.Tickets) == 0 {
		return fmt.Errorf("booking %d has no tickets: %w", x.Booking.ID, domain.ErrNotFound)
	}
	ride := domain.Ride{From: x.Tickets[0].FromStop, To: x.Tickets[0].ToStop}
	var err error
	if x.Scene, err = s.Scene(ctx, x.Booking.EventID, &ride); err != nil {
		return err
	}
	x.Refunds, err = s.db.RefundsOfHold(ctx, x.Booking.HoldID)
	return err
}

// RefundOf is the refund of a hold whose seats were lost; ErrNotFound when there is none.
func (s *Service) RefundOf(ctx context.Context, holdID string) (Refund, error) {
	all, err := s.db.RefundsOfHold(ctx, holdID)
	if err != nil {
		return Refund{}, err
	}
	if len(all) == 0 {
		return Refund{}, fmt.Errorf("refund of hold: %w", domain.ErrNotFound)
	}
	return all[len(all)-1], nil
}

// MailLink queues a mail with the booking's link when reference and address belong
// together. It tells nobody whether they did.
func (s *Service) MailLink(ctx context.Context, reference, email string) error {
	ref, address := domain.ParseReference(reference), tidyText(email, 254)
	if ref == "" || address == "" {
		return nil // counter sales have no address: an empty one belongs to nobody
	}
	b, err := s.db.FindBooking(ctx, ref, address)
	if err != nil {
		return ignore(err, domain.ErrNotFound)
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		waiting, err := t.LinkMailWaits(ctx, b.ID)
		if err != nil || waiting {
			return err
		}
		return s.queueMail(ctx, t, db.Mail{Kind: "booking_link", BookingID: &b.ID, ToAddress: b.Email})
	})
}
