package counter

import (
	"io"
	"slices"
	"strconv"
	"time"

	"holdfast/internal/csvfile"
	"holdfast/internal/domain"
)

// CSV writes a table of the report for spreadsheets, one row after the other over all
// currencies and without the sums, with the currency as the last column where there is
// money. Amounts are decimals of the currency; what a spreadsheet would run as a formula
// is guarded. domain.ErrNotFound: the report has no such table.
func (r *Sheet) CSV(w io.Writer, id string) error {
	tables, codes := r.Table(id)
	if len(tables) == 0 {
		return domain.ErrNotFound
	}
	var header []string
	for _, c := range tables[0].Columns {
		header = append(header, c.Name)
	}
	money := slices.ContainsFunc(tables[0].Columns, func(c Column) bool { return c.Kind == Amount })
	if money {
		header = append(header, "Currency")
	}
	var rows [][]string
	for i, t := range tables {
		for _, cells := range t.Rows {
			var row []string
			for c, x := range cells {
				row = append(row, plain(t.Columns[c].Kind, x, codes[i]))
			}
			if money {
				row = append(row, codes[i])
			}
			rows = append(rows, row)
		}
	}
	return csvfile.Write(w, header, rows)
}

// plain is a cell for programs: "12.50", "46.3".
func plain(kind Kind, c Cell, currency string) string {
	switch {
	case c.Empty:
		return ""
	case kind == Words:
		return c.Text
	case kind == Date:
		return c.Day.Format(time.DateOnly)
	case kind == Percent:
		return strconv.FormatFloat(float64(c.N)/10, 'f', 1, 64)
	case kind == Amount:
		if known, err := domain.CurrencyOf(currency); err == nil {
			return known.Plain(c.N)
		}
	}
	return strconv.FormatInt(c.N, 10)
}
