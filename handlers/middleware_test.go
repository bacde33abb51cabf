package handlers

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"holdfast/internal/booking"
	"holdfast/static"
)

// A panic becomes the 500 page with a number to ask about; the log has the stack, the
// page has not, and the log has no path, which may carry a booking's token.
func TestPanicBecomesAPage(t *testing.T) {
	assets, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, nil))
	s := &site{Deps: Deps{Log: log, Metrics: uncounted{}}, pages: Pages{assets: assets, booking: booking.New(nil, booking.Config{Log: log})}}
	h := s.outermost(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a secret thing broke") }))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/bookings/sesame", nil))
	body := w.Body.String()
	if w.Code != 500 || !strings.Contains(body, "Something went wrong on our side") || !strings.Contains(body, w.Header().Get("X-Request-Id")) {
		t.Errorf("answered %d:\n%s", w.Code, body)
	}
	if strings.Contains(body, "secret") || strings.Contains(body, "goroutine") {
		t.Errorf("the page shows the inside:\n%s", body)
	}
	if l := out.String(); !strings.Contains(l, "a secret thing broke") || !strings.Contains(l, "middleware_test.go") || strings.Contains(l, "sesame") {
		t.Errorf("the log:\n%s", l)
	}
}

// uncounted is metrics that nobody reads.
type uncounted struct{ Metrics }

func (uncounted) Served(string, int, time.Duration) {}

func TestClientAddress(t *testing.T) {
	for _, c := range []struct {
		hops int
		xff  []string
		want string
	}{
		{0, []string{"6.6.6.6"}, "10.0.0.1"},
		{1, []string{"6.6.6.6, 7.7.7.7"}, "7.7.7.7"},
		{2, []string{"6.6.6.6, 7.7.7.7"}, "6.6.6.6"},
		{2, []string{"5.5.5.5, 6.6.6.6", "7.7.7.7"}, "6.6.6.6"},
		{3, []string{"7.7.7.7"}, "10.0.0.1"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = "10.0.0.1:4711"
		for _, line := range c.xff {
			r.Header.Add("X-Forwarded-For", line)
		}
		s := &site{Deps: Deps{ProxyHops: c.hops}}
		if got := s.clientAddress(r); got != c.want {
			t.Errorf("%d hops, %v: %s, want %s", c.hops, c.xff, got, c.want)
		}
	}
}

// A profile may take longer than a page.
func TestTimeFor(t *testing.T) {
	s := &site{Deps: Deps{Log: slog.New(slog.DiscardHandler), Metrics: uncounted{}}}
	for path, want := range map[string]time.Duration{"/": requestTime, "/staff/pprof": requestTime, "/staff/pprof/profile": profileTime + profileRoom} {
		s.outermost(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if end, ok := r.Context().Deadline(); !ok || time.Until(end) > want || time.Until(end) < want-5*time.Second {
				t.Errorf("%s has until %s, want %s", path, time.Until(end), want)
			}
		})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
	}
}
