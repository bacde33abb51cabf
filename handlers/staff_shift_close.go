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

// countShift asks for the count that ends a till.
func (s *site) countShift(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	x, err := s.ownShift(r, who)
	if err != nil {
		return err
	}
	if x.ClosedAt != nil {
		return seeOther(w, r, shiftURL(x.ID))
	}
	return s.showCount(w, r, who, http.StatusOK, x, readCount(url.Values{}, x.Currency), "", nil)
}

func (s *site) showCount(w http.ResponseWriter, r *http.Request, who access.Staff, status int, x counter.Shift, count cashCount, sum string, alert *views.Note) error {
	page, _, err := s.staffPage(r, who, "Count and close", shiftsURL)
	if err != nil {
		return err
	}
	page.Page.JS = append(page.Page.JS, s.Assets.URL("js/staff_count.js"))
	v := views.StaffShiftClose{
		Page: page, Heading: "Count and close " + x.Till, Alert: alert, Action: shiftURL(x.ID) + "/close", BackURL: shiftURL(x.ID), Sum: sum, Count: count.view(),
		Lede:   "Count everything that lies in the till, the float too. What should be there is shown afterwards.",
		Button: "Close the till for good",
	}
	if x.StaffID != who.ID {
		v.Heading = "Count and close the till of " + x.Staff
	}
	s.render(w, r, status, views.StaffShiftClosePage(v))
	return nil
}

// closeShift ends a till. What was counted is shown as a sum before it is final: by the
// page's script while somebody counts, else by asking once.
func (s *site) closeShift(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	x, err := s.ownShift(r, who)
	if err != nil {
		return err
	}
	count := readCount(r.PostForm, x.Currency)
	sum := strconv.FormatInt(count.sum(), 10)
	switch {
	case x.ClosedAt != nil:
		return s.toShift(w, r, x.ID, "closed before")
	case len(count.wrong) > 0:
		return s.showCount(w, r, who, http.StatusUnprocessableEntity, x, count, "", refusal("The till is still open", "One of the numbers cannot be read. It is marked below."))
	case r.PostForm.Get("sum") != sum:
		return s.showCount(w, r, who, http.StatusOK, x, count, sum, &views.Note{Tone: "warn", Alert: true,
			Title: "You counted " + format.Money(count.sum(), x.Currency) + ". Is that all?", Text: []string{"If so, close the till. It cannot be counted again afterwards."}})
	}
	_, err = s.Counter.Close(r.Context(), s.person(r, who), x.ID, count.counts)
	if errors.Is(err, domain.ErrConflict) {
		return s.toShift(w, r, x.ID, "closed before")
	}
	if err != nil {
		return err
	}
	return s.toShift(w, r, x.ID, "closed")
}

func (s *site) toShift(w http.ResponseWriter, r *http.Request, id int64, said string) error {
	s.Sessions.Put(r.Context(), saidKey, said)
	return seeOther(w, r, shiftURL(id))
}
