package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"holdfast/internal/access"
	"holdfast/internal/counter"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

const shiftsURL = "/staff/shifts"

func shiftURL(id int64) string { return shiftsURL + "/" + strconv.FormatInt(id, 10) }

func (s *site) person(r *http.Request, who access.Staff) counter.Person {
	return counter.Person{StaffID: who.ID, By: s.by(r, who)}
}

// newShift asks for the float; who has a till open is led on.
func (s *site) newShift(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	next := ownPath(r.URL.Query().Get("next"))
	mine, err := s.Counter.Mine(r.Context(), who.ID)
	if err == nil {
		return s.onFrom(w, r, next, mine.ID)
	}
	if !errors.Is(err, domain.ErrNoShift) {
		return err
	}
	till := ""
	if last, err := s.Counter.ShiftsOf(r.Context(), who.ID); err != nil {
		return err
	} else if len(last) > 0 {
		till = last[0].Till
	}
	return s.showNewShift(w, r, who, http.StatusOK, url.Values{"till": {till}, "next": {next}}, nil)
}

// onFrom goes to where the till was needed, else to its own page.
func (s *site) onFrom(w http.ResponseWriter, r *http.Request, next string, shift int64) error {
	if next == "" {
		next = shiftURL(shift)
	}
	return seeOther(w, r, next)
}

func (s *site) showNewShift(w http.ResponseWriter, r *http.Request, who access.Staff, status int, typed url.Values, alert *views.Note) error {
	page, set, err := s.staffPage(r, who, "Open your till", shiftsURL)
	if err != nil {
		return err
	}
	day, err := s.Counter.Today(r.Context())
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_count.js"))
	count := readCount(typed, set.Currency)
	s.render(w, r, status, views.StaffShiftNewPage(views.StaffShiftNew{
		Page: page, Lede: "For the business day " + format.LongDay(day) + ".", Alert: alert, Next: ownPath(typed.Get("next")), Count: count.view(),
		Till: views.AccountField{Name: "till", Label: "Which till", Value: typed.Get("till"), Hint: "Stands on receipts and reports, such as “Counter 1”.", Most: "40", Optional: true},
	}))
	return nil
}

// openShift opens the till with the float that was counted.
func (s *site) openShift(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	count := readCount(r.PostForm, set.Currency)
	if len(count.wrong) > 0 {
		return s.showNewShift(w, r, who, http.StatusUnprocessableEntity, r.PostForm, refusal("The till is not open yet", "One of the numbers cannot be read. It is marked below."))
	}
	id, err := s.Counter.Open(r.Context(), s.person(r, who), r.PostForm.Get("till"), set.Currency, count.counts)
	var rule *domain.RuleError
	switch {
	case errors.As(err, &rule) && rule.Code == "open": // the form was sent twice
		mine, err := s.Counter.Mine(r.Context(), who.ID)
		if err != nil {
			return err
		}
		return s.onFrom(w, r, ownPath(r.PostForm.Get("next")), mine.ID)
	case errors.As(err, &rule):
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showNewShift(w, r, who, http.StatusUnprocessableEntity, r.PostForm, refusal("The till is not open", rule.Words))
	case err != nil:
		return err
	}
	s.Sessions.Put(r.Context(), saidKey, "till open")
	return s.onFrom(w, r, ownPath(r.PostForm.Get("next")), id)
}
