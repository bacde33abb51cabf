package schedule_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
	"holdfast/internal/schedule"
)

// Many managers save the same open list at the same moment: one is first, the others are
// told, and the log has exactly the stored change. The look-alike that only reads the
// revision lets everybody overwrite everybody.
func TestFaresOneOfManyManagers(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 1, 2)
	s := schedule.New(d)
	tariff := value[int64](t, d, `SELECT tariff_id FROM events WHERE id = $1`, ev.ID)
	key := schedule.PriceKey{Zone: 1, Type: "adult", From: 0, To: 1}
	const many = 8
	save := func(n int, revision int) error {
		return s.SavePrices(t.Context(), domain.By{Actor: "staff:" + strconv.Itoa(n)}, schedule.PriceChange{
			Tariff: tariff, Revision: revision, Typed: map[schedule.PriceKey]string{key: strconv.Itoa(20 + n)},
		})
	}
	stored := together(many, func(n int, _ *sync.WaitGroup) error { return save(n, 1) })
	var won []int
	for n, err := range stored {
		switch {
		case err == nil:
			won = append(won, n)
		case !errors.Is(err, domain.ErrStale):
			t.Errorf("manager %d: %v", n, err)
		}
	}
	price := value[int64](t, d, `SELECT price FROM fares WHERE tariff_id = $1 AND ticket_type = 'adult' AND zone_no = 1`, tariff)
	if len(won) != 1 || price != int64(2000+100*won[0]) {
		t.Errorf("stored by %v, the price is %d", won, price)
	}
	if got := value[int64](t, d, `SELECT count(*) FROM audit_log WHERE action = 'prices_changed' AND (after->>'zone 1, adult, 0-1')::bigint = $1`, price); got != 1 {
		t.Errorf("%d lines in the log say so", got)
	}

	// The control: everybody reads before anybody writes.
	overwrote := 0
	for _, err := range together(many, func(n int, read *sync.WaitGroup) error { return looksFirst(t.Context(), d, tariff, n, read) }) {
		if err == nil {
			overwrote++
		}
	}
	if overwrote < 2 {
		t.Errorf("the control must overwrite, or this test shows nothing: %d wrote", overwrote)
	}
}

// looksFirst checks the revision and writes later.
func looksFirst(ctx context.Context, d *db.DB, tariff int64, n int, read *sync.WaitGroup) error {
	var revision int
	err := d.Pool().QueryRow(ctx, `SELECT revision FROM tariffs WHERE id = $1`, tariff).Scan(&revision)
	read.Done()
	read.Wait()
	if err != nil || revision != 2 {
		return errors.Join(err, domain.ErrStale)
	}
	_, err = d.Pool().Exec(ctx, `UPDATE fares SET price = $2 WHERE tariff_id = $1`, tariff, 3000+n)
	return errors.Join(err, exec(ctx, d, `UPDATE tariffs SET revision = revision + 1 WHERE id = $1`, tariff))
}

func exec(ctx context.Context, d *db.DB, sql string, args ...any) error {
	_, err := d.Pool().Exec(ctx, sql, args...)
	return err
}

// together runs the same act many times at once; read is a barrier for those who want it.
func together(many int, act func(n int, read *sync.WaitGroup) error) []error {
	out := make([]error, many)
	var start, read, done sync.WaitGroup
	start.Add(1)
	read.Add(many)
	for n := range many {
		done.Go(func() {
			start.Wait()
			out[n] = act(n, &read)
		})
	}
	start.Done()
	done.Wait()
	return out
}

func value[T any](t *testing.T, d *db.DB, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := d.Pool().QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	return v
}

// The price of each currency is checked where it is stored, whatever form it came from.
func TestP15_EachCurrencyWhenStored(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ev := dbtest.Screening(t, d, 1, 1)
	tariff := value[int64](t, d, `SELECT tariff_id FROM events WHERE id = $1`, ev.ID)
	s := schedule.New(d)
	key := schedule.PriceKey{Zone: 1, Type: "adult", From: 0, To: 1}
	for _, c := range []struct {
		code, text string
		want       int64 // -1: refused
	}{
		{"EUR", "0.49", -1}, {"EUR", "0.50", 50}, {"EUR", "0", 0}, {"JPY", "49", -1}, {"JPY", "1500", 1500}, {"JPY", "15.00", -1},
		{"KWD", "1.255", -1}, {"KWD", "1.250", 1250}, {"KWD", "1,25", 1250}, {"ISK", "2400", 2400}, {"ISK", "24.5", -1}, {"UGX", "5000", 5000}, {"HUF", "170", -1}, {"HUF", "175", 17500},
	} {
		if err := exec(t.Context(), d, `UPDATE tariffs SET currency = $2 WHERE id = $1`, tariff, c.code); err != nil {
			t.Fatal(err)
		}
		if err := exec(t.Context(), d, `UPDATE fares SET price = 100000 WHERE tariff_id = $1`, tariff); err != nil {
			t.Fatal(err)
		}
		err := s.SavePrices(t.Context(), domain.By{Actor: "staff:1"}, schedule.PriceChange{
			Tariff: tariff, Revision: value[int](t, d, `SELECT revision FROM tariffs WHERE id = $1`, tariff), Free: true, Typed: map[schedule.PriceKey]string{key: c.text},
		})
		got := value[int64](t, d, `SELECT price FROM fares WHERE tariff_id = $1 AND ticket_type = 'adult' AND zone_no = 1`, tariff)
		var bad schedule.FareProblems
		if c.want < 0 && (!errors.As(err, &bad) || bad[key.Field()] == "" || got != 100000) || c.want >= 0 && (err != nil || got != c.want) {
			t.Errorf("%s %q: %v, stored %d", c.code, c.text, err, got)
		}
	}
}
