package demo

import (
	"math/rand/v2"
	"slices"

	"holdfast/internal/domain"
)

// party is a group that sits together on one ride.
type party struct {
	ride  domain.Ride
	seats []domain.Cell
}

// crowd seats parties in one event. Where they sit and how many they are is made
// up; that no seat is given twice on a leg is not.
type crowd struct {
	rng    *rand.Rand
	layout *domain.Layout
	runs   [][]domain.Cell
	legs   int
	taken  map[string]uint // bit k: leg k+1
	out    []party
}

func newCrowd(rng *rand.Rand, l *domain.Layout, legs int) *crowd {
	return &crowd{rng: rng, layout: l, runs: l.Runs(), legs: legs, taken: map[string]uint{}}
}

func legsOf(r domain.Ride) uint { return (1<<r.To - 1) &^ (1<<r.From - 1) }

func (c *crowd) free(seat domain.Cell, r domain.Ride) bool {
	return c.taken[seat.SeatNo]&legsOf(r) == 0
}

func (c *crowd) seat(r domain.Ride, set []domain.Cell) {
	for _, s := range set {
		c.taken[s.SeatNo] |= legsOf(r)
	}
	c.out = append(c.out, party{r, slices.Clone(set)})
}

// some seats parties until so many seats × legs are taken. Spaces for wheelchairs
// with their companion seats and berths for ladies stay free.
func (c *crowd) some(seatLegs int, rides []domain.Ride) {
	for tries := 0; seatLegs > 0 && tries < 2000; tries++ {
		r := c.ride(rides)
		set := c.place(r, c.size())
		if set == nil {
			continue
		}
		c.seat(r, set)
		seatLegs -= len(set) * r.Legs()
	}
}

// ride is the whole way as often as any part of it.
func (c *crowd) ride(rides []domain.Ride) domain.Ride {
	if c.rng.IntN(2) == 0 {
		return domain.Ride{From: 0, To: c.legs}
	}
	return rides[c.rng.IntN(len(rides))]
}

func (c *crowd) size() int {
	sizes := []int{1, 2, 2, 2, 2, 3, 3, 4, 4, 5}
	if c.layout.Vehicle {
		sizes = []int{1, 1, 1, 1, 2, 2, 2, 2}
	}
	return sizes[c.rng.IntN(len(sizes))]
}

// place finds n neighbours: the best of some places that people look at.
func (c *crowd) place(r domain.Ride, n int) []domain.Cell {
	var best []domain.Cell
	for range 6 {
		run := c.runs[c.rng.IntN(len(c.runs))]
		if len(run) < n {
			continue
		}
		i := c.rng.IntN(len(run) - n + 1)
		set := run[i : i+n]
		if slices.ContainsFunc(set, func(s domain.Cell) bool {
			return s.Kind == domain.CellWheelchair || s.Kind == domain.CellCompanion || s.Ladies || !c.free(s, r)
		}) {
			continue
		}
		if best == nil || c.dislike(set[0]) < c.dislike(best[0]) {
			best = set
		}
	}
	return best
}

// dislike is the distance from where people like to sit: two thirds back in a
// hall, in front in a coach.
func (c *crowd) dislike(s domain.Cell) int {
	last := c.layout.Cells[len(c.layout.Cells)-1]
	if c.layout.Vehicle {
		return s.Row
	}
	return max(2*last.Row/3-s.Row, s.Row-2*last.Row/3)*3 + max(last.Col-2*s.Col, 2*s.Col-last.Col)
}

// all seats everybody there is room for. On trips every third party's seats are
// sold in two parts, to the middle stop and from there.
func (c *crowd) all() {
	whole := domain.Ride{From: 0, To: c.legs}
	for _, run := range c.runs {
		for len(run) > 0 {
			n := min(c.size(), len(run))
			if c.legs > 1 && c.rng.IntN(3) == 0 {
				c.seat(domain.Ride{From: 0, To: c.legs / 2}, run[:n])
				c.seat(domain.Ride{From: c.legs / 2, To: c.legs}, run[:n])
			} else {
				c.seat(whole, run[:n])
			}
			run = run[n:]
		}
	}
}
