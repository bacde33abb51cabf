package mail

import (
	"context"
	"fmt"
	"strconv"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/views"
)

// lost tells that money came and the seats were gone.
func (m *Mailer) lost(ctx context.Context, row db.Mail) (letter, error) {
	p, h, o, err := m.paidFor(ctx, row.PaymentID)
	if err != nil {
		return letter{}, err
	}
	refunds, err := m.db.RefundsOf(ctx, p.ID)
	if err != nil {
		return letter{}, err
	}
	v := views.MailLostView{
		Event: o.about(), Seats: list(o.seats(h.SeatNos())), Cancelled: o.event.Status == "cancelled",
	}
	v.Refund, v.When, v.Receipt = refundSentences(p, refunds, o.house)
	if o.open() {
		v.OtherURL = m.eventURL(o)
	}
	subject := oneLine("Paid too late: " + o.headline() + ". Your money goes back")
	if v.Cancelled {
		subject = oneLine("Cancelled: " + o.headline() + ". Your money goes back")
	}
	v.Frame = o.frame(subject)
	return finish(ctx, o, subject, lostText(v), views.MailLost(v))
}

// refundSentences says where the money is, by the newest refund of the payment.
func refundSentences(p db.Payment, refunds []db.Refund, house domain.Settings) (what, when, receipt string) {
	const days = "It reaches your card or account in 5 to 10 days."
	all := money(p.Received, p.Currency)
	if len(refunds) == 0 {
		return "We are sending all of your money back: " + all + ".", days, ""
	}
	r := refunds[len(refunds)-1]
	receipt = receiptNo(r)
	switch domain.RefundState(r.State) {
	case domain.RefundSucceeded:
		return "All of your money was sent back: " + all + ".", days, receipt
	case domain.RefundFailed:
		when = "We know about it and find another way with you."
		if house.Phone != "" {
			when += " You may also call us: " + house.Phone + "."
		}
		return "Your refund of " + all + " has not worked yet.", when, receipt
	case domain.RefundPending:
		return "All of your money is on its way back: " + all + ".", days, receipt
	}
	return "We are sending all of your money back: " + all + ".", days, receipt
}

// refund tells that a refund began, or how it ended.
func (m *Mailer) refund(ctx context.Context, row db.Mail) (letter, error) {
	if row.RefundID == nil {
		return letter{}, noSubject(row)
	}
	r, err := m.db.Refund(ctx, *row.RefundID)
	if err != nil {
		return letter{}, err
	}
	_, h, o, err := m.paidFor(ctx, &r.PaymentID)
	if err != nil {
		return letter{}, err
	}
	v := views.MailRefundView{
		Event: o.about(), Failed: row.Kind == "refund_failed", Started: row.Kind == "refund_started", Amount: money(r.Amount, r.Currency), Why: refundReason(r, o), Receipt: receiptNo(r),
	}
	if h.BookingID != 0 {
		b, err := m.db.Booking(ctx, h.BookingID)
		if err != nil {
			return letter{}, err
		}
		v.Reference, v.URL = domain.ShowReference(b.Reference), m.bookingURL(b)
	}
	subject := oneLine(v.Heading() + ": " + o.title())
	v.Frame = o.frame(subject)
	return finish(ctx, o, subject, refundText(v), views.MailRefund(v))
}

func refundReason(r db.Refund, o *occasion) string {
	switch r.Reason {
	case "seat_lost":
		return "Your payment came too late for your seats."
	case "duplicate":
		return "The booking was paid twice; this is the second payment. Your booking stands."
	case "mismatch":
		return "The payment did not fit what was to be paid, so it bought nothing."
	case "event_cancelled":
		return o.title() + " was cancelled."
	case "customer":
		return "It is for what you cancelled."
	}
	return ""
}

// receiptNo is the number people may name on the phone, as on the pages.
func receiptNo(r db.Refund) string { return "R-" + strconv.FormatInt(r.ID, 10) }

// note tells the house about a booking or a payment that needs a person.
func (m *Mailer) note(ctx context.Context, row db.Mail) (letter, error) {
	tasks, err := m.db.TasksForMail(ctx, row.BookingID, row.PaymentID)
	if err != nil {
		return letter{}, err
	}
	v := views.MailStaffView{URL: m.cfg.BaseURL + "/staff"}
	var o *occasion
	about := ""
	switch {
	case row.BookingID != nil:
		s, err := m.sale(ctx, row.BookingID)
		if err != nil {
			return letter{}, err
		}
		o, about = s.occasion, "booking "+s.reference()
		v.About = []views.Fact{{Name: "Booking", Text: s.reference()}, {Name: "Seats", Text: list(s.seatWords())}, {Name: "Name", Text: oneLine(s.booking.Name)}}
	case row.PaymentID != nil:
		var p db.Payment
		var h *domain.Hold
		if p, h, o, err = m.paidFor(ctx, row.PaymentID); err != nil {
			return letter{}, err
		}
		about = fmt.Sprintf("payment %d", p.ID)
		v.About = []views.Fact{{Name: "Payment", Text: strconv.FormatInt(p.ID, 10)}, {Name: "Received", Text: money(p.Received, p.Currency)},
			{Name: "Seats", Text: list(o.seats(h.SeatNos()))}, {Name: "Name", Text: oneLine(h.Name)}}
	default:
		return letter{}, noSubject(row)
	}
	for _, t := range tasks {
		v.Tasks = append(v.Tasks, t.Words)
	}
	if len(tasks) == 0 {
		v.Tasks = []string{"Nothing is open any more: somebody has dealt with it."}
	}
	subject := oneLine("Please look at " + about + ": " + o.headline())
	v.Frame, v.Event = views.MailFrame{Subject: subject}, o.about()
	return finish(ctx, o, subject, staffText(v), views.MailStaff(v))
}

func noSubject(row db.Mail) error {
	return fmt.Errorf("a mail of kind %s names nothing it could be about: %w", row.Kind, domain.ErrNotFound)
}
