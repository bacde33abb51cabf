package stripesim_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"
)

func TestRefundsSince(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, pi := r.paid("2450", "eur")
	_, _ = r.DashboardRefund(pi, 1)
	r.skip.Store(3600)
	newer, _ := r.DashboardRefund(pi, 2)
	since := url.Values{"created[gte]": {fmt.Sprint(time.Now().Add(time.Minute).Unix())}}
	a := r.get("/v1/refunds", since)
	if data, _ := a.json["data"].([]any); len(data) != 1 || data[0].(map[string]any)["id"] != newer {
		t.Errorf("list: %s", a.text)
	}
}

func TestLedger(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if got := r.Ledger(); len(got) != 0 {
		t.Errorf("before: %+v", got)
	}
	first, firstIntent := r.paid("2450", "eur")
	_ = r.Decline(r.session("2450", "eur")) // took nothing
	second, secondIntent := r.paid("1200", "jpy")
	for _, amount := range []int64{450, 500, 600} {
		if _, err := r.DashboardRefund(firstIntent, amount); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.FinishRefund(r.Refunds()[1].ID, false); err != nil {
		t.Fatal(err)
	}
	got := r.Ledger()
	if len(got) != 2 {
		t.Fatalf("lines %+v", got)
	}
	a, b := got[0], got[1]
	if a.SessionID != first || a.PaymentIntent != firstIntent || a.Taken != 2450 || a.Refunded != 1050 || a.Currency != "eur" || a.Metadata["payment_id"] != "7" {
		t.Errorf("first line %+v", a)
	}
	if b.SessionID != second || b.PaymentIntent != secondIntent || b.Taken != 1200 || b.Refunded != 0 || b.Currency != "jpy" {
		t.Errorf("second line %+v", b)
	}
	a.Metadata["payment_id"] = "changed"
	if r.Ledger()[0].Metadata["payment_id"] != "7" {
		t.Error("the snapshot is not a copy")
	}
}
