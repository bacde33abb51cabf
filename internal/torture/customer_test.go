package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

var errNoForm = errors.New("the page has no such form")

// customer is one visitor with two tabs: two goroutines with one cookie jar.
type customer struct {
	r  *rig
	c  *client
	at sale

	mu   sync.Mutex
	hold string // /holds/{id}, "" before the first
	done bool   // saw tickets or gave up
}

// crowd lets one customer after another come until ctx ends.
func (r *rig) crowd(ctx context.Context, number uint64) {
	d := r.dice(1000 + number)
	for n := 0; ctx.Err() == nil; n++ {
		b := &customer{r: r, c: r.client(), at: r.onSale(d)}
		b.choose(d) // the second tab is opened later: both are one visitor
		b.c.known = b.held() != ""
		var tabs sync.WaitGroup
		for range 2 {
			own := rand.New(rand.NewPCG(d.Uint64(), d.Uint64()))
			tabs.Go(func() { b.tab(ctx, own) })
		}
		tabs.Wait()
		if hold := b.held(); hold != "" && d.IntN(2) == 0 { // comes back later; the others never do
			_, _ = b.c.follow(b.c.get(r.url + hold + "/return"))
		}
		r.tally.add("customers")
	}
}

// tab does a few things in whatever order.
func (b *customer) tab(ctx context.Context, d *rand.Rand) {
	for range 4 + d.IntN(8) {
		if ctx.Err() != nil || b.over() {
			return
		}
		b.act(ctx, d)
		pause(ctx, between(d, 0, 150*time.Millisecond))
	}
}

func (b *customer) act(ctx context.Context, d *rand.Rand) {
	hold := b.held()
	if hold == "" {
		if b.choose(d); b.held() == "" {
			pause(ctx, between(d, 0, 500*time.Millisecond))
		}
		return
	}
	switch n := d.IntN(100); {
	case n < 45:
		b.buy(ctx, d, hold)
	case n < 53:
		_, _ = b.details(d, hold)
	case n < 65:
		b.choose(d) // other seats, a payment page open or not
	case n < 73:
		b.press(hold, "/extend", "extend")
	case n < 78:
		b.press(hold, "/release", "release")
		b.set("")
	case n < 86:
		_, _ = b.c.follow(b.c.get(b.r.url + hold + "/return"))
	case n < 92:
		_, _ = b.c.get(b.r.url + hold + "/clock")
	default:
		b.lookAt(hold)
	}
}

func (b *customer) held() string { b.mu.Lock(); defer b.mu.Unlock(); return b.hold }
func (b *customer) over() bool   { b.mu.Lock(); defer b.mu.Unlock(); return b.done }

func (b *customer) set(hold string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hold = hold
}

// saw ends the customer when the page shows tickets.
func (b *customer) saw(p *page) {
	if p != nil && strings.HasPrefix(p.URL.Path, "/bookings/") && p.Status == http.StatusOK {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.done = true
	}
}

func (b *customer) lookAt(hold string) {
	p, err := b.c.follow(b.c.get(b.r.url + hold))
	if err != nil {
		return
	}
	b.saw(p)
	if p.Status == http.StatusGone || p.Status == http.StatusNotFound {
		b.set("")
	}
}

func (b *customer) press(hold, act, name string) {
	p, err := b.c.post(b.r.url+hold+act, nil)
	if err == nil {
		b.r.tally.add(name + " " + http.StatusText(p.Status))
	}
}

// choose takes one to three seats of the event, as its page offers them.
func (b *customer) choose(d *rand.Rand) {
	address := fmt.Sprintf("%s/events/%d", b.r.url, b.at.ID)
	if b.at.legs > 1 {
		from := d.IntN(b.at.legs)
		address += fmt.Sprintf("?from=%d&to=%d", from, from+1+d.IntN(b.at.legs-from))
	}
	p, err := b.c.get(address)
	if err != nil {
		return
	}
	f := p.Form("/holds")
	if f == nil || len(f.Seats) == 0 {
		b.r.tally.add("nothing on offer")
		return
	}
	d.Shuffle(len(f.Seats), func(i, j int) { f.Seats[i], f.Seats[j] = f.Seats[j], f.Seats[i] })
	f.Values["seat"] = f.Seats[:1+d.IntN(min(3, len(f.Seats)))]
	p, err = b.c.post(p.Resolve(f.Action), f.Values)
	if err != nil {
		return
	}
	switch {
	case p.Status == http.StatusSeeOther && strings.HasPrefix(p.Location, "/holds/"):
		b.r.tally.add("hold won")
		b.set(p.Location)
	case p.Status == http.StatusSeeOther: // paid already
		p, _ = b.c.follow(p, nil)
		b.saw(p)
	case p.Status == http.StatusConflict:
		b.r.tally.add("hold lost")
	default:
		b.r.tally.add("hold " + http.StatusText(p.Status))
	}
}

