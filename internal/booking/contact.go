package booking

import (
	"context"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Contact is who a booking is for and what staff wrote about it.
type Contact struct {
	Name, Email, Phone string
	Note               string // for staff alone: their pages, the door, the manifest
	Revision           int    // of the booking as the form showed it
	MailTickets        bool   // mail the way to the tickets to an address that is new
}

const longestNote = 500 // letters

// SetContact stores contact and note of a booking, valid or cancelled. When the e-mail
// changes, the old address is told that the mails go elsewhere. It returns whether it did.
//
// Errors: InvalidDetails, domain.ErrStale (somebody else changed it since), ErrNotFound;
// nothing was changed then.
func (s *Service) SetContact(ctx context.Context, bookingID int64, c Contact, by domain.By) (emailChanged bool, err error) {
	c.Name, c.Email, c.Phone, c.Note = tidyText(c.Name, 200), tidyText(c.Email, 254), tidyText(c.Phone, 40), tidyText(c.Note, longestNote)
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		b, err := t.LockBooking(ctx, bookingID)
		if err != nil {
			return err
		}
		if wrong := contactProblems(b, c); len(wrong) > 0 {
			return wrong
		}
		if b.Name == c.Name && b.Email == c.Email && b.Phone == c.Phone && b.StaffNote == c.Note {
			return nil // as it is: also the same form, sent twice
		}
		if b.Revision != c.Revision {
			return domain.ErrStale
		}
		emailChanged = c.Email != b.Email
		if err := s.changeContact(ctx, t, b, c, by); err != nil || !emailChanged || !c.MailTickets || c.Email == "" {
			return err
		}
		return s.mailAgain(ctx, t, b, c.Email, by.Actor, by.Address)
	})
	return emailChanged, err
}

// contactProblems: what a booking had must not be lost by a slip, and what is typed must
// be right. A sale at the counter may have neither name nor address.
func contactProblems(b db.Booking, c Contact) (wrong InvalidDetails) {
	if c.Name == "" && b.Name != "" {
		wrong = append(wrong, FieldError{"name", "Please give the name."})
	}
	if words := EmailProblem(c.Email); words != "" && (c.Email != "" || b.Email != "") {
		if c.Email == "" {
			words = "Please give an address: the mails about this booking go there."
		}
		wrong = append(wrong, FieldError{"email", words})
	}
	if digits := strings.Count(strings.Map(digitsOnly, c.Phone), "0"); c.Phone != "" && c.Phone != b.Phone && digits < 5 {
		wrong = append(wrong, FieldError{"phone", "This phone number looks too short."})
	}
	return wrong
}

type contactChange struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	Phone string `json:"phone"`
	Note  string `json:"note"`
}

// changeContact is the one way that a booking's contact changes. Nothing changed is no
// change: the log and the revision stay. The booking's row is locked.
func (s *Service) changeContact(ctx context.Context, t *db.Tx, b db.Booking, c Contact, by domain.By) error {
	before, after := contactChange{b.Name, b.Email, b.Phone, b.StaffNote}, contactChange{c.Name, c.Email, c.Phone, c.Note}
	if before == after {
		return nil
	}
	if err := t.SetBookingContact(ctx, b, c.Name, c.Email, c.Phone, c.Note); err != nil {
		return err
	}
	if err := logChange(ctx, t, b.ID, "correct contact", by.Actor, by.Address, before, after); err != nil {
		return err
	}
	if b.Email == c.Email {
		return nil
	}
	deaf, err := t.MailsFail(ctx, b.ID, b.Email)
	if err != nil || deaf { // an address that takes no mail needs no word about it
		return err
	}
	return s.queueMail(ctx, t, db.Mail{Kind: "contact_changed", BookingID: &b.ID, ToAddress: b.Email})
}
