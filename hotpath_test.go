package main

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/config"
)

// BenchmarkHotPath counts time and allocations of what a release day asks most, through
// the whole chain of handlers as production has it, without a network: `make profile`
// says where they come from. Each request is of a visitor whom the shop has never seen.
func BenchmarkHotPath(b *testing.B) {
	d := dbtest.Open(b, dbtest.URL(b), 12)
	page, sold, large := dbtest.Screening(b, d, 15, 20), dbtest.Screening(b, d, 15, 20), dbtest.Screening(b, d, 20, 100)
	must := func(sql string, args ...any) {
		b.Helper()
		if _, err := d.Pool().Exec(b.Context(), sql, args...); err != nil {
			b.Fatalf("%v\n%s", err, sql)
		}
	}
	must(`UPDATE event_seats SET state = 'held', hold_id = gen_random_uuid(), held_until = now() + interval '1 hour' WHERE event_id = $1`, sold.ID)
	h := wholeSite(b, d)
	path := func(e dbtest.Event) string { return fmt.Sprintf("/events/%d", e.ID) }

	b.Run("seat page", func(b *testing.B) { asks(b, h, path(page), http.StatusOK) })
	b.Run("poll 204", func(b *testing.B) { asks(b, h, pollAddress(b, h, path(page)), http.StatusNoContent) })
	b.Run("home", func(b *testing.B) { asks(b, h, "/", http.StatusOK) })
	b.Run("refusal", func(b *testing.B) {
		w := newSink()
		for i := 0; b.Loop(); i++ {
			w.post(b, h, path(sold)+"/holds", "seat="+sold.Seats[i%len(sold.Seats)], http.StatusConflict)
		}
		b.ReportAllocs()
	})
	b.Run("claim", func(b *testing.B) {
		w := newSink()
		for i := 0; b.Loop(); i++ {
			if i%len(large.Seats) == 0 {
				b.StopTimer()
				must(`UPDATE event_seats SET state = 'available', hold_id = NULL, held_until = NULL WHERE event_id = $1`, large.ID)
				b.StartTimer()
			}
			w.post(b, h, path(large)+"/holds", "seat="+large.Seats[i%len(large.Seats)], http.StatusSeeOther)
		}
		b.ReportAllocs()
	})
}

// wholeSite wires the program as serve does and answers its handler.
func wholeSite(b *testing.B, d *db.DB) http.Handler {
	b.Helper()
	env := map[string]string{"DATABASE_URL": "postgres://unused", "BASE_URL": "http://bench.example", "APP_SECRET": strings.Repeat("b", 40), "SETUP_TOKEN": "bench"}
	getenv := func(k string) string { return env[k] }
	cfg, err := config.Load(getenv)
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	a := app{getenv: getenv, stdout: io.Discard, stderr: io.Discard}
	s, err := a.assemble(cfg, d, slog.New(slog.NewJSONHandler(io.Discard, nil)), l)
	if err != nil {
		b.Fatal(err)
	}
	return s.server.Handler
}

func asks(b *testing.B, h http.Handler, address string, want int) {
	b.Helper()
	r, w := request(b, http.MethodGet, address), newSink()
	w.serve(b, h, r, want) // what the first request of all makes is not what each costs
	for b.Loop() {
		w.serve(b, h, r, want)
	}
	b.ReportAllocs()
}

func request(b *testing.B, method, address string) *http.Request {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, "http://bench.example"+address, nil)
	if err != nil {
		b.Fatal(err)
	}
	r.RequestURI, r.RemoteAddr = address, "192.0.2.1:4711"
	r.Header.Set("Accept-Encoding", "gzip, deflate, br")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// pollAddress is what an open seat page asks.
func pollAddress(b *testing.B, h http.Handler, page string) string {
	b.Helper()
	r, w := request(b, http.MethodGet, page), newSink()
	r.Header.Del("Accept-Encoding")
	w.keep = &bytes.Buffer{}
	w.serve(b, h, r, http.StatusOK)
	m := regexp.MustCompile(`"(/events/\d+/seats\?[^"]*)"`).FindSubmatch(w.keep.Bytes())
	if m == nil {
		b.Fatal("the seat page names no address to ask for changes")
	}
	return html.UnescapeString(string(m[1]))
}

// sink takes an answer and allocates nothing itself.
type sink struct {
	header http.Header
	status int
	keep   *bytes.Buffer // nil: the body is dropped
}

func newSink() *sink { return &sink{header: http.Header{}} }

func (w *sink) Header() http.Header { return w.header }

func (w *sink) WriteHeader(status int) { w.status = status }

func (w *sink) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.keep != nil {
		return w.keep.Write(p)
	}
	return len(p), nil
}

func (w *sink) serve(b *testing.B, h http.Handler, r *http.Request, want int) {
	b.Helper()
	clear(w.header)
	w.status = 0
	one := *r // a server's request is new each time; its address too
	address := *r.URL
	one.URL = &address
	h.ServeHTTP(w, &one)
	if w.status != want {
		b.Fatalf("%s %s answered %d, want %d", r.Method, r.URL, w.status, want)
	}
}

func (w *sink) post(b *testing.B, h http.Handler, address, form string, want int) {
	b.Helper()
	r := request(b, http.MethodPost, address)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(form)), int64(len(form))
	w.serve(b, h, r, want)
}
