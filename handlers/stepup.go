package handlers

import (
	"errors"
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/views"
)

// stepRefusal is why a step-up did not do, for the form's own page.
type stepRefusal struct {
	status       int
	cause        error
	title, words string
}

// stepUpField is the field that a form needs for stepUp.
func stepUpField(who access.Staff) views.StepUp { return views.StepUp{Code: who.TwoStep} }

// stepUp asks for the password or a code again before an act that cannot be taken back: it
// looks at what views.StepUp sends. nil: it is the right person.
func (s *site) stepUp(r *http.Request, who access.Staff) (*stepRefusal, error) {
	return refusedStep(s.Access.Confirm(r.Context(), who, r.PostForm.Get("password"), s.clientAddress(r)), who)
}

// refusedStep turns the refusals of access into words; other errors stay errors.
func refusedStep(err error, who access.Staff) (*stepRefusal, error) {
	switch {
	case err == nil:
		return nil, nil
	case errors.Is(err, access.ErrTooMany):
		return &stepRefusal{http.StatusTooManyRequests, err, "Too many tries", "Passwords and codes are not looked at for up to 15 minutes now. Please come back then."}, nil
	case errors.Is(err, access.ErrRefused) && who.TwoStep:
		return &stepRefusal{http.StatusUnprocessableEntity, err, "That is not right", "Please type your own password, or a code that was not used yet."}, nil
	case errors.Is(err, access.ErrRefused):
		return &stepRefusal{http.StatusUnprocessableEntity, err, "The password is not right", "Please type your own password again."}, nil
	}
	return nil, err
}

// waits tells programs how long too many tries shut the door.
func waits(w http.ResponseWriter, status int) {
	if status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(15*60))
	}
}
