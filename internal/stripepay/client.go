// Package stripepay is the adapter to Stripe: it asks for hosted payment pages,
// ends them, gives money back, looks things up, and checks webhook signatures.
// Callers see domain types and domain errors only; amounts cross its edge in our
// minor units and travel in Stripe's.
//
// What it does about the library's habits: one timeout over a whole call instead
// of 80 s per try, retries of its own that end with the context, and no package
// globals, so that two clients never share a key.
package stripepay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/balancetransaction"
	"github.com/stripe/stripe-go/v76/charge"
	"github.com/stripe/stripe-go/v76/checkout/session"
	"github.com/stripe/stripe-go/v76/dispute"
	"github.com/stripe/stripe-go/v76/payout"
	"github.com/stripe/stripe-go/v76/refund"
	"github.com/stripe/stripe-go/v76/webhookendpoint"
)

// Config of a Client. Key is needed.
type Config struct {
	Key            string
	APIURL         string        // without a slash at the end; empty is Stripe's own
	RequestTimeout time.Duration // a whole call with its retries while a person waits; 0 is 8 s
	JobTimeout     time.Duration // the same in background work; 0 is 20 s
	RetryPause     time.Duration // before the first retry, doubled each time; 0 is 250 ms
	Log            *slog.Logger  // nil is silent
}

// Client talks to one Stripe account. It is safe for use by many goroutines.
type Client struct {
	sessions   session.Client
	refunds    refund.Client
	charges    charge.Client
	disputes   dispute.Client
	balance    balancetransaction.Client
	payouts    payout.Client
	endpoints  webhookendpoint.Client
	live       bool
	timeout    time.Duration
	jobTimeout time.Duration
	pause      time.Duration
	log        *slog.Logger
}

// maxTries bounds one call: the first try and two more.
const maxTries = 3

// New makes a client for code that a person waits for; see ForJobs. It does not
// talk to Stripe. A missing key or an unusable address is an error.
func New(cfg Config) (*Client, error) {
	if strings.TrimSpace(cfg.Key) == "" {
		return nil, errors.New("stripe: no API key")
	}
	if cfg.APIURL != "" {
		if u, err := url.Parse(cfg.APIURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("stripe: API address %q is not an absolute http(s) URL", cfg.APIURL)
		}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	b := backend(cfg)
	return &Client{
		sessions:  session.Client{B: b, Key: cfg.Key},
		refunds:   refund.Client{B: b, Key: cfg.Key},
		charges:   charge.Client{B: b, Key: cfg.Key},
		disputes:  dispute.Client{B: b, Key: cfg.Key},
		balance:   balancetransaction.Client{B: b, Key: cfg.Key},
		payouts:   payout.Client{B: b, Key: cfg.Key},
		endpoints: webhookendpoint.Client{B: b, Key: cfg.Key},
		live:      strings.HasPrefix(cfg.Key, "sk_live_") || strings.HasPrefix(cfg.Key, "rk_live_"),

		timeout:    or(cfg.RequestTimeout, 8*time.Second),
		jobTimeout: or(cfg.JobTimeout, 20*time.Second),
		pause:      or(cfg.RetryPause, 250*time.Millisecond),
		log:        cfg.Log,
	}, nil
}

func or(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}

// backend is the library's HTTP side without its retries and its telemetry.
func backend(cfg Config) stripe.Backend {
	set := &stripe.BackendConfig{
		EnableTelemetry:   stripe.Bool(false),
		LeveledLogger:     quietLogger{cfg.Log},
		MaxNetworkRetries: stripe.Int64(0),
		HTTPClient: &http.Client{
			// An API never redirects; following would repeat a POST as a GET elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t = t.Clone()
		t.MaxIdleConnsPerHost = 32 // a release day's worth, instead of 2
		set.HTTPClient.Transport = t
	}
	if cfg.APIURL != "" {
		set.URL = stripe.String(cfg.APIURL)
	}
	return stripe.GetBackendWithConfig(stripe.APIBackend, set)
}

// ForJobs is the same client with the longer timeout, for background work.
func (c *Client) ForJobs() *Client {
	out := *c
	out.timeout = c.jobTimeout
	return &out
}

// Livemode says whether the key moves real money; sessions and events of the
// other mode are not ours.
func (c *Client) Livemode() bool { return c.live }

// Check asks Stripe for next to nothing, to find out at start and on the status
// page whether the key works: nil, ErrGatewayRefused (the key is wrong) or
// ErrGateway (no answer).
func (c *Client) Check(ctx context.Context) error {
	_, err := c.page(ctx, "check the key", "", 1, func(lp stripe.ListParams) *stripe.Iter {
		return c.sessions.List(&stripe.CheckoutSessionListParams{ListParams: lp}).Iter
	})
	return err
}

// try runs one call with the client's timeout and, where the failure may pass,
// again. Every call that changes something carries the same idempotency key each
// time, so a repetition never does it twice.
func (c *Client) try(ctx context.Context, op string, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for n := 1; ; n++ {
		err := call(ctx)
		if err == nil {
			return nil
		}
		if n == maxTries || !mayPass(err) || !c.wait(ctx, n) {
			return wrap(op, err)
		}
		c.log.Debug("stripe: trying again", "op", op, "try", n+1)
	}
}

// mayPass says whether the same request may get another answer a moment later.
func mayPass(err error) bool {
	var se *stripe.Error
	if !errors.As(err, &se) {
		return true // the network, or an answer that is not Stripe's
	}
	if r := se.LastResponse; r != nil {
		if r.Header.Get("Idempotent-Replayed") == "true" || r.Header.Get("Stripe-Should-Retry") == "false" {
			return false
		}
		if r.Header.Get("Stripe-Should-Retry") == "true" {
			return true
		}
	}
	return se.HTTPStatusCode == http.StatusConflict || se.HTTPStatusCode == http.StatusTooManyRequests || se.HTTPStatusCode >= 500
}

// wait pauses before the next try, false when the context ends first.
func (c *Client) wait(ctx context.Context, n int) bool {
	d := c.pause << (n - 1)
	d += rand.N(d/4 + 1)
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// quietLogger keeps the library's own log at debug level, because every failure
// is returned; bodies, which carry customers' data, are dropped.
type quietLogger struct{ log *slog.Logger }

func (q quietLogger) Debugf(string, ...any) {}
func (q quietLogger) Infof(f string, v ...any) {
	q.log.Debug("stripe library: " + fmt.Sprintf(f, v...))
}
func (q quietLogger) Warnf(f string, v ...any)  { q.Infof(f, v...) }
func (q quietLogger) Errorf(f string, v ...any) { q.Infof(f, v...) }
