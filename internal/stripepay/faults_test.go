package stripepay_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/stripepay"
	"holdfast/internal/stripesim"
)

// Whatever happens to the answer, the same key leads to the same one session.
func TestCreateSessionUnderFaults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		fault stripesim.Fault
		first error // nil: the retries inside the call are enough
		made  int   // sessions after the first call
	}{
		{"fails once before", stripesim.Fault{Kind: stripesim.FailBefore, Times: 1}, nil, 1},
		{"fails once after", stripesim.Fault{Kind: stripesim.FailAfter, Times: 1}, nil, 1},
		{"busy once", stripesim.Fault{Kind: stripesim.RateLimit, Times: 1}, nil, 1},
		{"dropped once before", stripesim.Fault{Kind: stripesim.DropBefore, Times: 1}, nil, 1},
		{"dropped once after", stripesim.Fault{Kind: stripesim.DropAfter, Times: 1}, nil, 1},
		{"fails before", stripesim.Fault{Kind: stripesim.FailBefore}, domain.ErrGateway, 0},
		{"failed but done", stripesim.Fault{Kind: stripesim.FailAfter}, domain.ErrGateway, 1},
		{"busy", stripesim.Fault{Kind: stripesim.RateLimit}, domain.ErrGateway, 0},
		{"dropped before", stripesim.Fault{Kind: stripesim.DropBefore}, domain.ErrGateway, 0},
		{"dropped but done", stripesim.Fault{Kind: stripesim.DropAfter}, domain.ErrGateway, 1},
		{"network down", stripesim.Fault{Kind: stripesim.NetworkDown}, domain.ErrGateway, 0},
		{"other operation", stripesim.Fault{Kind: stripesim.FailBefore, Op: stripesim.OpCreateRefund}, nil, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.sim.SetFaults(stripesim.Faults{tc.fault})
			req := request() // once: a repetition is the same to the letter
			_, err := w.pay.CreateSession(t.Context(), req)
			if !errors.Is(err, tc.first) {
				t.Fatalf("first call: %v, want %v", err, tc.first)
			}
			if errors.Is(err, domain.ErrGatewayRefused) {
				t.Errorf("%v claims that nothing was done", err)
			}
			all := w.sim.Sessions()
			if len(all) != tc.made {
				t.Fatalf("%d sessions, want %d", len(all), tc.made)
			}
			w.sim.SetFaults(nil)
			again := w.create(t, req)
			if after := w.sim.Sessions(); len(after) != 1 || after[0].ID != again.ID || tc.made == 1 && all[0].ID != again.ID {
				t.Errorf("sessions %v, then %v; answered %s", all, after, again.ID)
			}
		})
	}
}

func TestSaved500IsNotRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailSaved, Times: 1}})
	_, err := w.pay.CreateSession(t.Context(), request())
	wantErr(t, err, domain.ErrGateway)
	if n := len(w.sim.Requests()); n != 2 { // the first, and the one that learned it is saved
		t.Errorf("%d requests", n)
	}
	if got, err := w.pay.SessionsSince(t.Context(), time.Now().Add(-time.Hour)); err != nil || len(got) != 1 {
		t.Errorf("the session is not in the list: %v, %v", got, err)
	}
}

func TestRefundDoneAnswerLost(t *testing.T) {
	t.Parallel()
	for _, kind := range []stripesim.Kind{stripesim.FailAfter, stripesim.DropAfter} {
		w := newWorld(t)
		s := w.paid(t)
		w.sim.SetFaults(stripesim.Faults{{Kind: kind, Op: stripesim.OpCreateRefund}})
		ask := domain.RefundRequest{Key: "rf:1:1", RefundID: 1, PaymentIntent: s.PaymentIntent, Amount: 2450, Currency: "EUR"}
		_, err := w.pay.CreateRefund(t.Context(), ask)
		wantErr(t, err, domain.ErrGateway)
		w.sim.SetFaults(nil)
		r, err := w.pay.CreateRefund(t.Context(), ask)
		all := w.sim.Refunds()
		if err != nil || len(all) != 1 || all[0].ID != r.ID {
			t.Errorf("%s: %+v, %v; refunds %+v", kind, r, err, all)
		}
	}
}

func TestRefundRefusedThenAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.paid(t)
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.RefundRefused, Times: 1}})
	ask := domain.RefundRequest{Key: "rf:1:1", RefundID: 1, PaymentIntent: s.PaymentIntent, Amount: 2450, Currency: "EUR"}
	_, err := w.pay.CreateRefund(t.Context(), ask)
	wantErr(t, err, domain.ErrGatewayRefused, domain.ErrGatewayBalance)
	var coded interface{ ProviderCode() string }
	if !errors.As(err, &coded) || coded.ProviderCode() != "balance_insufficient" {
		t.Errorf("code of %v", err)
	}
	// The no is what the key stands for; a new attempt has a new key.
	_, err = w.pay.CreateRefund(t.Context(), ask)
	wantErr(t, err, domain.ErrGatewayRefused)
	ask.Key, ask.Amount = "rf:1:2", 9900
	if _, err = w.pay.CreateRefund(t.Context(), ask); !errors.Is(err, domain.ErrGatewayRefused) || errors.Is(err, domain.ErrGatewayBalance) {
		t.Errorf("more than was paid is not a matter of the balance: %v", err)
	}
	ask.Key, ask.Amount = "rf:1:3", 2450
	if r, err := w.pay.CreateRefund(t.Context(), ask); err != nil || r.State != domain.RefundSucceeded {
		t.Errorf("second attempt = %+v, %v", r, err)
	}
}

