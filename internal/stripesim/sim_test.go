package stripesim_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/internal/stripesim"
)

// rig is a Sim on a real port, mounted as an app mounts it.
type rig struct {
	*stripesim.Sim
	t    *testing.T
	base string
	skip *atomic.Int64   // seconds by which the Sim's clock is ahead
	net  *http.Transport // its own, because closing any test server empties the default one
}

func newRig(t *testing.T, change ...func(*stripesim.Options)) rig {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	r := rig{t: t, base: "http://" + srv.Listener.Addr().String() + "/stripesim", skip: &atomic.Int64{}, net: &http.Transport{}}
	opt := stripesim.Options{BaseURL: r.base, Venue: "Upcountry Lines", RetryPause: time.Millisecond,
		StylesheetURL: []string{"/static/base.css"},
		Now:           func() time.Time { return time.Now().Add(time.Duration(r.skip.Load()) * time.Second) }}
	for _, c := range change {
		c(&opt)
	}
	r.Sim = stripesim.New(opt)
	mux := http.NewServeMux()
	mux.Handle("/stripesim/", r.Sim)
	srv.Config.Handler = mux
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(r.net.CloseIdleConnections)
	t.Cleanup(func() { _ = r.Close(t.Context()) })
	return r
}

// reply is an answer with its JSON.
type reply struct {
	status int
	header http.Header
	text   string
	json   map[string]any
}

func (a reply) id() string { return fmt.Sprint(a.json["id"]) }

func (a reply) problem() (kind, code, message string) {
	e, _ := a.json["error"].(map[string]any)
	text := func(k string) string { s, _ := e[k].(string); return s }
	return text("type"), text("code"), text("message")
}

func (r rig) do(req *http.Request) reply {
	r.t.Helper()
	client := http.Client{Transport: r.net, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		r.t.Error(err)
		return reply{}
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	out := reply{status: resp.StatusCode, header: resp.Header, text: string(body)}
	_ = json.Unmarshal(body, &out.json)
	return out
}

func (r rig) request(method, path, key string, form url.Values) *http.Request {
	r.t.Helper()
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(form.Encode())
	} else if len(form) > 0 {
		path += "?" + form.Encode()
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.base+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer sk_test_x")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return req
}

func (r rig) post(path, key string, form url.Values) reply {
	r.t.Helper()
	return r.do(r.request(http.MethodPost, path, key, form))
}

func (r rig) get(path string, form url.Values) reply {
	r.t.Helper()
	return r.do(r.request(http.MethodGet, path, "", form))
}

func sessionForm(amount, currency string) url.Values {
	return url.Values{
		"mode": {"payment"}, "success_url": {"http://app.example/ok?s={CHECKOUT_SESSION_ID}"}, "cancel_url": {"http://app.example/back"},
		"line_items[0][quantity]": {"1"}, "line_items[0][price_data][currency]": {currency},
		"line_items[0][price_data][unit_amount]": {amount}, "line_items[0][price_data][product_data][name]": {"2 tickets <b>"},
		"metadata[payment_id]": {"7"}, "payment_intent_data[metadata][payment_id]": {"7"}, "client_reference_id": {"7"},
		"expires_at": {fmt.Sprint(time.Now().Add(35 * time.Minute).Unix())},
	}
}

func (r rig) session(amount, currency string) string {
	r.t.Helper()
	a := r.post("/v1/checkout/sessions", "", sessionForm(amount, currency))
	if a.status != 200 {
		r.t.Fatalf("create: %d %s", a.status, a.text)
	}
	return a.id()
}

// paid is a paid session and its payment intent.
func (r rig) paid(amount, currency string) (session, intent string) {
	r.t.Helper()
	session = r.session(amount, currency)
	if err := r.Pay(session); err != nil {
		r.t.Fatal(err)
	}
	s, _ := r.Session(session)
	return session, s.PaymentIntent
}

func TestKeyIsRequired(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *stripesim.Options) { o.Key = "sk_test_x" })
	for auth, want := range map[string]int{"": 401, "Bearer ": 401, "Bearer sk_test_y": 401, "Basic x": 401, "Bearer sk_test_x": 200} {
		req := r.request(http.MethodGet, "/v1/checkout/sessions", "", nil)
		req.Header.Set("Authorization", auth)
		if a := r.do(req); a.status != want {
			t.Errorf("%q: %d, want %d", auth, a.status, want)
		}
	}
}

func TestPathsAreBelowTheBase(t *testing.T) {
	t.Parallel()
	sim := stripesim.New(stripesim.Options{BaseURL: "http://127.0.0.1:1/stripesim/"})
	root := stripesim.New(stripesim.Options{BaseURL: "http://127.0.0.1:1"})
	for _, tc := range []struct {
		sim  *stripesim.Sim
		path string
		want int
	}{
		{sim, "/stripesim/", 200}, {sim, "/", 404}, {sim, "/v1/refunds", 404}, {sim, "/stripesim/v1/refunds", 401},
		{root, "/", 200}, {root, "/v1/refunds", 401}, {root, "/stripesim/", 404},
	} {
		w := httptest.NewRecorder()
		tc.sim.ServeHTTP(w, httptest.NewRequest(http.MethodGet, tc.path, nil))
		if w.Code != tc.want {
			t.Errorf("%s: %d, want %d", tc.path, w.Code, tc.want)
		}
	}
}

