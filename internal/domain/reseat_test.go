package domain

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// coachOf is a coach of so many places, two on each side of the aisle.
func coachOf(seats int) *Layout {
	l := &Layout{Vehicle: true, Decks: []string{""}, Zones: []Zone{{No: 1, Name: "Coach"}}}
	for n := range seats {
		col := []int{0, 1, 3, 4}[n%4]
		no := fmt.Sprintf("%d%c", n/4+1, "ABCD"[n%4])
		if n%4 == 2 {
			l.Cells = append(l.Cells, Cell{Row: n / 4, Col: 2, Kind: CellAisle})
		}
		l.Cells = append(l.Cells, Cell{Row: n / 4, Col: col, Kind: CellSeat, SeatNo: no, RowLabel: fmt.Sprint(n/4 + 1), Number: string("ABCD"[n%4]), Zone: 1})
	}
	return l
}

func partyOn(l *Layout, ride Ride, seats ...string) Party {
	p := Party{Ride: ride}
	for _, no := range seats {
		c, _ := l.Seat(no)
		p.Riders = append(p.Riders, Rider{Key: fmt.Sprint(no, ride), Was: c, Woman: c.Ladies})
	}
	return p
}

// X7: a coach of 52 with 50 sold becomes one of 48: two are left over, every other party
// sits together, and whoever can stays.
func TestX7_ReseatKeepsPartiesTogether(t *testing.T) {
	t.Parallel()
	old, small := coachOf(52), coachOf(48)
	var seats []string
	for _, c := range old.Cells {
		if c.Kind.Sellable() {
			seats = append(seats, c.SeatNo)
		}
	}
	var parties []Party
	for i, sizes := 0, []int{2, 2, 3, 1, 4, 2, 2}; i < 50; {
		n := min(sizes[len(parties)%len(sizes)], 50-i)
		parties = append(parties, partyOn(old, Ride{0, 1}, seats[i:i+n]...))
		i += n
	}
	to := small.Reseat(parties, SeatingRules{})
	if len(to) != 48 {
		t.Errorf("%d of 50 have a place, want 48", len(to))
	}
	if wrong := small.CheckSeating(parties, to, nil); len(wrong) > 0 {
		t.Error(wrong)
	}
	stay := 0
	for _, p := range parties {
		var got []string
		for _, x := range p.Riders {
			if no := to[x.Key]; no != "" {
				got = append(got, no)
				if no == x.Was.SeatNo {
					stay++
				}
			}
		}
		if len(got) != 0 && len(got) != len(p.Riders) || !small.Together(got) {
			t.Errorf("the party of %d sits on %v", len(p.Riders), got)
		}
	}
	if stay < 40 {
		t.Errorf("only %d stay where they are", stay)
	}
}

func TestReseatRules(t *testing.T) {
	t.Parallel()
	old, hall := coachOf(8), coachOf(8)
	kind := func(l *Layout, no string, do func(*Cell)) {
		for i := range l.Cells {
			if l.Cells[i].SeatNo == no {
				do(&l.Cells[i])
			}
		}
	}
	kind(old, "1A", func(c *Cell) { c.Kind = CellWheelchair })
	kind(old, "1B", func(c *Cell) { c.Kind = CellCompanion })
	kind(hall, "2C", func(c *Cell) { c.Kind = CellWheelchair })
	kind(hall, "2D", func(c *Cell) { c.Kind = CellCompanion })
	kind(hall, "1C", func(c *Cell) { c.Ladies = true })
	r := SeatingRules{Women: true, Beside: true, Closed: map[string]bool{"1A": true}}
	alone := partyOn(old, Ride{0, 2}, "2D")
	alone.Riders[0].Woman, alone.Riders[0].Beside = true, true
	parties := []Party{partyOn(old, Ride{0, 2}, "1A", "1B"), partyOn(old, Ride{0, 1}, "1C"), partyOn(old, Ride{1, 2}, "1D"), alone}
	to := hall.Reseat(parties, r)
	key := func(p Party, i int) string { return to[p.Riders[i].Key] }
	if key(parties[0], 0) != "2C" || key(parties[0], 1) != "2D" {
		t.Errorf("the wheelchair and the companion sit on %s and %s", key(parties[0], 0), key(parties[0], 1))
	}
	woman := key(alone, 0)
	for _, p := range parties[1:3] {
		no := key(p, 0)
		if no == "" || no == "1C" || no == "1A" || slices.Contains(hall.Beside(woman), no) {
			t.Errorf("a man sits on %q, the woman alone on %s", no, woman)
		}
	}
	berths := &Layout{Cells: []Cell{{Kind: CellBerth, SeatNo: "L1", Zone: 1}, {Col: 1, Kind: CellSeat, SeatNo: "1A", Zone: 1}}}
	sleeper := Party{Ride: Ride{0, 1}, Riders: []Rider{{Key: "x", Was: Cell{Kind: CellBerth, SeatNo: "U1"}}}}
	if got := berths.Reseat([]Party{sleeper}, SeatingRules{}); got["x"] != "L1" {
		t.Errorf("who had a berth gets %q", got["x"])
	}
}

