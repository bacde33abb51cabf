package handlers

import (
	"context"
	"net/http"
	"time"
)

// healthz says that the process answers; it asks nobody else.
func (s *site) healthz(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

// readyz says whether work can be done: the database answers and has our schema.
func (s *site) readyz(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), 3*time.Second)
	defer cancel()
	status, answer := http.StatusOK, map[string]string{"status": "ok", "database": "ok", "schema": "ok"}
	if err := s.Records.Ping(ctx); err != nil {
		status, answer = http.StatusServiceUnavailable, map[string]string{"status": "not ready", "database": "unreachable", "schema": "unknown"}
	} else if err := s.Records.SchemaFits(ctx); err != nil {
		status, answer = http.StatusServiceUnavailable, map[string]string{"status": "not ready", "database": "ok", "schema": "does not fit this program"}
	}
	writeJSON(w, status, answer)
	return nil
}

func (s *site) version(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, map[string]string{"version": s.Version})
	return nil
}
