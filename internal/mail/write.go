package mail

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/views"
)

// letter is a mail as it leaves.
type letter struct {
	subject, text, html string
	house               string // sender's name where MAIL_FROM gives none
	images              []file // shown inside the HTML
	calendar            file
}

// file is an attachment; body nil means none.
type file struct {
	name, id string // id: what a cid: address in the HTML names
	body     []byte
}

// write makes the letter of a row from what the database says now. The error is final
// where the row can never be written: its kind or what it is about does not exist.
func (m *Mailer) write(ctx context.Context, row db.Mail) (letter, error) {
	var l letter
	var err error
	switch row.Kind {
	case "tickets":
		l, err = m.tickets(ctx, row)
	case "seats_lost":
		l, err = m.lost(ctx, row)
	case "refund_started", "refund_done", "refund_failed":
		l, err = m.refund(ctx, row)
	case "cancelled":
		l, err = m.cancelled(ctx, row)
	case "moved":
		l, err = m.moved(ctx, row)
	case "seat_changed":
		l, err = m.reseated(ctx, row)
	case "contact_changed":
		l, err = m.contactChanged(ctx, row)
	case "booking_link":
		l, err = m.link(ctx, row)
	case "staff_note":
		l, err = m.note(ctx, row)
	case "manifest", "manifest_again":
		l, err = m.manifest(ctx, row)
	case "test":
		l, err = m.trial(ctx)
	default:
		err = fmt.Errorf("no mail of kind %q: %w", row.Kind, domain.ErrNotFound)
	}
	if errors.Is(err, domain.ErrNotFound) {
		return letter{}, final{err}
	}
	return l, err
}

// finish renders both forms. The text is written from the same view.
func finish(ctx context.Context, o *occasion, subject, text string, page templ.Component) (letter, error) {
	var html strings.Builder
	if err := page.Render(ctx, &html); err != nil {
		return letter{}, err
	}
	return letter{subject: subject, text: text, html: html.String(), house: o.house.VenueName}, nil
}

// tickets brings every ticket of the booking in one mail.
func (m *Mailer) tickets(ctx context.Context, row db.Mail) (letter, error) {
	s, err := m.sale(ctx, row.BookingID)
	if err != nil {
		return letter{}, err
	}
	subject := oneLine(s.reference() + ": " + s.headline() + ", " + s.seatsShort())
	if s.booking.State == "cancelled" {
		subject = "Cancelled: " + subject
	}
	v := views.MailTicketsView{
		Frame: s.frame(subject), Event: s.about(), Reference: s.reference(), Paid: s.paid(),
		URL: m.bookingURL(s.booking), Cancelled: s.booking.State == "cancelled",
	}
	var images []file
	for _, t := range s.tickets {
		mt := m.ticket(s, t)
		if img := m.image(row, t, mt); img.body != nil {
			mt.QR, images = templ.SafeURL("cid:"+img.id), append(images, img)
		}
		v.Tickets = append(v.Tickets, mt)
	}
	l, err := finish(ctx, s.occasion, subject, ticketsText(v), views.MailTickets(v))
	l.images, l.calendar = images, m.calendar(row, s)
	return l, err
}

func (m *Mailer) ticket(s *sale, t db.Ticket) views.MailTicket {
	return views.MailTicket{
		Seat: s.where(t.SeatNo), Type: t.TypeName, Price: money(t.Price, s.booking.Currency), Passenger: oneLine(t.Passenger),
		URL:       m.cfg.BaseURL + "/t/" + m.cfg.Signer.TicketCode(t.EventID, t.ID, t.CodeVersion),
		Cancelled: t.State == "cancelled",
	}
}

// image is the ticket's QR code, no body when it is not valid or cannot be drawn.
func (m *Mailer) image(row db.Mail, t db.Ticket, v views.MailTicket) file {
	if v.Cancelled || m.cfg.QR == nil {
		return file{}
	}
	png, err := m.cfg.QR(v.URL)
	m.attached(row, err)
	if err != nil {
		return file{}
	}
	return file{name: "ticket-" + t.SeatNo + ".png", id: fmt.Sprintf("ticket-%d@%s", t.ID, m.host()), body: png}
}

func (m *Mailer) calendar(row db.Mail, s *sale) file {
	if m.cfg.Calendar == nil {
		return file{}
	}
	body, err := m.cfg.Calendar(Booking{
		ID: s.booking.ID, Reference: s.reference(), Event: s.event, Stops: s.stops, Ride: s.ride, Seats: s.seatWords(),
		URL: m.bookingURL(s.booking), Venue: s.house, Cancelled: s.booking.State == "cancelled", At: s.event.Now,
	})
	m.attached(row, err)
	if err != nil {
		return file{}
	}
	return file{name: s.reference() + ".ics", body: body}
}

// link is the find page's answer.
func (m *Mailer) link(ctx context.Context, row db.Mail) (letter, error) {
	s, err := m.sale(ctx, row.BookingID)
	if err != nil {
		return letter{}, err
	}
	subject := oneLine("Your booking " + s.reference() + ": " + s.headline())
	v := views.MailLinkView{
		Frame: s.frame(subject), Event: s.about(), Reference: s.reference(), Seats: list(s.seatWords()),
		URL: m.bookingURL(s.booking), Cancelled: s.booking.State == "cancelled",
	}
	return finish(ctx, s.occasion, subject, linkText(v), views.MailLink(v))
}

func (m *Mailer) bookingURL(b db.Booking) string {
	return m.cfg.BaseURL + "/bookings/" + m.cfg.Signer.BookingToken(b.ID, b.LinkVersion)
}

// eventURL is the seat page of what the occasion is about, on the same ride.
func (m *Mailer) eventURL(o *occasion) string {
	address := fmt.Sprintf("%s/events/%d", m.cfg.BaseURL, o.event.ID)
	if o.event.Kind == domain.Trip {
		address += "?" + url.Values{"from": {fmt.Sprint(o.ride.From)}, "to": {fmt.Sprint(o.ride.To)}}.Encode()
	}
	return address
}
