package rush

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"holdfast/internal/apptest"
)

// leaders are the terms of those who led the periodic jobs.
type leaders struct {
	mu    sync.Mutex
	last  string
	terms int
}

func (l *leaders) saw(term string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if term != l.last {
		l.last = term
		l.terms++
	}
}

// watch weighs the processes and looks who leads, until ctx ends.
func (w *world) watch(ctx context.Context) {
	for ; ctx.Err() == nil; pause(ctx, 200*time.Millisecond) {
		for _, x := range w.processes {
			x.weigh()
		}
		var term string
		err := w.db.Pool().QueryRow(ctx, `SELECT leader_id || ' since ' || elected_at FROM river_leader`).Scan(&term)
		if err == nil {
			w.lead.saw(term)
		}
	}
}

// periodicOnce: every periodic job was started at the beginning of a leader's term and
// then in its own time, however many processes there are.
func (w *world) periodicOnce() (bad []string) {
	w.lead.mu.Lock()
	terms := w.lead.terms
	w.lead.mu.Unlock()
	if terms == 0 {
		return []string{"nobody ever led"}
	}
	minutes := int(time.Since(w.began) / time.Minute)
	for kind, most := range map[string]int{"sweep": terms + minutes + w.sweeps, "manifests": terms + minutes, "reconcile": terms, "audit": terms} {
		n, _ := strconv.Atoi(w.ask(`SELECT count(*)::text FROM river_job WHERE kind = $1`, kind)[0][0]) // it is a number
		if n < 1 || n > most {
			bad = append(bad, fmt.Sprintf("%s ran %d times in %d terms and %d minutes", kind, n, terms, minutes))
		}
	}
	return bad
}

// convergence: what is sold, or let go, through one process shows on the page of every
// other one. Each pair is tried with a stranger, whose page may come ready from memory,
// and with somebody who has a cookie.
func (w *world) convergence() (bad []string) {
	d := w.dice(9)
	for i, a := range w.processes {
		b := w.processes[(i+1)%len(w.processes)]
		for _, known := range []bool{false, true} {
			if !w.p.durable && known != (i%2 == 1) {
				continue // the short form tries one of the two for each pair
			}
			took, err := w.oneWay(a, b, known, d.Uint64())
			if w.slowest = max(w.slowest, took); err != nil {
				bad = append(bad, err.Error())
			} else if took > w.p.converge {
				bad = append(bad, fmt.Sprintf("%s shows only after %s what %s has sold", b.url(), took.Round(time.Millisecond), a.url()))
			}
		}
	}
	return bad
}

// oneWay is the longer of the times until a seat is taken, and free again, on b's page.
func (w *world) oneWay(a, b *process, known bool, luck uint64) (time.Duration, error) {
	ctx := w.t.Context()
	buyer, looker := w.browser(len(w.browsers)+1), w.browser(len(w.browsers)+2)
	at := fmt.Sprintf("/events/%d", w.calmOne.ID)
	buyer.open(ctx, a.url()+at)
	looker.open(ctx, b.url()+at)
	if len(buyer.offer) < 2 || len(looker.offer) < 2 {
		return 0, fmt.Errorf("no seats on offer on %s", at)
	}
	seat := buyer.offer[int(luck%uint64(len(buyer.offer)-1))]
	if known { // a hold of one's own, on another seat
		f := looker.last.Form("/holds")
		f.Values.Set("seat", buyer.offer[len(buyer.offer)-1])
		looker.submit(ctx, f)
	}
	f := buyer.last.Form("/holds")
	f.Values.Set("seat", seat)
	if buyer.submit(ctx, f); buyer.hold == "" {
		return 0, fmt.Errorf("a free seat could not be held: %s", buyer.last.Words())
	}
	taken, err := w.shows(looker, b.url()+at, seat, false)
	if err != nil {
		return 0, err
	}
	for _, x := range []*browser{buyer, looker} {
		if f := x.last.Form("/release"); f != nil {
			x.submit(ctx, f)
		}
	}
	free, err := w.shows(looker, b.url()+at, seat, true)
	return max(taken, free), err
}

// shows loads the page until the seat is on offer, or is not.
func (w *world) shows(b *browser, address, seat string, offered bool) (time.Duration, error) {
	began := time.Now()
	for time.Since(began) < 15*time.Second {
		p, err := b.send(w.t.Context(), "GET", address, nil)
		if err != nil {
			return 0, err
		}
		f := p.Form("/holds")
		if f == nil {
			f = &apptest.Form{}
		}
		if on := len(without(f.Seats, seat)) < len(f.Seats); on == offered {
			return time.Since(began), nil
		}
		pause(w.t.Context(), 20*time.Millisecond) // polling: that is what is measured
	}
	return 0, fmt.Errorf("%s does not show after 15 s that %s is free=%v", address, seat, offered)
}
