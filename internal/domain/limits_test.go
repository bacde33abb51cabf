package domain

import (
	"testing"
	"time"
)

func TestLimits(t *testing.T) {
	off := Settings{SeatsPerBooking: 8}
	own := Settings{SeatsPerBooking: 8, SeatsPerVisitor: 4, HoldsPerAddress: 3, SeatsPerAddress: 50, ReholdPauseSeconds: 15}
	for _, c := range []struct {
		name           string
		s              Settings
		queued, shared bool
		want           Limits
	}{
		{"off by default", off, false, false, Limits{}},
		{"the owner's", own, false, false, Limits{4, 3, 50, 15 * time.Second}},
		{"the owner's, behind a proxy", own, false, true, Limits{4, 3, 50, 15 * time.Second}},
		{"a queue", off, true, false, Limits{8, 10, 30, time.Minute}},
		{"a queue, behind a proxy", off, true, true, Limits{8, 0, 0, time.Minute}},
		{"the owner's go before the house's", own, true, false, Limits{4, 3, 50, 15 * time.Second}},
	} {
		if got := c.s.Limits(c.queued, c.shared); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if (Limits{Pause: time.Minute, SeatsPerVisitor: 1}).ByAddress() || !(Limits{SeatsPerAddress: 1}).ByAddress() || !(Limits{HoldsPerAddress: 1}).ByAddress() {
		t.Error("ByAddress")
	}
}

func TestAddressKey(t *testing.T) {
	s := NewSigner("a secret of thirty-two bytes long")
	for _, pair := range [][2]string{
		{"203.0.113.7", "::ffff:203.0.113.7"}, {"203.0.113.7", "203.0.113.7:4711"},
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"}, {"2001:db8:1:2::1", "[2001:db8:1:2::9]:443"}, {"fe80::1%eth0", "fe80::2%eth1"},
	} {
		if s.AddressKey(pair[0]) != s.AddressKey(pair[1]) {
			t.Errorf("%s and %s are one connection", pair[0], pair[1])
		}
	}
	seen := map[string]string{}
	for _, a := range []string{"203.0.113.7", "203.0.113.8", "2001:db8:1:2::1", "2001:db8:1:3::1", "unknown"} {
		k := s.AddressKey(a)
		if other, twice := seen[k]; twice || len(k) != 26 {
			t.Errorf("%s: %q, as %q", a, k, other)
		}
		seen[k] = a
	}
	if s.AddressKey("") != "" || s.AddressKey("203.0.113.7") == NewSigner("another secret, also thirty-two b").AddressKey("203.0.113.7") {
		t.Error("the key must hang on the secret, and nothing has none")
	}
}
