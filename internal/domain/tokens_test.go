package domain

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	s, other := NewSigner(strings.Repeat("a", 32)), NewSigner(strings.Repeat("b", 32))
	token := s.BookingToken(4711, 2)
	if id, version, err := s.ReadBookingToken(strings.ToUpper(token)); err != nil || id != 4711 || version != 2 {
		t.Errorf("read back %d, %d, %v", id, version, err)
	}
	code := s.TicketCode(12, 99, 1)
	if e, id, v, err := s.ReadTicketCode(code); err != nil || e != 12 || id != 99 || v != 1 {
		t.Errorf("read back %d, %d, %d, %v", e, id, v, err)
	}
	changed := []byte(token)
	changed[3] ^= 1
	for name, bad := range map[string]string{"empty": "", "a ticket's": code, "cut": token[:len(token)-1], "longer": token + "a", "changed": string(changed), "garbage": "%$§"} {
		if _, _, err := s.ReadBookingToken(bad); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := other.ReadBookingToken(token); !errors.Is(err, ErrNotFound) {
		t.Errorf("another secret reads it: %v", err)
	}
}

// FuzzTokens: nothing but what was signed is ever read.
func FuzzTokens(f *testing.F) {
	s := NewSigner(strings.Repeat("a", 32))
	f.Add(s.BookingToken(1, 1))
	f.Add(s.TicketCode(1, 2, 3))
	f.Fuzz(func(t *testing.T, text string) {
		if id, v, err := s.ReadBookingToken(text); err == nil && s.BookingToken(id, v) != strings.ToLower(text) {
			t.Errorf("%q was read as booking %d, %d", text, id, v)
		}
		if e, id, v, err := s.ReadTicketCode(text); err == nil && s.TicketCode(e, id, v) != strings.ToLower(text) {
			t.Errorf("%q was read as ticket %d, %d, %d", text, e, id, v)
		}
	})
}

func TestReference(t *testing.T) {
	form := regexp.MustCompile(`^[A-HJ-NP-Z3789]{6}$`)
	seen := map[string]bool{}
	for range 2000 {
		r := NewReference()
		if !form.MatchString(r) {
			t.Fatalf("reference %q", r)
		}
		seen[r] = true
	}
	if len(seen) < 1995 {
		t.Errorf("only %d of 2000 differ", len(seen))
	}
	for typed, want := range map[string]string{"k7p-xm3": "K7PXM3", " K7PXM3 ": "K7PXM3", "k7p xm3": "K7PXM3", "K7P–XM3": "K7PXM3", "K7P": "", "K7PXM0": "", "": "", "K7P-XM3-": "K7PXM3"} {
		if got := ParseReference(typed); got != want {
			t.Errorf("ParseReference(%q) = %q, want %q", typed, got, want)
		}
	}
	if got := ShowReference("K7PXM3"); got != "K7P-XM3" {
		t.Errorf("shown as %q", got)
	}
}
