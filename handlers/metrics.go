package handlers

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"time"

	"holdfast/internal/domain"
)

// Metrics counts for a monitor.
type Metrics interface {
	Served(route string, status int, took time.Duration)
	Claim(outcome string)
	Shed(class, reason string)
	// Watch tells a figure that is read when a monitor asks, under a name and label once.
	Watch(name, help string, labels map[string]string, read func() float64)
	Handler() http.Handler
}

// metrics answers the monitor that has the token; to everybody else there is nothing here.
func (s *site) metrics(w http.ResponseWriter, r *http.Request) error {
	want, got := "Bearer "+s.MetricsToken, r.Header.Get("Authorization")
	if s.MetricsToken == "" || subtle.ConstantTimeCompare([]byte(want), []byte(got)) != 1 {
		return errNoRoute
	}
	w.Header().Set("Cache-Control", "no-store")
	s.Metrics.Handler().ServeHTTP(w, r)
	return nil
}

// claimed counts what became of a choice of seats.
func (s *site) claimed(err error) {
	var lost *domain.SeatConflict
	var rule *domain.RuleError
	outcome := "failed"
	switch {
	case err == nil:
		outcome = "won"
	case errors.As(err, &lost):
		outcome = "lost"
	case errors.Is(err, domain.ErrBusy):
		outcome = "busy"
	case errors.As(err, &rule), errors.Is(err, domain.ErrSalesClosed), errors.Is(err, domain.ErrAlreadyPaid):
		outcome = "refused"
	}
	s.Metrics.Claim(outcome)
}
