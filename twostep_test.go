package main

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"golang.org/x/net/html"
)

// code is what an app shows now.
func code(t *testing.T, secret string) string {
	t.Helper()
	text, err := totp.GenerateCode(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// secretOf reads the secret that a person types: the code element of the set-up page.
func (p *page) secretOf() string {
	for _, n := range p.all("code", "", "") {
		return strings.ReplaceAll(textOf(n), " ", "")
	}
	p.t.Fatalf("no secret on %s:\n%s", p.url, p.text())
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// secrets are the things that a page shows once.
func (p *page) secrets() (list []string) {
	for _, n := range p.all("code", "", "") {
		list = append(list, textOf(n))
	}
	return list
}

// twoStep sets a second factor up for whoever is signed in and answers its secret.
func (b *browser) twoStep(w *world, password string) string {
	b.t.Helper()
	secret, _ := b.twoStepCodes(w, password)
	return secret
}

func (b *browser) twoStepCodes(w *world, password string) (secret string, recovery []string) {
	b.t.Helper()
	me := b.get(w.URL + "/staff/me").want(200)
	p := b.follow(b.submit(me, me.form("/staff/me/two-step"), nil, "").want(303)).want(200)
	secret = p.secretOf()
	shown := b.submit(p, p.form("/two-step/on"), url.Values{"code": {code(b.t, secret)}, "password": {password}}, "").want(200).says("The second step is on", "shown only now")
	return secret, shown.secrets()
}

// nextStep lets the code of this half minute be used once more.
func (w *world) nextStep() { w.exec(`UPDATE staff SET totp_step = 0`) }

func TestTwoStepSignIn(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	b := w.as(t, "manager")
	secret, recovery := b.twoStepCodes(w, staffPassword)
	if len(recovery) != 10 {
		t.Fatalf("recovery codes %q", recovery)
	}
	w.wantCount(t, 0, "staff x WHERE x::text LIKE '%"+secret+"%'")
	w.wantCount(t, 0, "staff_recovery_codes x WHERE x::text LIKE '%"+recovery[0]+"%' OR x::text LIKE '%"+strings.ReplaceAll(recovery[0], "-", "")+"%'")
	w.wantCount(t, 0, "audit_log x WHERE x::text LIKE '%"+secret+"%' OR x::text LIKE '%tomato%'")
	b.get(w.URL + "/staff/me/two-step").want(303) // never shown again

	door := func() (*browser, *page) {
		t.Helper()
		x := w.browser()
		x.t = t
		in := x.login(w, "manager@house.example", staffPassword).want(303)
		x.get(w.URL + "/staff/bookings").want(303) // the password alone opens nothing
		return x, x.follow(in).want(200).says("Your code")
	}
	enter := func(x *browser, p *page, text string) *page {
		t.Helper()
		return x.submit(p, p.form("/staff/login"), url.Values{"code": {text}}, "")
	}

	// The code of the set-up is used: at the door it is a replay.
	x, p := door()
	enter(x, p, code(t, secret)).want(422).says("That code did not work")
	w.nextStep()
	before := x.token(w)
	now := code(t, secret)
	if in := enter(x, p, now[:3]+" "+now[3:]).want(303); in.location != "/staff" || x.token(w) == before {
		t.Errorf("leads to %q, token renewed %t", in.location, x.token(w) != before)
	}
	x.get(w.URL + "/staff/bookings").want(200)
	x, p = door()
	enter(x, p, now).want(422)

	// A recovery code, in any case and with or without its dash, once.
	enter(x, p, strings.ToUpper(strings.ReplaceAll(recovery[3], "-", ""))).want(303)
	x.get(w.URL + "/staff/me").want(200).says("9 of 10 recovery codes are left")
	x, p = door()
	enter(x, p, recovery[3]).want(422)
	enter(x, p, recovery[4]).want(303)

	// The code may come with the password; a wrong one there is refused like that.
	w.nextStep()
	one := w.browser()
	form := url.Values{"email": {"manager@house.example"}, "password": {staffPassword}, "code": {"000000"}}
	one.post(w.URL+"/staff/login", form).want(422)
	form.Set("code", code(t, secret))
	one.post(w.URL+"/staff/login", form).want(303)
	one.get(w.URL + "/staff/bookings").want(200)

	// A code without a password before is nothing; the first step counts for ten minutes.
	w.nextStep()
	w.browser().post(w.URL+"/staff/login", url.Values{"code": {code(t, secret)}}).want(422).says("begin again")
	x, p = door()
	w.exec(`UPDATE staff_sessions SET signed_in_at = signed_in_at - interval '11 minutes' WHERE code_due`)
	enter(x, p, code(t, secret)).want(422).says("begin again")
	x, _ = door()
	x.get(w.URL + "/staff/login?again=1").want(200).says("Password")
	w.wantCount(t, 4, "audit_log WHERE action = 'sign_in_code_failed'")
}

// Codes count as tries, and a right password in between forgives none of them.
func TestTwoStepLimits(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	secret := w.as(t, "manager").twoStep(w, staffPassword)
	w.nextStep()
	b := w.browser()
	p := b.follow(b.login(w, "manager@house.example", staffPassword).want(303))
	for range 4 {
		b.submit(p, p.form("/staff/login"), url.Values{"code": {"000000"}}, "").want(422)
	}
	b.login(w, "manager@house.example", staffPassword).want(303)
	for range 4 {
		b.submit(p, p.form("/staff/login"), url.Values{"code": {"000000"}}, "").want(422)
	}
	limited := b.submit(p, p.form("/staff/login"), url.Values{"code": {code(t, secret)}}, "").want(429).says("Too many tries")
	if limited.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.browser().login(w, "manager@house.example", staffPassword).want(429)
	w.exec(`UPDATE login_failures SET at = at - interval '16 minutes'`)
	b.submit(p, p.form("/staff/login"), url.Values{"code": {code(t, secret)}}, "").want(303)
	w.wantCount(t, 0, "login_failures")
}

// The step-up takes the password or a code; switching off and new codes need it.
func TestTwoStepOffAndNewCodes(t *testing.T) {
	t.Parallel()
	w, ev := office(t)
	b := w.as(t, "manager")
	me := b.get(w.URL + "/staff/me").want(200)
	p := b.follow(b.submit(me, me.form("/staff/me/two-step"), nil, ""))
	secret := p.secretOf()
	b.submit(p, p.form("/two-step/on"), url.Values{"code": {"000000"}, "password": {staffPassword}}, "").want(422).says("The code is not right")
	again := b.submit(p, p.form("/two-step/on"), url.Values{"code": {code(t, secret)}, "password": {"wrong"}}, "").want(422).says("The password is not right")
	if again.secretOf() != secret {
		t.Error("a mistake draws another secret")
	}
	w.wantCount(t, 0, "staff WHERE totp_secret IS NOT NULL")
	old := b.submit(p, p.form("/two-step/on"), url.Values{"code": {code(t, secret)}, "password": {staffPassword}}, "").want(200).secrets()

	post := func(path, secret string) *page { return b.post(w.URL+path, url.Values{"password": {secret}}) }
	post("/staff/me/two-step/codes", "wrong").want(422).says("Nothing was changed")
	fresh := post("/staff/me/two-step/codes", staffPassword).want(200).secrets()
	if len(fresh) != 10 || fresh[0] == old[0] {
		t.Errorf("new codes %v", fresh)
	}
	post("/staff/me/two-step/off", old[0]).want(422) // replaced

	// An event is cancelled with a code in the place of the password.
	cancel := func(secret string) int {
		return b.post(w.URL+"/staff/events/"+itoa(ev.ID)+"/cancel", url.Values{"title": {"Salt Road"}, "reason": {"x"}, "password": {secret}}).status
	}
	b.get(w.URL + "/staff/events/" + itoa(ev.ID)).want(200).says("Your password or a code")
	if got := cancel(old[0]); got != 422 {
		t.Errorf("an old recovery code: %d", got)
	}
	w.nextStep()
	if got := cancel(code(t, secret)); got != 303 {
		t.Errorf("a code: %d", got)
	}
	post("/staff/me/two-step/off", code(t, secret)).want(422) // used a moment ago
	post("/staff/me/two-step/off", fresh[1]).want(303)
	b.get(w.URL + "/staff/me").want(200).says("The second step is off")
	w.browser().login(w, "manager@house.example", staffPassword).want(303)
	w.wantCount(t, 0, "staff_recovery_codes")
	for _, action := range []string{"two_step_on", "recovery_codes_renewed", "two_step_off"} {
		w.wantCount(t, 1, "audit_log WHERE action = '"+action+"'")
	}
}

// A role that must have a second step is led to set it up before anything else.
func TestTwoStepOfARole(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	owner, manager, cashier := w.as(t, "owner"), w.as(t, "manager"), w.as(t, "cashier")
	if _, _, err := command(t, w.env, "settings", "set", "require_2fa_roles", "manager,king"); err == nil {
		t.Error("a role that is none was taken")
	}
	if _, _, err := command(t, w.env, "settings", "set", "require_2fa_roles", "owner,manager"); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*browser{owner, manager} {
		for _, path := range []string{"/staff", "/staff/bookings", "/staff/status"} {
			if got := b.get(w.URL + path).want(303).location; got != "/staff/me" {
				t.Errorf("%s leads to %q", path, got)
			}
		}
		if got := b.post(w.URL+"/staff/payments/ask", nil).want(303).location; got != "/staff/me" {
			t.Errorf("a form leads to %q", got)
		}
		p := b.get(w.URL + "/staff/me").want(200).says("First, set up your second step")
		if len(p.all("a", "href", "/staff/bookings")) > 0 {
			t.Error("the menu leads in circles")
		}
	}
	cashier.get(w.URL + "/staff/bookings").want(200)
	manager.twoStep(w, staffPassword)
	manager.get(w.URL + "/staff/bookings").want(200)
	manager.get(w.URL + "/staff/me").want(200).says("This house asks it of your role")
	owner.get(w.URL + "/staff/bookings").want(303)
}

// Whoever has the database alone, or another APP_SECRET, cannot use or make a code.
func TestTwoStepNeedsTheSecret(t *testing.T) {
	t.Parallel()
	w, _ := office(t)
	secret := w.as(t, "manager").twoStep(w, staffPassword)
	w.nextStep()
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.env["APP_SECRET"] = strings.Repeat("x", 40)
	w.start()
	b := w.browser()
	p := b.follow(b.login(w, "manager@house.example", staffPassword).want(303)).want(200)
	b.submit(p, p.form("/staff/login"), url.Values{"code": {code(t, secret)}}, "").want(500)
	if !strings.Contains(w.logs.tail(9000), "was APP_SECRET changed?") {
		t.Error("the log does not say what to do")
	}
	b.get(w.URL + "/staff/bookings").want(303)
}