// Nobody is seated twice, on all legs; a party as a whole or not at all; closed places and
// wheelchair spaces stay; in the same plan everybody stays.
func TestReseatProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		legs := rapid.IntRange(1, 3).Draw(t, "legs")
		old, next := coachOf(rapid.IntRange(4, 24).Draw(t, "old")), coachOf(rapid.IntRange(2, 24).Draw(t, "new"))
		for i := range next.Cells {
			if c := &next.Cells[i]; c.Kind == CellSeat {
				c.Kind = rapid.SampledFrom([]CellKind{CellSeat, CellSeat, CellSeat, CellWheelchair, CellCompanion}).Draw(t, "kind")
				c.Ladies = rapid.Bool().Draw(t, "ladies")
			}
		}
		var parties []Party
		taken, key := map[string][]Ride{}, 0
		for range rapid.IntRange(0, 12).Draw(t, "parties") {
			from := rapid.IntRange(0, legs-1).Draw(t, "from")
			ride := Ride{from, rapid.IntRange(from+1, legs).Draw(t, "to")}
			p := Party{Ride: ride}
			for _, c := range old.Cells {
				if len(p.Riders) < 4 && c.Kind.Sellable() && !slices.ContainsFunc(taken[c.SeatNo], ride.Overlaps) && rapid.IntRange(0, 3).Draw(t, "take") == 0 {
					taken[c.SeatNo] = append(taken[c.SeatNo], ride)
					key++
					p.Riders = append(p.Riders, Rider{Key: fmt.Sprint(key), Was: c, Woman: rapid.Bool().Draw(t, "woman")})
				}
			}
			if len(p.Riders) > 0 {
				parties = append(parties, p)
			}
		}
		closed := map[string]bool{"1A": rapid.Bool().Draw(t, "closed")}
		to := next.Reseat(parties, SeatingRules{Women: true, Closed: closed})
		if wrong := next.CheckSeating(parties, to, closed); len(wrong) > 0 {
			t.Fatalf("%v", wrong)
		}
		for _, p := range parties {
			n := 0
			for _, x := range p.Riders {
				c, ok := next.Seat(to[x.Key])
				if !ok {
					continue
				}
				n++
				if c.Kind == CellWheelchair || c.Ladies && !x.Woman {
					t.Fatalf("%s got %+v", x.Key, c)
				}
			}
			if n != 0 && n != len(p.Riders) {
				t.Fatalf("%d of %d got a place", n, len(p.Riders))
			}
		}
		for k, no := range old.Reseat(parties, SeatingRules{}) {
			for _, p := range parties {
				for _, x := range p.Riders {
					if x.Key == k && x.Was.SeatNo != no {
						t.Fatalf("%s moved from %s to %s in the same plan", k, x.Was.SeatNo, no)
					}
				}
			}
		}
	})
}
