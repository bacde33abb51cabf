package stripepay_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/stripepay"
	"holdfast/internal/stripesim"
)

// world is a look-alike on a real port and a client that talks to it.
type world struct {
	sim *stripesim.Sim
	pay *stripepay.Client
	now *atomic.Int64 // seconds added to the look-alike's clock
	url string
}

func newWorld(t *testing.T, change ...func(*stripepay.Config)) world {
	t.Helper()
	w := world{now: &atomic.Int64{}}
	srv := httptest.NewUnstartedServer(nil)
	w.url = "http://" + srv.Listener.Addr().String() + "/stripesim"
	w.sim = stripesim.New(stripesim.Options{BaseURL: w.url, Key: "sk_test_right", Now: func() time.Time {
		return time.Now().Add(time.Duration(w.now.Load()) * time.Second)
	}})
	srv.Config.Handler = w.sim
	srv.Start()
	t.Cleanup(srv.Close)
	cfg := stripepay.Config{Key: "sk_test_right", APIURL: w.url, RetryPause: time.Millisecond}
	for _, c := range change {
		c(&cfg)
	}
	pay, err := stripepay.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.pay = pay
	return w
}

func request() domain.SessionRequest {
	return domain.SessionRequest{
		Key: "cs:7", PaymentID: 7, HoldID: "6b1c7c1e-0000-4000-8000-000000000001", EventID: 3,
		Amount: 2450, Currency: "EUR", Description: "2 tickets, Salt Road", Email: "a@example.org",
		SuccessURL: "http://127.0.0.1/ok", CancelURL: "http://127.0.0.1/back", ExpiresAt: time.Now().Add(35 * time.Minute).Truncate(time.Second),
	}
}

func (w world) create(t *testing.T, req domain.SessionRequest) domain.PaySession {
	t.Helper()
	s, err := w.pay.CreateSession(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// paid makes a session and takes its money.
func (w world) paid(t *testing.T) domain.PaySession {
	t.Helper()
	s := w.create(t, request())
	if err := w.sim.Pay(s.ID); err != nil {
		t.Fatal(err)
	}
	s, err := w.pay.Session(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantErr(t *testing.T, err error, want ...error) {
	t.Helper()
	for _, w := range want {
		if !errors.Is(err, w) {
			t.Errorf("error = %v, want %v", err, w)
		}
	}
}

func TestCreateSessionSendsWhatTheContractNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := request()
	s := w.create(t, req)
	if s.Status != domain.SessionOpen || s.Paid || s.Amount != 2450 || s.Currency != "EUR" || s.Livemode || s.PaymentIntent != "" {
		t.Errorf("session = %+v", s)
	}
	if !s.ExpiresAt.Equal(req.ExpiresAt) || !strings.HasPrefix(s.URL, w.url+"/pay/cs_test_") {
		t.Errorf("ends %v at %s", s.ExpiresAt, s.URL)
	}
	got := w.sim.Requests()[0]
	if got.Op != stripesim.OpCreateSession || got.Key != "cs:7" {
		t.Errorf("received %s with key %q", got.Op, got.Key)
	}
	want := map[string]string{
		"mode": "payment", "payment_method_types[0]": "card", "client_reference_id": "7", "customer_email": "a@example.org",
		"success_url": req.SuccessURL, "cancel_url": req.CancelURL, "payment_intent_data[capture_method]": "automatic",
		"line_items[0][quantity]": "1", "line_items[0][price_data][unit_amount]": "2450", "line_items[0][price_data][currency]": "eur",
		"line_items[0][price_data][product_data][name]": "2 tickets, Salt Road",
	}
	for _, prefix := range []string{"metadata", "payment_intent_data[metadata]"} {
		want[prefix+"[app]"], want[prefix+"[payment_id]"] = "holdfast", "7"
		want[prefix+"[hold_id]"], want[prefix+"[event_id]"] = req.HoldID, "3"
	}
	for k, v := range want {
		if got.Form.Get(k) != v {
			t.Errorf("%s = %q, want %q", k, got.Form.Get(k), v)
		}
	}
	if s.Metadata["app"] != "holdfast" || s.Metadata["payment_id"] != "7" || s.Metadata["hold_id"] != req.HoldID || s.Metadata["event_id"] != "3" {
		t.Errorf("metadata = %v", s.Metadata)
	}
}

func TestAmountsTravelInStripesUnit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		currency   string
		ours, sent int64
		sentText   string
	}{
		{"EUR", 2450, 2450, "2450"}, {"JPY", 1200, 1200, "1200"}, {"KWD", 2450, 2450, "2450"},
		{"ISK", 2400, 240000, "240000"}, {"UGX", 15000, 1500000, "1500000"}, {"LKR", 400000, 400000, "400000"},
	} {
		t.Run(tc.currency, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			req := request()
			req.Amount, req.Currency = tc.ours, tc.currency
			s := w.create(t, req)
			if got := w.sim.Requests()[0].Form.Get("line_items[0][price_data][unit_amount]"); got != tc.sentText {
				t.Errorf("received %s, want %s", got, tc.sentText)
			}
			if s.Amount != tc.ours || s.Currency != tc.currency {
				t.Errorf("read back %d %s", s.Amount, s.Currency)
			}
			if err := w.sim.Pay(s.ID); err != nil {
				t.Fatal(err)
			}
			s, _ = w.pay.Session(t.Context(), s.ID)
			r, err := w.pay.CreateRefund(t.Context(), domain.RefundRequest{Key: "rf:1:1", RefundID: 1, PaymentIntent: s.PaymentIntent, Amount: tc.ours, Currency: tc.currency})
			if err != nil || r.Amount != tc.ours {
				t.Errorf("refund = %+v, %v", r, err)
			}
			if taken, back := w.sim.Paid(s.PaymentIntent); taken != tc.sent || back != tc.sent {
				t.Errorf("taken %d, back %d, want %d", taken, back, tc.sent)
			}
		})
	}
}

func TestAmountsThatCannotTravelAreNeverSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tc := range []struct {
		currency string
		amount   int64
		want     error
	}{{"KWD", 2455, domain.ErrConflict}, {"XXX", 100, domain.ErrNotFound}, {"eur", 100, domain.ErrNotFound}} {
		req := request()
		req.Currency, req.Amount = tc.currency, tc.amount
		_, err := w.pay.CreateSession(t.Context(), req)
		wantErr(t, err, domain.ErrGatewayRefused, tc.want)
		_, err = w.pay.CreateRefund(t.Context(), domain.RefundRequest{Key: "k", PaymentIntent: "pi_x", Amount: tc.amount, Currency: tc.currency})
		wantErr(t, err, domain.ErrGatewayRefused, tc.want)
	}
	if n := len(w.sim.Requests()); n != 0 {
		t.Errorf("%d requests went out", n)
	}
}

func TestSessionReadsEveryState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.paid(t)
	if s.Status != domain.SessionComplete || !s.Paid || s.URL != "" || !strings.HasPrefix(s.PaymentIntent, "pi_") {
		t.Errorf("paid session = %+v", s)
	}
	req := request()
	req.Key, req.PaymentID = "cs:8", 8
	late := w.create(t, req)
	w.now.Store(36 * 60)
	late, err := w.pay.Session(t.Context(), late.ID)
	if err != nil || late.Status != domain.SessionExpired || late.Paid || late.URL != "" {
		t.Errorf("late session = %+v, %v", late, err)
	}
	_, err = w.pay.Session(t.Context(), "cs_test_nobody")
	wantErr(t, err, domain.ErrNotFound)
	if errors.Is(err, domain.ErrGateway) || errors.Is(err, domain.ErrGatewayRefused) {
		t.Errorf("not found means more than that: %v", err)
	}
}

func TestExpireSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.create(t, request())
	if got, err := w.pay.ExpireSession(t.Context(), s.ID); err != nil || got.Status != domain.SessionExpired {
		t.Errorf("first = %+v, %v", got, err)
	}
	got, err := w.pay.ExpireSession(t.Context(), s.ID)
	wantErr(t, err, domain.ErrSessionNotOpen)
	if got.Status != domain.SessionExpired {
		t.Errorf("again = %+v", got)
	}
	if err := w.sim.Pay(s.ID); err == nil {
		t.Error("an expired session was paid")
	}
	req := request()
	req.Key = "cs:8"
	s = w.create(t, req)
	_ = w.sim.Pay(s.ID)
	got, err = w.pay.ExpireSession(t.Context(), s.ID)
	wantErr(t, err, domain.ErrSessionNotOpen)
	if got.Status != domain.SessionComplete || !got.Paid {
		t.Errorf("paid one = %+v", got)
	}
	_, err = w.pay.ExpireSession(t.Context(), "cs_test_nobody")
	wantErr(t, err, domain.ErrNotFound)
}

