package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// still is an answer to give again.
type still struct {
	Status int
	Header http.Header
	Body   []byte
}

// staticHandler answers each path of the file in BENCH_STATIC with the very bytes and
// headers that the program once gave: net/http's own speed, nothing else.
func staticHandler() (http.Handler, error) {
	text, err := os.ReadFile(os.Getenv("BENCH_STATIC"))
	if err != nil {
		return nil, err
	}
	var all map[string]still
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := all[r.URL.RequestURI()]
		h := w.Header()
		for name, values := range s.Header {
			h[name] = values
		}
		w.WriteHeader(s.Status)
		_, _ = w.Write(s.Body) // a reader that went away is nobody's error
	}), nil
}

// keep asks the program for some paths and starts a static server that answers the same.
func keep(b *testing.B, a app, paths ...string) process {
	b.Helper()
	all := map[string]still{}
	for _, path := range paths {
		s, err := fetch(a.url + path)
		if err != nil {
			b.Fatal(err)
		}
		s.Header.Del("Date") // net/http writes its own
		all[path] = s
	}
	text, err := json.Marshal(all)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "static.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		b.Fatal(err)
	}
	return child(b, "static", "BENCH_STATIC="+file)
}

// fetch reads an answer as it comes, compressed.
func fetch(url string) (still, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return still{}, err
	}
	req.Header.Set("Accept-Encoding", "gzip")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return still{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 400 {
		err = fmt.Errorf("%s answered %d", url, res.StatusCode)
	}
	return still{res.StatusCode, res.Header, body}, err
}
