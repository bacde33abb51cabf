package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"holdfast/db"
	"holdfast/handlers"
	"holdfast/internal/access"
	"holdfast/internal/booking"
	"holdfast/internal/config"
	"holdfast/internal/counter"
	"holdfast/internal/demo"
	"holdfast/internal/domain"
	"holdfast/internal/jobs"
	"holdfast/internal/mail"
	"holdfast/internal/metrics"
	"holdfast/internal/schedule"
	"holdfast/internal/stripepay"
	"holdfast/internal/stripesim"
	"holdfast/internal/waitroom"
	"holdfast/static"
)

// A stop takes 20 s at the longest: requests finish, then jobs, then the pool closes.
const (
	stopTime     = 18 * time.Second
	requestsTime = 13 * time.Second
)

// maxConnections is how many browsers may be connected: each costs about 10 kB. Further
// ones wait in the kernel's line.
const maxConnections = 5000

// serve runs the shop until ctx ends.
func (a app) serve(ctx context.Context, args []string) (err error) {
	if len(args) > 0 {
		fmt.Fprintln(a.stderr, "usage: holdfast serve")
		return exitCode(2)
	}
	cfg, err := config.Load(a.getenv)
	if err != nil {
		return err
	}
	log := a.logger(cfg)
	listener, err := listen(cfg.Port)
	if err != nil {
		return err
	}
	defer listener.Close()

	url, gone := string(cfg.DatabaseURL), (<-chan struct{})(nil)
	if cfg.PrivateDB() {
		server, err := startPrivate(ctx, cfg, logWriter{log})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		if server.Attached {
			return fmt.Errorf("another demo runs on the data in %s: stop it, or give this one a folder of its own with DATA_DIR=…", cfg.DataDir)
		}
		url, gone = server.URL, server.Done()
	}
	d, err := a.openDB(ctx, cfg, url, log)
	if err != nil {
		return err
	}
	defer d.Close()
	s, err := a.assemble(cfg, d, log, listener)
	if err != nil {
		return err
	}
	if err := a.greet(ctx, cfg, d, listener); err != nil {
		return err
	}
	if s.sim != nil { // a look-alike that starts knows no pages: no money can come of them
		if err := s.work.ForgetPages(ctx); err != nil {
			return err
		}
	}
	if n, err := s.mail.Requeue(ctx); err != nil {
		return err
	} else if n > 0 {
		log.Info("mails that waited for a mail server leave now", "count", n)
	}
	for _, note := range cfg.Notes() {
		log.Warn(note)
	}
	if err := a.welcome(ctx, cfg, d); err != nil {
		return err
	}
	return s.run(ctx, gone)
}

