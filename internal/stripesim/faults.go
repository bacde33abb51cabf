package stripesim

import (
	"net/http"
	"slices"
	"time"
)

// Kind names what goes wrong.
type Kind string

// Failures of the API. "Before" means nothing was done, "after" that it was done
// and only the answer is lost.
const (
	Slow       Kind = "slow"        // wait Fault.Delay, then do it
	FailBefore Kind = "fail_before" // 500, nothing done
	FailAfter  Kind = "fail_after"  // done, then 500; the same key later gets the real answer
	FailSaved  Kind = "fail_saved"  // done, and 500 is what the key answers for 24 h
	RateLimit  Kind = "rate_limit"  // 429, nothing done
	DropBefore Kind = "drop_before" // connection closed, nothing done
	DropAfter  Kind = "drop_after"  // done, connection closed without an answer
	// NetworkDown drops every API connection and every webhook.
	NetworkDown Kind = "network_down"
)

// Failures of webhooks; Fault.Op limits them to one event type.
const (
	WebhookLost    Kind = "webhook_lost"    // never sent, only Resend brings it
	WebhookCopies  Kind = "webhook_copies"  // sent Fault.Copies times, at once
	WebhookLate    Kind = "webhook_late"    // sent after Fault.Delay
	WebhookVersion Kind = "webhook_version" // api_version is Fault.Version; "" leaves it out
	// WebhookReordered keeps an event back until the next one was sent (its first
	// try is over), until a set of switches without this kind, or until Close.
	WebhookReordered Kind = "webhook_reordered"
)

// Failures of refunds.
const (
	RefundPending    Kind = "refund_pending"     // stays pending until FinishRefund
	RefundFailsLater Kind = "refund_fails_later" // succeeds, and fails Fault.Delay later
	RefundRefused    Kind = "refund_refused"     // 402, the balance does not cover it
)

// Fault is one switch that is on.
type Fault struct {
	Kind Kind
	// Op limits an API failure to one operation (OpCreateSession, …) and a webhook
	// failure to one event type. Empty is all.
	Op string
	// Times is how many calls it still meets; 0 is every call until it is removed.
	// HTTP clients may repeat a call by themselves on a dropped connection, and
	// every repetition counts.
	Times   int
	Delay   time.Duration // Slow, WebhookLate, RefundFailsLater
	Copies  int           // WebhookCopies
	Version string        // WebhookVersion
}

// Faults is a set of switches.
type Faults []Fault

// SetFaults replaces all switches; no argument values means all is well again.
func (s *Sim) SetFaults(set Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
	reordered := false
	for _, f := range set {
		s.faults = append(s.faults, &f)
		reordered = reordered || f.Kind == WebhookReordered
	}
	if !reordered {
		s.letGo()
	}
}

// Faults are the switches that are on now, with what is left of their Times.
func (s *Sim) Faults() Faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out Faults
	for _, f := range s.faults {
		out = append(out, *f)
	}
	return out
}

// take finds a switch of that kind for op and counts it down. The caller holds mu.
func (s *Sim) take(kind Kind, op string) (Fault, bool) {
	for i, f := range s.faults {
		if f.Kind != kind || f.Op != "" && f.Op != op {
			continue
		}
		hit := *f
		if f.Times == 1 {
			s.faults = slices.Delete(s.faults, i, i+1)
		} else if f.Times > 1 {
			f.Times--
		}
		return hit, true
	}
	return Fault{}, false
}

// apiFaults are the switches that one API call met.
type apiFaults struct {
	slow                              time.Duration
	dropBefore, rateLimit, failBefore bool
	failSaved, failAfter, dropAfter   bool
}

// takeFaults takes at most one failure per call, so that "the next N calls" adds
// up; slowness comes on top. Calls that meet none have the luck of the dice.
func (s *Sim) takeFaults(op string) (hit apiFaults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	luck := s.dice.call() // thrown for every call, so that switches do not shift the next
	if f, on := s.take(Slow, op); on {
		hit.slow = f.Delay
	}
	for _, k := range []struct {
		kind Kind
		set  *bool
	}{
		{NetworkDown, &hit.dropBefore}, {DropBefore, &hit.dropBefore}, {RateLimit, &hit.rateLimit}, {FailBefore, &hit.failBefore},
		{FailSaved, &hit.failSaved}, {FailAfter, &hit.failAfter}, {DropAfter, &hit.dropAfter},
	} {
		if _, on := s.take(k.kind, op); on {
			*k.set = true
			return hit
		}
	}
	if hit.slow == 0 {
		return luck
	}
	return hit
}

// before is the failure that keeps the operation from starting.
func (f apiFaults) before() (answer, bool) {
	switch {
	case f.dropBefore:
		return answer{}, true
	case f.rateLimit:
		return toAnswer(nil, &apiError{status: 429, kind: "invalid_request_error", code: "rate_limit", message: "Request rate limit exceeded."}), true
	case f.failBefore:
		return toAnswer(nil, brokenInside()), true
	}
	return answer{}, false
}

// after is the failure that hides what was done.
func (f apiFaults) after() (answer, bool) {
	switch {
	case f.failAfter:
		return toAnswer(nil, brokenInside()), true
	case f.dropAfter:
		return answer{}, true
	}
	return answer{}, false
}

func brokenInside() *apiError {
	return &apiError{status: 500, kind: "api_error", message: "An unknown error occurred."}
}

// dropConnection ends the connection without an answer.
func dropConnection(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
		return
	}
	panic(http.ErrAbortHandler) // net/http's own way to say the same
}
