package config

import (
	"strings"
	"testing"
)

func TestParseSMTP(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]SMTP{
		"smtp://mail.example.org:25":                  {"mail.example.org", 25, "", "", TLSOpportunistic},
		"smtp://mail.example.org":                     {"mail.example.org", 587, "", "", TLSOpportunistic},
		"smtp://localhost:1025/?tls=none":             {"localhost", 1025, "", "", TLSNone},
		"smtp://u:p@h:587?tls=mandatory":              {"h", 587, "u", "p", TLSMandatory},
		"smtp://u:p@h:587?tls=opportunistic":          {"h", 587, "u", "p", TLSOpportunistic},
		"smtps://me%40example.org:p%40%2Fss%3A@h:465": {"h", 465, "me@example.org", "p@/ss:", TLSImplicit},
		"smtps://h":            {"h", 465, "", "", TLSImplicit},
		"smtp://[::1]:25":      {"::1", 25, "", "", TLSOpportunistic},
		"SMTP://onlyuser@h:25": {"h", 25, "onlyuser", "", TLSOpportunistic},
	} {
		got, err := parseSMTP(text)
		if err != nil || *got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
}

func TestParseSMTPRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "mail.example.org", "mail.example.org:25", "smtp:mail:25", "http://h:25", "smtp://", "smtp://:25",
		"smtp://h:", "smtp://h:0", "smtp://h:65536", "smtp://h:smtp", "smtp://h:25/path", "smtp://h:25#x",
		"smtp://h:25?tls=yes", "smtp://h:25?tls=none&tls=mandatory&x=1", "smtp://h:25?timeout=1", "smtp://h:25?tls",
		"smtps://h:465?tls=none", "smtp://:p@h:25", "smtp://u:p/q@h:25", "smtp://u:p%@h:25", "smtp://h:25?%zz",
	} {
		if got, err := parseSMTP(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzParseSMTP: no panic; what is taken can be dialled; neither the words of a
// refusal nor the printed form give the password away.
func FuzzParseSMTP(f *testing.F) {
	for _, seed := range []string{"smtp://h:25", "smtps://u:p@h", "smtp://u:p@[::1]:25?tls=none", "smtp://u:p/q@h", "%", "smtp://h:25?tls=x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSMTP(text)
		if err != nil {
			if len(text) > 60 && strings.Contains(err.Error(), text) {
				t.Error("the words repeat the address")
			}
			return
		}
		if s.Host == "" || s.Port < 1 || s.Port > 65535 {
			t.Errorf("cannot be dialled: %v", s)
		}
		switch s.TLS {
		case TLSOpportunistic, TLSMandatory, TLSNone, TLSImplicit:
		default:
			t.Errorf("mode %q", s.TLS)
		}
		if len(s.Password) > 6 && !strings.Contains(s.Host, string(s.Password)) && strings.Contains(s.String(), string(s.Password)) {
			t.Error("the printed form shows the password")
		}
	})
}
