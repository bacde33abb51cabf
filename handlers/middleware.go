package handlers

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

type traceKey struct{}

// trace is what the log knows of a request.
type trace struct {
	id, route, newVisitor string
	place                 *pass // behind the gate, nil without one
}

func traceOf(r *http.Request) *trace {
	if t, ok := r.Context().Value(traceKey{}).(*trace); ok {
		return t
	}
	return &trace{}
}

func requestID(r *http.Request) string { return traceOf(r).id }

// answered remembers what was written, for the log and for panics.
type answered struct {
	http.ResponseWriter
	status, bytes int
}

func (a *answered) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answered) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(b)
	a.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the real writer.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// outermost gives each request its number, its deadline and its one line in the log,
// and turns a panic into the 500 page. The log has routes, never paths: a path may
// carry a booking's token.
func (s *site) outermost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		x := &exchange{Context: r.Context(), answered: answered{ResponseWriter: w}}
		t, a := &x.trace, &x.answered
		t.id = newRequestID()
		x.ids[0] = t.id
		w.Header()["X-Request-Id"] = x.ids[:]
		ctx, cancel := context.WithTimeout(x, timeFor(r))
		defer cancel()
		r = r.WithContext(ctx)
		defer func() {
			if p := recover(); p != nil {
				s.Log.Error("panic", "request", t.id, "panic", p, "stack", string(debug.Stack()))
				if a.status == 0 {
					s.fail(a, r, errors.New("panic"))
				}
			}
			if t.route == "" {
				t.route = r.Pattern
			}
			s.Metrics.Served(t.route, a.status, time.Since(began))
			s.Log.LogAttrs(ctx, slog.LevelInfo, "request", slog.String("request", t.id), slog.String("method", r.Method),
				slog.String("route", t.route), slog.Int("status", a.status), slog.Int("bytes", a.bytes),
				slog.Int64("ms", time.Since(began).Milliseconds()))
		}()
		next.ServeHTTP(a, r)
	})
}

// exchange is what one request has from its beginning to its end, in one piece: thousands
// of them a second are made.
type exchange struct {
	context.Context // the request's own
	trace           trace
	answered        answered
	ids             [1]string // the header's value
}

// Value adds the trace to what the request's context knows.
func (x *exchange) Value(key any) any {
	if key == (traceKey{}) {
		return &x.trace
	}
	return x.Context.Value(key)
}

// newRequestID tells requests apart in the log. It keeps no secret, so it need not be one.
func newRequestID() string {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], rand.Uint64())
	var text [12]byte
	hex.Encode(text[:], b[:6])
	return string(text[:])
}

// timeFor is the longest a request may take.
func timeFor(r *http.Request) time.Duration {
	switch {
	case r.Method == http.MethodPost && roomFor(r.URL.Path) > formBytes:
		return uploadTime
	case profiles(r):
		return profileTime + profileRoom
	}
	return requestTime
}

// requestTime is the longest a page may work; the server's write timeout is longer.
const requestTime = 20 * time.Second

// uploadTime is as much for a form with a file: 12 MB take 100 s on a line of 1 Mbit/s.
const uploadTime = 2 * time.Minute

// takeTime lets somebody who may send a file take the time for it.
func takeTime(w http.ResponseWriter) {
	c, now := http.NewResponseController(w), time.Now()
	_ = c.SetReadDeadline(now.Add(uploadTime - 10*time.Second)) // a writer that cannot has no deadline either
	_ = c.SetWriteDeadline(now.Add(uploadTime))
}

// secureHeaders keep a page to itself.
func (s *site) secureHeaders() http.Header {
	forms := "form-action 'self' https://checkout.stripe.com"
	if s.StripeOrigin != "" {
		forms += " " + s.StripeOrigin
	}
	h := http.Header{}
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "+
		forms+"; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("Permissions-Policy", "camera=(self), microphone=(), geolocation=(), payment=()")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if strings.HasPrefix(s.BaseURL, "https://") {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	return h
}

// secure sets secureHeaders on every answer.
func (s *site) secure(next http.Handler) http.Handler {
	headers := s.secureHeaders()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), headers)
		next.ServeHTTP(w, r)
	})
}

// limit cuts bodies: forms are small.
func limit(bytes int64, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, bytes)
		next.ServeHTTP(w, r)
	})
}

// clientAddress is the visitor's address as far as we may believe it: the last hop
// that is not one of our own proxies.
func (s *site) clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if s.ProxyHops == 0 {
		return host
	}
	var hops []string
	for _, line := range r.Header.Values("X-Forwarded-For") {
		for part := range strings.SplitSeq(line, ",") {
			hops = append(hops, strings.TrimSpace(part))
		}
	}
	if i := len(hops) - s.ProxyHops; i >= 0 && i < len(hops) {
		return hops[i]
	}
	return host
}
