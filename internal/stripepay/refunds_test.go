package stripepay_test

import (
	"errors"
	"testing"

	"holdfast/internal/domain"
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
	if err != nil || len(all) != 3 || all[0].ID != dash || all[0].RefundID != "" || all[2].ID != first.ID {
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
