package booking

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
	"holdfast/internal/failpoint"
)

// openFirst makes the hold of somebody who has none: there is nothing of theirs to lock,
// to count or to keep, so one statement does it, for several at once where many come.
func (s *Service) openFirst(ctx context.Context, o *Offer, who Visitor, seats []string) (string, error) {
	lines := s.lines(o.Layout, o.Fares, seats, &domain.Hold{})
	f := first{
		hold: db.FirstHold{
			NewHold: db.NewHold{
				ID: newUUID(), EventID: o.Event.ID, Ride: o.Ride, Channel: "web", Holder: who.Holder,
				Total: sum(lines), Currency: o.Event.Currency, TaxBP: o.Event.TaxBP, Fares: o.Fares,
			},
			Plan: o.Event.LayoutVersionID, Window: o.Settings.Window(), Grace: o.Settings.Grace(), CloseMinutes: o.Settings.SalesCloseMinutes,
		},
		lines: lines, done: make(chan outcome, 1),
	}
	err := s.firsts.open(ctx, s.db, &f, who.Aside)
	failpoint.If(err == nil, "hold.after_commit")
	if errors.Is(err, domain.ErrSalesClosed) {
		return "", s.whyNot(ctx, o)
	}
	return f.hold.ID, err
}

// maxTogether is how many holds one statement makes at most.
const maxTogether = 32

// maxWaiting is how many wait for their turn in one event's line: further ones are told
// that it is busy.
const maxWaiting = 600

// togetherTime is the longest one statement for several may take; its own timeouts are
// shorter.
const togetherTime = 12 * time.Second

// first is a hold that is asked for.
type first struct {
	hold  db.FirstHold
	lines []domain.HoldSeat
	done  chan outcome
}

// outcome of a statement for several: alone says that it did not decide about this one.
type outcome struct {
	err   error
	alone bool
}

// firsts puts together the first holds that come for one event while a statement for it
// is under way, as the database does with its commits. Nobody waits for company: who comes
// to an event at rest goes at once and alone. It is no lock and no queue that anything
// depends on: several processes each have their own, and the seat rows decide.
type firsts struct {
	mu    sync.Mutex
	lines map[rideKey]*line
}

type rideKey struct {
	event int64
	ride  domain.Ride
}

type line struct{ waiting []*first }

func (q *firsts) open(ctx context.Context, d *db.DB, f *first, aside func() func(context.Context) error) error {
	k := rideKey{f.hold.EventID, f.hold.Ride}
	q.mu.Lock()
	if q.lines == nil {
		q.lines = map[rideKey]*line{}
	}
	l, busy := q.lines[k]
	full := busy && len(l.waiting) >= maxWaiting
	switch {
	case full:
	case busy:
		l.waiting = append(l.waiting, f)
	default:
		q.lines[k] = &line{}
	}
	q.mu.Unlock()
	if full {
		return domain.ErrBusy
	}
	if !busy {
		err := d.OpenHold(ctx, f.hold, f.lines)
		go q.next(d, k)
		return err
	}
	var back func(context.Context) error
	if aside != nil {
		back = aside()
	}
	select {
	case got := <-f.done:
		if !got.alone {
			return got.err
		}
		if back != nil {
			if err := back(ctx); err != nil {
				return err
			}
		}
		return d.OpenHold(ctx, f.hold, f.lines)
	case <-ctx.Done():
		return ctx.Err() // what it may still get ends by itself
	}
}

// next serves those who came meanwhile, group by group, until nobody is left.
func (q *firsts) next(d *db.DB, k rideKey) {
	for {
		q.mu.Lock()
		l := q.lines[k]
		if len(l.waiting) == 0 {
			delete(q.lines, k)
			q.mu.Unlock()
			return
		}
		group := l.take()
		q.mu.Unlock()
		together(d, group)
	}
}

// take removes the next group from the line: in order of arrival, alike but for who and
// which seats, and no seat twice. Who wants a seat of somebody before waits for the next.
func (l *line) take() []*first {
	var group, rest []*first
	wanted := map[string]bool{}
	for _, f := range l.waiting {
		if len(group) == maxTogether || len(group) > 0 && !alike(group[0].hold, f.hold) || overlaps(wanted, f.lines) {
			rest = append(rest, f)
			continue
		}
		for _, s := range f.lines {
			wanted[s.SeatNo] = true
		}
		group = append(group, f)
	}
	l.waiting = rest
	return group
}

func overlaps(wanted map[string]bool, lines []domain.HoldSeat) bool {
	for _, s := range lines {
		if wanted[s.SeatNo] {
			return true
		}
	}
	return false
}

// alike says whether one statement can make both: the same prices, plan and times.
func alike(a, b db.FirstHold) bool {
	return a.Plan == b.Plan && a.Window == b.Window && a.Grace == b.Grace && a.CloseMinutes == b.CloseMinutes &&
		a.Currency == b.Currency && a.TaxBP == b.TaxBP && slices.Equal(a.Fares, b.Fares)
}

// together makes the holds of a group. Those that lost are told to try alone: their seats'
// rows may only have been locked by somebody who let go of them.
func together(d *db.DB, group []*first) {
	if len(group) == 1 {
		group[0].done <- outcome{alone: true}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), togetherTime)
	defer cancel()
	list := make([]db.Opening, len(group))
	for i, f := range group {
		list[i] = db.Opening{ID: f.hold.ID, Holder: f.hold.Holder, Total: f.hold.Total, Lines: f.lines}
	}
	won, err := d.OpenHolds(ctx, group[0].hold, list)
	has := map[string]bool{}
	for _, id := range won {
		has[id] = true
	}
	for _, f := range group {
		f.done <- outcome{err: err, alone: err == nil && !has[f.hold.ID]}
	}
}
