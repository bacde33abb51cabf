package static

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func get(t *testing.T, a *Assets, url string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, url, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestServedForEver(t *testing.T) {
	a, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"css/shop.css": "text/css; charset=utf-8", "js/shop.js": "text/javascript; charset=utf-8", "img/mark-bus.svg": "image/svg+xml",
	} {
		url := a.URL(name)
		res := get(t, a, url, "Accept-Encoding", "gzip, br")
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != want {
			t.Errorf("%s as %s: status %d, type %q", name, url, res.StatusCode, res.Header.Get("Content-Type"))
		}
		if got := res.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control %q", name, got)
		}
		plain, _ := io.ReadAll(get(t, a, url).Body)
		unzip, err := gzip.NewReader(res.Body)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if packed, _ := io.ReadAll(unzip); string(packed) != string(plain) {
			t.Errorf("%s: the gzip form differs from the plain one", name)
		}
		if again := get(t, a, url, "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s with its ETag: status %d, want 304", name, again.StatusCode)
		}
	}
}

func TestUnknownAndWrongMethod(t *testing.T) {
	a, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"/static/", "/static/shop.css", "/static/vendor/README.md", "/static/../static.go"} {
		if res := get(t, a, url); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", url, res.StatusCode)
		}
	}
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, a.URL("css/shop.css"), nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d, want 405", w.Code)
	}
}

func TestPartsAreJoinedAndCommentsLeftOut(t *testing.T) {
	a, err := load(fstest.MapFS{
		"css/shop/2-b.css":       {Data: []byte("b{}\n/* why */\n")},
		"css/shop/1-a.css":       {Data: []byte("a{}\n")},
		"vendor/README.md":       {Data: []byte("no file to serve")},
		"img/posters/poster.svg": {Data: []byte("<svg/>")},
	})
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(get(t, a, a.URL("css/shop.css")).Body)
	if string(body) != "a{}\nb{}\n" {
		t.Errorf("joined: %q", body)
	}
	if a.HasVendor() || a.URL("vendor/htmx.min.js") != "" {
		t.Error("an empty vendor folder was taken for a full one")
	}
}

func TestNameChangesWithContent(t *testing.T) {
	url := func(css string) string {
		a, err := load(fstest.MapFS{"css/staff.css": {Data: []byte(css)}})
		if err != nil {
			t.Fatal(err)
		}
		return a.URL("css/staff.css")
	}
	if one, two := url("a{}"), url("b{}"); one == two || !strings.HasPrefix(one, "/static/staff.") {
		t.Errorf("names %s and %s", one, two)
	}
}

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "br, gzip;q=0.8": true, "gzip;q=0": false, "gzip; q=0.0": false, "deflate": false,
	} {
		if got := acceptsGzip(header); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}
