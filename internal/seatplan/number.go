package seatplan

import (
	"slices"
	"strconv"
	"strings"
)

// scheme is how the seats of a section are numbered.
type scheme struct {
	order, run string
	letters    bool
	start      string
	skip       []string
}

// readScheme reads it from the fields and tells problems of section i.
func readScheme(s Section, field func(name, words string)) scheme {
	c := scheme{order: s.Order, run: s.Run, letters: s.Letters, start: strings.TrimSpace(s.Start)}
	if c.start == "" {
		c.start = "1"
		if c.letters {
			c.start = "A"
		}
	}
	_, err := strconv.Atoi(c.start)
	switch {
	case !c.letters && (err != nil || len(c.start) > 4 || c.start[0] == '-' || c.start[0] == '+'):
		field("start", "Type the first number, such as 1 or 101.")
	case c.letters && !(same(c.start) && len(c.start) <= 2):
		field("start", "Type the first letter, such as A.")
	}
	skip, words := ranges(dashes.Replace(s.Skip))
	if words != "" {
		field("skip", words)
	}
	c.skip = skip
	if c.order == OrderOddLeft || c.order == OrderOddRight {
		if c.letters {
			field("order", "Letters are neither odd nor even. Choose another order, or number the seats.")
		}
		if c.run != RunRow {
			field("run", "Numbers from the middle begin again in every row.")
		}
	}
	return c
}

// labels are those of one row from left to right. blocks are the seats between the
// aisles; row counts from 0 in the section; before is how many seats the numbers have
// run through.
func (c scheme) labels(blocks []int, row, before int) []string {
	n := 0
	for _, b := range blocks {
		n += b
	}
	if c.order == OrderOddLeft || c.order == OrderOddRight {
		return c.fromMiddle(n, middle(blocks, c.order == OrderOddLeft))
	}
	if c.run == RunRow {
		before = 0
	}
	out := following(c.start, before+n, c.skip)[before:]
	if c.order == OrderLeft || c.order == OrderSnake && row%2 == 1 {
		slices.Reverse(out)
	}
	return out
}

// middle is how many seats are left of the middle: that of the centre aisle when there
// is one, else of the block in the middle, whose odd seat goes to the side of the 1.
func middle(blocks []int, oneIsLeft bool) int {
	left := 0
	for _, b := range blocks[:len(blocks)/2] {
		left += b
	}
	if len(blocks)%2 == 1 {
		m := blocks[len(blocks)/2]
		if oneIsLeft {
			m++
		}
		left += m / 2
	}
	return left
}

func (c scheme) fromMiddle(n, left int) []string {
	var odd, even []string
	first, err := strconv.Atoi(c.start)
	for k := first; err == nil && (len(odd) < n || len(even) < n); k++ {
		name := strconv.Itoa(k)
		if slices.Contains(c.skip, name) {
			continue
		}
		if k%2 == 1 {
			odd = append(odd, name)
		} else {
			even = append(even, name)
		}
	}
	a, b := even, odd
	if c.order == OrderOddLeft {
		a, b = odd, even
	}
	a = slices.Clone(a[:left])
	slices.Reverse(a)
	return append(a, b[:n-left]...)
}
