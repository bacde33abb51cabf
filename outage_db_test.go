package main

import (
	"encoding/json"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/privpg"
	"holdfast/internal/stripesim"
)

// ownServer is a database server of the test's own, which can be stopped and started.
type ownServer struct {
	t   *testing.T
	dir string
	now *privpg.Server
}

func newServer(t *testing.T) *ownServer {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "holdfast-outage-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // PostgreSQL runs as another account when we are root
		t.Fatal(err)
	}
	s := &ownServer{t: t, dir: dir}
	t.Cleanup(func() { s.down(); _ = os.RemoveAll(dir) })
	s.up()
	return s
}

func (s *ownServer) up() {
	s.t.Helper()
	var err error
	s.now, err = privpg.Start(s.t.Context(), privpg.Options{Dir: filepath.Join(s.dir, "pg"), Settings: map[string]string{"fsync": "off", "max_connections": "60", "shared_buffers": "32MB"}})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *ownServer) down() {
	s.t.Helper()
	if err := s.now.Stop(); err != nil {
		s.t.Errorf("stop PostgreSQL: %v", err)
	}
}

// back starts the server again and waits until the program has noticed.
func (s *ownServer) back(w *world) {
	s.t.Helper()
	s.up()
	s.ready(w)
}

func (s *ownServer) ready(w *world) {
	s.t.Helper()
	w.DB.Pool().Reset() // the test's own connections to the server that is gone
	good := 0
	w.eventuallySim("ready again", func() bool {
		if good++; w.browser().get(w.URL+"/readyz").status != 200 {
			good = 0
		}
		return good == 10
	})
}

// onServer is a world on that server, with a screening of one row.
func onServer(t *testing.T, s *ownServer) (*world, dbtest.Event) {
	t.Helper()
	if err := db.Migrate(t.Context(), s.now.URL, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	d := dbtest.Open(t, s.now.URL, 4)
	ev := dbtest.Screening(t, d, 2, 8)
	w := newWorld(t, nil, map[string]string{"DATABASE_URL": s.now.URL})
	w.DB, w.databaseURL = d, s.now.URL
	return w, ev
}

// unreachable checks a 503 in words: never "expired", never "not found", nothing charged.
func (p *page) unreachable() *page {
	p.t.Helper()
	if p.status != 503 {
		p.t.Errorf("%s without a database: %d %.200s", p.url, p.status, p.text())
		return p
	}
	lower := strings.ToLower(p.text())
	for _, wrong := range []string{"expired", "has ended", "your hold ended", "not found", "sold out", "was just taken"} {
		if strings.Contains(lower, wrong) {
			p.t.Errorf("%s without a database says %q: %s", p.url, wrong, p.text())
		}
	}
	if p.header.Get("Retry-After") == "" && !strings.HasPrefix(p.header.Get("Content-Type"), "application/json") {
		p.t.Errorf("%s: 503 without Retry-After", p.url)
	}
	return p
}

// soonUnreachable asks for a seat map without a database. For five seconds it may be the
// one that was read last, then it must say that it cannot be read.
func (w *world) soonUnreachable(ask func() *page) *page {
	w.t.Helper()
	var p *page
	w.eventuallySim("a map that nobody can read any more is not shown", func() bool {
		p = ask()
		return p.status != 200 && p.status != 204
	})
	return p.unreachable()
}

func (p *page) unreachablePage() {
	p.t.Helper()
	if p.unreachable(); !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") || !strings.Contains(p.text(), "Nothing was charged") {
		p.t.Errorf("%s without a database is %s: %.200s", p.url, p.header.Get("Content-Type"), p.text())
	}
}

func (p *page) unreachableJSON() {
	p.t.Helper()
	var v map[string]any
	if p.unreachable(); json.Unmarshal([]byte(p.body), &v) != nil {
		p.t.Errorf("%s without a database is no JSON: %.200s", p.url, p.body)
	}
}

