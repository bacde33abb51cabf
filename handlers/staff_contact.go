package handlers

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/views"
)

// contactForm is the contact and note of a booking as somebody typed them.
type contactForm struct {
	typed booking.Contact
	wrong map[string]string
	alert *views.Note
}

// setContact corrects who a booking is for, where its mails go and what staff note on it.
func (s *site) setContact(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	id, err := pathID(r, "booking")
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	f := &contactForm{wrong: map[string]string{}, typed: booking.Contact{
		Name: r.PostForm.Get("name"), Email: r.PostForm.Get("email"), Phone: r.PostForm.Get("phone"), Note: r.PostForm.Get("note"),
		MailTickets: r.PostForm.Get("mail") != "",
	}}
	f.typed.Revision, _ = strconv.Atoi(r.PostForm.Get("revision")) // what is no number is no revision: it is stale
	moved, err := s.Booking.SetContact(r.Context(), id, f.typed, s.by(r, who))
	var wrong booking.InvalidDetails
	switch {
	case errors.As(err, &wrong):
		for _, x := range wrong {
			f.wrong[x.Field] = x.Words
		}
		f.alert = refusal("Nothing was changed", "Please look at the fields marked in the form.")
		return s.showContact(w, r, who, http.StatusUnprocessableEntity, f, err)
	case errors.Is(err, domain.ErrStale):
		return s.showContact(w, r, who, http.StatusConflict, f, err)
	case err != nil:
		return err
	case moved && f.typed.MailTickets:
		return s.toBookingFile(w, r, id, "contact mailed")
	case moved:
		return s.toBookingFile(w, r, id, "contact moved")
	}
	return s.toBookingFile(w, r, id, "contact")
}

// showContact shows the booking with what was typed; after somebody else's change also
// with what is stored now, and the next press saves over it knowingly.
func (s *site) showContact(w http.ResponseWriter, r *http.Request, who access.Staff, status int, f *contactForm, why error) error {
	file, err := s.bookingFile(r)
	if err != nil {
		return err
	}
	if b := file.Booking; status == http.StatusConflict {
		f.typed.Revision = b.Revision
		f.alert = &views.Note{Tone: "bad", Alert: true, Title: "Somebody else changed this meanwhile", Text: []string{
			"Now it is: " + cmp.Or(contact(b.Name, b.Email, b.Phone), "no name and no address") + ". The note: " + cmp.Or(b.StaffNote, "none") + ".",
			"The form has what you typed. Saving it now puts yours in the place of theirs."}}
	}
	s.note(r, status, why)
	return s.showBooking(w, r, who, status, file, &cancelForm{}, f)
}

// view is the form, as typed or as stored.
func (f *contactForm) view(file *booking.File) views.StaffContact {
	b := file.Booking
	v := views.StaffContact{Revision: strconv.Itoa(b.Revision), Mail: true,
		Name: views.Field{Value: b.Name}, Email: views.Field{Value: b.Email}, Phone: views.Field{Value: b.Phone}, Note: views.Field{Value: b.StaffNote}}
	if f == nil {
		return v
	}
	v.Open, v.Mail, v.Revision, v.Alert = true, f.typed.MailTickets, strconv.Itoa(f.typed.Revision), f.alert
	v.Name, v.Email = views.Field{Value: f.typed.Name, Error: f.wrong["name"]}, views.Field{Value: f.typed.Email, Error: f.wrong["email"]}
	v.Phone, v.Note = views.Field{Value: f.typed.Phone, Error: f.wrong["phone"]}, views.Field{Value: f.typed.Note}
	return v
}
