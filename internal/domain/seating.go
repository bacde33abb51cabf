package domain

import (
	"slices"
	"sort"
	"strconv"
)

// SortSeats puts seat numbers into the order of the plan: deck, row, column.
func (l *Layout) SortSeats(nos []string) {
	at := l.look().at
	sort.SliceStable(nos, func(i, j int) bool { return at[nos[i]] < at[nos[j]] })
}

// Runs are the stretches of neighbouring places: same deck and row, columns
// without a break by an aisle, a gap or anything else.
func (l *Layout) Runs() [][]Cell {
	var out [][]Cell
	var run []Cell
	for _, c := range l.Cells {
		if n := len(run); n > 0 {
			last := run[n-1]
			if !c.Kind.Sellable() || c.Deck != last.Deck || c.Row != last.Row || c.Col != last.Col+1 {
				out, run = append(out, run), nil
			}
		}
		if c.Kind.Sellable() {
			run = append(run, c)
		}
	}
	if len(run) > 0 {
		out = append(out, run)
	}
	return out
}

// BestWish is what somebody wants the house to choose.
type BestWish struct {
	Quantity   int
	Zone       int  // 0: anywhere
	Accessible bool // one wheelchair space with its companion seat among them
	Apart      bool // seats that are not neighbours will do
	RowPercent int  // where the best rows are, 0 the front
	Rules      Rules
}

// Rules are what a house minds when seats are proposed.
type Rules struct {
	NoLonely bool            // leave no single free seat, see Layout.Lonely
	Kept     map[string]bool // free, but not for everybody: never proposed
}

// weight is what a lonely seat costs: where the house minds, more than any distance.
func (r Rules) weight(usual int) int {
	if r.NoLonely {
		return 1 << 20
	}
	return usual
}

// Best chooses seats among the free ones. Neighbours in one row when there are
// any; with Apart as close together as it finds. Nil when the wish cannot be met.
// It never splits silently: without Apart every set is adjacent.
func (l *Layout) Best(w BestWish, free map[string]bool) []string {
	if w.Quantity < 1 {
		return nil
	}
	if w.Accessible {
		return l.bestAccessible(w, free)
	}
	var best []Cell
	least := 0
	for _, run := range l.Runs() {
		for i := 0; i+w.Quantity <= len(run); i++ {
			set := run[i : i+w.Quantity]
			if !l.allFit(set, w, free) {
				continue
			}
			if cost := l.cost(set, w) + w.Rules.weight(6)*lonely(run, i, w.Quantity, free); best == nil || cost < least {
				best, least = set, cost
			}
		}
	}
	if best != nil || !w.Apart {
		return seatNos(best)
	}
	return l.bestApart(w, free)
}

func (l *Layout) allFit(set []Cell, w BestWish, free map[string]bool) bool {
	for _, c := range set {
		if !l.fits(c, w, free) {
			return false
		}
	}
	return true
}

// Wheelchair spaces and companion seats are left for those who need them.
func (l *Layout) fits(c Cell, w BestWish, free map[string]bool) bool {
	return free[c.SeatNo] && (c.Kind == CellSeat || c.Kind == CellBerth) && !w.Rules.Kept[c.SeatNo] && (w.Zone == 0 || c.Zone == w.Zone)
}

// lonely counts single free seats that taking run[i:i+n] would leave beside it.
func lonely(run []Cell, i, n int, free map[string]bool) int {
	isFree := func(k int) bool {
		return k >= 0 && k < len(run) && run[k].Kind == CellSeat && free[run[k].SeatNo]
	}
	count := 0
	if isFree(i-1) && !isFree(i-2) {
		count++
	}
	if isFree(i+n) && !isFree(i+n+1) {
		count++
	}
	return count
}

// cost is the distance from the best place of the house; vehicles fill from the front.
func (l *Layout) cost(set []Cell, w BestWish) int {
	rows, cols := 0, 0
	for i := range l.Cells {
		if c := &l.Cells[i]; c.Kind.Sellable() && c.Deck == set[0].Deck {
			rows, cols = max(rows, c.Row), max(cols, c.Col)
		}
	}
	row := 0
	if !l.Vehicle {
		row = rows * w.RowPercent / 100
	}
	cost := 100 * set[0].Deck
	for _, c := range set {
		cost += 4*abs(c.Row-row) + abs(2*c.Col-cols)
		if c.Restricted {
			cost += 40
		}
	}
	return cost / len(set)
}

