package booking

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
)

// Two processes, each with its own groups, and two hundred newcomers who want overlapping
// seats: every seat ends with one of them, everybody hears yes or which seats are gone.
func TestFirstHoldsOfManyInTwoProcesses(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	var shops []*Service
	var d *db.DB
	for range 2 {
		d = dbtest.Open(t, url, 6)
		shops = append(shops, New(d, Config{Log: quiet}))
	}
	ev := dbtest.Screening(t, d, 6, 10)
	o, err := shops[0].Offer(t.Context(), ev.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	var won, lost atomic.Int64
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range 200 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 3))
			var seats []string
			for range 1 + rng.IntN(3) {
				seats = append(seats, ev.Seats[rng.IntN(len(ev.Seats))])
			}
			<-start
			id, err := shops[i%2].Choose(t.Context(), o, Visitor{Holder: domain.Holder(fmt.Sprintf("web:%d", i)), New: true}, slices.Clone(seats))
			var conflict *domain.SeatConflict
			switch {
			case err == nil && id != "":
				won.Add(1)
			case errors.As(err, &conflict) && len(conflict.Lost) > 0:
				lost.Add(1)
			case errors.Is(err, domain.ErrBusy): // free again when looked at: said so
			default:
				t.Errorf("choice %d of %v: %q, %v", i, seats, id, err)
			}
		})
	}
	close(start)
	all.Wait()
	var held, booked int
	if err := d.Pool().QueryRow(t.Context(), `SELECT (SELECT count(*) FROM event_seats WHERE state = 'held'), (SELECT count(*) FROM hold_seats)`).Scan(&held, &booked); err != nil {
		t.Fatal(err)
	}
	if held != booked || won.Load() == 0 || lost.Load() == 0 {
		t.Errorf("%d seats held for %d in holds; %d won, %d lost", held, booked, won.Load(), lost.Load())
	}
	for _, s := range shops {
		s.firsts.mu.Lock()
		if n := len(s.firsts.lines); n != 0 {
			t.Errorf("%d lines are still open", n)
		}
		s.firsts.mu.Unlock()
	}
}

// A group has no seat twice, keeps the order of arrival and is alike; the rest stays.
func TestFirstHoldsAreGrouped(t *testing.T) {
	t.Parallel()
	ask := func(id string, plan int64, seats ...string) *first {
		f := &first{hold: db.FirstHold{NewHold: db.NewHold{ID: id}, Plan: plan}}
		for _, no := range seats {
			f.lines = append(f.lines, domain.HoldSeat{SeatNo: no})
		}
		return f
	}
	l := &line{waiting: []*first{ask("a", 1, "A1", "A2"), ask("b", 1, "A2", "A3"), ask("c", 1, "A3"), ask("d", 2, "B1"), ask("e", 1, "B2")}}
	for i := range maxTogether {
		l.waiting = append(l.waiting, ask(fmt.Sprint(i), 1, fmt.Sprint("C", i)))
	}
	var groups []string
	total := 0
	for len(l.waiting) > 0 {
		names, seats := "", map[string]bool{}
		group := l.take()
		if len(group) == 0 || len(group) > maxTogether {
			t.Fatalf("a group of %d", len(group))
		}
		for _, f := range group {
			names, total = names+f.hold.ID+" ", total+1
			if f.hold.Plan != group[0].hold.Plan {
				t.Errorf("%s is in a group of another plan", f.hold.ID)
			}
			for _, s := range f.lines {
				if seats[s.SeatNo] {
					t.Errorf("%s is twice in a group", s.SeatNo)
				}
				seats[s.SeatNo] = true
			}
		}
		groups = append(groups, names)
	}
	if total != 5+maxTogether || groups[0][:8] != "a c e 0 " || groups[1][:2] != "b " {
		t.Errorf("%d in groups %q", total, groups)
	}
}

// A seat whose row somebody has locked keeps its own claimer waiting, and those who come
// meanwhile have theirs as soon as it is decided.
func TestFirstHoldsBehindASlowOne(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 1, 6)
	s := New(d, Config{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	o, err := s.Offer(t.Context(), ev.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := d.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT 1 FROM event_seats WHERE seat_no = 'A1' FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i, no := range []string{"A1", "A2", "A3"} {
		all.Go(func() {
			if _, err := s.Choose(t.Context(), o, Visitor{Holder: domain.Holder(fmt.Sprint("web:", no)), New: true}, []string{no}); err != nil {
				t.Errorf("%s: %v", no, err)
			}
		})
		for i == 0 && !s.firsts.busy() {
			time.Sleep(time.Millisecond) // until the first is under way
		}
	}
	_ = tx.Rollback(t.Context())
	all.Wait()
}

func (q *firsts) busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.lines) > 0
}
