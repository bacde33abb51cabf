package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// A monitor with the token reads what the shop does; without it there is nothing, and
// no figure carries an address that a person may open.
func TestMetrics(t *testing.T) {
	t.Parallel()
	const token = "a-long-random-token"
	var ev dbtest.Event
	w := newWorld(t, func(d *db.DB) { ev = dbtest.Screening(t, d, 1, 4) }, map[string]string{"METRICS_TOKEN": token})
	read := func(authorization string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", authorization)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	for _, wrong := range []string{"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + token, token} {
		if status, body := read(wrong); status != 404 || strings.Contains(body, "holdfast_") {
			t.Errorf("%q: %d", wrong, status)
		}
	}
	first, second := w.on(t), w.on(t)
	late := second.get(w.URL + eventPath(ev.ID)).want(200)
	first.paying(eventPath(ev.ID), "A1")
	second.submit(late, late.form("/holds"), url.Values{"seat": {"A1"}}, "").want(409)
	status, body := read("Bearer " + token)
	if status != 200 {
		t.Fatalf("%d: %s", status, body)
	}
	for _, line := range []string{
		`holdfast_claims_total{outcome="won"} 1`, `holdfast_claims_total{outcome="lost"} 1`, `holdfast_holds_live{channel="web"} 1`,
		`holdfast_holds_live{channel="agent"} 0`, `holdfast_payments_live{state="open"} 1`, `holdfast_database_up 1`, `holdfast_mails_queued 0`,
		`holdfast_request_seconds_count{route="POST /events/{event}/holds",status="409"} 1`, "holdfast_pool_connections", "holdfast_build_info",
	} {
		if !strings.Contains(body, line) {
			t.Errorf("%s is not told", line)
		}
	}
	if strings.Contains(body, "/events/1") || strings.Contains(body, first.id()) {
		t.Error("a path is told")
	}
	if off := newWorld(t, nil, nil); off.browser().get(off.URL+"/metrics").status != 404 {
		t.Error("figures without a token set")
	}
}
