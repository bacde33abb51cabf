package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"

	"holdfast/db"
	"holdfast/db/dbtest"
)

const staffPassword = "tomato-bicycle-lamp"

// hire adds an account per role, "owner@house.example" and so on, all with staffPassword.
func hire(t *testing.T, d *db.DB) {
	t.Helper()
	hash, err := argon2id.CreateHash(staffPassword, &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Pool().Exec(t.Context(), `INSERT INTO staff (email, name, role, password_hash) SELECT r || '@house.example', initcap(r) || ' Person', r, $1
		FROM unnest(ARRAY['owner', 'manager', 'cashier', 'steward']) r`, hash)
	if err != nil {
		t.Fatal(err)
	}
}

// office is a world with one screening and staff.
func office(t *testing.T) (*world, dbtest.Event) {
	t.Helper()
	var ev dbtest.Event
	return newWorld(t, func(d *db.DB) {
		ev = dbtest.Screening(t, d, 4, 8)
		hire(t, d)
	}, nil), ev
}

// login sends the sign-in page's form.
func (b *browser) login(w *world, email, password string) *page {
	b.t.Helper()
	p := b.get(w.URL + "/staff/login").want(200)
	return b.submit(p, p.form("/staff/login"), url.Values{"email": {email}, "password": {password}}, "")
}

// as is a browser signed in with a role.
func (w *world) as(t *testing.T, role string) *browser {
	t.Helper()
	b := w.browser()
	b.t = t
	b.login(w, role+"@house.example", staffPassword).want(303)
	return b
}

func (b *browser) token(w *world) string {
	u, err := url.Parse(w.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range b.Jar.Cookies(u) {
		if c.Name == "holdfast" {
			return c.Value
		}
	}
	return ""
}

func TestStaffSignInAndOut(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.buyer()
	b.t = t
	b.choose(eventPath(ev.ID), "A1").want(303) // a visitor with a hold signs in
	before := b.token(w)

	door := b.get(w.URL + "/staff/status?x=1").want(303)
	if door.location != "/staff/login?next=%2Fstaff%2Fstatus%3Fx%3D1" {
		t.Errorf("signed out, sent to %q", door.location)
	}
	p := b.follow(door).want(200)
	in := b.submit(p, p.form("/staff/login"), url.Values{"email": {" Cashier@House.example "}, "password": {staffPassword}}, "").want(303)
	if in.location != "/staff/status?x=1" {
		t.Errorf("signed in, sent to %q", in.location)
	}
	after := b.token(w)
	if after == "" || after == before {
		t.Errorf("the session's token is %q, before %q", after, before)
	}
	b.follow(in).want(200).says("Cashier Person", "Nothing waits for you")
	b.at("").want(200) // the seats are still this browser's
	if got := b.get(w.URL + "/staff").want(303).location; got != "/staff/today" {
		t.Errorf("/staff leads to %q", got)
	}
	b.get(w.URL + "/staff/login").want(303)

	old := w.browser() // the token from before is worth nothing
	if got := old.ask("GET", w.URL+"/staff/status", "", map[string]string{"Cookie": "holdfast=" + before}); got.status != 303 {
		t.Errorf("with the old token: %d", got.status)
	}
	page := b.get(w.URL + "/staff/status").want(200)
	b.submit(page, page.form("/staff/logout"), nil, "").want(303)
	b.get(w.URL + "/staff/status").want(303)
	if got := old.ask("GET", w.URL+"/staff/status", "", map[string]string{"Cookie": "holdfast=" + after}); got.status != 303 {
		t.Errorf("with the token of a signed-out session: %d", got.status)
	}
	b.post(w.URL+"/staff/logout", nil).want(303)
	w.wantCount(t, 1, "audit_log WHERE action = 'sign_in' AND address = '127.0.0.1' AND actor LIKE 'staff:%'")
	w.wantCount(t, 1, "audit_log WHERE action = 'sign_out'")
}

func TestStaffNextStaysHere(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	for next, want := range map[string]string{
		"/staff/status":           "/staff/status",
		"/t/abc":                  "/t/abc",
		"https://evil.example/":   "/staff",
		"//evil.example/":         "/staff",
		"/\\evil.example":         "/staff",
		"/%5Cevil.example":        "/staff",
		"/\t/evil.example":        "/staff",
		"evil":                    "/staff",
		"javascript:alert(1)":     "/staff",
		"/staff/login":            "/staff",
		"/staff/logout":           "/staff",
		"https:/evil.example/":    "/staff",
		"/staff\r\nX-Injected: 1": "/staff",
	} {
		b := w.browser()
		p := b.get(w.URL + "/staff/login?next=" + url.QueryEscape(next)).want(200)
		in := b.submit(p, p.form("/staff/login"), url.Values{"email": {"cashier@house.example"}, "password": {staffPassword}, "next": {next}}, "").want(303)
		if in.location != want {
			t.Errorf("next %q leads to %q, want %q", next, in.location, want)
		}
	}
}

// A wrong password, an unknown address and an account that was switched off read the same.
func TestStaffRefusalIsNeutral(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	w.exec(`UPDATE staff SET disabled_at = now() WHERE role = 'steward'`)
	var first string
	for _, c := range [][2]string{
		{"owner@house.example", "wrong"}, {"nobody@house.example", staffPassword}, {"steward@house.example", staffPassword},
		{"owner@house.example", ""}, {"owner@house.example", strings.Repeat("x", 2000)}, {"", ""},
	} {
		p := w.browser().login(w, c[0], c[1]).want(422).says("do not belong together")
		f := p.form("/staff/login")
		if f.values.Get("password") != "" || f.values.Get("email") != c[0] {
			t.Errorf("the form comes back with %v", f.values)
		}
		text := strings.ReplaceAll(p.text(), c[0], "")
		if first == "" {
			first = text
		}
		if text != first {
			t.Errorf("%v reads\n%s\nwant\n%s", c, text, first)
		}
	}
	w.wantCount(t, 6, "audit_log WHERE action = 'sign_in_failed'")
	w.wantCount(t, 0, "audit_log x WHERE x::text LIKE '%wrong%' OR x::text LIKE '%nobody@%' OR x::text LIKE '%tomato%'")
	w.wantCount(t, 0, "login_failures x WHERE x::text LIKE '%@%'")
}

func TestStaffLoginLimits(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	for range 3 {
		w.browser().login(w, "owner@house.example", "wrong").want(422)
	}
	w.as(t, "owner") // success forgives
	w.wantCount(t, 0, "login_failures")

	got := make([]int, 14)
	atOnce(len(got), func(i int) {
		b := w.browser()
		got[i] = b.post(w.URL+"/staff/login", url.Values{"email": {"owner@house.example"}, "password": {"wrong"}}).status
	})
	count := map[int]int{}
	for _, status := range got {
		count[status]++
	}
	if count[422] != 10 || count[429] != 4 {
		t.Errorf("14 tries at once: %v, want 10 refused and 4 limited", count)
	}
	p := w.browser().login(w, "owner@house.example", staffPassword).want(429).says("Too many tries")
	if p.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.as(t, "cashier") // another account from the same address still may

	for i := range 10 {
		w.browser().login(w, "guess"+itoa(int64(i))+"@house.example", "wrong").want(422)
	}
	w.browser().login(w, "cashier@house.example", staffPassword).want(429) // the address is full

	w.exec(`UPDATE login_failures SET at = at - interval '16 minutes'`)
	w.as(t, "owner")
}

func TestStaffRoles(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	w.exec(`INSERT INTO staff_tasks (kind, words) SELECT 'mail_failed', 'A mail did not arrive: ' || n FROM generate_series(1, 9) n`)
	routes := []struct {
		method, path string
		want         [5]int // nobody, steward, cashier, manager, owner
	}{
		{"GET", "/staff", [5]int{303, 303, 303, 303, 303}},
		{"GET", "/staff/status", [5]int{303, 403, 200, 200, 200}},
		{"POST", "/staff/tasks/1/done", [5]int{303, 403, 403, 303, 303}},
		{"POST", "/staff/tasks/999/done", [5]int{303, 403, 403, 404, 404}},
		{"POST", "/staff/refunds/999/retry", [5]int{303, 403, 403, 404, 404}},
		{"GET", "/staff/no-such-page", [5]int{303, 404, 404, 404, 404}},
		{"POST", "/staff/no-such-page", [5]int{303, 404, 404, 404, 404}},
		{"GET", "/staff/tasks/1/done", [5]int{405, 405, 405, 405, 405}},
		{"DELETE", "/staff/login", [5]int{405, 405, 405, 405, 405}},
		{"POST", "/staff/status", [5]int{405, 405, 405, 405, 405}},
	}
	for i, role := range []string{"", "steward", "cashier", "manager", "owner"} {
		b := w.browser()
		if role != "" {
			b = w.as(t, role)
		}
		for _, r := range routes {
			p := b.ask(r.method, w.URL+r.path, "", map[string]string{"Content-Type": formType})
			if p.status != r.want[i] {
				t.Errorf("%s %s as %q: %d, want %d", r.method, r.path, role, p.status, r.want[i])
			}
			if p.status == 303 && role == "" && !strings.HasPrefix(p.location, "/staff/login") {
				t.Errorf("%s %s signed out leads to %q", r.method, r.path, p.location)
			}
			if p.header.Get("Cache-Control") != "no-store" && p.status == 200 {
				t.Errorf("%s may be kept: %q", r.path, p.header.Get("Cache-Control"))
			}
		}
	}
	w.as(t, "steward").get(w.URL+"/staff/status").want(403).says("not for your role", "cashier and above", "Sign out")
	w.wantCount(t, 1, "staff_tasks WHERE state = 'done'")
	if got := w.as(t, "cashier").get(w.URL + "/staff/status"); len(got.all("form", "action", "/staff/tasks/2/done")) != 0 {
		t.Error("a cashier is offered Done")
	}
}

func TestStaffCrossSite(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	w.exec(`INSERT INTO staff_tasks (kind, words) VALUES ('mail_failed', 'x')`)
	b := w.as(t, "owner")
	for _, path := range []string{"/staff/login", "/staff/logout", "/staff/tasks/1/done", "/staff/refunds/1/retry"} {
		p := b.ask("POST", w.URL+path, "email=owner%40house.example&password="+staffPassword, map[string]string{"Content-Type": formType, "Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"})
		if p.status != http.StatusForbidden {
			t.Errorf("%s from another site: %d", path, p.status)
		}
	}
	w.wantCount(t, 1, "staff_tasks WHERE state = 'open'")
	b.get(w.URL + "/staff/status").want(200)
}

// Idle, absolute age, an account switched off: each ends the signing-in by what is stored.
func TestStaffSessionsEnd(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	for name, sql := range map[string]string{
		"idle":         `UPDATE staff_sessions SET seen_at = now() - interval '31 minutes'`,
		"old":          `UPDATE staff_sessions SET signed_in_at = now() - interval '12 hours 1 minute'`,
		"switched off": `UPDATE staff SET disabled_at = now() WHERE role = 'manager'`,
		"ended":        `UPDATE staff_sessions SET ended_at = now()`,
	} {
		w.exec(`UPDATE staff SET disabled_at = NULL`)
		b := w.as(t, "manager")
		b.get(w.URL + "/staff/status").want(200)
		w.exec(sql)
		if got := b.get(w.URL + "/staff/status").status; got != 303 {
			t.Errorf("%s: %d, want 303", name, got)
		}
	}
	w.exec(`UPDATE staff SET disabled_at = NULL`)
	b := w.as(t, "manager")
	w.exec(`UPDATE staff_sessions SET seen_at = now() - interval '29 minutes', signed_in_at = now() - interval '11 hours'`)
	b.get(w.URL + "/staff/status").want(200)
	w.wantCount(t, 1, "staff_sessions WHERE seen_at > now() - interval '1 minute'")
}

func TestStaffPasswordIsHashedAnew(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	weak, err := argon2id.CreateHash(staffPassword, &argon2id.Params{Memory: 8 * 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		t.Fatal(err)
	}
	w.exec(`UPDATE staff SET password_hash = $1 WHERE role = 'owner'`, weak)
	kept := one[string](w, `SELECT password_hash FROM staff WHERE role = 'cashier'`)
	w.as(t, "owner")
	w.as(t, "owner")
	w.as(t, "cashier")
	if hash := one[string](w, `SELECT password_hash FROM staff WHERE role = 'owner'`); !strings.Contains(hash, "m=19456,t=2,p=1") {
		t.Errorf("the weak hash became %s", hash)
	}
	if hash := one[string](w, `SELECT password_hash FROM staff WHERE role = 'cashier'`); hash != kept {
		t.Error("a good hash was made anew")
	}
}
