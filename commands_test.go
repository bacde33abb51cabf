package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// command runs one command of the program and returns what it printed.
func command(t *testing.T, env map[string]string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	err = run(t.Context(), args, func(k string) string { return env[k] }, &out, &errs)
	return out.String(), errs.String(), err
}

func exits(err error) int {
	var code exitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	return 1
}

func TestCommandsThatSayNo(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	for _, c := range []struct {
		name string
		env  map[string]string
		args []string
		code int
		says []string
	}{
		{"nothing", nil, nil, 2, []string{"usage: holdfast"}},
		{"unknown command", nil, []string{"dance"}, 2, []string{`no command "dance"`}},
		{"serve without anything", nil, []string{"serve"}, 1, []string{"DATABASE_URL", "BASE_URL", "APP_SECRET"}},
		{"serve with a short secret", map[string]string{"DATABASE_URL": url, "BASE_URL": "ftp://x", "APP_SECRET": "short", "PORT": "99999"}, []string{"serve"}, 1,
			[]string{"BASE_URL", "APP_SECRET", "PORT"}},
		{"no owner, no token", map[string]string{"DATABASE_URL": url, "BASE_URL": "http://127.0.0.1", "APP_SECRET": strings.Repeat("x", 32), "PORT": fmt.Sprint(freePort(t))}, []string{"serve"}, 1,
			[]string{"SETUP_TOKEN"}},
		{"migrate without a database", nil, []string{"migrate"}, 1, []string{"DATABASE_URL"}},
		{"database not there", map[string]string{"DATABASE_URL": "postgres://127.0.0.1:1/none"}, []string{"settings", "get"}, 1, []string{"unavailable"}},
		{"unknown setting", map[string]string{"DATABASE_URL": url}, []string{"settings", "set", "colour", "blue"}, 1, []string{"currency", "hold_window_minutes"}},
		{"bad value", map[string]string{"DATABASE_URL": url}, []string{"settings", "set", "seats_per_booking", "many"}, 1, []string{"seats_per_booking", "1 to 100"}},
		{"settings alone", map[string]string{"DATABASE_URL": url}, []string{"settings"}, 2, []string{"usage"}},
		{"demo alone", map[string]string{"DATABASE_URL": url}, []string{"demo"}, 2, []string{"usage"}},
		{"audit without a database", map[string]string{"DATABASE_URL": "postgres://127.0.0.1:1/none"}, []string{"audit"}, 2, []string{"could not look"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, errs, err := command(t, c.env, c.args...)
			if got := exits(err); got != c.code {
				t.Errorf("exit %d, want %d: %v", got, c.code, err)
			}
			all := out + errs
			if err != nil {
				all += err.Error()
			}
			for _, w := range c.says {
				if !strings.Contains(all, w) {
					t.Errorf("does not say %q:\n%s", w, all)
				}
			}
		})
	}
}

func TestSettingsAndVersion(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": dbtest.URL(t)}
	if out, _, err := command(t, env, "settings", "set", "hold_window_minutes", "20"); err != nil || out != "hold_window_minutes=20\n" {
		t.Errorf("set: %q, %v", out, err)
	}
	if out, _, err := command(t, env, "settings", "get", "hold_window_minutes"); err != nil || out != "20\n" {
		t.Errorf("get: %q, %v", out, err)
	}
	if out, _, err := command(t, env, "settings", "get"); err != nil || !strings.Contains(out, "currency=EUR") {
		t.Errorf("get all: %q, %v", out, err)
	}
	if out, _, err := command(t, nil, "version"); err != nil || !strings.HasPrefix(out, "holdfast ") {
		t.Errorf("version: %q, %v", out, err)
	}
}

// D2: upgrade twice, by two processes at once: applied once.
func TestD2_MigrateTwiceAtOnce(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": dbtest.EmptyURL(t)}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if _, errs, err := command(t, env, "migrate"); err != nil {
				t.Errorf("migrate: %v\n%s", err, errs)
			}
		}()
	}
	wg.Wait()
	if _, _, err := command(t, env, "migrate"); err != nil {
		t.Errorf("again: %v", err)
	}
	if out, _, err := command(t, env, "audit"); err != nil || !strings.HasPrefix(out, "audit: clean (") {
		t.Errorf("audit of an empty house: %q, %v", out, err)
	}
}

