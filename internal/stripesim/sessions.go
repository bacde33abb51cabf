package stripesim

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// createSession is POST /v1/checkout/sessions.
func (s *Sim) createSession(c call) (object, *apiError) {
	sess, err := s.readSession(c.form)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = append(s.sessions, sess)
	return s.sessionJSON(sess, false), nil
}

// readSession checks what Stripe would check of a session that we can ask for.
func (s *Sim) readSession(form url.Values) (*Session, *apiError) {
	if mode := form.Get("mode"); mode != "payment" {
		return nil, invalid("mode", "Invalid mode: must be payment, got '%s'", mode)
	}
	for _, field := range []string{"success_url", "cancel_url"} {
		u, err := url.Parse(form.Get(field))
		if form.Get(field) == "" && field == "cancel_url" {
			continue
		}
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, invalid(field, "Not a valid URL")
		}
	}
	if email := form.Get("customer_email"); email != "" && !strings.Contains(email, "@") {
		return nil, invalid("customer_email", "Invalid email address: %s", email)
	}
	now := s.opt.Now()
	expires, err := readExpiry(form, now)
	if err != nil {
		return nil, err
	}
	sess := &Session{
		ID: newID("cs_test_", 58), Status: "open", PaymentStatus: "unpaid", Created: now, ExpiresAt: expires,
		ClientReferenceID: form.Get("client_reference_id"), CustomerEmail: form.Get("customer_email"),
		SuccessURL: form.Get("success_url"), CancelURL: form.Get("cancel_url"),
		Metadata: metadata(form, "metadata"), IntentMetadata: metadata(form, "payment_intent_data[metadata]"),
	}
	sess.URL = s.opt.BaseURL + "/pay/" + sess.ID
	return sess, readLines(form, sess)
}

// readExpiry keeps Stripe's window: at least 30 minutes, at most 24 hours away.
// The edges get a few seconds for the request's way.
func readExpiry(form url.Values, now time.Time) (time.Time, *apiError) {
	at, given, err := integer(form, "expires_at")
	if err != nil {
		return time.Time{}, err
	}
	if !given {
		return now.Add(24 * time.Hour), nil
	}
	expires, slack := time.Unix(at, 0), 5*time.Second
	if expires.Before(now.Add(30*time.Minute - slack)) {
		return time.Time{}, invalid("expires_at", "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.")
	}
	if expires.After(now.Add(24*time.Hour + slack)) {
		return time.Time{}, invalid("expires_at", "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.")
	}
	return expires, nil
}

// readLines adds up the line items.
func readLines(form url.Values, sess *Session) *apiError {
	for i := 0; ; i++ {
		line := fmt.Sprintf("line_items[%d]", i)
		if !slices.ContainsFunc(keys(form), func(k string) bool { return strings.HasPrefix(k, line+"[") }) {
			break
		}
		code := form.Get(line + "[price_data][currency]")
		cur, known := currencyOf(code)
		if !known {
			return invalid(line+"[price_data][currency]", "Invalid currency: %s", code)
		}
		if sess.Currency != "" && sess.Currency != cur.code {
			return invalid("line_items", "All line items must have the same currency.")
		}
		name := form.Get(line + "[price_data][product_data][name]")
		if name == "" {
			return invalid(line+"[price_data][product_data][name]", "Missing required param: %s[price_data][product_data][name].", line)
		}
		unit, given, err := integer(form, line+"[price_data][unit_amount]")
		if err != nil {
			return err
		}
		if !given || unit < 0 {
			return invalid(line+"[price_data][unit_amount]", "Invalid non-negative integer")
		}
		if unit%cur.step != 0 {
			return invalid(line+"[price_data][unit_amount]", "Invalid amount: %s amounts must be divisible by %d.", cur.code, cur.step)
		}
		quantity, given, err := integer(form, line+"[quantity]")
		if err != nil {
			return err
		}
		if !given || quantity < 1 {
			return invalid(line+"[quantity]", "Quantity is required. Add `quantity` to `%s`.", line)
		}
		if i == 0 {
			sess.Description = name
		}
		sess.Currency = cur.code
		sess.AmountTotal += unit * quantity
	}
	return checkTotal(sess)
}

