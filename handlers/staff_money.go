package handlers

import (
	"strconv"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/format"
	"holdfast/views"
)

// The money and the mails of a booking in words.

func (d dossier) payments() (out []views.FileLine) {
	for _, p := range d.f.Payments {
		amount := p.Amount
		if p.Received > 0 {
			amount = p.Received
		}
		v := views.FileLine{
			Kind: "payment", ID: strconv.FormatInt(p.ID, 10), Head: format.Money(amount, p.Currency), Small: "Payment " + strconv.FormatInt(p.ID, 10),
			Badge: paymentBadge(p), Words: []string{tenderWords(p.Tender) + ", " + shortMoment(p.CreatedAt, d.set)},
		}
		if change := coinsBack(p); change > 0 {
			v.Words = append(v.Words, format.Money(*p.Tendered, p.Currency)+" given, "+format.Money(change, p.Currency)+" change")
		}
		if p.StripePaymentIntentID != nil {
			v.Words = append(v.Words, "Stripe: "+*p.StripePaymentIntentID)
			v.Links = []views.Link{{Text: "See it at Stripe", URL: d.s.stripeURL(*p.StripePaymentIntentID)}}
		} else if p.StripeSessionID != nil {
			v.Words = append(v.Words, "Stripe: "+shortID(*p.StripeSessionID))
		}
		out = append(out, v)
	}
	return out
}

// coinsBack is what goes back of the cash that was put on the counter.
func coinsBack(p booking.Payment) int64 {
	if p.Tendered == nil {
		return 0
	}
	return *p.Tendered - p.Received
}

// stripeURL is where staff see a payment: Stripe's dashboard, in a demo the look-alike.
func (s *site) stripeURL(intent string) string {
	if s.Demo != nil && s.Demo.Stripe != nil {
		return "/stripesim/"
	}
	return s.StripePages + intent
}

func shortID(id string) string {
	if len(id) > 24 {
		return id[:24] + "…"
	}
	return id
}

func paymentBadge(p booking.Payment) views.Badge {
	switch {
	case p.State == "applied":
		return views.Badge{Tone: "ok", Text: "Paid"}
	case p.State == "refunding":
		return views.Badge{Tone: "warn", Text: "Goes back"}
	case p.State == "closed" && p.Received > 0:
		return views.Badge{Text: "Sent back"}
	case p.State == "closed":
		return views.Badge{Text: "Not paid"}
	}
	return views.Badge{Tone: "warn", Text: "Open"}
}

func tenderWords(tender string) string {
	switch tender {
	case "stripe":
		return "Paid online"
	case "cash":
		return "Cash"
	case "terminal":
		return "Card at the counter"
	case "agent":
		return "On an agent’s account"
	case "comp":
		return "Given for free"
	case "exchange":
		return "With exchanged tickets"
	}
	return "Nothing to pay"
}

func (d dossier) refunds() (out []views.FileLine) {
	hand := handSums{}
	for _, r := range d.f.Refunds {
		if r.PaymentIntent == nil {
			hand.add(r.PaymentID, r.Amount, r.State)
		}
	}
	for _, r := range d.f.Refunds {
		v := views.FileLine{
			Kind: "refund", ID: strconv.FormatInt(r.ID, 10), Head: format.Money(r.Amount, r.Currency), Small: "R-" + strconv.FormatInt(r.ID, 10),
			Badge: refundBadge(r.State, r.Error, r.PaymentIntent == nil), Words: []string{refundWhy(r.Reason) + ", " + shortMoment(r.CreatedAt, d.set)},
		}
		if r.Error != "" {
			v.Words = append(v.Words, r.Error)
		}
		if r.StripeRefundID != nil {
			v.Words = append(v.Words, "Stripe: "+*r.StripeRefundID)
		}
		if canRetry(r.State, r.Reason, r.Error, r.CreatedAt, d.f.Scene.Event.Now) {
			v.RetryURL = "/staff/refunds/" + v.ID + "/retry"
		}
		v.Hand = hand.take(r.PaymentID, r.Currency)
		out = append(out, v)
	}
	return out
}

