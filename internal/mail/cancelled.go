package mail

import (
	"context"
	"slices"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/views"
)

// cancelled tells what of a booking was cancelled, what goes back and what stays.
func (m *Mailer) cancelled(ctx context.Context, row db.Mail) (letter, error) {
	s, err := m.sale(ctx, row.BookingID)
	if err != nil {
		return letter{}, err
	}
	v := views.MailCancelledView{Event: s.about(), Reference: s.reference(), Whole: s.event.Status == "cancelled", URL: m.bookingURL(s.booking)}
	var price int64
	for _, t := range s.tickets {
		line := joined(s.where(t.SeatNo), t.TypeName, money(t.Price, s.booking.Currency), oneLine(t.Passenger))
		switch {
		case slices.Contains(row.TicketIDs, t.ID):
			v.Gone, price = append(v.Gone, line), price+t.Price
		case t.State == "valid":
			v.Stay = append(v.Stay, line)
		}
	}
	if len(v.Gone) == 0 {
		return letter{}, noSubject(row)
	}
	if v.Refund, v.When, v.Receipt, err = m.cancelRefund(ctx, row, price); err != nil {
		return letter{}, err
	}
	subject := "Cancelled: " + s.reference() + ", " + s.headline()
	if len(v.Stay) > 0 {
		subject = "Partly cancelled: " + s.reference() + ", " + s.headline()
	}
	v.Frame = s.frame(oneLine(subject))
	return finish(ctx, s.occasion, v.Frame.Subject, cancelledText(v), views.MailCancelled(v))
}

// cancelRefund says what goes back for tickets of that price, by the refund's state.
func (m *Mailer) cancelRefund(ctx context.Context, row db.Mail, price int64) (what, when, receipt string, err error) {
	const days = "It goes to the card or account you paid with. Banks take 5 to 10 days to show it."
	if row.RefundID == nil {
		if price == 0 {
			return "Nothing was paid, so nothing goes back.", "", "", nil
		}
		return "No money goes back for this.", "", "", nil
	}
	r, err := m.db.Refund(ctx, *row.RefundID)
	if err != nil {
		return "", "", "", err
	}
	p, err := m.db.Payment(ctx, r.PaymentID)
	if err != nil {
		return "", "", "", err
	}
	all, err := m.db.RefundsOfHold(ctx, p.HoldID)
	if err != nil {
		return "", "", "", err
	}
	payments, err := m.db.PaymentsOfHold(ctx, p.HoldID)
	if err != nil {
		return "", "", "", err
	}
	var words, after, numbers []string
	for _, part := range all { // those of one cancellation are of one moment
		if !part.CreatedAt.Equal(r.CreatedAt) {
			continue
		}
		i := slices.IndexFunc(payments, func(x db.Payment) bool { return x.ID == part.PaymentID })
		tender := ""
		if i >= 0 {
			tender = payments[i].Tender
		}
		what, more := backWords(part, tender, days)
		words, numbers = append(words, what), append(numbers, receiptNo(part))
		if !slices.Contains(after, more) {
			after = append(after, more)
		}
	}
	return strings.Join(words, " "), strings.Join(after, " "), strings.Join(numbers, ", "), nil
}

// backWords says where one part of the money is, and how long that takes.
func backWords(r db.Refund, tender, days string) (what, more string) {
	sum, online := money(r.Amount, r.Currency), r.PaymentIntent != nil || tender == "stripe"
	way := map[string]string{"cash": ", in cash", "terminal": ", on your card"}[tender]
	switch {
	case !online && r.State == string(domain.RefundSucceeded):
		return "You got " + sum + " back at the counter" + way + ".", "Please keep the number."
	case !online:
		return "You get " + sum + " back.", "You paid us directly, so please ask for it at the counter and name this number."
	case r.State == string(domain.RefundSucceeded):
		return "We sent " + sum + " back to you.", days
	case r.State == string(domain.RefundFailed):
		return "Your refund of " + sum + " has not worked yet.", "It is still yours: we know about it and will find another way with you."
	}
	return sum + " is on its way back to you.", days
}

func cancelledText(v views.MailCancelledView) string {
	var p plain
	p.par(v.Heading())
	p.par(append([]string{v.Story()}, v.Gone...)...)
	p.par(v.Refund, v.When)
	if v.Receipt != "" {
		p.par("Number of the refund: " + v.Receipt)
	}
	if len(v.Stay) > 0 {
		p.par(append([]string{v.Rest()}, v.Stay...)...)
	}
	p.event(v.Event)
	p.par("Reference of the booking: " + v.Reference)
	p.par("The booking:", v.URL)
	return p.sign(v.Frame)
}
