package waitroom_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
	"holdfast/internal/waitroom"
)

func service(d *db.DB) *waitroom.Service {
	return waitroom.New(d, slog.New(slog.DiscardHandler))
}

func exec(t *testing.T, d *db.DB, sql string, args ...any) {
	t.Helper()
	if _, err := d.Pool().Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

func one[T any](t *testing.T, d *db.DB, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := d.Pool().QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	return v
}

func token(n int) []byte { return waitroom.Token(fmt.Sprint("browser ", n)) }

// plan is a room that opens in an hour and hands out as fast as it may.
func plan(t *testing.T, s *waitroom.Service, event int64, most int) {
	t.Helper()
	now, err := s.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = s.Put(t.Context(), domain.By{Actor: "system"}, event, waitroom.Plan{OpensAt: now.Add(time.Hour), MaxActive: most, PerSecond: 1000, Turn: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWaitroom_FourProcesses: 1,500 people come before the opening and 400 while four
// processes hand out 50 turns at a time. Never more than 50 have one, nobody has one
// before the opening, the early ones come by lot, all before the late ones, the late ones
// in their order, and everybody comes once.
func TestWaitroom_FourProcesses(t *testing.T) {
	t.Parallel()
	const early, late, most = 1500, 400, 50
	url := dbtest.URL(t)
	d := dbtest.Open(t, url, 12)
	ev := dbtest.Screening(t, d, 2, 4)
	var processes []*waitroom.Service
	for range 4 {
		processes = append(processes, service(dbtest.Open(t, url, 4)))
	}
	plan(t, processes[0], ev.ID, most)
	for _, s := range processes { // a process learns of a room within a second; here at once
		if _, err := s.Look(t.Context(), ev.ID, nil, true); err != nil {
			t.Fatal(err)
		}
	}
	join := func(n int) {
		if err := processes[n%4].Join(t.Context(), ev.ID, token(n), ""); err != nil {
			t.Error(err)
		}
	}
	var coming sync.WaitGroup
	for first := range 8 {
		coming.Go(func() {
			for n := first; n < early; n += 8 {
				join(n)
			}
		})
	}
	coming.Wait()
	for _, s := range processes {
		if n, err := s.Tick(t.Context(), ev.ID); n != 0 || err != nil {
			t.Fatalf("before the opening %d came in, %v", n, err)
		}
	}
	exec(t, d, `UPDATE waitrooms SET opens_at = now() WHERE event_id = $1`, ev.ID)

	var worst, in atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var running, joining sync.WaitGroup
	for _, s := range processes {
		running.Go(func() {
			for ctx.Err() == nil {
				n, err := s.Tick(t.Context(), ev.ID)
				if err != nil {
					t.Error(err)
					return
				}
				in.Add(int64(n))
			}
		})
	}
	running.Go(func() { // looks, and ends some turns by moving their time
		for ctx.Err() == nil {
			now := one[int64](t, d, `SELECT count(*) FROM waitroom_entries WHERE event_id = $1 AND state = 'admitted'`, ev.ID)
			worst.Store(max(worst.Load(), now))
			exec(t, d, `UPDATE waitroom_entries SET expires_at = now() WHERE token_hash IN (
				SELECT token_hash FROM waitroom_entries WHERE event_id = $1 AND state = 'admitted' AND random() < 0.6 FOR UPDATE SKIP LOCKED)`, ev.ID)
		}
	})
	joining.Go(func() {
		for n := range late {
			join(early + n)
		}
	})
	joining.Wait()
	deadline := time.Now().Add(60 * time.Second)
	for in.Load() < early+late && time.Now().Before(deadline) && !t.Failed() {
		time.Sleep(5 * time.Millisecond) // polling other goroutines, not waiting for time
	}
	stop()
	running.Wait()

	if in.Load() != early+late {
		t.Errorf("%d came in, want each of %d once", in.Load(), early+late)
	}
	if worst.Load() > most || worst.Load() < most/2 {
		t.Errorf("%d had a turn at once, want at most %d, and about that many", worst.Load(), most)
	}
	if n := one[int](t, d, `SELECT count(*) FROM (SELECT min(rank) AS low, lag(max(rank)) OVER (ORDER BY admitted_at) AS before FROM waitroom_entries GROUP BY admitted_at) x WHERE low < before`); n != 0 {
		t.Errorf("%d times somebody came before the ones ahead", n)
	}
	if n := one[int](t, d, `SELECT count(*) FROM (SELECT rank, lag(rank) OVER (ORDER BY joined_at) AS before FROM waitroom_entries WHERE rank >= 1000000000) x WHERE rank < before`); n != 0 {
		t.Errorf("%d late ones overtook", n)
	}
	if n := one[int](t, d, `SELECT count(*) FROM waitroom_entries e JOIN waitrooms r USING (event_id) WHERE e.admitted_at < r.opens_at`); n != 0 {
		t.Errorf("%d came in before the opening", n)
	}
	if n := one[int](t, d, `SELECT count(*) FROM waitroom_entries WHERE rank < 1000000000`); n != early {
		t.Errorf("%d are in the draw, want %d", n, early)
	}
	r := one[float64](t, d, `SELECT corr(n, rank) FROM (SELECT rank, row_number() OVER (ORDER BY joined_at) AS n FROM waitroom_entries WHERE rank < 1000000000) x`)
	if math.Abs(r) >= 0.1 {
		t.Errorf("the draw goes by who came first: correlation %.3f", r)
	}
	t.Logf("%d at once at most, correlation of joining and rank among the early %.3f", worst.Load(), r)
}

// TestWaitroom_LookAlikeLoses is the control: a tick that reads how many turns are left
// and then hands them out, without the room's lock, hands out the same ones twice.
func TestWaitroom_LookAlikeLoses(t *testing.T) {
	t.Parallel()
	const most = 10
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 2, 4)
	s := service(d)
	plan(t, s, ev.ID, most)
	for n := range 3 * most {
		if err := s.Join(t.Context(), ev.ID, token(n), ""); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, d, `UPDATE waitrooms SET opens_at = now() WHERE event_id = $1`, ev.ID)
	var both sync.WaitGroup // the barrier: both have read before either writes
	both.Add(2)
	var done sync.WaitGroup
	turn := make(chan struct{}, 1)
	turn <- struct{}{}
	for range 2 {
		done.Go(func() {
			left := one[int](t, d, `SELECT max_active - (SELECT count(*) FROM waitroom_entries WHERE event_id = $1 AND state = 'admitted') FROM waitrooms WHERE event_id = $1`, ev.ID)
			both.Done()
			both.Wait()
			<-turn
			exec(t, d, `UPDATE waitroom_entries SET state = 'admitted', admitted_at = now(), expires_at = now() + interval '1 minute'
				WHERE token_hash IN (SELECT token_hash FROM waitroom_entries WHERE event_id = $1 AND state = 'waiting' ORDER BY rank LIMIT $2)`, ev.ID, left)
			turn <- struct{}{}
		})
	}
	done.Wait()
	if n := one[int](t, d, `SELECT count(*) FROM waitroom_entries WHERE state = 'admitted'`); n <= most {
		t.Errorf("the look-alike kept to %d of %d: this test cannot tell it from ours", n, most)
	}
	// The real one, from there: it lets nobody in until there is room again.
	if n, err := s.Tick(t.Context(), ev.ID); n != 0 || err != nil {
		t.Errorf("with too many inside the tick let %d in, %v", n, err)
	}
}

// TestWaitroom_LockedRoomIsLeft: a process that finds another at the room leaves at once,
// and people who join neither wait for that one nor keep anybody out.
func TestWaitroom_LockedRoomIsLeft(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 2, 4)
	s := service(d)
	plan(t, s, ev.ID, 5)
	exec(t, d, `UPDATE waitrooms SET opens_at = now() WHERE event_id = $1`, ev.ID)
	if err := s.Join(t.Context(), ev.ID, token(1), ""); err != nil {
		t.Fatal(err)
	}
	err := d.InTx(t.Context(), func(tx *db.Tx) error { // the other process, in the middle of its tick
		if n, err := tx.TickWaitRoom(t.Context(), ev.ID); n != 1 || err != nil {
			t.Errorf("the first process let %d in, %v", n, err)
		}
		if n, err := s.Tick(t.Context(), ev.ID); n != 0 || err != nil {
			t.Errorf("the second let %d in, %v", n, err)
		}
		return s.Join(t.Context(), ev.ID, token(2), "")
	})
	if err != nil {
		t.Fatal(err)
	}
	// The other way round: a join that is not committed does not stop the tick.
	err = d.InTx(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.JoinLine(t.Context(), db.NewWaiter{EventID: ev.ID, TokenHash: token(3), Here: time.Minute}); err != nil {
			return err
		}
		if n, err := s.Tick(t.Context(), ev.ID); n != 1 || err != nil {
			t.Errorf("beside a join the tick let %d in, want the one who waits, %v", n, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWaitroom_AddressJoinsFollowOneAnother: two joins of one address cannot both be the
// last that its limit allows. The second waits for the first and then finds it there.
func TestWaitroom_AddressJoinsFollowOneAnother(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 2, 4)
	s := service(d)
	plan(t, s, ev.ID, 5)
	exec(t, d, `UPDATE waitrooms SET per_address = 1 WHERE event_id = $1`, ev.ID)
	second := make(chan error, 1)
	err := d.InTx(t.Context(), func(tx *db.Tx) error { // the first, not committed yet
		if err := tx.LockWaitAddress(t.Context(), ev.ID, []byte("address")); err != nil {
			return err
		}
		if _, err := tx.JoinLine(t.Context(), db.NewWaiter{EventID: ev.ID, TokenHash: token(1), AddressHash: []byte("address"), Here: time.Minute}); err != nil {
			return err
		}
		go func() { second <- s.Join(t.Context(), ev.ID, token(2), "address") }()
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) { // polling the server
			if one[bool](t, d, `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`) {
				return nil
			}
			select {
			case err := <-second:
				second <- err
				return nil
			default:
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-second; !errors.Is(err, waitroom.ErrFull) {
		t.Errorf("the second of an address with one place: %v, want %v", err, waitroom.ErrFull)
	}
}
