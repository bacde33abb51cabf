// Package csvfile reads tables that people made with spreadsheets and writes tables
// that are safe to open in one. It knows the dialects, the byte order mark, the
// encoding and the cells that a spreadsheet would take for a formula, and nothing of
// what the columns mean.
package csvfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// MaxRow is the most bytes that one row may have. An unclosed quotation mark ends
// here and not with the memory.
const MaxRow = 64 << 10

// ErrRow marks a row that cannot be read; the reader goes on with the next one.
var ErrRow = errors.New("row")

// ErrFile marks a file that cannot be read further.
var ErrFile = errors.New("file")

// Reader reads a table row by row. The first row with anything in it is the header.
type Reader struct {
	Header []string // trimmed and in small letters
	// Doubled are names that the header has twice; the first column counts.
	Doubled []string

	csv     *csv.Reader
	limit   *rowLimit
	columns map[string]int
	fields  []string
	line    int
	formula bool
}

// Options say how to read. The zero value finds the separator by itself.
type Options struct {
	Comma rune // 0: whichever of , ; and tab the header has most of
	// Formulas takes the apostrophe away that Write puts before cells like "=1+1".
	Formulas bool
}

// New reads the header. An error wraps ErrFile and says in words what is wrong.
func New(r io.Reader, o Options) (*Reader, error) {
	text, err := plain(r)
	if err != nil {
		return nil, err
	}
	comma := o.Comma
	if comma == 0 {
		comma = guess(text)
	}
	limit := &rowLimit{r: text}
	c := csv.NewReader(limit)
	c.Comma, c.FieldsPerRecord, c.TrimLeadingSpace, c.ReuseRecord = comma, -1, comma != '\t', true
	f := &Reader{csv: c, limit: limit, columns: map[string]int{}, formula: o.Formulas}
	if err := f.header(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *Reader) header() error {
	for {
		err := f.next()
		if err == io.EOF {
			return fmt.Errorf("%w: it is empty: a first row with the columns’ names is needed", ErrFile)
		}
		if err != nil {
			return fmt.Errorf("%w: its first row, with the columns’ names, cannot be read: %s", ErrFile, Words(err))
		}
		if !blank(f.fields) {
			break
		}
	}
	for i, name := range f.fields {
		name = strings.ToLower(strings.TrimSpace(name))
		f.Header = append(f.Header, strings.Clone(name))
		if _, twice := f.columns[name]; twice && name != "" {
			f.Doubled = append(f.Doubled, f.Header[i])
		} else {
			f.columns[f.Header[i]] = i
		}
	}
	return nil
}

// Next goes to the next row that has anything in it. io.EOF ends the file; an error
// that wraps ErrRow is about this row alone.
func (f *Reader) Next() error {
	for {
		if err := f.next(); err != nil || !blank(f.fields) {
			return err
		}
	}
}

func (f *Reader) next() error {
	f.limit.left = MaxRow + 8192 // what is read ahead does not count
	fields, err := f.csv.Read()
	f.fields = fields
	var parse *csv.ParseError
	switch {
	case err == io.EOF:
		return err
	case errors.Is(err, errLong):
		f.line++
		return fmt.Errorf("%w: a row is longer than %d KB; is a quotation mark not closed?", ErrFile, MaxRow>>10)
	case errors.As(err, &parse):
		f.line = parse.StartLine
		return fmt.Errorf("%w: a quotation mark is out of place", ErrRow)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	f.line, _ = f.csv.FieldPos(0)
	for _, field := range fields {
		if strings.IndexByte(field, 0) >= 0 {
			return fmt.Errorf("%w: it has a NUL byte, which no text has", ErrRow)
		}
		if !utf8.ValidString(field) {
			return fmt.Errorf("%w: it is not UTF-8 text; save the file as “CSV UTF-8”", ErrRow)
		}
	}
	return nil
}

// Row is the row's number as a spreadsheet counts, the header being 1 (a cell with
// line breaks counts its lines).
func (f *Reader) Row() int { return f.line }

// Has says whether the header has the column.
func (f *Reader) Has(column string) bool { _, ok := f.columns[column]; return ok }

// Column is a column's place for At, -1 when the header lacks it.
func (f *Reader) Column(column string) int {
	if i, ok := f.columns[column]; ok {
		return i
	}
	return -1
}

// At is the trimmed text of a cell of this row, "" where there is none. It shares the
// row's memory: whoever keeps it keeps a strings.Clone.
func (f *Reader) At(i int) string {
	if i < 0 || i >= len(f.fields) {
		return ""
	}
	text := strings.TrimSpace(f.fields[i])
	if f.formula {
		return unguard(text)
	}
	return text
}

// Get is At by the column's name.
func (f *Reader) Get(column string) string { return f.At(f.Column(column)) }

// More says whether the row has filled cells beyond the header's last column.
func (f *Reader) More() bool {
	return len(f.fields) > len(f.Header) && !blank(f.fields[len(f.Header):])
}

// Words is an error of this package for people, without its kind.
func Words(err error) string {
	text := err.Error()
	for _, kind := range []error{ErrRow, ErrFile} {
		text = strings.TrimPrefix(text, kind.Error()+": ")
	}
	return text
}

func blank(fields []string) bool {
	for _, f := range fields {
		if strings.TrimSpace(f) != "" {
			return false
		}
	}
	return true
}

// plain takes the byte order mark away and turns the line ends of old Macintoshes
// into today's.
func plain(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, 8192)
	start, err := b.Peek(4096)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	switch {
	case bytes.HasPrefix(start, []byte("\xEF\xBB\xBF")):
		_, _ = b.Discard(3)
	case bytes.HasPrefix(start, []byte("\xFF\xFE")), bytes.HasPrefix(start, []byte("\xFE\xFF")):
		return nil, fmt.Errorf("%w: it is UTF-16 text; save it as “CSV UTF-8”", ErrFile)
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return nil, fmt.Errorf("%w: it is a spreadsheet or a zip, not a CSV file; save it as “CSV UTF-8”", ErrFile)
	}
	if bytes.IndexByte(start, '\n') < 0 && bytes.IndexByte(start, '\r') >= 0 {
		return bufio.NewReaderSize(oldLines{b}, 8192), nil
	}
	return b, nil
}

// guess is the separator that the first line has most of.
func guess(b *bufio.Reader) rune {
	start, _ := b.Peek(4096) // less is enough
	line, _, _ := bytes.Cut(start, []byte("\n"))
	best, most := ',', 0
	for _, c := range []rune{',', ';', '\t'} {
		if n := bytes.Count(line, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}

type oldLines struct{ r io.Reader }

// Read turns each CR into LF.
func (o oldLines) Read(p []byte) (int, error) {
	n, err := o.r.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

var errLong = errors.New("row too long")

// rowLimit ends a row that does not end.
type rowLimit struct {
	r    io.Reader
	left int
}

// Read gives what is left for this row.
func (l *rowLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLong
	}
	n, err := l.r.Read(p)
	l.left -= n
	return n, err
}
