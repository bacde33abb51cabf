package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"holdfast/db"
	"holdfast/internal/domain"
)

// noSeat is what stands on a ticket whose holder has no seat after a swap, with a number:
// the ticket stays good, the office finds a seat or another departure.
const noSeat = "NOSEAT-"

// Rider is one seat that somebody has of an event, before a swap.
type Rider struct {
	db.Seated
	Key string // of its field in the form: "t12", "h<hold>.A1"
	Was string // its place in words: "Row D, seat 7"
}

// Party are riders who booked together.
type Party struct {
	Reference, Name, Phone, Email string
	BookingID                     int64 // 0: they are still buying
	Ride                          domain.Ride
	Riders                        []Rider
}

// SwapTarget is a hall or coach that an event may go to.
type SwapTarget struct {
	ID      int64
	Name    string
	Seats   int
	Version int64
	Same    bool // the event's own, in the newest version of its plan
}

// SwapScene is an event with who sits where and what it may go to.
type SwapScene struct {
	Event    domain.Event
	Layout   *domain.Layout
	Parties  []Party
	Targets  []SwapTarget
	Last     *db.EventSwap // the newest that stands, nil for none
	Moves    []db.SeatMove // of Last
	Mails    int           // that telling people would send
	Seatless []Party       // who has no seat now
}

// Swap is a seating in another hall or coach, as staff decided it.
type Swap struct {
	EventID    int64
	Revision   int
	ResourceID int64
	To         map[string]string // by rider; "" is no seat
}

// SwapScene reads it; domain.ErrNotFound.
func (s *Service) SwapScene(ctx context.Context, id int64) (x *SwapScene, err error) {
	x = &SwapScene{}
	if x.Event, err = s.db.Event(ctx, id); err != nil {
		return nil, err
	}
	if x.Layout, err = s.db.Layout(ctx, x.Event.LayoutVersionID); err != nil {
		return nil, err
	}
	if x.Parties, err = parties(ctx, s.db.Queries, x.Event, x.Layout); err != nil {
		return nil, err
	}
	x.Seatless = seatless(x.Parties)
	if x.Targets, err = s.swapTargets(ctx, x.Event); err != nil {
		return nil, err
	}
	last, err := s.db.LastSwap(ctx, id)
	if errors.Is(err, domain.ErrNotFound) {
		return x, nil
	}
	if err != nil {
		return nil, err
	}
	x.Last = &last
	if x.Moves, err = s.db.MovesOf(ctx, last.ID); err != nil {
		return nil, err
	}
	people, err := s.db.SwapPeople(ctx, last.ID)
	x.Mails = len(people)
	return x, err
}

func seatless(all []Party) (out []Party) {
	for _, p := range all {
		if slices.ContainsFunc(p.Riders, func(r Rider) bool { return strings.HasPrefix(r.SeatNo, noSeat) }) {
			out = append(out, p)
		}
	}
	return out
}

// swapTargets are the halls or coaches in use; the event's own only when its plan has
// another version by now.
func (s *Service) swapTargets(ctx context.Context, e domain.Event) (out []SwapTarget, err error) {
	kind := "hall"
	if e.Kind == domain.Trip {
		kind = "coach"
	}
	all, err := s.db.Resources(ctx, "", false)
	for _, r := range all {
		same := r.ID == e.ResourceID
		if r.Kind == kind && !(same && r.LayoutVersionID == e.LayoutVersionID) {
			out = append(out, SwapTarget{ID: r.ID, Name: r.Name, Seats: r.Seats, Version: r.LayoutVersionID, Same: same})
		}
	}
	return out, err
}

