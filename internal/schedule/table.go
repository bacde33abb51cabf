package schedule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"holdfast/db"
	"holdfast/internal/csvfile"
	"holdfast/internal/domain"
)

// Tables are films, screenings and fares as CSV files: the same columns come out and go
// in, so that what was exported and not changed changes nothing when it is imported.

const (
	maxTableRows  = 5000
	maxTableBytes = 8 << 20
)

// TableKinds are the tables that can be imported and exported.
func TableKinds() []string { return []string{"films", "screenings", "fares"} }

// TablePreview is what the import of a table would do. Nothing is changed by it.
type TablePreview struct {
	File     ImportFile
	Problems []ImportProblem
	Stopped  bool // something has to be mended first: nothing can be imported
	Changes  TableChanges
}

// TableChanges is what a table changes.
type TableChanges struct {
	Rows, New, Changed, Same int
	Left                     int         // differ from what is stored and stay as they are
	Lines                    []TableLine // of what is new or changed, the first ones
	Unshown                  int
}

// TableLine is one row that makes or changes something.
type TableLine struct {
	Row  int
	New  bool
	Text string
}

const linesShown = 50

// line notes what a row does.
func (c *TableChanges) line(row int, isNew bool, text string) {
	if isNew {
		c.New++
	} else {
		c.Changed++
	}
	if len(c.Lines) == linesShown {
		c.Unshown++
		return
	}
	c.Lines = append(c.Lines, TableLine{row, isNew, text})
}

// rowProblem refuses one row in words.
type rowProblem struct {
	words   string // of the kind, the same for all rows that have it
	example string
}

func (p rowProblem) Error() string { return p.words + " " + p.example }

func wrong(words, example string) error { return rowProblem{words, example} }

// tablePlan is a table that was read and compared with what is stored.
type tablePlan struct {
	TableChanges
	report csvfile.Report
	apply  func(ctx context.Context, t *db.Tx, by domain.By) error // nil when nothing changes
}

// table is one kind of table.
type table struct {
	columns []string
	needs   []string
	example [][]string // rows of the template
	plan    func(ctx context.Context, q db.Queries, r *csvfile.Reader, set domain.Settings, p *tablePlan) error
	export  func(ctx context.Context, q db.Queries, set domain.Settings) ([][]string, error)
}

func tableOf(kind string) (table, error) {
	switch kind {
	case "films":
		return filmsTable(), nil
	case "screenings":
		return screeningsTable(), nil
	case "fares":
		return faresTable(), nil
	}
	return table{}, fmt.Errorf("table %q: %w", kind, domain.ErrNotFound)
}

// TableTemplate is an empty table with a row or two to show how it is filled.
func (s *Service) TableTemplate(w io.Writer, kind string) error {
	t, err := tableOf(kind)
	if err != nil {
		return err
	}
	return csvfile.Write(w, t.columns, t.example)
}

// ExportTable writes what is stored.
func (s *Service) ExportTable(ctx context.Context, w io.Writer, kind string, set domain.Settings) error {
	t, err := tableOf(kind)
	if err != nil {
		return err
	}
	rows, err := t.export(ctx, s.db.Queries, set)
	if err != nil {
		return err
	}
	return csvfile.Write(w, t.columns, rows)
}

// TablePreview reads a stored table and says what its import would do.
func (s *Service) TablePreview(ctx context.Context, id int64, kind string, set domain.Settings) (TablePreview, error) {
	file, err := s.importFile(ctx, id, kind)
	if err != nil {
		return TablePreview{File: file}, err
	}
	p, err := s.planTable(ctx, s.db.Queries, file, set)
	if err != nil {
		return TablePreview{File: file}, err
	}
	return TablePreview{File: file, Problems: p.report.Problems(), Stopped: p.report.Stopped(), Changes: p.TableChanges}, nil
}

