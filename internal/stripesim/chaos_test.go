package stripesim_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/internal/stripesim"
)

// fates makes n calls and tells what became of each: its status, 0 for none, and
// how many sessions it made.
func fates(t *testing.T, chaos stripesim.Chaos, n int, faults ...stripesim.Fault) (out []string) {
	t.Helper()
	r := newRig(t)
	r.net.DisableKeepAlives = true // a transport may repeat a call on a used connection
	r.SetChaos(chaos)
	r.SetFaults(faults)
	for i := range n {
		before := len(r.Sessions())
		resp, err := r.net.RoundTrip(r.request(http.MethodPost, "/v1/checkout/sessions", fmt.Sprint("k", i), sessionForm("2450", "eur")))
		status := 0
		if err == nil {
			status = resp.StatusCode
			_ = resp.Body.Close()
		}
		out = append(out, fmt.Sprintf("%d/%d", status, len(r.Sessions())-before))
	}
	return out
}

func count(all []string, what string) (n int) {
	for _, f := range all {
		if f == what {
			n++
		}
	}
	return n
}

func TestChaosOfTheAPI(t *testing.T) {
	t.Parallel()
	off := fates(t, stripesim.Chaos{Seed: 7}, 5)
	if count(off, "200/1") != 5 {
		t.Errorf("off: %v", off)
	}
	all := fates(t, stripesim.Chaos{Seed: 7, API: 1, Slow: time.Nanosecond}, 120)
	kinds := []string{"500/0", "500/1", "429/0", "200/1", "0/0", "0/1"} // 200: it was slow
	sum := 0
	for _, k := range kinds {
		n := count(all, k)
		sum += n
		if n < 5 {
			t.Errorf("%s happened %d times", k, n)
		}
	}
	if sum != len(all) {
		t.Errorf("something else happened: %v", all)
	}
	chaos := stripesim.Chaos{Seed: 7, API: 0.3, Slow: time.Nanosecond}
	some := fates(t, chaos, 200)
	if bad := 200 - count(some, "200/1"); bad < 30 || bad > 80 { // 50 to be expected: a sixth is only slow
		t.Errorf("%d of 200 failed", bad)
	}
	if again := fates(t, chaos, 200); !slices.Equal(some, again) {
		t.Errorf("the same seed:\n%v\n%v", some, again)
	}
	chaos.Seed = 8
	if other := fates(t, chaos, 200); slices.Equal(some, other) {
		t.Error("another seed is the same")
	}
	// A switch goes first and does not shift what comes after it.
	chaos.Seed = 7
	mixed := fates(t, chaos, 200, stripesim.Fault{Kind: stripesim.RateLimit, Times: 3})
	if count(mixed[:3], "429/0") != 3 || !slices.Equal(mixed[3:], some[3:]) {
		t.Errorf("with a switch:\n%v\n%v", some, mixed)
	}
}

func TestChaosMayKeepA500(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.SetChaos(stripesim.Chaos{Seed: 1, API: 1, Slow: time.Nanosecond, Saved: true})
	r.net.DisableKeepAlives = true
	form := sessionForm("2450", "eur") // once: a repetition is the same to the letter
	for i := range 100 {
		if resp, err := r.net.RoundTrip(r.request(http.MethodPost, "/v1/checkout/sessions", fmt.Sprint("k", i), form)); err == nil {
			_ = resp.Body.Close()
		}
	}
	r.SetChaos(stripesim.Chaos{})
	kept := 0
	for i := range 100 {
		if a := r.post("/v1/checkout/sessions", fmt.Sprint("k", i), form); a.status == 500 {
			kept++
		}
	}
	if kept < 5 || kept > 30 { // 14 to be expected
		t.Errorf("%d of 100 keys answer 500 for good", kept)
	}
}

// deliveries takes n payments and tells which events were lost, and how many
// deliveries there were.
func deliveries(t *testing.T, chaos stripesim.Chaos, n int) (lost string, sent int) {
	t.Helper()
	r, rc := hooked(t, ok)
	r.SetChaos(chaos)
	for range n {
		r.paid("2450", "eur")
	}
	sent = len(rc.got(t, r))
	for _, e := range r.Events() {
		lost += map[bool]string{true: "x", false: "."}[e.Lost]
	}
	return lost, sent
}

func TestChaosOfWebhooks(t *testing.T) {
	t.Parallel()
	if lost, sent := deliveries(t, stripesim.Chaos{Seed: 3, Webhooks: 1, Late: time.Millisecond}, 10); lost != strings.Repeat("x", 10) || sent != 0 {
		t.Errorf("all lost: %s, %d sent", lost, sent)
	}
	chaos := stripesim.Chaos{Seed: 3, Webhooks: 0.3, Late: time.Millisecond}
	lost, sent := deliveries(t, chaos, 100)
	gone := strings.Count(lost, "x")
	twice := sent - (100 - gone)
	if gone < 15 || gone > 45 || twice < 3 || twice > 25 {
		t.Errorf("%d lost, %d sent twice", gone, twice)
	}
	if again, sentAgain := deliveries(t, chaos, 100); again != lost || sentAgain != sent {
		t.Errorf("the same seed: %s %d, %s %d", lost, sent, again, sentAgain)
	}
	if got, sent := deliveries(t, stripesim.Chaos{Seed: 3, API: 0.0001}, 5); got != "....." || sent != 5 {
		t.Errorf("API only: %s, %d sent", got, sent)
	}
}

// Late events are overtaken by later ones.
func TestChaosMakesWebhooksLate(t *testing.T) {
	t.Parallel()
	r, rc := hooked(t, ok)
	r.SetChaos(stripesim.Chaos{Seed: 3, Webhooks: 0.6, Late: 300 * time.Millisecond})
	var order []string
	for range 30 {
		id, _ := r.paid("2450", "eur")
		order = append(order, id)
	}
	at := -1
	overtaken := false
	for _, body := range rc.got(t, r) {
		i := slices.IndexFunc(order, func(id string) bool { return strings.Contains(body, id) })
		overtaken = overtaken || i < at
		at = max(at, i)
	}
	if !overtaken {
		t.Error("no event overtook another")
	}
}
