package access

import (
	"testing"

	"github.com/alexedwards/argon2id"
)

func TestRoles(t *testing.T) {
	t.Parallel()
	order := []Role{Steward, Cashier, Manager, Owner}
	for i, have := range order {
		for j, need := range order {
			if got := have.Covers(need); got != (i >= j) {
				t.Errorf("%s covers %s: %t", have, need, got)
			}
		}
	}
	if Role("").Covers("") || Role("admin").Covers(Steward) || Role("admin").Covers("admin") {
		t.Error("an unknown role covers something")
	}
}

// What is typed for an unknown account must cost what a known one costs.
func TestDecoyCostsTheSame(t *testing.T) {
	t.Parallel()
	cost, _, _, err := argon2id.DecodeHash(decoy)
	if err != nil || *cost != *params() {
		t.Fatalf("the decoy costs %+v, %v; a password %+v", cost, err, params())
	}
	s, err := New(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "password"} {
		if fits, _, err := s.look(t.Context(), text, ""); fits || err != nil {
			t.Errorf("%q fits no account: %t, %v", text, fits, err)
		}
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"203.0.113.7":          "203.0.113.7",
		"::ffff:203.0.113.7":   "203.0.113.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2::9":      "2001:db8:1:2::/64",
		"fe80::1%eth0":         "fe80::/64",
		"unknown":              "unknown",
	} {
		if got := network(address); got != want {
			t.Errorf("%s counts as %s, want %s", address, got, want)
		}
	}
}