// canRetry: what failed, and what waits with a reason or for long.
func canRetry(state, reason, problem string, created, now time.Time) bool {
	switch state {
	case "failed":
		return reason != "dashboard"
	case "requested":
		return problem != "" || now.Sub(created) > refundStuck
	}
	return false
}

// refundBadge says how far a refund is; byHand: no bank has it, somebody hands it over.
func refundBadge(state, problem string, byHand bool) views.Badge {
	switch state {
	case "succeeded":
		return views.Badge{Tone: "ok", Text: "Done"}
	case "failed":
		return views.Badge{Tone: "bad", Text: "Failed"}
	case "pending":
		if byHand {
			return views.Badge{Tone: "warn", Text: "To hand over"}
		}
		return views.Badge{Tone: "warn", Text: "At the bank"}
	}
	if problem != "" {
		return views.Badge{Tone: "warn", Text: "Waits"}
	}
	return views.Badge{Tone: "warn", Text: "On its way"}
}

func (d dossier) mails() (out []views.FileLine) {
	for _, m := range d.f.Mails {
		v := views.FileLine{
			Kind: "mail", ID: strconv.FormatInt(m.ID, 10), Head: mailWords(m.Kind), Small: m.ToAddress,
			Badge: views.Badge{Tone: "warn", Text: "Waits"}, Words: []string{"Written " + shortMoment(m.CreatedAt, d.set)},
		}
		switch m.State {
		case "sent":
			v.Badge = views.Badge{Tone: "ok", Text: "Sent"}
			if m.SentAt != nil {
				v.Words[0] = "Sent " + shortMoment(*m.SentAt, d.set)
			}
		case "failed":
			v.Badge = views.Badge{Tone: "bad", Text: "Failed"}
		}
		if m.Error != "" {
			v.Words = append(v.Words, strings.ToUpper(m.Error[:1])+m.Error[1:])
		}
		out = append(out, v)
	}
	return out
}

func mailWords(kind string) string {
	switch kind {
	case "tickets":
		return "The tickets"
	case "booking_link":
		return "The link to the booking"
	case "contact_changed":
		return "The address was changed"
	case "cancelled":
		return "About the cancellation"
	case "refund_started":
		return "Money is on its way back"
	case "refund_done":
		return "The money is back"
	case "refund_failed":
		return "A refund did not work"
	case "seats_lost":
		return "The seats were gone"
	case "staff_note":
		return "A note to the house"
	case "seat_changed":
		return "About the new seats"
	case "test":
		return "A test"
	}
	return strings.ReplaceAll(kind, "_", " ")
}

// bounced is why the ticket mail did not arrive.
func (d dossier) bounced() string {
	for _, m := range d.f.Mails {
		if m.Kind == "tickets" && m.State == "failed" {
			return contact(m.Error, m.ToAddress, shortMoment(m.CreatedAt, d.set))
		}
	}
	return ""
}

func (d dossier) ledger() (out []views.StaffLedger) {
	seats := map[int64]string{}
	for _, t := range d.f.Tickets {
		seats[t.ID] = seatRef(d.f.Scene.Layout, t.SeatNo).Name
	}
	for _, l := range d.f.Ledger {
		v := views.StaffLedger{When: shortMoment(l.EnteredAt, d.set), What: ledgerWords(l.Kind), Amount: money(l.Amount, l.Currency)}
		switch {
		case l.TicketID != nil:
			v.What += ", seat " + seats[*l.TicketID]
		case l.RefundID != nil:
			v.What += " R-" + strconv.FormatInt(*l.RefundID, 10)
		case l.PaymentID != nil:
			v.What += " " + strconv.FormatInt(*l.PaymentID, 10)
		}
		if l.Tax != 0 {
			v.Tax = format.Number(l.Tax, l.Currency)
		}
		out = append(out, v)
	}
	return out
}

func ledgerWords(kind string) string {
	switch kind {
	case "payment":
		return "Payment"
	case "refund":
		return "Refund"
	case "sale":
		return "Sale"
	case "sale_reversal":
		return "Sale taken back"
	case "fee":
		return "Kept at the cancellation of payment"
	case "write_off":
		return "Written off"
	}
	return strings.ReplaceAll(kind, "_", " ")
}
