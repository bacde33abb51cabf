package bench

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/db/dbtest"
)

// These tests keep holds in Redis the usual way, SET NX PX by a script for all or none
// and release by compare and delete, and sales in PostgreSQL; and take the steps in
// which the two come to disagree. Each ends with a second customer being promised a seat
// that the first was promised and was about to pay for. In one database none of these
// can happen: the sale is the same conditional UPDATE as the hold, on the same row.

// ann and bob want the same seat of the same event.
const (
	ann, bob = "ann", "bob"
	theEvent = 7
	theSeat  = "D7"
)

// shopOfTwo holds in Redis and sells in PostgreSQL.
type shopOfTwo struct {
	holds *redis
	sales *pgxpool.Pool
}

func newShopOfTwo(t *testing.T, args ...string) *shopOfTwo {
	t.Helper()
	r := startRedis(t, args...)
	if r == nil {
		t.Skip("redis-server is not installed: what two stores cost is not shown here")
	}
	s := &shopOfTwo{r, dbtest.New(t).Pool()}
	if _, err := s.sales.Exec(t.Context(), `CREATE TABLE sold (event bigint, seat text, customer text NOT NULL, PRIMARY KEY (event, seat))`); err != nil {
		t.Fatal(err)
	}
	return s
}

// hold promises the seat to a customer, or not.
func (s *shopOfTwo) hold(t *testing.T, customer string) bool {
	t.Helper()
	c := respTo(t, s.holds.addr)
	ok, err := c.hold(theEvent, theSeat, customer)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// holder is whose seat it is, as the shop asks before it takes money.
func (s *shopOfTwo) holder(t *testing.T) string {
	t.Helper()
	who, err := respTo(t, s.holds.addr).text("GET", seatKey(theEvent, theSeat))
	if err != nil {
		t.Fatal(err)
	}
	return who
}

// sell writes down a sale that was paid for; false: the seat is sold, the money is here.
func (s *shopOfTwo) sell(t *testing.T, customer string) bool {
	t.Helper()
	tag, err := s.sales.Exec(t.Context(), `INSERT INTO sold VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, theEvent, theSeat, customer)
	if err != nil {
		t.Fatal(err)
	}
	return tag.RowsAffected() == 1
}

// bothPaid is how each of these stories ends: both were promised the seat and paid.
func (s *shopOfTwo) bothPaid(t *testing.T) {
	t.Helper()
	if !s.sell(t, ann) {
		t.Fatal("Ann's sale was refused: nobody else has paid yet")
	}
	if s.holder(t) != bob {
		t.Fatalf("Redis says the seat is held by %q, not by Bob", s.holder(t))
	}
	if s.sell(t, bob) {
		t.Error("PostgreSQL sold the seat twice")
	}
}

func respTo(t *testing.T, addr string) *resp {
	t.Helper()
	c, err := dialResp(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// The usual way itself is right as long as nothing happens: one wins, nobody else can
// let go of it, and then it is the other's.
func TestTwoStores_WorkWhileNothingHappens(t *testing.T) {
	t.Parallel()
	s := newShopOfTwo(t, commonly...)
	if !s.hold(t, ann) || s.hold(t, bob) {
		t.Fatal("not exactly one of two got the seat")
	}
	c := respTo(t, s.holds.addr)
	for _, x := range []struct {
		who  string
		want bool
	}{{bob, false}, {ann, true}} {
		if ok, err := c.release(theEvent, theSeat, x.who); err != nil || ok != x.want {
			t.Errorf("%s lets go: %v, %v", x.who, ok, err)
		}
	}
	if !s.hold(t, bob) {
		t.Error("the seat is free and Bob does not get it")
	}
}

// The hold ends in Redis between the shop's last look and the commit in PostgreSQL: no
// lock spans the two.
func TestTwoStores_HoldEndsWhileThePaymentIsConfirmed(t *testing.T) {
	t.Parallel()
	s := newShopOfTwo(t, commonly...)
	if !s.hold(t, ann) || s.holder(t) != ann {
		t.Fatal("Ann does not hold the seat")
	}
	s.holds.with(t, "PEXPIRE", seatKey(theEvent, theSeat), "-1") // her ten minutes are over right after the look
	if !s.hold(t, bob) {
		t.Fatal("Bob is refused: the hold did not end")
	}
	s.bothPaid(t)
}

// As the package comes, Redis writes to the disk now and then: a restart forgets.
func TestTwoStores_RestartForgetsHolds(t *testing.T) {
	t.Parallel()
	s := newShopOfTwo(t) // "save 3600 1 300 100 60 10000", no file of changes
	if !s.hold(t, ann) {
		t.Fatal("Ann does not hold the seat")
	}
	s.holds.kill()
	s.holds.up(t)
	if !s.hold(t, bob) {
		t.Fatal("Bob is refused: the hold was kept")
	}
	s.bothPaid(t)
}

// With everysec the last second of the file may not be on the disk when the power goes:
// the file is then what it was before.
func TestTwoStores_PowerCutForgetsTheLastSecond(t *testing.T) {
	t.Parallel()
	s := newShopOfTwo(t, commonly...)
	files, err := filepath.Glob(filepath.Join(s.holds.dir, "appendonlydir", "*.incr.aof"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	before, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if !s.hold(t, ann) {
		t.Fatal("Ann does not hold the seat")
	}
	s.holds.kill()
	if after, err := os.ReadFile(files[0]); err != nil || bytes.Equal(before, after) {
		t.Fatal("the hold was never in the file", err)
	}
	if err := os.WriteFile(files[0], before, 0o600); err != nil { // what the disk has
		t.Fatal(err)
	}
	s.holds.up(t)
	if !s.hold(t, bob) {
		t.Fatal("Bob is refused: the hold was kept")
	}
	s.bothPaid(t)
}

// A replica follows a moment later than the answer to the customer: a failover in that
// moment loses what was acknowledged.
func TestTwoStores_FailoverLosesAnAcknowledgedHold(t *testing.T) {
	t.Parallel()
	s := newShopOfTwo(t, slices.Concat(commonly, []string{"--repl-diskless-sync-delay", "0"})...)
	line := newLine(t, s.holds.addr)
	host, port, _ := net.SplitHostPort(line.addr) // a listener's address has both
	second := startRedis(t, slices.Concat(commonly, []string{"--replicaof", host + " " + port})...)
	for began := time.Now(); !strings.Contains(respText(t, second, "INFO", "replication"), "master_link_status:up"); time.Sleep(5 * time.Millisecond) { // polling a start, not waiting for time
		if time.Since(began) > 20*time.Second {
			t.Fatal("the replica does not follow")
		}
	}
	line.cut.Store(true)
	if !s.hold(t, ann) {
		t.Fatal("Ann does not hold the seat")
	}
	s.holds.kill()
	second.with(t, "REPLICAOF", "NO", "ONE")
	s.holds = second
	if !s.hold(t, bob) {
		t.Fatal("Bob is refused: the hold was kept")
	}
	s.bothPaid(t)
}

// The end of a hold that is computed by a shop server is in the clock of that server: one
// that is eleven minutes behind makes holds of ten minutes that are over at once, and
// Redis says OK to each.
func TestTwoStores_AClockThatIsBehindHoldsNothing(t *testing.T) {
	t.Parallel()
	s := newShopOfTwo(t, commonly...)
	c := respTo(t, s.holds.addr)
	until := time.Now().Add(-11*time.Minute + 10*time.Minute).UnixMilli()
	if ok, err := c.text("SET", seatKey(theEvent, theSeat), ann, "NX", "PXAT", strconv.FormatInt(until, 10)); ok != "OK" || err != nil {
		t.Fatal(ok, err)
	}
	if !s.hold(t, bob) {
		t.Fatal("Bob is refused: the hold was kept")
	}
	s.bothPaid(t)
}

func respText(t *testing.T, r *redis, args ...string) string {
	t.Helper()
	text, err := respTo(t, r.addr).text(args...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// line is a cable between two servers; once cut, what is sent does not arrive.
type line struct {
	addr string
	cut  atomic.Bool
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	x := &line{addr: l.Addr().String()}
	go func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", to)
			if err != nil {
				_ = a.Close()
				continue
			}
			go x.carry(b, a)
			go x.carry(a, b)
		}
	}()
	return x
}

func (x *line) carry(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	_, _ = io.Copy(writer(func(p []byte) (int, error) {
		if x.cut.Load() {
			return len(p), nil
		}
		return to.Write(p)
	}), from)
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
