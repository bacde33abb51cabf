package counter

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"holdfast/db"
)

// Days is the report of the money of some business days: takings by tender, channel,
// user and tax rate, admits by ticket type, and what was voided, refunded, given away or
// exchanged. house is the currency of a house that took nothing.
func (s *Reports) Days(ctx context.Context, span Span, house string) (*Sheet, error) {
	r, err := s.start(ctx, span)
	if err != nil {
		return nil, err
	}
	lines, err := s.db.ReportSums(ctx, span.From, span.To)
	if err != nil {
		return nil, err
	}
	for _, code := range currencies(house, lines, func(l db.ReportSum) string { return l.Currency }) {
		own := slices.DeleteFunc(slices.Clone(lines), func(l db.ReportSum) bool { return l.Currency != code })
		r.Sections = append(r.Sections, daySection(code, span, own))
	}
	return r, nil
}

func daySection(code string, span Span, lines []db.ReportSum) Section {
	var all sums
	for _, l := range lines {
		all.take(l)
	}
	x := Section{Currency: code, Figures: []Figure{
		{"Takings", number(all.net()), Amount, "refunds taken off"},
		{"Admits", counts(all.admits()), Count, strconv.Itoa(all.sold) + " sold, " + strconv.Itoa(all.returned) + " taken back"},
		{"Ticket sales", number(all.gross), Amount, "tax included"},
		{"Refunds", number(all.out), Amount, plural(all.refunds, "refund")},
	}}
	x.Tables = []Table{byTender(lines), byChannel(lines), byUser(lines)}
	if span.Days() > 1 {
		x.Tables = append(x.Tables, byDay(span, lines))
	}
	x.Tables = append(x.Tables, byType(lines), byTax(lines), byAct(lines), addsUp(all))
	return x
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// money are the columns of what came and went.
func moneyColumns(first string) []Column {
	return []Column{{first, Words}, {"Payments", Count}, {"Received", Amount}, {"Refunds", Count}, {"Given back", Amount}, {"Takings", Amount}}
}

func moneyRow(name string, s *sums) []Cell {
	return []Cell{says(name), counts(s.payments), number(s.in), counts(s.refunds), number(s.out), number(s.net())}
}

func byTender(lines []db.ReportSum) Table {
	t := table("tender", "Takings by tender", moneyColumns("Tender")...)
	t.None, t.Chart = "No money came or went.", 5
	t.Words = "An exchange moves what old tickets were worth to new ones. It is no money and adds up to nothing: it stands below, not here."
	keys, by := grouped(lines, func(l db.ReportSum) (string, bool) { return l.Tender, isMoney(l) })
	for _, k := range keys {
		t.add(moneyRow(TenderWords(k), by[k])...)
	}
	t.total("All tenders")
	return t
}

func byChannel(lines []db.ReportSum) Table {
	t := table("channel", "Takings by channel", moneyColumns("Channel")...)
	t.None = "No money came or went."
	keys, by := grouped(lines, func(l db.ReportSum) (string, bool) { return l.Channel, isMoney(l) })
	for _, k := range keys {
		t.add(moneyRow(ChannelWords(k), by[k])...)
	}
	t.total("All channels")
	return t
}

func byUser(lines []db.ReportSum) Table {
	columns := moneyColumns("User")
	t := table("user", "Takings by user", append(columns, Column{"Tickets sold", Count}, Column{"Taken back", Count})...)
	t.None = "Nobody took or gave money."
	t.Words = "Who took the money or gave it back at the counter. Online sales, and refunds that go back through Stripe, have nobody."
	keys, by := grouped(lines, func(l db.ReportSum) (int64, bool) { return l.StaffID, isMoney(l) || isTicket(l) })
	names := map[int64]string{0: "Nobody: online and by itself"}
	for _, l := range lines {
		if l.StaffID != 0 {
			names[l.StaffID] = l.Staff
		}
	}
	for _, k := range keys {
		t.add(append(moneyRow(names[k], by[k]), counts(by[k].sold), counts(by[k].returned))...)
	}
	t.total("Everybody")
	return t
}

func byDay(span Span, lines []db.ReportSum) Table {
	t := table("day", "Day by day", Column{"Day", Date}, Column{"Admits online", Count}, Column{"Admits elsewhere", Count}, Column{"Ticket sales", Amount},
		Column{"Received", Amount}, Column{"Given back", Amount}, Column{"Takings", Amount})
	t.Chart, t.Stack = 1, 2
	_, all := grouped(lines, func(l db.ReportSum) (int64, bool) { return l.Day.Unix(), true })
	_, web := grouped(lines, func(l db.ReportSum) (int64, bool) { return l.Day.Unix(), l.Channel == "web" })
	for d := span.From; !d.After(span.To); d = d.AddDate(0, 0, 1) {
		a, w := all[d.Unix()], web[d.Unix()]
		if a == nil {
			a = &sums{}
		}
		if w == nil {
			w = &sums{}
		}
		t.add(date(d), counts(w.admits()), counts(a.admits()-w.admits()), number(a.gross), number(a.in), number(a.out), number(a.net()))
	}
	t.total("All days")
	return t
}

func byType(lines []db.ReportSum) Table {
	t := table("type", "Admits by ticket type", ticketColumns(Column{"Ticket type", Words})...)
	t.None, t.Chart = "No ticket was sold or taken back.", 3
	t.Words = "Free are tickets that cost nothing; they are among the admits."
	names := map[string]string{}
	keys, by := grouped(lines, func(l db.ReportSum) (string, bool) {
		k := fmt.Sprintf("%06d %s", l.Position, l.TicketType)
		names[k] = l.Type
		return k, isTicket(l)
	})
	for _, k := range keys {
		t.add(ticketRow(says(names[k]), by[k].sold, by[k].returned, by[k].free, by[k].gross, by[k].tax)...)
	}
	t.total("All types")
	return t
}

// ticketColumns are the columns of what was sold.
func ticketColumns(first ...Column) []Column {
	return append(first, Column{"Sold", Count}, Column{"Taken back", Count}, Column{"Admits", Count}, Column{"Free", Count},
		Column{"Gross", Amount}, Column{"Tax", Amount}, Column{"Net", Amount})
}

func ticketRow(first Cell, sold, returned, free int, gross, tax int64) []Cell {
	return []Cell{first, counts(sold), counts(returned), counts(sold - returned), counts(free), number(gross), number(tax), number(gross - tax)}
}

func byTax(lines []db.ReportSum) Table {
	t := table("tax", "Sales by tax rate", Column{"Rate", Words}, Column{"Tickets", Amount}, Column{"Fees kept", Amount}, Column{"Gross", Amount},
		Column{"Tax", Amount}, Column{"Net", Amount})
	t.None = "Nothing was sold."
	t.Words = "The tax that is in the price of tickets, less what was taken back, and in what cancellations kept."
	keys, by := grouped(lines, func(l db.ReportSum) (int, bool) { return l.TaxBP, isTicket(l) || l.Kind == "fee" })
	for _, k := range keys {
		x := by[k]
		gross, tax := x.gross+x.fees, x.tax+x.feeTax
		t.add(says(strconv.FormatFloat(float64(k)/100, 'f', -1, 64)+" %"), number(x.gross), number(x.fees), number(gross), number(tax), number(gross-tax))
	}
	t.total("All rates")
	return t
}

// byAct lists what needs an eye: money that went back and why, what was given away.
func byAct(lines []db.ReportSum) Table {
	t := table("acts", "Voids, refunds, free tickets and exchanges", Column{"What", Words}, Column{"How often", Count}, Column{"Amount", Amount})
	t.None = "Nothing was voided, refunded, given away or exchanged."
	keys, by := grouped(lines, func(l db.ReportSum) (string, bool) { return l.Reason, l.Kind == "refund" && l.Tender != "exchange" })
	for _, k := range keys {
		t.add(says(reasonWords(k)), counts(by[k].refunds), number(by[k].out))
	}
	var all sums
	var failed, free, freeBack int
	var came int64
	for _, l := range lines {
		all.take(l)
		switch {
		case l.Against && l.Tender != "exchange":
			failed, came = failed+l.Lines, came+l.Amount
		case l.Comp && l.Kind == "sale":
			free += l.Lines
		case l.Comp && l.Kind == "sale_reversal":
			freeBack += l.Lines
		}
	}
	for _, x := range []struct {
		name   string
		n      int
		amount int64
	}{
		{"Refunds that failed: the amounts above are without them", failed, came}, {"Free tickets given", free, 0}, {"Free tickets taken back", freeBack, 0},
		{"Exchanges: worth moved to other tickets", all.exchanges, all.exchanged},
	} {
		if x.n > 0 {
			t.add(says(x.name), counts(x.n), number(x.amount))
		}
	}
	return t
}

// addsUp shows that the money is what was sold.
func addsUp(x sums) Table {
	t := table("sum", "How it adds up", Column{"What", Words}, Column{"Amount", Amount})
	t.Words = "What was sold on one side, the money on the other. A difference is money of ours that no ticket stands for, or the other way round: a refund that failed, or a payment of one day whose refund is of another."
	t.add(says("Tickets sold"), number(x.gross+x.back))
	t.add(says("Tickets taken back"), number(-x.back))
	t.add(says("Fees kept on cancelled tickets"), number(x.fees))
	t.add(says("Written off: refunds made in Stripe while the tickets stayed"), number(x.off))
	t.add(says("Sales"), number(x.earned()))
	t.add(says("Received"), number(x.in))
	t.add(says("Given back"), number(-x.out))
	t.add(says("Takings"), number(x.net()))
	t.add(says("Exchanges that do not cancel out"), number(x.unbalanced))
	t.add(says("Difference"), number(x.net()+x.unbalanced-x.earned()))
	return t
}
