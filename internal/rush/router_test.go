package rush

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// lost marks the router's own answer: the process it chose died.
const lost = "X-Router-Lost"

// router is a platform's: every request goes to the next process, whoever sends it. It
// asks another one only when a process takes no connection; what was sent is not repeated.
type router struct {
	backends []string // host:port
	turn     atomic.Uint64
	wire     *http.Transport
}

// startRouter takes the place of the shop's address; backends are known later.
func startRouter(t *testing.T) (*router, string) {
	t.Helper()
	x := &router{wire: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true, IdleConnTimeout: 30 * time.Second}}
	srv := httptest.NewServer(&httputil.ReverseProxy{
		Transport: x, Rewrite: x.rewrite,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.Header().Set(lost, "1")
			http.Error(w, "Application error. Please try again.", http.StatusBadGateway)
		},
	})
	t.Cleanup(srv.Close)
	return x, srv.URL
}

func (x *router) rewrite(p *httputil.ProxyRequest) {
	p.SetXForwarded()
	p.Out.URL.Scheme, p.Out.Host = "http", p.In.Host
}

// RoundTrip keeps the body, so that it can be offered to a second process.
func (x *router) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	var err error
	for range x.backends {
		out := r.Clone(r.Context())
		out.URL = &url.URL{Scheme: "http", Host: x.backends[x.turn.Add(1)%uint64(len(x.backends))], Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
		if body != nil {
			out.Body = io.NopCloser(bytes.NewReader(body))
		}
		var res *http.Response
		if res, err = x.wire.RoundTrip(out); err == nil {
			return res, nil
		}
		var op *net.OpError
		if !errors.As(err, &op) || op.Op != "dial" {
			return nil, err
		}
	}
	return nil, err
}
