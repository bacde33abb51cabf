package torture

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// client is a browser without JavaScript: cookies, links and forms. It watches what it
// is shown.
type client struct {
	http.Client
	r     *rig
	known bool // was given a hold before the second tab was opened: one visitor
}

func (r *rig) client() *client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // only for bad options, and there are none
	}
	return &client{r: r, Client: http.Client{Jar: jar, Timeout: 30 * time.Second, Transport: r.wire,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// page is one answer.
type page struct {
	status   int
	url      *url.URL
	location string
	body     string
	root     *html.Node
}

func (c *client) get(address string) (*page, error) { return c.read(c.Get(address)) }
func (c *client) post(address string, f url.Values) (*page, error) {
	return c.read(c.PostForm(address, f))
}

func (c *client) read(res *http.Response, err error) (*page, error) {
	if err != nil {
		c.r.tally.add("lost answers")
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.r.tally.add("lost answers")
		return nil, err
	}
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	p := &page{res.StatusCode, res.Request.URL, res.Header.Get("Location"), string(body), root}
	if strings.HasPrefix(p.url.String(), c.r.url) {
		c.r.look(p)
		if c.known && p.status == http.StatusNotFound {
			c.r.tally.wrong("answers", "%s is not found, but this visitor was sent there", p.url.Path)
		}
	}
	return p, nil
}

// goWords are words that only our own inside would say.
var goWords = regexp.MustCompile(`SQLSTATE|pgx|pgconn|goroutine \d|runtime error|panic:|nil pointer|context (canceled|deadline)|dial (tcp|unix)|connection (refused|reset)|stripe: |unexpected EOF|violates .*constraint`)

// look is the check of everything a customer is shown.
func (r *rig) look(p *page) {
	r.tally.add("answer " + http.StatusText(p.status))
	if p.status >= 500 && p.status != http.StatusServiceUnavailable && p.status != http.StatusBadGateway {
		r.tally.wrong("answers", "%s was answered %d: %.200s", p.url.Path, p.status, words(p.root))
	}
	if bad := goWords.FindString(words(p.root)); bad != "" {
		r.tally.wrong("answers", "%s (%d) shows %q", p.url.Path, p.status, bad)
	}
	if strings.HasPrefix(p.url.Path, "/bookings/") && p.status == http.StatusOK {
		r.tally.sawBooking(p.url.Path, len(p.values("data-ticket")))
	}
}

// follow walks redirects until an answer has none.
func (c *client) follow(p *page, err error) (*page, error) {
	for range 10 {
		if err != nil || p.status < 300 || p.status > 399 {
			return p, err
		}
		p, err = c.get(p.resolve(p.location))
	}
	return p, err
}

// submit sends the page's form whose action ends in suffix, with changes on top.
func (c *client) submit(p *page, suffix string, change url.Values) (*page, error) {
	f := p.form(suffix)
	if f == nil {
		return p, errNoForm
	}
	for k, v := range change {
		f.values[k] = v
	}
	return c.post(p.resolve(f.action), f.values)
}

func (p *page) resolve(ref string) string {
	u, err := p.url.Parse(ref)
	if err != nil {
		return p.url.String()
	}
	return u.String()
}

// words is what a reader sees, roughly.
func words(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent != nil && n.Parent.Data != "script" && n.Parent.Data != "style" {
			b.WriteString(n.Data)
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (p *page) values(attr string) (out []string) {
	for n := range p.root.Descendants() {
		if v, ok := attribute(n, attr); ok {
			out = append(out, v)
		}
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

// form is a form with what a browser would send.
type form struct {
	action string
	values url.Values
	seats  []string // values of all checkboxes called seat
}

func (p *page) form(suffix string) *form {
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "form" {
			continue
		}
		action, _ := attribute(n, "action")
		if path, _, _ := strings.Cut(action, "?"); !strings.HasSuffix(path, suffix) {
			continue
		}
		f := &form{action: action, values: url.Values{}}
		for c := range n.Descendants() {
			f.add(c)
		}
		return f
	}
	return nil
}

func (f *form) add(n *html.Node) {
	name, named := attribute(n, "name")
	if n.Type != html.ElementNode || !named {
		return
	}
	value, _ := attribute(n, "value")
	kind, _ := attribute(n, "type")
	_, checked := attribute(n, "checked")
	switch box := kind == "checkbox" || kind == "radio"; {
	case n.Data == "input" && name == "seat" && box:
		f.seats = append(f.seats, value)
		if checked {
			f.values.Add(name, value)
		}
	case n.Data == "input" && (!box || checked):
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
		if _, ok := attribute(o, "selected"); ok {
			return v
		}
		if !have {
			first, have = v, true
		}
	}
	return first
}
