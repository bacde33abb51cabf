package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// The smallest pool that keeps connections for money: one claim and one page at a time.
var narrow = map[string]string{"DB_POOL_SIZE": "6", "METRICS_TOKEN": "a-long-random-token"}

// keep locks rows or a table away from everybody until release.
func (w *world) keep(sql string, args ...any) (release func()) {
	w.t.Helper()
	tx, err := w.DB.Pool().Begin(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := tx.Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatal(err)
	}
	return sync.OnceFunc(func() { _ = tx.Rollback(context.Background()) })
}

// Pages for which there is no room: people get a page that tries the same again, a poll
// some words that leave the open page alone, programs JSON; all are told when to come
// back, not all at the same time, and the monitor hears of each.
func TestShed_Pages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, narrow)
	release := w.keep(`LOCK TABLE films IN ACCESS EXCLUSIVE MODE`)
	defer release()
	var slow sync.WaitGroup
	slow.Go(func() { w.browser().get(w.URL + "/films/1/poster") })
	w.eventually("a page hangs", stuckSQL+` >= 1`)

	address := w.URL + "/find?from=%22%3E%3Cscript%3E"
	asks := []map[string]string{{}, {"HX-Request": "true"}, {"Accept": "application/json"}, {"Accept": "text/html,application/json"}, {}, {}, {}, {}}
	answers := make([]*page, len(asks))
	atOnce(len(asks), func(i int) { answers[i] = w.browser().ask("GET", address, "", asks[i]) })
	waits := map[string]bool{}
	for i, p := range answers {
		p.want(503)
		wait, err := strconv.Atoi(p.header.Get("Retry-After"))
		if err != nil || wait < 5 || wait > 20 {
			t.Errorf("come back after %q", p.header.Get("Retry-After"))
		}
		waits[p.header.Get("Retry-After")] = true
		if p.header.Get("Cache-Control") != "no-store" || p.header.Get("X-Request-Id") == "" || p.header.Get("Content-Security-Policy") == "" {
			t.Errorf("headers %v", p.header)
		}
		kind := p.header.Get("Content-Type")
		switch {
		case asks[i]["HX-Request"] != "":
			if !strings.HasPrefix(kind, "text/plain") || strings.Contains(p.body, "<") {
				t.Errorf("a poll gets %s: %s", kind, p.body)
			}
		case asks[i]["Accept"] == "application/json":
			if kind != "application/json" || !strings.Contains(p.body, `"error"`) {
				t.Errorf("a program gets %s: %s", kind, p.body)
			}
		default:
			p.says("Very many people are here right now", "Please try again in "+p.header.Get("Retry-After")+" seconds", "Seats you hold stay held", "nothing was charged")
			if p.resolve(p.link("Try again")) != address || strings.Contains(p.body, "<script>") || strings.Contains(p.body, "mark") || strings.Contains(p.body, "http-equiv") {
				t.Errorf("the page:\n%s", p.body)
			}
		}
	}
	if len(waits) < 2 {
		t.Errorf("all are told the same time: %v", waits)
	}
	// Money and monitors do not notice.
	w.browser().get(w.URL + "/holds/0b7c4c7e-0000-4000-8000-000000000000").want(404)
	w.browser().get(w.URL + "/readyz").want(200)
	release()
	slow.Wait()
	w.browser().get(address).want(200)
	w.tells(fmt.Sprintf(`holdfast_shed_total{class="pages",reason="waited"} %d`, len(asks)), `holdfast_gate_requests{class="pages",place="inside"} 0`,
		`holdfast_gate_requests{class="pages",place="width"} 1`, `holdfast_gate_requests{class="pages",place="waiting"} 0`)
}

// link is where a link of the page with these words goes.
func (p *page) link(words string) string {
	p.t.Helper()
	for _, a := range p.all("a", "href", "") {
		if strings.TrimSpace(textOf(a)) == words {
			href, _ := attribute(a, "href")
			return href
		}
	}
	p.t.Errorf("no link %q", words)
	return ""
}

// A choice of seats for which there is no room comes back as a form with the same seats,
// and one press sends it again.
func TestShed_ClaimComesAgain(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 2, 8) }, narrow)
	release := w.keep(`SELECT 1 FROM event_seats WHERE event_id = $1 FOR UPDATE`, ev.ID)
	defer release()
	var b *buyer
	var p *page
	var mu sync.Mutex
	atOnce(6, func(int) {
		one := w.on(t)
		answer := one.seats(ev.ID, url.Values{"seat": {"B2", "B1"}, "else": {`"><b>`}})
		mu.Lock()
		defer mu.Unlock()
		if answer.status == 503 {
			b, p = one, answer
		}
	})
	if p == nil {
		t.Fatal("none was sent away")
	}
	p.says("Very many people are here right now", "seconds")
	f := p.form(eventPath(ev.ID) + "/holds")
	if f.method != "post" || fmt.Sprint(f.values["seat"]) != "[B2 B1]" || f.values.Get("else") != `"><b>` {
		t.Fatalf("the form: %+v", f)
	}
	release()
	b.submit(p, f, nil, "").want(303)
}

// Staff's forms may hold passwords: they are never in the page.
func TestShed_StaffFormsStayTheirs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, narrow)
	release := w.keep(`LOCK TABLE staff IN ACCESS EXCLUSIVE MODE`)
	defer release()
	const crowd = 70 // more than one inside and sixty in line
	answers := make([]*page, crowd)
	atOnce(crowd, func(i int) {
		answers[i] = w.browser().post(w.URL+"/staff/login", url.Values{"email": {"owner@example.com"}, "password": {"sesame-open"}})
	})
	full := 0
	for _, p := range answers {
		if strings.Contains(p.body, "sesame-open") {
			t.Fatal("a password is in the page")
		}
		if p.status == 503 && strings.Contains(p.body, "data-shed") {
			full++
			p.says("Please go back in", "What you typed is still there")
		}
	}
	if full == 0 {
		t.Error("none was sent away")
	}
}

// Browsers on slow lines that never finish their forms keep nobody else out.
func TestShed_SlowForms(t *testing.T) {
	t.Parallel()
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 2, 8) }, narrow)
	for range 20 {
		c, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST %s/holds HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nseat=A1&", eventPath(ev.ID))
	}
	w.on(t).choose(eventPath(ev.ID), "A1").want(303)
}

// tells checks lines of what the monitor reads.
func (w *world) tells(lines ...string) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.URL+"/metrics", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.env["METRICS_TOKEN"])
	b := w.browser()
	body := b.read(b.Do(r)).want(200).body
	for _, line := range lines {
		if !strings.Contains(body, line+"\n") {
			w.t.Errorf("%s is not told", line)
		}
	}
}
