package access

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"holdfast/internal/domain"
)

func TestPasswordRules(t *testing.T) {
	t.Parallel()
	for password, good := range map[string]bool{
		"tomato-bicycle-lamp":            true,
		"rain over the old viaduct":      true,
		"Donaudampfschiff7":              true,
		"дерево-река-лампа":              true,
		domain.NewPassword():             true,
		"eleven-char":                    false,
		"password1234":                   false,
		"P4ssword!!!!":                   true, // letters of no word: beyond a list
		"Password-2026!":                 false,
		"passwordpassword":               false,
		"correcthorsebatterystaple":      false,
		"welcomewelcome2026":             false,
		"123456789012":                   false,
		"837465920183":                   false, // figures alone
		"aaaaaaaaaaaaaaaa":               false,
		"abababababab":                   false,
		"abcdefghijklmnop":               false,
		"olga.marin2026":                 false,
		"marin-olga-olga":                false,
		strings.Repeat("kalina ", 200):   false,
		strings.Repeat("я", 6) + "abcde": false, // 11 letters, 17 bytes
	} {
		if got := passwordProblem(password, "olga.marin@house.example", "Olga Marin") == ""; got != good {
			t.Errorf("%.40q: accepted %t, want %t", password, got, good)
		}
	}
}

func FuzzPasswordRules(f *testing.F) {
	f.Add("tomato-bicycle-lamp", "olga@x.example", "Olga")
	f.Add("\xff\xfe日本語日本語日本語", "@", " ")
	f.Fuzz(func(t *testing.T, password, email, name string) {
		if words := passwordProblem(password, email, name); words == "" && len(password) < shortestPassword {
			t.Errorf("%q passed", password)
		}
	})
}

func TestPINRules(t *testing.T) {
	t.Parallel()
	for pin, good := range map[string]bool{
		"2907": true, "90210": true, "13579024": true, "1123": true,
		"": false, "290": false, "290729072": false, "29a7": false, "1111": false, "1234": false, "98765432": false, "٢٩٠٧": false, " 2907": false,
	} {
		if got := pinProblem(pin) == ""; got != good {
			t.Errorf("%q: accepted %t, want %t", pin, got, good)
		}
	}
}

func TestPersonRules(t *testing.T) {
	t.Parallel()
	for email, good := range map[string]bool{
		"anna@example.org": true, "a.b+c@x.example": true,
		"": false, "anna": false, "anna@": false, "@x": false, "Anna <anna@example.org>": false, "a b@x.example": false, strings.Repeat("a", 200) + "@x.example": false,
	} {
		if got := emailProblem(email) == ""; got != good {
			t.Errorf("%.40q: accepted %t, want %t", email, got, good)
		}
	}
	err := Profile{Email: "x", Role: "king"}.trim().problems().some()
	var wrong Problems
	var rule *domain.RuleError
	if !errors.As(err, &wrong) || len(wrong) != 3 || !errors.As(err, &rule) || rule.Words == "" {
		t.Errorf("three fields are wrong: %v", err)
	}
}

// A code is that of its step, of the one before and of the one after: a phone's clock may
// be half a minute off, no more.
func TestCodesAndTheirStep(t *testing.T) {
	t.Parallel()
	link, err := newSecret("Marigold: & Söhne", "olga@house.example")
	if err != nil {
		t.Fatal(err)
	}
	secret, err := secretIn(link)
	if err != nil || len(secret) != 32 {
		t.Fatalf("secret %q, %v", secret, err)
	}
	now := time.Unix(1796071200, 0) // the start of a step
	for off, fits := range map[time.Duration]bool{0: true, -30 * time.Second: true, 30 * time.Second: true, 29 * time.Second: true, -60 * time.Second: false, 60 * time.Second: false, -31 * time.Second: false} {
		code, err := totp.GenerateCode(secret, now.Add(off))
		if err != nil {
			t.Fatal(err)
		}
		step, got, err := stepOf(secret, code, now)
		if err != nil || got != fits || fits && step != now.Add(off).Unix()/30 {
			t.Errorf("the code of %v: %t (step %d), %v, want %t", off, got, step, err, fits)
		}
	}
	for _, code := range []string{"", "1", "12345", "1234567", "abcdef"} {
		if _, fits, err := stepOf(secret, code, now); fits || err != nil {
			t.Errorf("%q fits: %v", code, err)
		}
	}
}

func TestVault(t *testing.T) {
	t.Parallel()
	v, err := newVault(strings.Repeat("s", 40))
	if err != nil {
		t.Fatal(err)
	}
	other, err := newVault(strings.Repeat("t", 40))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := v.close(7, "a secret")
	if err != nil || strings.Contains(sealed, "secret") {
		t.Fatalf("%q, %v", sealed, err)
	}
	if again, _ := v.close(7, "a secret"); again == sealed {
		t.Error("the same text is sealed alike twice")
	}
	if text, err := v.open(7, sealed); err != nil || text != "a secret" {
		t.Errorf("opened %q, %v", text, err)
	}
	for name, err := range map[string]error{
		"another's row":   second(v.open(8, sealed)),
		"another key":     second(other.open(7, sealed)),
		"changed":         second(v.open(7, "A"+sealed[1:])),
		"cut":             second(v.open(7, sealed[:8])),
		"not ours at all": second(v.open(7, "§")),
		"empty":           second(v.open(7, "")),
	} {
		if err == nil {
			t.Errorf("%s opens", name)
		}
	}
	mine, again := v.sum(7, "abc"), v.sum(7, "abc")
	if mine == v.sum(8, "abc") || mine == other.sum(7, "abc") || mine != again {
		t.Error("a recovery code's sum must be that of its account and key")
	}
}

func second(_ string, err error) error { return err }

func TestRecoveryCodes(t *testing.T) {
	t.Parallel()
	s, err := New(nil, "x")
	if err != nil {
		t.Fatal(err)
	}
	shown, stored := s.newCodes(7)
	seen := map[string]bool{}
	for i, code := range shown {
		plain := tidy(" " + strings.ToUpper(code) + " ")
		if len(code) != 11 || code[5] != '-' || seen[code] || stored[i] != s.vault.sum(7, plain) || digits(plain) && len(plain) == 6 {
			t.Errorf("code %q is stored as %s", code, stored[i])
		}
		seen[code] = true
	}
	if len(shown) != 10 {
		t.Errorf("%d codes", len(shown))
	}
}
