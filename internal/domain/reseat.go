package domain

import (
	"cmp"
	"slices"
)

// Rider is one person who has a place of an event and needs one in another plan.
type Rider struct {
	Key    string // of the ticket or the held seat
	Was    Cell   // of the old plan; a Kind alone when that does not know the place
	Woman  bool   // has a place for women, or said so
	Beside bool   // asked that only women sit beside her; she travels alone
}

// Party are people who booked together and want to sit together, on one ride.
type Party struct {
	Ride   Ride
	Riders []Rider // in the order of the old plan
}

// SeatingRules are what a house minds when it seats people anew.
type SeatingRules struct {
	Women  bool            // places that the plan marks are for women alone
	Beside bool            // so is the place beside a woman who asked for it
	Closed map[string]bool // places that nobody gets
}

// Reseat finds everybody a place in this plan: whoever can stays where they are, parties
// stay together, berths go to berths and wheelchair spaces to wheelchairs. A party gets
// places for all of it or for none; whose key is missing in the answer has none.
//
// There is no quick way to the best of all seatings. A few ways of going about it are
// tried and the one is taken that leaves the fewest people without a place, then the
// fewest parties apart, then the fewest in another zone, then the fewest moved.
func (l *Layout) Reseat(parties []Party, r SeatingRules) map[string]string {
	var best *seating
	for _, keep := range []int{1, 2, 3, 99} { // parties of at least so many stay where they are if they can
		s := &seating{l: l, rules: r, to: map[string]string{}, sitting: map[string][]sitter{}}
		s.all(parties, keep)
		if best == nil || slices.Compare(s.cost(parties), best.cost(parties)) < 0 {
			best = s
		}
	}
	return best.to
}

// sitter is somebody who has got a place.
type sitter struct {
	party  int
	ride   Ride
	woman  bool
	beside bool
}

type seating struct {
	l       *Layout
	rules   SeatingRules
	to      map[string]string   // by rider
	sitting map[string][]sitter // by place
	berths  bool                // the plan has berths alone
	seats   bool                // or no berth at all
}

// all seats the parties: first those that stay, then those with a wheelchair, then the
// larger ones; at last whoever is left, on places that are kept for companions too.
func (s *seating) all(parties []Party, keep int) {
	s.berths, s.seats = true, true
	for _, c := range s.l.Cells {
		s.seats = s.seats && c.Kind != CellBerth
		s.berths = s.berths && c.Kind != CellSeat
	}
	order := make([]int, len(parties))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(parties[b].special(), parties[a].special()), cmp.Compare(len(parties[b].Riders), len(parties[a].Riders)))
	})
	done := make([]bool, len(parties))
	try := func(least int, place func(int, Party) bool) {
		for _, i := range order {
			if !done[i] && len(parties[i].Riders) >= least {
				done[i] = place(i, parties[i])
			}
		}
	}
	try(keep, s.stay)
	for _, loose := range []bool{false, true} {
		try(1, func(i int, p Party) bool {
			return keep == 1 && s.stay(i, p) || s.together(i, p, loose) || s.apart(i, p, loose)
		})
	}
}

// special parties come first: their places are few.
func (p Party) special() int {
	n := 0
	for _, x := range p.Riders {
		if x.Was.Kind == CellWheelchair || x.Was.Kind == CellCompanion {
			n = max(n, 2)
		}
		if x.Beside {
			n = max(n, 1)
		}
	}
	return n
}

// fits says whether somebody may have a place. loose opens companion seats to others.
func (s *seating) fits(i int, p Party, x Rider, c Cell, loose bool) bool {
	if s.rules.Closed[c.SeatNo] || !s.kind(x.Was.Kind, c.Kind, loose) || s.rules.Women && c.Ladies && !x.Woman {
		return false
	}
	for _, o := range s.sitting[c.SeatNo] {
		if o.ride.Overlaps(p.Ride) {
			return false
		}
	}
	if !s.rules.Beside {
		return true
	}
	for _, no := range s.l.Beside(c.SeatNo) {
		for _, o := range s.sitting[no] {
			if o.party != i && o.ride.Overlaps(p.Ride) && (o.beside && !x.Woman || x.Beside && !o.woman) {
				return false
			}
		}
	}
	return true
}

func (s *seating) kind(was, is CellKind, loose bool) bool {
	switch is {
	case CellWheelchair:
		return was == CellWheelchair
	case CellCompanion:
		return was == CellCompanion || loose && was != CellWheelchair && was != CellBerth
	case CellBerth:
		return was == CellBerth || s.berths && was != CellWheelchair
	case CellSeat:
		return was == CellSeat || was == CellBerth && s.seats || was == CellCompanion && loose
	}
	return false
}

func (s *seating) sit(i int, p Party, places []Cell) {
	for k, x := range p.Riders {
		s.to[x.Key] = places[k].SeatNo
		s.sitting[places[k].SeatNo] = append(s.sitting[places[k].SeatNo], sitter{i, p.Ride, x.Woman, x.Beside})
	}
}

// stay seats a party where it is, when the plan has the very same places.
func (s *seating) stay(i int, p Party) bool {
	places := make([]Cell, len(p.Riders))
	for k, x := range p.Riders {
		c, ok := s.l.Seat(x.Was.SeatNo)
		if !ok || c.Kind != x.Was.Kind || !s.fits(i, p, x, c, false) {
			return false
		}
		places[k] = c
	}
	s.sit(i, p, places)
	return true
}

