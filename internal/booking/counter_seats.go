package booking

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"

	"holdfast/db"
	"holdfast/internal/domain"
)

// CounterSeat is one seat that is not simply free.
type CounterSeat = db.CounterSeat

// CounterMap is who has which place of an offer, as the counter sees it.
type CounterMap struct {
	Looks map[string]CounterSeat // by seat_no; what is not in it is free
	Mine  map[string]bool        // of the hold that is being sold
	// Version is a number that changes when any of it does.
	Version uint32
}

// CounterMap reads it; holdID names the hold that is being sold, "" for none.
func (s *Service) CounterMap(ctx context.Context, o *Offer, hold *domain.Hold) (*CounterMap, error) {
	x := &CounterMap{Looks: map[string]CounterSeat{}, Mine: map[string]bool{}}
	mine := ""
	if hold != nil {
		mine = hold.ID
		for _, no := range hold.SeatNos() {
			x.Mine[no] = true
		}
	}
	list, err := s.db.CounterSeats(ctx, o.Event.ID, o.Ride, mine)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		x.Looks[c.SeatNo] = c
		delete(x.Mine, c.SeatNo)
	}
	sum := crc32.NewIEEE()
	fmt.Fprintf(sum, "counter %d %d %d\n", o.Event.LayoutVersionID, o.Ride.From, o.Ride.To)
	for _, m := range x.Marks() {
		fmt.Fprintln(sum, m)
	}
	x.Version = sum.Sum32()
	return x, nil
}

// Marks are what the map shows beyond free seats, "booked:A1" and so on, sorted.
func (x *CounterMap) Marks() []string {
	var out []string
	for no, c := range x.Looks {
		state := c.State
		if c.Payer {
			state = "payer"
		}
		out = append(out, state+":"+no)
	}
	for no := range x.Mine {
		out = append(out, "mine:"+no)
	}
	slices.Sort(out)
	return out
}

// Free are the seats that can be proposed: blocked ones and those that somebody may just
// be paying for are not among them.
func (x *CounterMap) Free(l *domain.Layout) map[string]bool {
	free := make(map[string]bool, len(l.Cells))
	for _, c := range l.Cells {
		if c.Kind.Sellable() {
			_, other := x.Looks[c.SeatNo]
			free[c.SeatNo] = !other
		}
	}
	return free
}

// Proposal is what the house would give somebody who asks for so many seats.
type Proposal struct {
	Seats []string
	Apart bool // they are not side by side
}

// Propose chooses seats in a zone, 0 for anywhere. Without so many free ones, none.
func (o *Offer) Propose(n, zone int, free map[string]bool) Proposal {
	w := domain.BestWish{Quantity: n, Zone: zone, RowPercent: o.Settings.BestSeatRowFromFront, Rules: o.Rules()}
	priced := o.sold(free)
	if set := o.Layout.Best(w, priced); set != nil {
		return Proposal{Seats: set}
	}
	w.Apart = true
	return Proposal{Seats: o.Layout.Best(w, priced), Apart: true}
}