// bestApart takes the best single seat and then, one by one, those nearest to it.
func (l *Layout) bestApart(w BestWish, free map[string]bool) []string {
	var fit []Cell
	for _, c := range l.Cells {
		if c.Kind.Sellable() && l.fits(c, w, free) {
			fit = append(fit, c)
		}
	}
	if len(fit) < w.Quantity {
		return nil
	}
	centre := fit[0]
	for _, c := range fit {
		if l.cost([]Cell{c}, w) < l.cost([]Cell{centre}, w) {
			centre = c
		}
	}
	sort.SliceStable(fit, func(i, j int) bool { return near(fit[i], centre) < near(fit[j], centre) })
	out := seatNos(fit[:w.Quantity])
	l.SortSeats(out)
	if w.Rules.NoLonely && len(l.LeftLonely(out, free)) > 0 {
		if legal := l.apart(w, centre, free); legal != nil {
			return legal
		}
	}
	return out
}

func near(a, b Cell) int { return 100*abs(a.Deck-b.Deck) + 3*abs(a.Row-b.Row) + abs(a.Col-b.Col) }

// bestAccessible is a wheelchair space, the companion seat beside it, and the rest
// as near as possible: adjacent beyond the companion unless Apart.
func (l *Layout) bestAccessible(w BestWish, free map[string]bool) []string {
	for _, run := range l.Runs() {
		for i, c := range run {
			if c.Kind != CellWheelchair || !free[c.SeatNo] || (w.Zone != 0 && c.Zone != w.Zone) {
				continue
			}
			if w.Quantity == 1 {
				return []string{c.SeatNo}
			}
			for _, step := range []int{1, -1} {
				if set := l.besides(run, i, step, w, free); set != nil {
					return set
				}
			}
		}
	}
	return nil
}

func (l *Layout) besides(run []Cell, i, step int, w BestWish, free map[string]bool) []string {
	j := i + step
	if j < 0 || j >= len(run) || run[j].Kind != CellCompanion || !free[run[j].SeatNo] {
		return nil
	}
	out := []string{run[i].SeatNo, run[j].SeatNo}
	for k := j + step; len(out) < w.Quantity && k >= 0 && k < len(run); k += step {
		if !free[run[k].SeatNo] || run[k].Kind == CellWheelchair {
			break
		}
		out = append(out, run[k].SeatNo)
	}
	if missing := w.Quantity - len(out); missing > 0 {
		if !w.Apart {
			return nil
		}
		rest := l.bestApart(BestWish{Quantity: missing, Zone: w.Zone, RowPercent: w.RowPercent, Rules: Rules{Kept: w.Rules.Kept}}, without(free, out))
		if rest == nil {
			return nil
		}
		out = append(out, rest...)
	}
	l.SortSeats(out)
	return out
}

// Instead proposes neighbours in place of a wanted set of which some are lost:
// as many, nearest to where the wanted ones are, in the same zones if possible.
func (l *Layout) Instead(wanted []string, free map[string]bool, r Rules) []string {
	var centre Cell
	zone := 0
	for i, no := range wanted {
		c, ok := l.Seat(no)
		if !ok || !(c.Kind == CellSeat || c.Kind == CellBerth) {
			return nil
		}
		if i == 0 {
			centre, zone = c, c.Zone
		} else if c.Zone != zone {
			zone = 0
		}
	}
	for _, z := range slices.Compact([]int{zone, 0}) {
		if set := l.nearest(BestWish{Quantity: len(wanted), Zone: z, Rules: r}, centre, free); set != nil {
			return set
		}
	}
	return nil
}

func (l *Layout) nearest(w BestWish, centre Cell, free map[string]bool) []string {
	var best []string
	least := 0
	for _, run := range l.Runs() {
		for i := 0; i+w.Quantity <= len(run); i++ {
			set := run[i : i+w.Quantity]
			if !l.allFit(set, w, free) {
				continue
			}
			cost := w.Rules.weight(2)*lonely(run, i, w.Quantity, free) + near(set[0], centre)
			if best == nil || cost < least {
				best, least = seatNos(set), cost
			}
		}
	}
	return best
}

func without(free map[string]bool, nos []string) map[string]bool {
	out := make(map[string]bool, len(free))
	for k, v := range free {
		out[k] = v && !slices.Contains(nos, k)
	}
	return out
}

func seatNos(cells []Cell) []string {
	if cells == nil {
		return nil
	}
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = c.SeatNo
	}
	return out
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// Where says in words where a place is, for tickets and lists: "Row D, seat 7",
// "Seat 4C", "Balcony, row A, seat 1".
func (l *Layout) Where(c Cell) string {
	words := ""
	if c.Section != "" {
		words = c.Section + ", "
	}
	if l.Vehicle {
		kind := "Seat "
		if c.Kind == CellBerth {
			kind = "Berth "
		}
		words += kind + c.SeatNo
		if name := l.deck(c.Deck); name != "" {
			words += ", " + name
		}
		return words
	}
	if c.RowLabel != "" {
		words += "Row " + c.RowLabel + ", "
	}
	return words + "seat " + c.Number
}

func (l *Layout) deck(i int) string {
	if i < len(l.Decks) && l.Decks[i] != "" {
		return l.Decks[i]
	}
	if len(l.Decks) > 1 {
		return "deck " + strconv.Itoa(i+1)
	}
	return ""
}
