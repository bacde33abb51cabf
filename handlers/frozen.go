package handlers

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	gz "github.com/klauspost/compress/gzip"
)

// frozen is a page that is the same for everybody, drawn and compressed once.
type frozen struct {
	zipped                 []byte
	tag, length, wholeSize []string // header values, made once
}

// freeze draws a page and compresses it.
func freeze(page templ.Component) (*frozen, error) { return freezeAgain(nil, page) }

// freezeAgain is freeze where the page is mostly the same as the last one.
func freezeAgain(last *frozen, page templ.Component) (*frozen, error) {
	var whole bytes.Buffer
	if err := page.Render(context.Background(), &whole); err != nil {
		return nil, fmt.Errorf("draw a page for everybody: %w", err)
	}
	tag := tagOf(whole.Bytes())
	if last != nil && last.tag[0] == tag {
		return last, nil
	}
	return compress(whole.Bytes(), tag)
}

func tagOf(whole []byte) string {
	sum := fnv.New64a()
	_, _ = sum.Write(whole) // a hash takes everything
	return fmt.Sprintf(`"%x"`, sum.Sum64())
}

func compress(whole []byte, tag string) (*frozen, error) {
	var zipped bytes.Buffer
	w, err := gz.NewWriterLevel(&zipped, gz.DefaultCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(whole)
	if err == nil {
		err = w.Close()
	}
	return &frozen{
		zipped: zipped.Bytes(), tag: []string{tag},
		length: []string{strconv.Itoa(zipped.Len())}, wholeSize: []string{strconv.Itoa(len(whole))},
	}, err
}

var (
	htmlType  = []string{"text/html; charset=utf-8"}
	gzipped   = []string{"gzip"}
	varyByWho = []string{"Accept-Encoding, Cookie, HX-Request"}
)

// send answers with the page, or 304 to a client that names its tag. Browsers do not keep
// it: Back must ask again, for it may have become the page of somebody who holds seats. It
// returns the status.
func (f *frozen) send(w http.ResponseWriter, r *http.Request) int {
	h := w.Header()
	h["Etag"], h["Cache-Control"], h["Vary"] = f.tag, noStore, varyByWho
	if strings.Contains(r.Header.Get("If-None-Match"), f.tag[0]) {
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified
	}
	f.write(w, r, http.StatusOK)
	return http.StatusOK
}

// write sends the page, compressed for whoever takes that.
func (f *frozen) write(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h["Content-Type"] = htmlType
	if takesGzip(r) {
		h["Content-Encoding"], h["Content-Length"] = gzipped, f.length
		w.WriteHeader(status)
		_, _ = w.Write(f.zipped) // a reader that went away is nobody's error
		return
	}
	h["Content-Length"] = f.wholeSize
	w.WriteHeader(status)
	if in, err := gzip.NewReader(bytes.NewReader(f.zipped)); err == nil { // we wrote it
		_, _ = io.Copy(w, in)
	}
}

// refuse answers with the page as the refusal of what was sent.
func (f *frozen) refuse(w http.ResponseWriter, r *http.Request) {
	w.Header()["Cache-Control"] = noStore
	f.write(w, r, http.StatusConflict)
}

// takesGzip: the few that say they do not get it plain.
func takesGzip(r *http.Request) bool {
	a := r.Header.Get("Accept-Encoding")
	return strings.Contains(a, "gzip") && !strings.Contains(a, "gzip;q=0")
}
