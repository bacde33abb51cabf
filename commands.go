package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sort"
	"strings"

	"holdfast/db"
	"holdfast/internal/booking"
	"holdfast/internal/config"
	"holdfast/internal/demo"
	"holdfast/internal/domain"
	"holdfast/internal/privpg"
	"holdfast/internal/stripepay"
)

// databaseURL is where a command that needs nothing else finds its data, and what to
// do when it is done: DATABASE_DIRECT_URL, DATABASE_URL, or the private server of a demo.
func (a app) databaseURL(ctx context.Context) (url string, done func() error, err error) {
	for _, name := range []string{"DATABASE_DIRECT_URL", "DATABASE_URL"} {
		if url := strings.TrimSpace(a.getenv(name)); url != "" {
			return url, func() error { return nil }, nil
		}
	}
	cfg, err := config.Load(a.getenv)
	if err != nil {
		return "", nil, err
	}
	if !cfg.PrivateDB() {
		return "", nil, errors.New("DATABASE_URL is not set")
	}
	s, err := startPrivate(ctx, cfg, io.Discard)
	if err != nil {
		return "", nil, err
	}
	return s.URL, s.Stop, nil
}

func startPrivate(ctx context.Context, cfg config.Config, log io.Writer) (*privpg.Server, error) {
	return privpg.Start(ctx, privpg.Options{Dir: filepath.Join(cfg.DataDir, "postgres"), DBName: "holdfast", Log: log})
}

