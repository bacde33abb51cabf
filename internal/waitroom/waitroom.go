// Package waitroom hands seats out in turn where more people come than can be served at
// once. An event's room lets so many choose at a time; the others wait in line.
//
// Everything that decides stands in the database: the place in line, the turns, the
// clock. A process keeps copies to answer how far somebody is, and may die at any moment
// without anybody losing a place. When the database is slow or away nobody is let in:
// everybody waits, nobody skips.
package waitroom

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Service is safe for concurrent use.
type Service struct {
	db  *db.DB
	log *slog.Logger

	known atomic.Pointer[rooms]
	reads singleflight.Group
	mu    sync.Mutex // of what follows
	lines map[int64]*line
	seen  map[seenKey]time.Duration
}

// New makes the service; Run keeps its rooms going.
func New(d *db.DB, log *slog.Logger) *Service {
	return &Service{db: d, log: log, lines: map[int64]*line{}, seen: map[seenKey]time.Duration{}}
}

// Room is an event's waiting room.
type Room = db.WaitRoom

// Window is a time in which every event has a room.
type Window = db.WaitWindow

// Count is how a room stands.
type Count = db.RoomCount

// Phase is where a room is in its life.
type Phase string

const (
	Planned Phase = "planned" // seats are still sold as always
	Before  Phase = "before"  // people come, nobody chooses yet
	Running Phase = "running"
	Paused  Phase = "paused"
	Over    Phase = "over"
)

// PhaseAt tells it of a moment by the database's clock.
func PhaseAt(r Room, now time.Time) Phase {
	switch {
	case r.State == "ended" || r.EndsAt != nil && !now.Before(*r.EndsAt):
		return Over
	case now.Before(r.BeginsAt):
		return Planned
	case r.State == "paused":
		return Paused
	case now.Before(r.OpensAt):
		return Before
	}
	return Running
}

// rooms is what a process knows of all rooms.
type rooms struct {
	of      map[int64]Room
	windows []Window
	now     time.Time // the database's, when it was read
	read    time.Time // ours
}

// clock is the database's time by our own clock's run since.
func (k *rooms) clock() time.Time { return k.now.Add(time.Since(k.read)) }

// window is the one that runs now.
func (k *rooms) window() (Window, bool) {
	now := k.clock()
	for _, w := range k.windows {
		if !now.Before(w.BeginsAt) && now.Before(w.EndsAt) {
			return w, true
		}
	}
	return Window{}, false
}

// roomsAge is how old a copy may be before a request asks again by itself.
const roomsAge = 3 * time.Second

// look reads all rooms, or takes the copy that Run keeps fresh.
func (s *Service) look(ctx context.Context) (*rooms, error) {
	if k := s.known.Load(); k != nil && time.Since(k.read) < roomsAge {
		return k, nil
	}
	v, err, _ := s.reads.Do("rooms", func() (any, error) { return s.refresh(context.WithoutCancel(ctx)) })
	if err != nil {
		return s.known.Load(), err
	}
	return v.(*rooms), nil
}

func (s *Service) refresh(ctx context.Context) (*rooms, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	read := time.Now()
	list, err := s.db.LiveWaitRooms(ctx)
	if err != nil {
		return nil, err
	}
	k := &rooms{of: map[int64]Room{}, read: read}
	if k.windows, err = s.db.WaitWindows(ctx); err != nil {
		return nil, err
	}
	if k.now, err = s.db.Now(ctx); err != nil {
		return nil, err
	}
	for _, r := range list {
		k.of[r.EventID] = r
	}
	s.known.Store(k)
	return k, nil
}

// readTime is the longest that somebody who waits is kept from an answer.
const readTime = 4 * time.Second

// Room is the room that an event has now, and its phase; Over when seats are sold as
// always. It may be a second old. While the database cannot be asked, the last that was
// known comes with the error.
func (s *Service) Room(ctx context.Context, eventID int64) (Room, Phase, error) {
	k, err := s.look(ctx)
	if k == nil {
		return Room{}, Over, err
	}
	r, has := k.of[eventID]
	w, open := k.window()
	if open && (!has || PhaseAt(r, k.clock()) == Over && (r.WindowID == nil || *r.WindowID != w.ID)) {
		if err != nil {
			return Room{EventID: eventID}, Running, err
		}
		if r, err = s.openOf(ctx, eventID, w); err != nil {
			return Room{EventID: eventID}, Running, err
		}
		has = true
	}
	if !has {
		return Room{}, Over, err
	}
	return r, PhaseAt(r, k.clock()), err
}

// High tells booking that more people want seats of an event than there are: its limits
// of a release day count then.
func (s *Service) High(ctx context.Context, eventID int64) (bool, error) {
	_, phase, err := s.Room(ctx, eventID)
	return phase != Over && phase != Planned, err
}

// Handing tells from memory alone whether seats of an event are handed out in turn now, as
// this process last knew: for words on pages, never for a decision.
func (s *Service) Handing(eventID int64) bool {
	k := s.known.Load()
	if k == nil {
		return false
	}
	if r, has := k.of[eventID]; has {
		if p := PhaseAt(r, k.clock()); p != Over {
			return p != Planned
		}
		w, open := k.window()
		return open && (r.WindowID == nil || *r.WindowID != w.ID)
	}
	_, open := k.window()
	return open
}

// openOf makes the room that a window wants for an event.
func (s *Service) openOf(ctx context.Context, eventID int64, w Window) (Room, error) {
	err := s.db.InTx(ctx, func(t *db.Tx) error {
		made, err := t.OpenRoomOfWindow(ctx, eventID, w.ID)
		if err != nil || !made {
			return err
		}
		return t.EmptyWaitRoom(ctx, eventID)
	})
	if err != nil {
		return Room{}, err
	}
	if _, err := s.refresh(ctx); err != nil {
		return Room{}, err
	}
	return s.db.WaitRoom(ctx, eventID)
}

// Token is the hash of a browser's cookie, as places are stored under it; nil for none.
func Token(cookie string) []byte {
	if cookie == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(cookie))
	return sum[:]
}

// ErrFull says that an address has as many places in line as it may.
var ErrFull = errors.New("too many places from one address")

// ErrNoRoom says that seats of the event are sold as always.
var ErrNoRoom = errors.New("there is no waiting room")

// Join gives a browser a place in line; who has one keeps it. address is the key of where
// it comes from (domain.Signer.AddressKey), "" when that tells people not apart: then no
// limit counts. ErrFull, ErrNoRoom.
func (s *Service) Join(ctx context.Context, eventID int64, token []byte, address string) error {
	_, phase, err := s.Room(ctx, eventID)
	if err != nil {
		return err
	}
	if phase == Over || phase == Planned {
		return ErrNoRoom
	}
	w := db.NewWaiter{EventID: eventID, TokenHash: token, Here: hereAfterPage}
	if address != "" {
		w.AddressHash = []byte(address)
	}
	if w.AddressHash == nil {
		return joinLine(ctx, s.db.Queries, w)
	}
	return s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockWaitAddress(ctx, eventID, w.AddressHash); err != nil {
			return err
		}
		return joinLine(ctx, t.Queries, w)
	})
}

func joinLine(ctx context.Context, q db.Queries, w db.NewWaiter) error {
	joined, err := q.JoinLine(ctx, w)
	if err != nil || joined {
		return err
	}
	_, err = q.WaitEntry(ctx, w.EventID, w.TokenHash)
	if errors.Is(err, domain.ErrNotFound) {
		return ErrFull
	}
	return err
}
