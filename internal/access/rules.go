package access

import (
	"context"
	_ "embed" // the list of common passwords
	"fmt"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"holdfast/internal/domain"
)

const (
	shortestPassword = 12 // letters
	fewestLetters    = 5  // different ones
	shortestPIN      = 4
	longestPIN       = 8
	longestText      = 200 // of a name or an e-mail
)

//go:embed common.txt
var commonPasswords string

// Problems are what is wrong with a form, by field. Its Unwrap makes it a rule in words
// where nobody looks at fields.
type Problems map[string]string

func (p Problems) Error() string { return fmt.Sprintf("%d fields", len(p)) }

// Unwrap is each problem as a *domain.RuleError whose code is the field.
func (p Problems) Unwrap() (all []error) {
	for field, words := range p {
		all = append(all, &domain.RuleError{Code: field, Words: words})
	}
	return all
}

// some is p as an error, nil when there is no problem.
func (p Problems) some() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

func (p Problems) add(field, words string) {
	if words != "" {
		p[field] = words
	}
}

// passwordProblem says in words why a password will not do for somebody, "" when it will.
func passwordProblem(password, email, name string) string {
	if n := utf8.RuneCountInString(password); n < shortestPassword {
		return fmt.Sprintf("Please take at least %d letters; three or four words that do not belong together are easy to remember.", shortestPassword)
	}
	if len(password) > longestPassword {
		return fmt.Sprintf("Please take at most %d letters.", longestPassword)
	}
	local, _, _ := strings.Cut(email, "@")
	if guessed(strings.ToLower(password), append(strings.Fields(strings.ToLower(name)), strings.ToLower(local))) {
		return "That is one of the first passwords that somebody would try. Please take three or four words that do not belong together."
	}
	return ""
}

// guessed finds what programs that guess passwords try first: few different letters, rows
// of neighbours, and nothing but common words or the person's own name with figures and
// marks around.
func guessed(password string, own []string) bool {
	different, neighbours, last := map[rune]bool{}, 0, rune(0)
	for _, r := range password {
		if d := r - last; d >= -1 && d <= 1 {
			neighbours++
		}
		different[r], last = true, r
	}
	if len(different) < fewestLetters || neighbours*4 > utf8.RuneCountInString(password)*3 {
		return true
	}
	words := strings.FieldsFunc(password, func(r rune) bool { return !unicode.IsLetter(r) })
	known := strings.Fields(commonPasswords)
	for _, name := range own {
		known = append(known, strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })...)
	}
	for _, w := range words {
		if utf8.RuneCountInString(w) > 2 && !madeOf(w, known) {
			return false
		}
	}
	return true
}

// madeOf says whether a word is known ones of three letters or more, one after another.
func madeOf(word string, known []string) bool {
	reached := make([]bool, len(word)+1)
	reached[0] = true
	for at := range word {
		for _, k := range known {
			if reached[at] && utf8.RuneCountInString(k) > 2 && strings.HasPrefix(word[at:], k) {
				reached[at+len(k)] = true
			}
		}
	}
	return reached[len(word)]
}

// pinProblem says in words why a PIN will not do, "" when it will.
func pinProblem(pin string) string {
	if !digits(pin) || len(pin) < shortestPIN || len(pin) > longestPIN {
		return fmt.Sprintf("A PIN is %d to %d figures.", shortestPIN, longestPIN)
	}
	same, up, down := true, true, true
	for i := 1; i < len(pin); i++ {
		same = same && pin[i] == pin[i-1]
		up = up && pin[i] == pin[i-1]+1
		down = down && pin[i] == pin[i-1]-1
	}
	if same || up || down {
		return "Everybody would try that PIN first. Please take another."
	}
	return ""
}

func emailProblem(email string) string {
	a, err := mail.ParseAddress(email)
	if err != nil || a.Address != email || len(email) > longestText || strings.ContainsAny(email, "\"\\ ") {
		return "Please type a whole e-mail address, such as anna@example.org."
	}
	return ""
}

func nameProblem(name string) string {
	switch {
	case name == "":
		return "Please type a name: it stands beside what this person does."
	case utf8.RuneCountInString(name) > longestText:
		return fmt.Sprintf("Please take at most %d letters.", longestText)
	}
	return ""
}

// hash makes a password's hash, or a PIN's, in its turn.
func (s *Service) hash(ctx context.Context, text string) (string, error) {
	select {
	case s.busy <- struct{}{}:
		defer func() { <-s.busy }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return newHash(text)
}
