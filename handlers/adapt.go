package handlers

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
)

// action is a handler that returns its error instead of writing a status.
type action func(w http.ResponseWriter, r *http.Request) error

// page answers an error with a page.
func (s *site) page(do action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		traceOf(r).route = r.Pattern
		err := withoutNUL(r)
		if err == nil {
			err = do(w, r)
		}
		if err != nil {
			s.fail(w, r, err)
		}
	})
}

// withoutNUL drops the one letter that PostgreSQL cannot be asked about from what an
// address asks for; an address that has it elsewhere is nobody's.
func withoutNUL(r *http.Request) error {
	r.URL.RawQuery = strings.ReplaceAll(r.URL.RawQuery, "%00", "")
	if strings.ContainsRune(r.URL.Path, 0) {
		return fmt.Errorf("NUL in the address: %w", errNoRoute)
	}
	return nil
}

// json answers an error with a small JSON object.
func (s *site) json(do action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		traceOf(r).route = r.Pattern
		err := withoutNUL(r)
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
