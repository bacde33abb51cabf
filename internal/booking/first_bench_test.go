package booking

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/db"
	"holdfast/db/dbtest"
	"holdfast/internal/domain"
)

// BenchmarkFirstHolds compares first holds on one hot event made together, as the program
// does, with the same each in a statement of its own: 200 visitors at a time, turns of a
// second, the median of the rounds' ratios. With DATABASE_URL of a server that syncs it is
// the figure of ADR 13.
func BenchmarkFirstHolds(b *testing.B) {
	d := dbtest.Open(b, dbtest.URL(b), 12)
	s := New(d, Config{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	ev := dbtest.Screening(b, d, 20, 700)
	if _, err := d.Pool().Exec(b.Context(), `ANALYZE`); err != nil {
		b.Fatal(err)
	}
	o, err := s.Offer(b.Context(), ev.ID, nil)
	if err != nil {
		b.Fatal(err)
	}
	alone := func(ctx context.Context, f *first) error { return d.OpenHold(ctx, f.hold, f.lines) }
	together := func(ctx context.Context, f *first) error { return s.firsts.open(ctx, d, f, nil) }
	var ratios []float64
	for range 9 {
		x := crowd(b, s, o, d, ev.Seats, together)
		ratios = append(ratios, x/crowd(b, s, o, d, ev.Seats, alone))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "together/alone")
	b.ReportMetric(ratios[0], "lowest")
	b.ReportMetric(0, "ns/op")
}

// crowd counts the holds of a second.
func crowd(b *testing.B, s *Service, o *Offer, d *db.DB, seats []string, open func(context.Context, *first) error) float64 {
	b.Helper()
	if _, err := d.Pool().Exec(b.Context(), `UPDATE event_seats SET state = 'available', hold_id = NULL, held_until = NULL WHERE state = 'held'`); err != nil {
		b.Fatal(err)
	}
	var next, made atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range 200 {
		all.Go(func() {
			for time.Since(began) < time.Second {
				i := int(next.Add(1)) - 1
				if i >= len(seats) {
					return
				}
				lines := s.lines(o.Layout, o.Fares, seats[i:i+1], &domain.Hold{})
				f := &first{lines: lines, done: make(chan outcome, 1), hold: db.FirstHold{
					NewHold: db.NewHold{ID: newUUID(), EventID: o.Event.ID, Ride: o.Ride, Channel: "web", Holder: domain.Holder(fmt.Sprint("web:", i)),
						Total: sum(lines), Currency: o.Event.Currency, Fares: o.Fares},
					Plan: o.Event.LayoutVersionID, Window: o.Settings.Window(), Grace: o.Settings.Grace(), CloseMinutes: o.Settings.SalesCloseMinutes,
				}}
				if err := open(b.Context(), f); err != nil {
					b.Error(err)
					return
				}
				made.Add(1)
			}
		})
	}
	all.Wait()
	return float64(made.Load()) / time.Since(began).Seconds()
}
