package handlers

import (
	"net/http"
	"strings"
)

// anyHost lets a demo be tried under any address of the machine, from a phone on the
// same network too: a redirect to BASE_URL stays on the host that was asked.
func (s *site) anyHost(next http.Handler) http.Handler {
	_, host, _ := strings.Cut(s.BaseURL, "://")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != host {
			w = &sameHost{w, s.BaseURL}
		}
		next.ServeHTTP(w, r)
	})
}

type sameHost struct {
	http.ResponseWriter
	base string
}

func (w *sameHost) WriteHeader(status int) {
	if to, ours := strings.CutPrefix(w.Header().Get("Location"), w.base+"/"); ours {
		w.Header().Set("Location", "/"+to)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the real writer.
func (w *sameHost) Unwrap() http.ResponseWriter { return w.ResponseWriter }
