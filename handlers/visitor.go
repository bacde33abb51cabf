package handlers

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

const visitorKey = "visitor"

// NewSessions configures scs: hashed tokens in the store, a __Host- cookie exactly
// when the site is https.
func NewSessions(store scs.Store, secure bool) *scs.SessionManager {
	m := scs.New()
	m.Store = store
	m.Lifetime = 7 * 24 * time.Hour
	m.HashTokenInStore = true
	m.Cookie.Name = "holdfast"
	m.Cookie.Path = "/"
	m.Cookie.HttpOnly = true
	m.Cookie.SameSite = http.SameSiteLaxMode
	m.Cookie.Secure = secure
	if secure {
		m.Cookie.Name = "__Host-holdfast"
	}
	return m
}

// visitorDays is how long a browser is known: longer than anything it can hold.
const visitorDays = 7

// visitorCookie is the name of the cookie that holds a visitor's secret number, apart
// from the session of those who sign in: who buys costs no row and no reading.
func (s *site) visitorCookie() string {
	if s.Sessions.Cookie.Secure {
		return "__Host-holdfast_visitor"
	}
	return "holdfast_visitor"
}

// visitor is who the browser is, as holds store it; "" for one that never held seats.
func (s *site) visitor(r *http.Request) domain.Holder {
	id := traceOf(r).newVisitor
	if c, err := r.Cookie(s.visitorCookie()); err == nil && id == "" {
		id = c.Value
	}
	if !isVisitor(id) {
		id = s.Sessions.GetString(r.Context(), visitorKey) // where it was kept before it had a cookie
	}
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return domain.Holder("web:" + hex.EncodeToString(sum[:16]))
}

// isVisitor says whether it may be a number that known drew.
func isVisitor(id string) bool {
	b, err := hex.DecodeString(id)
	return err == nil && len(b) == 16
}

// known is visitor, and makes one of a stranger: only for requests that hold seats. The
// browser learns its number when remember is called.
func (s *site) known(r *http.Request) booking.Visitor {
	if holder := s.visitor(r); holder != "" {
		return booking.Visitor{Holder: holder}
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	traceOf(r).newVisitor = hex.EncodeToString(b[:])
	return booking.Visitor{Holder: s.visitor(r), New: true}
}

// remember gives a new visitor the number under which seats are held now.
func (s *site) remember(w http.ResponseWriter, r *http.Request) {
	id := traceOf(r).newVisitor
	if id == "" {
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.visitorCookie(), Value: id, Path: "/", MaxAge: visitorDays * 24 * 60 * 60,
		HttpOnly: true, Secure: s.Sessions.Cookie.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// stranger says that the request brings nothing that tells browsers apart: no visitor's
// number and no session.
func (s *site) stranger(r *http.Request) bool {
	if len(r.Header["Cookie"]) == 0 {
		return true
	}
	for _, c := range r.Cookies() {
		if c.Name == s.visitorCookie() || c.Name == s.Sessions.Cookie.Name {
			return false
		}
	}
	return true
}
