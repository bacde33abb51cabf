package torture

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/apptest"
	"holdfast/internal/privpg"
	"holdfast/internal/stripesim"
)

const (
	stripeKey    = "sk_test_torture"
	stripeSecret = "whsec_torture_0123456789abcdef0123"
)

// rig is everything that the torture needs: a database, a Stripe, a mail server, the
// program as a child that is started again whenever it dies.
type rig struct {
	t     *testing.T
	seed  uint64
	tally *tally

	cluster *cluster
	db      *db.DB
	sim     *stripesim.Sim
	mail    *apptest.MailServer
	wire    *http.Transport // of all customers
	url     string          // of the shop
	stripe  string
	env     []string
	shop    *keeper

	events []sale
	front  atomic.Int64 // the first event that is on sale now
	doomed sale
}

// sale is one event that customers fight for.
type sale struct {
	dbtest.Event
	legs int // 1 for a screening
}

// newRig prepares everything and starts nothing of ours.
func newRig(t *testing.T, seed uint64, events int) *rig {
	t.Helper()
	r := &rig{t: t, seed: seed, tally: newTally(), wire: &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true}}
	r.cluster = newCluster(t)
	if err := db.Migrate(t.Context(), r.cluster.url, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	r.db = dbtest.Open(t, r.cluster.url, 8)
	for i := range events {
		s := sale{legs: 1}
		if i%2 == 1 {
			s.legs = 3
			s.Event = dbtest.Trip(t, r.db, 1, s.legs)
		} else {
			s.Event = dbtest.Screening(t, r.db, 1, 5)
		}
		r.events = append(r.events, s)
	}
	r.doomed = sale{dbtest.Screening(t, r.db, 3, 5), 1}
	for k, v := range map[string]string{"hold_window_minutes": "2", "grace_seconds": "5", "live_holds_per_visitor": "3"} {
		r.exec(`INSERT INTO settings (key, value) VALUES ($1, $2)`, k, v)
	}
	port := apptest.QuietPort(t)
	r.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	r.startStripe(t)
	r.mail = apptest.StartMail(t, seed)
	r.env = []string{
		"DATABASE_URL=" + r.cluster.url, "BASE_URL=" + r.url, fmt.Sprintf("PORT=%d", port), "APP_SECRET=" + strings.Repeat("t", 40), "SETUP_TOKEN=setup",
		"STRIPE_SECRET_KEY=" + stripeKey, "STRIPE_WEBHOOK_SECRETS=" + stripeSecret, "STRIPE_API_URL=" + r.stripe,
		"SMTP_URL=" + r.mail.URL, "MAIL_FROM=tickets@torture.example", "GORACE=halt_on_error=1",
	}
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	r.shop = &keeper{r: r, bin: bin, over: make(chan struct{})}
	return r
}

// built is the program as it is deployed, but for the fail points; once for all tests.
var built = sync.OnceValues(func() (string, error) { return apptest.Build("failpoints") })

// TestMain removes the program again.
func TestMain(m *testing.M) { apptest.Main(m) }

// startStripe runs a Stripe that no kill of ours touches.
func (r *rig) startStripe(t *testing.T) {
	srv := httptest.NewUnstartedServer(nil)
	r.stripe = "http://" + srv.Listener.Addr().String()
	r.sim = stripesim.New(stripesim.Options{BaseURL: r.stripe, Key: stripeKey,
		WebhookURL: r.url + "/hooks/stripe", WebhookSecret: stripeSecret, RetryPause: 300 * time.Millisecond})
	srv.Config.Handler = r.sim
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = r.sim.Close(ctx)
	})
}

// exec changes the database behind the program's back. A database that is away just now
// is waited for.
func (r *rig) exec(sql string, args ...any) {
	r.t.Helper()
	if err := r.try(r.t.Context(), sql, args...); err != nil {
		r.t.Fatalf("%v\n%s", err, sql)
	}
}

func (r *rig) try(ctx context.Context, sql string, args ...any) (err error) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && ctx.Err() == nil; pause(ctx, 100*time.Millisecond) {
		if _, err = r.db.Pool().Exec(ctx, sql, args...); err == nil {
			return nil
		}
	}
	return err
}

// ask reads the rows of a question whose columns are all texts.
func (r *rig) ask(sql string, args ...any) [][]string {
	r.t.Helper()
	return apptest.Ask(r.t, r.db, sql, args...)
}

// pause waits, less when ctx ends: it is the pace of an actor, never a wait for a state.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// dice are one actor's own.
func (r *rig) dice(actor uint64) *rand.Rand { return rand.New(rand.NewPCG(r.seed, actor)) }

// between is a random time of an actor's pace.
func between(d *rand.Rand, lo, hi time.Duration) time.Duration {
	return lo + time.Duration(d.Int64N(int64(hi-lo)+1))
}

// cluster is a PostgreSQL that comes back with its data.
type cluster struct {
	dir, url string
	server   *privpg.Server
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "holdfast-torture-")
	if err == nil {
		err = os.Chmod(dir, 0o755) // the server may run as another account
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{dir: dir}
	t.Cleanup(func() { _ = c.server.Stop(); _ = os.RemoveAll(dir) })
	if err := c.start(); err != nil {
		t.Fatal(err)
	}
	c.url = c.server.URL
	return c
}

// start: what is committed must outlive the program and the server, not the machine's
// power, so fsync may be off.
func (c *cluster) start() (err error) {
	c.server, err = privpg.Start(context.Background(), privpg.Options{Dir: filepath.Join(c.dir, "pg"), DBName: "torture", Log: io.Discard,
		Settings: map[string]string{"fsync": "off", "synchronous_commit": "on", "full_page_writes": "off", "max_connections": "60"}})
	return err
}

// restart stops the server, at once and without a checkpoint when crash is set, and
// starts it again on the same data.
func (c *cluster) restart(ctx context.Context, crash bool, away time.Duration) error {
	if crash {
		var pid int
		text, err := os.ReadFile(filepath.Join(c.server.DataDir, "postmaster.pid"))
		if err != nil {
			return err
		}
		if _, err := fmt.Sscan(string(text), &pid); err != nil || pid <= 1 {
			return fmt.Errorf("postmaster.pid: %w", err)
		}
		if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
			return err
		}
	}
	if err := c.server.Stop(); err != nil {
		return err
	}
	pause(ctx, away)
	return c.start()
}
