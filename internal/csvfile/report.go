package csvfile

import "slices"

// Level says what a problem means for what is read.
type Level int

const (
	// Note: told, nothing is left out.
	Note Level = iota
	// LeftOut: what the row is about is not taken, the rest is.
	LeftOut
	// Stops: nothing can be taken before this is mended.
	Stops
)

// examples is how many of equal problems are shown.
const examples = 5

// Problem is a kind of problem in one file with how often it is there.
type Problem struct {
	Level    Level
	File     string // "" when there is one file only, or it is about the whole
	Words    string
	Count    int
	Examples []Example
}

// Example is one of equal problems.
type Example struct {
	Row  int // as a spreadsheet counts, 0 when it is about the whole file
	Text string
}

// Report lists what is wrong with files, grouped, so that thousands of equal problems
// are one line.
type Report struct{ list []*Problem }

// Problems are sorted: what stops first.
func (r *Report) Problems() []Problem {
	out := make([]Problem, len(r.list))
	for i, p := range r.list {
		out[i] = *p
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return int(b.Level) - int(a.Level) })
	return out
}

// Stopped says whether nothing can be imported.
func (r *Report) Stopped() bool {
	return slices.ContainsFunc(r.list, func(p *Problem) bool { return p.Level == Stops })
}

// Add counts a problem with its kind; words are the kind's, text this one's.
func (r *Report) Add(level Level, file string, row int, words, text string) {
	for _, p := range r.list {
		if p.File == file && p.Words == words {
			p.Count++
			if len(p.Examples) < examples {
				p.Examples = append(p.Examples, Example{row, text})
			}
			return
		}
	}
	r.list = append(r.list, &Problem{Level: level, File: file, Words: words, Count: 1, Examples: []Example{{row, text}}})
}