func TestExpireWhoseAnswerIsLostIsStillExpired(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.create(t, request())
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailAfter, Op: stripesim.OpExpireSession, Times: 1}})
	if got, err := w.pay.ExpireSession(t.Context(), s.ID); err != nil || got.Status != domain.SessionExpired {
		t.Errorf("expire = %+v, %v", got, err)
	}
}

// Expiring and paying at the same moment: one of them wins, never both, and what
// the adapter says agrees with the money.
func TestExpireAndPayExcludeEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 40 {
		req := request()
		req.Key = "cs:race:" + time.Duration(i).String()
		s := w.create(t, req)
		start, payErr := make(chan struct{}), make(chan error)
		go func() { <-start; payErr <- w.sim.Pay(s.ID) }()
		close(start)
		_, err := w.pay.ExpireSession(t.Context(), s.ID)
		expired, paid := err == nil, <-payErr == nil
		if expired == paid {
			t.Fatalf("round %d: expired %v, paid %v (%v)", i, expired, paid, err)
		}
		if paid {
			wantErr(t, err, domain.ErrSessionNotOpen)
		}
		after, err := w.pay.Session(t.Context(), s.ID)
		if err != nil || after.Paid != paid {
			t.Fatalf("round %d: %+v, %v", i, after, err)
		}
	}
}

func TestSessionsSinceReadsAllPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 230 {
		req := request()
		req.Key = "cs:" + time.Duration(i).String()
		w.create(t, req)
	}
	// A session of somebody else's in a currency that we do not sell in.
	foreign := url.Values{"mode": {"payment"}, "success_url": {"http://127.0.0.1/x"}, "line_items[0][quantity]": {"1"},
		"line_items[0][price_data][currency]": {"clp"}, "line_items[0][price_data][unit_amount]": {"900"},
		"line_items[0][price_data][product_data][name]": {"Mug"}}
	hr, _ := http.NewRequest(http.MethodPost, w.url+"/v1/checkout/sessions", strings.NewReader(foreign.Encode()))
	hr.Header.Set("Authorization", "Bearer sk_test_right")
	hr.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(hr); err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	got, err := w.pay.ForJobs().SessionsSince(t.Context(), time.Now().Add(-time.Hour))
	if err != nil || len(got) != 230 {
		t.Fatalf("%d sessions, %v", len(got), err)
	}
	seen := map[string]bool{}
	for _, s := range got {
		seen[s.ID] = true
	}
	if len(seen) != 230 {
		t.Errorf("%d different ones", len(seen))
	}
	if got, err := w.pay.SessionsSince(t.Context(), time.Now().Add(time.Hour)); err != nil || len(got) != 0 {
		t.Errorf("since later: %d, %v", len(got), err)
	}
	// A page that fails fails the list.
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore, Op: stripesim.OpListSessions}})
	_, err = w.pay.SessionsSince(t.Context(), time.Now().Add(-time.Hour))
	wantErr(t, err, domain.ErrGateway)
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for _, cfg := range []stripepay.Config{{}, {Key: " "}, {Key: "k", APIURL: "localhost:1"}, {Key: "k", APIURL: "ftp://h/x"}} {
		if _, err := stripepay.New(cfg); err == nil {
			t.Errorf("%+v was accepted", cfg)
		}
	}
	for key, want := range map[string]bool{"sk_live_x": true, "rk_live_x": true, "sk_test_x": false} {
		if c, err := stripepay.New(stripepay.Config{Key: key}); err != nil || c.Livemode() != want {
			t.Errorf("livemode of %s is not %v", key, want)
		}
	}
}

func TestCheckTellsAWrongKeyFromNoAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.pay.Check(t.Context()); err != nil {
		t.Error(err)
	}
	wrong := newWorld(t, func(c *stripepay.Config) { c.Key = "sk_test_wrong" })
	wantErr(t, wrong.pay.Check(t.Context()), domain.ErrGatewayRefused)
	_, err := wrong.pay.CreateSession(t.Context(), request())
	wantErr(t, err, domain.ErrGatewayRefused)

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String()
	_ = l.Close()
	off := newWorld(t, func(c *stripepay.Config) { c.APIURL = nobody })
	wantErr(t, off.pay.Check(t.Context()), domain.ErrGateway)
}

func TestContextIsFoundBesideTheGateway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.pay.CreateSession(ctx, request())
	wantErr(t, err, domain.ErrGateway, context.Canceled)
}
