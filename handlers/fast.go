package handlers

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// fast answers strangers, who all see the same, from the snapshots: the seat page, what
// changed on it, and what is on. It stands before everything else, the session included,
// and leaves to the others whatever it has no ready answer to. These answers are counted
// in the metrics; they have no line in the log.
func (s *site) fast(next http.Handler) http.Handler {
	headers := s.secureHeaders()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !s.stranger(r) {
			next.ServeHTTP(w, r)
			return
		}
		began := time.Now()
		route, answer := s.ready(r)
		if answer == nil {
			next.ServeHTTP(w, r)
			return
		}
		maps.Copy(w.Header(), headers)
		s.Metrics.Served(route, answer(w, r), time.Since(began))
	})
}

// ready finds the answer that lies ready for a stranger; nil when none does.
func (s *site) ready(r *http.Request) (route string, answer func(http.ResponseWriter, *http.Request) int) {
	path, ok := strings.CutPrefix(r.URL.Path, "/events/")
	if !ok {
		if r.URL.Path == "/" {
			return s.readyHome(r)
		}
		return "", nil
	}
	path, poll := strings.CutSuffix(path, "/seats")
	id, err := strconv.ParseInt(path, 10, 64)
	if err != nil || id <= 0 || path != strconv.FormatInt(id, 10) {
		return "", nil
	}
	var q url.Values
	if r.URL.RawQuery != "" {
		if q, err = url.ParseQuery(r.URL.RawQuery); err != nil {
			return "", nil
		}
	}
	k, err := keyOf(id, q.Get)
	if err != nil {
		return "", nil
	}
	k.turn = !poll && q.Has("turn")
	n, err := s.look(r.Context(), k)
	if err != nil || !poll && !n.offer.Open() {
		return "", nil
	}
	if !poll {
		f, err := n.drawn.page()
		if err != nil {
			return "", nil
		}
		return "GET /events/{event}", f.send
	}
	f, err := s.update(n, q.Get("v"))
	if err != nil {
		return "", nil
	}
	if f == nil {
		return "GET /events/{event}/seats", unchanged
	}
	return "GET /events/{event}/seats", f.send
}

var noStore, varyHtmx = []string{"no-store"}, []string{"HX-Request"}

// unchanged tells an open page that it is still right.
func unchanged(w http.ResponseWriter, _ *http.Request) int {
	h := w.Header()
	h["Cache-Control"], h["Vary"] = noStore, varyHtmx
	w.WriteHeader(http.StatusNoContent)
	return http.StatusNoContent
}
