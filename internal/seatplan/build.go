package seatplan

import (
	"fmt"
	"slices"
	"strings"

	"holdfast/internal/domain"
)

// builder makes a plan from a Spec: first every section is read into rows, then they are
// laid out.
type builder struct {
	spec     Spec
	problems Problems
	l        *domain.Layout
	parts    []part
	codes    []string
	ran      int // seats numbered so far in the whole house
}

// part is a section that was read.
type part struct {
	name, code string
	deck, zone int
	beside     bool
	rows       []row
}

// read turns section i into rows.
func (b *builder) read(i int) {
	s := b.spec.Sections[i]
	field := func(name, words string) { b.problems.add(fmt.Sprintf("s%d.%s", i, name), words) }
	p := part{name: strings.TrimSpace(s.Name), beside: s.Place == Beside && i > 0}
	p.code = b.code(i, s, field)
	p.deck = b.deck(i, s, field)
	p.zone = b.zone(s, field)
	if p.beside && p.deck != b.parts[i-1].deck {
		field("place", "Only a section of the same deck can be beside.")
	}
	p.rows = b.rows(s, field)
	b.parts = append(b.parts, p)
}

func (b *builder) rows(s Section, field func(name, words string)) []row {
	kind := domain.CellSeat
	if s.Berths {
		kind = domain.CellBerth
	}
	scheme := readScheme(s, field)
	lines, words := readLines(s.Lines, kind)
	if words != "" {
		field("lines", words)
	}
	rows, words := b.plainRows(s, kind, lines, field)
	if words != "" {
		field("seats", words)
	}
	if rows, words = withLines(rows, lines, kind); words != "" {
		field("lines", words)
	}
	half, _, _, words := list(s.Half)
	if words != "" {
		field("half", words)
	}
	for _, name := range half {
		if at := rowNamed(rows, name); at >= 0 {
			rows[at].half = true
		} else {
			field("half", fmt.Sprintf("There is no row %s.", name))
		}
	}
	if len(b.problems) == 0 {
		b.number(rows, scheme)
	}
	return rows
}

// plainRows are the rows that the fields describe, before the lines change some. With
// nothing but lines there are none: every row is typed.
func (b *builder) plainRows(s Section, kind domain.CellKind, lines []line, field func(name, words string)) ([]row, string) {
	if len(lines) > 0 && strings.TrimSpace(s.Rows+s.RowNames+s.Seats) == "" {
		return nil, ""
	}
	labels, rowsWords, namesWords := names(s.Rows, s.RowNames, b.spec.Vehicle)
	if rowsWords != "" {
		field("rows", rowsWords)
	}
	if namesWords != "" {
		field("names", namesWords)
	}
	if len(labels) > MaxRows {
		field("names", fmt.Sprintf("A plan has at most %d rows.", MaxRows))
	}
	rows := make([]row, len(labels))
	all := len(labels) > 0
	for i, label := range labels {
		rows[i].label = label
		all = all && slices.ContainsFunc(lines, func(l line) bool { return slices.Contains(l.rows, label) && (l.counts != nil || l.places != nil) })
	}
	if all && strings.TrimSpace(s.Seats) == "" { // every row is typed on a line of its own
		return rows, ""
	}
	counts, words, aisles := blocks(s.Seats, s.Aisles)
	if aisles != "" {
		field("aisles", aisles)
	}
	for i := range rows {
		rows[i].blocks = counted(counts, kind)
	}
	return rows, words
}

func rowNamed(rows []row, label string) int {
	return slices.IndexFunc(rows, func(r row) bool { return r.label == label })
}