// A schema that is not this program's is refused with words, by serve and by migrate.
func TestForeignSchemas(t *testing.T) {
	t.Parallel()
	serve := func(url string) map[string]string {
		return map[string]string{"DATABASE_URL": url, "BASE_URL": "http://127.0.0.1", "APP_SECRET": strings.Repeat("x", 32), "SETUP_TOKEN": "t", "PORT": fmt.Sprint(freePort(t))}
	}
	empty := dbtest.EmptyURL(t)
	if _, _, err := command(t, serve(empty), "serve"); !errors.Is(err, db.ErrSchema) || !strings.Contains(err.Error(), "holdfast migrate") {
		t.Errorf("serve on an empty database: %v", err)
	}
	newer := dbtest.URL(t)
	d := dbtest.Open(t, newer, 2)
	if _, err := d.Pool().Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (90000, true)`); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"serve", "migrate", "audit"} {
		_, errs, err := command(t, serve(newer), name)
		if err == nil || !strings.Contains(errs+err.Error(), "newer") {
			t.Errorf("%s on a newer schema: %v %s", name, err, errs)
		}
	}
	broken := dbtest.EmptyURL(t)
	b := dbtest.Open(t, broken, 2)
	if _, err := b.Pool().Exec(t.Context(), `CREATE TABLE settings (x int)`); err != nil {
		t.Fatal(err)
	}
	if _, _, err := command(t, serve(broken), "migrate"); err == nil {
		t.Error("a migration that failed says it went well")
	}
	if _, _, err := command(t, serve(broken), "serve"); err == nil {
		t.Error("serve starts on half a schema")
	}
}

func TestPortTaken(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	_, _, err = command(t, map[string]string{"DEMO": "1", "DATA_DIR": t.TempDir(), "DATABASE_URL": dbtest.URL(t), "PORT": fmt.Sprint(port)}, "serve")
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("port %d", port)) || !strings.Contains(err.Error(), "PORT=") {
		t.Errorf("serve on a taken port: %v", err)
	}
}

// demo load and clear leave nothing behind; loading over real events is refused.
func TestDemoCommands(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	env := map[string]string{"DATABASE_URL": url}
	if out, _, err := command(t, env, "demo", "load"); err != nil || strings.Contains(out, "@demo.example") {
		t.Fatalf("load without DEMO=1 makes no accounts: %q, %v", out, err)
	}
	if out, _, err := command(t, env, "audit"); err != nil {
		t.Errorf("audit of the demo: %v\n%s", err, out)
	}
	if _, _, err := command(t, env, "demo", "clear"); err != nil {
		t.Fatalf("clear: %v", err)
	}
	d := dbtest.Open(t, url, 2)
	dbtest.Screening(t, d, 1, 2)
	if _, _, err := command(t, env, "demo", "load"); err == nil {
		t.Error("the demo was loaded over real events")
	}
}

// A stop finishes the request in hand, refuses new ones and ends well within 20 s.
func TestGracefulStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *db.DB) { dbtest.Screening(t, d, 2, 4) }, nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// A handler reads the form when the stop comes: "100 Continue" says that it is there.
	if _, err := io.WriteString(conn, "POST /find HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 16\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	hello := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(conn, hello); err != nil || !bytes.Contains(hello, []byte("100")) {
		t.Fatalf("no handler: %q, %v", hello, err)
	}
	ended := make(chan error, 1)
	began := time.Now()
	go func() { ended <- w.stop() }()
	for { // the stop has begun when nobody new is let in
		c, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
		if err != nil {
			break
		}
		c.Close()
	}
	if _, err := io.WriteString(conn, "reference=K7PXM3"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !bytes.Contains(answer, []byte("200 OK")) {
		t.Errorf("the request in hand was answered %q, %v", answer, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("stop: %v", err)
		}
	case <-ctx.Done():
		t.Fatalf("still running after %v", time.Since(began))
	}
	if res, err := http.Get(w.URL + "/healthz"); err == nil {
		res.Body.Close()
		t.Error("still answering after the stop")
	}
}

// `stripe setup` makes the endpoint and prints its secret; the secret verifies what is sent.
func TestStripeSetup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *db.DB) { dbtest.Screening(t, d, 1, 2) }, nil)
	out, _, err := command(t, w.env, "stripe", "setup")
	if err != nil || !strings.Contains(out, w.URL+"/hooks/stripe") || !strings.Contains(out, "whsec_") {
		t.Errorf("setup: %q, %v", out, err)
	}
	if _, errs, err := command(t, nil, "stripe"); exits(err) != 2 || !strings.Contains(errs, "usage") {
		t.Errorf("stripe alone: %v %s", err, errs)
	}
	if _, _, err := command(t, nil, "stripe", "setup"); err == nil || !strings.Contains(err.Error(), "STRIPE_SECRET_KEY") {
		t.Errorf("without a key: %v", err)
	}
}
