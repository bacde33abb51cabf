package booking

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Offer is one event on one ride: what can be bought there and until when.
type Offer struct {
	Event    domain.Event
	Stops    []domain.EventStop // none for a screening
	Ride     domain.Ride
	Layout   *domain.Layout
	Fares    domain.Fares
	Settings domain.Settings
	Boards   time.Time // start of a screening, departure at the boarding stop of a trip
	Arrives  time.Time
	ClosesAt time.Time
	ForWomen map[string]bool // only women may take these; nil when the house has no such rule
}

// Open says whether holds may be made now.
func (o *Offer) Open() bool {
	return o.Event.Status == "published" && o.Event.Now.Before(o.ClosesAt)
}

// After is the offer with its clock so much later: what was read a moment ago, now.
func (o *Offer) After(passed time.Duration) *Offer {
	later := *o
	later.Event.Now = o.Event.Now.Add(passed)
	return &later
}

// CounterClosesAt is when the counter's own sales of the ride end, mostly after the start.
func (o *Offer) CounterClosesAt() time.Time {
	return domain.ClosesOn(domain.ChannelCounter, o.Event, o.Boards, o.Settings)
}

// OpenAtCounter says whether the counter may sell now.
func (o *Offer) OpenAtCounter() bool {
	return o.Event.Status == "published" && o.Event.Now.Before(o.CounterClosesAt())
}

// Offer reads an event for customers. ride nil means first to last stop. A draft is
// ErrNotFound; stops that do not exist, are in the wrong order, closed to
// passengers or not sold together are a RuleError.
func (s *Service) Offer(ctx context.Context, eventID int64, ride *domain.Ride) (*Offer, error) {
	o, err := s.Scene(ctx, eventID, ride)
	if err != nil {
		return nil, err
	}
	if o.Event.Status == "draft" {
		return nil, fmt.Errorf("event %d is a draft: %w", eventID, domain.ErrNotFound)
	}
	if from, to := o.ends(); from != nil && (!from.MayBoard || !to.MayAlight) {
		return nil, &domain.RuleError{Code: "ride", Words: "This bus does not take passengers between these two stops. Please choose others."}
	}
	if o.Fares, err = s.db.Fares(ctx, o.Event.ID, o.Ride); err != nil {
		return nil, err
	}
	if len(o.Fares) == 0 {
		return nil, &domain.RuleError{Code: "ride", Words: "No tickets are sold between these two stops. Please choose others."}
	}
	return o, nil
}

// Scene is an offer without prices, of an event in whatever status: what a ticket
// that was sold needs.
func (s *Service) Scene(ctx context.Context, eventID int64, ride *domain.Ride) (*Offer, error) {
	e, err := s.db.Event(ctx, eventID)
	if err != nil {
		return nil, err
	}
	o := &Offer{Event: e, Ride: domain.Ride{From: 0, To: e.LastStop}, Boards: e.StartsAt, Arrives: e.EndsAt}
	if o.Settings, err = s.Settings(ctx); err != nil {
		return nil, err
	}
	if o.Layout, err = s.Layout(ctx, e.LayoutVersionID); err != nil {
		return nil, err
	}
	if ride != nil {
		o.Ride = *ride
	}
	if err := s.board(ctx, o); err != nil {
		return nil, err
	}
	o.ClosesAt = domain.ClosesAt(e, o.Boards, o.Settings)
	if o.ForWomen, err = s.forWomen(ctx, s.db.Queries, e, o.Layout, o.Ride, o.Settings.LadiesRule); err != nil {
		return nil, err
	}
	return o, nil
}

// ends are the stops of a trip's ride, nil for a screening.
func (o *Offer) ends() (from, to *domain.EventStop) {
	if len(o.Stops) == 0 {
		return nil, nil
	}
	return &o.Stops[o.Ride.From], &o.Stops[o.Ride.To]
}

// board checks the ride against the stops and takes its times from them.
func (s *Service) board(ctx context.Context, o *Offer) error {
	if o.Ride.From < 0 || o.Ride.From >= o.Ride.To || o.Ride.To > o.Event.LastStop {
		return &domain.RuleError{Code: "ride", Words: "These stops do not go together: you must get off after you got on."}
	}
	if o.Event.Kind == domain.Screening {
		return nil
	}
	var err error
	if o.Stops, err = s.db.EventStops(ctx, o.Event.ID); err != nil {
		return err
	}
	if len(o.Stops) != o.Event.LastStop+1 {
		return fmt.Errorf("event %d has %d stops, wants %d", o.Event.ID, len(o.Stops), o.Event.LastStop+1)
	}
	from, to := o.ends()
	o.Boards, o.Arrives = from.DepartsAt, to.ArrivesAt
	return nil
}

