package stripesim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Operation names, as Fault.Op and Request.Op use them.
const (
	OpCreateSession  = "create_session"
	OpGetSession     = "get_session"
	OpListSessions   = "list_sessions"
	OpExpireSession  = "expire_session"
	OpGetIntent      = "get_payment_intent"
	OpGetCharge      = "get_charge"
	OpGetDispute     = "get_dispute"
	OpCreateRefund   = "create_refund"
	OpListRefunds    = "list_refunds"
	OpGetRefund      = "get_refund"
	OpListBalance    = "list_balance_transactions"
	OpListPayouts    = "list_payouts"
	OpCreateEndpoint = "create_webhook_endpoint"
	OpUnknown        = "unknown"
)

// object is a Stripe-shaped JSON object.
type object = map[string]any

// call is one decoded API request.
type call struct {
	id   string // from the path, "" for collections
	form url.Values
	path string
}

// apiError is a refusal in Stripe's shape.
type apiError struct {
	status      int
	kind        string // Stripe's error type
	code        string
	param       string
	message     string
	declineCode string
	// early: refused before anything was executed, so the idempotency store does
	// not keep the answer and the same key may be used again.
	early bool
}

func (e *apiError) Error() string { return e.message }

func (e *apiError) body() object {
	in := object{"type": e.kind, "message": e.message}
	for k, v := range map[string]string{"code": e.code, "param": e.param, "decline_code": e.declineCode} {
		if v != "" {
			in[k] = v
		}
	}
	return object{"error": in}
}

// invalid refuses parameters, as Stripe does before it starts any work.
func invalid(param, format string, args ...any) *apiError {
	return &apiError{status: 400, kind: "invalid_request_error", param: param, message: fmt.Sprintf(format, args...), early: true}
}

// refused is a no that depends on the state of things.
func refused(code, format string, args ...any) *apiError {
	return &apiError{status: 400, kind: "invalid_request_error", code: code, message: fmt.Sprintf(format, args...)}
}

func missing(what, id string) *apiError {
	return &apiError{status: 404, kind: "invalid_request_error", code: "resource_missing", param: "id",
		message: fmt.Sprintf("No such %s: '%s'", what, id)}
}

// answer is a finished HTTP answer.
type answer struct {
	status   int
	body     []byte
	replayed bool
	unsaved  bool // the idempotency store does not keep it
}

func toAnswer(v object, err *apiError) answer {
	status := http.StatusOK
	if err != nil {
		status, v = err.status, err.body()
	}
	body, _ := json.MarshalIndent(v, "", "  ") // maps of plain values always marshal
	return answer{status: status, body: body, unsaved: err != nil && err.early}
}

func (a answer) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", newID("req_", 14))
	if a.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// api wraps an operation with what every API call has: form, key, record,
// faults and the idempotency store, in the order in which the real one has them.
func (s *Sim) api(op string, act func(call) (object, *apiError)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
		if err := r.ParseForm(); err != nil {
			toAnswer(nil, invalid("", "Invalid form: %v", err)).write(w)
			return
		}
		if err := s.checkKey(r.Header.Get("Authorization")); err != nil {
			toAnswer(nil, err).write(w)
			return
		}
		req := s.record(op, r)
		hit := s.takeFaults(op)
		if req.Key != "" {
			w.Header().Set("Idempotency-Key", req.Key)
		}
		if a, broken := hit.before(); broken {
			s.finish(req, w, a)
			return
		}
		c := call{id: r.PathValue("id"), form: r.Form, path: r.URL.Path}
		a := s.once(r, func() answer {
			if hit.slow > 0 {
				s.pause(hit.slow)
			}
			done := toAnswer(act(c))
			if hit.failSaved {
				return toAnswer(nil, brokenInside())
			}
			return done
		})
		if after, broken := hit.after(); broken {
			a = after
		}
		s.finish(req, w, a)
	})
}

// finish notes the answer in the request's record and sends it; status 0 means
// the connection is dropped instead.
func (s *Sim) finish(req *Request, w http.ResponseWriter, a answer) {
	s.mu.Lock()
	req.Status, req.Replayed = a.status, a.replayed
	s.mu.Unlock()
	if a.status == 0 {
		dropConnection(w)
		return
	}
	a.write(w)
}

func (s *Sim) checkKey(authorization string) *apiError {
	unauthorized := func(message string) *apiError {
		return &apiError{status: 401, kind: "invalid_request_error", message: message, early: true}
	}
	key, ok := strings.CutPrefix(authorization, "Bearer ")
	if !ok || strings.TrimSpace(key) == "" {
		return unauthorized("You did not provide an API key. Send it as 'Authorization: Bearer YOUR_SECRET_KEY'.")
	}
	if s.opt.Key != "" && key != s.opt.Key {
		return unauthorized("Invalid API Key provided.")
	}
	return nil
}

func (s *Sim) unknown(c call) (object, *apiError) {
	return nil, &apiError{status: 404, kind: "invalid_request_error", message: "Unrecognized request URL (" + c.path + ").", early: true}
}

// metadata collects prefix[key]=value fields.
func metadata(form url.Values, prefix string) map[string]string {
	out := map[string]string{}
	for k := range form {
		if rest, ok := strings.CutPrefix(k, prefix+"["); ok {
			if name, ok := strings.CutSuffix(rest, "]"); ok && !strings.Contains(name, "[") {
				out[name] = form.Get(k)
			}
		}
	}
	return out
}

// integer reads a whole number; a missing field is 0 and absent.
func integer(form url.Values, field string) (n int64, present bool, err *apiError) {
	text := form.Get(field)
	if text == "" {
		return 0, false, nil
	}
	n, perr := strconv.ParseInt(text, 10, 64)
	if perr != nil {
		return 0, false, invalid(field, "Invalid integer: %s", text)
	}
	return n, true, nil
}

// orNull is a string that Stripe answers as null when it is empty.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
