package schedule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// LiveBlock is a block that keeps seats off sale now.
type LiveBlock = db.LiveBlock

// BlockScene is an event's seats as staff see them.
type BlockScene struct {
	Event  domain.Event
	Layout *domain.Layout
	Looks  map[string]string // by seat_no: available, held, booked or blocked
	Blocks []LiveBlock
}

// BlockScene reads it; domain.ErrNotFound.
func (s *Service) BlockScene(ctx context.Context, id int64) (x BlockScene, err error) {
	if x.Event, err = s.db.Event(ctx, id); err != nil {
		return x, err
	}
	if x.Layout, err = s.db.Layout(ctx, x.Event.LayoutVersionID); err != nil {
		return x, err
	}
	looks, err := s.db.SeatLooks(ctx, id)
	if err != nil {
		return x, err
	}
	x.Looks = make(map[string]string, len(looks))
	for _, l := range looks {
		x.Looks[l.SeatNo] = l.State
	}
	x.Blocks, err = s.db.LiveBlocks(ctx, id)
	return x, err
}

// Blocking is what staff ask for: seats, why, and until when on the wall clock of the
// event's place; no Date means until it is lifted.
type Blocking struct {
	EventID int64
	Seats   []string
	Reason  string
	Date    *time.Time
	Clock   *int // nil with a Date: until the end of that day
}

const longestReason = 200 // letters

// Block takes seats off sale on the whole way. A seat that is sold, held or blocked is
// named in a SeatConflict, and nothing is blocked; other refusals are a RuleError whose
// code names the field.
func (s *Service) Block(ctx context.Context, by domain.By, b Blocking) error {
	b.Reason = strings.TrimSpace(b.Reason)
	switch {
	case len(b.Seats) == 0:
		return &domain.RuleError{Code: "seats", Words: "Please tick the seats on the plan."}
	case b.Reason == "":
		return &domain.RuleError{Code: "reason", Words: "Please say why: whoever sells sees it."}
	case len([]rune(b.Reason)) > longestReason:
		return &domain.RuleError{Code: "reason", Words: fmt.Sprintf("Please use at most %d letters.", longestReason)}
	}
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		if _, err := t.ShareEvent(ctx, b.EventID); err != nil {
			return err
		}
		e, err := t.Event(ctx, b.EventID)
		if err != nil {
			return err
		}
		if err := Changeable(e); err != nil {
			return err
		}
		ends, err := b.ends(e)
		if err != nil {
			return err
		}
		x := db.SeatBlock{EventID: b.EventID, Reason: b.Reason, EndsAt: ends, Actor: by.Actor}
		if x.ID, err = t.InsertBlock(ctx, x); err != nil {
			return err
		}
		if err := t.BlockSeats(ctx, x, b.Seats, e.LastStop); err != nil {
			return err
		}
		return t.Log(ctx, by, "seats_blocked", fmt.Sprintf("event:%d", b.EventID), nil, map[string]any{"seats": b.Seats, "reason": b.Reason, "until": ends})
	})
	if errors.Is(err, domain.ErrConflict) {
		return s.whoHas(ctx, b, err)
	}
	return err
}

func (b Blocking) ends(e domain.Event) (*time.Time, error) {
	if b.Date == nil {
		if b.Clock != nil {
			return nil, &domain.RuleError{Code: "until", Words: "Please give the date too."}
		}
		return nil, nil
	}
	clock := 1440
	if b.Clock != nil {
		clock = *b.Clock
	}
	at, _, err := occasion(*b.Date, clock, e.TimeZone, SecondOfTwo)
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		return nil, &domain.RuleError{Code: "until", Words: rule.Words}
	}
	if err == nil && !at.After(e.Now) {
		return nil, &domain.RuleError{Code: "until", Words: "That is in the past. Leave it empty to block until you lift it."}
	}
	return &at, err
}

// whoHas names the seats that were in the way.
func (s *Service) whoHas(ctx context.Context, b Blocking, cause error) error {
	x, err := s.BlockScene(ctx, b.EventID)
	if err != nil {
		return err
	}
	conflict := &domain.SeatConflict{}
	for _, no := range b.Seats {
		switch state, known := x.Looks[no]; {
		case !known:
			return &domain.RuleError{Code: "seats", Words: "Seat " + no + " is not on this plan.", Seats: []string{no}}
		case state != "available":
			conflict.Lost = append(conflict.Lost, no)
		}
	}
	if len(conflict.Lost) == 0 {
		return errors.Join(domain.ErrBusy, cause) // freed in between: try again
	}
	x.Layout.SortSeats(conflict.Lost)
	return conflict
}

// Lift puts a block's seats on sale again. Doing it again changes nothing.
func (s *Service) Lift(ctx context.Context, by domain.By, eventID, blockID int64) error {
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if _, err := t.ShareEvent(ctx, eventID); err != nil {
			return err
		}
		var block *LiveBlock
		all, err := t.LiveBlocks(ctx, eventID)
		for i := range all {
			if all[i].ID == blockID {
				block = &all[i]
			}
		}
		if err != nil || block == nil {
			return err
		}
		n, err := t.UnblockSeats(ctx, eventID, blockID)
		if err != nil || n == 0 {
			return err
		}
		return t.Log(ctx, by, "seats_unblocked", fmt.Sprintf("event:%d", eventID), map[string]any{"seats": block.Seats, "reason": block.Reason}, nil)
	})
}
