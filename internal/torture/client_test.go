package torture

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"holdfast/internal/apptest"
)

type page = apptest.Page

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

func (c *client) get(address string) (*page, error) { return c.read(c.Get(address)) }
func (c *client) post(address string, f url.Values) (*page, error) {
	return c.read(c.PostForm(address, f))
}

func (c *client) read(res *http.Response, err error) (*page, error) {
	p, err := apptest.Read(res, err)
	if err != nil {
		c.r.tally.add("lost answers")
		return nil, err
	}
	if strings.HasPrefix(p.URL.String(), c.r.url) {
		c.r.look(p)
		if c.known && p.Status == http.StatusNotFound {
			c.r.tally.wrong("answers", "%s is not found, but this visitor was sent there", p.URL.Path)
		}
	}
	return p, nil
}

// look is the check of everything a customer is shown.
func (r *rig) look(p *page) {
	r.tally.add("answer " + http.StatusText(p.Status))
	if p.Status >= 500 && p.Status != http.StatusServiceUnavailable && p.Status != http.StatusBadGateway {
		r.tally.wrong("answers", "%s was answered %d: %.200s", p.URL.Path, p.Status, p.Words())
	}
	if bad := p.Inside(); bad != "" {
		r.tally.wrong("answers", "%s (%d) shows %q", p.URL.Path, p.Status, bad)
	}
	if strings.HasPrefix(p.URL.Path, "/bookings/") && p.Status == http.StatusOK {
		r.tally.sawBooking(p.URL.Path, len(p.Values("data-ticket")))
	}
}

// follow walks redirects until an answer has none.
func (c *client) follow(p *page, err error) (*page, error) {
	for range 10 {
		if err != nil || p.Status < 300 || p.Status > 399 {
			return p, err
		}
		p, err = c.get(p.Resolve(p.Location))
	}
	return p, err
}

// submit sends the page's form whose action ends in suffix, with changes on top.
func (c *client) submit(p *page, suffix string, change url.Values) (*page, error) {
	f := p.Form(suffix)
	if f == nil {
		return p, errNoForm
	}
	for k, v := range change {
		f.Values[k] = v
	}
	return c.post(p.Resolve(f.Action), f.Values)
}
