package bench

import (
	"sync/atomic"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
)

// How a crowd spreads over events.
const (
	hallRows = 20
	hallCols = 100 // 2,000 seats: a large house
	halls    = 8
	buses    = 16
)

// BenchmarkClaims compares seats held over HTTP, each by a visitor whom the shop has
// never seen, with pgbench's bare single UPDATE of a seat row on the same database, with
// the same number of clients; and with Redis, alone and with a small handler before it.
// Spread: each client on an event of its own. Hot: all on one event, and when its 2,000
// seats are gone, on the next.
func BenchmarkClaims(b *testing.B) {
	var hot, spread []dbtest.Event
	r := start(b, func(d *db.DB) {
		for range halls + 1 {
			hot = append(hot, dbtest.Screening(b, d, hallRows, hallCols))
		}
		for range 2 * buses {
			spread = append(spread, dbtest.Screening(b, d, 10, 100))
		}
	})
	if !consecutive(spread) {
		b.Fatal("the events' ids are not in a row")
	}
	sixteen := r.serve(b, 16)
	rd := startRedis(b, commonly...)
	front := child(b, "front", "DATABASE_URL="+r.databaseURL, "REDIS_ADDR="+rd.address())
	for _, c := range []struct {
		name    string
		clients int
		hot     bool
	}{{"16 clients, spread", 16, false}, {"200 clients, one hot event", 200, true}, {"200 clients, spread", 200, false}} {
		b.Run(name(c.name), func(b *testing.B) {
			p := &seatPicker{events: spread[:buses], clients: c.clients}
			others, seats := spread[buses:], 100
			if c.hot {
				p = &seatPicker{events: hot[:halls], clients: c.clients, one: true}
				others, seats = hot[halls:], hallCols
			}
			claims := func(name, prefix string, at process) side {
				return side{name, func(d time.Duration) (tally, error) { return browsers(c.clients, d, at, 303, p.claim(prefix)) }}
			}
			sides := []side{
				bare(b, r.databaseURL, c.clients, seats, "", others...), claims("Holdfast, pool 12", "", r.process), claims("Holdfast, pool 16", "", sixteen.process),
			}
			if c.hot || c.clients == 16 { // the time is better spent on these
				sides = append(sides, bareHold(b, r.databaseURL, c.clients, seats, others...), claims("small handler, whole hold", "/hold", front))
				sides = append(sides, rd.claims(c.clients, p, front)...)
			}
			contest(b, "claims, "+c.name, func() {
				r.exec(b, `UPDATE event_seats SET state = 'available', hold_id = NULL, held_until = NULL WHERE state = 'held'`)
				r.exec(b, `VACUUM event_seats`)
				rd.forget(b)
				p.reset()
			}, sides...)
		})
	}
}

// seatPicker gives each claim a seat that nobody has had since the last reset.
type seatPicker struct {
	events  []dbtest.Event
	clients int
	one     bool // one event after the other
	next    [256]atomic.Int64
}

func (p *seatPicker) reset() {
	for i := range p.next {
		p.next[i].Store(0)
	}
}

// pick answers false when everything is taken.
func (p *seatPicker) pick(worker int) (event int64, seat string, ok bool) {
	if p.one {
		i := int(p.next[0].Add(1)) - 1
		e := i / (hallRows * hallCols)
		if e >= len(p.events) {
			return 0, "", false
		}
		return p.events[e].ID, p.events[e].Seats[i%(hallRows*hallCols)], true
	}
	e := worker % len(p.events)
	i := int(p.next[e].Add(1)) - 1
	if i >= len(p.events[e].Seats) {
		return 0, "", false
	}
	return p.events[e].ID, p.events[e].Seats[i], true
}

func (p *seatPicker) claim(prefix string) func(int) []byte {
	return func(w int) []byte {
		event, seat, ok := p.pick(w)
		if !ok {
			return nil
		}
		return claimRequest(prefix, event, seat)
	}
}