// details fills the hold's form in and comes to the review page.
func (b *customer) details(d *rand.Rand, hold string) (*page, error) {
	p, err := b.c.follow(b.c.get(b.r.url + hold))
	if err != nil {
		return nil, err
	}
	b.saw(p)
	f := p.Form("/details")
	if f == nil {
		if p.Status == http.StatusGone {
			b.set("")
		}
		return p, errNoForm
	}
	change := url.Values{"name": {"Nimali Fernando"}, "email": {fmt.Sprintf("n%d@example.com", d.IntN(1e6))}}
	for name := range f.Values {
		switch {
		case strings.HasPrefix(name, "passenger."):
			change.Set(name, "Passenger "+strings.TrimPrefix(name, "passenger."))
		case strings.HasPrefix(name, "type.") && d.IntN(4) == 0:
			change.Set(name, "child")
		}
	}
	return b.c.follow(b.c.submit(p, "/details", change))
}

// buy goes from the hold to Stripe's page and does there what people do.
func (b *customer) buy(ctx context.Context, d *rand.Rand, hold string) {
	p, err := b.details(d, hold)
	if err != nil {
		return
	}
	f := p.Form("/pay")
	if f == nil {
		b.saw(p)
		return
	}
	address := p.Resolve(f.Action)
	if d.IntN(6) == 0 { // the second click of an impatient hand
		go func() { _, _ = b.c.post(address, f.Values) }()
	}
	b.r.tally.add("pay pressed")
	p, err = b.c.post(address, f.Values)
	if err != nil {
		return
	}
	if !strings.HasPrefix(p.Location, b.r.stripe) {
		b.r.tally.add("pay " + http.StatusText(p.Status))
		p, _ = b.c.follow(p, nil)
		b.saw(p)
		return
	}
	b.r.tally.add("pay page")
	b.atStripe(ctx, d, hold, p.Location)
}

// atStripe is what people do on the hosted page.
func (b *customer) atStripe(ctx context.Context, d *rand.Rand, hold, address string) {
	act := func(button string) *page {
		p, err := b.c.post(address, url.Values{"action": {button}})
		if err != nil {
			return nil
		}
		b.r.tally.add("stripe " + button)
		return p
	}
	if d.IntN(6) == 0 { // the countdown ends while the card is being looked for
		b.r.end(ctx, strings.TrimPrefix(hold, "/holds/"))
		pause(ctx, between(d, 0, 400*time.Millisecond))
	}
	var p *page
	switch n := d.IntN(100); {
	case n < 60:
		p = act("pay")
	case n < 72:
		act("decline")
		p = act("pay")
	case n < 78:
		act("decline")
		return
	case n < 86:
		p = act("cancel")
	default:
		b.r.tally.add("stripe closed the browser")
		return
	}
	if p == nil || d.IntN(100) < 40 { // paid, and the browser is closed
		return
	}
	p, _ = b.c.follow(p, nil)
	b.saw(p)
}

// late is a customer of the event that will be cancelled: on Stripe's page in time, paying
// after it.
func (r *rig) late(ctx context.Context, number uint64, cancelled <-chan struct{}) {
	d := r.dice(2000 + number)
	b := &customer{r: r, c: r.client(), at: r.doomed}
	for address := ""; ctx.Err() == nil; pause(ctx, 200*time.Millisecond) {
		if address == "" {
			address = b.waiting(d)
		}
		select {
		case <-cancelled:
			if address != "" {
				if _, err := b.c.post(address, url.Values{"action": {"pay"}}); err == nil {
					r.tally.add("stripe pay")
					r.tally.add("paid after the event was cancelled")
				}
			}
			return
		default:
		}
	}
}

// waiting brings the customer to Stripe's page; "" when that did not work.
func (b *customer) waiting(d *rand.Rand) string {
	hold := b.held()
	if hold == "" {
		b.choose(d)
		return ""
	}
	p, err := b.details(d, hold)
	if err != nil {
		return ""
	}
	if p, err = b.c.submit(p, "/pay", nil); err != nil || !strings.HasPrefix(p.Location, b.r.stripe) {
		return ""
	}
	return p.Location
}