// openDB makes sure of the schema, opens the pools, and makes sure of their sessions.
func (a app) openDB(ctx context.Context, cfg config.Config, url string, log *slog.Logger) (*db.DB, error) {
	direct := string(cfg.DatabaseDirectURL)
	if cfg.Demo {
		if err := db.Migrate(ctx, cmp.Or(direct, url), log); err != nil {
			return nil, err
		}
	} else if err := db.CheckSchema(ctx, cmp.Or(direct, url)); err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, url, db.Options{MaxConns: int32(cfg.DBPoolSize), DirectURL: direct, ReplicaURL: string(cfg.DatabaseReplicaURL)})
	if err != nil {
		return nil, err
	}
	if err := d.CheckSession(ctx); err != nil {
		d.Close()
		return nil, err
	}
	owner, err := d.HasOwner(ctx)
	if err == nil && !owner && cfg.SetupToken == "" && !cfg.Demo {
		err = errors.New("SETUP_TOKEN is not set and there is no owner yet: set it to a long random text")
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// welcome tells a house without an owner where to begin.
func (a app) welcome(ctx context.Context, cfg config.Config, d *db.DB) error {
	owner, err := d.HasOwner(ctx)
	if err != nil || owner {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "There is no owner yet. Open %s/setup and type the text of SETUP_TOKEN there to make the owner’s account.\n", cfg.BaseURL)
	return err
}

// shop is everything that runs.
type shop struct {
	server   *http.Server
	listener net.Listener
	jobs     *jobs.Client
	mail     *mail.Mailer
	wait     *waitroom.Service
	work     *booking.Service  // for what nobody waits for
	sim      *stripesim.Sim    // nil outside demo mode
	stripe   *stripepay.Client // nil without a key
	log      *slog.Logger
}

func (a app) assemble(cfg config.Config, d *db.DB, log *slog.Logger, listener net.Listener) (*shop, error) {
	assets, err := static.New()
	if err != nil {
		return nil, err
	}
	if !assets.HasVendor() {
		log.Warn("static/vendor is empty: seat maps do not refresh by themselves; `make assets` and build again")
	}
	s := &shop{listener: listener, log: log}
	sessions := db.Sessions{Queries: d.Queries}
	local := "http://127.0.0.1:" + strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	if cfg.StripeLookAlike() {
		s.sim = stripesim.New(stripesim.Options{
			BaseURL: cfg.BaseURL + "/stripesim", WebhookURL: local + "/hooks/stripe", WebhookSecret: string(cfg.StripeWebhookSecrets[0]),
			Log: log, Venue: "Holdfast demo", StylesheetURL: []string{assets.URL("css/shop.css")},
		})
		cfg.StripeAPIURL = local + "/stripesim"
	}
	s.wait = waitroom.New(d, log)
	counts := metrics.New(d, version)
	ask, work := booking.Config{BaseURL: cfg.BaseURL, Log: log, Demand: s.wait, Counts: counts}, booking.Config{BaseURL: cfg.BaseURL, Log: log, Counts: counts}
	if cfg.OnlinePayments() {
		c, err := stripepay.New(stripepay.Config{Key: string(cfg.StripeSecretKey), APIURL: cfg.StripeAPIURL, Log: log})
		if err != nil {
			return nil, err
		}
		s.stripe = c
		ask.Gateway, ask.Live, work.Gateway, work.Live = c, c.Livemode(), c.ForJobs(), c.Livemode()
	}
	signer := domain.NewSigner(string(cfg.AppSecret))
	s.mail = mailer(cfg, d, signer, log)
	s.work = booking.New(d, work)
	if s.jobs, err = jobs.New(d.DirectPool(), s.work, s.mail, log); err != nil {
		return nil, err
	}
	staff, err := access.New(d, string(cfg.AppSecret))
	if err != nil {
		return nil, err
	}
	deps := handlers.Deps{
		Booking: booking.New(d, ask), Schedule: schedule.New(d), Counter: counter.New(d), Records: d, WhenFreed: d.WhenFreed,
		Sessions: handlers.NewSessions(sessions, cfg.SecureCookies()),
		Assets:   assets, Signer: signer, Log: log, BaseURL: cfg.BaseURL, ProxyHops: cfg.TrustedProxyHops, PoolSize: cfg.DBPoolSize, Version: version,
		StripeOrigin: a.stripeOrigin(), MailOff: !cfg.Mail() && !cfg.Demo, Access: staff, SetupToken: string(cfg.SetupToken), Notes: cfg.Notes(),
		Reports: counter.NewReports(d, s.books()), Wait: s.wait,
		Metrics: counts, MetricsToken: string(cfg.MetricsToken),
		StripePages: stripePages(ask.Live), StripeLive: ask.Live, Samples: samples{d},
	}
	if len(cfg.StripeWebhookSecrets) > 0 {
		deps.Webhooks = webhooks(cfg)
	}
	if cfg.Demo {
		deps.Demo = &handlers.DemoSite{Outbox: outbox{d}}
		if s.sim != nil {
			deps.Demo.Stripe = s.sim
		}
	}
	s.server = &http.Server{
		Handler: handlers.New(deps), ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn), MaxHeaderBytes: 32 << 10,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 25 * time.Second, IdleTimeout: 95 * time.Second,
	}
	return s, nil
}

// books is what Stripe says of its own books; nil without a key.
func (s *shop) books() counter.StripeAccount {
	if s.stripe == nil {
		return nil
	}
	return s.stripe
}

// stripeOrigin is what the pages' form-action rule must allow besides Stripe itself.
func (a app) stripeOrigin() string {
	return config.Config{StripeAPIURL: a.getenv("STRIPE_API_URL")}.StripeOrigin()
}

// stripePages is where Stripe shows a payment intent to the owner.
func stripePages(live bool) string {
	if live {
		return "https://dashboard.stripe.com/payments/"
	}
	return "https://dashboard.stripe.com/test/payments/"
}

