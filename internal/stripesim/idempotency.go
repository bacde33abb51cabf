package stripesim

import (
	"maps"
	"net/http"
	"time"
)

// savedAnswer is what the store keeps for one idempotency key.
type savedAnswer struct {
	request string // method, path and sorted form: what the key stands for
	made    time.Time
	done    bool
	answer  answer
}

// keyLife is how long Stripe keeps a key at least; afterwards it is a new one.
const keyLife = 24 * time.Hour

// once runs act for a request, at most once per idempotency key: the same key and
// parameters get the saved answer, other parameters are refused with 400, and a
// key that is being worked on is refused with 409. Answers of refused parameters
// are not kept, because nothing was started.
func (s *Sim) once(r *http.Request, act func() answer) answer {
	key := r.Header.Get("Idempotency-Key")
	if r.Method != http.MethodPost || key == "" {
		return act()
	}
	entry, a := s.beginKey(key, r.Method+" "+r.URL.Path+"?"+r.Form.Encode())
	if entry == nil {
		return a
	}
	a = act()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !a.unsaved {
		entry.done, entry.answer = true, a
	} else if s.saved[key] == entry {
		delete(s.saved, key)
	}
	return a
}

// beginKey takes a key for a request. A nil entry means that the answer is
// already known.
func (s *Sim) beginKey(key, request string) (*savedAnswer, answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opt.Now()
	s.sweepKeys(now)
	old := s.saved[key]
	switch {
	case old == nil || now.Sub(old.made) >= keyLife:
		entry := &savedAnswer{request: request, made: now}
		s.saved[key] = entry
		return entry, answer{}
	case old.request != request:
		return nil, toAnswer(nil, &apiError{status: 400, kind: "idempotency_error",
			message: "Keys for idempotent requests can only be used with the same parameters they were first used with. " +
				"Try using a key other than '" + key + "' if you meant to execute a different request."})
	case !old.done:
		return nil, toAnswer(nil, &apiError{status: 409, kind: "idempotency_error", code: "idempotency_key_in_use",
			message: "There is currently another in-progress request using this Idempotent Key: " + key})
	default:
		a := old.answer
		a.replayed = true
		return nil, a
	}
}

// sweepKeys forgets, once an hour, the keys whose day is over. The caller holds mu.
func (s *Sim) sweepKeys(now time.Time) {
	if now.Sub(s.swept) < time.Hour {
		return
	}
	s.swept = now
	maps.DeleteFunc(s.saved, func(_ string, a *savedAnswer) bool { return now.Sub(a.made) >= keyLife })
}

// SavedKeys is how many idempotency keys the store has answers for.
func (s *Sim) SavedKeys() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.saved)
}
