package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/stripesim"
)

const (
	testKey    = "sk_test_holdfast"
	testSecret = "whsec_holdfast_test_0123456789abcdef"
)

// world is the whole program on a scratch database, with a look-alike of Stripe of its
// own that the test steers.
type world struct {
	t   *testing.T
	URL string // of the shop, no slash at the end
	DB  *db.DB // the same database
	Sim *stripesim.Sim

	databaseURL, simURL string
	env                 map[string]string
	stop                func() error // waits for run to return
	logs                *syncBuffer
}

// newWorld starts the program after prepare has filled the database. env adds to or
// changes the environment; an empty value unsets.
func newWorld(t *testing.T, prepare func(*db.DB), env map[string]string) *world {
	t.Helper()
	w := &world{t: t, databaseURL: dbtest.URL(t), logs: &syncBuffer{}}
	w.DB = dbtest.Open(t, w.databaseURL, 8)
	if prepare != nil {
		prepare(w.DB)
	}
	port := freePort(t)
	w.URL = fmt.Sprintf("http://127.0.0.1:%d", port)
	srv := httptest.NewUnstartedServer(nil)
	w.simURL = "http://" + srv.Listener.Addr().String()
	w.Sim = stripesim.New(stripesim.Options{BaseURL: w.simURL, WebhookURL: w.URL + "/hooks/stripe", WebhookSecret: testSecret, RetryPause: 50 * time.Millisecond})
	srv.Config.Handler = w.Sim
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = w.Sim.Close(ctx)
	})
	w.env = map[string]string{
		"DATABASE_URL": w.databaseURL, "BASE_URL": w.URL, "PORT": fmt.Sprint(port), "APP_SECRET": strings.Repeat("s", 40), "SETUP_TOKEN": "setup",
		"STRIPE_SECRET_KEY": testKey, "STRIPE_WEBHOOK_SECRETS": "whsec_another," + testSecret, "STRIPE_API_URL": w.simURL,
	}
	for k, v := range env {
		w.env[k] = v
	}
	w.start()
	return w
}

// start runs the program until the test or stop ends it.
func (w *world) start() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"serve"}, func(k string) string { return w.env[k] }, io.Discard, w.logs)
	}()
	w.stop = sync.OnceValue(func() error { cancel(); return <-ended })
	w.t.Cleanup(func() {
		if err := w.stop(); err != nil {
			w.t.Errorf("the program ended with: %v", err)
		}
		if w.t.Failed() {
			w.t.Logf("log of the program:\n%s", w.logs.tail(6000))
		}
	})
	deadline := time.Now().Add(30 * time.Second)
	for {
		res, err := http.Get(w.URL + "/readyz")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case err := <-ended:
			ended <- err
			w.t.Fatalf("the program did not start: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the program is not ready after 30 s: %v\n%s", err, w.logs.tail(4000))
		}
		time.Sleep(20 * time.Millisecond) // polling another goroutine's start, not waiting for time
	}
}

// exec changes the database behind the program's back, to move its time.
func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.DB.Pool().Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatalf("%v\n%s", err, sql)
	}
}

// one reads a single value.
func one[T any](w *world, sql string, args ...any) T {
	w.t.Helper()
	var v T
	if err := w.DB.Pool().QueryRow(w.t.Context(), sql, args...).Scan(&v); err != nil {
		w.t.Fatalf("%v\n%s", err, sql)
	}
	return v
}

// eventually waits until a query says true: work of jobs in the background.
func (w *world) eventually(what, sql string, args ...any) {
	w.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !one[bool](w, sql, args...) {
		if time.Now().After(deadline) {
			w.t.Fatalf("not in 20 s: %s", what)
		}
		time.Sleep(30 * time.Millisecond) // polling the database, not waiting for time
	}
}

// clean runs the audit: every invariant must hold.
func (w *world) clean() {
	w.t.Helper()
	found, checks, err := w.DB.Audit(w.t.Context())
	if err != nil || checks == 0 {
		w.t.Fatalf("audit: %v after %d checks", err, checks)
	}
	for _, f := range found {
		w.t.Errorf("audit: %s", f)
	}
}

// freePort gives every caller another port, below those that the system hands out to
// connections: what is free now stays free until the program takes it.
func freePort(t *testing.T) int {
	t.Helper()
	for range 500 {
		port := 15000 + (os.Getpid()*61+int(lastPort.Add(1)))%5000
		// As the program listens: on every address.
		if l, err := net.Listen("tcp", fmt.Sprintf(":%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port among 500")
	return 0
}

var lastPort atomic.Int64

// syncBuffer keeps the program's log for a failed test.
type syncBuffer struct {
	mu sync.Mutex
	b  []byte
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = append(s.b, p...)
	return len(p), nil
}

func (s *syncBuffer) tail(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.b[max(0, len(s.b)-n):])
}

func itoa(n int64) string { return fmt.Sprint(n) }
