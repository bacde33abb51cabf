package mail

import (
	"context"
	"strings"

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
	swap, err := m.db.Swap(ctx, *row.SwapID)
	if err != nil {
		return letter{}, err
	}
	moves, err := m.db.MovesOf(ctx, swap.ID)
	if err != nil {
		return letter{}, err
	}
	v := views.MailReseatedView{Event: s.about(), Reference: s.reference(), URL: m.bookingURL(s.booking), Coach: s.trip()}
	if swap.Elsewhere() {
		v.Where = oneLine(swap.ToName)
	}
	for _, t := range s.tickets {
		if t.State != "valid" || strings.HasPrefix(t.SeatNo, noSeat) {
			continue
		}
		seat := joined(s.where(t.SeatNo), oneLine(t.Passenger))
		if from := movedFrom(moves, t.ID); from != "" {
			v.Moved++
			v.Seats = append(v.Seats, seat+" (before: "+from+")")
		} else if v.Where != "" {
			v.Seats = append(v.Seats, seat+" (as before)")
		}
	}
	if len(v.Seats) == 0 {
		return letter{}, noSubject(row)
	}
	what := "New seats: "
	if v.Moved == 0 {
		what = "Another " + v.Thing() + ": "
	}
	v.Frame = s.frame(oneLine(what + s.headline() + ", " + s.reference()))
	l, err := finish(ctx, s.occasion, v.Frame.Subject, reseatedText(v), views.MailReseated(v))
	l.calendar = m.calendar(row, s)
	return l, err
}

// noSeat begins the seat of a ticket that has none.
const noSeat = "NOSEAT-"

// movedFrom is the seat that a ticket had before some moves, "" when it kept its own.
func movedFrom(moves []db.SeatMove, ticket int64) string {
	for _, x := range moves {
		if x.TicketID != nil && *x.TicketID == ticket {
			return x.FromSeat
		}
	}
	return ""
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
