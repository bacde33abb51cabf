// Package demo fills a house with invented data: a cinema of two halls with a week
// of films, a bus line through five cities with eight days of departures, and
// seats sold on most of them. Everything lies relative to the database's time, so
// that a fresh load always has something to sell. Clear takes all of it away again.
//
// The same moment always gives the same demo, but for the staff's passwords.
package demo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// ErrRealEvents refuses to mix the demo with events that somebody else made.
// Nothing was changed.
var ErrRealEvents = errors.New("the database has events that are not of the demo")

// Options say what to load beyond the events.
type Options struct {
	// Staff adds accounts for every role with random passwords. For demo mode only.
	Staff bool
	// By is who loads it, for the log of changes; without an actor nothing is logged.
	By domain.By
}

// Account is a staff account of the demo. The password is known only here.
type Account struct{ Email, Role, Password string }

// Report says what there is after Load.
type Report struct {
	AlreadyLoaded bool // the demo was there; nothing was changed and Staff is empty
	Renewed       bool // the demo that was there had run out and made room for this one
	Counts        db.DemoCounts
	Staff         []Account
}

// loader carries one load through its steps, all in one transaction.
type loader struct {
	tx    *db.Tx
	now   time.Time // the database's
	rng   *rand.Rand
	used  map[string]bool // names that are not free
	staff int64           // the cashier's id, 0 without accounts

	layouts map[int64]*domain.Layout    // by version id
	fares   map[int64]map[fareKey]int64 // by tariff id
	taxBP   map[int64]int               // by tariff id
	rides   map[int64][]domain.Ride     // by route id, every ride on sale
	moods   map[int64]mood              // by event id
	events  []db.DemoEvent              // in order of their making
}

type fareKey struct {
	zone int
	kind string
	ride domain.Ride
}

// Load makes the demo, all or nothing. ErrRealEvents when other events exist; a
// report alone when the demo is there already; domain.ErrBusy when another load or
// clearing goes on for long.
func Load(ctx context.Context, d *db.DB, o Options) (Report, error) {
	var r Report
	err := d.InTx(ctx, func(tx *db.Tx) error {
		r = Report{}
		if err := tx.LockDemo(ctx); err != nil {
			return err
		}
		var err error
		if r.AlreadyLoaded, err = tx.DemoLoaded(ctx); err != nil {
			return err
		}
		if !r.AlreadyLoaded {
			if r.Staff, err = fill(ctx, tx, o); err != nil {
				return err
			}
		}
		r.Counts, err = tx.DemoCounts(ctx)
		if err != nil || r.AlreadyLoaded || o.By.Actor == "" {
			return err
		}
		return tx.Log(ctx, o.By, "demo_loaded", "demo", nil, r.Counts)
	})
	if err != nil {
		return Report{}, fmt.Errorf("load demo: %w", err)
	}
	return r, nil
}

// fewToCome: with fewer events to come a demo has nothing to try any more.
const fewToCome = 10

// Renew is Load for every start: it loads into an empty house, and clears and loads
// again where the demo has run out of events. A house with other events is left as it
// is. All or nothing.
func Renew(ctx context.Context, d *db.DB, o Options) (Report, error) {
	var r Report
	err := d.InTx(ctx, func(tx *db.Tx) error {
		r = Report{AlreadyLoaded: true}
		if err := tx.LockDemo(ctx); err != nil {
			return err
		}
		others, err := tx.RealEvents(ctx)
		if err != nil || others {
			return err
		}
		loaded, err := tx.DemoLoaded(ctx)
		if err != nil {
			return err
		}
		if r.Counts, err = tx.DemoCounts(ctx); err != nil || loaded && r.Counts.ToCome >= fewToCome {
			return err
		}
		if r.AlreadyLoaded = false; loaded {
			if err := tx.ClearDemo(ctx); err != nil {
				return err
			}
			r.Renewed = true
		}
		if r.Staff, err = fill(ctx, tx, o); err != nil {
			return err
		}
		r.Counts, err = tx.DemoCounts(ctx)
		return err
	})
	if err != nil {
		return Report{}, fmt.Errorf("load demo: %w", err)
	}
	return r, nil
}

