package handlers

import (
	"context"
	"net/http"
	"time"
)

// healthz says that the process answers, and in words for a monitor whether mail leaves:
// ok, late (status "bad"), off, or unknown while the database does not answer. It is 200
// in any case: starting the process again mends no mail server.
func (s *site) healthz(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	answer := map[string]string{"status": "ok", "mail": "ok"}
	switch waits, err := s.Records.OldestUnsent(ctx); {
	case s.MailOff:
		answer["mail"] = "off"
	case err != nil:
		answer["mail"] = "unknown"
	case waits > mailLong:
		answer["status"], answer["mail"] = "bad", "late"
	}
	writeJSON(w, http.StatusOK, answer)
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
