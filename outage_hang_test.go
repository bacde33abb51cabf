package main

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/db/dbtest"

	"github.com/jackc/pgx/v5/pgconn"
)

// wire is a way to the database that can be stopped: connections stay open and no byte
// goes through any more, as with a machine that hangs or a cable that is cut.
type wire struct {
	listener net.Listener
	target   *pgconn.Config
	mu       sync.Mutex
	open     chan struct{} // closed while bytes may pass
}

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	u, err := pgconn.ParseConfig(target)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, target: u, open: make(chan struct{})}
	close(w.open)
	t.Cleanup(func() { w.resume(); l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.carry(c)
		}
	}()
	return w
}

// url is the database's address by way of the wire.
func (w *wire) url() string {
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", url.UserPassword(w.target.User, w.target.Password), w.listener.Addr(), w.target.Database)
}

func (w *wire) dial() (net.Conn, error) {
	if strings.HasPrefix(w.target.Host, "/") { // a socket's folder
		return net.Dial("unix", fmt.Sprintf("%s/.s.PGSQL.%d", w.target.Host, w.target.Port))
	}
	return net.Dial("tcp", net.JoinHostPort(w.target.Host, strconv.Itoa(int(w.target.Port))))
}

func (w *wire) carry(c net.Conn) {
	defer c.Close()
	to, err := w.dial()
	if err != nil {
		return
	}
	defer to.Close()
	var done sync.WaitGroup
	pass := func(dst, src net.Conn) {
		defer func() { _ = dst.Close(); _ = src.Close() }()
		buf := make([]byte, 32<<10)
		for {
			n, err := src.Read(buf)
			w.wait()
			if n > 0 {
				if _, err := dst.Write(buf[:n]); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
	done.Go(func() { pass(to, c) })
	done.Go(func() { pass(c, to) })
	done.Wait()
}

func (w *wire) wait() {
	w.mu.Lock()
	open := w.open
	w.mu.Unlock()
	<-open
}

func (w *wire) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = make(chan struct{})
}

func (w *wire) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.open:
	default:
		close(w.open)
	}
}

// A database that neither answers nor closes its connections: every page is a 503 in
// words before the browser's patience is over, and when it goes on nothing is lost.
func TestOutage_DatabaseHangs(t *testing.T) {
	t.Parallel()
	direct := dbtest.URL(t)
	w := newWire(t, direct)
	d := dbtest.Open(t, direct, 8)
	ev := dbtest.Screening(t, d, 2, 8)
	shop := newWorld(t, nil, map[string]string{"DATABASE_URL": w.url()})
	shop.DB = d
	path := eventPath(ev.ID)
	held := shop.on(t)
	held.choose(path, "A1").want(303)
	stranger, paying := shop.browser(), shop.on(t)
	atStripe := paying.pay(paying.chosen(path, "A2"))

	w.stop()
	begin := time.Now()
	asks := []func() *page{
		func() *page { return stranger.get(shop.URL + "/") },
		func() *page {
			return shop.soonUnreachable(func() *page { return stranger.get(shop.URL + path) })
		},
		func() *page { return held.at("") },
		func() *page { return held.at("/review") },
		func() *page { return held.send("/extend", nil) },
		func() *page { return shop.on(t).seats(ev.ID, seatFields("B1")) },
		func() *page { return paying.at("/return") },
	}
	atOnce(len(asks), func(i int) { asks[i]().unreachablePage() })
	if took := time.Since(begin); took > 24*time.Second {
		t.Errorf("the pages answered after %s", took)
	}
	stranger.get(shop.URL + "/healthz").want(200)
	if p := stranger.get(shop.URL + "/readyz"); p.status != 503 {
		t.Errorf("ready without a database: %d", p.status)
	}
	w.resume()

	shop.eventuallySim("ready again", func() bool { return shop.browser().get(shop.URL+"/readyz").status == 200 })
	held.state("held")
	paying.paid(atStripe)
	held.paid(held.pay(held.details(nil)))
	shop.wantTickets(t, held.id(), "A1")
	shop.wantTickets(t, paying.id(), "A2")
	shop.clean()
}

// chosen is the review page of a new choice.
func (b *buyer) chosen(event string, seats ...string) *page {
	b.t.Helper()
	b.choose(event, seats...).want(303)
	return b.details(nil)
}
