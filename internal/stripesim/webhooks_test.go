package stripesim_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76/webhook"

	"holdfast/internal/stripesim"
)

// receiver is an app's webhook address; answer decides the status of each delivery.
type receiver struct {
	mu     sync.Mutex
	bodies []string
	bad    []error // signatures that Stripe's own library refuses
	answer func(n int) int
	url    string
}

func newReceiver(t *testing.T, secret string, answer func(n int) int) *receiver {
	t.Helper()
	rc := &receiver{answer: answer}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		rc.mu.Lock()
		defer rc.mu.Unlock()
		rc.bodies = append(rc.bodies, string(body))
		if err := webhook.ValidatePayload(body, r.Header.Get("Stripe-Signature"), secret); err != nil {
			rc.bad = append(rc.bad, err)
		}
		w.WriteHeader(rc.answer(len(rc.bodies)))
	}))
	t.Cleanup(srv.Close)
	rc.url = srv.URL
	return rc
}

func ok(int) int { return 200 }

// got waits for the background work and gives what arrived.
func (rc *receiver) got(t *testing.T, r rig) []string {
	t.Helper()
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if len(rc.bad) > 0 {
		t.Errorf("signatures: %v", rc.bad)
	}
	return slices.Clone(rc.bodies)
}

func hooked(t *testing.T, answer func(int) int) (rig, *receiver) {
	t.Helper()
	rc := newReceiver(t, "whsec_demo", answer)
	return newRig(t, func(o *stripesim.Options) { o.WebhookURL, o.WebhookSecret = rc.url, "whsec_demo" }), rc
}

func TestWebhookIsSignedAndCarriesTheObject(t *testing.T) {
	t.Parallel()
	r, rc := hooked(t, ok)
	id, _ := r.paid("2450", "eur")
	got := rc.got(t, r)
	if len(got) != 1 {
		t.Fatalf("%d deliveries", len(got))
	}
	for _, part := range []string{`"object":"event"`, `"type":"checkout.session.completed"`, `"api_version":"2023-10-16"`, `"livemode":false`, id, `"payment_status":"paid"`} {
		if !strings.Contains(got[0], part) {
			t.Errorf("%s is not in %s", part, got[0])
		}
	}
	if e := r.Events()[0]; !e.Taken() || e.Object != id || string(e.Payload) != got[0] {
		t.Errorf("event %+v", e)
	}
	if err := webhook.ValidatePayload([]byte("x"), r.Sign([]byte("x")), "whsec_demo"); err != nil {
		t.Error(err)
	}
}

func TestWebhookIsSentAgainUntilItIsTaken(t *testing.T) {
	t.Parallel()
	r, rc := hooked(t, func(n int) int { return map[bool]int{true: 503, false: 200}[n < 3] })
	r.paid("2450", "eur")
	if got := rc.got(t, r); len(got) != 3 || got[0] != got[2] {
		t.Errorf("%d deliveries", len(got))
	}
	e := r.Events()[0]
	if len(e.Sends) != 3 || e.Sends[0].Status != 503 || !e.Taken() {
		t.Errorf("sends %+v", e.Sends)
	}
}

func TestWebhookIsGivenUp(t *testing.T) {
	t.Parallel()
	r, rc := hooked(t, func(int) int { return 500 })
	r.paid("2450", "eur")
	if got := rc.got(t, r); len(got) != 5 || r.Events()[0].Taken() {
		t.Errorf("%d deliveries", len(got))
	}
}

func TestWebhookFaults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		faults stripesim.Faults
		want   int
		part   string
	}{
		{"lost", stripesim.Faults{{Kind: stripesim.WebhookLost}}, 0, ""},
		{"other type lost", stripesim.Faults{{Kind: stripesim.WebhookLost, Op: "refund.created"}}, 1, ""},
		{"copies", stripesim.Faults{{Kind: stripesim.WebhookCopies, Copies: 20}}, 20, ""},
		{"late", stripesim.Faults{{Kind: stripesim.WebhookLate, Delay: time.Millisecond}}, 1, ""},
		{"newer version", stripesim.Faults{{Kind: stripesim.WebhookVersion, Version: "2031-01-01.later"}}, 1, `"api_version":"2031-01-01.later"`},
		{"network down", stripesim.Faults{{Kind: stripesim.NetworkDown, Op: "checkout.session.completed"}}, 0, ""},
		{"network down twice", stripesim.Faults{{Kind: stripesim.NetworkDown, Op: "checkout.session.completed", Times: 2}}, 1, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, rc := hooked(t, ok)
			r.SetFaults(tc.faults)
			r.paid("2450", "eur")
			got := rc.got(t, r)
			if len(got) != tc.want || tc.part != "" && !strings.Contains(got[0], tc.part) {
				t.Errorf("%d deliveries %v", len(got), got)
			}
		})
	}
}

func TestWebhookWithoutVersion(t *testing.T) {
	t.Parallel()
	r, rc := hooked(t, ok)
	r.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookVersion}})
	r.paid("2450", "eur")
	if got := rc.got(t, r); len(got) != 1 || strings.Contains(got[0], "api_version") {
		t.Errorf("%v", got)
	}
}

func TestResend(t *testing.T) {
	t.Parallel()
	r, rc := hooked(t, ok)
	r.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLost}})
	r.paid("2450", "eur")
	e := r.Events()[0]
	if !e.Lost {
		t.Error("not marked lost")
	}
	if err := r.Resend(e.ID); err != nil {
		t.Fatal(err)
	}
	if r.Resend("evt_nobody") == nil {
		t.Error("an unknown event was sent")
	}
	if got := rc.got(t, r); len(got) != 1 || !strings.Contains(got[0], e.ID) {
		t.Errorf("%v", got)
	}
}

