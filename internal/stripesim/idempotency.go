package stripesim

import (
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
	if a.unsaved {
		delete(s.saved, key)
	} else {
		entry.done, entry.answer = true, a
	}
	return a
}

// beginKey takes a key for a request. A nil entry means that the answer is
// already known.
func (s *Sim) beginKey(key, request string) (*savedAnswer, answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.saved[key]
	switch {
	case old == nil || s.opt.Now().Sub(old.made) >= keyLife:
		entry := &savedAnswer{request: request, made: s.opt.Now()}
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
