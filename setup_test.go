package main

import (
	"context"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"holdfast/db/dbtest"
)

func setupFields(change url.Values) url.Values {
	v := url.Values{
		"token": {"setup"}, "name": {"Olga Marin"}, "email": {"Olga@Rex.example"}, "password": {staffPassword},
		"kind": {"bus"}, "venue_name": {"Rex Lines"}, "currency": {"LKR"}, "time_zone": {"Asia/Colombo"},
	}
	for k, x := range change {
		v[k] = x
	}
	return v
}

func TestSetup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	b := w.browser()
	b.get(w.URL + "/setup").want(200).form("/setup")
	b.get(w.URL + "/setup?token=wrong").want(403).says("set-up token is not right")
	if f := b.get(w.URL + "/setup?token=setup").want(200).form("/setup"); f.values.Get("token") != "setup" {
		t.Errorf("the token does not go along: %v", f.values)
	}
	for _, token := range []string{"", "wrong", "setup "} {
		p := b.post(w.URL+"/setup", setupFields(url.Values{"token": {token}})).want(403)
		if f := p.form("/setup"); f.values.Get("email") != "Olga@Rex.example" || f.values.Get("venue_name") != "Rex Lines" || f.values.Get("password") != "" {
			t.Errorf("with the token %q the form comes back with %v", token, f.values)
		}
	}
	for field, bad := range map[string][]string{
		"email": {"", "olga", "olga@"}, "password": {"", "short", "password1234"}, "name": {" "}, "kind": {"opera"},
		"venue_name": {" ", strings.Repeat("x", 201)}, "currency": {"XXX", ""}, "time_zone": {"Mars/Olympus", "", "Local"},
	} {
		for _, text := range bad {
			p := b.post(w.URL+"/setup", setupFields(url.Values{field: {text}})).want(422)
			if p.all("", "id", field+"-err") == nil || len(p.all("", "aria-invalid", "true")) != 1 {
				t.Errorf("%s=%.20q is not marked:\n%s", field, text, p.text())
			}
		}
	}
	w.wantCount(t, 0, "staff")
	w.wantCount(t, 0, "settings")

	before := b.token(w)
	in := b.post(w.URL+"/setup", setupFields(nil)).want(303)
	if b.token(w) == before || b.token(w) == "" {
		t.Error("the session keeps its token")
	}
	b.follow(in).want(200).says("Olga Marin, owner", "Rex Lines")
	for _, address := range []string{"/setup", "/setup?token=setup", "/setup?token=wrong"} {
		b.get(w.URL + address).want(404)
		w.browser().get(w.URL + address).want(404)
	}
	w.browser().post(w.URL+"/setup", setupFields(url.Values{"email": {"second@rex.example"}})).want(404)
	w.wantCount(t, 1, "staff WHERE role = 'owner' AND email = 'olga@rex.example' AND NOT must_change_password")
	w.wantCount(t, 4, "settings WHERE (key, value) IN (('kind', 'bus'), ('venue_name', 'Rex Lines'), ('currency', 'LKR'), ('time_zone', 'Asia/Colombo'))")
	w.wantCount(t, 1, "audit_log WHERE action = 'set_up' AND address = '127.0.0.1'")
	w.wantCount(t, 0, "audit_log x WHERE x::text LIKE '%tomato%'")
	w.browser().login(w, "olga@rex.example", staffPassword).want(303)
}

// A client that sends the token, the e-mail and the password alone gets what the page
// would have proposed; the token may stand in the address.
func TestSetupWithLittle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	b := w.browser()
	b.follow(b.post(w.URL+"/setup?token=setup", url.Values{"email": {"olga@rex.example"}, "password": {staffPassword}}).want(303)).want(200)
	w.wantCount(t, 1, "staff WHERE role = 'owner' AND name = 'olga'")
}

// Many at once: one owner, the others find the page gone.
func TestSetupRace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	got := make([]int, 6)
	atOnce(len(got), func(i int) {
		got[i] = w.browser().post(w.URL+"/setup", setupFields(url.Values{"email": {"owner" + itoa(int64(i)) + "@rex.example"}})).status
	})
	count := map[int]int{}
	for _, status := range got {
		count[status]++
	}
	if count[303] != 1 || count[404] != 5 {
		t.Errorf("answers %v, want one 303 and five 404", count)
	}
	w.wantCount(t, 1, "staff")
	w.wantCount(t, 1, "audit_log WHERE action = 'set_up'")
}

