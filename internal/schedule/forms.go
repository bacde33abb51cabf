package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FieldError is one thing to mend in a form, by the field's name.
type FieldError struct{ Field, Words string }

// InvalidForm lists everything to mend. Nothing was stored.
type InvalidForm []FieldError

func (e InvalidForm) Error() string { return fmt.Sprintf("%d fields need mending", len(e)) }

// wrong adds a problem.
func (e *InvalidForm) wrong(field, words string) { *e = append(*e, FieldError{field, words}) }

// err is nil when nothing is to be mended.
func (e InvalidForm) err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// line is one line of text as it is stored: no spaces around it, none doubled, nothing
// that does not print.
func line(text string) string {
	text = strings.ToValidUTF8(text, "")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// text reads a field of at most so many letters; must says what is missing, "" when it
// may be empty.
func (e *InvalidForm) text(field, typed string, most int, must string) string {
	typed = line(typed)
	switch {
	case typed == "" && must != "":
		e.wrong(field, must)
	case utf8.RuneCountInString(typed) > most:
		e.wrong(field, "This is longer than "+strconv.Itoa(most)+" letters. Please shorten it.")
	}
	return typed
}

// paragraphs is text with its line breaks.
func (e *InvalidForm) paragraphs(field, typed string, most int) string {
	var out []string
	for l := range strings.SplitSeq(strings.ReplaceAll(typed, "\r\n", "\n"), "\n") {
		out = append(out, line(l))
	}
	joined := strings.Trim(strings.Join(out, "\n"), "\n")
	if utf8.RuneCountInString(joined) > most {
		e.wrong(field, "This is longer than "+strconv.Itoa(most)+" letters. Please shorten it.")
	}
	return joined
}

// number reads a whole number in its bounds; empty is otherwise.
func (e *InvalidForm) number(field, typed string, low, high, otherwise int) int {
	typed = line(typed)
	if typed == "" {
		return otherwise
	}
	n, err := strconv.Atoi(typed)
	if err != nil || n < low || n > high {
		e.wrong(field, fmt.Sprintf("Please write a whole number from %d to %d.", low, high))
		return otherwise
	}
	return n
}

// changed leaves of two sets of fields those that differ, for the audit log.
func changed(before, after map[string]string) (was, is map[string]string) {
	was, is = map[string]string{}, map[string]string{}
	for k, v := range after {
		if before[k] != v {
			was[k], is[k] = before[k], v
		}
	}
	return was, is
}

// Same says whether two forms have the same fields, revisions apart.
func Same(a, b map[string]string) bool {
	was, _ := changed(a, b)
	return len(was) == 0
}

func subject(kind Kind, id int64) string { return string(kind) + ":" + strconv.FormatInt(id, 10) }

// taken turns a conflict over a name into words beside it.
func taken(err error, field, words string) error {
	if isConflict(err) {
		return InvalidForm{{field, words}}
	}
	return err
}