func TestSessionShape(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	form := sessionForm("2450", "EUR")
	form.Set("customer_email", "a@example.org")
	a := r.post("/v1/checkout/sessions", "", form)
	for k, want := range map[string]any{
		"object": "checkout.session", "status": "open", "payment_status": "unpaid", "amount_total": 2450.0, "currency": "eur",
		"livemode": false, "client_reference_id": "7", "customer_email": "a@example.org", "payment_intent": nil,
	} {
		if a.json[k] != want {
			t.Errorf("%s = %v, want %v", k, a.json[k], want)
		}
	}
	if want := r.base + "/pay/" + a.id(); a.json["url"] != want || !strings.HasPrefix(a.id(), "cs_test_") {
		t.Errorf("url %v, want %s", a.json["url"], want)
	}
	if err := r.Pay(a.id()); err != nil {
		t.Fatal(err)
	}
	paid := r.get("/v1/checkout/sessions/"+a.id(), url.Values{"expand[0]": {"payment_intent"}})
	pi, _ := paid.json["payment_intent"].(map[string]any)
	if paid.json["status"] != "complete" || paid.json["payment_status"] != "paid" || paid.json["url"] != nil ||
		pi["status"] != "succeeded" || pi["amount_received"] != 2450.0 || fmt.Sprint(pi["metadata"]) != "map[payment_id:7]" {
		t.Errorf("paid: %s", paid.text)
	}
	if got := r.get("/v1/payment_intents/"+fmt.Sprint(pi["id"]), nil); got.status != 200 || got.json["latest_charge"] != pi["latest_charge"] {
		t.Errorf("intent: %s", got.text)
	}
}

