package scale

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"holdfast/internal/apptest"
)

var errNoForm = errors.New("the page has no such form")

// customer is one browser without scripts.
type customer struct {
	s    *shop
	http http.Client
	base string // the process that is asked
	d    *rand.Rand
}

// crowd lets one customer after another come until ctx ends.
func (s *shop) crowd(ctx context.Context, number int) {
	d := rand.New(rand.NewPCG(7, uint64(number)))
	for ctx.Err() == nil {
		jar, err := cookiejar.New(nil)
		if err != nil {
			panic(err) // only for bad options, and there are none
		}
		c := &customer{s: s, base: s.urls[d.IntN(len(s.urls))], d: d, http: http.Client{Jar: jar, Timeout: 30 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
		if c.buy(ctx) != nil {
			pause(ctx, 200*time.Millisecond) // as somebody who presses "try again"
		}
	}
}

// buy goes from the list to the tickets; an error is a purchase that ended before.
func (c *customer) buy(ctx context.Context) error {
	if _, err := c.get(ctx, c.base+"/"); err != nil {
		return err
	}
	ev := c.s.events[c.d.IntN(len(c.s.events))]
	p, err := c.get(ctx, fmt.Sprintf("%s/events/%d", c.base, ev.ID))
	if err != nil {
		return err
	}
	f := p.Form("/holds")
	if f == nil || len(f.Seats) == 0 {
		return errNoForm // sold out
	}
	first := min(c.d.IntN(4), len(f.Seats)-1) // all want the front seats
	f.Values["seat"] = f.Seats[first:min(first+1+c.d.IntN(2), len(f.Seats))]
	if p, err = c.post(ctx, p.Resolve(f.Action), f.Values); err != nil {
		return err
	}
	if p.Status != http.StatusSeeOther {
		c.s.tally.add("hold " + http.StatusText(p.Status))
		return errNoForm
	}
	c.s.tally.held(time.Now())
	if p, err = c.follow(ctx, p); err != nil {
		return err
	}
	if p, err = c.submit(ctx, p, "/details", url.Values{"name": {"Nimali Fernando"}, "email": {"n@example.com"}}); err != nil {
		return err
	}
	if p, err = c.submit(ctx, p, "/pay", nil); err != nil {
		return err
	}
	if p.Form(p.URL.Path) == nil && !strings.HasPrefix(p.URL.String(), c.s.stripe) {
		return errNoForm
	}
	c.s.tally.add("paid at Stripe")
	if p, err = c.follow2(ctx, p.URL.String()); err != nil {
		return err
	}
	for range 200 { // "being checked": the page looks again by itself
		if strings.HasPrefix(p.URL.Path, "/bookings/") && p.Status == http.StatusOK {
			c.s.tally.told(p)
			return nil
		}
		if p.Status != http.StatusAccepted && p.Status != http.StatusServiceUnavailable {
			break
		}
		pause(ctx, 300*time.Millisecond)
		if p, err = c.get(context.WithoutCancel(ctx), p.URL.String()); err != nil {
			return err
		}
		if p, err = c.follow(context.WithoutCancel(ctx), p); err != nil {
			return err
		}
	}
	c.s.tally.add(fmt.Sprintf("paid, and then %d on %s", p.Status, strings.Join(strings.Split(p.URL.Path, "/")[:2], "/")))
	return nil
}

// follow2 presses Pay on Stripe's page: from here on the customer waits for an end, also
// when the time is up.
func (c *customer) follow2(ctx context.Context, page string) (*apptest.Page, error) {
	ctx = context.WithoutCancel(ctx)
	p, err := c.post(ctx, page, url.Values{"action": {"pay"}})
	if err != nil {
		return nil, err
	}
	return c.follow(ctx, p)
}

func (c *customer) get(ctx context.Context, address string) (*apptest.Page, error) {
	return c.send(ctx, http.MethodGet, address, nil)
}

func (c *customer) post(ctx context.Context, address string, f url.Values) (*apptest.Page, error) {
	return c.send(ctx, http.MethodPost, address, f)
}

func (c *customer) send(ctx context.Context, method, address string, f url.Values) (*apptest.Page, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r, err := http.NewRequestWithContext(context.WithoutCancel(ctx), method, address, strings.NewReader(f.Encode()))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	p, err := apptest.Read(c.http.Do(r))
	if err != nil {
		c.s.tally.wrong("answers", "%s %s: %v", method, r.URL.Path, err)
		return nil, err
	}
	c.s.tally.saw(p)
	return p, nil
}

// follow walks redirects until an answer has none.
func (c *customer) follow(ctx context.Context, p *apptest.Page) (*apptest.Page, error) {
	var err error
	for range 10 {
		if p.Status < 300 || p.Status > 399 {
			break
		}
		if p, err = c.get(ctx, p.Resolve(p.Location)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// submit sends a form of the page with changes on top and follows.
func (c *customer) submit(ctx context.Context, p *apptest.Page, suffix string, change url.Values) (*apptest.Page, error) {
	f := p.Form(suffix)
	if f == nil {
		return nil, errNoForm
	}
	for k, v := range change {
		f.Values[k] = v
	}
	for k := range f.Values {
		if seat, ok := strings.CutPrefix(k, "passenger."); ok {
			f.Values.Set(k, "Passenger "+seat)
		}
	}
	p, err := c.post(ctx, p.Resolve(f.Action), f.Values)
	if err != nil {
		return nil, err
	}
	return c.follow(ctx, p)
}
