package stripesim

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Event is a webhook event and what became of it.
type Event struct {
	ID      string
	Type    string
	Object  string // id of data.object
	Payload []byte // the body as it is signed and sent
	Created time.Time
	Lost    bool // a fault kept it from being sent
	Sends   []Send
}

// Send is one try to deliver an event.
type Send struct {
	URL    string
	Status int    // of the answer, 0 when there was none
	Err    string // why there was none
	At     time.Time
}

// Taken says whether some receiver answered 2xx.
func (e Event) Taken() bool {
	return slices.ContainsFunc(e.Sends, func(s Send) bool { return s.Status/100 == 2 })
}

type endpoint struct {
	ID, URL, Secret string
	Types           []string // empty or "*": all
}

func (e endpoint) wants(kind string) bool {
	return len(e.Types) == 0 || slices.Contains(e.Types, "*") || slices.Contains(e.Types, kind)
}

const (
	defaultVersion = "2023-10-16"
	sendTries      = 5
)

// Signature is the Stripe-Signature header for a body.
func Signature(payload []byte, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at.Unix(), payload) // a hash never fails
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// Sign is the Stripe-Signature header for a body, with the secret of the options
// and the time of now.
func (s *Sim) Sign(payload []byte) string {
	return Signature(payload, s.opt.WebhookSecret, time.Now())
}

// Events are all events, oldest first.
func (s *Sim) Events() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Event
	for _, e := range s.events {
		c := *e
		c.Sends = slices.Clone(e.Sends)
		out = append(out, c)
	}
	return out
}

// Resend sends an event again, lost or not, as the button in Stripe's pages does.
func (s *Sim) Resend(eventID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if e.ID == eventID {
			s.send(e, 0)
			return nil
		}
	}
	return fmt.Errorf("stripesim: no event %q", eventID)
}

// emit writes an event down and sends it in the background. The caller holds mu.
func (s *Sim) emit(kind string, data object) {
	e := &Event{ID: newID("evt_", 24), Type: kind, Object: fmt.Sprint(data["id"]), Created: s.opt.Now()}
	body := object{
		"id": e.ID, "object": "event", "type": kind, "api_version": defaultVersion, "livemode": false,
		"created": e.Created.Unix(), "pending_webhooks": 1, "data": object{"object": data},
	}
	if f, on := s.take(WebhookVersion, kind); on {
		body["api_version"] = f.Version
		if f.Version == "" {
			delete(body, "api_version")
		}
	}
	e.Payload, _ = json.Marshal(body) // maps of plain values always marshal
	s.events = append(s.events, e)

	f := s.fateOf(kind)
	e.Lost = f.lost
	switch {
	case f.lost:
		return
	case f.held:
		s.held = append(s.held, e)
		return
	}
	held := s.held
	s.held = nil
	s.send(e, f.delay, held...)
	for range f.copies - 1 {
		s.send(e, f.delay)
	}
}

// fateOf is what the switches, or else the dice, do to an event of that type. The
// caller holds mu.
func (s *Sim) fateOf(kind string) fate {
	luck := s.dice.event() // thrown for every event, so that switches do not shift the next
	if _, on := s.take(WebhookLost, kind); on {
		return fate{lost: true}
	}
	if len(s.held) == 0 {
		if _, on := s.take(WebhookReordered, kind); on {
			return fate{held: true}
		}
	}
	late, isLate := s.take(WebhookLate, kind)
	many, isMany := s.take(WebhookCopies, kind)
	if !isLate && !isMany {
		return luck
	}
	return fate{delay: late.Delay, copies: max(many.Copies, 1)}
}

// letGo sends what is kept back. The caller holds mu.
func (s *Sim) letGo() {
	for _, e := range s.held {
		s.send(e, 0)
	}
	s.held = nil
}

// send delivers an event to every endpoint that wants it, and then the events
// that it overtakes. The caller holds mu.
func (s *Sim) send(e *Event, delay time.Duration, then ...*Event) {
	for _, to := range s.endpoints {
		rest := slices.DeleteFunc(slices.Clone(then), func(h *Event) bool { return !to.wants(h.Type) })
		if to.wants(e.Type) {
			s.spawn(func() { s.deliver(e, to, delay, rest) })
			continue
		}
		for _, h := range rest {
			s.spawn(func() { s.deliver(h, to, 0, nil) })
		}
	}
}

// deliver tries until the receiver answers 2xx or the tries are used up. After
// the first try the events in then go their own way.
func (s *Sim) deliver(e *Event, to endpoint, delay time.Duration, then []*Event) {
	if delay > 0 && !s.pause(delay) {
		return
	}
	wait := s.opt.RetryPause
	for try := range sendTries {
		if try > 0 && !s.pause(wait) {
			return
		}
		if try > 0 {
			wait *= 2
		}
		got := s.post(e, to)
		s.mu.Lock()
		e.Sends = append(e.Sends, got)
		s.mu.Unlock()
		for _, h := range then {
			s.bg.Go(func() { s.deliver(h, to, 0, nil) }) // not spawn: Close waits for them too
		}
		then = nil
		if got.Status/100 == 2 {
			return
		}
	}
	s.opt.Log.Warn("webhook given up", "event", e.ID, "type", e.Type, "url", to.URL)
}

func (s *Sim) post(e *Event, to endpoint) Send {
	out := Send{URL: to.URL, At: time.Now()}
	s.mu.Lock()
	_, down := s.take(NetworkDown, e.Type)
	s.mu.Unlock()
	if down {
		out.Err = "network is down"
		return out
	}
	req, err := http.NewRequestWithContext(s.stop, http.MethodPost, to.URL, bytes.NewReader(e.Payload))
	if err != nil {
		out.Err = err.Error()
		return out
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "Stripe/1.0 (look-alike)")
	req.Header.Set("Stripe-Signature", Signature(e.Payload, to.Secret, time.Now()))
	resp, err := s.opt.HTTPClient.Do(req)
	if err != nil {
		out.Err = err.Error()
		return out
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20)) // so that the connection can be used again
	out.Status = resp.StatusCode
	return out
}

// createEndpoint is POST /v1/webhook_endpoints: one more receiver with a secret
// of its own, which is in the answer.
func (s *Sim) createEndpoint(c call) (object, *apiError) {
	e := endpoint{ID: newID("we_", 24), URL: c.form.Get("url"), Secret: newID("whsec_", 32)}
	for _, field := range slices.Sorted(maps.Keys(c.form)) {
		if len(field) > 15 && field[:15] == "enabled_events[" {
			e.Types = append(e.Types, c.form[field]...)
		}
	}
	if e.URL == "" {
		return nil, invalid("url", "Missing required param: url.")
	}
	if u, err := url.Parse(e.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, invalid("url", "Invalid URL: An explicit scheme (such as https) must be provided.")
	}
	if len(e.Types) == 0 {
		return nil, invalid("enabled_events", "Missing required param: enabled_events.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endpoints = append(s.endpoints, e)
	return object{"id": e.ID, "object": "webhook_endpoint", "url": e.URL, "secret": e.Secret, "status": "enabled",
		"livemode": false, "enabled_events": e.Types, "created": s.opt.Now().Unix()}, nil
}
