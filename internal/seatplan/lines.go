package seatplan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/domain"
)

// place is one cell of a row before it has its position.
type place struct {
	kind       domain.CellKind
	label      string
	ladies     bool
	restricted bool
}

// row is one row of a section: blocks of places with aisles between them.
type row struct {
	label  string // "" for a row without seats
	half   bool
	blocks [][]place
	typed  bool // its places have the labels they were typed with
}

func (r row) counts() []int {
	out := make([]int, len(r.blocks))
	for i, b := range r.blocks {
		out[i] = len(b)
	}
	return out
}

// counted makes unnumbered blocks.
func counted(counts []int, kind domain.CellKind) [][]place {
	blocks := make([][]place, len(counts))
	for i, n := range counts {
		blocks[i] = slices.Repeat([]place{{kind: kind}}, n)
	}
	return blocks
}

// blocks reads "16", "4|8|4" or "4+8+4", and cuts it where aisles ("4, 12") say so.
func blocks(seats, aisles string) (out []int, seatsWords, aislesWords string) {
	total := 0
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(seats, "||", "|0|"), func(r rune) bool { return r == '|' || r == '+' }) {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 {
			return nil, "Type how many seats a row has, such as 16, or 4|8|4 with aisles.", ""
		}
		if total += n; n > MaxCols || total > MaxCols {
			return nil, fmt.Sprintf("A row has at most %d seats.", MaxCols), ""
		}
		out = append(out, n)
	}
	if total == 0 {
		return nil, "Type how many seats a row has, such as 16, or 4|8|4 with aisles.", ""
	}
	cuts, words := ranges(dashes.Replace(aisles))
	if words != "" || len(cuts) == 0 {
		return out, "", words
	}
	if len(out) > 1 {
		return nil, "", "The aisles are in the field before already. Leave one of the two empty."
	}
	last, rest := 0, []int{}
	for _, cut := range cuts {
		n, err := strconv.Atoi(cut)
		if err != nil || n <= last || n >= total {
			return nil, "", fmt.Sprintf("An aisle can stand after a seat from 1 to %d, in rising order.", total-1)
		}
		rest, last = append(rest, n-last), n
	}
	return append(rest, total-last), "", ""
}

// line is one line of the field for rows that are different.
type line struct {
	rows   []string // nil for a row without label
	half   bool
	counts []int     // "C = 7|7"
	places [][]place // "C: 1 2 3 | 4"
}

// readLines reads the field; words name the line that cannot be read.
func readLines(text string, kind domain.CellKind) (out []line, words string) {
	for n, typed := range strings.Split(strings.ReplaceAll(text, "\r", ""), "\n") {
		typed = strings.TrimSpace(typed)
		if typed == "" || typed[0] == '#' {
			continue
		}
		l, words := readLine(typed, kind)
		if words != "" {
			return nil, fmt.Sprintf("Line %d: %s", n+1, words)
		}
		if out = append(out, l); len(out) > MaxRows {
			return nil, fmt.Sprintf("A plan has at most %d rows.", MaxRows)
		}
	}
	return out, ""
}

func readLine(typed string, kind domain.CellKind) (l line, words string) {
	at := strings.IndexAny(typed, ":=")
	head := typed
	if at >= 0 {
		head = typed[:at]
	}
	if cut, ok := strings.CutSuffix(strings.ToLower(strings.TrimSpace(head)), "half"); ok && (cut == "" || strings.HasSuffix(cut, " ")) {
		l.half, head = true, strings.TrimSpace(head)[:len(cut)]
	}
	if strings.TrimSpace(head) != "-" {
		if l.rows, _, _, words = list(head); words != "" {
			return l, words
		}
		if len(l.rows) == 0 {
			return l, "begin with the row’s name, such as C: or C =."
		}
	}
	switch {
	case at < 0 && !l.half:
		return l, "put a colon before the labels (C: 1 2 | 3), or = before the number of seats (C = 8|8)."
	case at < 0:
	case typed[at] == '=':
		l.counts, words, _ = blocks(typed[at+1:], "")
	default:
		l.places, words = readPlaces(typed[at+1:], kind)
	}
	return l, words
}

// readPlaces reads "26 24 16b | 20♿ _ WC".
func readPlaces(text string, kind domain.CellKind) (out [][]place, words string) {
	n := 0
	for _, block := range strings.Split(dashes.Replace(text), "|") {
		var b []place
		for _, token := range strings.Fields(block) {
			some, words := readPlace(token, kind)
			if words != "" {
				return nil, words
			}
			if n += len(some); n > MaxCols {
				return nil, fmt.Sprintf("a row has at most %d places.", MaxCols)
			}
			b = append(b, some...)
		}
		out = append(out, b)
	}
	if len(out) > MaxCols {
		return nil, fmt.Sprintf("a row has at most %d places.", MaxCols)
	}
	if n == 0 {
		return nil, "name at least one place after the colon."
	}
	return out, ""
}

func readPlace(token string, kind domain.CellKind) ([]place, string) {
	switch strings.ToLower(strings.Trim(token, "[]")) {
	case "_":
		return []place{{kind: domain.CellGap}}, ""
	case "wc", "toilet":
		return []place{{kind: domain.CellWC}}, ""
	case "stairs":
		return []place{{kind: domain.CellStairs}}, ""
	case "door":
		return []place{{kind: domain.CellDoor}}, ""
	case "driver":
		return []place{{kind: domain.CellDriver}}, ""
	case "screen":
		return []place{{kind: domain.CellScreen}}, ""
	}
	p := place{kind: kind}
	token = strings.ReplaceAll(token, "\ufe0f", "")
	if cut, ok := strings.CutSuffix(token, "♿"); ok {
		token, p.kind = cut, domain.CellWheelchair
	}
	name, marks, _ := strings.Cut(token, "/")
	for _, m := range strings.ToLower(marks) {
		switch m {
		case 'w':
			p.kind = domain.CellWheelchair
		case 'c':
			p.kind = domain.CellCompanion
		case 'b':
			p.kind = domain.CellBerth
		case 'l':
			p.ladies = true
		case 'r':
			p.restricted = true
		default:
			return nil, fmt.Sprintf("“/%c” is no mark. There are /w wheelchair, /c companion, /b berth, /l ladies, /r restricted view.", m)
		}
	}
	run, ok := span(name)
	if !ok {
		run = []string{name}
	}
	out := make([]place, len(run))
	for i, n := range run {
		if words := wrongLabel(n); words != "" {
			return nil, words
		}
		out[i] = p
		out[i].label = n
	}
	return out, ""
}