// ImportTable does what the preview said, in one transaction: all of it or nothing. A
// table with problems is refused.
func (s *Service) ImportTable(ctx context.Context, by domain.By, id int64, kind string, set domain.Settings) (TableChanges, error) {
	file, err := s.importFile(ctx, id, kind)
	if err != nil {
		return TableChanges{}, err
	}
	var done TableChanges
	err = s.db.InTx(ctx, func(t *db.Tx) error {
		if err := t.LockImports(ctx); err != nil {
			return err
		}
		p, err := s.planTable(ctx, t.Queries, file, set)
		if err != nil {
			return err
		}
		if p.report.Stopped() {
			return &domain.RuleError{Code: "table", Words: "The table has rows that have to be mended first. Nothing was changed."}
		}
		done = p.TableChanges
		if p.apply != nil {
			if err := p.apply(ctx, t, by); err != nil {
				return err
			}
		}
		if err := t.DoneImport(ctx, id, done); err != nil {
			return err
		}
		return t.Log(ctx, by, kind+"_imported", fmt.Sprintf("import:%d", id), nil, map[string]int{"rows": done.Rows, "new": done.New, "changed": done.Changed, "same": done.Same})
	})
	return done, err
}

func (s *Service) planTable(ctx context.Context, q db.Queries, file ImportFile, set domain.Settings) (*tablePlan, error) {
	kind, err := tableOf(file.Kind)
	if err != nil {
		return nil, err
	}
	p := &tablePlan{}
	if file.Bytes > maxTableBytes {
		p.report.Add(csvfile.Stops, "", 0, fmt.Sprintf("The table is larger than %d MB. Send it in parts.", maxTableBytes>>20), "")
		return p, nil
	}
	in := &partsReader{ctx: ctx, db: s.db, file: file}
	r, err := csvfile.New(io.NewSectionReader(in, 0, file.Bytes), csvfile.Options{Formulas: true})
	if in.err != nil {
		return nil, in.err
	}
	if err != nil {
		p.report.Add(csvfile.Stops, "", 1, "The file cannot be read.", csvfile.Words(err))
		return p, nil
	}
	p.checkColumns(r, kind)
	if p.report.Stopped() {
		return p, nil
	}
	if err := kind.plan(ctx, q, r, set, p); err != nil {
		return nil, err
	}
	return p, in.err
}

func (p *tablePlan) checkColumns(r *csvfile.Reader, kind table) {
	for _, column := range kind.needs {
		if !r.Has(column) {
			p.report.Add(csvfile.Stops, "", 1, "A column is missing that is needed. The template has all of them.", column)
		}
	}
	for _, column := range r.Doubled {
		p.report.Add(csvfile.Stops, "", 1, "A column is there twice.", column)
	}
	for _, column := range r.Header {
		if column != "" && !slices.Contains(kind.columns, column) {
			p.report.Add(csvfile.Note, "", 1, "A column is not known and is not looked at.", column)
		}
	}
}

// each goes through the rows. What read answers as a rowProblem is reported with the row.
func (p *tablePlan) each(r *csvfile.Reader, read func(row int) error) error {
	for {
		err := r.Next()
		if err == io.EOF {
			return nil
		}
		if p.Rows++; p.Rows > maxTableRows {
			p.report.Add(csvfile.Stops, "", r.Row(), fmt.Sprintf("The table has more than %d rows. Send it in parts.", maxTableRows), "")
			return nil
		}
		if err != nil {
			p.report.Add(csvfile.Stops, "", r.Row(), "A row cannot be read.", csvfile.Words(err))
			if !errors.Is(err, csvfile.ErrRow) {
				return nil
			}
			continue
		}
		if r.More() {
			p.report.Add(csvfile.Stops, "", r.Row(), "A row has more cells than there are columns; is a comma or semicolon inside a text without quotation marks?", "")
			continue
		}
		var bad rowProblem
		switch err := read(r.Row()); {
		case errors.As(err, &bad):
			p.report.Add(csvfile.Stops, "", r.Row(), bad.words, bad.example)
		case err != nil:
			return err
		}
	}
}

// key folds what people write in different ways into one.
func key(parts ...string) string {
	for i, p := range parts {
		parts[i] = strings.ToLower(strings.Join(strings.Fields(p), " "))
	}
	return strings.Join(parts, "\x00")
}

// within checks a text's length.
func within(text string, most int, column string) error {
	if n := len([]rune(text)); n > most {
		return wrong(fmt.Sprintf("The %s is too long: at most %d letters.", column, most), cut(text, 40)+"…")
	}
	return nil
}

// ruleText is a refusal in words as a row's problem.
func ruleText(err error, example string) error {
	var rule *domain.RuleError
	if errors.As(err, &rule) {
		return wrong(rule.Words, example)
	}
	return err
}
