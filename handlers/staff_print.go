package handlers

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const (
	// sheetTime is how long the sheet of one printing can be opened: for the paper that
	// got stuck, not for a second ticket.
	sheetTime = 2 * time.Minute
	paperKey  = "paper" // in the session: the paper used last, "80" or "a4"
)

func printURL(bookingID int64, kind string) string {
	return "/staff/sales/" + strconv.FormatInt(bookingID, 10) + "/" + kind
}

// printForm is the form of a printing as it was sent, with why it was refused.
type printForm struct {
	key, reason string
	wrong       *domain.RuleError
	no          *superRefusal
}

// printPage shows what was printed of a booking and prints more; right after a printing it
// is the sheet itself.
func (s *site) printPage(kind string) staffAction {
	return func(w http.ResponseWriter, r *http.Request, who access.Staff) error {
		p, err := s.bookingPaper(r, kind)
		if err != nil {
			return err
		}
		if n := len(p.Prints); n > 0 {
			last := p.Prints[n-1]
			if r.URL.Query().Get("print") == strconv.FormatInt(last.ID, 10) && last.StaffID == who.ID && last.Now.Sub(last.At) < sheetTime {
				return s.printSheet(w, r, who, p, last)
			}
		}
		return s.showPrint(w, r, who, http.StatusOK, p, kind, printForm{})
	}
}

func (s *site) bookingPaper(r *http.Request, kind string) (*booking.Paper, error) {
	id, err := pathID(r, "booking")
	if err != nil {
		return nil, err
	}
	p, err := s.Booking.Paper(r.Context(), id, kind)
	if err != nil {
		return nil, err
	}
	inOrder(p.Scene.Layout, p.Tickets, func(t booking.Ticket) string { return t.SeatNo })
	return p, nil
}

// print counts a printing and leads to its sheet. The original is anybody's at the
// counter; a copy takes a reason and a manager, or one who confirms it in place.
func (s *site) print(kind string) staffAction {
	return func(w http.ResponseWriter, r *http.Request, who access.Staff) error {
		if err := parseForm(r); err != nil {
			return err
		}
		p, err := s.bookingPaper(r, kind)
		if err != nil {
			return err
		}
		f := printForm{key: r.PostForm.Get("key"), reason: r.PostForm.Get("reason")}
		seller := s.seller(r, who)
		again := r.PostForm.Get("again") != ""
		if again && strings.TrimSpace(f.reason) != "" {
			if seller.Confirmed, f.no, err = s.supervised(r, who, access.Manager); err != nil {
				return err
			}
		}
		if f.no != nil {
			s.note(r, f.no.status, f.no.cause)
			return s.showPrint(w, r, who, f.no.status, p, kind, f)
		}
		id, err := s.Booking.Print(r.Context(), seller, f.key, p.Booking.ID, kind, again, f.reason)
		if errors.As(err, &f.wrong) {
			s.note(r, http.StatusUnprocessableEntity, err)
			if p, err = s.bookingPaper(r, kind); err != nil {
				return err
			}
			return s.showPrint(w, r, who, http.StatusUnprocessableEntity, p, kind, f)
		}
		if errors.Is(err, domain.ErrConflict) {
			return fmt.Errorf("%w: the key of another form: %w", errBadRequest, err)
		}
		if err != nil {
			return err
		}
		on := url.Values{"print": {strconv.FormatInt(id, 10)}}
		if r.PostForm.Get("paper") == "80" {
			on.Set("paper", "80")
		}
		s.Sessions.Put(r.Context(), paperKey, r.PostForm.Get("paper"))
		return seeOther(w, r, printURL(p.Booking.ID, kind)+"?"+on.Encode())
	}
}