// withLines changes rows as the lines say, and adds those that are not there yet: at the
// end, or without a name after the row of the line before.
func withLines(rows []row, lines []line, kind domain.CellKind) ([]row, string) {
	last := -1
	for _, l := range lines {
		names := l.rows
		if names == nil {
			names = []string{""}
		}
		for _, name := range names {
			at := -1
			if name != "" {
				at = rowNamed(rows, name)
			}
			if at < 0 {
				if l.counts == nil && l.places == nil {
					return rows, fmt.Sprintf("There is no row %s.", name)
				}
				at = len(rows)
				if name == "" && last >= 0 {
					at = last + 1
				}
				rows = slices.Insert(rows, at, row{label: name})
			}
			r := &rows[at]
			r.half = r.half || l.half
			switch {
			case l.counts != nil:
				r.blocks, r.typed = counted(l.counts, kind), false
			case l.places != nil:
				r.blocks, r.typed = l.places, true
			}
			if name == "" && sells(*r) {
				return rows, "A row with seats needs a name before the colon. Only toilets, stairs and doors can stand in a row named “-”."
			}
			last = at
		}
		if len(rows) > MaxRows {
			return rows, fmt.Sprintf("A plan has at most %d rows.", MaxRows)
		}
	}
	return rows, ""
}

func sells(r row) bool {
	return slices.ContainsFunc(r.blocks, func(b []place) bool {
		return slices.ContainsFunc(b, func(p place) bool { return p.kind.Sellable() })
	})
}

// number labels the places that were not typed.
func (b *builder) number(rows []row, c scheme) {
	before := 0
	if c.run == RunHouse {
		before = b.ran
	}
	for i := range rows {
		if rows[i].typed {
			continue
		}
		labels := c.labels(rows[i].counts(), i, before)
		next := 0
		for _, block := range rows[i].blocks {
			for j := range block {
				block[j].label = labels[next]
				next++
			}
		}
		before += len(labels)
	}
	if c.run == RunHouse {
		b.ran = before
	}
}

// code is what the section's seats have before row and number in their key.
func (b *builder) code(i int, s Section, field func(name, words string)) string {
	code := strings.TrimSpace(s.Code)
	if code == "" {
		code = codeOf(s.Name, b.codes)
	} else if words := wrongLabel(code); words != "" {
		field("code", words)
	} else if slices.Contains(b.codes, code) && i > 0 {
		field("code", "Another section has this code already.")
	}
	if len([]rune(s.Name)) > maxName {
		field("name", fmt.Sprintf("The name is too long: at most %d letters.", maxName))
	}
	if code != "" {
		b.codes = append(b.codes, code)
	}
	return code
}

// codeOf makes a code from a name: its first four plain letters, with a number when
// another section has them.
func codeOf(name string, taken []string) string {
	code := strings.Map(func(r rune) rune {
		if r < 128 && (isLetter(byte(r)) || isDigit(byte(r))) {
			return r
		}
		return -1
	}, strings.ToUpper(name))
	if code == "" && strings.TrimSpace(name) != "" {
		code = "S"
	}
	code = code[:min(len(code), 4)]
	for n, free := 2, code; ; n++ {
		if code == "" || !slices.Contains(taken, free) {
			return free
		}
		free = fmt.Sprintf("%s%d", code, n)
	}
}

func (b *builder) deck(i int, s Section, field func(name, words string)) int {
	name := strings.TrimSpace(s.Deck)
	if len([]rune(name)) > maxName {
		field("deck", fmt.Sprintf("The name is too long: at most %d letters.", maxName))
	}
	if name == "" && i > 0 {
		return b.parts[i-1].deck
	}
	if at := slices.Index(b.l.Decks, name); at >= 0 {
		return at
	}
	if len(b.l.Decks) > 0 && b.l.Decks[0] == "" {
		b.problems.add("s0.deck", "Give every deck a name, also the first.")
	}
	b.l.Decks = append(b.l.Decks, name)
	return len(b.l.Decks) - 1
}

func (b *builder) zone(s Section, field func(name, words string)) int {
	name := strings.TrimSpace(s.Zone)
	if len([]rune(name)) > maxName {
		field("zone", fmt.Sprintf("The name is too long: at most %d letters.", maxName))
	}
	if name == "" {
		if n := len(b.parts); n > 0 {
			return b.parts[n-1].zone
		}
		name = "Standard"
	}
	for _, z := range b.l.Zones {
		if z.Name == name {
			return z.No
		}
	}
	b.l.Zones = append(b.l.Zones, domain.Zone{No: len(b.l.Zones) + 1, Name: name})
	return len(b.l.Zones)
}
