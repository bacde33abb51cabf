// Package config reads the environment into one Config and tells every problem
// at once. Only what the platform must give stands in the environment; business
// settings live in the database.
package config

import (
	"log/slog"
	"net/url"
	"strings"
)

// Config is what the environment says, checked. Its secrets print as "(set)".
type Config struct {
	Demo    bool
	Port    int
	BaseURL string // scheme://host[:port], no slash at the end
	DataDir string // demo secrets and the private cluster live here

	DatabaseURL        Secret // empty: the private server (Demo only)
	DatabaseDirectURL  Secret // past the pooler when DatabaseURL goes through one
	DatabaseReplicaURL Secret // a streaming replica for lists
	DBPoolSize         int

	AppSecret  Secret // at least 32 bytes
	SetupToken Secret // whether it is needed depends on the database: the app checks

	StripeSecretKey      Secret
	StripeWebhookSecrets []Secret
	StripeAPIURL         string // empty: Stripe itself, or the look-alike with Demo

	SMTP     *SMTP // nil: mail is off, or goes to the outbox page with Demo
	MailFrom string

	MetricsToken     Secret
	TrustedProxyHops int
	LogFormat        string // "json" or "text"
}

// SecureCookies says whether cookies are Secure and named __Host-.
func (c Config) SecureCookies() bool { return strings.HasPrefix(c.BaseURL, "https://") }

// OnlinePayments says whether customers can pay online.
func (c Config) OnlinePayments() bool { return c.StripeSecretKey != "" }

// StripeLookAlike says whether payments go to the built-in look-alike of Stripe.
func (c Config) StripeLookAlike() bool { return c.Demo && c.StripeAPIURL == "" }

// Mail says whether mail leaves by SMTP.
func (c Config) Mail() bool { return c.SMTP != nil }

// PrivateDB says whether the app runs its own PostgreSQL.
func (c Config) PrivateDB() bool { return c.Demo && c.DatabaseURL == "" }

// StripeOrigin is the origin of STRIPE_API_URL for the page's form-action rule,
// or "" when unset.
func (c Config) StripeOrigin() string {
	u, err := url.Parse(c.StripeAPIURL)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Notes says in words what is switched off, for the log and the status page.
func (c Config) Notes() []string {
	var notes []string
	if !c.OnlinePayments() {
		notes = append(notes, "online payment is off: STRIPE_SECRET_KEY is not set")
	} else if len(c.StripeWebhookSecrets) == 0 {
		notes = append(notes, "Stripe's webhooks are refused: STRIPE_WEBHOOK_SECRETS is not set; payments are found by the return page and the sweep")
	}
	if c.DBPoolSize < 6 {
		notes = append(notes, "payments may wait behind a crowd: DB_POOL_SIZE is below 6 and leaves them no connections of their own")
	}
	if !c.Mail() && !c.Demo {
		notes = append(notes, "mail is off: SMTP_URL is not set")
	}
	return notes
}

// String is for a person who debugs the start; LogValue is the same for logs.
func (c Config) String() string { return c.LogValue().String() }

// LogValue shows everything but the secrets.
func (c Config) LogValue() slog.Value {
	smtp := "(off)"
	if c.SMTP != nil {
		smtp = c.SMTP.String()
	}
	return slog.GroupValue(
		slog.Bool("demo", c.Demo),
		slog.Int("port", c.Port),
		slog.String("base_url", c.BaseURL),
		slog.String("data_dir", c.DataDir),
		slog.Any("database_url", c.DatabaseURL),
		slog.Any("database_direct_url", c.DatabaseDirectURL),
		slog.Any("database_replica_url", c.DatabaseReplicaURL),
		slog.Int("db_pool_size", c.DBPoolSize),
		slog.Any("app_secret", c.AppSecret),
		slog.Any("setup_token", c.SetupToken),
		slog.Any("stripe_secret_key", c.StripeSecretKey),
		slog.Int("stripe_webhook_secrets", len(c.StripeWebhookSecrets)),
		slog.String("stripe_api_url", c.StripeAPIURL),
		slog.String("smtp", smtp),
		slog.String("mail_from", c.MailFrom),
		slog.Any("metrics_token", c.MetricsToken),
		slog.Int("trusted_proxy_hops", c.TrustedProxyHops),
		slog.String("log_format", c.LogFormat),
	)
}
