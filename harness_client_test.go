package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// browser is a plain HTTP client: cookies, links and forms, no JavaScript.
type browser struct {
	t *testing.T
	http.Client
}

func (w *world) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &browser{w.t, http.Client{Jar: jar, Timeout: 30 * time.Second, Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

// page is one answer with its parsed HTML.
type page struct {
	t        *testing.T
	status   int
	url      *url.URL
	location string
	header   http.Header
	body     string
	root     *html.Node
}

func (b *browser) get(address string) *page {
	b.t.Helper()
	res, err := b.Get(address)
	return b.read(res, err)
}

func (b *browser) post(address string, form url.Values) *page {
	b.t.Helper()
	res, err := b.PostForm(address, form)
	return b.read(res, err)
}

func (b *browser) read(res *http.Response, err error) *page {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		b.t.Fatal(err)
	}
	return &page{t: b.t, status: res.StatusCode, url: res.Request.URL, location: res.Header.Get("Location"), header: res.Header, body: string(body), root: root}
}

// follow walks redirects until an answer has none.
func (b *browser) follow(p *page) *page {
	b.t.Helper()
	for range 10 {
		if p.status < 300 || p.status > 399 {
			return p
		}
		p = b.get(p.resolve(p.location))
	}
	b.t.Fatalf("too many redirects, now at %s", p.url)
	return nil
}

// submit sends a form of a page as a browser does, with changes on top and the named
// button pressed ("" for none).
func (b *browser) submit(p *page, f *form, change url.Values, button string) *page {
	b.t.Helper()
	values := url.Values{}
	for k, v := range f.values {
		values[k] = append([]string{}, v...)
	}
	for k, v := range change {
		values[k] = v
	}
	if name, value, ok := strings.Cut(button, "="); ok {
		values.Set(name, value)
	}
	target := p.resolve(f.action)
	if f.method == "get" {
		u, err := url.Parse(target)
		if err != nil {
			b.t.Fatal(err)
		}
		u.RawQuery = values.Encode()
		return b.get(u.String())
	}
	return b.post(target, values)
}

func (p *page) resolve(ref string) string {
	p.t.Helper()
	u, err := p.url.Parse(ref)
	if err != nil {
		p.t.Fatal(err)
	}
	return u.String()
}

// want checks the status.
func (p *page) want(status int) *page {
	p.t.Helper()
	if p.status != status {
		p.t.Fatalf("%s answered %d, want %d (location %q)\n%s", p.url, p.status, status, p.location, p.text())
	}
	return p
}

// text is what a reader sees, roughly.
func (p *page) text() string {
	var b strings.Builder
	for n := range p.root.Descendants() {
		if n.Type == html.TextNode && n.Parent != nil && n.Parent.Data != "script" && n.Parent.Data != "style" {
			b.WriteString(n.Data)
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// says checks that the page has the words.
func (p *page) says(words ...string) *page {
	p.t.Helper()
	text := p.text()
	for _, w := range words {
		if !strings.Contains(text, w) {
			p.t.Errorf("%s does not say %q:\n%s", p.url, w, text)
		}
	}
	return p
}

// all finds elements by tag ("" any) and attribute, with a value or "" for any.
func (p *page) all(tag, attr, value string) []*html.Node {
	var out []*html.Node
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode || tag != "" && n.Data != tag {
			continue
		}
		if attr == "" {
			out = append(out, n)
		} else if v, ok := attribute(n, attr); ok && (value == "" || v == value) {
			out = append(out, n)
		}
	}
	return out
}

// values lists an attribute of all elements that have it.
func (p *page) values(attr string) []string {
	var out []string
	for _, n := range p.all("", attr, "") {
		v, _ := attribute(n, attr)
		out = append(out, v)
	}
	return out
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// form is a form of a page with the values a browser would send.
type form struct {
	action, method string
	values         url.Values
	boxes          []string // values of all checkboxes called seat
}

// form finds the form whose action ends in suffix.
func (p *page) form(suffix string) *form {
	p.t.Helper()
	for _, n := range p.all("form", "", "") {
		action, _ := attribute(n, "action")
		path, _, _ := strings.Cut(action, "#")
		path, _, _ = strings.Cut(path, "?")
		if !strings.HasSuffix(path, suffix) {
			continue
		}
		return formOf(n)
	}
	p.t.Fatalf("%s (%d) has no form to …%s\n%s", p.url, p.status, suffix, p.text())
	return nil
}

// formOf reads a form with what is chosen and typed in it.
func formOf(n *html.Node) *form {
	action, _ := attribute(n, "action")
	method, _ := attribute(n, "method")
	f := &form{action: action, method: strings.ToLower(method), values: url.Values{}}
	for c := range n.Descendants() {
		f.add(c)
	}
	return f
}

func (f *form) add(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	name, _ := attribute(n, "name")
	value, _ := attribute(n, "value")
	kind, _ := attribute(n, "type")
	_, checked := attribute(n, "checked")
	switch {
	case name == "":
	case n.Data == "input" && (kind == "checkbox" || kind == "radio"):
		if name == "seat" {
			f.boxes = append(f.boxes, value)
		}
		if checked {
			f.values.Add(name, value)
		}
	case n.Data == "input":
		f.values.Add(name, value)
	case n.Data == "textarea":
		if n.FirstChild != nil {
			value = n.FirstChild.Data
		}
		f.values.Add(name, value)
	case n.Data == "select":
		f.values.Add(name, chosen(n))
	}
}

func chosen(n *html.Node) string {
	first, have := "", false
	for o := range n.Descendants() {
		if o.Type != html.ElementNode || o.Data != "option" {
			continue
		}
		v, _ := attribute(o, "value")
		if !have {
			first, have = v, true
		}
		if _, ok := attribute(o, "selected"); ok {
			return v
		}
	}
	return first
}