func (s *site) showPrint(w http.ResponseWriter, r *http.Request, who access.Staff, status int, p *booking.Paper, kind string, f printForm) error {
	heading := map[string]string{booking.PrintTickets: "Print the tickets", booking.PrintReceipt: "Print the receipt"}[kind]
	page, set, err := s.staffPage(r, who, heading, "")
	if err != nil {
		return err
	}
	v := views.StaffPrint{
		Page: page, Heading: heading, Lede: domain.ShowReference(p.Booking.Reference) + ", " + eventHead(p.Scene).Title + ".", Facts: paperFacts(p),
		Action: printURL(p.Booking.ID, kind), Key: f.key, Roll: s.Sessions.GetString(r.Context(), paperKey) != "a4", Again: len(p.Prints) > 0,
		Reason: views.AccountField{Name: "reason", Label: "Why a copy", Value: f.reason, Most: "200", Hint: "It is marked COPY and stands in the shift’s report."},
		Links:  s.paperLinks(p, kind),
	}
	if v.Key == "" || f.wrong != nil && f.wrong.Code == "printed" {
		v.Key = rand.Text()
	}
	if kind == booking.PrintTickets && p.Valid() == 0 {
		v.None = &views.Note{Tone: "warn", Title: "No ticket of this booking is valid", Text: []string{"Cancelled tickets are not printed: nobody could get in with them."}}
	}
	if v.Again {
		if v.Supervised, err = s.superviseFields(r, who, access.Manager, "", f.no); err != nil {
			return err
		}
	}
	switch {
	case f.no != nil:
		v.Alert = refusal("Nothing was printed", "A copy needs somebody who confirms it. See below.")
	case f.wrong != nil && f.wrong.Code == "reason":
		v.Reason.Err = f.wrong.Words
		v.Alert = refusal("Nothing was printed", "A copy needs its reason.")
	case f.wrong != nil:
		v.Alert = refusal("Nothing was printed", f.wrong.Words)
	}
	for _, x := range p.Prints {
		h := views.StaffHistory{When: shortMoment(x.At, set), What: "The original", Who: x.Staff}
		if x.Number > 1 {
			h.What = fmt.Sprintf("Copy %d: %s", x.Number, x.Reason)
		}
		v.Before = append(v.Before, h)
	}
	waits(w, status)
	s.render(w, r, status, views.StaffPrintPage(v))
	return nil
}

func paperFacts(p *booking.Paper) []views.Fact {
	var seats []string
	for _, t := range p.Tickets {
		if t.State == "valid" {
			seats = append(seats, seatRef(p.Scene.Layout, t.SeatNo).Name)
		}
	}
	out := []views.Fact{{Name: "When", Text: facts(p.Scene)[0]}, {Name: "Paid", Text: format.Money(p.Booking.Total, p.Booking.Currency)}}
	if len(seats) > 0 {
		out = append([]views.Fact{{Name: "Seats", Text: format.List(seats)}}, out...)
	}
	return out
}

// paperLinks lead on from a paper: to the other one, and to the booking.
func (s *site) paperLinks(p *booking.Paper, kind string) []views.Link {
	other := views.Link{Text: "The receipt", URL: printURL(p.Booking.ID, booking.PrintReceipt)}
	if kind == booking.PrintReceipt {
		other = views.Link{Text: "The tickets", URL: printURL(p.Booking.ID, booking.PrintTickets)}
	}
	out := []views.Link{other, {Text: "The booking", URL: bookingFileURL(p.Booking.ID)}}
	if inMenu("/staff/sell") {
		out = append([]views.Link{{Text: "Next customer", URL: "/staff/sell"}}, out...)
	}
	return out
}

// printSheet is what goes to the printer.
func (s *site) printSheet(w http.ResponseWriter, r *http.Request, who access.Staff, p *booking.Paper, x booking.Printing) error {
	page, set, err := s.staffPage(r, who, "Print", "")
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_print.js"))
	v := views.PrintSheet{
		Page: page, Paper: paper(r), Heading: "The original", Links: s.paperLinks(p, x.Kind),
		Lede: "The printer’s window opens by itself; without it, print this page. Once it has printed, this page is marked as a copy.",
	}
	if x.Number > 1 {
		v.Copy = fmt.Sprintf("COPY %d", x.Number)
		v.Heading, v.Lede = fmt.Sprintf("Copy %d", x.Number), "The printer’s window opens by itself; without it, print this page."
	}
	if x.Kind == booking.PrintReceipt {
		v.Receipt = receiptView(p, set)
	} else if v.Tickets, err = s.printTickets(p, x, set); err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.PrintSheetPage(v))
	return nil
}
