package stripepay_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/stripepay"
	"holdfast/internal/stripesim"
)

// The secret in the answer is the one that the deliveries are signed with, and
// they come for what the list names.
func TestCreateWebhook(t *testing.T) {
	t.Parallel()
	type delivery struct {
		body   []byte
		header string
	}
	got := make(chan delivery, 10)
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- delivery{body, r.Header.Get("Stripe-Signature")}
	}))
	t.Cleanup(app.Close)
	w := newWorld(t)
	secret, err := w.pay.CreateWebhook(t.Context(), app.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := w.paid(t)
	if _, err := w.sim.Dispute(s.PaymentIntent, "needs_response"); err != nil {
		t.Fatal(err)
	}
	if err := w.sim.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(got)
	var types []string
	for d := range got {
		e, err := stripepay.NewWebhooks([]string{secret}).Verify(d.body, d.header, time.Now())
		if err != nil {
			t.Error(err)
		}
		types = append(types, e.Type)
	}
	slices.Sort(types)
	if !slices.Equal(types, []string{"charge.dispute.created", "checkout.session.completed"}) {
		t.Errorf("received %v", types)
	}
}

func TestCreateWebhookSendsTheList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.pay.CreateWebhook(t.Context(), "https://shop.example/hooks/stripe"); err != nil {
		t.Fatal(err)
	}
	form := w.sim.Requests()[0].Form
	var sent []string
	for i := range stripepay.WebhookEvents() {
		sent = append(sent, form.Get(fmt.Sprintf("enabled_events[%d]", i)))
	}
	if !slices.Equal(sent, stripepay.WebhookEvents()) || form.Get("url") != "https://shop.example/hooks/stripe" {
		t.Errorf("received %v", form)
	}
}

func TestCreateWebhookUnderFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailAfter, Times: 1}})
	if secret, err := w.pay.CreateWebhook(t.Context(), "https://shop.example/hooks/stripe"); err != nil || secret == "" {
		t.Errorf("answer lost once: %q, %v", secret, err)
	}
	if reqs := w.sim.Requests(); len(reqs) != 2 || reqs[0].Key == "" || reqs[0].Key != reqs[1].Key {
		t.Errorf("requests %+v", reqs)
	}
	_, err := w.pay.CreateWebhook(t.Context(), "shop.example")
	wantErr(t, err, domain.ErrGatewayRefused)
	_, err = answering(t, `{"id":"we_1"}`).CreateWebhook(t.Context(), "https://shop.example/")
	wantErr(t, err, domain.ErrGateway) // without a secret it is of no use
}
