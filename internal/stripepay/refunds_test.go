package stripepay_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/stripepay"
	"holdfast/internal/stripesim"
)

func TestRefunds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.paid(t)
	ask := domain.RefundRequest{Key: "rf:1:1", RefundID: 1, PaymentIntent: s.PaymentIntent, Amount: 1000, Currency: "EUR", Reason: "cancelled"}
	first, err := w.pay.CreateRefund(t.Context(), ask)
	if err != nil || first.State != domain.RefundSucceeded || first.Amount != 1000 || first.RefundID != "1" {
		t.Fatalf("first = %+v, %v", first, err)
	}
	if first.PaymentIntent != s.PaymentIntent || first.Currency != "EUR" || time.Since(first.Created).Abs() > time.Minute {
		t.Errorf("first = %+v", first)
	}
	if got, err := w.pay.Refund(t.Context(), first.ID); err != nil || got != first {
		t.Errorf("got = %+v, %v, want %+v", got, err, first)
	}
	if again, err := w.pay.CreateRefund(t.Context(), ask); err != nil || again.ID != first.ID {
		t.Errorf("same key = %+v, %v", again, err)
	}
	ask.Key, ask.RefundID, ask.Amount = "rf:2:1", 2, 1451
	_, err = w.pay.CreateRefund(t.Context(), ask)
	wantErr(t, err, domain.ErrGatewayRefused)
	ask.Key, ask.Amount = "rf:2:2", 1450
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.RefundPending, Times: 1}})
	second, err := w.pay.CreateRefund(t.Context(), ask)
	if err != nil || second.State != domain.RefundPending {
		t.Fatalf("second = %+v, %v", second, err)
	}
	ask.Key, ask.Amount = "rf:3:1", 1
	_, err = w.pay.CreateRefund(t.Context(), ask)
	wantErr(t, err, domain.ErrGatewayRefused)
	var coded interface{ ProviderCode() string }
	if !errors.As(err, &coded) || coded.ProviderCode() != "charge_already_refunded" {
		t.Errorf("code of %v", err)
	}
	if err := w.sim.FinishRefund(second.ID, false); err != nil {
		t.Fatal(err)
	}
	if got, err := w.pay.Refund(t.Context(), second.ID); err != nil || got.State != domain.RefundFailed || got.Failure == "" {
		t.Errorf("failed one = %+v, %v", got, err)
	}
	dash, err := w.sim.DashboardRefund(s.PaymentIntent, 50)
	if err != nil {
		t.Fatal(err)
	}
	all, err := w.pay.Refunds(t.Context(), s.PaymentIntent)
	if err != nil || len(all) != 3 || all[2] != first || all[0].ID != dash || all[0].RefundID != "" || all[2].ID != first.ID {
		t.Errorf("list = %+v, %v", all, err)
	}
	ask.Key, ask.PaymentIntent = "rf:4:1", "pi_nobody"
	_, err = w.pay.CreateRefund(t.Context(), ask)
	wantErr(t, err, domain.ErrNotFound, domain.ErrGatewayRefused)
	_, err = w.pay.Refund(t.Context(), "re_nobody")
	wantErr(t, err, domain.ErrNotFound)
}

func TestRefundsAbove100AreListedWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.paid(t)
	for range 130 {
		if _, err := w.sim.DashboardRefund(s.PaymentIntent, 1); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := w.pay.Refunds(t.Context(), s.PaymentIntent); err != nil || len(all) != 130 {
		t.Errorf("%d refunds, %v", len(all), err)
	}
}

func TestRefundsSinceReadsAllPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.paid(t)
	req := request()
	req.Key, req.Currency, req.Amount = "cs:8", "ISK", 2400
	second := w.create(t, req)
	if err := w.sim.Pay(second.ID); err != nil {
		t.Fatal(err)
	}
	krona, _ := w.sim.Session(second.ID)
	if _, err := w.sim.DashboardRefund(krona.PaymentIntent, 90000); err != nil {
		t.Fatal(err)
	}
	w.now.Store(3600)
	for range 230 {
		if _, err := w.sim.DashboardRefund(first.PaymentIntent, 1); err != nil {
			t.Fatal(err)
		}
	}
	all, err := w.pay.RefundsSince(t.Context(), time.Now().Add(-time.Hour))
	if err != nil || len(all) != 231 {
		t.Fatalf("%d refunds, %v", len(all), err)
	}
	seen := map[string]bool{}
	for _, r := range all {
		seen[r.ID] = true
	}
	if len(seen) != 231 {
		t.Errorf("%d different ones", len(seen))
	}
	if r := all[230]; r.PaymentIntent != krona.PaymentIntent || r.Currency != "ISK" || r.Amount != 900 {
		t.Errorf("oldest = %+v", r)
	}
	if r := all[0]; r.PaymentIntent != first.PaymentIntent || r.Currency != "EUR" || r.Amount != 1 || r.State != domain.RefundSucceeded {
		t.Errorf("newest = %+v", r)
	}
	if some, err := w.pay.RefundsSince(t.Context(), time.Now().Add(30*time.Minute)); err != nil || len(some) != 230 {
		t.Errorf("since between: %d, %v", len(some), err)
	}
	if none, err := w.pay.RefundsSince(t.Context(), time.Now().Add(2*time.Hour)); err != nil || len(none) != 0 {
		t.Errorf("since later: %d, %v", len(none), err)
	}
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore, Op: stripesim.OpListRefunds}})
	_, err = w.pay.RefundsSince(t.Context(), time.Now().Add(-time.Hour))
	wantErr(t, err, domain.ErrGateway)
}

func TestRefundsSinceLeavesUnknownCurrenciesOut(t *testing.T) {
	t.Parallel()
	list := `{"object":"list","has_more":false,"data":[
		{"id":"re_1","object":"refund","amount":900,"currency":"clp","status":"succeeded","payment_intent":"pi_1"},
		{"id":"re_2","object":"refund","amount":100,"currency":"eur","status":"succeeded","payment_intent":null,"created":1800000000}]}`
	var log strings.Builder
	pay := answering(t, list, func(c *stripepay.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	got, err := pay.RefundsSince(t.Context(), time.Now())
	if err != nil || len(got) != 1 || got[0].ID != "re_2" || got[0].PaymentIntent != "" || got[0].Created.Unix() != 1800000000 {
		t.Errorf("list = %+v, %v", got, err)
	}
	if !strings.Contains(log.String(), "re_1") || strings.Contains(log.String(), "re_2") {
		t.Errorf("log: %s", &log)
	}
}

func TestPaymentIntentOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.paid(t)
	refund, err := w.sim.DashboardRefund(s.PaymentIntent, 100)
	if err != nil {
		t.Fatal(err)
	}
	dispute, err := w.sim.Dispute(s.PaymentIntent, "warning_needs_response")
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{s.ID, s.PaymentIntent, refund, dispute, w.sim.Refunds()[0].Charge}
	for _, id := range ids {
		if got, err := w.pay.PaymentIntentOf(t.Context(), id); err != nil || got != s.PaymentIntent {
			t.Errorf("of %s = %q, %v", id, got, err)
		}
	}
	for _, id := range []string{"ch_nobody", "cus_1", ""} {
		_, err := w.pay.PaymentIntentOf(t.Context(), id)
		wantErr(t, err, domain.ErrNotFound)
	}
}
