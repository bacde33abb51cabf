package handlers

import (
	"net/url"
	"slices"
	"strconv"

	"holdfast/internal/counter"
	"holdfast/internal/format"
	"holdfast/views"
)

// A report's tables on their way to a page.

const (
	chartDays  = 31 // columns that still can be told apart
	barsAtMost = 24
	sparse     = 8 // columns with room for words on a phone
)

func (p reportPage) section(at *url.URL, x counter.Section, several bool) views.ReportSection {
	v := views.ReportSection{ID: "money-" + x.Currency}
	if several {
		v.Heading = "In " + x.Currency
	}
	for _, f := range x.Figures {
		tile := views.TodayTile{Name: f.Name, Value: cellText(f.Kind, f.Value, x.Currency), Small: f.Words}
		if f.Kind == counter.Amount {
			tile.Value, tile.Money = "", ptr(money(f.Value.N, x.Currency))
		}
		v.Tiles = append(v.Tiles, tile)
	}
	for _, t := range x.Tables {
		v.Tables = append(v.Tables, p.table(at, t, x.Currency, several))
	}
	return v
}

func (p reportPage) table(at *url.URL, t counter.Table, code string, several bool) views.ReportTable {
	q := at.Query()
	q.Set("csv", t.ID)
	v := views.ReportTable{ID: t.ID, Name: t.Name, Words: t.Words, None: t.None, CSVURL: at.Path + "?" + q.Encode()}
	if several {
		v.ID += "-" + code
		v.Name += ", " + code
	}
	for _, c := range t.Columns {
		head := views.ReportColumn{Name: c.Name, Number: numeric(c.Kind)}
		if c.Kind == counter.Amount {
			head.Name += ", " + code
		}
		v.Columns = append(v.Columns, head)
	}
	for _, row := range t.Rows {
		v.Rows = append(v.Rows, cells(t, row, code))
	}
	if t.Foot != nil {
		v.Foot = cells(t, t.Foot, code)
	}
	switch {
	case t.Stack > 0 && len(t.Rows) <= chartDays:
		v.Chart = pillars(t)
	case t.Chart > 0 && t.Stack == 0 && len(t.Rows) > 1 && len(t.Rows) <= barsAtMost:
		v.Bars = bars(t, code)
	}
	return v
}

func numeric(k counter.Kind) bool { return k != counter.Words && k != counter.Date }

func cells(t counter.Table, row []counter.Cell, code string) (out []views.ReportCell) {
	for i, c := range row {
		kind := t.Columns[i].Kind
		if i == 0 && c.Text != "" { // the name of a row of sums stands where days do elsewhere
			kind = counter.Words
		}
		v := views.ReportCell{Text: cellText(kind, c, code), Number: numeric(kind), Day: kind == counter.Date}
		if c.EventID != 0 {
			v.URL = reportsURL + "/events/" + strconv.FormatInt(c.EventID, 10)
		}
		out = append(out, v)
	}
	return out
}

// cellText is a cell as people read it; amounts are without their currency.
func cellText(kind counter.Kind, c counter.Cell, code string) string {
	switch {
	case c.Empty:
		return ""
	case kind == counter.Words:
		return c.Text
	case kind == counter.Date:
		return format.Day(c.Day)
	case kind == counter.Amount:
		return format.Number(c.N, code)
	case kind == counter.Percent:
		return strconv.FormatFloat(float64(c.N)/10, 'f', 1, 64) + " %"
	}
	return format.Whole(c.N)
}

func bars(t counter.Table, code string) (out []views.ReportBar) {
	var most int64
	for _, row := range t.Rows {
		most = max(most, row[t.Chart].N)
	}
	if t.Columns[t.Chart].Kind == counter.Percent {
		most = 1000
	}
	if most <= 0 {
		return nil
	}
	for _, row := range t.Rows {
		name := cellText(t.Columns[0].Kind, row[0], code)
		out = append(out, views.ReportBar{Name: name, Value: cellText(t.Columns[t.Chart].Kind, row[t.Chart], code), Wide: int(max(row[t.Chart].N, 0) * 1000 / most)})
	}
	return out
}

// The box of a chart of columns: words beneath the base, values above the columns.
const (
	chartLeft, chartStep, chartTop, chartBase = 46, 96, 30, 220
)

// pillars draws two columns of a table on top of each other, a row each.
func pillars(t counter.Table) *views.ReportColumns {
	step := chartStep
	if len(t.Rows) > 7 {
		step = max(7*chartStep/len(t.Rows), 30)
	}
	wide := step * 2 / 3
	v := &views.ReportColumns{Width: chartLeft + step*max(len(t.Rows), 4) + 4, Web: t.Columns[t.Chart].Name, Desk: t.Columns[t.Stack].Name, Dense: len(t.Rows) > sparse,
		Label: "Chart of " + t.Name + ": the figures of the table"}
	var most int64
	for _, row := range t.Rows {
		most = max(most, max(row[t.Chart].N, 0)+max(row[t.Stack].N, 0))
	}
	if most == 0 {
		return nil
	}
	high := func(n int64) int { return int(max(n, 0) * (chartBase - chartTop) / most) }
	v.Lines = []views.ReportLine{{Y: chartBase}}
	for n := roundStep(most); n <= most; n += roundStep(most) {
		v.Lines = append(v.Lines, views.ReportLine{Y: chartBase - high(n), Text: format.Whole(n)})
	}
	for i, row := range t.Rows {
		web, desk := high(row[t.Chart].N), high(row[t.Stack].N)
		x := views.ReportPillar{X: chartLeft + i*step, Wide: wide, WebY: chartBase - web, WebHigh: web, DeskHigh: max(desk-1, 0), Value: format.Whole(row[t.Chart].N + row[t.Stack].N)}
		x.DeskY, x.Middle = x.WebY-desk, x.X+wide/2
		x.ValueY = x.DeskY - 7
		if x.Name = row[0].Day.Format("Mon"); len(t.Rows) > 7 {
			x.Name = row[0].Day.Format("2")
		}
		if len(t.Rows) > 2*sparse && i%5 != 0 {
			x.Name = ""
		}
		v.Columns = append(v.Columns, x)
	}
	return v
}

// roundStep is a round number of which two to five fit under most.
func roundStep(most int64) int64 {
	steps := []int64{1}
	for steps[len(steps)-1] < most {
		last := steps[len(steps)-1]
		steps = append(steps, last*2, last*5, last*10)
	}
	i := slices.IndexFunc(steps, func(n int64) bool { return most/n <= 5 })
	return steps[max(i, 0)]
}