// together seats a party side by side in one row.
func (s *seating) together(i int, p Party, loose bool) bool {
	var best []Cell
	least, n := 0, len(p.Riders)
	for _, run := range s.l.Runs() {
		for k := 0; k+n <= len(run); k++ {
			for _, set := range [][]Cell{run[k : k+n], reversed(run[k : k+n])} {
				cost, ok := s.price(i, p, set, loose)
				if ok && (best == nil || cost < least) {
					best, least = slices.Clone(set), cost
				}
			}
		}
	}
	if best == nil {
		return false
	}
	s.sit(i, p, best)
	return true
}

func reversed(cells []Cell) []Cell {
	out := slices.Clone(cells)
	slices.Reverse(out)
	return out
}

// price is how far a set of places is from what the party had; false when they do not do.
func (s *seating) price(i int, p Party, set []Cell, loose bool) (cost int, ok bool) {
	for k, x := range p.Riders {
		if !s.fits(i, p, x, set[k], loose) {
			return 0, false
		}
		cost += unlike(x, set[k])
	}
	return cost, true
}

// unlike is how different a place is from the old one.
func unlike(x Rider, c Cell) int {
	cost := near(x.Was, c)
	if c.Zone != x.Was.Zone {
		cost += 500
	}
	if x.Was.Ladies && !c.Ladies {
		cost += 20
	}
	if c.Restricted && !x.Was.Restricted {
		cost += 40
	}
	return cost
}

// apart seats a party as close together as it goes: from each possible place of the first
// outwards.
func (s *seating) apart(i int, p Party, loose bool) bool {
	var best []Cell
	least := 0
	for _, c := range s.l.Cells {
		if !c.Kind.Sellable() || !s.fits(i, p, p.Riders[0], c, loose) {
			continue
		}
		set, cost := s.around(i, p, c, loose)
		if set != nil && (best == nil || cost < least) {
			best, least = set, cost
		}
	}
	if best == nil {
		return false
	}
	s.sit(i, p, best)
	return true
}

func (s *seating) around(i int, p Party, first Cell, loose bool) (set []Cell, cost int) {
	set, cost = []Cell{first}, unlike(p.Riders[0], first)
	for _, x := range p.Riders[1:] {
		var next Cell
		found, least := false, 0
		for _, c := range s.l.Cells {
			if !c.Kind.Sellable() || slices.ContainsFunc(set, func(o Cell) bool { return o.SeatNo == c.SeatNo }) || !s.fits(i, p, x, c, loose) {
				continue
			}
			far := 0
			for _, o := range set {
				far += 30 * near(o, c)
			}
			if !slices.ContainsFunc(set, func(o Cell) bool { return linked(o, c) }) {
				far += 5000
			}
			if far += unlike(x, c); !found || far < least {
				next, found, least = c, true, far
			}
		}
		if !found {
			return nil, 0
		}
		set, cost = append(set, next), cost+least
	}
	return set, cost
}

// linked places are close enough to talk: beside each other, over the aisle, or one behind
// the other.
func linked(a, b Cell) bool {
	return a.Deck == b.Deck && (a.Row == b.Row && abs(a.Col-b.Col) <= 2 || abs(a.Row-b.Row) == 1 && abs(a.Col-b.Col) <= 1)
}

// Together says whether these places are all close to one another, as a group sees it.
func (l *Layout) Together(seats []string) bool {
	var cells []Cell
	for _, no := range seats {
		c, ok := l.Seat(no)
		if !ok {
			return len(seats) < 2
		}
		cells = append(cells, c)
	}
	return together(cells)
}

func together(cells []Cell) bool {
	if len(cells) < 2 {
		return true
	}
	reached := cells[:1:1]
	for k := 0; k < len(reached); k++ {
		for _, c := range cells {
			if linked(reached[k], c) && !slices.ContainsFunc(reached, func(o Cell) bool { return o.SeatNo == c.SeatNo }) {
				reached = append(reached, c)
			}
		}
	}
	return len(reached) == len(cells)
}

// wereTogether says it of the places that a party had.
func (p Party) wereTogether() bool {
	var cells []Cell
	for _, x := range p.Riders {
		cells = append(cells, x.Was)
	}
	return together(cells)
}

// cost is what is wrong with a seating, what matters most first.
func (s *seating) cost(parties []Party) []int {
	var none, split, zones, moved int
	for _, p := range parties {
		var seats []string
		for _, x := range p.Riders {
			no, ok := s.to[x.Key]
			if !ok {
				none++
				continue
			}
			seats = append(seats, no)
			if c, _ := s.l.Seat(no); c.Zone != x.Was.Zone {
				zones++
			}
			if no != x.Was.SeatNo {
				moved++
			}
		}
		if p.wereTogether() && !s.l.Together(seats) {
			split++
		}
	}
	return []int{none, split, zones, moved}
}

// CheckSeating says by rider what is wrong with a seating that a person made: a place that
// does not exist, is closed or that two have on a common leg. A rider without a place is
// not wrong.
func (l *Layout) CheckSeating(parties []Party, to map[string]string, closed map[string]bool) map[string]string {
	type has struct {
		key  string
		ride Ride
	}
	wrong, owners := map[string]string{}, map[string][]has{}
	for _, p := range parties {
		for _, x := range p.Riders {
			no := to[x.Key]
			if no == "" {
				continue
			}
			if _, ok := l.Seat(no); !ok {
				wrong[x.Key] = "There is no place " + no + "."
				continue
			}
			if closed[no] {
				wrong[x.Key] = no + " is blocked."
			}
			for _, o := range owners[no] {
				if o.ride.Overlaps(p.Ride) {
					wrong[x.Key], wrong[o.key] = no+" stands here twice.", no+" stands here twice."
				}
			}
			owners[no] = append(owners[no], has{x.Key, p.Ride})
		}
	}
	return wrong
}
