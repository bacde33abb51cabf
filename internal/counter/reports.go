package counter

import (
	"context"
	"slices"
	"strings"
	"time"

	"holdfast/db"
	"holdfast/internal/domain"
)

// Reports makes the office's reports. Each is a sum over the ledger's lines and nothing
// else, so that they agree with each other and with every till.
//
// A report of days that are over never changes. The ledger is append-only and a line's
// business day is written once, so the report of a day of money is closed with the day.
// A report of events (a film week, trips of some days) has the lines of these events
// that were entered up to its last day, advance sales of weeks before included. What is
// entered later, a refund for example, is a correction in the report of the days on which
// it was entered. So each line stands in exactly one of the reports that follow each other.
//
// Safe for concurrent use.
type Reports struct {
	db     *db.DB
	stripe StripeAccount
}

// NewReports makes the service; stripe is nil where no key is set.
func NewReports(d *db.DB, stripe StripeAccount) *Reports { return &Reports{d, stripe} }

// Span is some business days, both ends included, each midnight UTC of its date.
type Span struct{ From, To time.Time }

// longest is how many days a report may have.
const longest = 366

// Check says in words why these days are no span: a *domain.RuleError.
func (s Span) Check() error {
	switch {
	case s.To.Before(s.From):
		return &domain.RuleError{Code: "to", Words: "The last day is before the first."}
	case s.Days() > longest:
		return &domain.RuleError{Code: "to", Words: "A report has at most 366 days. Please take fewer."}
	}
	return nil
}

// Days counts them.
func (s Span) Days() int { return int(s.To.Sub(s.From).Hours()/24) + 1 }

// Sheet is one report, ready to be printed but for its numbers.
type Sheet struct {
	Span
	Today    time.Time // the business day it is
	Subject  string    // what it is about, "" for the whole house
	Sections []Section // one for each currency: money of two is never added
	Notes    []string  // what the reader must know
}

// Growing says that the last day is not over: the report still changes.
func (r *Sheet) Growing() bool { return !r.To.Before(r.Today) }

// Section is a report's part in one currency.
type Section struct {
	Currency string
	Figures  []Figure
	Tables   []Table
}

// Figure is a sum worth a tile.
type Figure struct {
	Name  string
	Value Cell
	Kind  Kind
	Words string // beneath
}

// Kind is what a column's cells are.
type Kind int

// The kinds of cells.
const (
	Words   Kind = iota // Text
	Date                // Day
	Count               // N
	Amount              // N in minor units of the section's currency
	Percent             // N in tenths of a percent
)

// Column is a table's column.
type Column struct {
	Name string
	Kind Kind
}

// Cell is one value; which field counts is said by its column's kind.
type Cell struct {
	Text    string
	Day     time.Time
	N       int64
	Empty   bool  // nothing can be said here
	EventID int64 // what Text names, 0 for nothing
}

// Table is rows of sums. Its last row adds up those that can be added.
type Table struct {
	ID      string // in addresses: "tender"
	Name    string
	Words   string // how to read it
	Columns []Column
	Rows    [][]Cell
	Foot    []Cell // nil: nothing to add
	None    string // said instead of an empty table
	Chart   int    // the column that the chart shows, 0 for no chart
	Stack   int    // a second column on top of it, 0 for none
}

func table(id, name string, columns ...Column) Table {
	return Table{ID: id, Name: name, Columns: columns}
}

func says(text string) Cell    { return Cell{Text: text} }
func date(d time.Time) Cell    { return Cell{Day: d} }
func number(n int64) Cell      { return Cell{N: n} }
func counts(n int) Cell        { return Cell{N: int64(n)} }
func (t *Table) add(c ...Cell) { t.Rows = append(t.Rows, c) }

// share is part of whole in tenths of a percent.
func share(part, whole int64) Cell {
	if whole == 0 {
		return Cell{Empty: true}
	}
	return Cell{N: (part*1000 + whole/2) / whole}
}

// total makes the last row: counts and amounts are added, the first cell is its name.
func (t *Table) total(name string) {
	if len(t.Rows) == 0 {
		return
	}
	t.Foot = make([]Cell, len(t.Columns))
	for i, c := range t.Columns {
		t.Foot[i].Empty = c.Kind != Count && c.Kind != Amount
		for _, row := range t.Rows {
			if !t.Foot[i].Empty {
				t.Foot[i].N += row[i].N
			}
		}
	}
	t.Foot[0] = says(name)
}

// Table finds a table by its id over all sections; ok false when the report has none.
func (r *Sheet) Table(id string) (out []Table, codes []string) {
	for _, s := range r.Sections {
		for _, t := range s.Tables {
			if t.ID == id {
				out, codes = append(out, t), append(codes, s.Currency)
			}
		}
	}
	return out, codes
}

// start begins a report.
func (s *Reports) start(ctx context.Context, span Span) (*Sheet, error) {
	if err := span.Check(); err != nil {
		return nil, err
	}
	today, err := s.db.BusinessDay(ctx)
	return &Sheet{Span: span, Today: today}, err
}

// Today is the business day it is.
func (s *Reports) Today(ctx context.Context) (time.Time, error) { return s.db.BusinessDay(ctx) }

// currencies lists the currencies of rows, sorted; the house's own when there are none.
func currencies[T any](house string, rows []T, of func(T) string) (out []string) {
	for _, r := range rows {
		if c := of(r); !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		out = []string{house}
	}
	slices.SortFunc(out, func(a, b string) int { // the house's own first
		if (a == house) != (b == house) {
			return map[bool]int{true: -1, false: 1}[a == house]
		}
		return strings.Compare(a, b)
	})
	return out
}
