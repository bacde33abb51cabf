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

// visitor is who the browser is, as holds store it; "" for one that never held seats.
func (s *site) visitor(r *http.Request) domain.Holder {
	id := s.Sessions.GetString(r.Context(), visitorKey)
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return domain.Holder("web:" + hex.EncodeToString(sum[:16]))
}

// known is visitor, and makes one of a stranger: only for requests that hold seats.
func (s *site) known(r *http.Request) booking.Visitor {
	if holder := s.visitor(r); holder != "" {
		return booking.Visitor{Holder: holder}
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	s.Sessions.Put(r.Context(), visitorKey, hex.EncodeToString(b[:]))
	return booking.Visitor{Holder: s.visitor(r), New: true}
}
