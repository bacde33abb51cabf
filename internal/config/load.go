package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

const minSecret = 32 // bytes

// raw is the environment as it stands: the one list of our variables.
type raw struct {
	Demo    bool   `env:"DEMO"`
	Port    int    `env:"PORT" envDefault:"8080"`
	BaseURL string `env:"BASE_URL"`
	DataDir string `env:"DATA_DIR" envDefault:".data"`

	DatabaseURL        string `env:"DATABASE_URL"`
	DatabaseDirectURL  string `env:"DATABASE_DIRECT_URL"`
	DatabaseReplicaURL string `env:"DATABASE_REPLICA_URL"`
	DBPoolSize         int    `env:"DB_POOL_SIZE" envDefault:"12"`

	AppSecret  string `env:"APP_SECRET"`
	SetupToken string `env:"SETUP_TOKEN"`

	StripeSecretKey      string   `env:"STRIPE_SECRET_KEY"`
	StripeWebhookSecrets []string `env:"STRIPE_WEBHOOK_SECRETS"`
	StripeAPIURL         string   `env:"STRIPE_API_URL"`

	SMTPURL  string `env:"SMTP_URL"`
	MailFrom string `env:"MAIL_FROM"`

	MetricsToken     string `env:"METRICS_TOKEN"`
	TrustedProxyHops int    `env:"TRUSTED_PROXY_HOPS" envDefault:"0"`
	LogFormat        string `env:"LOG_FORMAT"`
}

// Problem is one variable and what to do about it.
type Problem struct{ Var, Text string }

// Problems are all that is wrong, one line each.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, 0, len(p)+1)
	lines = append(lines, "the configuration is not complete:")
	for _, one := range p {
		lines = append(lines, "  "+one.Var+" "+one.Text)
	}
	return strings.Join(lines, "\n")
}

// add tells one problem of each variable: what follows from the first is noise.
func (p *Problems) add(name, format string, arg ...any) {
	if slices.ContainsFunc(*p, func(one Problem) bool { return one.Var == name }) {
		return
	}
	*p = append(*p, Problem{name, fmt.Sprintf(format, arg...)})
}

// Load reads and checks the environment. An error is always Problems. With
// DEMO=1 missing secrets are made up and kept in DATA_DIR, so that a restart
// keeps sessions and ticket links valid; that is the only thing it writes.
func Load(getenv func(string) string) (Config, error) {
	var problems Problems
	r := read(getenv, &problems)
	c := Config{
		Demo:                 r.Demo,
		Port:                 r.Port,
		BaseURL:              r.BaseURL,
		DataDir:              r.DataDir,
		DatabaseURL:          Secret(r.DatabaseURL),
		DatabaseDirectURL:    Secret(r.DatabaseDirectURL),
		DatabaseReplicaURL:   Secret(r.DatabaseReplicaURL),
		DBPoolSize:           r.DBPoolSize,
		AppSecret:            Secret(r.AppSecret),
		SetupToken:           Secret(r.SetupToken),
		StripeSecretKey:      Secret(r.StripeSecretKey),
		StripeWebhookSecrets: secretList(r.StripeWebhookSecrets),
		StripeAPIURL:         r.StripeAPIURL,
		MailFrom:             r.MailFrom,
		MetricsToken:         Secret(r.MetricsToken),
		TrustedProxyHops:     r.TrustedProxyHops,
		LogFormat:            r.LogFormat,
	}
	c.fillDefaults()
	c.check(r.SMTPURL, &problems)
	if c.Demo && len(problems) == 0 {
		c.makeUpSecrets(&problems)
	}
	if len(problems) > 0 {
		slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Var, b.Var) })
		return Config{}, problems
	}
	return c, nil
}

// read lets env do the types and turns its errors into lines that name the variable.
func read(getenv func(string) string, problems *Problems) raw {
	var r raw
	given := map[string]string{}
	for name := range variables() {
		if v := strings.TrimSpace(getenv(name)); v != "" {
			given[name] = v
		}
	}
	err := env.ParseWithOptions(&r, env.Options{Environment: given})
	var all env.AggregateError
	if errors.As(err, &all) {
		for _, one := range all.Errors {
			problems.addTyped(one)
		}
	}
	return r
}

func (p *Problems) addTyped(err error) {
	var bad env.ParseError
	if !errors.As(err, &bad) {
		p.add("environment", "cannot be read: %v", err)
		return
	}
	field, _ := reflect.TypeFor[raw]().FieldByName(bad.Name)
	want := "must be a whole number"
	if field.Type.Kind() == reflect.Bool {
		want = "must be 1 or 0 (or not set)"
	}
	p.add(field.Tag.Get("env"), "%s", want)
}

// variables are the names of everything in raw.
func variables() map[string]bool {
	names := map[string]bool{}
	for field := range reflect.TypeFor[raw]().Fields() {
		names[field.Tag.Get("env")] = true
	}
	return names
}

func secretList(texts []string) []Secret {
	var list []Secret
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			list = append(list, Secret(text))
		}
	}
	return list
}

func (c *Config) fillDefaults() {
	if c.Demo {
		c.LogFormat = cmp.Or(c.LogFormat, "text")
	}
	c.LogFormat = cmp.Or(c.LogFormat, "json")
	if !c.Demo {
		return
	}
	if c.BaseURL == "" {
		c.BaseURL = fmt.Sprintf("http://127.0.0.1:%d", c.Port)
	}
	c.MailFrom = cmp.Or(c.MailFrom, "Holdfast demo <tickets@demo.invalid>")
}

// makeUpSecrets fills what is missing, demo mode only.
func (c *Config) makeUpSecrets(problems *Problems) {
	dir := filepath.Join(c.DataDir, "secrets")
	keep := func(into *Secret, name, prefix string) {
		if *into != "" {
			return
		}
		var err error
		if *into, err = keptSecret(dir, name, prefix); err != nil {
			problems.add("DATA_DIR", "must be a folder that keeps the demo's secrets, or set %s yourself: %v", name, err)
		}
	}
	keep(&c.AppSecret, "APP_SECRET", "")
	keep(&c.SetupToken, "SETUP_TOKEN", "")
	keep(&c.StripeSecretKey, "STRIPE_SECRET_KEY", "sk_test_")
	if len(c.StripeWebhookSecrets) == 0 {
		var one Secret
		keep(&one, "STRIPE_WEBHOOK_SECRETS", "whsec_")
		c.StripeWebhookSecrets = []Secret{one}
	}
}
