package main

import (
	"strings"
	"testing"
)

// Profiles are the owner's alone, and bad wishes are told.
func TestPprof(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	const profile = "/staff/pprof/profile?seconds=1"
	for _, path := range []string{"/staff/pprof", profile, "/staff/pprof/heap"} {
		if p := w.browser().get(w.URL + path); p.status != 303 || !strings.Contains(p.location, "/staff/login") {
			t.Errorf("a stranger at %s: %d %s", path, p.status, p.location)
		}
		w.as(t, "manager").get(w.URL + path).want(403)
	}
	w.browser().get(w.URL + "/debug/pprof/").want(404)

	owner := w.as(t, "owner")
	index := owner.get(w.URL + "/staff/status").want(200)
	if at := index.link("Profiles"); at != "/staff/pprof" {
		t.Errorf("the status page leads to %q", at)
	}
	page := owner.get(w.URL + "/staff/pprof").want(200)
	if got := page.link("Processor, 30 seconds"); got != "/staff/pprof/profile?seconds=30" {
		t.Errorf("processor: %q", got)
	}
	for _, path := range []string{"/staff/pprof/heap", "/staff/pprof/allocs", profile, "/staff/pprof/trace?seconds=1"} {
		p := owner.get(w.URL + path).want(200)
		gzipped, traced := strings.HasPrefix(p.body, "\x1f\x8b"), strings.HasPrefix(p.body, "go 1.")
		if !gzipped && !traced || p.header.Get("Cache-Control") != "no-store" || !strings.Contains(p.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %q %v", path, p.body[:min(20, len(p.body))], p.header)
		}
	}
	if p := owner.get(w.URL + "/staff/pprof/goroutine?debug=1").want(200); !strings.Contains(p.body, "goroutine profile:") {
		t.Errorf("what runs: %.80s", p.body)
	}
	for path, status := range map[string]int{"/profile?seconds=61": 422, "/profile?seconds=x": 422, "/cmdline": 404, "/nothing": 404} {
		owner.get(w.URL + "/staff/pprof" + path).want(status)
	}
}