// parties groups who sits in an event by booking or hold.
func parties(ctx context.Context, q db.Queries, e domain.Event, l *domain.Layout) ([]Party, error) {
	list, err := q.Seated(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	var out []Party
	group := ""
	for _, x := range list {
		r := Rider{Seated: x, Key: fmt.Sprintf("t%d", x.TicketID), Was: x.SeatNo}
		if x.TicketID == 0 {
			r.Key = "h" + x.HoldID + "." + x.SeatNo
		}
		if c, ok := l.Seat(x.SeatNo); ok {
			r.Was = l.Where(c)
		}
		if g := fmt.Sprint(x.BookingID, x.HoldID, x.FromStop, x.ToStop); g != group || len(out) == 0 {
			group = g
			out = append(out, Party{Reference: x.Reference, Name: x.Name, Phone: x.Phone, Email: x.Email, BookingID: x.BookingID, Ride: domain.Ride{From: x.FromStop, To: x.ToStop}})
			if x.Name == "" {
				out[len(out)-1].Name = x.Label
			}
		}
		p := &out[len(out)-1]
		p.Riders = append(p.Riders, r)
	}
	for i := range out {
		sortRiders(l, out[i].Riders)
	}
	return out, nil
}

func sortRiders(l *domain.Layout, riders []Rider) {
	var nos []string
	for _, r := range riders {
		nos = append(nos, r.SeatNo)
	}
	l.SortSeats(nos)
	slices.SortStableFunc(riders, func(a, b Rider) int { return slices.Index(nos, a.SeatNo) - slices.Index(nos, b.SeatNo) })
}

// seating puts parties into the planner's words. A place that the plan does not know is an
// ordinary seat of the first zone.
func seating(l *domain.Layout, all []Party) []domain.Party {
	out := make([]domain.Party, len(all))
	for i, p := range all {
		out[i].Ride = p.Ride
		for _, r := range p.Riders {
			c, ok := l.Seat(r.SeatNo)
			if !ok {
				c = domain.Cell{Kind: domain.CellSeat, Zone: 1}
			}
			out[i].Riders = append(out[i].Riders, domain.Rider{Key: r.Key, Was: c, Woman: r.Woman || c.Ladies, Beside: r.WomenBeside})
		}
	}
	return out
}

// SwapPlan is a target's plan with a seating, proposed or as somebody changed it.
type SwapPlan struct {
	Target SwapTarget
	Plan   *domain.Layout
	To     map[string]string
	Wrong  map[string]string // by rider, in words
	None   []Party           // who would have no seat
	Apart  []Party           // who would not sit together any more
	Closed []string          // places that are blocked there
}

// PlanSwap proposes a seating; to is one that somebody made, nil asks for a proposal.
// domain.ErrNotFound: no such target.
func (s *Service) PlanSwap(ctx context.Context, x *SwapScene, resourceID int64, to map[string]string, set domain.Settings) (*SwapPlan, error) {
	at := slices.IndexFunc(x.Targets, func(t SwapTarget) bool { return t.ID == resourceID })
	if at < 0 {
		return nil, fmt.Errorf("swap to resource %d: %w", resourceID, domain.ErrNotFound)
	}
	p := &SwapPlan{Target: x.Targets[at], To: to}
	var err error
	if p.Plan, err = s.db.Layout(ctx, p.Target.Version); err != nil {
		return nil, err
	}
	rows, err := s.db.SeatRows(ctx, x.Event.ID)
	if err != nil {
		return nil, err
	}
	closed := blockedPlaces(x.Event, rows)
	for no := range closed {
		if _, ok := p.Plan.Seat(no); ok {
			p.Closed = append(p.Closed, no)
		}
	}
	p.Plan.SortSeats(p.Closed)
	people := seating(x.Layout, x.Parties)
	if to == nil {
		rules := domain.SeatingRules{Women: set.LadiesRule != "off", Beside: set.LadiesRule == "seats_and_neighbours", Closed: closed}
		p.To = p.Plan.Reseat(people, rules)
	}
	p.Wrong = p.Plan.CheckSeating(people, p.To, closed)
	p.judge(x)
	return p, nil
}

func (p *SwapPlan) judge(x *SwapScene) {
	for _, party := range x.Parties {
		var was, is []string
		for _, r := range party.Riders {
			was, is = append(was, r.SeatNo), append(is, p.To[r.Key])
		}
		switch {
		case slices.Contains(is, ""):
			p.None = append(p.None, party)
		case x.Layout.Together(was) && !p.Plan.Together(is):
			p.Apart = append(p.Apart, party)
		}
	}
}

// blockedPlaces are an event's places that are blocked now.
func blockedPlaces(e domain.Event, rows []db.SeatRow) map[string]bool {
	out := map[string]bool{}
	for _, r := range rows {
		if r.State == "blocked" && (r.HeldUntil == nil || !r.HeldUntil.Before(e.Now)) {
			out[r.SeatNo] = true
		}
	}
	return out
}
