package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const secret32 = "0123456789abcdef0123456789abcdef"

// with is a complete production environment with changes: "NAME=value", or
// "NAME=" to take it away.
func with(changes ...string) func(string) string {
	vars := map[string]string{
		"DATABASE_URL": "postgres://shop:dbpass@db.example.org/shop",
		"BASE_URL":     "https://tickets.example.org",
		"APP_SECRET":   secret32,
	}
	return from(vars, changes...)
}

// demo is DEMO=1 alone, with a data folder of the test's own.
func demo(t *testing.T, changes ...string) func(string) string {
	t.Helper()
	return from(map[string]string{"DEMO": "1", "DATA_DIR": t.TempDir()}, changes...)
}

func from(vars map[string]string, changes ...string) func(string) string {
	for _, change := range changes {
		name, value, _ := strings.Cut(change, "=")
		vars[name] = value
	}
	return func(name string) string { return vars[name] }
}

func load(t *testing.T, getenv func(string) string) Config {
	t.Helper()
	c, err := Load(getenv)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSmallestProduction(t *testing.T) {
	t.Parallel()
	c := load(t, with())
	if c.Port != 8080 || c.DBPoolSize != 12 || c.LogFormat != "json" || c.DataDir != ".data" || c.TrustedProxyHops != 0 {
		t.Errorf("defaults: %v", c)
	}
	if !c.SecureCookies() || c.OnlinePayments() || c.Mail() || c.StripeLookAlike() || c.PrivateDB() || c.StripeOrigin() != "" {
		t.Errorf("switches: %v", c)
	}
	if got := fmt.Sprint(c.Notes()); !strings.Contains(got, "STRIPE_SECRET_KEY") || !strings.Contains(got, "SMTP_URL") {
		t.Error(got)
	}
}

func TestFullProduction(t *testing.T) {
	t.Parallel()
	c := load(t, with("PORT=80", "BASE_URL=http://Tickets.example.org:8000/", "SETUP_TOKEN=tok",
		"STRIPE_SECRET_KEY=sk_live_x", "STRIPE_WEBHOOK_SECRETS= whsec_a, whsec_b,,", "STRIPE_API_URL=http://localhost:12111/",
		"SMTP_URL=smtp://u:p@mail.example.org:25?tls=mandatory", "MAIL_FROM=Rex <rex@example.org>",
		"METRICS_TOKEN=m", "TRUSTED_PROXY_HOPS=2", "LOG_FORMAT=text", "DB_POOL_SIZE=7", "DATA_DIR=/srv/data"))
	if c.BaseURL != "http://tickets.example.org:8000" || c.SecureCookies() {
		t.Error(c.BaseURL)
	}
	if len(c.StripeWebhookSecrets) != 2 || c.StripeWebhookSecrets[1] != "whsec_b" {
		t.Error(len(c.StripeWebhookSecrets))
	}
	if c.StripeAPIURL != "http://localhost:12111" || c.StripeOrigin() != "http://localhost:12111" {
		t.Error(c.StripeAPIURL, c.StripeOrigin())
	}
	if !c.Mail() || !c.OnlinePayments() || len(c.Notes()) != 0 {
		t.Error(c.Notes())
	}
	if c.Port != 80 || c.TrustedProxyHops != 2 || c.LogFormat != "text" || c.DBPoolSize != 7 || c.DataDir != "/srv/data" || c.SetupToken != "tok" || c.MetricsToken != "m" {
		t.Errorf("%v", c)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		env  func(string) string
		want []string // the variables, in order
	}{
		"nothing set":       {from(map[string]string{}), []string{"APP_SECRET", "BASE_URL", "DATABASE_URL"}},
		"everything wrong":  {from(map[string]string{"PORT": "http", "DEMO": "maybe", "APP_SECRET": "short", "BASE_URL": "/shop", "SMTP_URL": "mail", "TRUSTED_PROXY_HOPS": "x", "LOG_FORMAT": "xml", "DB_POOL_SIZE": "0", "STRIPE_API_URL": "stripe", "DATABASE_URL": "mysql://x"}), []string{"APP_SECRET", "BASE_URL", "DATABASE_URL", "DB_POOL_SIZE", "DEMO", "LOG_FORMAT", "MAIL_FROM", "PORT", "SMTP_URL", "STRIPE_API_URL", "TRUSTED_PROXY_HOPS"}},
		"31 bytes":          {with("APP_SECRET=" + secret32[:31]), []string{"APP_SECRET"}},
		"demo, short":       {demo(t, "APP_SECRET=short"), []string{"APP_SECRET"}},
		"base with path":    {with("BASE_URL=https://example.org/shop"), []string{"BASE_URL"}},
		"base with query":   {with("BASE_URL=https://example.org?x=1"), []string{"BASE_URL"}},
		"base with user":    {with("BASE_URL=https://me@example.org"), []string{"BASE_URL"}},
		"base other scheme": {with("BASE_URL=ftp://example.org"), []string{"BASE_URL"}},
		"base no host":      {with("BASE_URL=https://:443"), []string{"BASE_URL"}},
		"port range":        {with("PORT=65536"), []string{"PORT"}},
		"sender missing":    {with("SMTP_URL=smtp://mail:25"), []string{"MAIL_FROM"}},
		"sender odd":        {with("MAIL_FROM=nobody"), []string{"MAIL_FROM"}},
		"data is a file":    {from(map[string]string{"DEMO": "1", "DATA_DIR": "load_test.go"}), []string{"DATA_DIR"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(test.env)
			var problems Problems
			if !errors.As(err, &problems) {
				t.Fatalf("want Problems, got %v", err)
			}
			var got []string
			for _, p := range problems {
				got = append(got, p.Var)
			}
			if strings.Join(got, " ") != strings.Join(test.want, " ") {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if lines := strings.Split(err.Error(), "\n"); len(lines) != len(problems)+1 {
				t.Errorf("not one line each:\n%v", err)
			}
		})
	}
}

func TestDemoNeedsNothing(t *testing.T) {
	t.Parallel()
	c := load(t, demo(t, "PORT=9000"))
	if c.BaseURL != "http://127.0.0.1:9000" || c.SecureCookies() || !c.PrivateDB() || !c.StripeLookAlike() || !c.OnlinePayments() || c.Mail() {
		t.Errorf("%v", c)
	}
	if len(c.AppSecret) < minSecret || c.SetupToken == "" || len(c.StripeWebhookSecrets) != 1 || len(c.Notes()) != 0 {
		t.Errorf("%v %v", c, c.Notes())
	}
	if !strings.HasPrefix(string(c.StripeSecretKey), "sk_test_") {
		t.Error("a demo key must never look live")
	}
}

func TestDemoKeepsItsSecrets(t *testing.T) {
	t.Parallel()
	env := demo(t)
	first, second := load(t, env), load(t, env)
	if first.AppSecret != second.AppSecret || first.StripeWebhookSecrets[0] != second.StripeWebhookSecrets[0] {
		t.Error("a restart made new secrets")
	}
	if other := load(t, demo(t)); other.AppSecret == first.AppSecret {
		t.Error("two clones share a secret")
	}
	files, err := os.ReadDir(filepath.Join(first.DataDir, "secrets"))
	if err != nil || len(files) != 4 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Error(f.Name(), info.Mode(), err)
		}
	}
}

