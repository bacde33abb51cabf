package main

import (
	"strings"
	"testing"
)

// D7: with a test key every page says that nobody is charged, staff's pages too; with a
// live one, and where nothing can be paid online, none does.
func TestD7_TestModeIsABanner(t *testing.T) {
	t.Parallel()
	const words = "Test mode: only Stripe’s test cards work and nobody is charged."
	w, ev := office(t)
	for _, path := range []string{"/", eventPath(ev.ID), "/find", "/staff/login", "/no/such/page"} {
		if p := w.on(t).get(w.URL + path); !strings.Contains(p.text(), words) {
			t.Errorf("%s does not say that it is a test", path)
		}
	}
	w.as(t, "manager").get(w.URL + "/staff/today").want(200).says(words)

	for name, env := range map[string]map[string]string{"live": {"STRIPE_SECRET_KEY": "sk_live_x"}, "off": {"STRIPE_SECRET_KEY": ""}} {
		real := newWorld(t, nil, env)
		if p := real.browser().get(real.URL + "/").want(200); strings.Contains(p.text(), "Test mode") {
			t.Errorf("%s: the page says that it is a test", name)
		}
	}
}
