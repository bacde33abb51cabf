package scale

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/apptest"
	"holdfast/internal/stripesim"
)

const (
	stripeKey    = "sk_test_scale"
	stripeSecret = "whsec_scale_0123456789abcdef012345"
)

// shop is two processes on one database, and what is around them.
type shop struct {
	t      *testing.T
	bin    string
	urls   []string
	env    []string
	db     *db.DB
	sim    *stripesim.Sim
	stripe string
	events []dbtest.Event
	tally  *tally
}

// TestMain removes the program again.
func TestMain(m *testing.M) { apptest.Main(m) }

func newShop(t *testing.T, p plan) *shop {
	t.Helper()
	bin, err := apptest.Build("")
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{t: t, bin: bin, tally: newTally()}
	direct := cmp.Or(p.direct, p.database)
	if err := db.Migrate(t.Context(), direct, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	s.db = dbtest.Open(t, direct, 4)
	for i := range p.events { // few seats: they are fought for
		if i%2 == 0 {
			s.events = append(s.events, dbtest.Screening(t, s.db, 3, 8))
		} else {
			s.events = append(s.events, dbtest.Trip(t, s.db, 6, 3))
		}
	}
	ports := []int{apptest.QuietPort(t), apptest.QuietPort(t)}
	for _, port := range ports {
		s.urls = append(s.urls, fmt.Sprintf("http://127.0.0.1:%d", port))
	}
	s.startStripe()
	mail := apptest.StartMail(t, 1)
	s.env = []string{
		"DATABASE_URL=" + p.database, "DATABASE_DIRECT_URL=" + p.direct, "DATABASE_REPLICA_URL=" + p.replica, fmt.Sprintf("DB_POOL_SIZE=%d", p.pool),
		"BASE_URL=" + s.urls[0], "APP_SECRET=" + strings.Repeat("s", 40), "SETUP_TOKEN=setup",
		"STRIPE_SECRET_KEY=" + stripeKey, "STRIPE_WEBHOOK_SECRETS=" + stripeSecret, "STRIPE_API_URL=" + s.stripe,
		"SMTP_URL=" + mail.URL, "MAIL_FROM=tickets@scale.example", "PORT=8080",
	}
	for i := range ports {
		s.spawn(i, ports[i])
	}
	return s
}

// startStripe runs a Stripe that no failover touches.
func (s *shop) startStripe() {
	srv := httptest.NewUnstartedServer(nil)
	s.stripe = "http://" + srv.Listener.Addr().String()
	s.sim = stripesim.New(stripesim.Options{BaseURL: s.stripe, Key: stripeKey, WebhookURL: s.urls[0] + "/hooks/stripe", WebhookSecret: stripeSecret, RetryPause: 300 * time.Millisecond})
	srv.Config.Handler = s.sim
	srv.Start()
	s.t.Cleanup(srv.Close)
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.sim.Close(ctx)
	})
}

// spawn starts a process and waits until it is ready; it must live until the end.
func (s *shop) spawn(i, port int) {
	s.t.Helper()
	log := &apptest.Tail{}
	cmd := exec.Command(s.bin, "serve")
	cmd.Env = append(slices.Clone(s.env), fmt.Sprintf("PORT=%d", port))
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := <-over; err != nil {
			s.t.Errorf("process %d ended: %v", i, err)
		}
		if s.t.Failed() {
			s.t.Logf("log of process %d:\n%s", i, last(log.String(), 4000))
		}
		if dir := os.Getenv("SCALE_LOGS"); dir != "" {
			_ = os.WriteFile(fmt.Sprintf("%s/holdfast-%d.log", dir, i), []byte(log.String()), 0o600)
		}
	})
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); pause(s.t.Context(), 20*time.Millisecond) {
		if res, err := http.Get(s.urls[i] + "/readyz"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case err := <-over:
			over <- err
			s.t.Fatalf("process %d did not start: %v\n%s", i, err, log)
		default:
		}
	}
	s.t.Fatalf("process %d is not ready after 30 s\n%s", i, last(log.String(), 4000))
}

func last(text string, n int) string { return text[max(0, len(text)-n):] }

// pause is the pace of an actor or of a poll; less when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
