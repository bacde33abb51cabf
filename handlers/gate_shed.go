package handlers

import (
	"bytes"
	"context"
	"html"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"holdfast/static"
	"holdfast/views"
)

// The marks in the drawn pages, each a text that stands nowhere else.
const (
	markSeconds = "markseconds"
	markAgain   = "/markagain"
	markFields  = "<markfields>"
)

// shedPages are the 503 pages, drawn once: to say no must cost next to nothing.
type shedPages struct{ link, form, back []byte }

func drawShed(assets *static.Assets) shedPages {
	draw := func(again string, post bool) []byte {
		var b bytes.Buffer
		v := views.Shed{CSS: []string{assets.URL("css/shop.css")}, JS: []string{assets.URL("js/shed.js")}, Seconds: markSeconds, Again: again, Post: post, Fields: markFields}
		_ = views.ShedPage(v).Render(context.Background(), &b) // a buffer takes everything
		return b.Bytes()
	}
	return shedPages{link: draw(markAgain, false), form: draw(markAgain, true), back: draw("", false)}
}

// shed answers whom the gate refused: a page for people, with a way to try the same
// again; a few words for a poll, which leaves the open page as it is; JSON for programs.
// The seconds are drawn by lot, so that those who are sent away do not come back together.
func (s *site) shed(w http.ResponseWriter, r *http.Request, c class, body []byte) {
	h := w.Header()
	seconds := strconv.Itoa(5 + rand.IntN(16))
	h.Set("Retry-After", seconds)
	h.Set("Cache-Control", "no-store")
	h.Set(gzhttp.HeaderNoCompression, "1") // the work of it is what there is none to spare for
	switch {
	case r.Header.Get("HX-Request") != "":
		http.Error(w, "Very many people are here right now.", http.StatusServiceUnavailable)
		return
	case !readsPages(r):
		writeJSON(w, http.StatusServiceUnavailable, map[string]string{"error": "Very many people are here right now"})
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write(s.shedPage(r, c, body, seconds)) // a reader that went away is nobody's error
}

// readsPages tells people's browsers from programs, for which an address of JSON or a
// header speaks.
func readsPages(r *http.Request) bool {
	path, accept := r.URL.Path, r.Header.Get("Accept")
	if strings.HasSuffix(path, "/clock") || strings.HasPrefix(path, "/hooks/") || path == "/healthz" || path == "/readyz" {
		return false
	}
	return !strings.Contains(accept, "application/json") || strings.Contains(accept, "text/html")
}

// shedPage fills the marks. A customer's form goes into the page, to be sent again by one
// button; staff go back to theirs, because it may hold a password.
func (s *site) shedPage(r *http.Request, c class, body []byte, seconds string) []byte {
	page, again := s.shedAs.link, ownPath(r.URL.RequestURI())
	if again == "" {
		again = "/"
	}
	fields, err := url.ParseQuery(string(body))
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
	case (c == claimClass || c == moneyClass) && err == nil && len(body) < formBytes && isForm(r):
		page = s.shedAs.form
	default:
		page = s.shedAs.back
	}
	fill := strings.NewReplacer(markSeconds, seconds, markAgain, html.EscapeString(again), markFields, hiddenInputs(fields))
	return []byte(fill.Replace(string(page)))
}

func isForm(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
}

func hiddenInputs(fields url.Values) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for _, value := range fields[name] {
			b.WriteString(`<input type="hidden" name="` + html.EscapeString(name) + `" value="` + html.EscapeString(value) + `">`)
		}
	}
	return b.String()
}
