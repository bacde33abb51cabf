package stripepay_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"holdfast/internal/stripepay"
	"holdfast/internal/stripesim"
)

const body = `{"id":"evt_1","object":"event","type":"checkout.session.completed","api_version":"2023-10-16","livemode":true,"data":{"object":{"id":"cs_1","amount_total":"not a number"}}}`

func TestVerify(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	good := stripesim.Signature([]byte(body), "whsec_new", now)
	hooks := stripepay.NewWebhooks([]string{"whsec_old", " ", "whsec_new"})
	for _, tc := range []struct {
		name    string
		payload string
		header  string
		at      time.Time
		want    error
	}{
		{"good", body, good, now, nil},
		{"first secret", body, stripesim.Signature([]byte(body), "whsec_old", now), now, nil},
		{"edge of the tolerance", body, good, now.Add(300 * time.Second), nil},
		{"too old", body, good, now.Add(301 * time.Second), stripepay.ErrSignature},
		{"from the future", body, good, now.Add(-301 * time.Second), stripepay.ErrSignature},
		{"unknown secret", body, stripesim.Signature([]byte(body), "whsec_else", now), now, stripepay.ErrSignature},
		{"blank secret", body, stripesim.Signature([]byte(body), "", now), now, stripepay.ErrSignature},
		{"a byte changed", strings.Replace(body, "cs_1", "cs_2", 1), good, now, stripepay.ErrSignature},
		{"other time", body, strings.Replace(good, "t=1800000000", "t=1800000001", 1), now, stripepay.ErrSignature},
		{"several signatures", body, "t=1800000000,v1=00ff,v0=zz,v1=" + good[strings.Index(good, "v1=")+3:], now, nil},
		{"scheme v0 only", body, strings.Replace(good, "v1=", "v0=", 1), now, stripepay.ErrSignature},
		{"no header", body, "", now, stripepay.ErrSignature},
		{"nonsense", body, "t=x,v1=zz", now, stripepay.ErrSignature},
		{"signed, but no JSON", "hello", stripesim.Signature([]byte("hello"), "whsec_new", now), now, stripepay.ErrPayload},
		{"signed, but no event", "{}", stripesim.Signature([]byte("{}"), "whsec_new", now), now, stripepay.ErrPayload},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e, err := hooks.Verify([]byte(tc.payload), tc.header, tc.at)
			if !errors.Is(err, tc.want) {
				t.Fatalf("error %v, want %v", err, tc.want)
			}
			want := stripepay.WebhookEvent{ID: "evt_1", Type: "checkout.session.completed", ObjectID: "cs_1", Livemode: true}
			if err == nil && e != want {
				t.Errorf("event %+v", e)
			}
		})
	}
	if _, err := stripepay.NewWebhooks(nil).Verify([]byte(body), good, now); !errors.Is(err, stripepay.ErrSignature) {
		t.Errorf("without secrets: %v", err)
	}
}

func TestVerifyReadsEveryVersionAndThinEvents(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, tc := range map[string]struct{ payload, object string }{
		"no version":  {`{"id":"evt_1","type":"refund.updated","data":{"object":{"id":"re_1"}}}`, "re_1"},
		"newer":       {`{"id":"evt_1","type":"refund.updated","api_version":"2031-01-01.later","data":{"object":{"id":"re_1"}}}`, "re_1"},
		"odd version": {`{"id":"evt_1","type":"refund.updated","api_version":17,"data":{"object":{"id":"re_1"}}}`, "re_1"},
		"thin":        {`{"id":"evt_1","object":"v2.core.event","type":"v2.x","related_object":{"id":"obj_1","type":"x"},"data":null}`, "obj_1"},
		"no object":   {`{"id":"evt_1","type":"balance.available","data":{"object":{"object":"balance"}}}`, ""},
	} {
		e, err := stripepay.NewWebhooks([]string{"s"}).Verify([]byte(tc.payload), stripesim.Signature([]byte(tc.payload), "s", now), now)
		if err != nil || e.ObjectID != tc.object || e.ID != "evt_1" {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}

// What the look-alike really sends over HTTP is what Verify accepts.
func TestVerifyTakesWhatIsSent(t *testing.T) {
	t.Parallel()
	events := make(chan stripepay.WebhookEvent, 10)
	hooks := stripepay.NewWebhooks([]string{"whsec_old", "whsec_demo"})
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		payload, _ := io.ReadAll(r.Body)
		e, err := hooks.Verify(payload, r.Header.Get("Stripe-Signature"), time.Now())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		events <- e
	}))
	t.Cleanup(app.Close)
	srv := httptest.NewUnstartedServer(nil)
	base := "http://" + srv.Listener.Addr().String()
	sim := stripesim.New(stripesim.Options{BaseURL: base, WebhookURL: app.URL, WebhookSecret: "whsec_demo"})
	srv.Config.Handler = sim
	srv.Start()
	t.Cleanup(srv.Close)
	pay, err := stripepay.New(stripepay.Config{Key: "sk_test_x", APIURL: base})
	if err != nil {
		t.Fatal(err)
	}
	sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookVersion, Version: "2031-01-01.later"}})
	s, err := pay.CreateSession(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Pay(s.ID); err != nil {
		t.Fatal(err)
	}
	if err := sim.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(events) != 1 {
		t.Fatalf("%d events, sends %+v", len(events), sim.Events()[0].Sends)
	}
	if e := <-events; e.ObjectID != s.ID || e.Type != "checkout.session.completed" || e.Livemode {
		t.Errorf("event %+v", e)
	}
}
