package waitroom

import (
	"context"
	"errors"
	"fmt"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

func subject(eventID int64) string { return fmt.Sprintf("event:%d", eventID) }

// Plan is what staff say of a room or of a window.
type Plan struct {
	BeginsAt   time.Time // zero: now
	OpensAt    time.Time // zero: when it begins
	EndsAt     *time.Time
	MaxActive  int
	PerSecond  float64
	Turn       time.Duration
	PerAddress int
	Revision   int // 0 for an event that never had a room
}

// check makes a plan whole, or says in words what is wrong; Code is the field.
func (p *Plan) check(now time.Time) error {
	if p.BeginsAt.IsZero() {
		p.BeginsAt = now
	}
	if p.OpensAt.IsZero() {
		p.OpensAt = p.BeginsAt
	}
	refuse := func(field, words string) error { return &domain.RuleError{Code: field, Words: words} }
	switch {
	case p.OpensAt.Before(p.BeginsAt):
		return refuse("opens", "The opening cannot be before the line begins.")
	case p.EndsAt != nil && !p.EndsAt.After(p.OpensAt):
		return refuse("ends", "The end must be after the opening.")
	case p.EndsAt != nil && !p.EndsAt.After(now):
		return refuse("ends", "This moment has passed.")
	case p.MaxActive < 1 || p.MaxActive > 100000:
		return refuse("max", "Please write a number from 1 to 100000.")
	case p.PerSecond < 0.01 || p.PerSecond > 1000:
		return refuse("rate", "Please write a number from 1 to 60000.")
	case p.Turn < time.Minute || p.Turn > 2*time.Hour:
		return refuse("turn", "Please write minutes from 1 to 120.")
	case p.PerAddress < 0 || p.PerAddress > 100000:
		return refuse("address", "Please write a number from 1 to 100000, or 0 for no limit.")
	}
	return nil
}

// logged is what the audit log keeps of a room.
type logged struct {
	State      string     `json:"state,omitempty"`
	BeginsAt   time.Time  `json:"begins_at"`
	OpensAt    time.Time  `json:"opens_at"`
	EndsAt     *time.Time `json:"ends_at,omitempty"`
	MaxActive  int        `json:"max_active"`
	PerMinute  float64    `json:"per_minute"`
	Turn       string     `json:"turn"`
	PerAddress int        `json:"per_address"`
}

func logOf(r Room) logged {
	return logged{r.State, r.BeginsAt, r.OpensAt, r.EndsAt, r.MaxActive, r.PerSecond * 60, (time.Duration(r.TurnSeconds) * time.Second).String(), r.PerAddress}
}

// Of is an event's room in whatever state; domain.ErrNotFound when it never had one.
func (s *Service) Of(ctx context.Context, eventID int64) (Room, error) {
	return s.db.WaitRoom(ctx, eventID)
}

// Now is the database's time.
func (s *Service) Now(ctx context.Context) (time.Time, error) { return s.db.Now(ctx) }

// Put plans an event's room, or changes the numbers of one that is planned or runs; one
// that is over begins anew and empty. *domain.RuleError, domain.ErrStale.
func (s *Service) Put(ctx context.Context, by domain.By, eventID int64, p Plan) error {
	return s.change(ctx, func(t *db.Tx) error {
		now, err := t.Now(ctx)
		if err != nil {
			return err
		}
		before, again := any(nil), true
		old, err := t.WaitRoom(ctx, eventID)
		switch {
		case errors.Is(err, domain.ErrNotFound):
		case err != nil:
			return err
		case PhaseAt(old, now) != Over:
			before, again = logOf(old), false
			if !now.Before(old.OpensAt) && !p.OpensAt.Equal(old.OpensAt) {
				p.BeginsAt, p.OpensAt = old.BeginsAt, old.OpensAt // it has opened: that stays so
			}
		}
		if err := p.check(now); err != nil {
			return err
		}
		r := Room{
			EventID: eventID, BeginsAt: p.BeginsAt, OpensAt: p.OpensAt, EndsAt: p.EndsAt, MaxActive: p.MaxActive, PerSecond: p.PerSecond,
			TurnSeconds: int(p.Turn.Seconds()), PerAddress: p.PerAddress, Revision: p.Revision,
		}
		if err := t.PutWaitRoom(ctx, r, again); err != nil {
			return err
		}
		act := "waitroom_changed"
		if again {
			act = "waitroom_planned"
			if err := t.EmptyWaitRoom(ctx, eventID); err != nil {
				return err
			}
		}
		return t.Log(ctx, by, act, subject(eventID), before, logOf(r))
	})
}

// Pause stops handing out; who has a turn keeps it. domain.ErrStale.
func (s *Service) Pause(ctx context.Context, by domain.By, eventID int64, revision int) error {
	return s.set(ctx, by, eventID, revision, "paused", "waitroom_paused")
}

// Resume goes on handing out. domain.ErrStale.
func (s *Service) Resume(ctx context.Context, by domain.By, eventID int64, revision int) error {
	return s.set(ctx, by, eventID, revision, "on", "waitroom_resumed")
}

// End ends the room: everybody may choose. domain.ErrStale.
func (s *Service) End(ctx context.Context, by domain.By, eventID int64, revision int) error {
	return s.set(ctx, by, eventID, revision, "ended", "waitroom_ended")
}

func (s *Service) set(ctx context.Context, by domain.By, eventID int64, revision int, state, act string) error {
	return s.change(ctx, func(t *db.Tx) error {
		old, err := t.WaitRoom(ctx, eventID)
		if err != nil {
			return err
		}
		if old.State == state { // the same button, pressed twice
			return nil
		}
		if err := t.SetWaitRoomState(ctx, eventID, revision, state); err != nil {
			return err
		}
		return t.Log(ctx, by, act, subject(eventID), map[string]string{"state": old.State}, map[string]string{"state": state})
	})
}

// change runs a transaction and lets this process know at once; others learn it within a
// second.
func (s *Service) change(ctx context.Context, do func(*db.Tx) error) error {
	if err := s.db.InTx(ctx, do); err != nil {
		return err
	}
	if _, err := s.refresh(ctx); err != nil {
		s.log.Warn("rooms could not be read again after a change", "error", err.Error())
	}
	return nil
}

// Counts lists how the rooms stand, running ones first.
func (s *Service) Counts(ctx context.Context) ([]Count, error) { return s.db.RoomCounts(ctx, 0) }

// CountOf is it for one event; domain.ErrNotFound when it never had a room.
func (s *Service) CountOf(ctx context.Context, eventID int64) (Count, error) {
	list, err := s.db.RoomCounts(ctx, eventID)
	if err == nil && len(list) == 0 {
		err = domain.ErrNotFound
	}
	if err != nil {
		return Count{}, err
	}
	return list[0], nil
}

// Windows are the times that run or are planned in which every event has a room.
func (s *Service) Windows(ctx context.Context) ([]Window, error) { return s.db.WaitWindows(ctx) }

// PutWindow plans a time in which every event has a room. *domain.RuleError.
func (s *Service) PutWindow(ctx context.Context, by domain.By, p Plan) error {
	return s.change(ctx, func(t *db.Tx) error {
		now, err := t.Now(ctx)
		if err != nil {
			return err
		}
		if p.EndsAt == nil {
			return &domain.RuleError{Code: "ends", Words: "Please say when it ends."}
		}
		if err := p.check(now); err != nil {
			return err
		}
		w := Window{BeginsAt: p.BeginsAt, OpensAt: p.OpensAt, EndsAt: *p.EndsAt, MaxActive: p.MaxActive, PerSecond: p.PerSecond, TurnSeconds: int(p.Turn.Seconds()), PerAddress: p.PerAddress}
		id, err := t.InsertWaitWindow(ctx, w)
		if err != nil {
			return err
		}
		return t.Log(ctx, by, "waitroom_window_planned", fmt.Sprintf("waitroom_window:%d", id), nil, logOf(Room{
			BeginsAt: w.BeginsAt, OpensAt: w.OpensAt, EndsAt: p.EndsAt, MaxActive: w.MaxActive, PerSecond: w.PerSecond, TurnSeconds: w.TurnSeconds, PerAddress: w.PerAddress}))
	})
}

// EndWindow ends a window and the rooms that came of it. domain.ErrStale.
func (s *Service) EndWindow(ctx context.Context, by domain.By, id int64, revision int) error {
	return s.change(ctx, func(t *db.Tx) error {
		rooms, err := t.EndWaitWindow(ctx, id, revision)
		if err != nil {
			return err
		}
		return t.Log(ctx, by, "waitroom_window_ended", fmt.Sprintf("waitroom_window:%d", id), nil, map[string]any{"rooms": rooms})
	})
}
