package handlers

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"holdfast/internal/access"
	"holdfast/views"
)

// loginPage asks who it is; whoever is signed in already goes on.
func (s *site) loginPage(w http.ResponseWriter, r *http.Request) error {
	next := ownPath(r.URL.Query().Get("next"))
	switch _, err := s.signedIn(r); {
	case err == nil:
		return seeOther(w, r, cmp.Or(next, "/staff"))
	case !errors.Is(err, access.ErrSignedOut):
		return err
	}
	return s.showLogin(w, r, http.StatusOK, views.StaffLogin{Next: next})
}

func (s *site) showLogin(w http.ResponseWriter, r *http.Request, status int, v views.StaffLogin) error {
	var err error
	if v.Page, _, err = s.staffPage(r, access.Staff{}, "Sign in", ""); err != nil {
		return err
	}
	v.Demo = s.Demo != nil
	s.render(w, r, status, views.StaffLoginPage(v))
	return nil
}

// login signs in. The session gets a new token, so that one that was known before is
// worth nothing after; the seats that the browser holds stay with it.
func (s *site) login(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	v := views.StaffLogin{Email: r.PostForm.Get("email"), Next: ownPath(r.PostForm.Get("next"))}
	who, err := s.Access.SignIn(r.Context(), v.Email, r.PostForm.Get("password"), s.clientAddress(r))
	switch {
	case errors.Is(err, access.ErrRefused):
		v.Alert = &views.Note{Tone: "bad", Alert: true, Title: "That did not work", Text: []string{"This e-mail and this password do not belong together. Please type both again."}}
		s.note(r, http.StatusUnprocessableEntity, err)
		return s.showLogin(w, r, http.StatusUnprocessableEntity, v)
	case errors.Is(err, access.ErrTooMany):
		v.Alert = &views.Note{Tone: "bad", Alert: true, Title: "Too many tries", Text: []string{"For safety, signing in pauses for up to 15 minutes now. Your account is not changed. Please come back then."}}
		w.Header().Set("Retry-After", strconv.Itoa(15*60))
		s.note(r, http.StatusTooManyRequests, err)
		return s.showLogin(w, r, http.StatusTooManyRequests, v)
	case err != nil:
		return err
	}
	if err := s.Sessions.RenewToken(r.Context()); err != nil {
		return unavailable(err)
	}
	s.Sessions.Put(r.Context(), signInKey, who.SignIn)
	return seeOther(w, r, cmp.Or(v.Next, "/staff"))
}

// logout ends the signing-in here and in the database. Pressed twice it is as good.
func (s *site) logout(w http.ResponseWriter, r *http.Request) error {
	switch who, err := s.signedIn(r); {
	case errors.Is(err, access.ErrSignedOut):
		return seeOther(w, r, "/staff/login")
	case err != nil:
		return err
	default:
		if err := s.Access.SignOut(r.Context(), who, s.clientAddress(r)); err != nil {
			return err
		}
	}
	s.Sessions.Remove(r.Context(), signInKey)
	if err := s.Sessions.RenewToken(r.Context()); err != nil {
		return unavailable(err)
	}
	return seeOther(w, r, "/staff/login")
}