// Seats is who can have which place of an offer, as one visitor sees it.
type Seats struct {
	Taken map[string]bool // not claimable by this visitor on every leg
	// Payers are those of Taken whose holder's time is over while the payment page is
	// still open: asking for such a seat closes the page, or learns that it was paid.
	Payers map[string]bool
	Mine   map[string]bool // held by this visitor now
	Women  map[string]bool // only for women: the offer's ForWomen
	// Until is, for those of Taken that come back only at a known time or never, that time:
	// zero for never. Whoever lets go earlier is not foreseen.
	Until map[string]time.Time
	Hold  *domain.Hold // the visitor's running hold, nil when there is none
	// Version is a number that changes when any of it does.
	Version uint32
}

// Marks are what the map shows beyond free seats, as "t:A1" (taken), "p:A1" (may come
// back), "m:A1" (this visitor's) and "w:A1" (for women), sorted.
func (x *Seats) Marks() []string {
	var out []string
	for no := range x.Taken {
		if x.Payers[no] {
			out = append(out, "p:"+no)
		} else {
			out = append(out, "t:"+no)
		}
	}
	for no := range x.Mine {
		out = append(out, "m:"+no)
	}
	for no := range x.Women {
		out = append(out, "w:"+no)
	}
	slices.Sort(out)
	return out
}

// Free is the opposite of Taken, over the whole layout.
func (x *Seats) Free(l *domain.Layout) map[string]bool {
	free := make(map[string]bool, len(l.Cells))
	for _, c := range l.Cells {
		if c.Kind.Sellable() {
			free[c.SeatNo] = !x.Taken[c.SeatNo]
		}
	}
	return free
}

// Seats reads the map for a visitor; holder "" for one we do not know.
func (s *Service) Seats(ctx context.Context, o *Offer, holder domain.Holder) (*Seats, error) {
	out := &Seats{Taken: map[string]bool{}, Payers: map[string]bool{}, Mine: map[string]bool{}, Until: map[string]time.Time{}, Women: o.ForWomen}
	var mine []string
	if holder != "" {
		var err error
		if mine, err = s.db.ActiveHolds(ctx, holder, o.Event.ID); err != nil {
			return nil, err
		}
		if err := s.running(ctx, out, mine); err != nil {
			return nil, err
		}
	}
	taken, err := s.db.TakenSeats(ctx, o.Event.ID, o.Ride, mine...)
	if err != nil {
		return nil, err
	}
	sum := crc32.NewIEEE()
	fmt.Fprintf(sum, "%d %d %d\n", o.Event.LayoutVersionID, o.Ride.From, o.Ride.To)
	for _, t := range taken {
		out.Taken[t.SeatNo] = true
		switch {
		case t.Payer:
			out.Payers[t.SeatNo] = true
		case t.Until == nil:
			out.Until[t.SeatNo] = time.Time{}
		default:
			out.Until[t.SeatNo] = *t.Until
		}
	}
	for _, m := range out.Marks() {
		fmt.Fprintln(sum, m)
	}
	out.Version = sum.Sum32()
	return out, nil
}

func (s *Service) running(ctx context.Context, out *Seats, mine []string) error {
	if len(mine) == 0 {
		return nil
	}
	h, err := s.db.Hold(ctx, mine[0])
	if err := ignore(err, domain.ErrNotFound); err != nil || h == nil {
		return err
	}
	if p := h.Phase(); p != domain.PhaseHeld && p != domain.PhasePaying {
		return nil
	}
	out.Hold = h
	for _, no := range h.SeatNos() {
		out.Mine[no] = true
	}
	return nil
}

// lastTyped is what the visitor typed for this event the last time, so that "the
// same seats again" loses nothing.
func (s *Service) lastTyped(ctx context.Context, q db.Queries, holder domain.Holder, eventID int64) (*domain.Hold, error) {
	id, err := q.LastHold(ctx, holder, eventID)
	if errors.Is(err, domain.ErrNotFound) {
		return &domain.Hold{}, nil
	}
	if err != nil {
		return nil, err
	}
	return q.Hold(ctx, id)
}