// withDB opens the database for one command; it refuses a schema that is not ours.
func (a app) withDB(ctx context.Context, do func(*db.DB) error) (err error) {
	url, done, err := a.databaseURL(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := db.CheckSchema(ctx, url); err != nil {
		return err
	}
	d, err := db.Open(ctx, url, db.Options{MaxConns: 4})
	if err != nil {
		return err
	}
	defer d.Close()
	return do(d)
}

func (a app) migrate(ctx context.Context) (err error) {
	url, done, err := a.databaseURL(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := db.Migrate(ctx, url, slog.New(slog.NewTextHandler(a.stderr, nil))); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stdout, "the schema is up to date")
	return err
}

func (a app) demo(ctx context.Context, args []string) error {
	if len(args) != 1 || args[0] != "load" && args[0] != "clear" {
		fmt.Fprintln(a.stderr, "usage: holdfast demo load | clear")
		return exitCode(2)
	}
	return a.withDB(ctx, func(d *db.DB) error {
		if args[0] == "clear" {
			if err := demo.Clear(ctx, d, domain.By{Actor: "command line"}); err != nil {
				return err
			}
			_, err := fmt.Fprintln(a.stdout, "the demo data is gone")
			return err
		}
		r, err := demo.Load(ctx, d, demo.Options{Staff: a.getenv("DEMO") == "1", By: domain.By{Actor: "command line"}})
		if err != nil {
			return err
		}
		return report(a.stdout, r)
	})
}

func report(w io.Writer, r demo.Report) error {
	if r.AlreadyLoaded {
		_, err := fmt.Fprintln(w, "the demo data was loaded already")
		return err
	}
	fmt.Fprintln(w, "demo data is loaded")
	for _, s := range r.Staff {
		fmt.Fprintf(w, "  %-24s %s\n", s.Email, s.Password)
	}
	return nil
}

func (a app) settings(ctx context.Context, args []string) error {
	switch {
	case len(args) >= 1 && len(args) <= 2 && args[0] == "get":
		return a.withDB(ctx, func(d *db.DB) error { return a.printSettings(ctx, d, args[1:]) })
	case len(args) == 3 && args[0] == "set":
		return a.withDB(ctx, func(d *db.DB) error { return a.set(ctx, d, args[1], args[2]) })
	}
	fmt.Fprintln(a.stderr, "usage: holdfast settings get [KEY] | set KEY VALUE")
	return exitCode(2)
}

func (a app) printSettings(ctx context.Context, d *db.DB, only []string) error {
	stored, err := d.Settings(ctx)
	if err != nil {
		return err
	}
	value := func(def domain.SettingDef) string {
		if v, ok := stored[def.Key]; ok {
			return v
		}
		return def.Default
	}
	for _, def := range domain.SettingDefs() {
		switch {
		case len(only) == 0:
			fmt.Fprintf(a.stdout, "%s=%s\t# %s\n", def.Key, value(def), def.Help)
		case only[0] == def.Key:
			_, err := fmt.Fprintln(a.stdout, value(def))
			return err
		}
	}
	if len(only) > 0 {
		return unknownSetting(only[0])
	}
	return nil
}

func unknownSetting(key string) error {
	var keys []string
	for _, def := range domain.SettingDefs() {
		keys = append(keys, def.Key)
	}
	sort.Strings(keys)
	return fmt.Errorf("there is no setting %q; there are %s", key, strings.Join(keys, ", "))
}

func (a app) set(ctx context.Context, d *db.DB, key, value string) error {
	if err := domain.CheckSetting(key, value); err != nil {
		if errors.Is(err, domain.ErrNotFound) {
			return unknownSetting(key)
		}
		return fmt.Errorf("%s: %w", key, err)
	}
	err := d.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockSettings(ctx); err != nil {
			return err
		}
		stored, err := t.Settings(ctx)
		if err != nil {
			return err
		}
		if err := t.SetSetting(ctx, key, value); err != nil {
			return err
		}
		before := map[string]string{}
		if was, ok := stored[key]; ok {
			before[key] = was
		}
		return t.Log(ctx, domain.By{Actor: "command line"}, "settings_changed", "settings", before, map[string]string{key: value})
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%s=%s\n", key, value)
	return err
}

// audit prints what must never be. Exit 0 clean, 1 findings, 2 could not look. With
// STRIPE_SECRET_KEY it compares with Stripe's own lists too.
func (a app) audit(ctx context.Context) error {
	var found []db.Finding
	var checks int
	err := a.withDB(ctx, func(d *db.DB) error {
		cfg := booking.Config{Log: slog.New(slog.DiscardHandler)}
		if key := strings.TrimSpace(a.getenv("STRIPE_SECRET_KEY")); key != "" {
			c, err := stripepay.New(stripepay.Config{Key: key, APIURL: strings.TrimSpace(a.getenv("STRIPE_API_URL"))})
			if err != nil {
				return err
			}
			cfg.Gateway, cfg.Live = c.ForJobs(), c.Livemode()
		}
		var err error
		found, checks, err = booking.New(d, cfg).Audit(ctx)
		return err
	})
	for _, f := range found {
		fmt.Fprintln(a.stdout, f.String())
	}
	if err != nil {
		fmt.Fprintln(a.stderr, "holdfast: audit could not look: "+err.Error())
		return exitCode(2)
	}
	if len(found) > 0 {
		return exitCode(1)
	}
	_, err = fmt.Fprintf(a.stdout, "audit: clean (%d checks)\n", checks)
	return err
}

// stripe sets our webhook up at Stripe and prints the secret that belongs into
// STRIPE_WEBHOOK_SECRETS.
func (a app) stripe(ctx context.Context, args []string) error {
	if len(args) != 1 || args[0] != "setup" {
		fmt.Fprintln(a.stderr, "usage: holdfast stripe setup")
		return exitCode(2)
	}
	key, base := strings.TrimSpace(a.getenv("STRIPE_SECRET_KEY")), strings.TrimSuffix(strings.TrimSpace(a.getenv("BASE_URL")), "/")
	if key == "" || base == "" {
		return errors.New("STRIPE_SECRET_KEY and BASE_URL must be set")
	}
	c, err := stripepay.New(stripepay.Config{Key: key, APIURL: strings.TrimSpace(a.getenv("STRIPE_API_URL"))})
	if err != nil {
		return err
	}
	secret, err := c.CreateWebhook(ctx, base+"/hooks/stripe")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "Stripe will tell %s/hooks/stripe.\nAdd this to STRIPE_WEBHOOK_SECRETS (shown once):\n%s\n", base, secret)
	return err
}
