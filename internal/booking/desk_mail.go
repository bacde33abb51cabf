package booking

import (
	"context"
	"errors"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Resend mails the way to the tickets again, to email when that is another address than
// the booking's, which it then becomes. A ticket mail that was given up is tried again;
// else the link goes out. Pressed twice it is one mail.
func (s *Service) Resend(ctx context.Context, bookingID int64, email, by, from string) error {
	email = tidyText(email, 254)
	if email != "" {
		if words := EmailProblem(email); words != "" {
			return &domain.RuleError{Code: "email", Words: words}
		}
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		b, err := t.LockBooking(ctx, bookingID)
		if err != nil {
			return err
		}
		if email == "" {
			email = b.Email
		}
		if email == "" {
			return &domain.RuleError{Code: "email", Words: "This booking has no e-mail address. Please type one."}
		}
		if email != b.Email {
			c := Contact{Name: b.Name, Email: email, Phone: b.Phone, Note: b.StaffNote}
			if err := s.changeContact(ctx, t, b, c, domain.By{Actor: by, Address: from}); err != nil {
				return err
			}
		}
		return s.mailAgain(ctx, t, b, email, by, from)
	})
}

func (s *Service) mailAgain(ctx context.Context, t *db.Tx, b db.Booking, email, by, from string) error {
	twice, err := t.MailJustMade(ctx, b.ID, email)
	if err != nil || twice {
		return err
	}
	if err := logChange(ctx, t, b.ID, "mail again", by, from, nil, map[string]any{"email": email}); err != nil {
		return err
	}
	if b.Email == "" && b.State == "confirmed" { // a sale at the counter never had a ticket mail
		return s.queueMail(ctx, t, db.Mail{Kind: "tickets", BookingID: &b.ID, ToAddress: email})
	}
	switch id, err := t.RequeueTicketsMail(ctx, b.ID, email); {
	case err == nil:
		return t.Enqueue(ctx, domain.MailJob{MailID: id}, atOnce())
	case !errors.Is(err, domain.ErrNotFound):
		return err
	}
	return s.queueMail(ctx, t, db.Mail{Kind: "booking_link", BookingID: &b.ID, ToAddress: email})
}
