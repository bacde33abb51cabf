package handlers

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/counter"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// ownShift reads the shift of the path: one's own, anybody's for managers. Another's is
// not found.
func (s *site) ownShift(r *http.Request, who access.Staff) (counter.Shift, error) {
	id, err := pathID(r, "shift")
	if err != nil {
		return counter.Shift{}, err
	}
	x, err := s.Counter.Shift(r.Context(), id)
	if err == nil && x.StaffID != who.ID && !who.Role.Covers(access.Manager) {
		err = domain.ErrNotFound
	}
	return x, err
}

// moveForm is a form for cash as it was sent, with why it was refused.
type moveForm struct {
	kind  string
	typed url.Values
	wrong *domain.RuleError
}

// shiftPage is one till.
func (s *site) shiftPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showShift(w, r, who, http.StatusOK, moveForm{})
}

func (s *site) showShift(w http.ResponseWriter, r *http.Request, who access.Staff, status int, f moveForm) error {
	x, err := s.ownShift(r, who)
	if err != nil {
		return err
	}
	report, err := s.Counter.Report(r.Context(), x.ID)
	if err != nil {
		return err
	}
	page, set, err := s.staffPage(r, who, x.Till, shiftsURL)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_print.js"))
	manager := who.Role.Covers(access.Manager)
	v := views.StaffShift{
		Page: page, Heading: x.Till, Badge: views.Badge{Tone: "ok", Text: "Open"}, Said: shiftSaid(s.Sessions.PopString(r.Context(), saidKey)),
		Lede:     x.Staff + ", open since " + shortMoment(x.OpenedAt, set) + ", " + format.Zone(set.TimeZone) + ".",
		Report:   reportWords{report, !report.Closed && !manager}.view(),
		OtherURL: shiftURL(x.ID) + "?paper=80", Other: "For the 80 mm roll",
	}
	if v.Paper = paper(r); v.Paper != "" {
		v.OtherURL, v.Other = shiftURL(x.ID), "For A4"
	}
	if report.Closed {
		v.Badge = views.Badge{Text: "Closed"}
		v.Lede = x.Staff + ", " + shortMoment(x.OpenedAt, set) + " to " + shortMoment(*x.ClosedAt, set) + ". A closed till never changes; it can be printed again."
	} else {
		v.CloseURL = shiftURL(x.ID) + "/close"
	}
	if !report.Closed && x.StaffID == who.ID {
		v.Moves = cashMoves(x, f)
	}
	s.render(w, r, status, views.StaffShiftPage(v))
	return nil
}

// paper is what a page is to be printed on: "80" for the roll, "" for any other.
func paper(r *http.Request) string {
	if r.URL.Query().Get("paper") == "80" {
		return "80"
	}
	return ""
}

func shiftSaid(what string) *views.Note {
	switch what {
	case "till open":
		return &views.Note{Tone: "ok", Alert: true, Title: "Your till is open"}
	case "cash moved":
		return &views.Note{Tone: "ok", Alert: true, Title: "It is entered", Text: []string{"It stands in the report with its reason."}}
	case "closed":
		return &views.Note{Tone: "ok", Alert: true, Title: "The till is closed", Text: []string{"Its report is below, for good. Print it for the envelope."}}
	case "closed before":
		return &views.Note{Tone: "warn", Alert: true, Title: "This till is closed already", Text: []string{"Nothing was counted a second time. This is its report."}}
	}
	return nil
}

func cashMoves(x counter.Shift, f moveForm) []views.CashMove {
	forms := []views.CashMove{
		{Kind: "drop", Heading: "To the safe", Hint: "Cash that leaves the till for the safe or the bank.", Button: "Enter the drop"},
		{Kind: "pay_in", Heading: "Pay in", Hint: "Cash brought to the till, such as change.", Button: "Enter the pay-in"},
		{Kind: "pay_out", Heading: "Pay out", Hint: "A bill paid from the till.", Button: "Enter the pay-out"},
	}
	for i := range forms {
		m := &forms[i]
		m.Action, m.Key = shiftURL(x.ID)+"/cash", rand.Text()
		m.Amount = views.AccountField{ID: m.Kind + "-amount", Name: "amount", Label: "Amount, " + x.Currency, Mode: "decimal", Most: "20"}
		m.Reason = views.AccountField{ID: m.Kind + "-reason", Name: "reason", Label: "What for", Most: "200", Optional: m.Kind != "pay_out"}
		if m.Kind != f.kind {
			continue
		}
		m.Amount.Value, m.Reason.Value = f.typed.Get("amount"), f.typed.Get("reason")
		if key := f.typed.Get("key"); key != "" {
			m.Key = key
		}
		if f.wrong == nil {
			continue
		}
		if f.wrong.Code == "reason" {
			m.Reason.Err = f.wrong.Words
		} else {
			m.Amount.Err = f.wrong.Words
		}
		m.Alert = &views.Note{Tone: "bad", Alert: true, Title: "Nothing was entered"}
	}
	return forms
}

// moveCash enters a drop, a pay-in or a pay-out of one's own till.
func (s *site) moveCash(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	x, err := s.ownShift(r, who)
	if err != nil {
		return err
	}
	if x.StaffID != who.ID {
		return domain.ErrNotFound // whoever stands at a till enters what leaves it
	}
	f := moveForm{kind: r.PostForm.Get("kind"), typed: r.PostForm}
	if f.kind != "drop" && f.kind != "pay_in" && f.kind != "pay_out" {
		return errBadRequest
	}
	amount, err := cashAmount(r.PostForm.Get("amount"), x.Currency)
	if err == nil {
		err = s.Counter.MoveCash(r.Context(), s.person(r, who), counter.Move{Kind: f.kind, Amount: amount, Reason: r.PostForm.Get("reason")}, r.PostForm.Get("key"))
	}
	if errors.As(err, &f.wrong) {
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showShift(w, r, who, http.StatusUnprocessableEntity, f)
	}
	if errors.Is(err, domain.ErrConflict) {
		return fmt.Errorf("%w: the key of another form: %w", errBadRequest, err)
	}
	if err != nil {
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, "cash moved")
	return seeOther(w, r, shiftURL(x.ID))
}

// cashAmount reads an amount of cash above zero.
func cashAmount(text, currency string) (int64, error) {
	if strings.TrimSpace(text) == "" {
		return 0, &domain.RuleError{Code: "amount", Words: "Please write an amount."}
	}
	return typedAmount(text, currency)
}
