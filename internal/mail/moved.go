package mail

import (
	"context"

	"holdfast/db"
	"holdfast/views"
)

// moved tells the people of a booking that their event begins at another time.
func (m *Mailer) moved(ctx context.Context, row db.Mail) (letter, error) {
	s, err := m.sale(ctx, row.BookingID)
	if err != nil {
		return letter{}, err
	}
	seats := s.seatWords()
	if row.WasAt == nil || s.booking.State != "confirmed" {
		return letter{}, noSubject(row)
	}
	zone := s.event.TimeZone
	if s.trip() {
		zone = s.from().TimeZone
	}
	was := s.boards().Add(row.WasAt.Sub(s.event.StartsAt)) // every stop moves with the start
	v := views.MailMovedView{
		Event: s.about(), Reference: s.reference(), Was: moment(was, zone), Now: moment(s.boards(), zone), Tickets: seats, URL: m.bookingURL(s.booking),
	}
	v.Frame = s.frame(oneLine("New time: " + s.headline() + ", " + s.reference()))
	l, err := finish(ctx, s.occasion, v.Frame.Subject, movedText(v), views.MailMoved(v))
	l.calendar = m.calendar(row, s)
	return l, err
}

func movedText(v views.MailMovedView) string {
	var p plain
	p.par(v.Heading())
	p.par(v.Story(), v.Now)
	p.par(append([]string{v.Stand()}, v.Tickets...)...)
	p.par(v.Cannot())
	p.event(v.Event)
	p.par("Reference of the booking: " + v.Reference)
	p.par("The booking:", v.URL)
	return p.sign(v.Frame)
}
