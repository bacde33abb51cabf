package rush

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/internal/stripesim"
)

const (
	stripeKey    = "sk_test_rush"
	stripeSecret = "whsec_rush_0123456789abcdef0123456"
)

// stripe is the look-alike behind a server of its own, slow as Stripe on a bad evening.
// It remembers when which hold was asked about.
type stripe struct {
	sim     *stripesim.Sim
	url     string
	latency time.Duration

	mu    sync.Mutex
	spans map[string][]span // by hold
}

type span struct{ began, ended time.Time }

func startStripe(t *testing.T, shop string, latency time.Duration) *stripe {
	t.Helper()
	s := &stripe{latency: latency, spans: map[string][]span{}}
	srv := httptest.NewUnstartedServer(s)
	s.url = "http://" + srv.Listener.Addr().String()
	s.sim = stripesim.New(stripesim.Options{BaseURL: s.url, Key: stripeKey, WebhookURL: shop + "/hooks/stripe", WebhookSecret: stripeSecret, RetryPause: 300 * time.Millisecond})
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.sim.Close(ctx)
	})
	return s
}

// ServeHTTP makes the API slow, and the page for people not: they do not wait for us there.
func (s *stripe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/v1/") {
		s.sim.ServeHTTP(w, r)
		return
	}
	began, hold := time.Now(), s.holdOf(r)
	pause(r.Context(), s.latency)
	s.sim.ServeHTTP(w, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spans[hold] = append(s.spans[hold], span{began, time.Now()})
}

// holdOf is the hold that a call is about, "" when it cannot be told.
func (s *stripe) holdOf(r *http.Request) string {
	const sessions = "/v1/checkout/sessions"
	rest, ok := strings.CutPrefix(r.URL.Path, sessions)
	if !ok {
		return ""
	}
	if id, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/"); id != "" {
		x, _ := s.sim.Session(id)
		return x.Metadata["hold_id"]
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return ""
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return ""
	}
	return form.Get("metadata[hold_id]")
}

// waited is how much of a request about that hold was spent waiting for the look-alike.
// Without a hold there is nothing to ask.
func (s *stripe) waited(hold string, began, ended time.Time) (sum time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if hold == "" {
		return 0
	}
	covered := began
	for _, x := range s.spans[hold] { // in the order of their ends, so an overlap counts once
		if x.began.Before(began) || x.ended.After(ended) {
			continue
		}
		if x.began.After(covered) {
			covered = x.began
		}
		if x.ended.After(covered) {
			sum += x.ended.Sub(covered)
			covered = x.ended
		}
	}
	return sum
}
