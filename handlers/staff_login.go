package handlers

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"holdfast/internal/access"
	"holdfast/views"
)

// codeKey holds, in the browser's session, the number of a signing-in that waits for the
// code of the second factor.
const codeKey = "code_due"

// loginPage asks who it is; whoever is signed in already goes on. After the password it
// asks for the code, or with ?again=1 for e-mail and password once more.
func (s *site) loginPage(w http.ResponseWriter, r *http.Request) error {
	next := ownPath(r.URL.Query().Get("next"))
	switch _, err := s.signedIn(r); {
	case err == nil:
		return seeOther(w, r, cmp.Or(next, "/staff"))
	case !errors.Is(err, access.ErrSignedOut):
		return err
	}
	v := views.StaffLogin{Next: next}
	if r.URL.Query().Get("again") == "" {
		var err error
		if v.Code, err = s.codeDue(r); err != nil {
			return err
		}
	}
	return s.showLogin(w, r, http.StatusOK, v)
}

func (s *site) codeDue(r *http.Request) (bool, error) {
	id := s.Sessions.GetInt64(r.Context(), codeKey)
	if id == 0 {
		return false, nil
	}
	return s.Access.AwaitsCode(r.Context(), id)
}

func (s *site) showLogin(w http.ResponseWriter, r *http.Request, status int, v views.StaffLogin) error {
	title := "Sign in"
	if v.Code {
		title = "Your code"
	}
	var err error
	if v.Page, _, err = s.staffPage(r, access.Staff{}, title, ""); err != nil {
		return err
	}
	v.Demo = s.Demo != nil
	v.AgainURL = loginURL("again", "1", v.Next)
	waits(w, status)
	s.render(w, r, status, views.StaffLoginPage(v))
	return nil
}

// loginURL is the door with one more thing said and the way to go then.
func loginURL(key, value, next string) string {
	q := url.Values{}
	if value != "" {
		q.Set(key, value)
	}
	if next != "" {
		q.Set("next", next)
	}
	if len(q) == 0 {
		return "/staff/login"
	}
	return "/staff/login?" + q.Encode()
}

// login signs in, in two steps where the account has a second factor; a client may send
// the code along with the password.
func (s *site) login(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	v := views.StaffLogin{Email: r.PostForm.Get("email"), Next: ownPath(r.PostForm.Get("next"))}
	code := r.PostForm.Get("code")
	if v.Email == "" && !r.PostForm.Has("password") && r.PostForm.Has("code") {
		return s.secondStep(w, r, v, code)
	}
	who, err := s.Access.SignIn(r.Context(), v.Email, r.PostForm.Get("password"), code, s.clientAddress(r))
	switch {
	case errors.Is(err, access.ErrCodeNeeded):
		if err := s.Sessions.RenewToken(r.Context()); err != nil {
			return unavailable(err)
		}
		s.Sessions.Put(r.Context(), codeKey, who.SignIn)
		return seeOther(w, r, loginURL("", "", v.Next))
	case err != nil:
		return s.loginRefused(w, r, v, err)
	}
	return s.enter(w, r, who, cmp.Or(v.Next, "/staff"))
}

func (s *site) secondStep(w http.ResponseWriter, r *http.Request, v views.StaffLogin, code string) error {
	v.Code = true
	who, err := s.Access.EnterCode(r.Context(), s.Sessions.GetInt64(r.Context(), codeKey), code, s.clientAddress(r))
	if err != nil {
		return s.loginRefused(w, r, v, err)
	}
	return s.enter(w, r, who, cmp.Or(v.Next, "/staff"))
}

// loginRefused shows the door again with words, or passes on what is no refusal.
func (s *site) loginRefused(w http.ResponseWriter, r *http.Request, v views.StaffLogin, err error) error {
	status := http.StatusUnprocessableEntity
	switch {
	case errors.Is(err, access.ErrRefused):
		v.Alert = refusal("That did not work", "This e-mail and this password do not belong together. Please type both again.")
	case errors.Is(err, access.ErrCode):
		v.Code = v.Email == "" // with the password sent along both are typed again
		v.Alert = refusal("That code did not work", "Please wait for the next code of your app and type that one. A code works once, so does a recovery code.")
	case errors.Is(err, access.ErrTooMany):
		v.Code, status = false, http.StatusTooManyRequests
		v.Alert = refusal("Too many tries", "For safety, signing in pauses for up to 15 minutes now. Your account is not changed. Please come back then.")
	case errors.Is(err, access.ErrSignedOut):
		v.Code = false
		v.Alert = refusal("Please begin again", "The password was typed too long ago. Please type e-mail and password once more.")
	default:
		return err
	}
	s.note(r, status, err)
	return s.showLogin(w, r, status, v)
}

// enter makes the browser's session that of somebody who signed in. It gets a new token, so
// that one that was known before is worth nothing after; the seats that the browser holds
// stay with it. Whoever was signed in here before is not any more.
func (s *site) enter(w http.ResponseWriter, r *http.Request, who access.Staff, to string) error {
	switch before, err := s.signedIn(r); {
	case err == nil:
		if err := s.Access.SignOut(r.Context(), before, s.clientAddress(r)); err != nil {
			return err
		}
	case !errors.Is(err, access.ErrSignedOut):
		return err
	}
	if err := s.Sessions.RenewToken(r.Context()); err != nil {
		return unavailable(err)
	}
	s.Sessions.Remove(r.Context(), codeKey)
	s.Sessions.Put(r.Context(), signInKey, who.SignIn)
	return seeOther(w, r, to)
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
