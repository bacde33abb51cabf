package handlers

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/domain"
)

// An address that may be everybody's is said to be: only the owner can mean it.
func TestAddressOf(t *testing.T) {
	signer := domain.NewSigner("a secret of thirty-two bytes long")
	for _, c := range []struct {
		remote string
		hops   int
		xff    string
		of     string // whose key it must be
		shared bool
	}{
		{"203.0.113.7:4711", 0, "6.6.6.6", "203.0.113.7", false},
		{"[2001:db8:1:2::9]:4711", 0, "", "2001:db8:1:2::1", false},
		{"10.1.2.3:4711", 0, "6.6.6.6", "10.1.2.3", true},
		{"[::ffff:10.1.2.3]:4711", 0, "", "10.1.2.3", true},
		{"127.0.0.1:4711", 0, "", "127.0.0.1", true},
		{"[::1]:4711", 0, "", "::1", true},
		{"[fd00::1]:4711", 0, "", "fd00::1", true},
		{"[fe80::1]:4711", 0, "", "fe80::1", true},
		{"100.64.9.9:4711", 0, "", "100.64.9.9", true},
		{"@", 0, "", "@", true}, // a socket without addresses
		{"10.1.2.3:4711", 1, "6.6.6.6, 203.0.113.7", "203.0.113.7", false},
		{"10.1.2.3:4711", 1, "192.168.1.5", "192.168.1.5", false}, // the owner said what is in front
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.RemoteAddr = c.remote
		r.Header.Set("X-Forwarded-For", c.xff)
		s := &site{Deps: Deps{ProxyHops: c.hops, Signer: signer}}
		want := booking.Address{Key: signer.AddressKey(c.of), Shared: c.shared}
		if got := s.addressOf(r); got != want {
			t.Errorf("%s, %d hops, %q: %+v, want %+v", c.remote, c.hops, c.xff, got, want)
		}
	}
}

func TestWhatNow(t *testing.T) {
	now := time.Date(2026, 12, 1, 18, 30, 20, 0, time.UTC)
	o := &booking.Offer{Settings: domain.Settings{TimeZone: "Europe/Rome"}}
	o.Event.Now = now
	for _, c := range []struct {
		code  string
		until time.Time
		want  string
	}{
		{"held_by_address", time.Time{}, " Nothing was charged."},
		{"held_by_address", now.Add(9*time.Minute + 39*time.Second), " Or try again at 19:40, Rome time. Nothing was changed and nothing was charged."},
		{"held_by_visitor", now.Add(9*time.Minute + 40*time.Second), " Or try again at 19:40, Rome time. Nothing was changed and nothing was charged."},
		{"held_by_visitor", now.Add(9*time.Minute + 41*time.Second), " Or try again at 19:41, Rome time. Nothing was changed and nothing was charged."},
		{"paused", now.Add(45 * time.Second), " Please choose others, or try again in 45 seconds. Nothing was changed and nothing was charged."},
		{"paused", now.Add(-time.Second), " Please choose others, or try again in 1 second. Nothing was changed and nothing was charged."},
		{"paused", now.Add(5 * time.Minute), " Please choose others, or try again at 19:36, Rome time. Nothing was changed and nothing was charged."},
	} {
		if got := whatNow(&domain.RuleError{Code: c.code, Until: c.until}, o); got != c.want {
			t.Errorf("%s until %v: %q, want %q", c.code, c.until, got, c.want)
		}
	}
}
