package bench

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// rig is a scratch database and the built program on it.
type rig struct {
	app
	databaseURL string
	db          *db.DB
}

// app is one process of the program.
type app struct {
	process
	url     string
	startup time.Duration
}

// start runs the program after prepare has filled its database.
func start(b *testing.B, prepare func(*db.DB)) *rig {
	b.Helper()
	r := &rig{databaseURL: dbtest.URL(b)}
	r.db = dbtest.Open(b, r.databaseURL, 4)
	prepare(r.db)
	r.app = r.serve(b, 12)
	return r
}

// exec changes the database behind the program's back.
func (r *rig) exec(b *testing.B, sql string, args ...any) {
	b.Helper()
	if _, err := r.db.Pool().Exec(b.Context(), sql, args...); err != nil {
		b.Fatalf("%v\n%s", err, sql)
	}
}

// serve starts a process of the program with so many connections to the database.
func (r *rig) serve(b *testing.B, pool int) app {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	a := app{process: process{addr: l.Addr().String()}}
	_, port, _ := net.SplitHostPort(a.addr) // a listener's address has both
	l.Close()
	a.url = "http://" + a.addr
	bin, err := program()
	if err != nil {
		b.Fatal(err)
	}
	log, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(bin, "serve")
	cmd.Env = append(os.Environ(), "DATABASE_URL="+r.databaseURL, "BASE_URL="+a.url, "PORT="+port,
		"APP_SECRET="+strings.Repeat("b", 40), "SETUP_TOKEN=bench", fmt.Sprintf("DB_POOL_SIZE=%d", pool))
	cmd.Stderr = log // a file, as a platform takes it: the benchmark must not copy lines
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			b.Errorf("the program ended with %v\n%s", err, tail(log.Name()))
		}
		_ = log.Close()
	})
	for !ready(a.url) {
		if time.Since(began) > 30*time.Second {
			b.Fatalf("not ready\n%s", tail(log.Name()))
		}
		time.Sleep(2 * time.Millisecond)
	}
	a.startup, a.pid = time.Since(began), cmd.Process.Pid
	return a
}

func ready(url string) bool {
	res, err := http.Get(url + "/readyz")
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func tail(file string) string {
	text, _ := os.ReadFile(file) // what cannot be read is not shown
	return string(text[max(0, len(text)-3000):])
}

func programPath() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("holdfast-bench-%d", os.Getpid()))
}

// program builds it once; the last benchmark's end removes it.
var program = sync.OnceValues(func() (string, error) {
	bin := programPath()
	out, err := exec.Command("go", "build", "-o", bin, "holdfast").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return bin, nil
})

// client is one person's browser without page rendering.
func client() *http.Client {
	jar, _ := cookiejar.New(nil) // fails only for bad options
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// post sends a form and tells whether it was answered with want.
func post(c *http.Client, address string, form url.Values, want int) error {
	res, err := c.PostForm(address, form)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	if res.StatusCode != want {
		return fmt.Errorf("%s answered %d, want %d", address, res.StatusCode, want)
	}
	return nil
}
