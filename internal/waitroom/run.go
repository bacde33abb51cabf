package waitroom

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

const (
	tickTime = 700 * time.Millisecond // each process; whoever gets a room's lock does it
	beats    = 7                      // ticks between two writes of the signs of life
	sweeps   = 5000                   // ticks between two clearings: about an hour
)

// Run keeps the rooms going until ctx ends; then it stores the signs of life it still
// has. It may run in every process at the same time, and in none for a while: places and
// turns are the database's.
func (s *Service) Run(ctx context.Context) {
	quiet := false // one line in the log per outage
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_ = s.flush(last) // a minute and more of presence is stored already
			return
		case <-time.After(tickTime + rand.N(tickTime/4)): // processes that began together drift apart
		}
		err := s.beat(ctx, n)
		if err != nil && ctx.Err() == nil && !quiet {
			s.log.Warn("waiting rooms stand still: everybody keeps their place", "error", err.Error())
		}
		quiet = err != nil
	}
}

func (s *Service) beat(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	k, err := s.refresh(ctx)
	if err != nil {
		return err
	}
	for id, r := range k.of {
		if p := PhaseAt(r, k.clock()); p == Running || p == Paused {
			if _, err := s.Tick(ctx, id); err != nil {
				return fmt.Errorf("event %d: %w", id, err)
			}
		}
	}
	if n%beats == 0 {
		if err := s.flush(ctx); err != nil {
			return err
		}
		if err := s.byLoad(ctx); err != nil {
			return err
		}
	}
	if n%sweeps == 0 {
		_, err = s.db.ForgetWaiting(ctx)
	}
	return err
}

// Tick hands turns of one event on: who is over goes, who is next comes. It tells how
// many came.
func (s *Service) Tick(ctx context.Context, eventID int64) (admitted int, err error) {
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		admitted, err = t.TickWaitRoom(ctx, eventID)
		return err
	})
	return admitted, err
}

type seenKey struct {
	event int64
	token string
}

// alive notes a sign of life; flush stores it.
func (s *Service) alive(eventID int64, token []byte, here time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := seenKey{eventID, string(token)}
	s.seen[key] = max(s.seen[key], here)
}

// flush stores the signs of life in one statement, and drops copies that nobody asks for.
// What could not be stored is tried again the next time.
func (s *Service) flush(ctx context.Context) error {
	s.mu.Lock()
	seen := s.seen
	s.seen = map[seenKey]time.Duration{}
	for id, l := range s.lines {
		if time.Since(l.asked) > lineKept {
			delete(s.lines, id)
		}
	}
	s.mu.Unlock()
	if len(seen) == 0 {
		return nil
	}
	list := make([]db.Seen, 0, len(seen))
	for k, here := range seen {
		list = append(list, db.Seen{EventID: k.event, TokenHash: []byte(k.token), Here: here})
	}
	err := s.db.SeenInLine(ctx, list)
	if err != nil {
		for k, here := range seen {
			s.alive(k.event, []byte(k.token), here)
		}
	}
	return err
}

// What a room is that begins by itself; an owner changes it on its page.
const (
	DefaultTurn       = 5 * time.Minute
	DefaultPerAddress = 20
)

// byLoad opens rooms where as many visitors hold seats as the owner's setting says, and
// ends those that nobody needs any more.
func (s *Service) byLoad(ctx context.Context) error {
	stored, err := s.db.Settings(ctx)
	if err != nil {
		return err
	}
	set, _ := domain.ParseSettings(stored) // what does not parse has its default: off
	if set.WaitroomHolders > 0 {
		crowded, err := s.db.CrowdedEvents(ctx, set.WaitroomHolders)
		if err != nil {
			return err
		}
		for _, id := range crowded {
			if err := s.openByLoad(ctx, id, set.WaitroomHolders); err != nil {
				return err
			}
		}
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		ended, err := t.EndQuietRooms(ctx)
		for _, id := range ended {
			if err := t.Log(ctx, domain.By{Actor: "system"}, "waitroom_ended", subject(id), nil, map[string]any{"why": "nobody waited for ten minutes"}); err != nil {
				return err
			}
		}
		return err
	})
}

func (s *Service) openByLoad(ctx context.Context, eventID int64, holders int) error {
	r := Room{EventID: eventID, MaxActive: holders, PerSecond: max(0.5, float64(holders)/60), TurnSeconds: int(DefaultTurn.Seconds()), PerAddress: DefaultPerAddress}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		opened, err := t.OpenRoomByLoad(ctx, r)
		if err != nil || !opened {
			return err
		}
		if err := t.EmptyWaitRoom(ctx, eventID); err != nil {
			return err
		}
		return t.Log(ctx, domain.By{Actor: "system"}, "waitroom_started", subject(eventID), nil, map[string]any{"why": "so many visitors held seats at once", "holders": holders})
	})
}
