package handlers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"holdfast/internal/counter"
	"holdfast/internal/domain"
	"holdfast/internal/format"
	"holdfast/views"
)

// reportWords turns a shift's report into words. blind keeps from whoever counts what
// the cash comes to: neither it nor what would lead to it is shown.
type reportWords struct {
	r     *counter.Report
	blind bool
}

func (w reportWords) view() views.ShiftReport {
	r := w.r
	v := views.ShiftReport{
		House: houseLines(r.House), Title: "X report: the till is still open", Currency: r.Currency, Blind: w.blind, Facts: w.facts(),
		Tenders: w.tenders(), Types: w.types(), Acts: w.acts(), Moves: w.moves(), Floated: piecesOf(r.FloatCounts, r.Currency),
	}
	if r.Closed {
		v.Title = fmt.Sprintf("Z report %d", r.Z)
		v.Counted = piecesOf(r.Counts, r.Currency)
	}
	if !w.blind {
		v.Cash = w.cash()
	}
	return v
}

func houseLines(h counter.House) []string {
	return slices.DeleteFunc([]string{h.Name, h.Address, h.TaxNumber}, func(s string) bool { return s == "" })
}

// at is a moment on the clock of the house as it was.
func (w reportWords) at(t time.Time) string {
	local := format.In(t, w.r.House.Zone)
	return format.ShortDay(local) + ", " + format.Clock(local)
}

func (w reportWords) number(amount int64) string { return format.Number(amount, w.r.Currency) }

func (w reportWords) facts() []views.Fact {
	r := w.r
	out := []views.Fact{
		{Name: "Till", Text: r.Till}, {Name: "Cashier", Text: r.Staff}, {Name: "Business day", Text: format.Day(r.BusinessDay)},
		{Name: "Opened", Text: w.at(r.OpenedAt)},
	}
	if r.Closed {
		out = append(out, views.Fact{Name: "Closed", Text: w.at(r.ClosedAt)})
		if r.ClosedBy != r.Staff {
			out = append(out, views.Fact{Name: "Counted by", Text: r.ClosedBy})
		}
	} else {
		out = append(out, views.Fact{Name: "Now", Text: w.at(r.At)})
	}
	return append(out, views.Fact{Name: "Shift", Text: strconv.FormatInt(r.ShiftID, 10) + ", " + format.Zone(r.House.Zone)})
}

func tenderName(tender string) string {
	names := map[string]string{"cash": "Cash", "terminal": "Card terminal", "stripe": "Card online", "agent": "Agent’s account", "comp": "Free of charge", "free": "Free", "exchange": "Exchanged tickets"}
	return cmp.Or(names[tender], tender)
}

func (w reportWords) tenders() (out []views.ReportTender) {
	var in, back int64
	for _, x := range w.r.Tenders {
		v := views.ReportTender{Name: tenderName(x.Tender), Count: paidCount(x.Payments, x.Refunds), In: w.number(x.In), Out: w.number(x.Out), Both: w.number(x.In - x.Out)}
		if w.blind && x.Tender == "cash" {
			v.In, v.Out, v.Both = "", "", ""
		}
		in, back = in+x.In, back+x.Out
		out = append(out, v)
	}
	if len(out) > 1 && !w.blind {
		out = append(out, views.ReportTender{Name: "All", In: w.number(in), Out: w.number(back), Both: w.number(in - back), Total: true})
	}
	return out
}

func paidCount(payments, refunds int) string {
	words := ""
	if payments > 0 {
		words = format.Count(payments, "payment")
	}
	if refunds > 0 {
		words = contact(words, format.Count(refunds, "refund"))
	}
	return words
}

func (w reportWords) types() []views.ReportType {
	return typeLines(w.r.Types, w.r.Currency)
}

// typeLines are tickets by type, what came back taken off.
func typeLines(list []counter.TypeSum, currency string) (out []views.ReportType) {
	var all counter.TypeSum
	line := func(name string, x counter.TypeSum) views.ReportType {
		v := views.ReportType{Name: name, Sold: strconv.Itoa(x.Sold), Tax: format.Number(x.Tax-x.BackTax, currency), Amount: format.Number(x.Amount-x.Back, currency)}
		if x.Returned > 0 {
			v.Back = strconv.Itoa(x.Returned)
		}
		return v
	}
	for _, x := range list {
		out = append(out, line(x.Type, x))
		all.Sold, all.Returned = all.Sold+x.Sold, all.Returned+x.Returned
		all.Amount, all.Back, all.Tax, all.BackTax = all.Amount+x.Amount, all.Back+x.Back, all.Tax+x.Tax, all.BackTax+x.BackTax
	}
	if len(out) > 1 {
		total := line("All", all)
		total.Total = true
		out = append(out, total)
	}
	return out
}