func TestSessionChecks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	in := func(d time.Duration) string { return fmt.Sprint(time.Now().Add(d).Unix()) }
	const line = "line_items[0]"
	for _, tc := range []struct {
		name, field, value string
		want               int
	}{
		{"as it is", "mode", "payment", 200}, {"mode", "mode", "setup", 400},
		{"ends in 29 min", "expires_at", in(29 * time.Minute), 400}, {"ends in 30 min", "expires_at", in(30 * time.Minute), 200},
		{"ends in 24 h", "expires_at", in(24 * time.Hour), 200}, {"ends in 25 h", "expires_at", in(25 * time.Hour), 400},
		{"no end given", "expires_at", "", 200}, {"end is no number", "expires_at", "soon", 400},
		{"no success address", "success_url", "", 400}, {"relative address", "success_url", "/ok", 400}, {"no cancel address", "cancel_url", "", 200},
		{"email", "customer_email", "nobody", 400}, {"currency", line + "[price_data][currency]", "euro", 400},
		{"amount missing", line + "[price_data][unit_amount]", "", 400}, {"amount negative", line + "[price_data][unit_amount]", "-1", 400},
		{"amount zero", line + "[price_data][unit_amount]", "0", 400}, {"amount too small", line + "[price_data][unit_amount]", "49", 400},
		{"amount broken", line + "[price_data][unit_amount]", "24.50", 400}, {"no quantity", line + "[quantity]", "", 400},
		{"no name", line + "[price_data][product_data][name]", "", 400},
	} {
		form := sessionForm("2450", "eur")
		form.Set(tc.field, tc.value)
		a := r.post("/v1/checkout/sessions", "", form)
		kind, _, message := a.problem()
		if a.status != tc.want || tc.want == 400 && (kind != "invalid_request_error" || message == "") {
			t.Errorf("%s: %d %s", tc.name, a.status, a.text)
		}
	}
	for _, money := range [][2]string{{"2455", "kwd"}, {"2450", "isk"}, {"2450", "ugx"}} {
		if a := r.post("/v1/checkout/sessions", "", sessionForm(money[0], money[1])); a.status != 400 {
			t.Errorf("%v: %d", money, a.status)
		}
	}
	if a := r.post("/v1/checkout/sessions", "", url.Values{"mode": {"payment"}, "success_url": {"http://a.example/"}}); a.status != 400 {
		t.Errorf("without lines: %d", a.status)
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	byTime, byCall, paid := r.session("2450", "eur"), r.session("2450", "eur"), r.session("2450", "eur")
	if a := r.post("/v1/checkout/sessions/"+byCall+"/expire", "", nil); a.status != 200 || a.json["status"] != "expired" || a.json["url"] != nil {
		t.Errorf("expire: %d %s", a.status, a.text)
	}
	_ = r.Pay(paid)
	for id, word := range map[string]string{byCall: "`expired`", paid: "`complete`"} {
		a := r.post("/v1/checkout/sessions/"+id+"/expire", "", nil)
		if _, _, message := a.problem(); a.status != 400 || !strings.Contains(message, word) {
			t.Errorf("expire again: %d %s", a.status, a.text)
		}
	}
	r.skip.Store(36 * 60)
	if a := r.get("/v1/checkout/sessions/"+byTime, nil); a.json["status"] != "expired" {
		t.Errorf("by time: %s", a.text)
	}
	for _, id := range []string{byTime, byCall, paid, "cs_test_nobody"} {
		if r.Pay(id) == nil || r.Expire(id) == nil || r.Decline(id) == nil {
			t.Errorf("%s is still open", id)
		}
	}
	if a := r.get("/v1/checkout/sessions/cs_test_nobody", nil); a.status != 404 {
		t.Errorf("unknown: %d", a.status)
	}
	counts := map[string]int{}
	for _, e := range r.Events() {
		counts[e.Type]++
	}
	if counts["checkout.session.expired"] != 2 || counts["checkout.session.completed"] != 1 || len(counts) != 2 {
		t.Errorf("events %v", counts)
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var ids []string
	for range 5 {
		ids = append([]string{r.session("2450", "eur")}, ids...)
		r.skip.Add(10)
	}
	page := func(form url.Values) (got []string, more bool) {
		a := r.get("/v1/checkout/sessions", form)
		data, _ := a.json["data"].([]any)
		for _, o := range data {
			got = append(got, o.(map[string]any)["id"].(string))
		}
		more, _ = a.json["has_more"].(bool)
		return got, more
	}
	check := func(name string, form url.Values, want []string, wantMore bool) {
		if got, more := page(form); strings.Join(got, " ") != strings.Join(want, " ") || more != wantMore {
			t.Errorf("%s: %v %v, want %v", name, got, more, want)
		}
	}
	check("all", nil, ids, false)
	check("first page", url.Values{"limit": {"2"}}, ids[:2], true)
	check("second page", url.Values{"limit": {"2"}, "starting_after": {ids[1]}}, ids[2:4], true)
	check("last page", url.Values{"limit": {"2"}, "starting_after": {ids[3]}}, ids[4:], false)
	newer, _ := r.Session(ids[2])
	check("since", url.Values{"created[gte]": {fmt.Sprint(newer.Created.Unix())}}, ids[:3], false)
	check("before", url.Values{"created[lt]": {fmt.Sprint(newer.Created.Unix())}}, ids[3:], false)
	for _, bad := range []url.Values{{"limit": {"101"}}, {"limit": {"x"}}, {"starting_after": {"cs_nobody"}}, {"created[gte]": {"x"}}} {
		if a := r.get("/v1/checkout/sessions", bad); a.status != 400 {
			t.Errorf("%v: %d", bad, a.status)
		}
	}
}

func TestRefundRules(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, pi := r.paid("2450", "eur")
	ask := func(amount string) reply {
		form := url.Values{"payment_intent": {pi}, "metadata[refund_id]": {"1"}}
		if amount != "" {
			form.Set("amount", amount)
		}
		return r.post("/v1/refunds", "", form)
	}
	for _, amount := range []string{"0", "-5", "x", "2451"} {
		if a := ask(amount); a.status != 400 {
			t.Errorf("%s: %d", amount, a.status)
		}
	}
	if a := ask("1000"); a.status != 200 || a.json["status"] != "succeeded" || a.json["amount"] != 1000.0 {
		t.Errorf("part: %s", a.text)
	}
	if a := ask("1451"); a.status != 400 {
		t.Errorf("more than is left: %d", a.status)
	}
	rest := ask("")
	if rest.status != 200 || rest.json["amount"] != 1450.0 {
		t.Errorf("the rest: %s", rest.text)
	}
	if a := ask("1"); a.status != 400 {
		t.Errorf("nothing left: %d", a.status)
	} else if _, code, _ := a.problem(); code != "charge_already_refunded" {
		t.Errorf("code %q", code)
	}
	// A refund that fails after it had succeeded gives its amount back to the rest.
	if err := r.FinishRefund(rest.id(), false); err != nil {
		t.Fatal(err)
	}
	if taken, back := r.Paid(pi); taken != 2450 || back != 1000 {
		t.Errorf("taken %d, back %d", taken, back)
	}
	if a := r.get("/v1/refunds/"+rest.id(), nil); a.json["status"] != "failed" || a.json["failure_reason"] == nil {
		t.Errorf("failed one: %s", a.text)
	}
	if a := r.get("/v1/refunds", url.Values{"payment_intent": {pi}}); len(a.json["data"].([]any)) != 2 {
		t.Errorf("list: %s", a.text)
	}
	open := r.session("2450", "eur")
	_ = r.Decline(open)
	s, _ := r.Session(open)
	if a := r.post("/v1/refunds", "", url.Values{"payment_intent": {s.PaymentIntent}}); a.status != 400 {
		t.Errorf("unpaid: %d", a.status)
	}
	if a := r.post("/v1/refunds", "", url.Values{"payment_intent": {"pi_nobody"}}); a.status != 404 {
		t.Errorf("unknown: %d", a.status)
	}
}
