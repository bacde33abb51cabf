package handlers

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

// What every request costs before and after its work: its number, its deadline, its line
// in the log.
func BenchmarkOutermost(b *testing.B) {
	s := &site{Deps: Deps{Log: slog.New(slog.NewJSONHandler(io.Discard, nil)), Metrics: uncounted{}}}
	h := s.outermost(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		traceOf(r).route = "GET /events/{event}"
		w.WriteHeader(http.StatusNoContent)
	}))
	r := httptest.NewRequest(http.MethodGet, "/events/1", nil)
	w := &discard{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		h.ServeHTTP(w, r)
	}
}