func TestCloseDoesNotOutliveItsContext(t *testing.T) {
	t.Parallel()
	r, _ := hooked(t, ok)
	r.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLate, Delay: time.Hour}})
	r.paid("2450", "eur")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Close(ctx); err == nil {
		t.Error("Close claims that everything was sent")
	}
}

func TestRefundEvents(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, pi := r.paid("2450", "eur")
	r.SetFaults(stripesim.Faults{{Kind: stripesim.RefundPending, Times: 1}})
	id, err := r.DashboardRefund(pi, 2450)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.FinishRefund(id, true)
	_ = r.FinishRefund(id, false)
	var types []string
	for _, e := range r.Events() {
		types = append(types, e.Type)
	}
	want := "checkout.session.completed refund.created charge.refunded refund.updated charge.refund.updated refund.failed refund.updated charge.refund.updated"
	if strings.Join(types, " ") != want {
		t.Errorf("events %v", types)
	}
	if _, err := r.Dispute(pi, "needs_response"); err != nil {
		t.Error(err)
	}
	if _, err := r.Dispute("pi_nobody", "needs_response"); err == nil {
		t.Error("a dispute about nothing")
	}
}

// order is the types of deliveries as they came.
func order(bodies []string) string {
	var out []string
	for _, b := range bodies {
		_, rest, _ := strings.Cut(b, `"type":"`)
		kind, _, _ := strings.Cut(rest, `"`)
		out = append(out, kind)
	}
	return strings.Join(out, " ")
}

func TestWebhookReordered(t *testing.T) {
	t.Parallel()
	reordered := stripesim.Fault{Kind: stripesim.WebhookReordered}
	for _, tc := range []struct {
		name   string
		faults stripesim.Faults
		want   string
	}{
		{"once", stripesim.Faults{{Kind: stripesim.WebhookReordered, Times: 1}},
			"charge.dispute.created checkout.session.completed"},
		{"one type", stripesim.Faults{{Kind: stripesim.WebhookReordered, Op: "charge.dispute.created"}, {Kind: stripesim.WebhookLost, Op: "checkout.session.completed"}},
			"charge.dispute.updated charge.dispute.created"},
		{"always", stripesim.Faults{reordered}, "charge.dispute.created checkout.session.completed"},
		{"the next is lost", stripesim.Faults{{Kind: stripesim.WebhookReordered, Times: 1}, {Kind: stripesim.WebhookLost, Op: "charge.dispute.created"}},
			"charge.dispute.updated checkout.session.completed"},
		{"the next is not taken at first", stripesim.Faults{{Kind: stripesim.WebhookReordered, Times: 1}, {Kind: stripesim.NetworkDown, Op: "charge.dispute.created", Times: 1}},
			"checkout.session.completed charge.dispute.created"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, rc := hooked(t, ok)
			r.SetFaults(tc.faults)
			_, pi := r.paid("2450", "eur")
			id, err := r.Dispute(pi, "warning_needs_response")
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(tc.want, "updated") {
				if err := r.UpdateDispute(id, "needs_response"); err != nil {
					t.Fatal(err)
				}
			}
			if got := order(rc.got(t, r)); got != tc.want {
				t.Errorf("came as %s", got)
			}
		})
	}
}

// What is kept back comes at last: with the fault's end, or with Close.
func TestWebhookKeptBackIsNotLost(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(rig){
		"switched off": func(r rig) { r.SetFaults(nil) },
		"closed":       func(rig) {},
	} {
		r, rc := hooked(t, ok)
		r.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookReordered}})
		r.paid("2450", "eur")
		if e := r.Events()[0]; e.Lost || len(e.Sends) != 0 {
			t.Errorf("%s: not kept back: %+v", name, e)
		}
		end(r)
		if got := rc.got(t, r); len(got) != 1 {
			t.Errorf("%s: %d deliveries", name, len(got))
		}
	}
}

// An endpoint that does not want the next event gets the one kept back all the same.
func TestWebhookReorderedWithEndpoints(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	rc := newReceiver(t, "", ok)
	r.post("/v1/webhook_endpoints", "", url.Values{"url": {rc.url}, "enabled_events[0]": {"checkout.session.completed"}})
	r.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookReordered, Times: 1}})
	_, pi := r.paid("2450", "eur")
	if _, err := r.Dispute(pi, "needs_response"); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := order(rc.bodies); got != "checkout.session.completed" {
		t.Errorf("came: %s", got)
	}
}

func TestWebhookEndpoints(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if a := r.post("/v1/webhook_endpoints", "", url.Values{"url": {"http://127.0.0.1:1/"}}); a.status != 400 {
		t.Errorf("without events: %d", a.status)
	}
	if a := r.post("/v1/webhook_endpoints", "", url.Values{"url": {"shop.example/"}, "enabled_events[0]": {"*"}}); a.status != 400 {
		t.Errorf("without a scheme: %d", a.status)
	}
	rc := newReceiver(t, "filled in below", ok)
	a := r.post("/v1/webhook_endpoints", "", url.Values{"url": {rc.url}, "enabled_events[0]": {"checkout.session.completed"}})
	secret, _ := a.json["secret"].(string)
	_, pi := r.paid("2450", "eur")
	if _, err := r.DashboardRefund(pi, 50); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(rc.bodies) != 1 || !strings.Contains(rc.bodies[0], "checkout.session.completed") || !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("%s: %v", a.text, rc.bodies)
	}
}