// The start says where an owner is made, and says nothing once there is one. The token
// itself is never printed.
func TestServeSaysWhereToBegin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	start := func() string {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		said, ended := &syncBuffer{}, make(chan error, 1)
		go func() {
			ended <- run(ctx, []string{"serve"}, func(k string) string { return w.env[k] }, said, io.Discard)
		}()
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) { // polling the start, not waiting for time
			if res, err := w.browser().Get(w.URL + "/readyz"); err == nil {
				res.Body.Close()
				break
			}
			if time.Now().After(end) {
				t.Fatal("does not start")
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		return said.tail(4000)
	}
	w.env["SETUP_TOKEN"] = "a-long-random-text"
	if said := start(); !strings.Contains(said, w.URL+"/setup") || !strings.Contains(said, "SETUP_TOKEN") || strings.Contains(said, "a-long-random-text") {
		t.Errorf("the start says %q", said)
	}
	hire(t, w.DB)
	if said := start(); strings.Contains(said, "/setup") {
		t.Errorf("with an owner the start says %q", said)
	}
}

func TestOwnerCommand(t *testing.T) {
	t.Parallel()
	address := dbtest.URL(t)
	env := map[string]string{"DATABASE_URL": address, "APP_SECRET": strings.Repeat("s", 40)}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"owner"}, 2, "usage: holdfast owner create EMAIL"},
		{[]string{"owner", "create"}, 2, "usage"},
		{[]string{"owner", "dance", "olga@rex.example"}, 2, "usage"},
		{[]string{"owner", "create", "olga@rex.example", "password"}, 2, "usage"},
		{[]string{"owner", "create", "olga"}, 1, "whole e-mail address"},
		{[]string{"owner", "reset", "olga@rex.example"}, 1, "no owner has the e-mail"},
	} {
		out, errs, err := command(t, env, c.args...)
		if err != nil {
			errs += err.Error()
		}
		if exits(err) != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%v: exit %d, %s", c.args, exits(err), out+errs)
		}
	}
	out, _, err := command(t, env, "owner", "create", "Olga@Rex.example")
	_, password, found := strings.Cut(strings.TrimSpace(out), "shown once: ")
	if err != nil || !found || len(password) < 20 {
		t.Fatalf("create says %q, %v", out, err)
	}
	if _, _, err := command(t, env, "owner", "create", "olga@rex.example"); err == nil || !strings.Contains(err.Error(), "owner reset") {
		t.Errorf("a second time: %v", err)
	}

	w := &world{t: t, URL: "", databaseURL: address, DB: dbtest.Open(t, address, 4), logs: &syncBuffer{}}
	port := freePort(t)
	w.URL = "http://127.0.0.1:" + itoa(int64(port))
	w.env = map[string]string{"DATABASE_URL": address, "APP_SECRET": env["APP_SECRET"], "BASE_URL": w.URL, "PORT": itoa(int64(port))}
	w.start()
	b := w.browser()
	b.login(w, "olga@rex.example", password).want(303)
	secret := b.twoStep(w, password)
	w.exec(`UPDATE staff SET disabled_at = now()`)

	said := func(stdin string, args ...string) (string, error) {
		var out, errs syncBuffer
		a := app{getenv: func(k string) string { return env[k] }, stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs}
		err := a.owner(t.Context(), args)
		return out.tail(1000) + errs.tail(1000), err
	}
	for _, stdin := range []string{"", "\n", "short\n", "password1234\n"} {
		if text, err := said(stdin, "reset", "olga@rex.example", "--password-stdin"); err == nil {
			t.Errorf("%q was taken: %s", stdin, text)
		}
	}
	text, err := said(staffPassword+"\r\n", "reset", "olga@rex.example", "--password-stdin")
	if err != nil || strings.Contains(text, staffPassword) {
		t.Errorf("reset says %q, %v", text, err)
	}
	b.get(w.URL + "/staff/me").want(303) // signed out
	w.browser().login(w, "olga@rex.example", password).want(422)
	fresh := w.browser()
	fresh.follow(fresh.login(w, "olga@rex.example", staffPassword)).want(200).says("olga@rex.example, owner")
	if secret == "" {
		t.Error("there was no second factor to take away")
	}
	w.wantCount(t, 1, "audit_log WHERE action = 'owner_reset' AND actor = 'command line'")
	w.wantCount(t, 0, "staff_recovery_codes")
}
