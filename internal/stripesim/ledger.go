package stripesim

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"
)

// Session is a Checkout Session.
type Session struct {
	ID                string
	URL               string
	Status            string // open, complete, expired
	PaymentStatus     string // unpaid, paid
	PaymentIntent     string // empty before the customer first tried
	AmountTotal       int64  // Stripe's unit of Currency
	Currency          string // lower case
	Description       string // of the first line
	ClientReferenceID string
	CustomerEmail     string
	SuccessURL        string
	CancelURL         string
	Metadata          map[string]string
	IntentMetadata    map[string]string
	Created           time.Time
	ExpiresAt         time.Time
}

// Refund is money that goes back.
type Refund struct {
	ID            string
	PaymentIntent string
	Charge        string
	Amount        int64  // Stripe's unit of Currency
	Currency      string // lower case
	Status        string // pending, succeeded, failed
	FailureReason string
	Metadata      map[string]string
	Created       time.Time
}

// Request is one API call as it was received.
type Request struct {
	Op       string
	Method   string
	Path     string // without the mounted prefix
	Key      string // Idempotency-Key
	Version  string // Stripe-Version
	Form     url.Values
	At       time.Time
	Status   int  // of the answer; 0 while it is worked on and when the connection was dropped
	Replayed bool // the answer came from the idempotency store
}

// keepRequests bounds the record, which a demo would otherwise grow for ever.
const keepRequests = 20000

func (s *Sim) record(op string, r *http.Request) *Request {
	req := &Request{Op: op, Method: r.Method, Path: r.URL.Path, Key: r.Header.Get("Idempotency-Key"),
		Version: r.Header.Get("Stripe-Version"), Form: maps.Clone(r.Form), At: s.opt.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) >= keepRequests {
		s.requests = s.requests[keepRequests/2:]
	}
	s.requests = append(s.requests, req)
	return req
}

// Sessions are all sessions, oldest first.
func (s *Sim) Sessions() []Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Session
	for _, sess := range s.sessions {
		s.age(sess)
		out = append(out, sess.copy())
	}
	return out
}

// Session is one session; ok is false when there is none of that id.
func (s *Sim) Session(id string) (sess Session, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.session(id); found != nil {
		return found.copy(), true
	}
	return Session{}, false
}

func (sess *Session) copy() Session {
	out := *sess
	out.Metadata, out.IntentMetadata = maps.Clone(sess.Metadata), maps.Clone(sess.IntentMetadata)
	return out
}

// Refunds are all refunds, oldest first.
func (s *Sim) Refunds() []Refund {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Refund
	for _, r := range s.refunds {
		c := *r
		c.Metadata = maps.Clone(r.Metadata)
		out = append(out, c)
	}
	return out
}

// Requests are the API calls received, oldest first.
func (s *Sim) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Request
	for _, r := range s.requests {
		out = append(out, *r)
	}
	return out
}

// Paid says how much was taken for a payment intent and how much of it is back or
// on its way back, in Stripe's unit. Unknown intents are 0, 0.
func (s *Sim) Paid(paymentIntent string) (taken, refunded int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pi := s.intents[paymentIntent]; pi != nil {
		taken = pi.received
	}
	return taken, s.refunded(paymentIntent)
}

// LedgerLine is the money of one payment, in Stripe's unit of Currency.
type LedgerLine struct {
	PaymentIntent string
	SessionID     string
	Taken         int64
	Refunded      int64 // back or on its way back; refunds that failed are not
	Currency      string
	Metadata      map[string]string // of the payment intent
	Created       time.Time         // of the session
}

// Ledger has a line for each payment that took money, in the order of their
// sessions, all as of one moment.
func (s *Sim) Ledger() []LedgerLine {
	s.mu.Lock()
	defer s.mu.Unlock()
	back := map[string]int64{}
	for _, r := range s.refunds {
		if r.Status != "failed" {
			back[r.PaymentIntent] += r.Amount
		}
	}
	var out []LedgerLine
	for _, sess := range s.sessions {
		pi := s.intents[sess.PaymentIntent]
		if pi == nil || pi.received == 0 {
			continue
		}
		out = append(out, LedgerLine{PaymentIntent: pi.id, SessionID: sess.ID, Taken: pi.received, Refunded: back[pi.id],
			Currency: pi.currency, Metadata: maps.Clone(pi.metadata), Created: sess.Created})
	}
	return out
}

// newID is a random id of the provider's shape.
func newID(prefix string, n int) string {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv" // 58, near enough
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return prefix + string(b)
}

func (s *Sim) noSession(id string) error { return fmt.Errorf("stripesim: no session %q", id) }
