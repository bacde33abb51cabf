package stripepay_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/stripepay"
)

// TestStripeMock plays every call of the adapter against Stripe's own validator
// of requests. Its answers are fixtures that have nothing to do with the
// questions, so only one thing is asked of them: that the request was accepted.
func TestStripeMock(t *testing.T) {
	t.Parallel()
	mock := startStripeMock(t)
	wire := &recorder{}
	srv := httptest.NewServer(wire.before(mock))
	t.Cleanup(srv.Close)
	pay, err := stripepay.New(stripepay.Config{Key: "sk_test_123", APIURL: srv.URL, RetryPause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	refund := domain.RefundRequest{Key: "rf:1:1", RefundID: 1, PaymentIntent: "pi_1", Amount: 1000, Currency: "EUR", Reason: "customer"}
	bare := request()
	bare.Key, bare.Email, bare.Description = "cs:8", "", ""
	ctx := t.Context()
	for _, tc := range []struct {
		want string // the request that Stripe must see and take
		call func() error
	}{
		{"POST /v1/checkout/sessions", func() error { _, err := pay.CreateSession(ctx, request()); return err }},
		{"POST /v1/checkout/sessions", func() error { _, err := pay.CreateSession(ctx, bare); return err }},
		{"GET /v1/checkout/sessions/cs_1", func() error { _, err := pay.Session(ctx, "cs_1"); return err }},
		{"POST /v1/checkout/sessions/cs_1/expire", func() error { _, err := pay.ExpireSession(ctx, "cs_1"); return err }},
		{"GET /v1/checkout/sessions", func() error { _, err := pay.SessionsSince(ctx, time.Now()); return err }},
		{"GET /v1/checkout/sessions", func() error { return pay.Check(ctx) }},
		{"POST /v1/refunds", func() error { _, err := pay.CreateRefund(ctx, refund); return err }},
		{"GET /v1/refunds/re_1", func() error { _, err := pay.Refund(ctx, "re_1"); return err }},
		{"GET /v1/refunds", func() error { _, err := pay.Refunds(ctx, "pi_1"); return err }},
		{"GET /v1/refunds", func() error { _, err := pay.RefundsSince(ctx, time.Now()); return err }},
		{"GET /v1/disputes/dp_1", func() error { _, err := pay.Dispute(ctx, "dp_1"); return err }},
		{"GET /v1/checkout/sessions/cs_1", func() error { _, err := pay.PaymentIntentOf(ctx, "cs_1"); return err }},
		{"GET /v1/refunds/re_1", func() error { _, err := pay.PaymentIntentOf(ctx, "re_1"); return err }},
		{"GET /v1/charges/ch_1", func() error { _, err := pay.PaymentIntentOf(ctx, "ch_1"); return err }},
		{"GET /v1/disputes/dp_1", func() error { _, err := pay.PaymentIntentOf(ctx, "dp_1"); return err }},
		{"GET /v1/balance_transactions", func() error { _, err := pay.BalanceLines(ctx, time.Now().Add(-time.Hour), time.Now()); return err }},
		{"GET /v1/payouts", func() error { _, err := pay.Payouts(ctx, time.Now().Add(-time.Hour), time.Now()); return err }},
		{"POST /v1/webhook_endpoints", func() error { _, err := pay.CreateWebhook(ctx, "https://shop.example/hooks/stripe"); return err }},
	} {
		err := tc.call() // may not like the fixture
		seen := wire.take()
		if !slices.ContainsFunc(seen, func(s string) bool { return strings.HasPrefix(s, tc.want+" ") }) {
			t.Errorf("%s was not asked (%v): %v", tc.want, err, seen)
		}
		for _, s := range seen {
			if !strings.Contains(s, " 200 ") {
				t.Errorf("not taken: %s", s)
			}
		}
	}
	provesThatItValidates(t, mock)
}

// provesThatItValidates sends what must be refused: an unknown parameter, a
// wrong type, an unknown event.
func provesThatItValidates(t *testing.T, mock string) {
	t.Helper()
	for path, form := range map[string]url.Values{
		"/v1/refunds":           {"payment_intent": {"pi_1"}, "refund_number": {"1"}},
		"/v1/checkout/sessions": {"mode": {"payment"}, "expires_at": {"tomorrow"}},
		"/v1/webhook_endpoints": {"url": {"https://shop.example/"}, "enabled_events[0]": {"refund.lost"}},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, mock+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer sk_test_123")
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != 400 || !bytes.Contains(body, []byte("invalid_request_error")) {
			t.Errorf("%s %v was taken: %d %s", path, form, resp.StatusCode, body)
		}
	}
}

// recorder stands before the validator and notes each request with its answer.
type recorder struct {
	mu   sync.Mutex
	seen []string
}

func (rec *recorder) before(target string) http.Handler {
	to, _ := url.Parse(target)
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.Transport = &http.Transport{DisableKeepAlives: true}
	proxy.ModifyResponse = func(resp *http.Response) error {
		body, err := io.ReadAll(resp.Body)
		resp.Body = io.NopCloser(bytes.NewReader(body))
		text := ""
		if resp.StatusCode != 200 {
			text = string(body)
		}
		rec.mu.Lock()
		defer rec.mu.Unlock()
		rec.seen = append(rec.seen, fmt.Sprintf("%s %s %d %s", resp.Request.Method, resp.Request.URL.Path, resp.StatusCode, text))
		return err
	}
	return proxy
}

func (rec *recorder) take() []string {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	out := rec.seen
	rec.seen = nil
	return out
}

// startStripeMock builds and starts the validator and answers its HTTP address.
func startStripeMock(t *testing.T) string {
	t.Helper()
	const module = "github.com/stripe/stripe-mock@v0.203.0"
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "go", "install", module)
	install.Dir = dir // outside our module, whose go.mod has no part in it
	install.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("stripe-mock cannot be installed, so our requests are not validated (go install %s): %v\n%s", module, err, out)
	}
	cmd := exec.Command(filepath.Join(dir, "stripe-mock"), "-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		defer close(address)
		for lines := bufio.NewScanner(out); lines.Scan(); { // to the end, so that it never blocks on a full pipe
			if a, ok := strings.CutPrefix(lines.Text(), "Listening for HTTP at address: "); ok {
				address <- "http://" + a
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-drained
		_ = cmd.Wait() // says that it was killed
	})
	select {
	case a, ok := <-address:
		if !ok {
			t.Fatal("stripe-mock ended before it listened")
		}
		return a
	case <-time.After(time.Minute):
		t.Fatal("stripe-mock does not listen after a minute")
	}
	return ""
}
