package waitroom

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// State is how it stands with one browser.
type State string

const (
	NoRoom  State = "none"    // seats are sold as always
	Soon    State = "planned" // as well, until the room begins
	Outside State = "outside" // no place in line yet
	Draw    State = "draw"    // before the opening: the place comes by lot
	InLine  State = "line"
	Turn    State = "turn" // may choose now
	Passed  State = "passed"
	Done    State = "done" // booked with this turn
)

// Place is what somebody who waits is told.
type Place struct {
	State  State
	Room   Room
	Phase  Phase
	Zone   string    // the event's
	Until  time.Time // of a turn: its end
	Ahead  int       // of those who are here
	People int       // who are here and wait
	// Low and High are how long it may take; both 0 where nobody knows.
	Low, High time.Duration
	Seats     int
	Free      int
	Coming    int  // held by others now
	Old       bool // the database does not answer: the last that was known
	Now       time.Time
}

// line is one event's line as a process last saw it.
type line struct {
	read  time.Time // ours
	asked time.Time // when somebody last looked
	of    map[string]db.WaitEntry
	here  []int64 // ranks of those who wait and are here, in order
	facts db.LineFacts
	now   time.Time
}

const (
	lineAge  = 2 * time.Second // so old may the copy be that places are told from
	lineKept = time.Minute     // a copy that nobody asks for is dropped
	// A page that looks again by itself does so each 5 s, in a tab behind others once a
	// minute; one without a script is loaded again by hand.
	hereAfterPage = 150 * time.Second
	hereAfterPoll = 100 * time.Second
)

// Look tells how it stands with a browser and takes it as a sign of life; byHand says
// that the page was loaded, not looked at by its script. It errs only when nothing at all
// is known.
func (s *Service) Look(ctx context.Context, eventID int64, token []byte, byHand bool) (Place, error) {
	room, phase, err := s.Room(ctx, eventID)
	if err != nil && room.EventID == 0 {
		return Place{}, err
	}
	p := Place{Room: room, Phase: phase, Old: err != nil}
	switch phase {
	case Over:
		p.State = NoRoom
		return p, nil
	case Planned:
		p.State = Soon
	}
	l, err := s.line(ctx, eventID)
	if l == nil {
		return p, err
	}
	p.Old = p.Old || err != nil
	p.Zone, p.Now = l.facts.TimeZone, l.now.Add(time.Since(l.read))
	p.Seats, p.Free, p.Coming, p.People = l.facts.Seats, l.facts.Free, l.facts.Coming, len(l.here)
	if p.State == Soon {
		return p, nil
	}
	e, err := s.entry(ctx, l, eventID, token)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		p.State = Outside
		return p, nil
	case err != nil:
		return p, err
	}
	here := hereAfterPoll
	if byHand {
		here = hereAfterPage
	}
	s.alive(eventID, token, here)
	p.place(l, e)
	return p, nil
}

func (p *Place) place(l *line, e db.WaitEntry) {
	if _, counted := slices.BinarySearch(l.here, e.Rank); e.State == "waiting" && !counted {
		p.People++ // came, or came back, since the copy was read
	}
	switch {
	case e.State == "done":
		p.State = Done
	case e.State == "expired" || e.State == "admitted" && !p.Now.Before(*e.ExpiresAt):
		p.State = Passed
	case e.State == "admitted":
		p.State, p.Until = Turn, *e.ExpiresAt
	case p.Now.Before(p.Room.OpensAt):
		p.State = Draw
	default:
		p.State = InLine
		p.Ahead, _ = slices.BinarySearch(l.here, e.Rank)
		p.Low, p.High = Estimate(p.Room, p.Ahead, l.facts.Recent, p.Now.Sub(p.Room.OpensAt))
	}
}

// line is the copy of a line, at most lineAge old; while the database does not answer,
// the last copy with the error.
func (s *Service) line(ctx context.Context, eventID int64) (*line, error) {
	s.mu.Lock()
	l := s.lines[eventID]
	if l != nil {
		l.asked = time.Now()
	}
	s.mu.Unlock()
	if l != nil && time.Since(l.read) < lineAge {
		return l, nil
	}
	v, err, _ := s.reads.Do("line "+strconv.FormatInt(eventID, 10), func() (any, error) { return s.readLine(context.WithoutCancel(ctx), eventID) })
	if err != nil {
		return l, err
	}
	return v.(*line), nil
}

func (s *Service) readLine(ctx context.Context, eventID int64) (*line, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	l := &line{read: time.Now(), asked: time.Now(), of: map[string]db.WaitEntry{}}
	var err error
	if l.facts, err = s.db.LineFacts(ctx, eventID); err != nil {
		return nil, err
	}
	list, err := s.db.WaitLine(ctx, eventID)
	if err != nil {
		return nil, err
	}
	if l.now, err = s.db.Now(ctx); err != nil {
		return nil, err
	}
	for _, e := range list {
		l.of[string(e.TokenHash)] = e
		if e.State == "waiting" && e.Here {
			l.here = append(l.here, e.Rank)
		}
	}
	s.mu.Lock()
	s.lines[eventID] = l
	s.mu.Unlock()
	return l, nil
}

// entry is a browser's place: from the copy, or from the database for one who came just
// now or whose turn is over.
func (s *Service) entry(ctx context.Context, l *line, eventID int64, token []byte) (db.WaitEntry, error) {
	if token == nil {
		return db.WaitEntry{}, domain.ErrNotFound
	}
	if e, ok := l.of[string(token)]; ok && (e.State == "waiting" || l.now.Add(time.Since(l.read)).Before(*e.ExpiresAt)) {
		return e, nil
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	return s.db.WaitEntry(ctx, eventID, token)
}

// Chooser is who wants to hold seats.
type Chooser struct {
	Token  []byte               // of the place in line, nil for none
	Holder domain.Holder        // "" for a browser that never held seats
	Become func() domain.Holder // makes a visitor of it; called only when it has a turn
}

// May tells whether somebody may hold seats of an event now: there is no room, or they
// have seats of it already, or they have a turn, which from here on is this visitor's
// alone. With a room the answer is the database's own, never a copy's, and while it does
// not answer everybody waits. An error says that nobody knows whether there is a room.
func (s *Service) May(ctx context.Context, eventID int64, who Chooser) (bool, error) {
	_, phase, err := s.Room(ctx, eventID)
	if phase == Over || phase == Planned {
		return err == nil, err
	}
	may := false
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, readTime)
		defer cancel()
		may, err = s.has(ctx, eventID, who)
	}
	if err != nil {
		s.log.Warn("a turn could not be checked: the visitor waits", "event", eventID, "error", err.Error())
	}
	return may, nil
}

func (s *Service) has(ctx context.Context, eventID int64, who Chooser) (bool, error) {
	if who.Holder != "" {
		if ids, err := s.db.ActiveHolds(ctx, who.Holder, eventID); err != nil || len(ids) > 0 {
			return err == nil, err
		}
	}
	if who.Token == nil {
		return false, nil
	}
	e, err := s.db.WaitEntry(ctx, eventID, who.Token)
	if errors.Is(err, domain.ErrNotFound) || err == nil && (e.State != "admitted" || !e.Now.Before(*e.ExpiresAt)) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return s.db.UseTurn(ctx, eventID, who.Token, string(who.Become()))
}
