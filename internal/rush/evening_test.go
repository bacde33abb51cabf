package rush

import (
	"context"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// people invites everybody.
func (w *world) people() {
	for n := range w.p.browsers + w.p.beside {
		b := w.browser(n)
		b.want, b.kind = 1+b.d.IntN(4), b.dice()
		if n >= w.p.browsers {
			b.calm, b.event, b.want, b.kind = true, w.calmOne.ID, 1+b.d.IntN(2), buyer
		}
		w.browsers = append(w.browsers, b)
	}
}

func (b *browser) dice() kind { return kindOf(b.d, b.n) }

// kindOf makes sure that there is one of every kind among the first few.
func kindOf(d *rand.Rand, n int) kind {
	kinds := []kind{quitter, letsGo, late, twice, changer, waverer, vanisher}
	if n < len(kinds) {
		return kinds[n]
	}
	if i := d.IntN(100) / 5; i < len(kinds) { // 5 of 100 each
		return kinds[i]
	}
	return buyer
}

// evening opens the event at T0 and returns when everybody has gone home.
func (w *world) evening() {
	w.people()
	ctx, cancel := context.WithTimeout(w.t.Context(), w.p.last)
	defer cancel()
	w.opened = time.Now().Add(w.p.arrive / 4) // some are early
	var people, others sync.WaitGroup
	for _, b := range w.browsers {
		arrive := w.opened.Add(-w.p.arrive / 4).Add(between(b.d, 0, w.p.arrive))
		b.press = arrive.Add(between(b.d, w.p.press/4, w.p.press))
		if earliest := w.opened.Add(w.p.press / 4); b.press.Before(earliest) {
			b.press = earliest
		}
		people.Go(func() { pause(ctx, time.Until(arrive)); b.live(ctx) })
	}
	background, stop := context.WithCancel(ctx)
	others.Go(func() { w.clock(background) })
	if w.p.kill {
		others.Go(func() { w.killOne(background) })
	}
	pause(ctx, time.Until(w.opened))
	w.exec(`UPDATE events SET status = 'published' WHERE id = $1`, w.hot.ID)
	people.Wait()
	stop()
	others.Wait()
}

// killOne ends a process with SIGKILL while people choose and pay, and starts it again a
// little later, as a platform does.
func (w *world) killOne(ctx context.Context) {
	until := w.p.press + 2*w.p.think // the first have come to Stripe
	pause(ctx, time.Until(w.opened)+until)
	x := w.processes[w.dice(7).IntN(len(w.processes))]
	x.weigh()
	x.end(syscall.SIGKILL)
	w.killed = time.Now()
	w.add("killed")
	pause(ctx, until/2)
	if err := x.start(); err != nil {
		w.wrong("process", "it does not start again: %v", err)
		return
	}
	if err := x.ready(w.t.Context()); err != nil {
		w.wrong("process", "%v", err)
	}
}

// timeEnds brings a hold's countdown to its end, as time itself would. Seats with a
// payment page open do not run out by time alone.
func (w *world) timeEnds(ctx context.Context, hold string) {
	err := pgx.BeginFunc(ctx, w.db.Pool(), func(tx pgx.Tx) error {
		var paying bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM payments p WHERE p.hold_id = h.id AND p.state IN ('creating', 'open'))
			FROM holds h WHERE h.id = $1 AND h.state = 'active' FOR UPDATE OF h`, hold).Scan(&paying)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE holds SET expires_at = now() - interval '1 second' WHERE id = $1`, hold); err != nil || paying {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE event_seats SET held_until = now() - interval '1 second' WHERE hold_id = $1 AND state = 'held'`, hold)
		return err
	})
	if err == nil {
		w.add("time of a hold ended")
	}
}

// clock lets the time of holds end that nobody minds any more: of people who left, and of
// first clicks whose answer nobody read.
func (w *world) clock(ctx context.Context) {
	for ; ctx.Err() == nil; pause(ctx, w.p.abandoned/4) {
		rows, err := w.db.Pool().Query(ctx, `SELECT id::text FROM holds WHERE state = 'active' AND created_at < now() - $1::interval AND expires_at > now()`, w.p.abandoned)
		if err != nil {
			continue // ctx has ended
		}
		holds, _ := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, hold := range holds {
			if _, minded := w.lives.Load(hold); !minded {
				w.timeEnds(ctx, hold)
			}
		}
	}
}
