package rush

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/apptest"
	"holdfast/internal/privpg"
)

// world is everything that the rush needs.
type world struct {
	tally
	t *testing.T
	p plan

	bin, url  string // url: of the shop, as people know it
	database  string
	env       []string
	db        *db.DB
	stripe    *stripe
	mail      *apptest.MailServer
	processes []*process

	hot, calmOne dbtest.Event // the one that opens, and the one beside it
	browsers     []*browser
	opened       time.Time // T0
	killed       time.Time

	lives   sync.Map // hold → true while somebody minds it
	lead    leaders
	sweeps  int // asked for by ourselves
	began   time.Time
	ends    map[string]int // how people end → how many
	slowest time.Duration  // until another process showed a sale
}

// TestMain removes the program again.
func TestMain(m *testing.M) { apptest.Main(m) }

var builds sync.Map // tags → built once

func built(tags string) (string, error) {
	f, _ := builds.LoadOrStore(tags, sync.OnceValues(func() (string, error) { return apptest.Build(tags) }))
	return f.(func() (string, error))()
}

// newWorld prepares everything and starts all processes at once on a database without a
// schema, which all of them bring up at once.
func newWorld(t *testing.T, p plan) *world {
	t.Helper()
	bin, err := built(p.tags)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{tally: newTally(), began: time.Now(), t: t, p: p, bin: bin, database: database(t, p)}
	var backends []string
	for range p.processes {
		x := &process{w: w, port: apptest.QuietPort(t)}
		w.processes = append(w.processes, x)
		backends = append(backends, fmt.Sprintf("127.0.0.1:%d", x.port))
	}
	hops := 0
	if w.url = w.processes[0].url(); p.processes > 1 {
		var x *router
		x, w.url = startRouter(t)
		x.backends, hops = backends, 1
	}
	w.stripe = startStripe(t, w.url, p.latency)
	w.mail = apptest.StartMail(t, p.seed)
	w.env = []string{
		"DATABASE_URL=" + w.database, "BASE_URL=" + w.url, "APP_SECRET=" + strings.Repeat("r", 40), "SETUP_TOKEN=setup",
		"STRIPE_SECRET_KEY=" + stripeKey, "STRIPE_WEBHOOK_SECRETS=" + stripeSecret, "STRIPE_API_URL=" + w.stripe.url,
		"SMTP_URL=" + w.mail.URL, "MAIL_FROM=tickets@rush.example", "GORACE=halt_on_error=1",
		fmt.Sprintf("DB_POOL_SIZE=%d", p.poolOfEach), fmt.Sprintf("TRUSTED_PROXY_HOPS=%d", hops),
	}
	w.migrateAtOnce()
	w.db = dbtest.Open(t, w.database, 4)
	w.hot, w.calmOne = w.hall(p.seats), w.hall(max(40, 6*p.beside))
	w.exec(`UPDATE events SET status = 'draft' WHERE id = $1`, w.hot.ID)
	for _, x := range w.processes {
		if err := x.start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.end(syscall.SIGTERM) })
	}
	watching, stop := context.WithCancel(t.Context())
	var watched sync.WaitGroup
	watched.Go(func() { w.watch(watching) })
	t.Cleanup(func() { stop(); watched.Wait() })
	for _, x := range w.processes {
		if err := x.ready(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// database is empty: a scratch one, or in the long form one on a server that waits for
// its disk as a real one does.
func database(t *testing.T, p plan) string {
	if !p.durable {
		return dbtest.EmptyURL(t)
	}
	s, err := privpg.Start(t.Context(), privpg.Options{DBName: "rush", Log: io.Discard, Settings: map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "max_connections": "100"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s.URL
}

// migrateAtOnce is the start of a release on several machines.
func (w *world) migrateAtOnce() {
	var all sync.WaitGroup
	for range w.p.processes {
		all.Go(func() {
			cmd := exec.CommandContext(w.t.Context(), w.bin, "migrate")
			cmd.Env = append(slices.Clone(w.env), "PORT=8080")
			if out, err := cmd.CombinedOutput(); err != nil {
				w.wrong("migrations once", "%v\n%s", err, out)
			}
		})
	}
	all.Wait()
	if err := db.CheckSchema(w.t.Context(), w.database); err != nil {
		w.t.Fatalf("the schema is not there: %v", err)
	}
}

// hall is a published screening with so many seats, twenty a row where that goes.
func (w *world) hall(seats int) dbtest.Event {
	cols := 20
	for seats%cols != 0 || seats/cols > 26 {
		if cols++; cols > 60 {
			cols = 20
			seats += cols - seats%cols // the next full row
		}
	}
	return dbtest.Screening(w.t, w.db, seats/cols, cols)
}

// exec changes the database behind the program's back.
func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.db.Pool().Exec(w.t.Context(), sql, args...); err != nil {
		w.t.Fatalf("%v\n%s", err, sql)
	}
}

func (w *world) ask(sql string, args ...any) [][]string {
	w.t.Helper()
	return apptest.Ask(w.t, w.db, sql, args...)
}

// dice are one actor's own.
func (w *world) dice(actor int) *rand.Rand { return rand.New(rand.NewPCG(w.p.seed, uint64(actor))) }

// pause waits, less when ctx ends: it is the pace of an actor, never a wait for a state.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// between is a random time of an actor's pace.
func between(d *rand.Rand, lo, hi time.Duration) time.Duration {
	return lo + time.Duration(d.Int64N(int64(max(hi-lo, 0))+1))
}
