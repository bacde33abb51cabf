package stripesim_test

import (
	"net/url"
	"strings"
	"testing"

	"holdfast/internal/stripesim"
)

func has(t *testing.T, a reply, status int, parts ...string) {
	t.Helper()
	if a.status != status {
		t.Errorf("status %d, want %d", a.status, status)
	}
	for _, p := range parts {
		if !strings.Contains(a.text, p) {
			t.Errorf("%q is not in\n%s", p, a.text)
		}
	}
	for _, never := range []string{"<script", "<style", "style=", "onclick", "{{"} {
		if strings.Contains(a.text, never) {
			t.Errorf("%q is in\n%s", never, a.text)
		}
	}
}

func press(action string) url.Values { return url.Values{"action": {action}} }

func TestPayPage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session("400000", "lkr")
	has(t, r.get("/pay/"+id, nil), 200, `<link rel="stylesheet" href="/static/base.css">`, "Upcountry Lines", "2 tickets &lt;b&gt;",
		`<form method="post" action="/stripesim/pay/`+id+`"`, `name="action" value="pay" data-amount="400000" data-currency="LKR">Pay LKR 4,000.00<`,
		`name="action" value="decline"`, `name="action" value="cancel"`)

	has(t, r.post("/pay/"+id, "", press("decline")), 402, "Your card was declined. Nothing was charged.", `value="pay"`)
	if s, _ := r.Session(id); s.Status != "open" || s.PaymentIntent == "" {
		t.Errorf("after a decline: %+v", s)
	}
	if a := r.post("/pay/"+id, "", press("cancel")); a.status != 303 || a.header.Get("Location") != "http://app.example/back" {
		t.Errorf("cancel: %d %s", a.status, a.header.Get("Location"))
	}
	has(t, r.post("/pay/"+id, "", press("steal")), 422)
	before, _ := r.Session(id)
	for range 2 { // pressed twice
		if a := r.post("/pay/"+id, "", press("pay")); a.status != 303 || a.header.Get("Location") != "http://app.example/ok?s="+id {
			t.Errorf("pay: %d %s", a.status, a.header.Get("Location"))
		}
	}
	after, _ := r.Session(id)
	if after.PaymentStatus != "paid" || after.PaymentIntent != before.PaymentIntent || len(r.Events()) != 1 {
		t.Errorf("paid: %+v, %d events", after, len(r.Events()))
	}
	has(t, r.get("/pay/"+id, nil), 200, "Already paid", `href="http://app.example/ok?s=`+id+`"`)
	has(t, r.post("/pay/"+id, "", press("decline")), 200, "Already paid")
}

func TestPayPageAfterTheEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session("2450", "eur")
	r.skip.Store(36 * 60)
	has(t, r.get("/pay/"+id, nil), 410, "Nothing was charged.", `href="http://app.example/back"`)
	for _, action := range []string{"pay", "decline"} {
		has(t, r.post("/pay/"+id, "", press(action)), 410, "Nothing was charged.")
	}
	if a := r.post("/pay/"+id, "", press("cancel")); a.status != 303 {
		t.Errorf("cancel: %d", a.status)
	}
	if s, _ := r.Session(id); s.PaymentIntent != "" {
		t.Error("something was tried")
	}
	has(t, r.get("/pay/cs_test_nobody", nil), 404, "does not exist")
	has(t, r.post("/pay/cs_test_nobody", "", press("pay")), 404, "does not exist")
}

func TestAmountsOnThePage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, tc := range []struct{ amount, currency, data, words string }{
		{"2450", "eur", "2450", "Pay EUR 24.50"}, {"1200", "jpy", "1200", "Pay JPY 1,200"}, {"2450", "kwd", "2450", "Pay KWD 2.450"},
		{"240000", "isk", "2400", "Pay ISK 2,400"}, {"1500000", "ugx", "15000", "Pay UGX 15,000"}, {"123456789", "usd", "123456789", "Pay USD 1,234,567.89"},
		{"50", "usd", "50", "Pay USD 0.50"}, {"10", "kwd", "10", "Pay KWD 0.010"},
	} {
		id := r.session(tc.amount, tc.currency)
		has(t, r.get("/pay/"+id, nil), 200, `data-amount="`+tc.data+`" data-currency="`+strings.ToUpper(tc.currency)+`">`+tc.words+"<")
	}
}

func TestControlPage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	has(t, r.get("/", nil), 200, "All is well.", "None yet.")
	id, pi := r.paid("2450", "eur")
	r.SetFaults(stripesim.Faults{{Kind: stripesim.RefundPending}})
	refund, err := r.DashboardRefund(pi, 450)
	if err != nil {
		t.Fatal(err)
	}
	has(t, r.get("/", nil), 200, `data-session="`+id+`" data-status="complete"`, `data-refund="`+refund+`" data-status="pending"`,
		`data-event="`, "EUR 24.50", `data-fault="refund_pending"`)

	if a := r.post("/refunds/"+refund, "", url.Values{"end": {"succeeded"}}); a.status != 303 || a.header.Get("Location") != "/stripesim/" {
		t.Errorf("finish: %d", a.status)
	}
	has(t, r.get("/", nil), 200, `data-refund="`+refund+`" data-status="succeeded"`)
	has(t, r.post("/refunds/re_nobody", "", url.Values{"end": {"failed"}}), 409, "can no longer change")
	has(t, r.post("/events/evt_nobody", "", nil), 404, "no such event")
	if a := r.post("/events/"+r.Events()[0].ID, "", nil); a.status != 303 {
		t.Errorf("send again: %d", a.status)
	}
}

func TestFaultSwitches(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	add := url.Values{"add": {"1"}, "kind": {"slow"}, "op": {"create_session"}, "times": {"2"}, "delay_ms": {"1500"}, "copies": {"3"}, "version": {""}}
	if a := r.post("/faults", "", add); a.status != 303 {
		t.Errorf("add: %d %s", a.status, a.text)
	}
	add.Set("kind", "network_down")
	add.Set("times", "0")
	r.post("/faults", "", add)
	got := r.Faults()
	if len(got) != 2 || got[0].Kind != stripesim.Slow || got[0].Times != 2 || got[0].Delay.Milliseconds() != 1500 || got[1].Times != 0 {
		t.Errorf("faults %+v", got)
	}
	for field, value := range map[string]string{"kind": "earthquake", "times": "-1", "delay_ms": "soon"} {
		bad := url.Values{"add": {"1"}, "kind": {"slow"}}
		bad.Set(field, value)
		has(t, r.post("/faults", "", bad), 422, `role="alert"`)
	}
	r.post("/faults", "", url.Values{"remove": {"0"}})
	r.post("/faults", "", url.Values{"remove": {"9"}})
	if got := r.Faults(); len(got) != 1 || got[0].Kind != stripesim.NetworkDown {
		t.Errorf("after one is off %+v", got)
	}
	r.post("/faults", "", url.Values{"clear": {"1"}})
	if got := r.Faults(); len(got) != 0 {
		t.Errorf("after all are off %+v", got)
	}
}