func TestDemoUsesWhatIsSet(t *testing.T) {
	t.Parallel()
	c := load(t, demo(t, "APP_SECRET="+secret32, "STRIPE_API_URL=http://127.0.0.1:1", "STRIPE_SECRET_KEY=sk_test_mine",
		"STRIPE_WEBHOOK_SECRETS=whsec_mine", "SETUP_TOKEN=tok", "DATABASE_URL=postgres://x/y", "BASE_URL=https://demo.example.org"))
	if c.AppSecret != secret32 || c.StripeSecretKey != "sk_test_mine" || c.StripeWebhookSecrets[0] != "whsec_mine" || c.SetupToken != "tok" {
		t.Errorf("%v", c)
	}
	if c.StripeLookAlike() || c.PrivateDB() || !c.SecureCookies() {
		t.Errorf("%v", c)
	}
	if _, err := os.Stat(filepath.Join(c.DataDir, "secrets")); err == nil {
		t.Error("made up secrets that nobody needs")
	}
}

func TestProcessesThatStartTogetherAgree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := make([]Secret, 16)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i], _ = keptSecret(dir, "APP_SECRET", "") })
	}
	wg.Wait()
	for _, s := range got {
		if s == "" || s != got[0] {
			t.Fatalf("not the same: %d and %d bytes", len(s), len(got[0]))
		}
	}
}

func TestDamagedDemoSecretIsNotUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "APP_SECRET"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := keptSecret(dir, "APP_SECRET", ""); err == nil {
		t.Errorf("took %d bytes", len(s))
	}
}

func TestSecretsNeverPrint(t *testing.T) {
	t.Parallel()
	const canary = "canary"
	c := load(t, with("DATABASE_URL=postgres://u:"+canary+"@h/d", "APP_SECRET="+canary+secret32, "SETUP_TOKEN="+canary,
		"STRIPE_SECRET_KEY="+canary, "STRIPE_WEBHOOK_SECRETS="+canary, "METRICS_TOKEN="+canary,
		"SMTP_URL=smtp://"+canary+":"+canary+"@mail:25", "MAIL_FROM=a@b.example"))
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "config", c)
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "config", &c, "secret", c.AppSecret)
	out, err := json.Marshal(map[string]any{"secret": c.AppSecret})
	if err != nil {
		t.Fatal(err)
	}
	prints := []string{c.String(), log.String(), string(out), fmt.Sprintf("%v %+v %s %x", c, c, c, c.AppSecret),
		fmt.Sprintf("%#v %v %s", c.AppSecret, c.StripeWebhookSecrets, *c.SMTP), fmt.Sprintf("%#v", c)}
	for _, p := range prints {
		if strings.Contains(p, canary) || strings.Contains(p, fmt.Sprintf("%x", canary)) {
			t.Error(p)
		}
	}
	if string(c.AppSecret) != canary+secret32 {
		t.Error("the secret itself is lost")
	}
}

func TestProblemsNeverPrintSecrets(t *testing.T) {
	t.Parallel()
	_, err := Load(with("DATABASE_URL=mysql://u:canary@h/d", "APP_SECRET=canary", "SMTP_URL=smtp://u:can/canary@h", "BASE_URL=https://canary%@x"))
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Error(err)
	}
}
