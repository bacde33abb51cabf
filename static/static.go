// Package static holds the style sheets, scripts and images and serves them
// under names that carry a hash of their content, so that browsers may keep
// them for ever and a new release is seen at once.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
)

//go:embed all:css all:js all:img all:vendor
var files embed.FS

// Prefix is the path under which Handler expects to be mounted.
const Prefix = "/static/"

const htmx = "vendor/htmx.min.js"

// Assets knows every embedded file by its plain and by its hashed name.
type Assets struct {
	urls   map[string]string // css/shop.css -> /static/shop.3f9a01c2.css
	served map[string]asset  // /static/shop.3f9a01c2.css
}

type asset struct {
	contentType, etag string
	body, gzipped     []byte // gzipped is nil where it would not be smaller
}

// New reads the embedded files, joins and compresses them.
func New() (*Assets, error) {
	return load(files)
}

func load(fsys fs.FS) (*Assets, error) {
	bodies, err := read(fsys)
	if err != nil {
		return nil, fmt.Errorf("static files: %w", err)
	}
	a := &Assets{urls: map[string]string{}, served: map[string]asset{}}
	for name, body := range bodies {
		if err := a.add(name, body); err != nil {
			return nil, fmt.Errorf("static file %s: %w", name, err)
		}
	}
	return a, nil
}

// read collects the files. A folder below css/ is one style sheet: its parts
// are joined in the order of their names (css/shop/*.css becomes css/shop.css).
func read(fsys fs.FS) (map[string][]byte, error) {
	comment := regexp.MustCompile(`(?s)\s*/\*.*?\*/`)
	bodies := map[string][]byte{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || contentType(name) == "" {
			return err
		}
		body, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".css" {
			body = comment.ReplaceAll(body, nil)
			if dir := path.Dir(name); dir != "css" {
				name = dir + ".css"
			}
		}
		bodies[name] = append(bodies[name], body...)
		return nil
	})
	return bodies, err
}

func (a *Assets) add(name string, body []byte) error {
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:5])
	ext := path.Ext(name)
	url := Prefix + strings.TrimSuffix(path.Base(name), ext) + "." + hash + ext
	if _, taken := a.served[url]; taken {
		return fmt.Errorf("a second file is served as %s", url)
	}
	gzipped, err := compress(body)
	if err != nil {
		return err
	}
	a.urls[name] = url
	a.served[url] = asset{contentType: contentType(name), etag: strconv.Quote(hash), body: body, gzipped: gzipped}
	return nil
}

// compress returns nil when the result would not be smaller.
func compress(body []byte) ([]byte, error) {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if buf.Len() >= len(body) {
		return nil, nil
	}
	return buf.Bytes(), nil
}

// contentType is empty for files that are not served, such as a README.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".woff2":
		return "font/woff2"
	case ".wasm":
		return "application/wasm"
	}
	return ""
}

// URL gives the address of a file such as "css/shop.css", "" when it is not
// there (files of vendor/ are missing until `make assets` has run).
func (a *Assets) URL(name string) string {
	return a.urls[name]
}

// HasVendor tells whether the files from npm were there at build time.
func (a *Assets) HasVendor() bool {
	return a.urls[htmx] != ""
}

// Handler serves the files under Prefix to GET and HEAD.
func (a *Assets) Handler() http.Handler {
	return http.HandlerFunc(a.serve)
}

func (a *Assets) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	f, ok := a.served[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", f.etag)
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("If-None-Match"), f.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.body
	if f.gzipped != nil && acceptsGzip(r.Header.Get("Accept-Encoding")) {
		body = f.gzipped
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) // a reader that went away is nobody's error
	}
}

func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding == "gzip" {
			q := strings.TrimPrefix(strings.TrimSpace(weight), "q=")
			return q == "" || strings.Trim(q, "0.") != "" // q=0 refuses it
		}
	}
	return false
}
