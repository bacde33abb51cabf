package config

import (
	"net/mail"
	"net/url"
	"strings"
)

// check tells every problem of c and tidies what it reads.
func (c *Config) check(smtpURL string, problems *Problems) {
	c.checkDatabase(problems)
	c.checkBaseURL(problems)
	c.checkAppSecret(problems)
	c.checkMail(smtpURL, problems)
	c.checkStripe(problems)
	c.checkNumbers(problems)
	if c.LogFormat != "json" && c.LogFormat != "text" {
		problems.add("LOG_FORMAT", "must be json or text")
	}
}

// The words on DATABASE_URL never repeat it: it may hold a password.
func (c *Config) checkDatabase(problems *Problems) {
	text := string(c.DatabaseURL)
	switch {
	case text == "" && c.Demo:
	case text == "":
		problems.add("DATABASE_URL", "is not set; give a PostgreSQL database such as postgres://user:password@host:5432/holdfast, or set DEMO=1 to look around with a private one")
	case !isPostgres(text):
		problems.add("DATABASE_URL", "is not a PostgreSQL address; use postgres://user:password@host:5432/holdfast")
	}
	for name, text := range map[string]Secret{"DATABASE_DIRECT_URL": c.DatabaseDirectURL, "DATABASE_REPLICA_URL": c.DatabaseReplicaURL} {
		switch {
		case text == "":
		case c.DatabaseURL == "":
			problems.add(name, "is set but DATABASE_URL is not")
		case !isPostgres(string(text)):
			problems.add(name, "is not a PostgreSQL address; use postgres://user:password@host:5432/holdfast")
		}
	}
}

// isPostgres also takes the key=value form of a connection string.
func isPostgres(text string) bool {
	if strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://") {
		_, err := url.Parse(text)
		return err == nil
	}
	return !strings.Contains(text, "://") && strings.Contains(text, "=")
}

func (c *Config) checkBaseURL(problems *Problems) {
	if c.BaseURL == "" {
		problems.add("BASE_URL", "is not set; give the address that customers see, such as https://tickets.example.org")
		return
	}
	origin, ok := originOf(c.BaseURL)
	if !ok {
		problems.add("BASE_URL", "must be http:// or https:// and a host, with no path, such as https://tickets.example.org")
		return
	}
	c.BaseURL = origin
}

// originOf answers scheme://host[:port] of an address that is no more than that.
func originOf(text string) (string, bool) {
	u, err := url.Parse(text)
	if err != nil || !webAddress(u) || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", false
	}
	if u.Path != "" && u.Path != "/" {
		return "", false
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), true
}

func webAddress(u *url.URL) bool {
	if u.Port() != "" {
		if _, err := parsePort(u.Port()); err != nil {
			return false
		}
	}
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		!strings.HasSuffix(u.Host, ":")
}

func (c *Config) checkAppSecret(problems *Problems) {
	switch {
	case c.AppSecret == "" && c.Demo:
	case c.AppSecret == "":
		problems.add("APP_SECRET", "is not set; give at least %d random bytes, for example the output of: openssl rand -hex 32", minSecret)
	case len(c.AppSecret) < minSecret:
		problems.add("APP_SECRET", "has %d bytes and needs at least %d, for example the output of: openssl rand -hex 32", len(c.AppSecret), minSecret)
	}
}

func (c *Config) checkMail(smtpURL string, problems *Problems) {
	if smtpURL != "" {
		smtp, err := parseSMTP(smtpURL)
		if err != nil {
			problems.add("SMTP_URL", "%v", err)
		}
		c.SMTP = smtp
	}
	if c.MailFrom == "" {
		if smtpURL != "" {
			problems.add("MAIL_FROM", "is not set but SMTP_URL is; give the sender, such as Rex Cinema <tickets@example.org>")
		}
		return
	}
	if _, err := mail.ParseAddress(c.MailFrom); err != nil {
		problems.add("MAIL_FROM", "is not a mail address; use tickets@example.org or Rex Cinema <tickets@example.org>")
	}
}

func (c *Config) checkStripe(problems *Problems) {
	if c.StripeAPIURL == "" {
		return
	}
	u, err := url.Parse(c.StripeAPIURL)
	if err != nil || !webAddress(u) || u.RawQuery != "" || u.Fragment != "" {
		problems.add("STRIPE_API_URL", "must be http:// or https:// and a host; leave it unset to use Stripe itself")
		return
	}
	c.StripeAPIURL = strings.TrimRight(c.StripeAPIURL, "/")
}

func (c *Config) checkNumbers(problems *Problems) {
	for _, n := range []struct {
		name          string
		value, lo, hi int
	}{
		{"PORT", c.Port, 1, 65535},
		{"DB_POOL_SIZE", c.DBPoolSize, 2, 500},
		{"TRUSTED_PROXY_HOPS", c.TrustedProxyHops, 0, 10},
	} {
		if n.value < n.lo || n.value > n.hi {
			problems.add(n.name, "must be from %d to %d", n.lo, n.hi)
		}
	}
}
