package handlers

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

// action is a handler that returns its error instead of writing a status.
type action func(w http.ResponseWriter, r *http.Request) error

// page answers an error with a page.
func (s *site) page(do action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		traceOf(r).route = r.Pattern
		err := readable(r)
		if err == nil {
			err = do(w, r)
		}
		if err != nil {
			s.fail(w, r, err)
		}
	})
}

// readable drops from what an address asks for what PostgreSQL cannot be asked about: the
// letter NUL, and bytes that are no letters. An address that has them elsewhere is nobody's.
func readable(r *http.Request) error {
	r.URL.RawQuery = strings.ReplaceAll(r.URL.RawQuery, "%00", "")
	if asked, err := url.QueryUnescape(r.URL.RawQuery); err == nil && !utf8.ValidString(asked) {
		clean := url.Values{}
		for name, values := range r.URL.Query() {
			for _, v := range values {
				clean.Add(strings.ToValidUTF8(name, ""), strings.ToValidUTF8(v, ""))
			}
		}
		r.URL.RawQuery = clean.Encode()
	}
	if !isText(r.URL.Path) {
		return fmt.Errorf("an address that is no text: %w", errNoRoute)
	}
	return nil
}

// isText says whether PostgreSQL can hold it as text.
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// json answers an error with a small JSON object.
func (s *site) json(do action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		traceOf(r).route = r.Pattern
		err := readable(r)
		if err == nil {
			err = do(w, r)
		}
		if err != nil {
			s.failJSON(w, r, err)
		}
	})
}

// failJSON writes the object for an error.
func (s *site) failJSON(w http.ResponseWriter, r *http.Request, err error) {
	a := answerTo(err)
	s.note(r, a.status, err)
	writeJSON(w, a.status, map[string]string{"error": a.heading})
}

// note logs an error once, where it ends: unexpected ones as errors.
func (s *site) note(r *http.Request, status int, err error) {
	level := slog.LevelInfo
	if status >= 500 {
		level = slog.LevelError
	}
	s.Log.Log(r.Context(), level, "refused", "request", requestID(r), "route", traceOf(r).route, "status", status, "error", err.Error())
}