// run serves until ctx ends, the private database dies or the server fails, then
// stops in order: no new requests, requests and jobs finish.
func (s *shop) run(ctx context.Context, databaseGone <-chan struct{}) error {
	if err := s.jobs.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start jobs: %w", err)
	}
	rooms, stopRooms := context.WithCancel(context.WithoutCancel(ctx))
	var handing sync.WaitGroup
	handing.Go(func() { s.wait.Run(rooms) })
	defer func() { stopRooms(); handing.Wait() }() // after the last request, before the pool closes
	failed := make(chan error, 1)
	go func() { failed <- s.server.Serve(bounded(s.listener, maxConnections)) }()
	go s.tryKey(ctx)
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	case <-databaseGone:
		err = errors.New("the private database ended")
	}
	s.log.Info("stopping")
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	requests, cancelRequests := context.WithTimeout(stop, requestsTime)
	defer cancelRequests()
	if e := s.server.Shutdown(requests); e != nil {
		err = errors.Join(err, fmt.Errorf("requests did not finish: %w", e), s.server.Close())
	}
	if s.sim != nil {
		err = errors.Join(err, s.sim.Close(stop))
	}
	if e := s.jobs.Stop(stop); e != nil {
		last, cancelLast := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancelLast()
		err = errors.Join(err, fmt.Errorf("jobs did not finish: %w", e), s.jobs.StopAndCancel(last))
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// tryKey warns the owner of a key that cannot take payments, instead of leaving it to
// the first customer. It is beside the start: selling must not wait for Stripe.
func (s *shop) tryKey(ctx context.Context) {
	if s.stripe == nil {
		return
	}
	switch err := s.stripe.Check(ctx); {
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, domain.ErrGatewayRefused):
		s.log.Warn("nobody can pay online: Stripe refuses STRIPE_SECRET_KEY", "error", err.Error())
	default:
		s.log.Warn("Stripe does not answer at the start; payments are tried all the same", "error", err.Error())
	}
}

// greet loads the demo into an empty database, or again when it has run out, and prints
// where to go and who may sign in.
func (a app) greet(ctx context.Context, cfg config.Config, d *db.DB, listener net.Listener) error {
	if !cfg.Demo {
		return nil
	}
	r, err := demo.Renew(ctx, d, demo.Options{Staff: true})
	if err != nil {
		return err
	}
	switch {
	case r.Renewed:
		fmt.Fprintln(a.stdout, "the demo had run out of events: it was cleared and loaded again")
	case !r.AlreadyLoaded:
		fmt.Fprintln(a.stdout, "demo data is loaded")
	}
	logins, err := demo.Logins(ctx, d, filepath.Join(cfg.DataDir, "secrets", "demo-logins"), r.Staff)
	if err != nil && logins == nil {
		return err
	}
	if err != nil {
		fmt.Fprintln(a.stderr, "the demo's logins cannot be kept in DATA_DIR, the next start makes new ones: "+err.Error())
	}
	fmt.Fprintf(a.stdout, "\nHoldfast demo: nothing here is real and no card is charged.\n  shop               %s\n", cfg.BaseURL)
	for _, url := range lanURLs(listener) {
		fmt.Fprintf(a.stdout, "  from your phone    %s\n", url)
	}
	fmt.Fprintf(a.stdout, "  staff              %s/staff/login\n", cfg.BaseURL)
	for _, s := range logins {
		fmt.Fprintf(a.stdout, "    %-22s %s\n", s.Email, s.Password)
	}
	_, err = fmt.Fprintf(a.stdout, "  mail outbox        %s/demo/outbox\n  Stripe look-alike  %s/stripesim/\n  stop with Ctrl-C\n\n", cfg.BaseURL, cfg.BaseURL)
	return err
}

// lanURLs are this machine's addresses on the local network.
func lanURLs(listener net.Listener) []string {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	var out []string
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsPrivate() {
			out = append(out, "http://"+net.JoinHostPort(n.IP.String(), port))
		}
	}
	return out
}

// listen takes the port before anything is started.
func listen(port int) (net.Listener, error) {
	l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return nil, fmt.Errorf("port %d cannot be taken (%w); is another program using it? Choose another, such as PORT=%d", port, err, port+1)
	}
	return l, nil
}

func (a app) logger(cfg config.Config) *slog.Logger {
	level := &slog.HandlerOptions{Level: slog.LevelInfo}
	if cfg.Demo { // the address and the logins must not scroll away
		level.Level = slog.LevelWarn
	}
	if cfg.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(a.stderr, level))
	}
	return slog.New(slog.NewJSONHandler(a.stderr, level))
}

// logWriter puts the private server's lines into our log.
type logWriter struct{ log *slog.Logger }

func (w logWriter) Write(p []byte) (int, error) {
	w.log.Debug("postgres", "line", string(p))
	return len(p), nil
}
