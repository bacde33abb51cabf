package seatplan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var label = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// wrongLabel says what is wrong with a row's or seat's label, "" for nothing.
func wrongLabel(text string) string {
	switch {
	case !label.MatchString(text):
		return fmt.Sprintf("“%s” cannot be a label. Use letters A to Z, digits, dot, dash and underscore.", text)
	case len(text) > maxLabel:
		return fmt.Sprintf("The label “%s” is too long: at most %d letters.", text, maxLabel)
	}
	return ""
}

var dashes = strings.NewReplacer("–", "-", "—", "-", "−", "-", "‐", "-", "..", "-", "…", "-")

var (
	toWord  = regexp.MustCompile(`(?i)\s+to\s+|\s*-\s*`)
	without = regexp.MustCompile(`(?i)\b(?:without|except|skip)\b`)
	commas  = regexp.MustCompile(`(?i)[\s,;]+(?:and\s+)?`)
)

// list reads "A–M without I", "1 to 12", "A, B, D" into labels. bare: only what is left
// out was named ("without I").
func list(text string) (names, skip []string, bare bool, words string) {
	parts := without.Split(dashes.Replace(text), -1)
	if len(parts) > 2 {
		return nil, nil, false, "Say “without” once."
	}
	names, words = ranges(parts[0])
	if words == "" && len(parts) == 2 {
		if skip, words = ranges(parts[1]); words == "" && len(skip) == 0 {
			words = "Say what to leave out after “without”."
		}
	}
	bare = len(names) == 0
	names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(skip, n) })
	return names, skip, bare, words
}

func ranges(text string) (out []string, words string) {
	text = toWord.ReplaceAllString(strings.TrimSpace(text), "-")
	for _, part := range commas.Split(text, -1) {
		if part == "" {
			continue
		}
		run, ok := span(part)
		if !ok {
			if words := wrongLabel(part); words != "" {
				return nil, words
			}
			run = []string{part}
		}
		if out = append(out, run...); len(out) > 4*MaxRows {
			return nil, "These are too many names."
		}
	}
	return out, ""
}

// span expands "A-M", "12-1", "AA-AF" and "AA-DD"; false when it is no range.
func span(text string) ([]string, bool) {
	from, to, ok := strings.Cut(text, "-")
	if !ok || from == "" || to == "" {
		return nil, false
	}
	a, errA := strconv.Atoi(from)
	b, errB := strconv.Atoi(to)
	if errA == nil && errB == nil && len(from) <= 4 && len(to) <= 4 {
		return steps(a, b, strconv.Itoa), true
	}
	last := len(from) - 1
	if len(from) != len(to) || !isLetter(from[last]) || !isLetter(to[last]) || isLower(from[last]) != isLower(to[last]) {
		return nil, false
	}
	if same(from) && same(to) {
		return steps(int(from[0]), int(to[0]), func(n int) string { return strings.Repeat(string(rune(n)), len(from)) }), true
	}
	if from[:last] != to[:last] {
		return nil, false
	}
	return steps(int(from[last]), int(to[last]), func(n int) string { return from[:last] + string(rune(n)) }), true
}

func steps(a, b int, name func(int) string) []string {
	step := 1
	if b < a {
		step = -1
	}
	var out []string
	for n := a; n != b+step && len(out) <= 4*MaxRows; n += step {
		out = append(out, name(n))
	}
	return out
}

// nextLabel is what follows: 9 → 10, C → D, Z → AA, AA → BB.
func nextLabel(text string) string {
	if n, err := strconv.Atoi(text); err == nil {
		return strconv.Itoa(n + 1)
	}
	if text == "" {
		return "1"
	}
	if last := text[len(text)-1]; same(text) && isLetter(last) {
		if last == 'Z' || last == 'z' {
			return strings.Repeat(string(last-25), len(text)+1)
		}
		return strings.Repeat(string(rune(last+1)), len(text))
	}
	last := text[len(text)-1]
	if isLetter(last) && last != 'z' && last != 'Z' {
		return text[:len(text)-1] + string(rune(last+1))
	}
	return text + "a"
}

func isLetter(b byte) bool { return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' }
func isLower(b byte) bool  { return b >= 'a' }
func isDigit(b byte) bool  { return b >= '0' && b <= '9' }

func same(text string) bool {
	return text != "" && strings.Trim(text, text[:1]) == "" && isLetter(text[0])
}

// names are the labels of the rows of a section, from how many there are and what they
// are called: either may be left out, and both must agree. A single name with a number of
// rows is where the names begin.
func names(rows, named string, vehicle bool) (out []string, rowsWords, namesWords string) {
	count := 0
	if rows = strings.TrimSpace(rows); rows != "" {
		n, err := strconv.Atoi(rows)
		if err != nil || n < 1 {
			return nil, "Type how many rows there are, such as 12.", ""
		}
		if n > MaxRows {
			return nil, fmt.Sprintf("A plan has at most %d rows.", MaxRows), ""
		}
		count = n
	}
	listed, skip, bare, words := list(named)
	if words != "" {
		return nil, "", words
	}
	switch {
	case bare && count == 0:
		return nil, "Type how many rows there are, or what they are called.", ""
	case bare:
		first := "A"
		if vehicle {
			first = "1"
		}
		return following(first, count, skip), "", ""
	case len(listed) == 1 && count > 1:
		return following(listed[0], count, skip), "", ""
	case count > 0 && count != len(listed):
		return nil, "", fmt.Sprintf("These are %d names for %d rows. Leave one of the two fields empty, or make them agree.", len(listed), count)
	}
	return listed, "", ""
}

func following(first string, count int, skip []string) []string {
	var out []string
	for name := first; len(out) < count; name = nextLabel(name) {
		if !slices.Contains(skip, name) {
			out = append(out, name)
		}
	}
	return out
}
