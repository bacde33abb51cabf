package handlers

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

func voidURL(bookingID int64) string { return printURL(bookingID, "void") }

// voidForm is what was sent, with why it was refused.
type voidForm struct {
	reason string
	wrong  *domain.RuleError
	no     *superRefusal
}

// voidPage asks for what undoes a sale of the own open till. Every other sale is refunded
// on the booking's page.
func (s *site) voidPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	p, err := s.bookingPaper(r, booking.PrintTickets)
	if err != nil {
		return err
	}
	return s.showVoid(w, r, who, http.StatusOK, p, voidForm{})
}

// voidSale undoes it and says what to hand over. It takes a reason and a manager, or one
// who confirms in place.
func (s *site) voidSale(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	p, err := s.bookingPaper(r, booking.PrintTickets)
	if err != nil {
		return err
	}
	f := voidForm{reason: strings.TrimSpace(r.PostForm.Get("reason"))}
	back, err := s.undoSale(r, who, p, &f)
	switch {
	case errors.Is(err, booking.ErrTicketsGone):
		return s.toBookingFile(w, r, p.Booking.ID, "cancelled before")
	case errors.As(err, &f.wrong):
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showVoid(w, r, who, http.StatusUnprocessableEntity, p, f)
	case errors.Is(err, domain.ErrConflict):
		f.wrong = &domain.RuleError{Code: "changed", Words: "The booking changed while you looked: a ticket was cancelled by somebody else, or money went back meanwhile. This is how it stands now."}
		s.note(r, http.StatusConflict, err)
		if p, err = s.bookingPaper(r, booking.PrintTickets); err != nil {
			return err
		}
		return s.showVoid(w, r, who, http.StatusConflict, p, f)
	case err != nil:
		return err
	case f.no != nil:
		s.note(r, f.no.status, f.no.cause)
		return s.showVoid(w, r, who, f.no.status, p, f)
	}
	return s.toBookingFile(w, r, p.Booking.ID, handedBack+backWords(back, p.Booking.Currency))
}

// undoSale looks at the form, then at who confirms, and acts. f.no: nobody did.
func (s *site) undoSale(r *http.Request, who access.Staff, p *booking.Paper, f *voidForm) (back []booking.HandedBack, err error) {
	if f.reason == "" {
		return nil, &domain.RuleError{Code: "reason", Words: "Please say why: it stays in the report with your name."}
	}
	seller := s.seller(r, who)
	if seller.Confirmed, f.no, err = s.supervised(r, who, access.Manager); err != nil || f.no != nil {
		return nil, err
	}
	return s.Booking.Void(r.Context(), seller, p.Booking.ID, f.reason)
}

// handedBack starts what the booking's page says after a void.
const handedBack = "handed back: "

// backWords says what to hand over now and what goes by itself.
func backWords(list []booking.HandedBack, currency string) string {
	var out []string
	for i, x := range list {
		if slices.ContainsFunc(list[:i], func(y booking.HandedBack) bool { return y.Tender == x.Tender }) {
			continue // it is in that one's sum
		}
		for _, y := range list[i+1:] {
			if y.Tender == x.Tender {
				x.Amount += y.Amount
			}
		}
		sum := format.Money(x.Amount, currency)
		switch x.Tender {
		case "cash":
			out = append(out, "Hand over "+sum+" in cash.")
		case "terminal":
			out = append(out, "Send "+sum+" back on the card terminal.")
		case "stripe":
			out = append(out, sum+" goes back to the card by itself.")
		}
	}
	if len(out) == 0 {
		return "Nothing was paid, so nothing goes back."
	}
	return strings.Join(out, " ")
}

// handed is what parts of a refund are handed over as.
func handed(parts []booking.BackPart) (out []booking.HandedBack) {
	for _, p := range parts {
		x := booking.HandedBack{Tender: p.Tender, Amount: p.Amount}
		if p.Online {
			x.Tender = "stripe"
		}
		out = append(out, x)
	}
	return out
}

func (s *site) showVoid(w http.ResponseWriter, r *http.Request, who access.Staff, status int, p *booking.Paper, f voidForm) error {
	page, _, err := s.staffPage(r, who, "Void the sale", "")
	if err != nil {
		return err
	}
	v := views.StaffVoid{
		Page: page, Lede: domain.ShowReference(p.Booking.Reference) + ", " + eventHead(p.Scene).Title + ".", Facts: paperFacts(p), Action: voidURL(p.Booking.ID),
		Means:  "Every ticket becomes invalid, its seat is for sale at once, and all the money goes back as it came: " + paidHow(p) + ".",
		Reason: views.AccountField{Name: "reason", Label: "Why", Value: f.reason, Most: "200", Hint: "It stands in the shift’s report with your name. The customer does not see it."},
		Links:  []views.Link{{Text: "The booking", URL: bookingFileURL(p.Booking.ID)}},
	}
	if v.Supervised, err = s.superviseFields(r, who, access.Manager, "", f.no); err != nil {
		return err
	}
	if v.Instead, err = s.insteadOfVoid(r, who, p); err != nil {
		return err
	}
	switch {
	case f.no != nil:
		v.Alert = refusal("Nothing was changed", "This needs somebody who confirms it. See below.")
	case f.wrong != nil && f.wrong.Code == "reason":
		v.Reason.Err, v.Alert = f.wrong.Words, refusal("Nothing was changed", "A reason is missing.")
	case f.wrong != nil:
		v.Alert = refusal("Nothing was changed", f.wrong.Words)
	}
	waits(w, status)
	s.render(w, r, status, views.StaffVoidPage(v))
	return nil
}

// insteadOfVoid says why a sale cannot be voided, nil when it can.
func (s *site) insteadOfVoid(r *http.Request, who access.Staff, p *booking.Paper) (*views.Note, error) {
	if p.Valid() == 0 {
		return &views.Note{Tone: "warn", Title: "This booking is cancelled already", Text: []string{"What went back stands on its page."}}, nil
	}
	may, err := s.Booking.Voidable(r.Context(), who.ID, p.Booking.ID)
	if err != nil || may {
		return nil, err
	}
	return &views.Note{Tone: "warn", Title: "This sale cannot be voided", Text: []string{booking.ErrNotVoidable.Words},
		Links: []views.Link{{Text: "Refund its tickets", URL: bookingFileURL(p.Booking.ID) + "#cancel"}}}, nil
}

// paidHow lists what paid for a booking: "cash EUR 10.00 and card terminal EUR 5.00".
func paidHow(p *booking.Paper) string {
	var out []string
	for _, x := range p.Paid {
		out = append(out, strings.ToLower(tenderName(x.Tender))+" "+format.Money(x.Amount, p.Booking.Currency))
	}
	return format.List(out)
}

// counterLinks lead from a booking's page to what the counter does with it.
func counterLinks(f *booking.File) []views.Link {
	out := []views.Link{{Text: "Print the receipt", URL: printURL(f.Booking.ID, booking.PrintReceipt)}}
	if f.Booking.State == "confirmed" {
		out = append(out, views.Link{Text: "Print the tickets", URL: printURL(f.Booking.ID, booking.PrintTickets)})
	}
	if f.Booking.State == "confirmed" && f.Booking.Channel == "counter" {
		out = append(out, views.Link{Text: "Void the sale", URL: voidURL(f.Booking.ID)})
	}
	return out
}
