package handlers

import (
	"errors"
	"net/http"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/internal/ticket"
	"holdfast/views"
)

const twoStepURL = ownAccount + "/two-step"

// startTwoStep draws a secret for the app.
func (s *site) startTwoStep(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	set, err := s.Booking.Settings(r.Context())
	if err != nil {
		return err
	}
	err = s.Access.StartTwoStep(r.Context(), who, set.VenueName)
	if errors.Is(err, domain.ErrConflict) {
		return seeOther(w, r, ownAccount) // it is on, in another tab
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, twoStepURL)
}

// twoStepPage shows the secret until the set-up is finished.
func (s *site) twoStepPage(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	return s.showTwoStep(w, r, who, http.StatusOK, views.StaffTwoStep{})
}

func (s *site) showTwoStep(w http.ResponseWriter, r *http.Request, who access.Staff, status int, v views.StaffTwoStep) error {
	setup, err := s.Access.PendingTwoStep(r.Context(), who)
	if errors.Is(err, domain.ErrNotFound) {
		return seeOther(w, r, ownAccount) // finished, or never begun
	}
	if err != nil {
		return err
	}
	if v.QR, err = ticket.DataURI(setup.URL); err != nil {
		return err
	}
	if v.Page, _, err = s.staffPage(r, who, "Set up the second step", ""); err != nil {
		return err
	}
	v.Secret, v.URL = fours(setup.Secret), setup.URL
	v.Code.Name, v.Code.Label, v.Code.Complete, v.Code.Mode, v.Code.Most = "code", "The code that the app shows now", "one-time-code", "numeric", "10"
	waits(w, status)
	s.render(w, r, status, views.StaffTwoStepPage(v))
	return nil
}

// fours parts a secret so that people find their place in it.
func fours(text string) string {
	var parts []string
	for ; len(text) > 4; text = text[4:] {
		parts = append(parts, text[:4])
	}
	return strings.Join(append(parts, text), " ")
}

// twoStepOn finishes the set-up and shows the recovery codes, this once.
func (s *site) twoStepOn(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	codes, err := s.Access.TurnOnTwoStep(r.Context(), who, r.PostForm.Get("password"), r.PostForm.Get("code"), s.clientAddress(r))
	switch {
	case err == nil:
		who.TwoStep = true
		return s.showCodes(w, r, who, "The second step is on", codes)
	case errors.Is(err, domain.ErrNotFound):
		return seeOther(w, r, ownAccount)
	case errors.Is(err, access.ErrCode):
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showTwoStep(w, r, who, http.StatusUnprocessableEntity, views.StaffTwoStep{
			Alert: refusal("The code is not right", "Please type the one that the app shows now. If it never fits, the clock of your phone may be wrong. Nothing was switched on."),
			Code:  views.AccountField{Err: "This code does not fit the secret above."},
		})
	}
	no, err := refusedStep(err, who)
	if err != nil {
		return err
	}
	s.note(r, no.status, no.cause)
	return s.showTwoStep(w, r, who, no.status, views.StaffTwoStep{Alert: refusal(no.title, no.words+" Nothing was switched on."), StepUp: views.StepUp{Err: no.words}})
}

func (s *site) showCodes(w http.ResponseWriter, r *http.Request, who access.Staff, heading string, codes []string) error {
	page, _, err := s.staffPage(r, who, "Recovery codes", "")
	if err != nil {
		return err
	}
	s.render(w, r, http.StatusOK, views.StaffGivenPage(views.StaffGiven{
		Page: page, Heading: heading, Lede: "These are your recovery codes. Each opens the door once in place of your phone.", Secrets: codes,
		Note:  views.Note{Tone: "warn", Title: "They are shown only now", Text: []string{"Print this page or write them down, and keep them where you keep your keys, not on the phone."}},
		Links: []views.Link{{Text: "I have kept them", URL: "/staff"}, {Text: "Your account", URL: ownAccount}},
	}))
	return nil
}

// twoStepOff takes one's second factor away.
func (s *site) twoStepOff(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	if err := s.Access.TurnOffTwoStep(r.Context(), who, r.PostForm.Get("password"), s.clientAddress(r)); err != nil {
		return s.meRefused(w, r, who, "two-step", err)
	}
	return s.toMe(w, r, "off")
}

// renewCodes makes new recovery codes and shows them, this once.
func (s *site) renewCodes(w http.ResponseWriter, r *http.Request, who access.Staff) error {
	if err := parseForm(r); err != nil {
		return err
	}
	codes, err := s.Access.RenewCodes(r.Context(), who, r.PostForm.Get("password"), s.clientAddress(r))
	if errors.Is(err, domain.ErrConflict) {
		return seeOther(w, r, ownAccount)
	}
	if err != nil {
		return s.meRefused(w, r, who, "two-step", err)
	}
	return s.showCodes(w, r, who, "New recovery codes", codes)
}