func (w reportWords) cash() []views.ReportSum {
	r := w.r
	out := []views.ReportSum{{Name: "Float", Amount: w.number(r.Float)}}
	for _, x := range []struct {
		name   string
		amount int64
	}{{"Cash taken", r.CashIn}, {"Cash given back", -r.CashOut}, {"Paid in", r.PayIns}, {"Paid out", -r.PayOuts}, {"To the safe", -r.Drops}} {
		if x.amount != 0 || x.name == "Cash taken" {
			out = append(out, views.ReportSum{Name: x.name, Amount: w.number(x.amount)})
		}
	}
	out = append(out, views.ReportSum{Name: "Expected in the till", Amount: w.number(r.Expected), Total: true})
	if r.Closed {
		tone, words := differenceWords(r.Difference())
		out = append(out, views.ReportSum{Name: "Counted", Amount: w.number(r.Counted), Total: true},
			views.ReportSum{Name: "Difference", Amount: signed(r.Difference(), r.Currency), Total: true, Tone: tone, Words: words})
	}
	return out
}

func differenceWords(n int64) (tone, words string) {
	switch {
	case n > 0:
		return "warn", "too much"
	case n < 0:
		return "bad", "missing"
	}
	return "ok", "exact"
}

// signed is an amount with its sign, "+1.00".
func signed(n int64, currency string) string {
	if n > 0 {
		return "+" + format.Number(n, currency)
	}
	return format.Number(n, currency)
}

func (w reportWords) acts() (out []views.ReportAct) {
	for _, a := range w.r.Acts {
		v := views.ReportAct{When: w.at(a.At), What: actName(a), Reason: a.Reason}
		if a.Reference != "" {
			v.Reference = domain.ShowReference(a.Reference)
		}
		if a.Confirmed != "" {
			v.Confirmed = "Confirmed by " + a.Confirmed
		}
		if a.Amount > 0 && !w.blind {
			v.Amount = w.number(-a.Amount)
		}
		out = append(out, v)
	}
	return out
}

func actName(a counter.Act) string {
	switch {
	case a.Action == "cancel tickets" && a.Kind == "void":
		return "Void"
	case a.Action == "cancel tickets":
		return "Refund"
	case a.Action == "counter_sale":
		return "Free ticket"
	case a.Action == "reprint":
		return "Reprint"
	case a.Action == "exchange":
		return "Exchange"
	}
	return a.Action
}

func (w reportWords) moves() (out []views.ReportMove) {
	for _, m := range w.r.Moves {
		v := views.ReportMove{When: w.at(m.At), What: moveName(m.Kind), Amount: w.number(-m.Amount), Reason: m.Reason}
		if m.Kind == "pay_in" {
			v.Amount = signed(m.Amount, w.r.Currency)
		}
		if m.By != w.r.Staff {
			v.Who = "by " + m.By
		}
		out = append(out, v)
	}
	return out
}

func moveName(kind string) string {
	switch kind {
	case "pay_in":
		return "Paid in"
	case "pay_out":
		return "Paid out"
	}
	return "To the safe"
}

// piecesOf lists a count, the largest piece first.
func piecesOf(c domain.Counts, currency string) (out []views.ReportPiece) {
	known := map[int64]bool{}
	for _, p := range domain.Pieces(currency) {
		known[p.Value] = true
	}
	for _, value := range slices.Backward(slices.Sorted(maps.Keys(c))) {
		if c[value] == 0 {
			continue
		}
		v := views.ReportPiece{Name: pieceName(value, currency), Pieces: "× " + strconv.Itoa(c[value]), Worth: format.Number(value*int64(c[value]), currency)}
		if !known[value] && c[value] == 1 {
			v.Name, v.Pieces = "All the cash", ""
		}
		out = append(out, v)
	}
	return out
}