// PostgreSQL stops in the middle of every step of a purchase: each page says so, nobody
// loses seats or money, and when it is back everything goes on in the same program.
func TestOutage_DatabaseInEveryStep(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w, ev := onServer(t, s)
	path := eventPath(ev.ID)

	choosing, held, reviewing, paying, paid := w.on(t), w.on(t), w.on(t), w.on(t), w.on(t)
	seatPage := choosing.get(w.URL + path).want(200)
	held.choose(path, "A1").want(303)
	reviewing.choose(path, "A2").want(303)
	review := reviewing.details(nil)
	paying.choose(path, "A3").want(303)
	open := paying.pay(paying.details(nil))
	paid.choose(path, "A4").want(303)
	atStripe := paid.pay(paid.details(nil))
	booked := w.on(t).buys(path, "A5")
	sessions := len(w.Sim.Sessions())

	s.down()
	w.browser().get(w.URL + "/healthz").want(200)
	w.browser().get(w.URL + "/readyz").unreachableJSON()
	for _, b := range []*buyer{w.on(t), held} { // a stranger, and somebody with a session
		b.get(w.URL + "/").unreachablePage()
		b.post(w.URL+"/find", url.Values{"reference": {"AAA-AAA"}, "email": {"a@example.com"}}).unreachablePage()
		b.get(booked.url.String()).unreachablePage()
		b.post(w.URL+path+"/best", url.Values{"quantity": {"2"}}).unreachablePage()
		w.soonUnreachable(func() *page { return b.get(w.URL + path + "/seats?v=1") })
	}
	choosing.submit(seatPage, seatPage.form("/holds"), seatFields("B1", "B2"), "").unreachablePage()
	for _, b := range []*buyer{held, reviewing, paying, paid} {
		b.at("").unreachablePage()
		b.at("/review").unreachablePage()
		b.at("/clock").unreachableJSON()
		b.at("/return").unreachablePage()
		for _, rest := range []string{"/details", "/extend", "/release", "/pay"} {
			b.send(rest, url.Values{"name": {"N"}, "email": {"n@example.com"}}).unreachablePage()
		}
	}
	reviewing.submit(review, review.form("/pay"), nil, "").unreachablePage()
	back := paid.submit(atStripe, atStripe.form(atStripe.url.Path), nil, "action=pay").want(303) // Stripe works
	paid.get(back.location).unreachablePage()
	if n := len(w.Sim.Sessions()); n != sessions {
		t.Errorf("%d sessions were made without a database", n-sessions)
	}
	w.eventuallySim("webhooks were refused with 5xx", func() bool {
		last := w.Sim.Events()[len(w.Sim.Events())-1]
		return len(last.Sends) > 0 && last.Sends[0].Status >= 500
	})

	s.back(w)
	for _, b := range []*buyer{held, reviewing} {
		b.state("held")
	}
	paying.state("paying")
	choosing.submit(seatPage, seatPage.form("/holds"), seatFields("B1", "B2"), "").want(303)
	paid.follow(paid.at("/return").want(303)).want(200).says("You are booked")
	paying.paid(open)
	reviewing.paid(reviewing.pay(review))
	held.paid(held.pay(held.details(nil)))
	for b, seat := range map[*buyer]string{held: "A1", reviewing: "A2", paying: "A3", paid: "A4"} {
		w.wantTickets(t, b.id(), seat)
		w.wantTaken(t, b.id(), 1000)
	}
	w.browser().get(booked.url.String()).want(200)
	w.clean()
}

// The database goes away between Stripe's answer and our commit, and a hold whose time
// ran out meanwhile is told the truth only when it can be read again.
func TestOutage_HoldRunsOutMeanwhile(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w, ev := onServer(t, s)
	b, next := w.on(t), w.on(t)
	session := b.paying(eventPath(ev.ID), "A1")
	w.Sim.SetFaults(stripesim.Faults{{Kind: stripesim.WebhookLost}})
	w.late(b.id(), 1)
	s.down()
	b.at("").unreachablePage()
	if err := w.Sim.Pay(session); err != nil {
		t.Fatal(err)
	}
	b.at("/return").unreachablePage()
	next.seats(ev.ID, seatFields("A1")).unreachablePage()
	s.back(w)
	next.seats(ev.ID, seatFields("A1")).refusal([]string{"A1"})
	b.follow(b.at("/return").want(303)).want(200).says("You are booked")
	w.wantTickets(t, b.id(), "A1")
	w.clean()
}

// The program outlives a database that restarts under load: every answer is 503 or right.
func TestOutage_RestartUnderLoad(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	w, ev := onServer(t, s)
	atOnce(5, func(i int) {
		if i == 0 {
			s.down()
			s.up()
			return
		}
		b := w.on(t)
		for _, seat := range ev.Seats[4*(i-1) : 4*i] {
			for done := false; !done; {
				p := b.seats(ev.ID, seatFields(seat))
				if done = p.status == 303; !done {
					p.unreachablePage()
				}
				if t.Failed() {
					return
				}
			}
		}
	})
	s.ready(w)
	w.wantCount(t, 4, "event_seats WHERE state = 'held'")
	w.clean()
}
