package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/stripesim"
)

const (
	testKey    = "sk_test_holdfast"
	testSecret = "whsec_holdfast_test_0123456789abcdef"
)

// world is the whole program on a scratch database, with a look-alike of Stripe of its
// own that the test steers.
type world struct {
	t   *testing.T
	URL string // of the shop, no slash at the end
	DB  *db.DB // the same database
	Sim *stripesim.Sim

	databaseURL, simURL string
	env                 map[string]string
	stop                func() error // waits for run to return
	logs                *syncBuffer
}

// newWorld starts the program after prepare has filled the database. env adds to or
// changes the environment; an empty value unsets.
func newWorld(t *testing.T, prepare func(*db.DB), env map[string]string) *world {
	t.Helper()
	w := &world{t: t, databaseURL: dbtest.URL(t), logs: &syncBuffer{}}
	w.DB = dbtest.Open(t, w.databaseURL, 8)
	if prepare != nil {
		prepare(w.DB)
	}
	port := freePort(t)
	w.URL = fmt.Sprintf("http://127.0.0.1:%d", port)
	srv := httptest.NewUnstartedServer(nil)
	w.simURL = "http://" + srv.Listener.Addr().String()
	w.Sim = stripesim.New(stripesim.Options{BaseURL: w.simURL, WebhookURL: w.URL + "/hooks/stripe", WebhookSecret: testSecret, RetryPause: 50 * time.Millisecond})
	srv.Config.Handler = w.Sim
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = w.Sim.Close(ctx)
	})
	w.env = map[string]string{
		"DATABASE_URL": w.databaseURL, "BASE_URL": w.URL, "PORT": fmt.Sprint(port), "APP_SECRET": strings.Repeat("s", 40), "SETUP_TOKEN": "setup",
		"STRIPE_SECRET_KEY": testKey, "STRIPE_WEBHOOK_SECRETS": "whsec_another," + testSecret, "STRIPE_API_URL": w.simURL,
	}
	for k, v := range env {
		w.env[k] = v
	}
	w.start()
	return w
}

// start runs the program until the test or stop ends it.
func (w *world) start() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"serve"}, func(k string) string { return w.env[k] }, io.Discard, w.logs)
	}()
	w.stop = sync.OnceValue(func() error { cancel(); return <-ended })
	w.t.Cleanup(func() {
		if err := w.stop(); err != nil {
			w.t.Errorf("the program ended with: %v", err)
		}
		if w.t.Failed() {
			w.t.Logf("log of the program:\n%s", w.logs.tail(6000))
		}
	})
	deadline := time.Now().Add(30 * time.Second)
	for {
		res, err := http.Get(w.URL + "/readyz")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case err := <-ended:
			ended <- err
			w.t.Fatalf("the program did not start: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the program is not ready after 30 s: %v\n%s", err, w.logs.tail(4000))
		}
		time.Sleep(20 * time.Millisecond) // polling another goroutine's start, not waiting for time
	}
}

// exec changes the database behind the program's back, to move its time.
func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.DB.Pool().Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatalf("%v\n%s", err, sql)
	}
}

// one reads a single value.
func one[T any](w *world, sql string, args ...any) T {
	w.t.Helper()
	var v T
	if err := w.DB.Pool().QueryRow(w.t.Context(), sql, args...).Scan(&v); err != nil {
		w.t.Fatalf("%v\n%s", err, sql)
	}
	return v
}

// eventually waits until a query says true: work of jobs in the background.
func (w *world) eventually(what, sql string, args ...any) {
	w.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !one[bool](w, sql, args...) {
		if time.Now().After(deadline) {
			w.t.Fatalf("not in 20 s: %s", what)
		}
		time.Sleep(30 * time.Millisecond) // polling the database, not waiting for time
	}
}

// clean runs the audit: every invariant must hold.
func (w *world) clean() {
	w.t.Helper()
	found, checks, err := w.DB.Audit(w.t.Context())
	if err != nil || checks == 0 {
		w.t.Fatalf("audit: %v after %d checks", err, checks)
	}
	for _, f := range found {
		w.t.Errorf("audit: %s", f)
	}
}

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
		path, _, _ := strings.Cut(action, "?")
		if !strings.HasSuffix(path, suffix) {
			continue
		}
		method, _ := attribute(n, "method")
		f := &form{action: action, method: strings.ToLower(method), values: url.Values{}}
		for c := range n.Descendants() {
			f.add(c)
		}
		return f
	}
	p.t.Fatalf("%s (%d) has no form to …%s\n%s", p.url, p.status, suffix, p.text())
	return nil
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

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// syncBuffer keeps the program's log for a failed test.
type syncBuffer struct {
	mu sync.Mutex
	b  []byte
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = append(s.b, p...)
	return len(p), nil
}

func (s *syncBuffer) tail(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.b[max(0, len(s.b)-n):])
}

func itoa(n int64) string { return fmt.Sprint(n) }
