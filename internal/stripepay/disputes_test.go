package stripepay_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/stripepay"
	"holdfast/internal/stripesim"
)

func TestDispute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.paid(t)
	id, err := w.sim.Dispute(s.PaymentIntent, "warning_needs_response")
	if err != nil {
		t.Fatal(err)
	}
	want := domain.ProviderDispute{
		ID: id, PaymentIntent: s.PaymentIntent, Status: "warning_needs_response", Reason: "general", Amount: 2450, Currency: "EUR", Inquiry: true,
	}
	if got, err := w.pay.Dispute(t.Context(), id); err != nil || got != want {
		t.Errorf("inquiry = %+v, %v", got, err)
	}
	for _, status := range []string{"needs_response", "under_review", "won"} {
		if err := w.sim.UpdateDispute(id, status); err != nil {
			t.Fatal(err)
		}
		want.Status, want.Inquiry, want.Closed, want.Won = status, false, status == "won", status == "won"
		if got, err := w.pay.Dispute(t.Context(), id); err != nil || got != want {
			t.Errorf("%s = %+v, %v", status, got, err)
		}
	}
	_, err = w.pay.Dispute(t.Context(), "dp_nobody")
	wantErr(t, err, domain.ErrNotFound)
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore, Op: stripesim.OpGetDispute}})
	_, err = w.pay.Dispute(t.Context(), id)
	wantErr(t, err, domain.ErrGateway)
}

func TestDisputeStates(t *testing.T) {
	t.Parallel()
	for status, want := range map[string][3]bool{ // inquiry, closed, won
		"warning_needs_response": {true, false, false},
		"warning_under_review":   {true, false, false},
		"warning_closed":         {true, true, false},
		"needs_response":         {false, false, false},
		"under_review":           {false, false, false},
		"won":                    {false, true, true},
		"lost":                   {false, true, false},
		"something_new":          {false, false, false}, // the door asks
	} {
		pay := answering(t, `{"id":"dp_1","object":"dispute","status":"`+status+`","amount":2450,"currency":"eur","payment_intent":"pi_1"}`)
		got, err := pay.Dispute(t.Context(), "dp_1")
		if err != nil || [3]bool{got.Inquiry, got.Closed, got.Won} != want || got.Status != status || got.PaymentIntent != "pi_1" {
			t.Errorf("%s = %+v, %v", status, got, err)
		}
	}
}

// A dispute that we cannot put into numbers is still a dispute.
func TestDisputeInAnotherCurrency(t *testing.T) {
	t.Parallel()
	for body, currency := range map[string]string{
		`{"id":"dp_1","status":"needs_response","amount":900,"currency":"clp"}`: "CLP",
		`{"id":"dp_1","status":"needs_response","amount":950,"currency":"isk"}`: "ISK",
	} {
		got, err := answering(t, body).Dispute(t.Context(), "dp_1")
		if err != nil || got.Amount != 0 || got.Currency != currency || got.Closed || got.PaymentIntent != "" {
			t.Errorf("%s = %+v, %v", body, got, err)
		}
	}
	_, err := answering(t, `{}`).Dispute(t.Context(), "dp_1")
	wantErr(t, err, domain.ErrGateway)
}

// answering is a client of an API that knows one answer only.
func answering(t *testing.T, body string, change ...func(*stripepay.Config)) *stripepay.Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
	t.Cleanup(srv.Close)
	cfg := stripepay.Config{Key: "sk_test_x", APIURL: srv.URL, RetryPause: time.Millisecond}
	for _, c := range change {
		c(&cfg)
	}
	pay, err := stripepay.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return pay
}
