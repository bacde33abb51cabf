package rush

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"holdfast/internal/apptest"
)

type page = apptest.Page

// browser is one person's: cookies, connections and an address of its own, the page that
// is open, and the seats that it offers.
type browser struct {
	w     *world
	n     int
	d     *rand.Rand
	http  http.Client
	event int64
	want  int  // seats
	kind  kind // of person
	calm  bool // a customer of the event beside
	press time.Time
	seen  map[string]bool // style sheets and scripts in the browser's cache
	last  *page           // what the person saw last
	form  *apptest.Form   // of the open page, that chooses seats
	offer []string        // seats that can be ticked
	poll  string          // the address that the open seat page asks
	hold  string          // id
	left  bool            // went away by own will, without seats
	paid  bool            // pressed Pay on Stripe's page
}

func (w *world) browser(n int) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // only for bad options, and there are none
	}
	dial := &net.Dialer{Timeout: 10 * time.Second}
	if runtime.GOOS == "linux" { // all of 127/8 is this machine: everybody has an address
		dial.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 9, byte(n/250), byte(n%250+1))}
	}
	return &browser{w: w, n: n, d: w.dice(1000 + n), event: w.hot.ID, seen: map[string]bool{}, http: http.Client{
		Jar: jar, Timeout: 40 * time.Second, Transport: &http.Transport{DialContext: dial.DialContext, MaxIdleConnsPerHost: 6, IdleConnTimeout: 30 * time.Second},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// routeOf names what an address is, so that figures can be read.
func routeOf(method, path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "static":
		return "asset"
	case parts[0] == "events" && len(parts) == 2:
		return "seat page"
	case parts[0] == "events" && parts[2] == "seats":
		return "poll"
	case parts[0] == "events" && method == http.MethodPost && parts[2] == "holds":
		return "claim"
	case parts[0] == "holds" && len(parts) == 2:
		return "hold"
	case parts[0] == "holds", parts[0] == "events":
		return parts[2]
	}
	return parts[0]
}

// send is one request, measured and looked at.
func (b *browser) send(ctx context.Context, method, address string, form url.Values) (*page, error) {
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	ours := strings.HasPrefix(address, b.w.url+"/")
	req.Header.Set("User-Agent", "Mozilla/5.0 (rush)")
	req.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if strings.HasSuffix(req.URL.Path, "/seats") {
		req.Header.Set("HX-Request", "true")
	}
	r := request{browser: b.n, route: routeOf(method, req.URL.Path), began: time.Now(), hold: b.hold}
	p, err := apptest.Read(b.http.Do(req))
	r.took = time.Since(r.began)
	if ours && (err == nil || ctx.Err() == nil) {
		b.note(r, p)
	}
	return p, err
}

func (b *browser) note(r request, p *page) {
	if r.lost = p == nil || p.Header.Get(lost) != ""; p != nil {
		r.status = p.Status
	}
	r.refused = !r.lost && r.status == http.StatusServiceUnavailable
	b.w.tally.note(r)
	if !r.lost {
		b.w.look(r.route, p)
	}
}

// look is the check of everything people are shown.
func (w *world) look(route string, p *page) {
	switch {
	case p.Status == http.StatusServiceUnavailable:
		if n, err := strconv.Atoi(p.Header.Get("Retry-After")); err != nil || n < 1 {
			w.wrong("answers", "%s refused without saying when to come again: Retry-After %q", route, p.Header.Get("Retry-After"))
		}
		if route != "poll" && len(p.Words()) < 40 {
			w.wrong("answers", "%s refused without words: %q", route, p.Words())
		}
	case p.Status >= 500:
		w.wrong("answers", "%s was answered %d: %.300s", route, p.Status, p.Words())
	}
	if route == "asset" || route == "poll" {
		return
	}
	if bad := p.Inside(); bad != "" {
		w.wrong("answers", "%s (%d) shows %q", route, p.Status, bad)
	}
	if route == "bookings" && p.Status == http.StatusOK {
		w.sawBooking(p.URL.Path, len(p.Values("data-ticket")))
	}
}

// reloads is how often somebody tries again before giving up.
const reloads = 8

// ask sends until there is an answer worth reading: what breaks is reloaded, a refusal is
// asked again when it says, give or take what people are like. nil when nothing helped or
// time is over.
func (b *browser) ask(ctx context.Context, method, address string, form url.Values) *page {
	var p *page
	for try := 0; try < reloads && ctx.Err() == nil; try++ {
		var err error
		p, err = b.send(ctx, method, address, form)
		wait := between(b.d, 200*time.Millisecond, time.Second)
		switch {
		case err != nil, p.Header.Get(lost) != "":
			b.w.add("reloaded after a broken answer")
		case p.Status == http.StatusServiceUnavailable:
			b.last = p
			n, _ := strconv.Atoi(p.Header.Get("Retry-After")) // looked at above
			wait += min(time.Duration(n)*time.Second, b.w.p.poll)
		default:
			return p
		}
		p = nil
		pause(ctx, wait)
	}
	if ctx.Err() == nil {
		b.w.add("gave up reloading")
	}
	return p
}

// open goes to an address and on, as redirects say; then it is the page that is open.
func (b *browser) open(ctx context.Context, address string) *page {
	return b.follow(ctx, b.ask(ctx, http.MethodGet, address, nil))
}

func (b *browser) follow(ctx context.Context, p *page) *page {
	for n := 0; p != nil && p.Status >= 300 && p.Status < 400 && n < 10; n++ {
		b.arrived(p.Location)
		p = b.ask(ctx, http.MethodGet, p.Resolve(p.Location), nil)
	}
	if p != nil {
		b.show(ctx, p)
	}
	return p
}

// arrived notes whose hold an address is.
func (b *browser) arrived(location string) {
	u, err := url.Parse(location)
	if err != nil {
		return
	}
	if rest, ok := strings.CutPrefix(u.Path, "/holds/"); ok {
		b.hold, _, _ = strings.Cut(rest, "/")
		b.w.lives.Store(b.hold, true)
	}
}

// submit sends a form of the open page and follows.
func (b *browser) submit(ctx context.Context, f *apptest.Form) *page {
	return b.follow(ctx, b.ask(ctx, http.MethodPost, b.last.Resolve(f.Action), f.Values))
}

// show makes p the open page: what it offers, what it asks, and its parts.
func (b *browser) show(ctx context.Context, p *page) {
	b.last, b.offer, b.poll = p, nil, ""
	if b.form = p.Form("/holds"); b.form != nil {
		b.offer = b.form.Seats
	}
	var parts []string
	p.Tokens(func(t html.Token) bool {
		src, _ := apptest.Attr(t, "src")
		if t.Data == "link" {
			src, _ = apptest.Attr(t, "href")
		}
		if strings.HasPrefix(src, "/static/") && !b.seen[src] {
			b.seen[src] = true
			parts = append(parts, src)
		}
		if id, _ := apptest.Attr(t, "id"); id == "poll" {
			b.poll, _ = apptest.Attr(t, "hx-get")
		}
		return true
	})
	for _, src := range parts {
		if strings.HasPrefix(p.URL.String(), b.w.url+"/") {
			_, _ = b.send(ctx, http.MethodGet, p.Resolve(src), nil) // a page without its colours is a page
		}
	}
}

// ponder is a person thinking while the page that is open keeps itself up to date.
func (b *browser) ponder(ctx context.Context, d time.Duration) {
	for end := time.Now().Add(d); ctx.Err() == nil; b.refresh(ctx) {
		next := between(b.d, b.w.p.poll*3/4, b.w.p.poll*5/4)
		if left := time.Until(end); b.poll == "" || left <= next {
			pause(ctx, left)
			return
		}
		pause(ctx, next)
	}
}

// refresh is one poll: 204, or the changed seats.
func (b *browser) refresh(ctx context.Context) {
	if b.poll == "" {
		return
	}
	p, err := b.send(ctx, http.MethodGet, b.last.Resolve(b.poll), nil)
	if err != nil || p.Status != http.StatusOK || p.Header.Get(lost) != "" {
		return
	}
	p.Tokens(func(t html.Token) bool {
		id, _ := apptest.Attr(t, "id")
		if seat, ok := strings.CutPrefix(id, "s-"); ok {
			b.offer = without(b.offer, seat)
		}
		if name, _ := apptest.Attr(t, "name"); name == "seat" {
			seat, _ := apptest.Attr(t, "value")
			b.offer = append(without(b.offer, seat), seat)
		}
		if id == "poll" {
			b.poll, _ = apptest.Attr(t, "hx-get")
		}
		return true
	})
}

func without(seats []string, seat string) []string {
	out := seats[:0:0]
	for _, s := range seats {
		if s != seat {
			out = append(out, s)
		}
	}
	return out
}
