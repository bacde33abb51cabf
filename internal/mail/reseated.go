package mail

import (
	"context"

	"holdfast/db"
	"holdfast/views"
)

// reseated tells the people of a booking which seats they have now: their event went to
// another hall or coach.
func (m *Mailer) reseated(ctx context.Context, row db.Mail) (letter, error) {
	s, err := m.sale(ctx, row.BookingID)
	if err != nil {
		return letter{}, err
	}
	if row.SwapID == nil || s.booking.State != "confirmed" {
		return letter{}, noSubject(row)
	}
	moves, err := m.db.MovesOf(ctx, *row.SwapID)
	if err != nil {
		return letter{}, err
	}
	v := views.MailReseatedView{Event: s.about(), Reference: s.reference(), URL: m.bookingURL(s.booking), Coach: s.trip()}
	for _, t := range s.tickets {
		for _, move := range moves {
			if move.TicketID == nil || *move.TicketID != t.ID || t.State != "valid" {
				continue
			}
			v.Seats = append(v.Seats, joined(s.where(t.SeatNo), oneLine(t.Passenger))+" (before: "+move.FromSeat+")")
		}
	}
	if len(v.Seats) == 0 {
		return letter{}, noSubject(row)
	}
	v.Frame = s.frame(oneLine("New seats: " + s.headline() + ", " + s.reference()))
	l, err := finish(ctx, s.occasion, v.Frame.Subject, reseatedText(v), views.MailReseated(v))
	l.calendar = m.calendar(row, s)
	return l, err
}

func reseatedText(v views.MailReseatedView) string {
	var p plain
	p.par(v.Heading())
	p.par(append([]string{v.Story()}, v.Seats...)...)
	p.par(v.Stand())
	p.event(v.Event)
	p.par("Reference of the booking: " + v.Reference)
	p.par("The booking:", v.URL)
	return p.sign(v.Frame)
}
