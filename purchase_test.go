package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// buyer is one customer on the way from the seat page to a paid booking.
type buyer struct {
	*browser
	w    *world
	hold string // /holds/{id}
}

// hold takes seats on the seat page and returns the answer to the form.
func (b *buyer) choose(eventPath string, seats ...string) *page {
	b.t.Helper()
	p := b.get(b.w.URL + eventPath).want(200)
	f := p.form("/holds")
	for _, s := range seats {
		if !slices.Contains(f.boxes, s) {
			b.t.Fatalf("%s does not offer seat %s: %v", eventPath, s, f.boxes)
		}
	}
	answer := b.submit(p, f, url.Values{"seat": seats}, "")
	if answer.status == 303 {
		b.hold = strings.TrimPrefix(answer.resolve(answer.location), b.w.URL)
	}
	return answer
}

// details fills the hold page in and returns the review page.
func (b *buyer) details(extra url.Values) *page {
	b.t.Helper()
	p := b.get(b.w.URL + b.hold).want(200)
	f := p.form("/details")
	change := url.Values{"name": {"Nimali Fernando"}, "email": {"nimali@example.com"}}
	for name := range f.values {
		if strings.HasPrefix(name, "passenger.") {
			change.Set(name, "Passenger "+strings.TrimPrefix(name, "passenger."))
		}
	}
	for k, v := range extra {
		change[k] = v
	}
	return b.follow(b.submit(p, f, change, "")).want(200)
}

// pay presses Pay on the review page and returns Stripe's page.
func (b *buyer) pay(review *page) *page {
	b.t.Helper()
	return b.follow(b.submit(review, review.form("/pay"), nil, "").want(303)).want(200)
}

func (w *world) buyer() *buyer { return &buyer{browser: w.browser(), w: w} }

// The whole purchase by a plain HTTP client that only follows links and forms, for a
// screening and for a trip from stop 1 to stop 3.
func TestPurchaseWithoutJavaScript(t *testing.T) {
	t.Parallel()
	var hall, trip dbtest.Event
	w := newWorld(t, func(d *db.DB) {
		hall, trip = dbtest.Screening(t, d, 3, 8), dbtest.Trip(t, d, 5, 4)
	}, nil)
	for _, c := range []struct {
		name, path string
		seats      []string
		extra      url.Values
		total      string
		tickets    int
	}{
		{"cinema", eventPath(hall.ID), []string{"A3", "C4"}, url.Values{"type.A3": {"child"}}, "2100", 2},
		{"bus", eventPath(trip.ID) + "?from=1&to=3", []string{"2A", "2B"}, url.Values{"phone": {"077 555 0119"}}, "4000", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := w.buyer()
			b.t = t
			b.choose(c.path, c.seats...).want(303)
			review := b.details(c.extra)
			stripe := b.pay(review)
			pay := review.form("/pay")
			if pay.method != "post" {
				t.Errorf("pay form is %q", pay.method)
			}
			if got := stripe.values("data-amount"); !slices.Contains(got, c.total) {
				t.Errorf("Stripe's page asks for %v, want %s", got, c.total)
			}
			done := b.follow(b.submit(stripe, stripe.form(stripe.url.Path), nil, "action=pay")).want(200)
			if !strings.HasPrefix(done.url.Path, "/bookings/") {
				t.Fatalf("after paying at %s", done.url)
			}
			if got := done.values("data-ticket"); len(got) != c.tickets {
				t.Errorf("%d tickets, want %d", len(got), c.tickets)
			}
			for _, s := range c.seats {
				if len(done.all("article", "data-seat", s)) != 1 {
					t.Errorf("no ticket for %s", s)
				}
			}
			if ref := done.values("data-reference"); len(ref) != 1 || len(ref[0]) != 7 || ref[0][3] != '-' {
				t.Errorf("reference %v", ref)
			}
			for _, a := range done.all("a", "href", "") {
				if href, _ := attribute(a, "href"); strings.HasPrefix(href, "/t/") {
					b.get(done.resolve(href)).want(200)
				}
			}
		})
	}
	w.clean()
}

func eventPath(id int64) string { return "/events/" + itoa(id) }
