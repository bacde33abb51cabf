package main

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// claims is how many choices of seats ended so, as /metrics says.
func (w *world) claims(outcome string) int {
	w.t.Helper()
	p := w.browser().ask("GET", w.URL+"/metrics", "", map[string]string{"Authorization": "Bearer watch"})
	m := regexp.MustCompile(`holdfast_claims_total\{outcome="` + outcome + `"\} (\d+)`).FindStringSubmatch(p.want(200).body)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// In a crowd a stranger who wants what is certainly held hears it without the database,
// with the whole page; the moment the seat is let go the next stranger has it.
func TestCrowd_RefusedFromMemoryAndForgotten(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 2, 4) }, map[string]string{"METRICS_TOKEN": "watch"})
	path := eventPath(ev.ID)
	holder := w.on(t)
	holder.choose(path, "A1").want(303)
	var last *page
	for range 60 {
		last = w.on(t).seats(ev.ID, seatFields("A1", "A2")).want(409)
	}
	if n := w.claims("lost_early"); n < 20 {
		t.Errorf("%d of 60 were refused from memory", n)
	}
	last.refusal([]string{"A1"}, "A2")
	if cookies := last.header.Values("Set-Cookie"); len(cookies) != 0 {
		t.Errorf("who holds nothing got %v", cookies)
	}
	if p := w.on(t).seats(ev.ID, seatFields("A3")); p.status != 303 {
		t.Errorf("a free seat in a crowd: %d", p.status)
	}
	holder.send("/release", nil).want(303)
	if p := w.on(t).seats(ev.ID, seatFields("A1", "A2")); p.status != 303 {
		t.Errorf("seats that were let go a moment ago: %d %.300s", p.status, p.text())
	}
	w.clean()
}

// The same crowd: a hold whose time is moved, or that another process lets go, is refused
// for a moment at most, and somebody who holds a seat keeps it.
func TestCrowd_NeverRefusedForLong(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 1, 4) }, map[string]string{"METRICS_TOKEN": "watch"})
	path := eventPath(ev.ID)
	holder := w.on(t)
	holder.choose(path, "A1").want(303)
	for range 40 {
		w.on(t).seats(ev.ID, seatFields("A1")).want(409)
	}
	holder.choose(path, "A1", "A2").want(303) // one's own is never refused
	w.exec(`UPDATE event_seats SET held_until = now() - interval '1 second' WHERE seat_no = 'A1'`)
	w.eventuallySim("a hold that is over is for others", func() bool { return w.on(t).seats(ev.ID, seatFields("A1")).status == 303 })
	if n := w.claims("lost_early"); n == 0 {
		t.Error("nobody was refused from memory")
	}
}

// Strangers share one page with its tag; who holds seats gets a page of his own at the
// same address, and what happens meanwhile is on the next look.
func TestSnapshot_StrangersShareOnePage(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 2, 4) }, nil)
	url := w.URL + eventPath(ev.ID)
	first := w.browser().get(url).want(200)
	tag := first.header.Get("Etag")
	if tag == "" || first.header.Get("Content-Security-Policy") == "" || first.header.Get("X-Frame-Options") != "DENY" {
		t.Fatalf("headers %v", first.header)
	}
	if again := w.browser().ask("GET", url, "", map[string]string{"If-None-Match": tag}); again.status != 304 || again.body != "" {
		t.Errorf("with its tag: %d %q", again.status, again.body)
	}
	plain := w.browser().ask("GET", url, "", map[string]string{"Accept-Encoding": "identity"})
	if plain.want(200).body != first.body || plain.header.Get("Content-Encoding") != "" {
		t.Error("the page is another without compression")
	}
	v := first.values("data-v")[0]
	w.browser().get(url + "/seats?v=" + v).want(204)

	holder := w.on(t)
	holder.choose(eventPath(ev.ID), "A2").want(303)
	if mine := holder.get(url).want(200); !slices.Equal(mine.ticked(), []string{"A2"}) || mine.header.Get("Etag") == tag {
		t.Error("somebody who holds A2 gets the strangers' page")
	}
	now := w.browser().ask("GET", url, "", map[string]string{"If-None-Match": tag})
	if slices.Contains(now.want(200).boxes(), "A2") {
		t.Error("a stranger is offered a seat that is held")
	}
	update := w.browser().get(url + "/seats?v=" + v).want(200)
	if !strings.Contains(update.body, "s-A2") || strings.Contains(update.body, "s-A3") {
		t.Errorf("the update has not A2 alone: %.400s", update.body)
	}
	for _, odd := range []string{"/events/0" + fmt.Sprint(ev.ID), "/events/-1", "/events/99999999999999999999", "/events/999"} {
		w.browser().get(w.URL + odd).want(http.StatusNotFound)
	}
}
