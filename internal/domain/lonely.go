package domain

import (
	"slices"
	"sort"
)

// The rule of the single seat: a choice may not leave one free seat alone between taken
// or chosen ones, or between them and an aisle, a wall or a place of another kind. Only
// ordinary seats count; wheelchair spaces, companion seats and berths are nobody's
// leftovers. It is a rule of the house, never one of safety.

// LeftLonely names the seats that the choice leaves alone and that were not alone before
// it, in the order of the plan. free is what this buyer could have, their own seats
// included.
func (l *Layout) LeftLonely(chosen []string, free map[string]bool) []string {
	var out []string
	before := func(c Cell) bool { return free[c.SeatNo] }
	after := func(c Cell) bool { return free[c.SeatNo] && !slices.Contains(chosen, c.SeatNo) }
	for _, bench := range l.benches() {
		for i, c := range bench {
			if alone(bench, i, after) && !alone(bench, i, before) {
				out = append(out, c.SeatNo)
			}
		}
	}
	return out
}

// alone says whether a seat is open and neither neighbour is.
func alone(bench []Cell, i int, open func(Cell) bool) bool {
	return open(bench[i]) && (i == 0 || !open(bench[i-1])) && (i == len(bench)-1 || !open(bench[i+1]))
}

// benches are the stretches of ordinary seats side by side.
func (l *Layout) benches() (out [][]Cell) {
	for _, run := range l.Runs() {
		start := 0
		for i, c := range run {
			if c.Kind == CellSeat {
				continue
			}
			if i > start {
				out = append(out, run[start:i])
			}
			start = i + 1
		}
		if start < len(run) {
			out = append(out, run[start:])
		}
	}
	return out
}

// Lonely judges a choice by the rule: the seats it would leave alone, and what to take
// instead, the nearest first. Both are nil when the choice may stand. That is also so
// when the rule gives way: a party that wants to sit together is never sent apart or into
// another zone by it, and nobody is sent away while so many seats are free.
func (l *Layout) Lonely(chosen []string, free, kept map[string]bool) (lonely []string, instead [][]string) {
	w := BestWish{Quantity: len(chosen), Rules: Rules{NoLonely: true, Kept: kept}}
	var cells []Cell
	for _, no := range chosen {
		c, ok := l.Seat(no)
		if !ok || c.Kind != CellSeat || !free[no] {
			return nil, nil // not for this rule, or refused for a better reason
		}
		cells = append(cells, c)
	}
	lonely = l.LeftLonely(chosen, free)
	if len(lonely) == 0 {
		return nil, nil
	}
	w.Zone = cells[0].Zone
	for _, c := range cells {
		if c.Zone != w.Zone {
			w.Zone = 0
		}
	}
	instead = l.together(w, cells[0], free)
	if instead == nil && !sideBySide(cells) {
		if set := l.apart(w, cells[0], free); set != nil {
			instead = [][]string{set}
		}
	}
	if instead == nil {
		return nil, nil
	}
	return lonely, instead
}

// sideBySide: the cells are in the order of the plan.
func sideBySide(cells []Cell) bool {
	for i := 1; i < len(cells); i++ {
		a, b := cells[i-1], cells[i]
		if a.Deck != b.Deck || a.Row != b.Row || a.Col+1 != b.Col {
			return false
		}
	}
	return true
}

// offers is how many alternatives a page shows.
const offers = 2

// together finds neighbours that the rule allows, nearest to a cell first.
func (l *Layout) together(w BestWish, centre Cell, free map[string]bool) (out [][]string) {
	var sets [][]Cell
	for _, bench := range l.benches() {
		for i := 0; i+w.Quantity <= len(bench); i++ {
			if set := bench[i : i+w.Quantity]; l.allFit(set, w, free) && lonely(bench, i, w.Quantity, free) == 0 {
				sets = append(sets, set)
			}
		}
	}
	sort.SliceStable(sets, func(i, j int) bool { return near(sets[i][0], centre) < near(sets[j][0], centre) })
	for _, set := range sets[:min(len(sets), offers)] {
		out = append(out, seatNos(set))
	}
	return out
}

// apart finds so many seats in several stretches that the rule allows, those nearest to a
// cell first; nil when there are none. Of a stretch of n free seats any number may go but
// n-1: what is left stays together at its end.
func (l *Layout) apart(w BestWish, centre Cell, free map[string]bool) []string {
	spans := l.spans(w, free)
	sort.SliceStable(spans, func(i, j int) bool { return near(spans[i][0], centre) < near(spans[j][0], centre) })
	// took[s][n] is how many of span s to take when the first s+1 spans give n seats; -1 for never.
	took := make([][]int, len(spans))
	reach := func(s, n int) bool {
		if s < 0 {
			return n == 0
		}
		return took[s][n] >= 0
	}
	for s, span := range spans {
		took[s] = make([]int, w.Quantity+1)
		for n := range took[s] {
			took[s][n] = -1
			for k := min(n, len(span)); k >= 0 && took[s][n] < 0; k-- {
				if (k == 0 || k != len(span)-1) && reach(s-1, n-k) {
					took[s][n] = k
				}
			}
		}
		if took[s][w.Quantity] >= 0 {
			return l.collect(spans, took, s, w.Quantity)
		}
	}
	return nil
}

func (l *Layout) collect(spans [][]Cell, took [][]int, s, n int) []string {
	var out []string
	for ; s >= 0; s-- {
		k := took[s][n]
		out, n = append(out, seatNos(spans[s][:k])...), n-k
	}
	l.SortSeats(out)
	return out
}

// spans are the stretches of free seats side by side of which every one may be proposed.
func (l *Layout) spans(w BestWish, free map[string]bool) (out [][]Cell) {
	for _, bench := range l.benches() {
		for i := 0; i < len(bench); {
			j := i
			for j < len(bench) && free[bench[j].SeatNo] {
				j++
			}
			if j > i && l.allFit(bench[i:j], w, free) {
				out = append(out, bench[i:j])
			}
			i = j + 1
		}
	}
	return out
}

// Beside lists the places next to one on the same side of the aisle.
func (l *Layout) Beside(seatNo string) (out []string) {
	for _, run := range l.Runs() {
		for i, c := range run {
			if c.SeatNo != seatNo {
				continue
			}
			if i > 0 {
				out = append(out, run[i-1].SeatNo)
			}
			if i+1 < len(run) {
				out = append(out, run[i+1].SeatNo)
			}
		}
	}
	return out
}

// WheelchairOf lists the wheelchair spaces that a companion seat belongs to: those beside
// it, or beside the companion seats beside it. None for every other place.
func (l *Layout) WheelchairOf(seatNo string) (out []string) {
	for _, run := range l.Runs() {
		i := slices.IndexFunc(run, func(c Cell) bool { return c.SeatNo == seatNo })
		if i < 0 || run[i].Kind != CellCompanion {
			continue
		}
		for _, step := range []int{-1, 1} {
			j := i
			for j >= 0 && j < len(run) && run[j].Kind == CellCompanion {
				j += step
			}
			if j >= 0 && j < len(run) && run[j].Kind == CellWheelchair {
				out = append(out, run[j].SeatNo)
			}
		}
	}
	return out
}
