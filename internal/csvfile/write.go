package csvfile

import (
	"encoding/csv"
	"io"
	"strings"
)

// Write writes a table with its header for spreadsheets: UTF-8 with a byte order mark,
// commas, CRLF. Cells that a spreadsheet would run as a formula get an apostrophe in
// front, which a Reader with Formulas takes away again.
func Write(w io.Writer, header []string, rows [][]string) error {
	return write(w, "\uFEFF", true, guard, header, rows)
}

// WritePlain writes a table for programs: no mark, nothing added to any cell.
func WritePlain(w io.Writer, header []string, rows [][]string) error {
	return write(w, "", false, func(cell string) string { return cell }, header, rows)
}

func write(w io.Writer, mark string, crlf bool, cell func(string) string, header []string, rows [][]string) error {
	if _, err := io.WriteString(w, mark); err != nil {
		return err
	}
	c := csv.NewWriter(w)
	c.UseCRLF = crlf
	if err := c.Write(header); err != nil {
		return err
	}
	out := make([]string, 0, len(header))
	for _, row := range rows {
		out = out[:0]
		for _, text := range row {
			out = append(out, cell(text))
		}
		if err := c.Write(out); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// formulas are the first letters that make a spreadsheet calculate.
const formulas = "=+-@\t\r"

// guard puts an apostrophe before a cell that would be a formula. A cell that already
// looks guarded gets one more, so that unguard always gives back what was written. Plain
// numbers below zero stay numbers.
func guard(cell string) string {
	bare := strings.TrimLeft(cell, "'")
	if bare == "" || !strings.ContainsRune(formulas, rune(bare[0])) {
		return cell
	}
	if bare == cell && number(cell) {
		return cell
	}
	return "'" + cell
}

// unguard is guard's inverse.
func unguard(cell string) string {
	if bare := strings.TrimLeft(cell, "'"); bare == cell || bare == "" || !strings.ContainsRune(formulas, rune(bare[0])) {
		return cell
	}
	return cell[1:]
}

func number(cell string) bool {
	digits, ok := strings.CutPrefix(cell, "-")
	return ok && digits != "" && strings.Trim(digits, "0123456789.") == "" && strings.Count(digits, ".") < 2
}
