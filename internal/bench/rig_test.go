package bench

import (
	"bytes"
	"context"
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
	"sync/atomic"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// rig is the built program on a scratch database.
type rig struct {
	url, databaseURL string
	db               *db.DB
	pid              int
	startup          time.Duration
}

func build(b *testing.B) string {
	b.Helper()
	bin := filepath.Join(b.TempDir(), "holdfast")
	cmd := exec.Command("go", "build", "-o", bin, "holdfast")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// start runs the program after prepare has filled its database.
func start(b *testing.B, prepare func(*db.DB)) *rig {
	b.Helper()
	r := &rig{databaseURL: dbtest.URL(b)}
	r.db = dbtest.Open(b, r.databaseURL, 4)
	prepare(r.db)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	r.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	cmd := exec.Command(build(b), "serve")
	cmd.Env = append(os.Environ(), "DATABASE_URL="+r.databaseURL, "BASE_URL="+r.url, fmt.Sprintf("PORT=%d", port),
		"APP_SECRET="+strings.Repeat("b", 40), "SETUP_TOKEN=bench", "DB_POOL_SIZE=16")
	var log bytes.Buffer
	cmd.Stderr = &log
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			b.Errorf("the program ended with %v\n%s", err, tail(log.String()))
		}
	})
	for {
		res, err := http.Get(r.url + "/readyz")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Since(began) > 30*time.Second {
			b.Fatalf("not ready: %v\n%s", err, tail(log.String()))
		}
		time.Sleep(2 * time.Millisecond)
	}
	r.startup, r.pid = time.Since(began), cmd.Process.Pid
	return r
}

func tail(s string) string { return s[max(0, len(s)-3000):] }

// resident is the memory a process occupies, in MiB.
func (r *rig) resident(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.pid))
	if err != nil {
		b.Skip("no /proc on this machine")
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kb float64
			if _, err := fmt.Sscan(rest, &kb); err != nil {
				b.Fatal(err)
			}
			return kb / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}

// crowd runs do with so many workers for so long and returns how often per second it
// succeeded.
func crowd(workers int, d time.Duration, do func(worker, n int) error) (rate float64, failed error) {
	var done atomic.Int64
	var firstErr atomic.Value
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var wg sync.WaitGroup
	began := time.Now()
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; ctx.Err() == nil; n++ {
				if err := do(w, n); err != nil {
					firstErr.CompareAndSwap(nil, err)
					return
				}
				done.Add(1)
			}
		}()
	}
	wg.Wait()
	if err, ok := firstErr.Load().(error); ok {
		failed = err
	}
	return float64(done.Load()) / time.Since(began).Seconds(), failed
}

// client is one customer's browser without page rendering.
func client(transport *http.Transport) *http.Client {
	jar, _ := cookiejar.New(nil) // fails only for bad options
	return &http.Client{Jar: jar, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
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

func transport() *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
}