// Loaded says whether the demo is there.
func Loaded(ctx context.Context, d *db.DB) (bool, error) { return d.DemoLoaded(ctx) }

func fill(ctx context.Context, tx *db.Tx, o Options) ([]Account, error) {
	switch others, err := tx.RealEvents(ctx); {
	case err != nil:
		return nil, err
	case others:
		return nil, ErrRealEvents
	}
	l, err := newLoader(ctx, tx)
	if err != nil {
		return nil, err
	}
	var staff []Account
	if o.Staff {
		if staff, err = l.accounts(ctx); err != nil {
			return nil, err
		}
	}
	for _, step := range []func(context.Context) error{l.settings, l.ticketTypes, l.cinema, l.bus, l.open, l.sell} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return staff, nil
}

func newLoader(ctx context.Context, tx *db.Tx) (*loader, error) {
	l := &loader{
		tx: tx, rng: rand.New(rand.NewPCG(7, 49)), used: map[string]bool{},
		layouts: map[int64]*domain.Layout{}, fares: map[int64]map[fareKey]int64{}, taxBP: map[int64]int{},
		rides: map[int64][]domain.Ride{}, moods: map[int64]mood{},
	}
	var err error
	if l.now, err = tx.Now(ctx); err != nil {
		return nil, err
	}
	names, err := tx.NamesInUse(ctx)
	for _, n := range names {
		l.used[n] = true
	}
	return l, err
}

// free is the name itself, or one like it where the house uses the name already.
func (l *loader) free(name string) string {
	out := name
	for n := 1; l.used[out]; n++ {
		if out = name + " (demo)"; n > 1 {
			out = fmt.Sprintf("%s (demo %d)", name, n)
		}
	}
	return out
}

// open stores the planned events with all their seats free.
func (l *loader) open(ctx context.Context) error {
	if err := l.tx.AddDemoEvents(ctx, l.events); err != nil {
		return err
	}
	ids := make([]int64, len(l.events))
	for i, e := range l.events {
		ids[i] = e.ID
		if err := l.tx.AddSeats(ctx, e.ID, e.LayoutID, e.LastStop); err != nil {
			return err
		}
	}
	return l.tx.RecordDemo(ctx, "events", ids...)
}

// layout stores a seat plan and answers its version.
func (l *loader) layout(ctx context.Context, p *domain.Layout) (int64, error) {
	p.Name = l.free(p.Name)
	id, version, err := l.tx.InsertLayout(ctx, p)
	if err != nil {
		return 0, err
	}
	l.layouts[version] = p
	return version, l.tx.RecordDemo(ctx, "layouts", id)
}

// tariff stores prices and answers their id; route is nil for screenings.
func (l *loader) tariff(ctx context.Context, name string, taxBP int, route *int64, fares []db.DemoFare) (int64, error) {
	c, err := domain.CurrencyOf(currency)
	if err != nil {
		return 0, err
	}
	for _, f := range fares {
		if err := c.CheckPrice(f.Price); err != nil {
			return 0, err
		}
	}
	id, err := l.tx.AddDemoTariff(ctx, l.free(name), currency, taxBP, route, fares)
	if err != nil {
		return 0, err
	}
	l.taxBP[id], l.fares[id] = taxBP, map[fareKey]int64{}
	for _, f := range fares {
		l.fares[id][fareKey{f.Zone, f.Type, domain.Ride{From: f.From, To: f.To}}] = f.Price
	}
	return id, l.tx.RecordDemo(ctx, "tariffs", id)
}

// resources stores halls or coaches; their ids are drawn here.
func (l *loader) resources(ctx context.Context, list []db.DemoResource) error {
	ids, err := l.tx.DrawIDs(ctx, "resources", len(list))
	if err != nil {
		return err
	}
	for i := range list {
		list[i].ID, list[i].Name = ids[i], l.free(list[i].Name)
	}
	if err := l.tx.AddDemoResources(ctx, list); err != nil {
		return err
	}
	return l.tx.RecordDemo(ctx, "resources", ids...)
}
