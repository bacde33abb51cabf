package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"holdfast/internal/access"
	"holdfast/internal/domain"
	"holdfast/views"
)

// signInKey holds the number of the signing-in in the browser's session. Whether that
// is still good is asked of the database at every request.
const signInKey = "sign_in"

// ownAccount is where people see to their own account.
const ownAccount = "/staff/me"

// staffAction is an action of somebody who is signed in.
type staffAction func(w http.ResponseWriter, r *http.Request, who access.Staff) error

// staff lets in whoever has the role: the signed-out go to the sign-in page and come
// back to what they asked for, others get a 403. Who owes a password or a second factor
// is led to their own account before anything else.
func (s *site) staff(need access.Role, do staffAction) http.Handler {
	return s.page(func(w http.ResponseWriter, r *http.Request) error {
		who, err := s.signedIn(r)
		if errors.Is(err, access.ErrSignedOut) {
			return s.toLogin(w, r)
		}
		if err != nil {
			return err
		}
		if !who.Role.Covers(need) {
			return s.roleLacks(w, r, who, need)
		}
		if who.Owes() && r.URL.Path != ownAccount && !strings.HasPrefix(r.URL.Path, ownAccount+"/") {
			return seeOther(w, r, ownAccount)
		}
		return do(w, r, who)
	})
}

// by is who acts, for the audit log.
func (s *site) by(r *http.Request, who access.Staff) domain.By { return who.By(s.clientAddress(r)) }

// signedIn is who the browser is signed in as; access.ErrSignedOut for nobody.
func (s *site) signedIn(r *http.Request) (access.Staff, error) {
	id := s.Sessions.GetInt64(r.Context(), signInKey)
	if id == 0 {
		return access.Staff{}, access.ErrSignedOut
	}
	return s.Access.Load(r.Context(), id)
}

func (s *site) toLogin(w http.ResponseWriter, r *http.Request) error {
	to := "/staff/login"
	if r.Method == http.MethodGet || r.Method == http.MethodHead { // a form cannot be sent again by a redirect
		if next := ownPath(r.URL.RequestURI()); next != "" && next != "/staff" {
			to += "?next=" + url.QueryEscape(next)
		}
	}
	return seeOther(w, r, to)
}

// ownPath is an address of ours that a sign-in may lead to, "" for every other text:
// no other site, nothing that a browser might read as one, not the door itself.
func ownPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Fragment != "" {
		return ""
	}
	if !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\\r\n\t") || strings.HasPrefix(u.Path, "//") || strings.Contains(u.Path, "\\") {
		return ""
	}
	if u.Path == "/staff/login" || u.Path == "/staff/logout" {
		return ""
	}
	return text
}

// roleLacks says who may see what this role may not.
func (s *site) roleLacks(w http.ResponseWriter, r *http.Request, who access.Staff, need access.Role) error {
	page, _, err := s.staffPage(r, who, "Not for your role", "")
	if err != nil {
		return err
	}
	s.note(r, http.StatusForbidden, errRole)
	s.render(w, r, http.StatusForbidden, views.StaffNoticePage(views.StaffNotice{
		Page: page, Heading: "This page is not for your role",
		Lede: "It is for the role " + string(need) + " and above. You are signed in as " + who.Name + ", " + string(who.Role) + ". If you need it, ask the owner.",
		Note: &views.Note{Tone: "ok", Title: "Nothing was changed"}, Links: []views.Link{{Text: "To your start page", URL: "/staff"}},
	}))
	return nil
}

var errRole = errors.New("the role lacks it")

const anyStaffPage = "/staff/{rest...}"

// noStaffPage answers what is under /staff and is no page: 405 where another method
// is one, else 404 to those signed in; the others sign in first.
func (s *site) noStaffPage(mux *http.ServeMux) action {
	missing := s.staff(access.Steward, func(http.ResponseWriter, *http.Request, access.Staff) error { return errNoRoute })
	return func(w http.ResponseWriter, r *http.Request) error {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, pattern := mux.Handler(other); pattern != anyStaffPage {
				w.Header().Add("Allow", method)
			}
		}
		if w.Header().Get("Allow") != "" {
			return errMethod
		}
		missing.ServeHTTP(w, r)
		return nil
	}
}
