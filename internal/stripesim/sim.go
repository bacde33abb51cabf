// Package stripesim looks like Stripe from the outside: Checkout Sessions with a
// hosted pay page, refunds, an idempotency store, signed webhooks, switches for
// every failure a payment provider can have, and a ledger of what it received.
// It serves demo mode and tests; no card and no money is ever involved.
//
// A Sim is an http.Handler that sees unstripped paths: everything lives under
// the path of Options.BaseURL. With BaseURL http://127.0.0.1:8080/stripesim
// mount it as mux.Handle("/stripesim/", sim), without http.StripPrefix, and give
// the same BaseURL to the Stripe client as its API address.
//
// Everything is kept in memory and forgotten when the process ends. All amounts
// are in Stripe's unit of the currency, which is not always the unit of prices
// (ISK and UGX are ×100).
package stripesim

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Options configure a Sim. BaseURL is needed; the rest may stay empty.
type Options struct {
	// BaseURL is the absolute address under which the Sim is reachable, with the
	// mounted prefix and without a slash at the end.
	BaseURL string
	// WebhookURL receives the signed events; empty: events are recorded only.
	// More receivers can be added through POST /v1/webhook_endpoints.
	WebhookURL    string
	WebhookSecret string
	// Key, when set, is the only API key accepted; empty accepts any.
	Key string
	// Now is the clock of sessions and lists; nil is time.Now. Signatures always
	// use the real clock, because their receivers do.
	Now func() time.Time
	Log *slog.Logger
	// Venue is the seller's name on the pay page.
	Venue string
	// StylesheetURL are the pay page's stylesheets; none leaves the browser's own.
	StylesheetURL []string
	// HTTPClient sends the webhooks; nil is a client of its own with
	// a 10 s limit and no proxy.
	HTTPClient *http.Client
	// RetryPause is the wait before an event that was not taken is sent again,
	// doubled each time; 0 is 200 ms.
	RetryPause time.Duration
}

// Sim is the look-alike. It is safe for use by many goroutines.
type Sim struct {
	opt    Options
	prefix string
	mux    *http.ServeMux
	pages  pages

	stop   context.Context // ended by Close; waiting and delayed work gives up
	cancel context.CancelFunc
	bg     sync.WaitGroup

	mu        sync.Mutex // guards everything below; never held over input or output
	closed    bool
	sessions  []*Session // oldest first, as are all lists here
	intents   map[string]*intent
	refunds   []*Refund
	disputes  []*dispute
	events    []*Event
	endpoints []endpoint
	requests  []*Request
	saved     map[string]*savedAnswer
	swept     time.Time // when saved was last swept, by opt.Now
	faults    []*Fault
	dice      *dice    // nil: no Chaos
	held      []*Event // kept back by WebhookReordered
}

// New makes a Sim. It panics when BaseURL is not an absolute URL, which is a
// mistake in the program and not in its data.
func New(opt Options) *Sim {
	base, err := url.Parse(opt.BaseURL)
	if err != nil || base.Host == "" {
		panic("stripesim: BaseURL must be absolute: " + opt.BaseURL)
	}
	opt.BaseURL = strings.TrimSuffix(opt.BaseURL, "/")
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.HTTPClient == nil {
		opt.HTTPClient = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{IdleConnTimeout: time.Minute}}
	}
	if opt.RetryPause == 0 {
		opt.RetryPause = 200 * time.Millisecond
	}
	s := &Sim{
		opt:     opt,
		prefix:  strings.TrimSuffix(base.Path, "/"),
		pages:   loadPages(),
		intents: map[string]*intent{},
		saved:   map[string]*savedAnswer{},
	}
	s.stop, s.cancel = context.WithCancel(context.Background())
	if opt.WebhookURL != "" {
		s.endpoints = []endpoint{{ID: "we_options", URL: opt.WebhookURL, Secret: opt.WebhookSecret}}
	}
	s.mux = s.routes()
	return s
}

func (s *Sim) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/checkout/sessions", s.api(OpCreateSession, s.createSession))
	mux.Handle("GET /v1/checkout/sessions", s.api(OpListSessions, s.listSessions))
	mux.Handle("GET /v1/checkout/sessions/{id}", s.api(OpGetSession, s.getSession))
	mux.Handle("POST /v1/checkout/sessions/{id}/expire", s.api(OpExpireSession, s.expireSession))
	mux.Handle("GET /v1/payment_intents/{id}", s.api(OpGetIntent, s.getIntent))
	mux.Handle("GET /v1/charges/{id}", s.api(OpGetCharge, s.getCharge))
	mux.Handle("GET /v1/disputes/{id}", s.api(OpGetDispute, s.getDispute))
	mux.Handle("POST /v1/refunds", s.api(OpCreateRefund, s.createRefund))
	mux.Handle("GET /v1/refunds", s.api(OpListRefunds, s.listRefunds))
	mux.Handle("GET /v1/refunds/{id}", s.api(OpGetRefund, s.getRefund))
	mux.Handle("GET /v1/balance_transactions", s.api(OpListBalance, s.listBalance))
	mux.Handle("GET /v1/payouts", s.api(OpListPayouts, s.listPayouts))
	mux.Handle("POST /v1/webhook_endpoints", s.api(OpCreateEndpoint, s.createEndpoint))
	mux.Handle("/v1/", s.api(OpUnknown, s.unknown))
	mux.HandleFunc("GET /pay/{id}", s.showPay)
	mux.HandleFunc("POST /pay/{id}", s.submitPay)
	mux.HandleFunc("GET /{$}", s.showControl)
	mux.HandleFunc("POST /faults", s.submitFaults)
	mux.HandleFunc("POST /refunds/{id}", s.submitRefund)
	mux.HandleFunc("POST /events/{id}", s.submitEvent)
	return mux
}

// ServeHTTP answers paths below the path of Options.BaseURL, 404 elsewhere.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	http.StripPrefix(s.prefix, s.mux).ServeHTTP(w, r)
}

// Close sends what WebhookReordered kept back, stops taking new background work,
// waits until the webhooks under way are answered or given up, and cuts retries
// and delays short when ctx ends first.
func (s *Sim) Close(ctx context.Context) error {
	s.mu.Lock()
	s.letGo()
	s.closed = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.bg.Wait(); close(done) }()
	defer s.cancel()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.cancel()
		<-done
		return ctx.Err()
	}
}

// spawn runs work in the background unless the Sim is closed. The caller holds mu,
// so that Close never waits while work is added.
func (s *Sim) spawn(work func()) {
	if !s.closed {
		s.bg.Go(work)
	}
}

// pause waits for d, or less when the Sim is told to stop; false then.
func (s *Sim) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.stop.Done():
		return false
	}
}
