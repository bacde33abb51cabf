package stripesim_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"holdfast/internal/stripesim"
)

func TestSameKeySameAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	form := sessionForm("2450", "eur")
	first := r.post("/v1/checkout/sessions", "k", form)
	again := r.post("/v1/checkout/sessions", "k", form)
	if first.text != again.text || again.status != 200 || again.header.Get("Idempotent-Replayed") != "true" || first.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("first %s\nagain %s %v", first.text, again.text, again.header)
	}
	// The saved answer is what was true then, not what is true now.
	_ = r.Pay(first.id())
	if a := r.post("/v1/checkout/sessions", "k", form); a.json["status"] != "open" {
		t.Errorf("replay: %s", a.text)
	}
	form.Set("metadata[payment_id]", "8")
	other := r.post("/v1/checkout/sessions", "k", form)
	if kind, _, _ := other.problem(); other.status != 400 || kind != "idempotency_error" {
		t.Errorf("other parameters: %d %s", other.status, other.text)
	}
	if a := r.post("/v1/checkout/sessions/"+first.id()+"/expire", "k", nil); a.status != 400 {
		t.Errorf("other operation: %d", a.status)
	}
	r.skip.Store(24 * 3600)
	form = sessionForm("2450", "eur")
	form.Del("expires_at")
	if a := r.post("/v1/checkout/sessions", "k", form); a.status != 200 || a.id() == first.id() {
		t.Errorf("after a day: %d %s", a.status, a.text)
	}
	if n := len(r.Sessions()); n != 2 {
		t.Errorf("%d sessions", n)
	}
	reqs := r.Requests()
	if len(reqs) != 6 || reqs[1].Key != "k" || !reqs[1].Replayed || reqs[0].Replayed || reqs[3].Status != 400 {
		t.Errorf("record %+v", reqs)
	}
}

func TestRefusedParametersDoNotUseTheKeyUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if a := r.post("/v1/checkout/sessions", "k", sessionForm("1", "eur")); a.status != 400 {
		t.Fatal(a.text)
	}
	if a := r.post("/v1/checkout/sessions", "k", sessionForm("2450", "eur")); a.status != 200 {
		t.Errorf("%d %s", a.status, a.text)
	}
	// A no that depends on the state of things is kept.
	id := r.session("2450", "eur")
	_ = r.Expire(id)
	a, b := r.post("/v1/checkout/sessions/"+id+"/expire", "e", nil), r.post("/v1/checkout/sessions/"+id+"/expire", "e", nil)
	if a.status != 400 || b.status != 400 || b.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%d, %d %v", a.status, b.status, b.header)
	}
}

// Two calls with one key at the same moment: one is done, the other is refused
// with 409, or gets the saved answer when it came too late for that. Rounds go on
// until the 409 was seen.
func TestKeyInUse(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.SetFaults(stripesim.Faults{{Kind: stripesim.Slow, Op: stripesim.OpCreateSession, Delay: 50 * time.Millisecond}})
	form := sessionForm("2450", "eur")
	for round := range 50 {
		key := fmt.Sprint("k", round)
		first := make(chan reply)
		go func() { first <- r.do(r.request(http.MethodPost, "/v1/checkout/sessions", key, form)) }()
		b := r.post("/v1/checkout/sessions", key, form)
		a := <-first
		if n := len(r.Sessions()); n != round+1 {
			t.Fatalf("round %d: %d sessions", round, n)
		}
		if a.status == 409 {
			a, b = b, a
		}
		if b.status != 409 {
			continue
		}
		again := r.post("/v1/checkout/sessions", key, form)
		if _, code, _ := b.problem(); a.status != 200 || code != "idempotency_key_in_use" || again.id() != a.id() {
			t.Errorf("answers %s and %s, then %s", a.text, b.text, again.text)
		}
		return
	}
	t.Error("no call ever met a key in use")
}

func TestKeysAreForgottenAfterADay(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ask := func(key string) {
		t.Helper()
		form := sessionForm("2450", "eur")
		form.Del("expires_at")
		if a := r.post("/v1/checkout/sessions", key, form); a.status != 200 {
			t.Fatal(a.text)
		}
	}
	for i := range 20 {
		ask(fmt.Sprint("old", i))
	}
	r.skip.Store(23 * 3600)
	ask("newer")
	if n := r.SavedKeys(); n != 21 {
		t.Errorf("%d keys before the day is over", n)
	}
	r.skip.Store(24*3600 + 1)
	ask("newest")
	if n := r.SavedKeys(); n != 2 {
		t.Errorf("%d keys after it", n)
	}
	ask("newer") // still known
	if n := len(r.Sessions()); n != 22 {
		t.Errorf("%d sessions", n)
	}
}