func checkTotal(sess *Session) *apiError {
	if sess.Currency == "" {
		return invalid("line_items", "You must specify `line_items` in payment mode.")
	}
	cur, _ := currencyOf(sess.Currency)
	if sess.AmountTotal < max(cur.min, 1) {
		err := invalid("line_items", "The Checkout Session's total amount must convert to at least %d %s.", max(cur.min, 1), cur.code)
		err.code = "amount_too_small"
		return err
	}
	return nil
}

func keys(form url.Values) []string {
	var out []string
	for k := range form {
		out = append(out, k)
	}
	return out
}

// getSession is GET /v1/checkout/sessions/{id}.
func (s *Sim) getSession(c call) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.session(c.id)
	if sess == nil {
		return nil, missing("checkout.session", c.id)
	}
	return s.sessionJSON(sess, slices.Contains(expands(c.form), "payment_intent")), nil
}

// expireSession is POST /v1/checkout/sessions/{id}/expire: it and paying exclude
// each other, because both happen under the same lock.
func (s *Sim) expireSession(c call) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.session(c.id)
	if sess == nil {
		return nil, missing("checkout.session", c.id)
	}
	if sess.Status != "open" {
		return nil, refused("", "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a status of `%s`.", sess.Status)
	}
	s.expire(sess)
	return s.sessionJSON(sess, false), nil
}

// listSessions is GET /v1/checkout/sessions.
func (s *Sim) listSessions(c call) (object, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []listed
	for _, sess := range s.sessions {
		s.age(sess)
		if pi := c.form.Get("payment_intent"); pi == "" || pi == sess.PaymentIntent {
			all = append(all, listed{sess.ID, sess.Created, func() object { return s.sessionJSON(sess, false) }})
		}
	}
	return page(c, all)
}

// session finds a session by id, its status as of now. The caller holds mu.
func (s *Sim) session(id string) *Session {
	for _, sess := range s.sessions {
		if sess.ID == id {
			s.age(sess)
			return sess
		}
	}
	return nil
}

// age ends an open session whose time is over. The caller holds mu.
func (s *Sim) age(sess *Session) {
	if sess.Status == "open" && !s.opt.Now().Before(sess.ExpiresAt) {
		s.expire(sess)
	}
}

func (s *Sim) expire(sess *Session) {
	sess.Status = "expired"
	s.emit("checkout.session.expired", s.sessionJSON(sess, false))
}

// Expire ends an open session as if its time had come. A session that is not
// open is an error and stays as it is.
func (s *Sim) Expire(sessionID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.session(sessionID)
	if sess == nil {
		return s.noSession(sessionID)
	}
	if sess.Status != "open" {
		return fmt.Errorf("stripesim: session %s is %s", sessionID, sess.Status)
	}
	s.expire(sess)
	return nil
}

// sessionJSON is the session as the API shows it. The caller holds mu.
func (s *Sim) sessionJSON(sess *Session, expandIntent bool) object {
	o := object{
		"id": sess.ID, "object": "checkout.session", "mode": "payment", "livemode": false,
		"status": sess.Status, "payment_status": sess.PaymentStatus,
		"amount_total": sess.AmountTotal, "amount_subtotal": sess.AmountTotal, "currency": sess.Currency,
		"client_reference_id": orNull(sess.ClientReferenceID), "customer_email": orNull(sess.CustomerEmail),
		"metadata": sess.copy().Metadata, "payment_intent": orNull(sess.PaymentIntent),
		"payment_method_types": []string{"card"}, "success_url": sess.SuccessURL, "cancel_url": orNull(sess.CancelURL),
		"created": sess.Created.Unix(), "expires_at": sess.ExpiresAt.Unix(), "url": nil,
	}
	if sess.Status == "open" {
		o["url"] = sess.URL
	}
	if pi := s.intents[sess.PaymentIntent]; pi != nil && expandIntent {
		o["payment_intent"] = pi.json()
	}
	return o
}
