package stripepay_test

import (
	"testing"
	"time"

	"holdfast/internal/domain"
	"holdfast/internal/stripesim"
)

// Stripe's own books: a payment with its fee, a refund, a dispute, and the payout of the
// day once it is over, all within the time that is asked for.
func TestBooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.paid(t)
	refund, err := w.sim.DashboardRefund(s.PaymentIntent, 450)
	if err != nil {
		t.Fatal(err)
	}
	from, to := time.Now().Add(-time.Hour), time.Now().Add(49*time.Hour)
	lines, err := w.pay.BalanceLines(t.Context(), from, to)
	if err != nil || len(lines) != 2 {
		t.Fatalf("%+v, %v", lines, err)
	}
	by := map[domain.BalanceKind]domain.BalanceLine{}
	for _, l := range lines {
		by[l.Kind] = l
	}
	charge, back := by[domain.BalanceCharge], by[domain.BalanceRefund]
	if charge.Amount != 2450 || charge.Fee != 61 || charge.Net != 2389 || charge.Code != "EUR" || charge.PaymentIntent != s.PaymentIntent || charge.Paid != 2450 || charge.PaidCode != "EUR" {
		t.Errorf("payment %+v", charge)
	}
	if back.Amount != -450 || back.Net != -450 || back.Source != refund || back.PaymentIntent != s.PaymentIntent || back.Paid != 450 {
		t.Errorf("refund %+v", back)
	}
	if none, err := w.pay.BalanceLines(t.Context(), from.Add(-time.Hour), from); err != nil || len(none) > 0 {
		t.Errorf("before: %+v, %v", none, err)
	}
	if early, err := w.pay.Payouts(t.Context(), from, to); err != nil || len(early) > 0 {
		t.Errorf("paid out already: %+v, %v", early, err)
	}
	w.now.Store(48 * 3600)
	payouts, err := w.pay.Payouts(t.Context(), from, to)
	if err != nil || len(payouts) != 1 || payouts[0].Amount != 1939 || payouts[0].Code != "EUR" || payouts[0].Status != "paid" || !payouts[0].Arrives.After(payouts[0].Created) {
		t.Fatalf("%+v, %v", payouts, err)
	}
	if lines, err = w.pay.BalanceLines(t.Context(), from, to); err != nil || len(lines) != 3 || lines[0].Kind != domain.BalancePayout || lines[0].Net != -1939 {
		t.Errorf("with the payout: %+v, %v", lines, err)
	}
	if _, err := w.sim.Dispute(s.PaymentIntent, "needs_response"); err != nil {
		t.Fatal(err)
	}
	if lines, err = w.pay.BalanceLines(t.Context(), from, to); err != nil || lines[0].Kind != domain.BalanceDispute || lines[0].PaymentIntent != s.PaymentIntent {
		t.Errorf("with a dispute: %+v, %v", lines, err)
	}
	w.sim.SetFaults(stripesim.Faults{{Kind: stripesim.FailBefore, Op: stripesim.OpListPayouts}})
	_, err = w.pay.Payouts(t.Context(), from, to)
	wantErr(t, err, domain.ErrGateway)
}
