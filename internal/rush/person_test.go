package rush

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"holdfast/internal/apptest"
)

// kind is how a person goes about it.
type kind string

const (
	buyer    kind = "buys"
	quitter  kind = "closes the browser with seats held"
	letsGo   kind = "lets go of the seats"
	late     kind = "pays when the time is over"
	twice    kind = "clicks twice"
	changer  kind = "takes other seats before paying"
	waverer  kind = "comes back from Stripe, then pays"
	vanisher kind = "pays and never comes back"
)

func (b *browser) seatPage() string { return fmt.Sprintf("%s/events/%d", b.w.url, b.event) }

// live is the whole evening of one person.
func (b *browser) live(ctx context.Context) {
	p := b.open(ctx, b.seatPage())
	for ; p != nil && p.Status == http.StatusNotFound; p = b.open(ctx, b.seatPage()) { // not on sale yet
		b.w.add("reloaded before it was open")
		pause(ctx, between(b.d, 200*time.Millisecond, time.Second))
	}
	b.ponder(ctx, time.Until(b.press))
	for try, dry := 0, 0; try < 12 && ctx.Err() == nil; {
		if len(b.offer) == 0 {
			if dry++; dry > b.w.p.rounds {
				break
			}
			b.waitForSeats(ctx)
			continue
		}
		try++
		if b.claim(ctx) {
			b.own(ctx)
			return
		}
		b.ponder(ctx, between(b.d, b.w.p.think/20, b.w.p.think/4))
	}
	if b.hold == "" && len(b.offer) == 0 && b.settledNo() == "" {
		b.open(ctx, b.seatPage())
	}
}

// waitForSeats keeps the page open for a poll; a page that cannot ask is reloaded.
func (b *browser) waitForSeats(ctx context.Context) {
	pause(ctx, between(b.d, b.w.p.poll*3/4, b.w.p.poll*5/4))
	if b.refresh(ctx); len(b.offer) == 0 {
		b.open(ctx, b.seatPage())
	}
}

// claim ticks seats beside each other, rather in the middle, and presses Continue.
func (b *browser) claim(ctx context.Context) (won bool) {
	f := b.form
	if f == nil { // a seat was let go since the page was loaded without any
		f = &apptest.Form{Action: fmt.Sprintf("/events/%d/holds", b.event), Values: url.Values{}}
	}
	n := min(b.want, len(b.offer))
	at := (b.d.IntN(len(b.offer)) + b.d.IntN(len(b.offer))) / 2
	f.Values["seat"] = slices.Clone(b.offer[min(at, len(b.offer)-n):][:n])
	if b.kind == twice {
		b.firstClick(ctx, f)
	}
	before := b.hold
	p := b.submit(ctx, f)
	if p == nil {
		return false
	}
	switch {
	case b.hold != "" && b.hold != before, before != "" && p.Status == http.StatusOK && p.Form("/details") != nil:
		b.w.add("claim won")
		return true
	case p.Status == http.StatusConflict && len(p.Values("data-lost")) > 0:
		b.w.add("claim lost")
	default:
		b.w.add("claim answered " + http.StatusText(p.Status))
	}
	return false
}

// firstClick is followed by a second one at once: a browser drops what it sent first.
func (b *browser) firstClick(ctx context.Context, f *apptest.Form) {
	first, cancel := context.WithCancel(ctx)
	gone := make(chan struct{})
	address, values := b.last.Resolve(f.Action), f.Values.Encode()
	go func() {
		defer close(gone)
		req, err := http.NewRequestWithContext(first, http.MethodPost, address, strings.NewReader(values))
		if err != nil {
			return
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		_, _ = apptest.Read(b.http.Do(req))
	}()
	pause(ctx, between(b.d, 5*time.Millisecond, 60*time.Millisecond))
	cancel()
	<-gone
	b.w.add("first of two clicks")
}

// own is what a person does who holds seats.
func (b *browser) own(ctx context.Context) {
	b.think(ctx)
	switch b.kind {
	case quitter:
		b.leave()
		return
	case letsGo:
		if f := b.last.Form("/release"); f != nil {
			b.submit(ctx, f)
			b.w.add("let go")
		}
		b.leave()
		return
	case changer:
		if b.open(ctx, b.seatPage()); len(b.offer) > 0 {
			b.claim(ctx)
			b.w.add("took other seats")
		}
		b.open(ctx, b.w.url+"/holds/"+b.hold)
	}
	b.buy(ctx)
}

// leave closes the browser without seats.
func (b *browser) leave() {
	b.left = true
	b.w.lives.Delete(b.hold)
}

func (b *browser) think(ctx context.Context) { pause(ctx, between(b.d, b.w.p.think/10, b.w.p.think)) }

// buy goes from the hold to its end, with a few tries at paying.
func (b *browser) buy(ctx context.Context) {
	for try := 0; try < 4 && ctx.Err() == nil; try++ {
		if b.last.Form("/details") != nil {
			b.details(ctx)
		}
		f := b.last.Form("/pay")
		if f == nil {
			return // booked, ended, lost: the page says it
		}
		b.think(ctx)
		if b.kind == twice {
			b.firstClick(ctx, f)
		}
		p := b.ask(ctx, http.MethodPost, b.last.Resolve(f.Action), f.Values)
		if p == nil {
			continue
		}
		if !strings.HasPrefix(p.Location, b.w.stripe.url) {
			b.w.add("pay answered " + http.StatusText(p.Status))
			b.follow(ctx, p)
			continue
		}
		if b.atStripe(ctx, p.Location) {
			return
		}
	}
}

func (b *browser) details(ctx context.Context) {
	f := b.last.Form("/details")
	f.Values.Set("name", "Nimali Fernando")
	f.Values.Set("email", fmt.Sprintf("n%d@example.com", b.n))
	for name := range f.Values {
		if strings.HasPrefix(name, "passenger.") {
			f.Values.Set(name, "Passenger "+strings.TrimPrefix(name, "passenger."))
		}
	}
	b.think(ctx)
	b.submit(ctx, f)
}

// atStripe is the hosted page; done when nothing is left to do here.
func (b *browser) atStripe(ctx context.Context, address string) (done bool) {
	b.w.add("at Stripe")
	b.think(ctx)
	switch b.kind {
	case waverer:
		b.kind = buyer
		if p := b.ask(ctx, http.MethodPost, address, url.Values{"action": {"cancel"}}); p != nil {
			b.follow(ctx, p)
		}
		return false
	case late: // the time is over, and somebody may want the seats
		b.w.timeEnds(ctx, b.hold)
		pause(ctx, between(b.d, 0, b.w.p.think/2))
	}
	b.paid = true
	p := b.ask(ctx, http.MethodPost, address, url.Values{"action": {"pay"}})
	b.w.add("pressed Pay at Stripe")
	if p == nil || b.kind == vanisher {
		return true
	}
	if p.Status != http.StatusSeeOther { // Stripe's page has ended, and has a link back
		b.open(ctx, b.w.url+"/holds/"+b.hold+"/return")
		return true
	}
	for p = b.follow(ctx, p); p != nil && p.Status == http.StatusAccepted && ctx.Err() == nil; p = b.open(ctx, b.w.url+"/holds/"+b.hold+"/return") {
		b.w.add("being checked")
		pause(ctx, between(b.d, time.Second, 2*time.Second))
	}
	return true
}
