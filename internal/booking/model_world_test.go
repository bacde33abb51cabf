package booking_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/booking"
	"holdfast/internal/domain"
	"holdfast/internal/stripepay"
	"holdfast/internal/stripesim"
)

// shop is the money core without the web: the service on a real database and a
// look-alike of Stripe on a real port, one event on sale. Nothing runs by itself:
// webhooks, jobs, sweeps and time come when the test says so.
type shop struct {
	t   rapid.TB
	ctx context.Context
	db  *db.DB
	sim *stripesim.Sim
	pay *stripepay.Client
	*booking.Service
	ev  dbtest.Event
	log *alarms
}

// newShop opens a shop on the database with a new event of two rows of three seats:
// A in zone 1, B in zone 2. shut closes it.
func newShop(t *testing.T, d *db.DB) (s *shop, shut func()) {
	t.Helper()
	s = &shop{t: t, ctx: t.Context(), db: d, ev: dbtest.Screening(t, d, 2, 3), log: &alarms{}}
	srv := httptest.NewUnstartedServer(nil)
	url := "http://" + srv.Listener.Addr().String()
	s.sim = stripesim.New(stripesim.Options{BaseURL: url})
	srv.Config.Handler = s.sim
	srv.Start()
	var err error
	if s.pay, err = stripepay.New(stripepay.Config{Key: "sk_test_model", APIURL: url, RetryPause: time.Microsecond}); err != nil {
		t.Fatal(err)
	}
	s.Service = s.service(s.pay)
	return s, srv.Close
}

func (s *shop) service(pay booking.Gateway) *booking.Service {
	return booking.New(s.db, booking.Config{Gateway: pay, BaseURL: "http://shop.test", Log: slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelError}))})
}

// alarms keeps what was logged as an error.
type alarms struct {
	mu   sync.Mutex
	text strings.Builder
}

func (a *alarms) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.Write(p)
}

func (a *alarms) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.String()
}

var _ io.Writer = (*alarms)(nil)

func (s *shop) exec(sql string, args ...any) {
	s.t.Helper()
	if _, err := s.db.Pool().Exec(s.ctx, sql, args...); err != nil {
		s.t.Fatalf("%v\n%s", err, sql)
	}
}

// one reads a single value.
func one[T any](s *shop, sql string, args ...any) T {
	s.t.Helper()
	var v T
	if err := s.db.Pool().QueryRow(s.ctx, sql, args...).Scan(&v); err != nil {
		s.t.Fatalf("%v\n%s", err, sql)
	}
	return v
}

// pass lets time pass for everything about the event: what the database knows moves
// into the past, and Stripe ends the pages whose 35 minutes are over. The frozen end of
// a page that Stripe has and we have not heard of stays, or its request would change.
func (s *shop) pass(d time.Duration) {
	s.t.Helper()
	known := []int64{}
	for _, x := range s.sim.Sessions() {
		known = append(known, paymentID(x))
	}
	for _, sql := range []string{
		`UPDATE holds SET expires_at = expires_at - $2::interval, created_at = created_at - $2::interval WHERE event_id = $1`,
		`UPDATE event_seats SET held_until = held_until - $2::interval WHERE event_id = $1 AND state = 'held'`,
		`UPDATE payments SET created_at = created_at - $2::interval WHERE event_id = $1`,
		`UPDATE stripe_events SET received_at = received_at - $2::interval WHERE $1 > 0`,
		`UPDATE refunds SET created_at = created_at - $2::interval, updated_at = updated_at - $2::interval WHERE event_id = $1`,
	} {
		s.exec(sql, s.ev.ID, d)
	}
	s.exec(`UPDATE payments SET session_ends_at = session_ends_at - $2::interval
	         WHERE event_id = $1 AND NOT (stripe_session_id IS NULL AND id = ANY($3))`, s.ev.ID, d, known)
	for _, x := range s.sim.Sessions() {
		if x.Status == "open" && one[bool](s, `SELECT created_at <= now() - interval '35 minutes' FROM payments WHERE id = $1`, paymentID(x)) {
			_ = s.sim.Expire(x.ID) // open a moment ago, and nobody else is here
		}
	}
}

// paymentID is the attempt that a session of the look-alike belongs to.
func paymentID(x stripesim.Session) int64 {
	id, _ := strconv.ParseInt(x.ClientReferenceID, 10, 64) // 0 is nobody's
	return id
}

// choose is a customer who comes to the page and takes seats.
func (s *shop) choose(holder domain.Holder, seats ...string) (string, error) {
	o, err := s.Offer(s.ctx, s.ev.ID, nil)
	if err != nil {
		return "", err
	}
	return s.Choose(s.ctx, o, booking.Visitor{Holder: holder}, seats)
}

// details gives a name and an address, which are all a screening asks for.
func details() booking.Details {
	return booking.Details{Name: "Ada Lovelace", Email: "ada@example.org"}
}

// must ends the test on an error.
func (s *shop) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// paying is a customer on the hosted page: hold, details, Pay.
func (s *shop) paying(holder domain.Holder, seats ...string) (holdID string, session stripesim.Session) {
	s.t.Helper()
	id, err := s.choose(holder, seats...)
	s.must(err)
	s.must(s.SetDetails(s.ctx, holder, id, details()))
	_, err = s.Pay(s.ctx, holder, id)
	s.must(err)
	all := s.sim.Sessions()
	return id, all[len(all)-1]
}

// paid is a customer whose money Stripe has and we do not know of yet.
func (s *shop) paid(holder domain.Holder, seats ...string) (holdID, session string) {
	s.t.Helper()
	id, x := s.paying(holder, seats...)
	s.must(s.sim.Pay(x.ID))
	return id, x.ID
}

// clean runs the whole audit and the comparison with Stripe.
func (s *shop) clean() {
	s.t.Helper()
	found, checks, err := s.db.Audit(s.ctx)
	more, n, err2 := s.CompareStripe(s.ctx)
	if err := errors.Join(err, err2); err != nil || checks == 0 || n == 0 {
		s.t.Fatalf("audit: %v after %d and %d checks", err, checks, n)
	}
	for _, f := range append(found, more...) {
		s.t.Errorf("audit: %s", f)
	}
}

func (s *shop) tickets(holdID string) int {
	s.t.Helper()
	return one[int](s, `SELECT count(*) FROM tickets t JOIN bookings b ON b.id = t.booking_id WHERE b.hold_id = $1 AND t.state = 'valid'`, holdID)
}