func TestSameKeyOtherParametersIsInDoubt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(t, request())
	req := request()
	req.Amount = 9900
	_, err := w.pay.CreateSession(t.Context(), req)
	wantErr(t, err, domain.ErrGateway)
	if errors.Is(err, domain.ErrGatewayRefused) {
		t.Error("claims that nothing was done under that key")
	}
}

func TestRefusedParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	req := request()
	req.ExpiresAt = time.Now().Add(10 * time.Minute)
	_, err := w.pay.CreateSession(t.Context(), req)
	wantErr(t, err, domain.ErrGatewayRefused)
	var e *stripepay.Error
	if !errors.As(err, &e) || e.Status != 400 {
		t.Errorf("%v", err)
	}
	req = request()
	req.Amount = 20 // below the smallest card payment
	_, err = w.pay.CreateSession(t.Context(), req)
	wantErr(t, err, domain.ErrGatewayRefused)
	if n := len(w.sim.Requests()); n != 2 {
		t.Errorf("%d requests: a plain no was repeated", n)
	}
	w.create(t, request()) // the refusals did not use the key up
}

// Five presses of Pay while Stripe is slow: one session for all of them.
func TestParallelSameKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *stripepay.Config) { c.RetryPause = 60 * time.Millisecond })
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.Slow, Delay: 30 * time.Millisecond}})
	req := request()
	ids := make([]string, 5)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			s, err := w.pay.CreateSession(context.Background(), req)
			if err != nil {
				t.Error(err)
			}
			ids[i] = s.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] || len(w.sim.Sessions()) != 1 {
			t.Fatalf("ids %v, %d sessions", ids, len(w.sim.Sessions()))
		}
	}
}

func TestTimeoutsAreOursAndCoverTheRetries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *stripepay.Config) {
		c.RequestTimeout, c.JobTimeout = 80*time.Millisecond, 30*time.Second
	})
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.Slow, Op: stripesim.OpGetSession, Delay: 400 * time.Millisecond}})
	s, err := w.pay.ForJobs().CreateSession(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.pay.Session(t.Context(), s.ID)
	wantErr(t, err, domain.ErrGateway, context.DeadlineExceeded)
	if got, err := w.pay.ForJobs().Session(t.Context(), s.ID); err != nil || got.ID != s.ID {
		t.Errorf("a job did not wait: %+v, %v", got, err)
	}
}

func TestWaitingBetweenTriesEndsWithTheContext(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *stripepay.Config) { c.RetryPause = time.Hour; c.RequestTimeout = 2 * time.Hour })
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore}})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := w.pay.Session(ctx, "cs_test_x")
	wantErr(t, err, domain.ErrGateway)
	if n := len(w.sim.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// Answers that are not Stripe's, with any status, leave everything in doubt.
func TestForeignAnswersAreInDoubt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		status int
		body   string
	}{
		{"html 502", 502, "<html>bad gateway</html>"}, {"html 200", 200, "<html>hello</html>"}, {"html 403", 403, "<html>no</html>"},
		{"empty 200", 200, ""}, {"null", 200, "null"}, {"no id", 200, "{}"}, {"empty error", 400, "{}"},
		{"redirect", 302, ""}, {"unknown address", 404, `{"error":{"type":"invalid_request_error","message":"Unrecognized request URL"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			}))
			t.Cleanup(srv.Close)
			pay, err := stripepay.New(stripepay.Config{Key: "sk_test_x", APIURL: srv.URL, RetryPause: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			_, err = pay.CreateSession(t.Context(), request())
			wantErr(t, err, domain.ErrGateway)
			_, err = pay.Refund(t.Context(), "re_1")
			wantErr(t, err, domain.ErrGateway)
			if errors.Is(err, domain.ErrGatewayRefused) || errors.Is(err, domain.ErrNotFound) {
				t.Errorf("%v says more than it knows", err)
			}
		})
	}
}

// A list that gives the same page again and again ends with an error.
func TestListThatDoesNotMoveOn(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"object":"list","has_more":true,"data":[{"id":"re_1","object":"refund","amount":1,"currency":"eur"}]}`))
	}))
	t.Cleanup(srv.Close)
	pay, err := stripepay.New(stripepay.Config{Key: "sk_test_x", APIURL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = pay.Refunds(t.Context(), "pi_1")
	wantErr(t, err, domain.ErrGateway)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var followed atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			followed.Add(1)
		}
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	t.Cleanup(srv.Close)
	pay, err := stripepay.New(stripepay.Config{Key: "sk_test_x", APIURL: srv.URL, RetryPause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	_, err = pay.CreateSession(t.Context(), request())
	wantErr(t, err, domain.ErrGateway)
	if followed.Load() != 0 {
		t.Error("the redirect was followed")
	}
}
