package stripesim_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"holdfast/internal/stripesim"
)

func TestAPIFaults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind   stripesim.Kind
		status int // 0: no answer
		made   int
		again  int // the same key afterwards
	}{
		{stripesim.FailBefore, 500, 0, 200}, {stripesim.FailAfter, 500, 1, 200}, {stripesim.FailSaved, 500, 1, 500},
		{stripesim.RateLimit, 429, 0, 200}, {stripesim.DropBefore, 0, 0, 200}, {stripesim.DropAfter, 0, 1, 200},
		{stripesim.NetworkDown, 0, 0, 200}, {stripesim.Slow, 200, 1, 200},
	} {
		t.Run(string(tc.kind), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.SetFaults(stripesim.Faults{{Kind: tc.kind, Op: stripesim.OpCreateSession, Delay: time.Millisecond}})
			if a := r.get("/v1/refunds", nil); a.status != 200 {
				t.Errorf("another operation: %d", a.status)
			}
			form := sessionForm("2450", "eur")
			resp, err := r.net.RoundTrip(r.request(http.MethodPost, "/v1/checkout/sessions", "k", form))
			status := 0
			if err == nil {
				status = resp.StatusCode
				_ = resp.Body.Close()
			}
			if status != tc.status || len(r.Sessions()) != tc.made {
				t.Errorf("status %d, %d made", status, len(r.Sessions()))
			}
			r.SetFaults(nil)
			if a := r.post("/v1/checkout/sessions", "k", form); a.status != tc.again || len(r.Sessions()) != 1 {
				t.Errorf("again: %d, %d made", a.status, len(r.Sessions()))
			}
		})
	}
}

func TestFaultsForTheNextCalls(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore, Times: 2}, {Kind: stripesim.RateLimit, Times: 1}})
	for i, want := range []int{429, 500, 500, 200} {
		if a := r.get("/v1/refunds", nil); a.status != want {
			t.Errorf("call %d: %d, want %d", i, a.status, want)
		}
	}
	if left := r.Faults(); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestRefundFaults(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, pi := r.paid("2450", "eur")
	ask := func() reply {
		return r.post("/v1/refunds", "", url.Values{"payment_intent": {pi}, "amount": {"100"}})
	}
	r.SetFaults(stripesim.Faults{{Kind: stripesim.RefundRefused, Times: 1}})
	if a := ask(); a.status != 402 {
		t.Errorf("refused: %d", a.status)
	}
	r.SetFaults(stripesim.Faults{{Kind: stripesim.RefundPending, Times: 2}})
	good, bad := ask(), ask()
	if good.json["status"] != "pending" || bad.json["status"] != "pending" {
		t.Errorf("pending: %s %s", good.text, bad.text)
	}
	if r.FinishRefund(good.id(), true) != nil || r.FinishRefund(bad.id(), false) != nil {
		t.Error("they cannot be finished")
	}
	if r.FinishRefund(good.id(), true) != nil || r.FinishRefund(bad.id(), true) == nil || r.FinishRefund("re_nobody", true) == nil {
		t.Error("finishing again")
	}
	r.SetFaults(stripesim.Faults{{Kind: stripesim.RefundFailsLater, Times: 1, Delay: time.Millisecond}})
	later := ask()
	if later.json["status"] != "succeeded" {
		t.Errorf("later: %s", later.text)
	}
	if err := r.Close(t.Context()); err != nil { // waits for it
		t.Fatal(err)
	}
	want := []string{"succeeded", "failed", "failed"}
	for i, ref := range r.Refunds() {
		if ref.Status != want[i] {
			t.Errorf("refund %d is %s, want %s", i, ref.Status, want[i])
		}
	}
	if taken, back := r.Paid(pi); taken != 2450 || back != 100 {
		t.Errorf("taken %d, back %d", taken, back)
	}
}

func TestPayAndExpireRace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for range 200 {
		id := r.session("2450", "eur")
		start, paid := make(chan struct{}), make(chan error)
		go func() { <-start; paid <- r.Pay(id) }()
		close(start)
		expired := r.Expire(id)
		if payErr := <-paid; (payErr == nil) == (expired == nil) {
			t.Fatalf("pay %v, expire %v", payErr, expired)
		}
	}
}
