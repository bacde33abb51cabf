package handlers

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"holdfast/internal/access"
	"holdfast/views"
)

// superRefusal is why nobody's confirmation did, for the form's own page.
type superRefusal struct {
	status int
	cause  error
	whom   string // as chosen
	words  string
}

// supervised finds out who answers for an act that asks for a role: nobody else where
// the person's own is enough, otherwise the supervisor whom views.Supervised sends. by is
// how the log names the supervisor, "" for the person alone; put it into the act's line
// as "confirmed_by". Look at the rest of the form first: who has to type a secret twice
// types it carelessly.
func (s *site) supervised(r *http.Request, who access.Staff, need access.Role) (by string, no *superRefusal, err error) {
	if who.Role.Covers(need) {
		return "", nil, nil
	}
	whom, secret := strings.TrimSpace(r.PostForm.Get("supervisor")), r.PostForm.Get("supervisor_secret")
	if whom == "" || secret == "" {
		return "", &superRefusal{http.StatusUnprocessableEntity, access.ErrRefused, whom, "This needs a supervisor: choose who, and let them type their PIN or password."}, nil
	}
	super, err := s.Access.Supervise(r.Context(), whom, secret, need, s.clientAddress(r))
	switch {
	case err == nil:
		return super.Actor(), nil, nil
	case errors.Is(err, access.ErrTooMany):
		return "", &superRefusal{http.StatusTooManyRequests, err, whom, "Too many tries. PINs and passwords are not looked at for up to 15 minutes now."}, nil
	case errors.Is(err, access.ErrRole):
		return "", &superRefusal{http.StatusUnprocessableEntity, err, whom, "That is right, but this role may not confirm it. It takes a " + string(need) + "."}, nil
	case errors.Is(err, access.ErrRefused):
		return "", &superRefusal{http.StatusUnprocessableEntity, err, whom, "That PIN or password is not right. Ten wrong PINs switch a PIN off; the password goes on."}, nil
	}
	return "", nil, err
}

// superviseFields are the fields that a form needs for supervised; nil when the person's
// own role is enough. form tells several forms of a page apart.
func (s *site) superviseFields(r *http.Request, who access.Staff, need access.Role, form string, no *superRefusal) (*views.Supervised, error) {
	if who.Role.Covers(need) {
		return nil, nil
	}
	people, err := s.Access.Supervisors(r.Context(), need)
	if err != nil {
		return nil, err
	}
	v := &views.Supervised{ID: form}
	for _, p := range people {
		id := strconv.FormatInt(p.ID, 10)
		v.People = append(v.People, views.Option{Value: id, Text: p.Name + ", " + p.Role, Selected: no != nil && no.whom == id})
	}
	if no != nil {
		v.Err = no.words
	}
	return v, nil
}
